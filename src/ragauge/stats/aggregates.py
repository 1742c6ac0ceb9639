"""Aggregate the scores of many rows: mean, sum and geometric mean.

Each aggregate is computed from sums of parts, so one bootstrap serves them all.
"""

import math
from collections.abc import Mapping

import numpy as np

from ragauge.stats.aggregation import Aggregation
from ragauge.stats.intervals import Aggregate, Floats1d, Floats2d

LEAST_FACTOR = 0.00001
"""Replaces smaller values in a geometric mean, as in trec_eval: a single 0 would make it 0."""


def parts_of(values: Floats1d, aggregation: Aggregation) -> Floats2d:
    """Each value's share of the sums that the aggregate is computed from: its amount and 1, (n, 2)."""
    if aggregation == "geometric_mean":
        # By Python's log, so that the last digit does not depend on the processor.
        values = np.array([math.log(max(value, LEAST_FACTOR)) for value in values.tolist()])
    return np.column_stack([values, np.ones(len(values))])


def mean_of_parts(sums: Floats2d) -> Floats1d:
    """Means from rows of (sum, count); NaN where the count is 0.

    >>> mean_of_parts(np.array([[3.0, 4.0]])).tolist()
    [0.75]
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums[:, 0] / sums[:, 1]


def sum_of_parts(sums: Floats2d) -> Floats1d:
    """The sum."""
    return sums[:, 0]


def geometric_mean_of_parts(sums: Floats2d) -> Floats1d:
    """The geometric mean from sums of logarithms; NaN where the count is 0."""
    return np.array([math.exp(mean) for mean in mean_of_parts(sums).tolist()])


AGGREGATES: Mapping[Aggregation, Aggregate] = {
    "mean": mean_of_parts,
    "sum": sum_of_parts,
    "geometric_mean": geometric_mean_of_parts,
}
