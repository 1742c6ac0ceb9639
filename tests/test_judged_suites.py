"""The three suites with judged metrics, run whole over a few samples with a scripted judge."""

import json

import numpy as np
import pytest
import rules
from pytest import approx

import ragauge as rg
from ragauge.encoders.embedded import MiniLM

ENCODER = MiniLM()
GRAPHRAG = [
    "ragas_faithfulness",
    "ragas_context_precision",
    "ragas_context_recall",
    "ragas_answer_relevance",
    "ragas_score",
    "factual_accuracy_percentage",
    "semantic_similarity_percentage",
    "bert_score_f1",
    "correct_answers_count",
    "wrong_answers_count",
    "dont_know_answers_count",
]
ROWS = [
    {
        "id": "fee",
        "system": "hut",
        "question": "What is the fee?",
        "answer": "The fee is $5. Cats pay double.",
        "references": ["The fee is $5."],
        "contexts": ["The fee is $5.", "Boots stay outside."],
        "context_ids": ["d1", "d2"],
        "relevant": {"d1": 1},
    },
    {
        "id": "dogs",
        "system": "hut",
        "question": "Where do dogs sleep?",
        "answer": "I don't know.",
        "references": ["Dogs sleep in the shed."],
        "contexts": [],
        "context_ids": [],
        "relevant": {"d3": 1},
    },
    {
        "id": "beds",
        "system": "hut",
        "question": "How many beds are there?",
        "answer": "Seven of them.",
        "references": ["There are 12 beds."],
        "contexts": ["There are 12 beds."],
        "context_ids": ["d4"],
        "relevant": {"d4": 1},
    },
]


def by_rules(request):
    """The judge by rules, to whom "I don't know." claims nothing and commits to nothing."""
    said = rules.script(request)
    for each in said.get("sentences", ()):
        if "know" in each["claims"][0]:
            each.update(claims=[], claim_free=True)
    for each in said.get("questions", ()):
        each["noncommittal"] = "know" in each["question"]
    return said


def evaluated(suite, rows=ROWS, script=by_rules, **options):
    judge = rg.ScriptedJudge(script)
    options = {"encoder": ENCODER} | options
    return rg.evaluate(rows, suite, judge=judge, **options), judge


@pytest.fixture(scope="module")
def graphrag():
    """The rows through the suite of GraphRAG, and the judge that was asked."""
    return evaluated("graphrag")


def table(run):
    """For each question its values by shown name, None where there is none."""
    names = {one.metric: one.name for one in run.metrics}
    found = {id: {} for id in run.samples.frame["id"]}
    for id, metric, value in run.scores.select("id", "metric", "value").rows():
        found[id][names[metric]] = value
    return found


def shown(run, system="hut"):
    """What the summary has for each name, as it is shown."""
    rows = run.summary().iter_rows(named=True)
    scales = {one.name: one.scale for one in run.metrics}
    return {
        row["name"]: None if row["mean"] is None else row["mean"] * scales[row["name"]]
        for row in rows
        if row["system"] == system
    }


def test_graphrag_gives_the_seeds_names_on_the_seeds_scales(graphrag):
    run, _ = graphrag
    assert [one.name for one in run.metrics] == GRAPHRAG
    scales = {one.name: (one.scale, one.digits, one.show) for one in run.metrics}
    for name in GRAPHRAG:
        wanted = (1, 0, "count") if name.endswith("_count") else (100, 2, "mean")
        assert scales[name] == wanted
    assert set(run.scores["status"]) == {"ok"}


def test_graphrag_by_hand(graphrag):
    found = table(graphrag[0])
    fee, dogs, beds = found["fee"], found["dogs"], found["beds"]
    # One claim of two; one context of two; the one statement; a right answer.
    assert (fee["ragas_faithfulness"], fee["ragas_context_precision"]) == (0.5, 0.5)
    assert (fee["ragas_context_recall"], fee["factual_accuracy_percentage"]) == (1.0, 1.0)
    # No claim is 1, no context 0 and so the statement is not found.
    assert (dogs["ragas_faithfulness"], dogs["ragas_context_precision"]) == (1.0, 0.0)
    assert dogs["ragas_context_recall"] == 0.0
    # The noncommittal answer still has its cosine in this suite.
    assert dogs["ragas_answer_relevance"] > 0
    assert (beds["ragas_faithfulness"], beds["ragas_context_recall"]) == (0.0, 1.0)
    for one in found.values():
        parts = [one[name] for name in GRAPHRAG[:4]]
        assert one["ragas_score"] == approx(np.dot(parts, [0.3, 0.2, 0.2, 0.3]))


