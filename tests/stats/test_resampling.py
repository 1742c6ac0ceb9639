import numpy as np
from pytest import approx

from ragauge.stats.agreement import auroc_of, spearman_of
from ragauge.stats.resampling import QuestionResamples, numbered


def mean_of(values):
    return lambda weights: weights @ values / weights.sum(axis=1)


def test_questions_are_numbered_by_name():
    assert numbered(["b", "a", "b"]).tolist() == [1, 0, 1]


def test_rows_of_one_question_are_drawn_together():
    # Four equal rows of each of two questions: a resample holds 0, 1 or 2 questions of ones, so its
    # mean is 0, 0.5 or 1, never something between.
    values = np.array([1.0] * 4 + [0.0] * 4)
    resamples = QuestionResamples(np.repeat([0, 1], 4))
    ((value, drawn),) = resamples.draws([mean_of(values)])
    assert value == 0.5
    assert set(drawn.tolist()) == {0.0, 0.5, 1.0}


def test_an_interval_is_the_same_in_any_piece_size(monkeypatch):
    values = np.random.default_rng(0).random(60)
    resamples = QuestionResamples(np.arange(60))
    whole = resamples.estimate(mean_of(values))
    monkeypatch.setattr("ragauge.stats.resampling.WEIGHTS_AT_ONCE", 60 * 7)
    assert resamples.estimate(mean_of(values)) == whole
    assert whole.low < whole.value < whole.high


def test_one_question_has_no_interval_and_a_statistic_without_a_value_no_estimate():
    resamples = QuestionResamples(np.zeros(3, dtype=np.int64))
    estimate = resamples.estimate(mean_of(np.array([1.0, 0, 1])))
    assert (estimate.value, estimate.low, estimate.high) == (approx(2 / 3), None, None)
    area = auroc_of(np.array([1.0, 2.0]), np.array([True, True]))
    assert QuestionResamples(np.arange(2)).estimate(area) is None


def test_a_correlation_that_is_one_in_all_resamples_has_an_interval():
    ranks = np.arange(10.0)
    found = QuestionResamples(np.arange(10)).estimate(spearman_of(ranks, ranks))
    # A share of 3.8415 / 13.8415 of other questions may be anywhere from -1 to 1.
    assert (found.value, found.low, found.high) == (1, approx(1 - 2 * 0.27753, abs=1e-4), 1)
