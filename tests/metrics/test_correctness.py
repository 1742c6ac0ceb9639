"""Whether an answer is right, by a scripted judge: criteria, accuracy with its grade, classes."""

import json
import re

from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

import ragauge as rg

SAMPLE = {"question": "What is the fee?", "answer": "It is $5.", "reference": "The fee is $5."}


def score(label, script, **fields):
    """The score, and the requests that were made for it."""
    judge = rg.ScriptedJudge(script)
    given = SAMPLE | fields
    if "references" in given:
        del given["reference"]
    found = rg.score(label, judge=judge, **given)
    return found, judge.requests


def told(request):
    return request.messages[1].content


def block(request, name):
    return re.search(rf"<{name} id=(\w+)>\n(.*?)</{name} id=\1>", told(request), re.S)[2]


def criteria(*verdicts):
    rows = enumerate(verdicts, 1)
    return {"criteria": [{"criterion": n, "reason": f"reason {n}", "verdict": v} for n, v in rows]}


MET, NOT, OFF = "met", "not met", "not applicable"


@cases(
    ((MET, MET, MET, MET, MET), 1.0),
    *(((MET, MET, MET, OFF, OFF), 1.0), ((OFF, OFF, MET, OFF, OFF), 1.0)),
    *(((MET, MET, NOT, MET, MET), 0.0), ((MET, MET, MET, MET, NOT), 0.0)),
    *(((OFF, OFF, OFF, OFF, NOT), 0.0), ((OFF, OFF, OFF, OFF, OFF), None)),
)
def test_all_criteria_that_apply_must_be_met(verdicts, value):
    found, requests = score("gpt_score", {"criteria": criteria(*verdicts)})
    assert (found.value, len(requests)) == (value, 1)
    assert found.status == ("undefined" if value is None else "ok")
    third = {"criterion": 3, "verdict": verdicts[2], "reason": "reason 3"}
    assert found.evidence["criteria"][2] == third
    json.dumps(found.evidence)


def test_each_reference_is_asked_alone_and_the_best_counts():
    def script(request):
        return criteria(*[MET if "$5" in block(request, "reference") else NOT] * 5)

    found, requests = score("gpt_score", script, references=["It is $6.", "It is $5."])
    assert (found.value, found.evidence["best_reference"]) == (1.0, 1)
    assert [block(one, "reference") for one in requests] == ["It is $6.\n", "It is $5.\n"]
    found, _ = score("gpt_score", script, references=["It is $6.", "It is $7."])
    assert found.value == 0.0


def test_a_match_by_words_and_one_by_the_judge_that_disagree_ask_for_review():
    judge = rg.ScriptedJudge({"criteria": criteria(MET, NOT, MET, MET, MET)})
    row = {"id": "1", **SAMPLE, "answer": "The fee is $5."}
    run = rg.evaluate([row], ["fuzzy_match", "gpt_score", "answer_match"], judge=judge)
    values = {name.split("(")[0]: value for name, value in run.scores["metric", "value"].rows()}
    assert values == {"fuzzy_match": 1.0, "gpt_score": 0.0, "answer_match": 1.0}
    (review,) = run.needs_review()["metric"]
    assert review.startswith("answer_match")


def accuracy(correctness, completeness, consistency, **others):
    points = {name: value for name, value in locals().items() if name != "others"}
    return {name: {"score": score, "reason": name} for name, score in points.items()} | others


@cases(
    ((100, 100, 100), 1.0, "A"),
    ((90, 80, 100), 0.89, "A"),  # 45 + 24 + 20
    *(((80, 80, 80), 0.80, "A"), ((79, 80, 80), 0.795, "B"), ((60, 60, 60), 0.60, "B")),
    *(((60, 60, 59), 0.598, "C"), ((40, 40, 40), 0.40, "C"), ((40, 39, 40), 0.397, "D")),
    *(((20, 20, 20), 0.20, "D"), ((19, 20, 20), 0.195, "E"), ((0, 0, 0), 0.0, "E")),
    *(((100, 0, 0), 0.5, "C"), ((0, 100, 0), 0.3, "D"), ((0, 0, 100), 0.2, "D")),
)
def test_half_correctness_three_tenths_completeness_a_fifth_consistency(points, value, grade):
    found, requests = score("factual_accuracy", {"accuracy": accuracy(*points)})
    assert found.value == approx(value, abs=1e-12)
    assert (found.evidence["grade"], len(requests)) == (grade, 1)
    assert found.evidence["completeness"] == {"score": points[1], "reason": "completeness"}
    json.dumps(found.evidence)


POINTS = st.integers(0, 1000).map(lambda tenths: tenths / 10)


