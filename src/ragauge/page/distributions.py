"""How many scores of each metric and system have which value: what histograms show."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from ragauge.errors import StoreError
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.scores import score_pieces

N_BINS = 20
"""Equal parts of a metric's range."""
DISTRIBUTIONS = "distributions"
"""The name of what is kept of them in a large run."""

Bins = Mapping[tuple[str, str], tuple[int, ...]]
"""Counts by metric and system."""


def range_of(low: float | None, high: float | None, values: Sequence[float]) -> tuple[float, float]:
    """The bounds; an open end is that of the values, 1 further out where the ends would be equal.

    (0.0, 1.0) without a value.

    >>> range_of(0.0, None, [0.0]), range_of(0.0, None, [1.0, 3.0]), range_of(None, None, [2.0])
    ((0.0, 1.0), (0.0, 3.0), (1.0, 3.0))
    """
    if not values:
        return 0.0, 1.0
    first = min(values) if low is None else low
    last = max(values) if high is None else high
    if first < last:
        return first, last
    return (first - 1 if low is None else low), (last + 1 if high is None else high)


def value_ranges(run: ScoredRun) -> Mapping[str, tuple[float, float]]:
    """The range of each metric that its values are drawn in."""
    extremes: dict[str, list[float]] = {}
    for row in run.summary().iter_rows(named=True):
        ends = (cast("float | None", row["lowest"]), cast("float | None", row["highest"]))
        extremes.setdefault(cast(str, row["metric"]), []).extend(e for e in ends if e is not None)
    return {
        metric.metric: range_of(metric.low, metric.high, extremes.get(metric.metric, []))
        for metric in run.metrics
    }


def distributions(run: ScoredRun) -> Bins:
    """The counts in N_BINS equal parts of each metric's range, in one pass over the scores."""
    if DISTRIBUTIONS in run.stored_results:
        rows = cast("Sequence[Sequence[Any]]", run.stored_results[DISTRIBUTIONS])
        return {(metric, system): tuple(bins) for metric, system, bins in rows}
    ranges = value_ranges(run)
    found: dict[tuple[str, str], np.ndarray[Any, Any]] = {}
    for piece in score_pieces(run, ("metric", "system", "value")):
        groups = piece.drop_nulls("value").partition_by("metric", "system", as_dict=True)
        for key, scores in groups.items():
            place = cast("tuple[str, str]", key)
            if place[0] not in ranges:
                raise StoreError(
                    f"{run.folder}: is damaged: a score is of metric {place[0]!r:.40}, which the run does not "
                    "compute; run it again into another folder"
                )
            values = scores["value"].to_numpy()
            bins = np.histogram(values, bins=N_BINS, range=ranges[place[0]])[0]
            found[place] = found[place] + bins if place in found else bins
    return {key: tuple(int(n) for n in bins) for key, bins in found.items()}
