from math import log

import numpy as np
import pytest
from pytest import approx

from ragauge.stats.intervals import (
    AGGREGATES,
    LEAST_FACTOR,
    geometric_mean_of_parts,
    parts_of,
)

VALUES = np.array([0.5, 1.0, 0.25])


def aggregate(values, aggregation):
    """The aggregate of the values, from the sums of their parts."""
    sums = parts_of(np.array(values, dtype=float), aggregation).sum(axis=0, keepdims=True)
    return AGGREGATES[aggregation](sums)[0]


def test_aggregates_of_sums_worked_out_by_hand():
    assert aggregate(VALUES, "mean") == approx(1.75 / 3)
    assert aggregate(VALUES, "sum") == 1.75
    # 0.5 * 1 * 0.25 = 1 / 8, and its third root is a half.
    assert aggregate(VALUES, "geometric_mean") == approx(0.5)
    sums = np.array([[3.0, 4.0], [1.0, 2.0]])
    assert AGGREGATES["mean"](sums).tolist() == [0.75, 0.5]
    assert AGGREGATES["sum"](sums).tolist() == [3.0, 1.0]
    sums = np.array([[log(16), 2.0], [log(27), 3.0]])
    assert geometric_mean_of_parts(sums).tolist() == [approx(4), approx(3)]


@pytest.mark.parametrize("tiny", [0.0, 1e-9, LEAST_FACTOR])
def test_a_zero_counts_as_the_least_factor_in_a_geometric_mean(tiny):
    # The square root of 0.00001 * 0.1 is a thousandth.
    assert aggregate([tiny, 0.1], "geometric_mean") == approx(0.001)


@pytest.mark.parametrize("aggregation", ["mean", "geometric_mean"])
def test_of_no_values_there_is_a_sum_and_no_mean(aggregation):
    assert np.isnan(AGGREGATES[aggregation](np.array([[0.0, 0.0]]))).all()
    assert AGGREGATES["sum"](np.array([[0.0, 0.0]])).tolist() == [0.0]