@settings(max_examples=2 * settings.default.max_examples // 5)
@given(POINTS, POINTS, POINTS)
def test_the_grade_is_that_of_the_number(correctness, completeness, consistency):
    said = accuracy(correctness, completeness, consistency)
    found, _ = score("factual_accuracy", {"accuracy": said})
    tenths = [round(10 * one) for one in (correctness, completeness, consistency)]
    hundredths = 5 * tenths[0] + 3 * tenths[1] + 2 * tenths[2]  # of a point, in whole numbers
    assert found.value == approx(hundredths / 10_000)
    assert 0 <= found.value <= 1
    bounds = ((8000, "A"), (6000, "B"), (4000, "C"), (2000, "D"), (0, "E"))
    assert found.evidence["grade"] == next(grade for least, grade in bounds if hundredths >= least)


# The three classes.

CLASSES = ("correct", "wrong", "dont_know")


def classed(script, phrases="default", **fields):
    """Each class's value or status, and the requests."""
    found, requests = {}, []
    for one in CLASSES:
        label = f'answer_class(verdict="{one}",phrases="{phrases}")'
        result, requests = score(label, script, **fields)
        found[one] = result.value if result.value is not None else str(result.status)
    return found, requests


@cases(
    *((said, (1, 0, 0), 1) for said in ("CORRECT", {"reason": "r", "verdict": "correct"})),
    *((said, (0, 1, 0), 1) for said in ("WRONG", "wrong.", {"reason": "r", "verdict": "WRONG"})),
    # What is neither word is neither class.
    *((said, ("failed",) * 3, 2) for said in ("INCORRECT", "CORRECT or WRONG", "NOT WRONG", "")),
    ({"verdict": None, "reason": "CORRECT"}, ("failed",) * 3, 2),
)
def test_the_class_is_what_the_judge_says(said, values, n_calls):
    found, requests = classed({"verdict": said})
    assert found == dict(zip(CLASSES, values, strict=True))
    assert len(requests) == n_calls


def test_all_references_are_shown_in_one_call():
    references = ["Five dollars.", "$5", ""]
    found, (request,) = score("answer_class", {"verdict": "CORRECT"}, references=references)
    assert found.value == 1.0
    assert re.findall(r"(?m)^\[(\d) id=", block(request, "references")) == ["1", "2", "3"]
    assert "Five dollars." in told(request)


@cases(
    ("Well, I don't know.", "default", ["I don't know"]),
    ("", "default", ["empty answer"]),
    ("Not sure, no data.", "graphrag", ["no data", "not sure"]),
    ("The Unknown Soldier", "graphrag", ["unknown"]),  # the phrases of graphrag are substrings
)
def test_who_does_not_know_is_asked_no_judge(answer, phrases, words):
    found, requests = classed({}, phrases, answer=answer)
    assert found == {"correct": 0.0, "wrong": 0.0, "dont_know": 1.0}
    assert requests == []
    assert rg.score(f'dont_know(phrases="{phrases}")', answer=answer).value == 1.0
    evidence = score(f'answer_class(phrases="{phrases}")', {}, answer=answer)[0].evidence
    assert (evidence["class"], sorted(evidence["found"])) == ("dont_know", words)


def test_an_answer_is_compared_with_references_or_not_at_all():
    assert classed({}, references=[])[0] == dict.fromkeys(CLASSES, "undefined")
    assert classed({}, references=None)[0] == dict.fromkeys(CLASSES, "missing")
    assert classed({}, answer=None)[0] == dict.fromkeys(CLASSES, "missing")


def test_what_only_sounds_like_not_knowing_is_an_answer_to_the_better_detector():
    sounding = ("The Unknown Soldier", "It is not sure.")
    for answer in (*sounding, "The report does not give the fee, but it was $5."):
        found, requests = classed({"verdict": "CORRECT"}, answer=answer)
        assert (found["correct"], len(requests)) == (1.0, 1)


def test_the_classes_of_one_run_share_the_call_and_part_what_is_scored():
    said = {"a": "CORRECT", "b": "WRONG", "c": "INCORRECT"}

    def script(request):
        return said[block(request, "answer").strip()]

    answers = ["a", "b", "c", "I don't know.", "a"]
    rows = [
        {"id": str(place), "question": "Q?", "answer": answer, "reference": "r"}
        for place, answer in enumerate(answers)
    ]
    judge = rg.ScriptedJudge(script)
    run = rg.evaluate(rows, [f'answer_class(verdict="{one}")' for one in CLASSES], judge=judge)
    by_metric = run.scores.partition_by("metric", maintain_order=True)
    by_row = list(zip(*(scores["value"].to_list() for scores in by_metric), strict=True))
    assert by_row == [(1, 0, 0), (0, 1, 0), (None,) * 3, (0, 0, 1), (1, 0, 0)]
    # a and b once, c twice
    assert len(judge.requests) == 4


@cases(
    ("gpt_score", criteria(*[MET] * 5)),
    ("factual_accuracy", accuracy(100, 100, 100)),
    ("answer_class", "CORRECT"),
)
def test_a_sample_without_a_question_is_judged_without_one(label, reply):
    found, (request,) = score(label, lambda _: reply, question=None)
    assert found.value == 1.0
    assert "<question" not in told(request)
