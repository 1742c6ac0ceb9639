"""Totals of the scores of one group of many questions: counts, extremes and sums, of pieces of any size."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from ragauge.runs.aggregate_code import aggregate_of, aggregate_problem
from ragauge.runs.aggregates import CUSTOM
from ragauge.runs.manifest import MetricDisplay
from ragauge.score import Status

if TYPE_CHECKING:
    import polars as pl

    from ragauge.stats.intervals import Estimate, Floats2d
    from ragauge.stats.normal_intervals import QuestionSums


def _no_counts() -> dict[str, int]:
    return {str(status): 0 for status in Status}


@dataclass(slots=True)
class Counts:
    """How many scores have which status, and the extremes of their values."""

    by_status: dict[str, int] = field(default_factory=_no_counts)
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

    def __init__(self, shown: MetricDisplay, n_questions: int) -> None:
        self.shown, self.n_questions = shown, n_questions
        self.counts = Counts()
        self.problem = aggregate_problem(shown)
        self._sums: QuestionSums | None = None

    def add(self, scores: "pl.DataFrame") -> None:
        from ragauge.stats.normal_intervals import QuestionSums

        self.counts.add(scores)
        scored = scores.filter(scores["value"].is_not_null())
        if self.problem or not scored.height:
            return
        parts = score_parts(self.shown, scored)
        if self._sums is None:
            self._sums = QuestionSums(parts.shape[1])
        self._sums.add(parts)

    def estimate(self) -> "Estimate | None":
        """The aggregate with its interval by the normal approximation."""
        from ragauge.stats.normal_intervals import normal_estimate

        if self._sums is None:
            return None
        is_average = self.shown.aggregate.kind in ("mean", "geometric_mean")
        within = (self.counts.lowest, self.counts.highest) if is_average else (None, None)
        aggregate = aggregate_of(self.shown)
        return normal_estimate(self._sums, self.n_questions, aggregate, within=within)


class GroupTotals:
    """The totals of each metric's scores in a group of `n_questions` questions."""

    def __init__(self, metrics: Sequence[MetricDisplay], n_questions: int) -> None:
        self._shown: Mapping[str, MetricDisplay] = {shown.metric: shown for shown in metrics}
        self._n_questions = n_questions
        self._totals: dict[str, MetricTotals] = {}

    def add(self, scores: "pl.DataFrame") -> None:
        for (metric,), part in scores.partition_by("metric", as_dict=True).items():
            name = cast(str, metric)
            if name not in self._totals and name in self._shown:
                self._totals[name] = MetricTotals(self._shown[name], self._n_questions)
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
