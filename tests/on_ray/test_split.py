"""A plan in two parts gives the scores of the whole."""

import pytest

import ragauge as rg
from ragauge.engine.frames import score_frame
from ragauge.evaluation import Evaluation
from ragauge.judges.config import JudgeConfig
from ragauge.on_ray.executor import merged, split
from ragauge.samples.samples import to_columns

ROWS = [
    {
        "id": f"q{at}",
        "system": system,
        "question": f"What costs ${at}?",
        "answer": f"It is ${at}." if system == "b" else "I do not know",
        "reference": f"${at}",
        "contexts": [f"It is ${at}."],
    }
    for at in (2, 0, 1)
    for system in ("b", "a")
]


def judge(name: str, verdict: str) -> rg.ScriptedJudge:
    return rg.ScriptedJudge({"verdict": {"reason": "r", "verdict": verdict}}, name=name)


def evaluation(metrics: list[str]) -> Evaluation:
    judges = JudgeConfig((judge("one", "CORRECT"), judge("two", "WRONG")), repeat=2)
    return Evaluation.prepare(rg.load(ROWS), metrics, judge=judges)


@pytest.mark.parametrize(
    "metrics",
    [["exact_match", "answer_class", "number_match", "ndcg@3"], ["answer_class"], ["exact_match"]],
)
def test_both_parts_together_are_the_whole(metrics: list[str]):
    whole = evaluation(metrics)
    columns = to_columns(whole.samples.frame)
    alone, judged = split(whole.plan)
    labels = [metric.metric for metric in (*alone.metrics, *judged.metrics)]
    assert sorted(labels) == sorted(metric.metric for metric in whole.plan.metrics)
    assert not any("judge" in node.definition.resources for node in alone.nodes)
    frames = [score_frame(part, columns, whole.resources) for part in (judged, alone)]
    expected = score_frame(whole.plan, columns, evaluation(metrics).resources)
    assert merged(frames, whole.samples.frame, whole.plan).equals(expected)


def test_a_metric_that_needs_a_judged_one_is_asked_from_here():
    alone, judged = split(evaluation(["fuzzy_match", "answer_match"]).plan)
    assert [metric.name for metric in alone.metrics] == ["fuzzy_match"]
    assert {metric.definition.name for metric in judged.metrics if metric.definition} == {
        "answer_match"
    }
    assert "fuzzy_match" in {node.definition.name for node in judged.nodes}
