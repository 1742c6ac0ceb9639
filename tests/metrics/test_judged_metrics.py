"""What holds of every metric that asks a judge: replies of no use, repairs, no reply, fields that are not there."""

import json
from typing import NamedTuple

import pytest

import ragauge as rg


def listed(name, **entry):
    """A reply that is a list of one entry, which is numbered."""
    return {name: [{"sentence": 1, "claim": 1, "context": 1, "reason": "r", **entry}]}


class Case(NamedTuple):
    """A metric's label, the fields that it needs, and a good reply to each prompt."""

    label: str
    needs: tuple[str, ...]
    replies: dict[str, object]


CLAIMS = listed("sentences", claims=["The fee is $5"], claim_free=False)
SUPPORTED = listed("verdicts", supported=True, context=0, quote="")
QUESTIONS = {"questions": [{"question": "What is the fee?", "noncommittal": False}] * 3}
CRITERIA = [{"criterion": n, "reason": "r", "verdict": "met"} for n in range(1, 6)]
POINTS = {
    name: {"score": 80, "reason": "r"} for name in ("correctness", "completeness", "consistency")
}
CASES = [
    Case("faithfulness", ("answer", "contexts"), {"claims": CLAIMS, "support": SUPPORTED}),
    Case("context_recall", ("references", "contexts"), {"claims": CLAIMS, "support": SUPPORTED}),
    Case("factual_correctness", ("answer", "references"), {"claims": CLAIMS, "support": SUPPORTED}),
    Case("context_precision", ("question", "contexts"), {"relevance": listed("verdicts", relevant=True)}),
    Case("answer_relevance", ("question", "answer"), {"questions": QUESTIONS}),
    Case("answer_relevance", ("question", "answer"), {"questions": {"questions": []}, "rubric": {"reason": "r", "score": 1}}),
    Case("gpt_score", ("answer", "references"), {"criteria": {"criteria": CRITERIA}}),
    Case("factual_accuracy", ("answer", "references"), {"accuracy": POINTS}),
    Case("answer_class", ("answer", "references"), {"verdict": "CORRECT"}),
    Case(
        'g_eval(criteria="Is it polite?")', ("question", "answer"),
        {"g_eval_steps": {"steps": ["Read."]}, "g_eval": {"reason": "kind", "score": 4}},
    ),
]  # fmt: skip
STAGES = [
    pytest.param(case, stage, id=f"{case.label}-{stage}")
    for case in CASES
    for stage in case.replies
]
FIELDS = {
    "question": "What is the fee?",
    "answer": "The fee is $5.",
    "references": ["It costs $5."],
    "contexts": ["A fee of $5."],
}


def score(label, replies, **fields):
    """The score, and the prompts that it took."""
    judge = rg.ScriptedJudge(replies)
    found = rg.score(label, judge=judge, **(FIELDS | fields))
    return found, [request.prompt for request in judge.requests]


@pytest.mark.parametrize(("case", "stage"), STAGES)
def test_a_reply_that_is_of_no_use_twice_is_a_failure_that_keeps_it(case, stage):
    _, clean = score(case.label, case.replies)
    for rubbish in ("", "I would say 1.", "{}", '{"verdicts": "yes"}'):
        found, asked = score(case.label, case.replies | {stage: rubbish})
        assert (found.value, found.status) == (None, "failed")
        assert stage in found.reason
        assert rubbish in [call["reply"] for call in found.evidence["calls"]]
        assert asked.count(stage) == 2 * clean.count(stage)


@pytest.mark.parametrize(("case", "stage"), STAGES)
def test_a_repaired_reply_counts(case, stage):
    clean, asked = score(case.label, case.replies)
    assert clean.status == "ok"
    repaired = ["I would say 1.", *[case.replies[stage]] * 3]
    found, more = score(case.label, case.replies | {stage: repaired})
    assert (found.value, len(more)) == (clean.value, len(asked) + 1)
    assert "I would say 1." in json.dumps(found.evidence)


@pytest.mark.parametrize(("case", "stage"), STAGES)
def test_a_judge_that_gives_no_reply_is_a_failure_with_its_words(case, stage):
    found, _ = score(case.label, case.replies | {stage: rg.JudgeError("timed out after 60 s")})
    assert (found.value, found.status, found.reason) == (None, "failed", "timed out after 60 s")


@pytest.mark.parametrize(
    ("case", "field"),
    [
        pytest.param(case, field, id=f"{case.label}-{field}")
        for case in CASES
        for field in case.needs
    ],
)
def test_a_field_that_is_not_there_is_missing_whatever_is_set(case, field):
    settings = {
        "faithfulness": "on_no_claims=1",
        "context_precision": "on_no_contexts=0",
        "context_recall": "on_no_statements=1",
    }
    for label in {case.label, f"{case.label}({settings.get(case.label, '')})".replace(")()", ")")}:
        found, asked = score(label, case.replies, **{field: None})
        assert (found.value, found.status) == (None, "missing")
        assert found.reason == f"the sample has no {field}"
        assert set(asked) <= {"claims"}
