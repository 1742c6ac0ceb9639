"""What failed, or nobody was asked for, is never outvoted by what happens to have a value."""

import math

import pytest

import ragauge as rg
from ragauge.errors import JudgeError
from ragauge.judges.config import JudgeConfig
from ragauge.judges.protocol import Reply, TokenChoice
from ragauge.label import Label
from ragauge.runs.store import has_unfinished

ROW = {"id": "1", "question": "q", "answer": "a", "reference": "r", "contexts": ["a"]}


@pytest.mark.parametrize("references", [["", "Paris is big."], ["Paris is big.", ""]])
@pytest.mark.parametrize("label", ["context_recall", "context_recall(on_no_statements=1)"])
def test_a_blank_reference_does_not_stand_in_for_one_that_failed(label, references):
    judge = rg.ScriptedJudge(lambda _: JudgeError("boom"))
    found = rg.score(label, question="q?", contexts=["c."], references=references, judge=judge)
    assert found.status == "failed"


def test_a_grade_of_several_askings_is_of_none_of_them():
    said = iter([100, 0, 0])

    def script(_):
        grade = {"score": next(said), "reason": "r"}
        return dict.fromkeys(("correctness", "completeness", "consistency"), grade)

    judge = JudgeConfig([rg.ScriptedJudge(script)], repeat=3)
    run = rg.evaluate([ROW], "factual_accuracy", judge=judge)
    assert run.scores["value"][0] == pytest.approx(1 / 3)
    assert '"grades":["A","E","E"]' in run.scores["evidence"][0]
    assert '"grade":' not in run.scores["evidence"][0]


def test_an_asking_that_failed_leaves_the_others_and_is_unfinished():
    def script(request):
        return JudgeError("boom") if request.sample else "CORRECT"

    judge = JudgeConfig([rg.ScriptedJudge(script)], repeat=2)
    run = rg.evaluate([ROW], "answer_class", judge=judge)
    assert run.scores["value"].to_list() == [1.0]
    assert has_unfinished(run.scores)
    assert not has_unfinished(rg.evaluate([ROW], "factual-qa").scores)


@pytest.mark.parametrize("logarithm", [-9999.0, 800.0, math.nan, -math.inf])
def test_a_probability_that_is_none_weights_no_grade(logarithm):
    tokens = ('{"reason": "r", "score": ', "4", "}")
    told = tuple(TokenChoice(one, ((one, logarithm),)) for one in tokens)
    judge = rg.ScriptedJudge({"g_eval": Reply("".join(tokens), logprobs=told)})
    label = 'g_eval(criteria="Kind?",steps=["Read."])'
    found = rg.score(label, question="q", answer="a", judge=judge)
    assert (found.value, found.evidence["weighting"]) == (0.75, "none")


def test_a_composite_is_of_each_judge_though_the_data_have_a_column_of_its_parts_name():
    def met(word):
        rows = [{"criterion": n, "reason": "r", "verdict": word} for n in (1, 2, 3, 4, 5)]
        return rg.ScriptedJudge({"criteria": {"criteria": rows}}, name=word)

    judges = [met(word) for word in ("met", "not met")]
    run = rg.evaluate([{**ROW, "gpt_score": 1.0}], ["answer_match", "gpt_score"], judge=judges)
    values = {
        Label.parse(metric).settings["judge"]: value
        for metric, value in run.scores.select("metric", "value").rows()
        if metric.startswith("answer_match")
    }
    assert values == {"met": 1, "not met": 0}


def test_an_async_metric_gets_the_claims_of_all_references_and_not_what_is_to_come(own_metrics):
    @rg.metric
    async def n_claims(references, reference_claims) -> float:
        return float(sum(len(one.texts) for one in reference_claims) == len(references))

    sentences = [{"sentence": 1, "claims": ["It is."], "claim_free": False}]
    judge = rg.ScriptedJudge(lambda _: {"sentences": sentences})
    row = {"id": "1", "question": "q", "answer": "a", "references": ["One.", "Two."]}
    assert rg.evaluate([row], "n_claims", judge=judge).scores["value"].to_list() == [1.0]
