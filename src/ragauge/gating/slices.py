"""The parts of a run that the rules of a gate are about: all of it, or the rows that match a filter."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import cast

import polars as pl

from ragauge.gating.rules import QUANTILES, UNSCORED
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.scores import pieces_with_samples
from ragauge.runs.summary import clusters_in, summarise_pieces
from ragauge.samples.filter import matches, matching
from ragauge.samples.samples import Samples
from ragauge.score import Status
from ragauge.where import Filter

IDS_KEPT = 1_000
"""Most questions named for a rule that fails."""
COLUMNS = ("id", "system", "metric", "value", "status", "parts")


def number_of(row: Mapping[str, object], statistic: str) -> float | None:
    """A statistic of a row of the summary; None if it has no value."""
    if statistic == UNSCORED:
        return sum(cast(int, row[str(status)]) for status in Status if status is not Status.OK)
    return cast("float | None", row[statistic])


@dataclass(frozen=True)
class Slice:
    """The rows of a run that match a filter, with their summary; scores are read some at a time."""

    samples: Samples
    run: ScoredRun
    where: Filter | None = None

    @classmethod
    def of(cls, run: ScoredRun, where: Filter | None) -> "Slice":
        """The slice; raises FilterError if the samples lack a field of the filter."""
        return cls(run.samples if where is None else matching(run.samples, where), run, where)

    def _pieces(self, columns: Sequence[str]) -> "Iterator[tuple[pl.DataFrame, pl.DataFrame]]":
        """These columns of the slice's scores, each piece with the samples of its rows."""
        fields = [*(sorted(self.where.fields) if self.where else ()), *clusters_in(self.samples)]
        for scores, samples in pieces_with_samples(self.run, columns, fields):
            if self.where is None:
                yield scores, samples
                continue
            kept = samples.filter(matches(samples, self.where))
            pairs = kept.select("id", "system")
            yield scores.join(pairs, on=["id", "system"], how="semi", maintain_order="left"), kept

    @cached_property
    def summary(self) -> Mapping[tuple[str, str], Mapping[str, object]]:
        """The rows of the summary by metric and system."""
        if not len(self.samples):
            return {}
        if self.where is None:
            table = self.run.summary()
        else:
            metrics = self.run.metrics
            table = summarise_pieces(lambda: self._pieces(COLUMNS), self.samples, metrics, ())
        return {(row["metric"], row["system"]): row for row in table.iter_rows(named=True)}

    def count(self, name: str) -> int:
        """A total of the slice, over all its systems."""
        if name == "answers":
            return len(self.samples)
        if name == "questions":
            ids = self.samples.scan().select(pl.col("id").n_unique())
            return int(self.run.collect(ids).item())
        return int(sum(number_of(row, name) or 0 for row in self.summary.values()))

    def spread(self, metric: str, system: str, statistic: str) -> float | None:
        """A percentile or the sum of a metric's values of a system; None without a value."""
        wanted = (pl.col("metric") == metric) & (pl.col("system") == system)
        parts = [
            scores.filter(wanted)["value"].drop_nulls()
            for scores, _ in self._pieces(("id", "system", "metric", "value"))
        ]
        values = pl.concat(parts) if parts else pl.Series(dtype=pl.Float64)
        if values.is_empty():
            return None
        if statistic in QUANTILES:
            return values.quantile(QUANTILES[statistic], "nearest")
        return fsum(values.to_list())

    def worst_ids(
        self, metric: MetricDisplay, system: str, *, only_scored: bool = False
    ) -> tuple[str, ...]:
        """The questions with the worst values, not those with the best possible.

        Those without a value come first, or with `only_scored` not at all.
        """
        wanted = (pl.col("metric") == metric.metric) & (pl.col("system") == system)
        best = metric.low if metric.lower_is_better else metric.high
        if best is not None and metric.is_ranked:
            wanted &= pl.col("value").is_null() | (pl.col("value") != best)
        if only_scored:
            wanted &= pl.col("value").is_not_null()
        worst = pl.DataFrame(schema={"id": pl.String, "value": pl.Float64})
        for scores, _ in self._pieces(("id", "system", "metric", "value")):
            both = pl.concat([worst, scores.filter(wanted).select("id", "value")])
            descending = [metric.lower_is_better, False]
            worst = both.sort("value", "id", descending=descending).head(IDS_KEPT)
        return tuple(worst["id"].to_list())
