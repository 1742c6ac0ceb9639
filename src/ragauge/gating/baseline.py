"""How much worse a run is than its baseline, for the rules of a gate."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import polars as pl

from ragauge.comparing.compare import compare
from ragauge.comparing.comparison import MetricComparison
from ragauge.comparing.pair import SKEWED
from ragauge.comparing.paired_scores import LOST, STATUSES
from ragauge.errors import PlanError
from ragauge.gating.slices import Slice
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.scored_run import ScoredRun
from ragauge.samples.filter import matching
from ragauge.where import Filter

IDS_SHOWN = 3


class Baseline:
    """A run, or a system of the checked run, with the comparisons already made.

    `allow_lost`: how many questions that the baseline scored may be failed, missing or absent in the run.
    """

    def __init__(
        self,
        run: ScoredRun,
        given: ScoredRun | str,
        allow_lost: int = 0,
        *,
        allow_mismatch: bool = False,
    ) -> None:
        self.run = run
        self.base = run if isinstance(given, str) else given
        self.system = given if isinstance(given, str) else None
        self.allow_lost = allow_lost
        self.allow_mismatch = allow_mismatch
        self._rows: dict[tuple[str, str, str | None], MetricComparison | str] = {}
        if self.system is not None and self.system not in run.samples.systems:
            known = ", ".join(run.samples.systems)
            raise PlanError(
                [f"the baseline {given!r} is neither a run nor a system; systems: {known}"]
            )

    def system_for(self, system: str) -> str:
        """The baseline's system that a system is compared with: of the same name, or the only one."""
        if self.system is not None:
            return self.system
        systems = self.base.samples.systems
        if system in systems:
            return system
        if len(systems) == 1:
            return systems[0]
        raise PlanError(
            [
                f"the baseline has no system {system!r}, and several others ({', '.join(systems)}); "
                "use the same names in both runs"
            ]
        )

    def absent_systems(self) -> Sequence[str]:
        """The baseline's systems that the run no longer has."""
        systems, own = self.base.samples.systems, self.run.samples.systems
        renamed = len(systems) == 1 or self.system is not None
        return [] if renamed else [system for system in systems if system not in own]

    def absent_metrics(self) -> Sequence[str]:
        """The metrics that rank systems, that have a value in the baseline, and that the run no longer has."""
        own = {metric.name for metric in self.run.metrics}
        return [
            metric.name
            for metric in self.base.metrics
            if metric.is_ranked and metric.name in self.scored and metric.name not in own
        ]

    def has(self, metric: MetricDisplay) -> bool:
        return any(metric.name == other.name for other in self.base.metrics)

    @cached_property
    def scored(self) -> frozenset[str]:
        """The names of the baseline's metrics that have a value."""
        summary = Slice.of(self.base, None).summary
        labels = {label for (label, _), row in summary.items() if row["ok"]}
        return frozenset(metric.name for metric in self.base.metrics if metric.metric in labels)

    def compares(self, metric: MetricDisplay, system: str) -> bool:
        """Whether a question has a value on both sides, or too many questions lost theirs."""
        row = self.row(metric, system, None)
        return not isinstance(row, str) and (row.n > 0 or row.counts.lost > self.allow_lost)

    @property
    def notes(self) -> Sequence[str]:
        """How many questions are left out of the drops because they are undefined or skipped now."""
        found: dict[str, list[str]] = {}
        for (metric, system, where), row in self._rows.items():
            if not isinstance(row, str) and row.n and row.counts.dropped:
                of = f"{metric}[{where}]" if where else metric
                found.setdefault(of, []).append(f"{row.counts.dropped:,} ({system})")
        return [
            f"{of}: the drop leaves out questions that the baseline scored and that are undefined or skipped now: "
            f"{', '.join(counts)}"
            for of, counts in found.items()
        ]

    def row(
        self, metric: MetricDisplay, system: str, where: Filter | None
    ) -> MetricComparison | str:
        """The comparison of a metric with the baseline on the questions of a slice, or why there is none."""
        key = metric.name, system, where.text if where else None
        if key not in self._rows:
            self._rows[key] = self._compared(metric, system, where)
        return self._rows[key]

    def _compared(
        self, metric: MetricDisplay, system: str, where: Filter | None
    ) -> MetricComparison | str:
        other = self.system_for(system)
        base = _matching(self.base, other, where, system)
        candidate = _matching(self.run, system, where, system)
        if not base.samples.frame.height or not candidate.samples.frame.height:
            side = "the baseline" if candidate.samples.frame.height else "the run"
            return f"no row of {side} matches its filter"
        rows = compare(
            (base, other),
            (candidate, system),
            metrics=metric.name,
            allow_mismatch=self.allow_mismatch,
            seed=self.run.manifest.seed,
        ).rows
        return rows[0] if rows else "no question has a score on either side"

    def value(
        self, metric: MetricDisplay, system: str, where: Filter | None, statistic: str
    ) -> tuple[float | None, str]:
        """A statistic of the change, and why it has no value."""
        if not metric.is_ranked:
            return None, f"neither high nor low values of {metric.name} are better"
        row = self.row(metric, system, where)
        if isinstance(row, str):
            return None, row
        n_lost = row.counts.lost
        if n_lost > self.allow_lost:
            named = ", ".join(_lost(row)[:IDS_SHOWN])
            n, has = ("1 question", "has") if n_lost == 1 else (f"{n_lost:,} questions", "have")
            more = f" … {n_lost - IDS_SHOWN:,} more" if n_lost > IDS_SHOWN else ""
            return (
                None,
                f"{n} scored in the baseline {has} no score now: {named}{more}",
            )
        values = _drop(row)
        value = values[statistic]
        if value is None and row.metric in SKEWED and row.base_mean == 0:
            return None, f"{metric.name} has no share of a baseline of 0"
        return value, "" if value is not None else row.note or "too few common questions"

    def broken(self, metric: MetricDisplay, system: str, where: Filter | None) -> tuple[str, ...]:
        """The questions that were right in the baseline and are wrong now, then those that were lost."""
        if not metric.is_ranked:
            return ()
        row = self.row(metric, system, where)
        if isinstance(row, str):
            return ()
        return (*(change.id for change in row.broken), *_lost(row))