def test_the_three_counts_part_the_answers():
    without = [{**ROWS[1], "id": f"without {given}", "references": given} for given in (None, [])]
    run, judge = evaluated("graphrag", [*ROWS, *without])
    counts = {id: tuple(row[name] for name in GRAPHRAG[-3:]) for id, row in table(run).items()}
    assert counts == {
        "fee": (1, 0, 0),
        "beds": (0, 1, 0),
        **dict.fromkeys(("dogs", "without None", "without []"), (0, 0, 1)),
    }
    assert sum(one.prompt == "verdict" for one in judge.requests) == 2
    # A reference that states nothing is found.
    rows = [{**ROWS[0], "references": ["Nobody would know."], "contexts": [], "context_ids": []}]
    assert table(evaluated("graphrag", rows)[0])["fee"]["ragas_context_recall"] == 1.0


def test_an_answer_that_could_not_be_classed_is_in_no_count():
    def script(request):
        said = by_rules(request)
        return "INCORRECT" if said.get("verdict") == "WRONG" else said

    run, _ = evaluated("graphrag", script=script)
    beds = table(run)["beds"]
    assert (beds["correct_answers_count"], beds["wrong_answers_count"]) == (None, None)
    assert beds["dont_know_answers_count"] == 0
    summary = {row["name"]: row for row in run.summary().iter_rows(named=True)}
    for name in ("correct_answers_count", "wrong_answers_count"):
        assert (summary[name]["ok"], summary[name]["failed"]) == (2, 1)


class Seed(MiniLM):
    """The embedded encoder, but for the document's questions, whose cosines are the document's."""

    COSINES = {"asked?": 1.0, "same": 0.8327, "near": 0.8229}

    def encode(self, texts, *, long_text="cut"):
        vectors = super().encode(texts, long_text=long_text)
        for place, text in enumerate(texts):
            cosine = self.COSINES.get(text.split("#")[0])
            if cosine is not None:
                vectors[place] = 0
                vectors[place][:2] = cosine, np.sqrt(1 - cosine**2)
        return vectors

    def encode_both(self, texts):
        return [None for _ in texts]


def test_the_documents_three_rows_through_the_suite():
    """100/–/100/83.27 is 93.73, 0/0/0/83.27 is 24.98 and –/–/–/82.29 is 82.29."""
    row = {"id": "Novel-73586ddc", "question": "asked?", "references": ["Reference."]}
    rows = [
        {**row, "system": "local_search", "answer": "Local.", "contexts": ["Local. Reference."]},
        {**row, "system": "basic_search", "answer": "Basic.", "contexts": ["THE END"]},
        {**row, "system": "llm_with_context", "answer": "Model."},
    ]

    def script(request):
        read = rules.blocks(request.messages[1].content)
        if request.prompt == "questions":
            word = "near" if read["answer"] == ["Model."] else "same"
            asked = [{"question": f"{word}#{n}", "noncommittal": False} for n in range(3)]
            return {"questions": asked}
        if request.prompt == "relevance" and "Local." in read["contexts"][0]:
            return "NaN"
        return by_rules(request)

    run, _ = evaluated("graphrag", rows, script, encoder=Seed())
    expected = {
        "local_search": (100, None, 100, 83.27, 93.73),
        "basic_search": (0, 0, 0, 83.27, 24.98),
        "llm_with_context": (None, None, None, 82.29, 82.29),
    }
    for system, values in expected.items():
        found = shown(run, system)
        rounded = [None if found[name] is None else round(found[name], 2) for name in GRAPHRAG[:5]]
        assert rounded == list(values)
    metric = run.scores["metric"]
    lost = run.scores.filter(metric.str.contains("^(faith|context)"), status="missing")
    assert lost["system"].to_list() == ["llm_with_context"] * 3
    failed = run.scores.filter(status="failed")
    assert failed["metric"].str.starts_with("context_precision").to_list() == [True]
    parts = json.loads(run.scores.filter(metric.str.starts_with("ragas_score"))["evidence"][0])
    assert "twice" in parts["left_out"]["context_precision"]


