"""Mean, sum and geometric mean of the scores of many rows, each as a function of sums of parts."""

import math
from collections.abc import Mapping

import numpy as np

from ragauge.stats.aggregation import Aggregation
from ragauge.stats.intervals import Aggregate, Estimate, Floats1d, Floats2d, interval

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


def geometric_mean_of_parts(sums: Floats2d) -> Floats1d:
    """The geometric mean from sums of logarithms; NaN where the count is 0."""
    return np.array([math.exp(mean) for mean in mean_of_parts(sums).tolist()])


AGGREGATES: Mapping[Aggregation, Aggregate] = {
    "mean": mean_of_parts,
    "sum": lambda sums: sums[:, 0],
    "geometric_mean": geometric_mean_of_parts,
}


def ends_of(aggregation: Aggregation, low: float | None, high: float | None) -> Floats2d:
    """What a question with the lowest, and the highest, possible value adds to the sums, (2, 2).

    None is an open end.
    """
    ends = (-math.inf if low is None else low, math.inf if high is None else high)
    return parts_of(np.array(ends), aggregation)


def ends_of_scores(
    values: Floats1d, aggregation: Aggregation, low: float | None, high: float | None
) -> Floats2d:
    """As `ends_of`; an open scale on which all scores are 0 or 1, and both occur, is [0, 1]."""
    if (low is None or high is None) and {0.0, 1.0} == set(np.unique(values).tolist()):
        low, high = 0.0, 1.0
    return ends_of(aggregation, low, high)


def mean_interval(
    scores: Floats1d, *, low: float | None = 0.0, high: float | None = 1.0
) -> Estimate | None:
    """The mean of scores (n,), one for each question, with its 95 % interval; see `interval`.

    `low` and `high` are the ends of the scale, None if it is open; those of differences of scores in
    [0, 1] are -1 and 1. None without a score.

    >>> found = mean_interval(np.array([1.0, 1.0]))
    >>> (found.value, round(found.low, 3), found.high)  # two right answers of two
    (1.0, 0.342, 1.0)
    """
    scores = np.asarray(scores, np.float64)
    ends = ends_of_scores(scores, "mean", low, high)
    return interval(parts_of(scores, "mean"), mean_of_parts, ends=ends)


def difference_of(aggregate: Aggregate, n_parts: int) -> Aggregate:
    """The aggregate of the last parts minus that of the first, each `n_parts` of them."""
    return lambda sums: aggregate(sums[:, n_parts:]) - aggregate(sums[:, :n_parts])
