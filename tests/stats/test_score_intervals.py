from statistics import NormalDist

import numpy as np
import pytest
from pytest import approx
from scipy import stats as scipy_stats

from ragauge.stats.agreement import (
    area_estimate,
    area_interval,
    share_estimate,
    share_interval,
)
from ragauge.stats.intervals import NORMAL_QUANTILE, REACH
from ragauge.stats.resampling import QuestionResamples, mean_of
from ragauge.stats.thresholds import verdict_estimates


def test_wilsons_interval_is_that_of_its_formula():
    # 8 of 10: centre (0.8 + z²/20) / (1 + z²/10), z = 1.959964.
    z2 = 1.959964**2
    centre = (0.8 + z2 / 20) / (1 + z2 / 10)
    half = (z2 * (0.8 * 0.2 / 10 + z2 / 400)) ** 0.5 / (1 + z2 / 10)
    assert share_interval(0.8, 10) == approx((centre - half, centre + half), abs=1e-6)
    assert NormalDist().inv_cdf(REACH) == NORMAL_QUANTILE
    for k, n in ((0, 5), (3, 7), (40, 40), (99, 100)):
        theirs = scipy_stats.binomtest(k, n).proportion_ci(method="wilson")
        assert share_interval(k / n, n) == approx((theirs.low, theirs.high), abs=1e-9)


def test_perfect_agreement_still_leaves_doubt():
    # (1 - t)² = z² t (1 - t) (1 + 9 ((1 - t) / (2 - t) + t / (1 + t))) / 100 holds close to t = 0.8.
    assert area_interval(1.0, 10, 10) == approx((0.8, 1.0), abs=0.001)
    low, high = area_interval(0.0, 10, 10)
    assert (low, high) == approx((0.0, 0.2), abs=0.001)


def test_a_design_effect_widens_the_interval():
    plain, wide = area_interval(0.8, 40, 40), area_interval(0.8, 40, 40, design_effect=2)
    assert wide[0] < plain[0] < 0.8 < plain[1] < wide[1]


def test_four_systems_that_always_agree_count_as_one_answer_each():
    values = np.tile(np.array([0.9, 0.8, 0.4, 0.6, 0.3, 0.1, 0.2, 0.7] * 3), 4)
    is_yes = np.tile(np.array([True, True, True, False, False, False, False, True] * 3), 4)
    questions = np.tile(np.arange(24), 4)
    dependent = area_estimate(values, is_yes, QuestionResamples(questions))
    alone = area_estimate(values[:24], is_yes[:24], QuestionResamples(questions[:24]))
    assert dependent.value == alone.value
    assert dependent.low == approx(alone.low, abs=0.03)


@pytest.mark.slow
def test_the_interval_of_a_share_of_few_clusters_covers_at_its_level():
    """Eight questions of ten rows: 0.92 with the quantile of the normal distribution."""
    random, questions = np.random.default_rng(6), np.repeat(np.arange(8), 10)
    covered = 0
    for _ in range(1_000):
        is_yes = random.random(80) < random.beta(1.5, 1, 8)[questions]
        resamples = QuestionResamples(questions, n_resamples=200)
        found = share_estimate(mean_of(is_yes.astype(float)), 80, resamples)
        covered += found.low <= 0.6 <= found.high
    assert 0.94 <= covered / 1_000 <= 0.98


def test_perfect_verdicts_have_kappa_one_and_a_lower_bound():
    verdicts = np.array([True, False] * 10)
    _, estimate, _ = verdict_estimates(verdicts, verdicts, QuestionResamples(np.arange(20)))
    # Wilson's bound of 20 of 20 is 0.839; kappa = (0.839 - 0.5) / 0.5.
    assert estimate.value == 1.0
    assert (estimate.low, estimate.high) == approx((0.678, 1.0), abs=0.001)


def test_a_share_of_one_question_has_no_interval():
    one = QuestionResamples(np.zeros(4, dtype=np.int64))
    estimate = share_estimate(lambda weights: weights[:, 0] * 0 + 0.5, 4, one)
    assert (estimate.value, estimate.low) == (0.5, None)


@pytest.mark.slow
def test_the_interval_of_an_area_covers_close_to_one():
    """1,000 draws of 40 labels, binormal scores with an area of 0.95: a percentile bootstrap has 0.85."""
    random = np.random.default_rng(0)
    covered = 0
    for _ in range(1_000):
        is_yes = np.arange(40) < 24
        values = random.normal(size=40) + 2.326174 * is_yes  # sqrt(2) · 1.644854
        estimate = area_estimate(values, is_yes, QuestionResamples(np.arange(40), n_resamples=200))
        covered += estimate.low <= 0.95 <= estimate.high
    assert 0.93 <= covered / 1_000 <= 0.985