def test_the_order_of_rows_and_the_size_of_batches_change_no_number_and_systems_share_calls(
    graphrag,
):
    run, judge = graphrag
    expected = table(run)
    assert table(evaluated("graphrag", ROWS[::-1], batch_size=2)[0]) == expected
    rows = [{**row, "system": system} for row in ROWS for system in ("hut", "lodge")]
    both, asked = evaluated("graphrag", rows)
    assert len(asked.requests) == len(judge.requests)
    assert shown(both, "hut") == shown(both, "lodge")
    # The four measures take six calls, accuracy and class two more.
    prompts = sorted(one.prompt for one in evaluated("graphrag", ROWS[:1])[1].requests)
    four = ["claims", "claims", "questions", "relevance", "support", "support"]
    assert prompts == sorted([*four, "accuracy", "verdict"])


def test_factual_qa_runs_whole():
    verdicts = [{"criterion": at, "reason": "r", "verdict": "met"} for at in range(1, 6)]

    def script(request):
        is_of_beds = "Seven" in request.messages[1].content
        return {"criteria": verdicts} if is_of_beds else by_rules(request)

    run, judge = evaluated("factual-qa", script=script)
    assert [one.name for one in run.metrics] == [
        "ndcg",
        "modified_precision",
        "fuzzy_match",
        "gpt_score",
        "answer_match",
        "sentence_coverage",
        "sentences_covered",
    ]
    assert set(run.scores["status"]) == {"ok"}
    found = table(run)
    matches = {
        id: (row["fuzzy_match"], row["gpt_score"], row["answer_match"]) for id, row in found.items()
    }
    assert matches == {"fee": (1, 1, 1), "dogs": (0, 0, 0), "beds": (0, 1, 1)}
    assert [one.prompt for one in judge.requests] == ["criteria"] * 3
    (review,) = run.needs_review().iter_rows(named=True)
    assert (review["id"], review["metric"].split("(")[0]) == ("beds", "answer_match")


def test_answer_quality_runs_whole():
    run, _ = evaluated("answer-quality")
    names = [one.name for one in run.metrics]
    judged = ["faithfulness", "answer_relevancy", "context_precision", "context_recall"]
    assert names[6:10] == judged
    found = table(run)
    assert [row["faithfulness"] for row in found.values()] == [0.5, None, 0.0]
    assert [row["context_precision"] for row in found.values()] == [0.5, None, 1.0]
    assert [row["context_recall"] for row in found.values()] == [1.0, 0.0, 1.0]
    # All three questions call "I don't know." noncommittal, as RAGAS does.
    assert found["dogs"]["answer_relevancy"] == 0.0
    assert found["fee"]["answer_relevancy"] > 0
    undefined = run.scores.filter(run.scores["status"] == "undefined")["metric"].to_list()
    assert {"faithfulness", "context_precision"} <= {one.split("(")[0] for one in undefined}


def test_the_suites_share_what_they_ask():
    _, judge = evaluated(["graphrag", "factual-qa", "answer-quality"])
    alone = [one for suite in ("graphrag", "factual-qa") for one in evaluated(suite)[1].requests]
    assert len(judge.requests) == len(alone)


@pytest.mark.parametrize("said", [rg.JudgeError("401 Unauthorized"), "", '{"score": 1}'])
def test_where_every_call_fails_there_is_no_judged_number(said):
    run, _ = evaluated("graphrag", [ROWS[0]], lambda _: said)
    found = table(run)["fee"]
    judged = [*GRAPHRAG[:6], "correct_answers_count", "wrong_answers_count"]
    assert [found[name] for name in judged] == [None] * 8
    assert found["bert_score_f1"] > 0
    for metric, status in run.scores.select("metric", "status").rows():
        wanted = "undefined" if metric.startswith("ragas_score") else "failed"
        assert status == wanted or "judge=" not in metric


def test_when_the_judge_fails_the_match_decides_and_asks_for_review():
    run, _ = evaluated("factual-qa", script=lambda _: "1")
    found = table(run)
    assert [row["gpt_score"] for row in found.values()] == [None] * 3
    assert [row["answer_match"] for row in found.values()] == [1, 0, 0]
    assert len(run.needs_review()) == 3
