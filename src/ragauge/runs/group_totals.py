"""Totals of the scores of one group of many questions: counts, extremes and sums, of pieces of any size."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from ragauge.runs.aggregates import CUSTOM, aggregate_of, aggregate_problem
from ragauge.runs.manifest import MetricDisplay
from ragauge.score import Status

if TYPE_CHECKING:
    import polars as pl

    from ragauge.stats.intervals import Estimate, Floats2d
    from ragauge.stats.normal_intervals import QuestionSums


CLUSTER = "cluster of the row"
"""The column with what rows have in common that are not independent."""


@dataclass(slots=True)
class Counts:
    """How many scores have which status, and the extremes of their values."""

    by_status: dict[str, int] = field(default_factory=lambda: {str(status): 0 for status in Status})
    n: int = 0
    n_ok: int = 0
    lowest: float | None = None
    highest: float | None = None

    @classmethod
    def of(cls, scores: "pl.DataFrame") -> "Counts":
        counts = cls()
        counts.add(scores)
        return counts

    def add(self, scores: "pl.DataFrame") -> None:
        for status, n in scores["status"].value_counts().iter_rows():
            self.by_status[cast(str, status)] += cast(int, n)
        self.n += scores.height
        values = scores["value"]
        self.n_ok += values.count()
        ends = [self.lowest, self.highest, values.min(), values.max()]
        known = [cast(float, end) for end in ends if end is not None]
        self.lowest, self.highest = min(known, default=None), max(known, default=None)


class MetricTotals:
    """The totals of one metric's scores; `estimate` needs no score again."""

    def __init__(self, shown: MetricDisplay) -> None:
        self.shown = shown
        self.counts = Counts()
        self.problem = aggregate_problem(shown)
        self._sums: QuestionSums | None = None

    def add(self, scores: "pl.DataFrame") -> None:
        from ragauge.stats.normal_intervals import QuestionSums

        self.counts.add(scores)
        scored = with_value(scores)
        if self.problem or not scored.height:
            return
        parts = by_cluster(score_parts(self.shown, scored), scored)
        if self._sums is None:
            self._sums = QuestionSums(parts.shape[1])
        self._sums.add(parts)

    def estimate(self) -> "Estimate | None":
        """The aggregate with its interval, from the sums."""
        from ragauge.stats.normal_intervals import normal_estimate

        if self._sums is None:
            return None
        ends = metric_ends(self.shown)
        found = normal_estimate(self._sums, aggregate_of(self.shown), ends=ends)
        return on_scale(self.shown, found)


class GroupTotals:
    """The totals of each metric's scores in a group."""

    def __init__(self, metrics: Sequence[MetricDisplay]) -> None:
        self._shown: Mapping[str, MetricDisplay] = {shown.metric: shown for shown in metrics}
        self._totals: dict[str, MetricTotals] = {}

    def add(self, scores: "pl.DataFrame") -> None:
        for (metric,), part in scores.partition_by("metric", as_dict=True).items():
            name = cast(str, metric)
            if name not in self._totals and name in self._shown:
                self._totals[name] = MetricTotals(self._shown[name])
            if name in self._totals:
                self._totals[name].add(part)

    def by_metric(self) -> Iterator[tuple[MetricDisplay, MetricTotals]]:
        """The totals in the order of the metrics."""
        for name, shown in self._shown.items():
            if name in self._totals:
                yield shown, self._totals[name]


def score_parts(shown: MetricDisplay, scored: "pl.DataFrame") -> "Floats2d":
    """What each score with a value adds to the sums of its metric's aggregate, (n, p)."""
    import numpy as np

    from ragauge.stats.aggregates import parts_of

    kind = shown.aggregate.kind
    if kind != CUSTOM:
        return parts_of(scored["value"].to_numpy(), kind)
    rows = scored["parts"].to_list()
    return np.array(rows, dtype=np.float64).reshape(len(rows), -1)


def by_cluster(parts: "Floats2d", scored: "pl.DataFrame") -> "Floats2d":
    """What each cluster adds: the sums of its rows; the parts themselves where the scores have no clusters.

    The clusters of a group too large for memory are those of each piece: one that is in two pieces counts twice.
    """
    import polars as pl

    from ragauge.stats.intervals import by_question

    if CLUSTER not in scored.columns:
        return parts
    own = pl.format("row {}", pl.int_range(pl.len()))
    named = scored.select(pl.col(CLUSTER).cast(pl.String).fill_null(own).rank("dense"))
    number = named.to_series().to_numpy().astype("int64") - 1
    return by_question(parts, number, int(number.max()) + 1)


def with_value(scores: "pl.DataFrame") -> "pl.DataFrame":
    """The scores that have a value; a filter costs more than the interval of a small group."""
    values = scores["value"]
    return scores.filter(values.is_not_null()) if values.null_count() else scores


def metric_ends(shown: MetricDisplay) -> "Floats2d | None":
    """What a question with the metric's lowest, and its highest, value adds; None for a custom aggregate."""
    from ragauge.stats.aggregates import ends_of

    kind = shown.aggregate.kind
    return None if kind == CUSTOM else ends_of(kind, shown.low, shown.high)


def score_ends(shown: MetricDisplay, scored: "pl.DataFrame") -> "Floats2d | None":
    """As `metric_ends`; on an open scale those of the scores if they are 0 and 1."""
    from ragauge.stats.aggregates import ends_of_scores

    kind = shown.aggregate.kind
    if kind == CUSTOM:
        return None
    return ends_of_scores(scored["value"].to_numpy(), kind, shown.low, shown.high)


def on_scale(shown: MetricDisplay, found: "Estimate | None") -> "Estimate | None":
    """The estimate of a custom aggregate with its interval on the metric's scale, as its value is."""
    if found is None or shown.low is None or shown.high is None or shown.aggregate.kind == "sum":
        return found
    return found.within(shown.low, shown.high)
