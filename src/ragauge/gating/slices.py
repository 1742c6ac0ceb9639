"""What the rules of a gate are about: the rows of a run that match a filter, and how much worse they are than a baseline."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import fsum
from typing import Any, cast

import polars as pl

from ragauge.comparing.compare import compare
from ragauge.comparing.comparison import MetricComparison
from ragauge.comparing.pair import SKEWED
from ragauge.comparing.scores import LOST, STATUSES
from ragauge.errors import PlanError
from ragauge.gating.rules import DROPS, QUANTILES, UNSCORED
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.scores import pieces_with_samples
from ragauge.runs.summary import clusters_in, summarise_pieces
from ragauge.samples.fields import REPEAT_OF
from ragauge.samples.samples import Samples, matches, matching
from ragauge.score import Status
from ragauge.where import Filter

IDS_KEPT = 1_000
"""Most questions named for a rule that fails."""
COLUMNS = ("id", "system", "metric", "value", "status", "parts")
IDS_SHOWN = 3


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
            # Repeats of a question are one; of a conversation each turn.
            is_repeated = REPEAT_OF in self.samples.columns
            same = [pl.coalesce(REPEAT_OF, "id") if is_repeated else pl.col("id")]
            same += ["turn"] if is_repeated and "turn" in self.samples.columns else []
            n = self.samples.scan().select(pl.struct(same).n_unique())
            return int(self.run.collect(n).item())
        return int(sum(number_of(row, name) or 0 for row in self.summary.values()))

    def spread(self, metric: str, system: str, statistic: str) -> float | None:
        """A percentile or the sum of a metric's values of a system; None without a value."""
        wanted = (pl.col("metric") == metric) & (pl.col("system") == system)
        pieces = self._pieces(("id", "system", "metric", "value"))
        parts = [scores.filter(wanted)["value"].drop_nulls() for scores, _ in pieces]
        values = pl.concat([pl.Series(dtype=pl.Float64), *parts])
        if values.is_empty():
            return None
        if statistic in QUANTILES:
            return values.quantile(QUANTILES[statistic], "linear")
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


