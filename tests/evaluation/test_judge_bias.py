"""Judges with a planted bias, and judges without one."""

import json
import re
from dataclasses import asdict

import pytest
from pytest import approx

import ragauge as rg
from ragauge.errors import PlanError
from ragauge.evaluation.judge_bias import judge_bias, judge_bias_cost
from ragauge.people.judge_effects import ContextOrder, JudgeBias, context_order, judge_bias_report
from ragauge.report.writing import as_json, to_markdown
from ragauge.stats.intervals import Estimate

N = 18
LONG = "It costs 5 pounds, as the handbook says on its second page in so many words"
SHORT = "5 pounds"


def rows():
    """Two systems whose answers are all right; `long` uses more words in even questions, `brief` in odd ones."""
    return [
        {
            "id": f"q{n:02}",
            "system": system,
            "question": f"What does item {n} cost?",
            "answer": f"{LONG if (n % 2 == 0) == (system == 'long') else SHORT} ({n}).",
            "reference": f"It costs 5 pounds. ({n})",
            "contexts": [f"The fee of item {n} is 5 pounds.", "It rains."],
        }
        for n in range(N)
        for system in ("brief", "long")
    ]


def labels():
    return [
        {"id": row["id"], "system": row["system"], "label": int(row["id"][1:]) % 3 > 0}
        for row in rows()
    ]


def verdict(is_right):
    return {"reason": "words", "verdict": "CORRECT" if is_right else "WRONG"}


def better(word):
    return {"reason": "words", "better": word}


def text(request):
    return request.messages[1].content


def fair(request):
    """Says CORRECT of two thirds of the questions and sees no difference between two answers."""
    if request.prompt == "preference":
        return better("TIE")
    number = int(re.search(r"item (\d+)", text(request))[1])
    return verdict(number % 3 > 0)


def wants_length(request):
    """Prefers answers of many words."""
    if request.prompt == "preference":
        return better("TIE")
    return verdict(LONG in text(request))


def wants_the_first(request):
    return better("FIRST") if request.prompt == "preference" else verdict(True)


def wavers(request):
    """Changes its mind on every third question, at the third call."""
    if request.prompt == "preference":
        return better("TIE")
    number = int(re.search(r"item (\d+)", text(request))[1])
    return verdict(not (number % 3 == 0 and request.sample == 2))


def reads_the_first_context(request):
    """Supports a claim only if the first context speaks of a fee."""
    if request.prompt == "preference":
        return better("TIE")
    body = text(request)
    if request.prompt == "claims":
        claims = {"sentence": 1, "claims": ["The fee is 5 pounds."], "claim_free": False}
        return {"sentences": [claims]}
    is_first = body.index("The fee of item") < body.index("It rains.")
    verdicts = {"claim": 1, "reason": "words", "supported": is_first, "context": 1, "quote": ""}
    return {"verdicts": [verdicts]}


def measured(script, metrics="answer_class", **options):
    return judge_bias(rows(), metrics, judge=rg.ScriptedJudge(script), **options)


def test_a_fair_judge_shows_no_bias():
    found = measured(fair, labels=labels(), repeat=2)
    (steady,), (length,), (order,) = found.consistency, found.lengths, found.answers
    assert steady.flips.value == 0.0 and steady.flips.high > 0.0 and steady.spread == 0.0
    assert length.correlation is None and "do not vary" in length.why_not
    assert (order.n, order.first.value, order.changed.value) == (N, 0.5, 0.0)
    assert judge_bias_report(found).headline == (
        "No bias beyond chance was found on these answers. Not measured: order of contexts, "
        "answer length."
    )
    assert judge_bias_report(found).items == ()


def test_a_judge_that_wavers_is_told_from_a_steady_one():
    (steady,) = measured(wavers, repeat=3).consistency
    # One of three calls differs on 12 of 36 answers: two of three pairs of calls differ, on a third.
    assert steady.flips.value == approx(2 / 9)
    assert steady.flips.low < 2 / 9 < steady.flips.high
    assert (steady.n, steady.repeats) == (2 * N, 3)
    assert steady.spread == approx((2 / 9) ** 0.5 / 3)


def test_a_judge_that_wants_length_is_found_with_and_without_labels():
    for options, held in (({"labels": labels()}, "label"), ({}, "correct")):
        found = measured(wants_length, repeat=1, **options)
        (length,) = found.lengths
        assert length.held == held and length.n == 2 * N
        assert length.correlation.low > 0.5
        assert "answer length" in judge_bias_report(found).headline


