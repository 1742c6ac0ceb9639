import numpy as np
import pytest
from pytest import approx

from ragauge.stats.aggregates import AGGREGATES, parts_of
from ragauge.stats.intervals import bootstrap
from ragauge.stats.normal_intervals import QuestionSums, normal_estimate


def sums_of(parts: np.ndarray) -> QuestionSums:
    found = QuestionSums(parts.shape[1])
    for start in range(0, len(parts), 700):
        found.add(parts[start : start + 700])
    return found


def test_the_interval_of_a_share_is_that_of_the_textbook():
    # 40 of 100 are right: 0.4 ± 1.96 √(0.4 · 0.6 / 100) = 0.4 ± 1.96 · 0.04899 = 0.4 ± 0.0960.
    parts = parts_of(np.array([1.0] * 40 + [0.0] * 60), "mean")
    found = normal_estimate(sums_of(parts), 100, AGGREGATES["mean"])
    assert found is not None
    assert found.value == 0.4
    assert found.low == approx(0.4 - 1.959964 * 0.0489898, abs=1e-6)
    assert found.high == approx(0.4 + 1.959964 * 0.0489898, abs=1e-6)


@pytest.mark.parametrize("kind", ["mean", "sum", "geometric_mean"])
@pytest.mark.parametrize("share_scored", [pytest.param(1.0, marks=pytest.mark.slow), 0.6])
def test_it_agrees_with_the_bootstrap(kind, share_scored):
    random = np.random.default_rng(3)
    n = 20_000
    values = np.clip(random.beta(2, 1, n), 0.01, 1)
    scored = random.random(n) < share_scored
    parts = parts_of(values, kind) * scored[:, None]
    (expected,) = bootstrap([parts], [AGGREGATES[kind]], n_resamples=4_000)
    found = normal_estimate(sums_of(parts[scored]), n, AGGREGATES[kind])
    assert found is not None and expected is not None
    assert found.value == approx(expected.value, rel=1e-12)
    width = expected.high - expected.low
    assert found.low == approx(expected.low, abs=0.05 * width)
    assert found.high == approx(expected.high, abs=0.05 * width)


def test_an_aggregate_of_several_parts_agrees_with_the_bootstrap():
    def ratio(sums):
        return np.sqrt(sums[:, 0] * sums[:, 1]) / sums[:, 2]

    random = np.random.default_rng(5)
    parts = random.random((20_000, 3)) + np.array([0, 0, 1])
    (expected,) = bootstrap([parts], [ratio], n_resamples=4_000)
    found = normal_estimate(sums_of(parts), len(parts), ratio)
    assert found is not None and expected is not None
    width = expected.high - expected.low
    assert found.low == approx(expected.low, abs=0.05 * width)
    assert found.high == approx(expected.high, abs=0.05 * width)


def test_an_aggregate_of_whole_numbers_agrees_with_the_bootstrap():
    def share(sums):
        return sums[:, 0].astype(int) / sums[:, 1].astype(int)

    random = np.random.default_rng(5)
    parts = np.column_stack([random.integers(0, 5, 20_000), np.full(20_000, 5.0)]).astype(float)
    (expected,) = bootstrap([parts], [share], n_resamples=4_000)
    found = normal_estimate(sums_of(parts), len(parts), share)
    width = expected.high - expected.low
    assert found.low == approx(expected.low, abs=0.05 * width)
    assert found.high == approx(expected.high, abs=0.05 * width)


def test_bounds_stay_within_the_values():
    parts = parts_of(np.array([1.0] * 3 + [0.0] * 99_997), "mean")
    found = normal_estimate(sums_of(parts), 100_000, AGGREGATES["mean"], within=(0.0, 1.0))
    assert found is not None
    assert found.low == 0.0
    assert found.high == approx(3e-5 + 1.959964 * np.sqrt(3e-5 / 1e5), abs=1e-8)


def test_equal_values_have_no_width():
    parts = parts_of(np.full(1_000, 0.1), "mean")
    found = normal_estimate(sums_of(parts), 1_000, AGGREGATES["mean"])
    assert (found.value, found.low, found.high) == (approx(0.1), approx(0.1), approx(0.1))


def test_the_order_of_rows_changes_no_digit():
    parts = parts_of(np.random.default_rng(1).random(5_000), "mean")
    one = normal_estimate(sums_of(parts), 5_000, AGGREGATES["mean"])
    assert one == normal_estimate(sums_of(parts[::-1]), 5_000, AGGREGATES["mean"])


def test_nothing_scored_has_no_value_and_one_question_no_interval():
    nothing = parts_of(np.zeros(0), "mean")
    assert normal_estimate(sums_of(nothing), 9, AGGREGATES["mean"]) is None
    one = normal_estimate(sums_of(parts_of(np.array([0.5]), "mean")), 9, AGGREGATES["mean"])
    assert (one.value, one.low, one.high) == (0.5, None, None)
