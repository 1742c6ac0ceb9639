"""Questions that have no answer: `correct`, `abstention_recall`, `overrefusal`, and the suite's findings."""

import json
from pathlib import Path

import pytest
from cases import cases

import ragauge as rg
from ragauge.features.texts import is_answerable
from ragauge.runs.findings import find
from ragauge.views.first_screen import FirstScreen

ROWS = [
    json.loads(line)
    for line in Path(__file__).with_name("unanswerable.jsonl").read_text("utf-8").splitlines()
]
REFUSAL, ANSWER = "The context does not mention the price.", "The pass costs 48 euros."
Q = "What does the pass cost?"


@cases(
    (None, ["The documents do not say."], False),
    (None, ["Not mentioned.", "I don't know."], False),
    (None, ["Not mentioned.", "48 euros"], True),  # not all refuse
    (None, ["The Unknown Soldier"], True),
    (None, ["", "Not mentioned."], False),  # a blank reference does not count
    *((None, references, None) for references in ([""], ["–"], [], None)),
    (True, ["Not mentioned."], True),  # the field wins
    (False, ["48 euros"], False),
    (False, None, False),
)
def test_a_question_has_an_answer_by_the_field_or_else_by_its_references(
    answerable, references, expected
):
    assert is_answerable(answerable, references) is expected


@pytest.mark.parametrize(
    ("answer", "value", "why"),
    [
        (REFUSAL, 1, "refuses ('context does not mention'), and the question has no answer: right"),
        (ANSWER, 0, "answers, and the question has no answer: wrong"),
        (" ", 1, "is blank, and the question has no answer: right"),
        ("The text does not say, but it is usually 48 euros.", 0, None),
    ],
)
@pytest.mark.parametrize(
    "expected",
    [
        {"answerable": False},
        {"answerable": "no", "references": []},
        {"answerable": False, "references": ["48 euros"]},
        {"references": ["The documents do not say.", "Not stated."]},
    ],
)
def test_for_an_unanswerable_question_a_refusal_is_correct_and_an_answer_wrong(
    answer, value, why, expected
):
    found = rg.score("correct", question=Q, answer=answer, **expected)
    assert found.value == value
    assert found.evidence["answerable"] is False
    assert why is None or found.evidence["why"] == why


def test_a_question_that_is_said_to_have_an_answer_is_compared_with_its_references():
    refusing = {"question": Q, "reference": "The documents do not say.", "answerable": True}
    assert "features" in rg.score("correct", answer=REFUSAL, **refusing).evidence
    unknown = rg.score("correct", question=Q, answer=REFUSAL)
    assert (unknown.status, unknown.reason) == ("missing", "the sample has no references")
    empty = rg.score("correct", question=Q, answer=REFUSAL, references=[])
    assert (empty.status, empty.reason) == ("undefined", "the sample's list of references is empty")


@cases(
    ({"answerable": False}, 1, None),
    ({"reference": "Not stated."}, 1, None),
    ({"answerable": True}, None, 1),
    ({"reference": "48 euros"}, None, 1),
    ({"references": []}, None, None),
    ({}, None, None),
)
def test_refusals_count_for_one_metric_or_the_other(given, abstention, over):
    for name, refused in (("abstention_recall", abstention), ("overrefusal", over)):
        for answer, value in ((REFUSAL, refused), (ANSWER, None if refused is None else 0)):
            found = rg.score(name, question=Q, answer=answer, **given)
            assert found.value == value
            assert found.status == ("undefined" if value is None else "ok")


MIXED = [
    {"id": "q1", "question": Q, "answer": ANSWER, "reference": "Not stated."},
    {"id": "q2", "question": Q, "answer": REFUSAL, "reference": "Not stated."},
    {"id": "q3", "question": Q, "answer": REFUSAL, "reference": "48 euros"},
    {"id": "q4", "question": Q, "answer": ANSWER, "reference": "48 euros"},
]
for row in MIXED:
    row |= {"context_ids": ["d1"], "relevant": ["d1"] if row["id"] > "q2" else ["d9"]}


def test_the_default_suite_has_both_only_where_such_questions_exist():
    both = {"abstention_recall", "overrefusal"}
    run = rg.evaluate(MIXED)
    assert both < {metric.name for metric in run.metrics}
    assert both < {metric.name for metric in FirstScreen(run).metrics}
    without = rg.evaluate(MIXED[2:])
    assert not both & {metric.name for metric in without.metrics}
    assert "refusal" not in "\n".join(FirstScreen(without).notes)
    assert {match.says for match in find(without)} >= {"refused, though the question has an answer"}


def test_findings_name_inventions_and_refusals_beside_the_relevant_passages():
    found = {match.says: match.ids for match in find(rg.evaluate(MIXED))}
    assert found["invents an answer where there is none"] == ("q1",)
    assert found["refuses although the passages hold the answer"] == ("q3",)
    assert found["refused, though the question has an answer"] == ("q3",)


def test_right_refusals_are_accepted_and_inventions_refused():
    """The rules were written without the first hundred rows, which are held out, and with the others."""
    fields = ("id", "question", "references", "answerable", "answer")
    given = [{name: row[name] for name in fields if name in row} for row in ROWS]
    scores = rg.evaluate(given, "correct").scores
    values = dict(zip(scores["id"], scores["value"], strict=True))
    for rows in (ROWS, [row for row in ROWS if row["is_held_out"]]):
        for is_right in (True, False):
            of_kind = [row for row in rows if row["is_right"] is is_right]
            agreed = [row for row in of_kind if (values[row["id"]] >= 0.5) is is_right]
            assert len(of_kind) >= 50
            assert len(agreed) >= 0.95 * len(of_kind)


def test_the_mean_of_a_run_is_the_share_that_was_refused():
    given = [(REFUSAL, False), (REFUSAL, False), (ANSWER, False), (REFUSAL, True), (ANSWER, True)]
    rows = [
        {"id": str(at), "question": Q, "answer": answer, "answerable": answerable}
        for at, (answer, answerable) in enumerate(given)
    ]
    summary = rg.evaluate(rows, ["abstention_recall", "overrefusal"]).summary()
    means = dict(zip(summary["metric"], summary["mean"], strict=True))
    assert means == {"abstention_recall": pytest.approx(2 / 3), "overrefusal": 1 / 2}