def test_a_judge_that_wants_the_first_answer_is_found():
    found = measured(wants_the_first, repeat=1)
    (order,) = found.answers
    assert (order.first.value, order.changed.value) == (1.0, 1.0)
    assert order.first.low > 0.8
    assert "compare each pair in both orders" in judge_bias_report(found).items[0].lines[-1][0]


def test_a_judge_that_reads_the_first_context_only_is_found():
    found = measured(reads_the_first_context, "faithfulness", repeat=2)
    (order,) = found.contexts
    assert order.n == 2 * N and order.difference.value == -1.0
    assert order.excess.value == 1.0
    assert "order of contexts" in judge_bias_report(found).headline


def test_a_few_scores_that_move_with_the_order_are_no_effect():
    """Four of 20 answers score less, by 1/2, 1/2, 1 and 1: p is 1/8, but a percentile bootstrap ends below 0."""
    given, turned = (
        rg.evaluate(
            [
                {"id": f"q{at}", "answer": answers.get(at, "Rome"), "reference": "Rome"}
                for at in range(20)
            ],
            "token_f1",
        )
        for answers in ({}, {0: "Rome it is", 1: "Rome it is", 2: "Oslo", 3: "Oslo"})
    )
    difference = context_order(given, turned, given.metric("token_f1")).difference
    assert difference.value == approx(-0.15)
    assert difference.low < -0.4 and difference.high > 0


def test_of_many_effects_one_that_chance_explains_is_none():
    """The interval of .1 is .01 to .19, and 2.638 / 1.96 times as wide for six effects: -.021 to .221."""
    order = ContextOrder("faithfulness", 50, Estimate(0.1, 0.01, 0.19), None)
    for n, headline in ((1, "The judge is not neutral"), (6, "No bias beyond chance")):
        report = judge_bias_report(JudgeBias(50, 50, (), (order,) * n, (), ()))
        assert report.headline.startswith(headline)
    assert "findings are corrected for 6 effects looked for, intervals are not" in report.notes


def test_a_sample_of_questions_keeps_all_their_answers():
    found = measured(fair, repeat=1, n_questions=10)
    assert (found.n_questions, found.n_answers) == (10, 20)
    again = measured(fair, repeat=1, n_questions=10)
    assert asdict(again) == asdict(found)


def test_the_calls_are_counted_beforehand_and_nothing_is_asked_twice():
    judge = rg.ScriptedJudge(fair)
    cost = judge_bias_cost(rows(), "answer_class", judge=judge, repeat=2)["scripted"]
    assert judge.requests == []
    judge_bias(rows(), "answer_class", judge=judge, repeat=2)
    # answer_class reads no contexts: no second round.
    assert cost.calls == len(judge.requests) == 2 * 2 * N + 2 * N


def test_what_cannot_be_measured_is_said():
    one = [{**row, "contexts": row["contexts"][:1]} for row in rows() if row["system"] == "long"]
    merged = [{**row, "contexts": ["The fee of item 1. It rains."]} for row in one]
    for data, metric, script, said in (
        (
            one,
            "answer_class",
            fair,
            {
                "self-consistency needs two calls or more for each question (--repeat 3)",
                "order of contexts: no judged metric reads contexts",
                "order of answers: needs the answers of two systems",
            },
        ),
        (
            merged,
            "faithfulness",
            reads_the_first_context,
            {"order of contexts: no answer has two contexts"},
        ),
    ):
        notes = judge_bias(data, metric, judge=rg.ScriptedJudge(script), repeat=1).notes
        assert said <= {*notes}


def test_without_a_judged_metric_there_is_nothing_to_measure():
    with pytest.raises(PlanError, match="no metric asks the judge"):
        measured(fair, "exact_match")


def test_a_judge_without_usable_replies_is_no_crash():
    found = measured(lambda _: "no idea", repeat=2, n_questions=5)
    assert found.consistency[0].flips is None and found.answers[0].n == 0
    assert "scripted: 5 of 5 pairs could not be compared" in found.notes
    assert judge_bias_report(found).headline == "Nothing could be measured."


def test_comparisons_that_failed_are_named_in_the_headline():
    def script(request):
        return "no idea" if request.prompt == "preference" else fair(request)

    found = measured(script, labels=labels(), repeat=2)
    said = "Not measured: order of contexts, answer length, order of answers."
    assert judge_bias_report(found).headline.endswith(said)


def test_the_figures_are_written_as_json_and_markdown():
    report = judge_bias_report(measured(wants_the_first, repeat=2))
    data = json.loads(as_json(report), parse_constant=pytest.fail)
    assert data["answers"][0]["first"]["value"] == 1.0
    assert "| order of answers | scripted | 1.00 " in to_markdown(report)
