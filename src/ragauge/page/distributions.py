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


def value_ranges(run: ScoredRun) -> Mapping[str, tuple[float, float]]:
    """Each metric's bounds; for an open end that of its values, made wider if both are the same.

    (0.0, 1.0) for a metric without a value.
    """
    extremes: dict[str, list[float]] = {}
    for row in run.summary().iter_rows(named=True):
        ends = (cast("float | None", row["lowest"]), cast("float | None", row["highest"]))
        extremes.setdefault(cast(str, row["metric"]), []).extend(e for e in ends if e is not None)
    found: dict[str, tuple[float, float]] = {}
    for metric in run.metrics:
        values = extremes.get(metric.metric, [])
        if not values:
            found[metric.metric] = (0.0, 1.0)
            continue
        low = min(values) if metric.low is None else metric.low
        high = max(values) if metric.high is None else metric.high
        found[metric.metric] = (low, high) if low < high else (low - 0.5, high + 0.5)
    return found


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