def _lost(row: MetricComparison) -> list[str]:
    """The listed questions that the baseline has scored and that the run lost."""
    lost = {STATUSES[place] for place in LOST}
    return [
        question.id
        for question in row.unpaired
        if question.base == "ok" and question.candidate in lost
    ]


@dataclass(frozen=True, repr=False)
class _Part(ScoredRun):
    """A run with some of its samples, of which nothing is kept."""

    @cached_property
    def kept(self) -> Mapping[str, object]:
        return {}


def _matching(run: ScoredRun, own: str, where: Filter | None, named: str) -> ScoredRun:
    """The rows of the system `own` that match a filter, which sees the system's name as `named`."""
    if where is None:
        return run
    rows = run.samples.frame.filter(pl.col("system") == own)
    seen = rows.with_columns(pl.lit(named).alias("system"))
    ids = matching(replace(run.samples, rows=seen), where).frame["id"]
    some = replace(run.samples, rows=rows.filter(pl.col("id").is_in(ids.implode())))
    return _Part(some, run.source, run.manifest, run.folder, run.url)


def _drop(row: MetricComparison) -> Mapping[str, float | None]:
    """How much worse the candidate is, positive if it is worse, and the interval of that.

    Of times and costs the share that they grew by: the ratio less 1, or where a question took 0, the
    difference by the baseline's mean.
    """
    change = row.difference, row.low, row.high
    if row.ratio is not None:
        change = _each((row.ratio, row.ratio_low, row.ratio_high), lambda ratio: ratio - 1)
    elif row.metric in SKEWED:
        mean = row.base_mean or 0.0
        change = _each(change, lambda end: end / (mean or 1.0) if mean or not end else None)
    drop, low, high = change
    if not row.lower_is_better:
        drop, low, high = _each((drop, high, low), lambda end: 0.0 - end)
    return {"drop": drop, "drop_low": low, "drop_high": high, "p_value": row.p_value}


def _each(
    values: tuple[float | None, float | None, float | None],
    of: Callable[[float], float | None],
) -> tuple[float | None, float | None, float | None]:
    first, second, third = (None if value is None else of(value) for value in values)
    return first, second, third