@dataclass(frozen=True)
class Baseline:
    """What a run is compared with: another run, or the system with this name of the run itself.

    `allow_lost`: how many questions that the baseline scored may be failed, missing or absent in the run.
    """

    run: ScoredRun
    base: ScoredRun
    system: str | None
    allow_lost: int = 0
    allow_mismatch: bool = False
    _rows: dict[tuple[str, str, str | None], MetricComparison | str] = field(
        default_factory=dict["tuple[str, str, str | None]", "MetricComparison | str"]
    )

    @classmethod
    def of(
        cls, run: ScoredRun, given: ScoredRun | str, allow_lost: int, *, allow_mismatch: bool
    ) -> "Baseline":
        """The baseline that a run or a system's name is; raises PlanError for an unknown name."""
        if not isinstance(given, str):
            return cls(run, given, None, allow_lost, allow_mismatch)
        if given in run.samples.systems:
            return cls(run, run, given, allow_lost, allow_mismatch)
        known = ", ".join(run.samples.systems)
        raise PlanError(f"the baseline {given!r} is neither a run nor a system; systems: {known}")

    @cached_property
    def scored(self) -> frozenset[str]:
        """The names of the baseline's metrics that have a value."""
        summary = Slice.of(self.base, None).summary
        labels = {label for (label, _), row in summary.items() if row["ok"]}
        return frozenset(metric.name for metric in self.base.metrics if metric.metric in labels)

    @property
    def notes(self) -> Sequence[str]:
        """How many questions are left out of the drops because they are undefined or skipped now."""
        found: dict[str, list[str]] = {}
        for (metric, system, where), row in self._rows.items():
            if not isinstance(row, str) and row.n and row.counts.dropped:
                of = f"{metric}[{where}]" if where else metric
                found.setdefault(of, []).append(f"{row.counts.dropped:,} ({system})")
        what = "the drop leaves out questions that the baseline scored and that are undefined or skipped now"
        return [f"{of}: {what}: {', '.join(counts)}" for of, counts in found.items()]

    def row(
        self, metric: MetricDisplay, system: str, where: Filter | None
    ) -> MetricComparison | str:
        """The comparison of a metric with the baseline on the questions of a slice, or why there is none."""
        key = metric.name, system, where.text if where else None
        if key in self._rows:
            return self._rows[key]
        systems = self.base.samples.systems
        # The baseline's system of the same name, or its only one.
        other = self.system or (system if system in systems else systems[0])
        if other not in (self.system, system) and len(systems) > 1:
            raise PlanError(
                f"the baseline has no system {system!r}, and several others ({', '.join(systems)}); "
                "use the same names in both runs"
            )
        candidate = _matching(self.run, system, where, system)
        base = _matching(self.base, other, where, system)
        empty = [run for run in (candidate, base) if not run.samples.frame.height]
        if empty:
            side = "run" if empty[0] is candidate else "baseline"
            self._rows[key] = f"no row of the {side} matches its filter"
        else:
            how: dict[str, Any] = {
                "allow_mismatch": self.allow_mismatch,
                "seed": self.run.manifest.seed,
            }
            rows = compare((base, other), (candidate, system), metrics=metric.name, **how).rows
            self._rows[key] = rows[0] if rows else "no question has a score on either side"
        return self._rows[key]

    def value(
        self, metric: MetricDisplay, system: str, where: Filter | None, statistic: str
    ) -> tuple[float | None, str]:
        """A statistic of how much worse the metric is, positive if it is worse, and why it has no value.

        Of times and costs the share that they grew by: the ratio less 1, or where a question took 0, the
        difference by the baseline's mean.
        """
        if not metric.is_ranked:
            return None, f"neither high nor low values of {metric.name} are better"
        row = self.row(metric, system, where)
        if isinstance(row, str):
            return None, row
        if (n_lost := row.counts.lost) > self.allow_lost:
            named = ", ".join(_lost(row)[:IDS_SHOWN])
            n, has = ("1 question", "has") if n_lost == 1 else (f"{n_lost:,} questions", "have")
            more = f" … {n_lost - IDS_SHOWN:,} more" if n_lost > IDS_SHOWN else ""
            return None, f"{n} scored in the baseline {has} no score now: {named}{more}"
        if statistic == "p_value":
            value = row.p_value
        else:  # of what is better if it is higher, the lower end of the drop is the higher one of the difference
            at = DROPS.index(statistic)
            at = at if row.lower_is_better else (0, 2, 1)[at]
            value = (row.difference, row.low, row.high)[at]
            if row.ratio is not None:
                ratio = (row.ratio, row.ratio_low, row.ratio_high)[at]
                value = None if ratio is None else ratio - 1
            elif row.metric in SKEWED and value:
                value = value / row.base_mean if row.base_mean else None
            value = value if value is None or row.lower_is_better else 0.0 - value
        if value is None and row.metric in SKEWED and row.base_mean == 0:
            return None, f"{metric.name} has no share of a baseline of 0"
        return value, "" if value is not None else row.note or "too few common questions"

    def broken(self, metric: MetricDisplay, system: str, where: Filter | None) -> tuple[str, ...]:
        """The questions that were right in the baseline and are wrong now, then those that were lost."""
        row = self.row(metric, system, where) if metric.is_ranked else ""
        if isinstance(row, str):
            return ()
        return (*(change.id for change in row.broken), *_lost(row))


def _lost(row: MetricComparison) -> list[str]:
    """The listed questions that the baseline has scored and that the run lost."""
    lost = {STATUSES[place] for place in LOST}
    return [each.id for each in row.unpaired if each.base == "ok" and each.candidate in lost]


def _matching(run: ScoredRun, own: str, where: Filter | None, named: str) -> ScoredRun:
    """The rows of the system `own` that match a filter, which sees the system's name as `named`."""
    if where is None:
        return run
    rows = run.samples.frame.filter(pl.col("system") == own)
    seen = rows.with_columns(pl.lit(named).alias("system"))
    ids = matching(replace(run.samples, rows=seen), where).frame["id"]
    some = replace(run.samples, rows=rows.filter(pl.col("id").is_in(ids.implode())))
    return ScoredRun(some, run.source, run.manifest, run.folder, run.url)
