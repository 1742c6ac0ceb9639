import pytest
from cases import cases
from pytest import approx

import ragauge as rg
from ragauge.metrics.composite import answer_match, ragas_score
from ragauge.score import NOT_ASKED, Score, Status

PARTS = ("faithfulness", "context_precision", "context_recall", "answer_relevance")


def test_the_weights_are_shared_out_over_the_parts_with_a_value():
    score = ragas_score(Score(1.0), Score.failed("timeout"), Score(0.0), Score.missing("no x"))
    # .3 · 1 / (.3 + .2)
    assert score.value == approx(0.6)
    assert score.evidence["weights"] == approx({"faithfulness": 0.6, "context_recall": 0.4})
    left_out = {"context_precision": "timeout", "answer_relevance": "no x"}
    assert score.evidence["left_out"] == left_out


NOT_ASKED_FOR = Score.skipped(f"{NOT_ASKED}the budget of 2 calls is used up")


def test_a_part_whose_judge_was_not_asked_leaves_no_mean_of_the_rest():
    parts = (Score(1.0), NOT_ASKED_FOR, Score(0.0), Score(1.0))
    score = ragas_score(*parts)
    assert (score.status, score.reason) == (Status.SKIPPED, NOT_ASKED_FOR.reason)
    assert score.is_lost, "the run is not finished"
    # (.3 · 1 + .3 · 1) / (.3 + .2 + .3)
    asked = ragas_score(*parts, partial=True)
    assert asked.value == approx(0.75)
    assert asked.evidence["lost"] == ["context_precision"]


def test_a_part_that_weighs_nothing_or_lacks_a_judge_leaves_the_mean_of_the_rest():
    weights = {"faithfulness": 1.0}
    assert ragas_score(Score(0.5), *[NOT_ASKED_FOR] * 3, weights=weights).value == 0.5
    no_judge = Score.skipped("needs a judge; give one with --judge")
    assert ragas_score(Score(0.5), no_judge, no_judge, no_judge).value == 0.5


def test_without_any_part_that_weighs_there_is_no_value():
    score = ragas_score(*[Score.missing("no judge")] * 4)
    assert score.status is Status.UNDEFINED
    assert rg.score("ragas_score").status is Status.UNDEFINED
    only = 'ragas_score(weights={"faithfulness":1})'
    assert rg.score(only, context_recall=0.7).status is Status.UNDEFINED
    # Weights can be chosen, and a part left out weighs nothing.
    label = 'ragas_score(weights={"faithfulness":1,"answer_relevance":3})'
    score = rg.score(label, faithfulness=1.0, answer_relevance=0.0, context_recall=0.7)
    assert score.value == approx(1 / 4)


@cases('{"faithfulnes":1}', '{"faithfulness":-1}', '{"faithfulness":"x"}', "[1]", "1")
def test_weights_that_are_none_are_refused(weights):
    with pytest.raises(rg.PlanError, match="weights must be a table of weights of at least 0"):
        rg.score(f"ragas_score(weights={weights})", faithfulness=1.0)


NONE = Score.failed("timeout")


@cases(
    *((Score(1.0), Score(1.0), 1.0, False), (Score(0.0), Score(0.0), 0.0, False)),
    *((Score(1.0), Score(0.0), 1.0, True), (Score(0.0), Score(1.0), 1.0, True)),
    *((Score(0.0), NONE, 0.0, True), (NONE, Score(1.0), 1.0, True)),
)
def test_an_answer_matches_by_either_and_a_disagreement_is_for_review(
    fuzzy, gpt, value, needs_review
):
    score = answer_match(fuzzy, gpt)
    assert score.value == value
    assert score.evidence["needs_review"] is needs_review


def test_when_neither_has_a_value_nothing_is_matched():
    score = answer_match(NONE, Score.undefined("no reference"))
    assert score.status is Status.UNDEFINED
    assert "timeout" in score.reason and "no reference" in score.reason


@cases(
    ((1.0, None, 1.0, 0.8327), 93.73),  # (.3 · 100 + .2 · 100 + .3 · 83.27) / .8
    ((0.0, 0.0, 0.0, 0.8327), 24.98),  # .3 · 83.27
    ((None, None, None, 0.8229), 82.29),  # .3 · 82.29 / .3
)
def test_three_published_rows(parts, shown):
    given = {name: value for name, value in zip(PARTS, parts, strict=True) if value is not None}
    assert round(rg.score("ragas_score", **given).value * 100, 2) == shown
