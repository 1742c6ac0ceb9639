import math

import numpy as np
import pytest
from cases import cases
from pytest import approx

from ragauge.errors import PlanError
from ragauge.stats.corrected_rates import correlation_of, labels_needed, prediction_powered


def test_labels_needed_by_sampling_and_with_a_metric():
    # 1.96² · 0.25 / 0.05² = 384.1; 1.96² · 0.8 · 0.2 / 0.03² = 682.9.
    assert labels_needed(0.05).by_sampling == 385
    assert labels_needed(0.03, rate=0.8).by_sampling == 683
    need = labels_needed(0.05, correlation=0.0, n_rows=10_000)
    assert need.with_metric == need.by_sampling == 385
    # More rows than there are cannot be labelled. Half of the variance is explained, but 300 rows
    # give ± 0.057 even when all are labelled.
    assert labels_needed(0.05, n_rows=300).by_sampling is None
    assert labels_needed(0.05, correlation=0.7, n_rows=300).with_metric is None


def test_the_correlation_of_verdicts_worked_out_by_hand():
    # rate 1/2, sensitivity 1, specificity 1/2: share of yes 3/4; covariance 1/4 · 1/2 = 1/8;
    # correlation = 1/8 / sqrt(1/4 · 3/16).
    assert correlation_of(0.5, 1.0, 0.5) == approx((1 / 8) / (1 / 4 * 3 / 16) ** 0.5)
    assert correlation_of(0.5, 1.0, 0.0) == 0.0
    assert correlation_of(1.0, 1.0, 1.0) == 0.0


def test_the_planned_number_gives_the_planned_width():
    """A judge with known errors: the mean half-width of the interval is the margin that was planned."""
    need = labels_needed(0.05, rate=0.6, correlation=correlation_of(0.6, 0.9, 0.8), n_rows=1_000)
    random = np.random.default_rng(0)
    halves = []
    for _ in range(50):
        is_yes = random.random(1_000) < 0.6
        says = np.where(is_yes, random.random(1_000) < 0.9, random.random(1_000) > 0.8).astype(
            float
        )
        labels = np.where(np.arange(1_000) < need.with_metric, is_yes, np.nan)
        found = prediction_powered(says, labels)
        halves.append((found.high - found.low) / 2)
    assert np.mean(halves) == approx(0.05, abs=0.003)
    assert need.with_metric < 0.75 * need.by_sampling


def test_a_rate_near_one_needs_as_many_labels_as_show_that_nothing_else_is_there():
    # 3.8415 · .99 · .01 / .05² = 15.2 labels would do; but n of n right have Wilson's half-width 3.8415 / 2 / (n + 3.8415).
    found = labels_needed(0.05, rate=0.99, n_rows=30)
    assert labels_needed(0.05, rate=0.99).by_sampling == 35  # 3.8415 · 9 = 34.57
    assert labels_needed(0.05, rate=0.99, correlation=0.9).with_metric == 35
    assert found.by_sampling is None and found.least_margin == approx(1.92073 / 33.8415)
    random, halves = np.random.default_rng(0), list[float]()
    for _ in range(100):
        labels = np.where(np.arange(100) < 35, random.random(100) < 0.99, np.nan)
        rate = prediction_powered(random.random(100), labels, tuning=0.0)
        halves.append((rate.high - rate.low) / 2)
    assert np.mean(halves) == approx(0.05, abs=0.004)


@cases(
    {"margin": math.nan},
    {"margin": 1e-320},
    {"margin": math.inf},
    {"margin": 0.05, "rate": math.nan},
    {"margin": 0.05, "correlation": math.nan},
    {"margin": 0.05, "correlation": 1.5},
    {"margin": 0.05, "n_rows": 0},
    {"margin": 0.05, "confidence": 1.0},
)
def test_a_number_outside_its_range_is_refused_by_name(arguments):
    with pytest.raises(PlanError, match=f"^{list(arguments)[-1]} is .*; give a number"):
        labels_needed(**arguments)


def test_every_rate_outside_its_range_is_named():
    with pytest.raises(PlanError) as error:
        correlation_of(math.nan, 0.5, 2.0)
    assert [text.split()[0] for text in error.value.problems] == ["rate", "specificity"]
