import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from ragauge.stats.intervals import AGGREGATES, ends_of, interval, parts_of
from ragauge.stats.normal_intervals import ExactSum, QuestionSums, normal_estimate


def sums_of(parts: np.ndarray) -> QuestionSums:
    found = QuestionSums(parts.shape[1])
    for start in range(0, len(parts), 700):
        found.add(parts[start : start + 700])
    return found


@pytest.mark.parametrize("kind", ["mean", "sum", "geometric_mean"])
def test_it_agrees_with_the_interval_of_the_questions(kind):
    values = np.clip(np.random.default_rng(3).beta(2, 1, 20_000), 0.01, 1)
    parts, ends = parts_of(values, kind), ends_of(kind, 0, 1)
    expected = interval(parts, AGGREGATES[kind], ends=ends)
    found = normal_estimate(sums_of(parts), AGGREGATES[kind], ends=ends)
    assert found.value == approx(expected.value, rel=1e-12)
    width = expected.high - expected.low
    assert found.low == approx(expected.low, abs=0.01 * width)
    assert found.high == approx(expected.high, abs=0.01 * width)


def ratio(sums):
    return np.sqrt(sums[:, 0] * sums[:, 1]) / sums[:, 2]


def share_of_whole_numbers(sums):
    return sums[:, 0].astype(int) / sums[:, 1].astype(int)


@pytest.mark.parametrize("aggregate", [ratio, share_of_whole_numbers])
def test_an_aggregate_of_its_own_has_the_interval_of_a_bootstrap(aggregate):
    random = np.random.default_rng(5)
    n = 2_000
    parts = np.column_stack([random.integers(0, 5, n), np.full(n, 5.0), 1 + random.random(n)])
    counts = random.multinomial(n, [1 / n] * n, size=2_000)
    low, high = np.quantile(aggregate(counts @ parts), [0.025, 0.975])
    width = high - low
    for found in (normal_estimate(sums_of(parts), aggregate), interval(parts, aggregate)):
        assert found.low == approx(low, abs=0.05 * width)
        assert found.high == approx(high, abs=0.05 * width)


@pytest.mark.parametrize("values", [[1.0] * 3 + [0.0] * 997, [1.0] * 1_000, [0.1] * 1_000])
def test_shares_and_equal_values_have_the_same_interval_as_from_questions(values):
    parts, ends = parts_of(np.array(values), "mean"), ends_of("mean", 0, 1)
    expected = interval(parts, AGGREGATES["mean"], ends=ends)
    found = normal_estimate(sums_of(parts), AGGREGATES["mean"], ends=ends)
    assert (found.low, found.high) == (approx(expected.low), approx(expected.high))
    assert found.method == expected.method
    assert found.low < found.high


def test_the_order_of_rows_changes_no_digit():
    parts = parts_of(np.random.default_rng(1).random(5_000), "mean")
    one = normal_estimate(sums_of(parts), AGGREGATES["mean"])
    assert one == normal_estimate(sums_of(parts[::-1]), AGGREGATES["mean"])


def test_nothing_scored_has_no_value_and_one_question_no_interval():
    nothing = parts_of(np.zeros(0), "mean")
    assert normal_estimate(sums_of(nothing), AGGREGATES["mean"]) is None
    one = normal_estimate(sums_of(parts_of(np.array([0.5]), "mean")), AGGREGATES["mean"])
    assert (one.value, one.low, one.high) == (0.5, None, None)


# Exact sums

FINITE = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


def exact_sum(*pieces: object) -> float:
    total = ExactSum()
    for piece in pieces:
        total.add(np.array(piece, dtype=np.float64))
    return total.value


@given(st.lists(FINITE, max_size=60), st.integers(0, 60))
def test_the_sum_is_that_of_fsum_whatever_the_pieces(values: list[float], cut: int):
    assert exact_sum(values[:cut], values[cut:]) == math.fsum(values)


def test_a_million_values_do_not_overflow_and_the_smallest_count():
    assert exact_sum(np.full(1_000_000, 1 - 2**-53)) == 1_000_000 * (1 - 2**-53)
    assert exact_sum([5e-324, 5e-324, -0.0]) == 1e-323
