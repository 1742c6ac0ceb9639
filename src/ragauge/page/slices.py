"""The parts of a run by a field of its samples, as the page shows them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import polars as pl

from ragauge.page.view import SliceCell, SliceView
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.numbers import aggregate, interval
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.summary import SUMMARY
from ragauge.samples.samples import CLUSTERS, FIELDS, Samples
from ragauge.views.first_screen import DIGITS


def slice_views(
    run: ScoredRun, systems: Sequence[str], displays: Sequence[MetricDisplay]
) -> Iterator[SliceView]:
    """The fields with few values, each with its parts."""
    shown = [at for at, display in enumerate(displays) if not display.unavailable]

    def cell(row: Mapping[str, object] | None, display: MetricDisplay) -> SliceCell | None:
        if row is None or row["mean"] is None:
            return None
        few = replace(display, digits=min(display.digits, DIGITS))
        mean, ok = cast(float, row["mean"]), cast(int, row["ok"])
        return SliceCell(aggregate(few, row), interval(few, row), mean, ok)

    for name, slices in run_slices(run).items():
        rows = {(row[name], row["metric"], row["system"]): row for row in slices.rows}
        cells: list[tuple[tuple[SliceCell | None, ...], ...]] = []
        for value in slices.values:
            by_system = (
                tuple(
                    cell(rows.get((value, displays[at].metric, system)), displays[at])
                    for system in systems
                )
                for at in shown
            )
            cells.append(tuple(by_system))
        values = tuple("(none)" if value is None else str(value) for value in slices.values)
        yield SliceView(name, values, tuple(slices.counts), tuple(shown), tuple(cells))


MAX_FIELDS, MAX_VALUES = 4, 12
SLICES = "slices"
"""The name of what is kept of them in a large run."""


@dataclass(frozen=True, slots=True)
class RunSlices:
    """The values of a field, sorted and null last, how many samples have each, and the summary by them."""

    values: Sequence[object]
    counts: Sequence[int]
    rows: Sequence[Mapping[str, object]]

    def as_data(self) -> dict[str, object]:
        return {"values": self.values, "counts": self.counts, "rows": self.rows}


def run_slices(run: ScoredRun) -> Mapping[str, RunSlices]:
    """The first fields with 2 to MAX_VALUES values, by name; at most MAX_FIELDS."""
    if SLICES in run.stored_results:
        kept = cast("Mapping[str, Mapping[str, Sequence[object]]]", run.stored_results[SLICES])
        return {
            name: RunSlices(
                each["values"],
                cast("Sequence[int]", each["counts"]),
                cast("Sequence[Mapping[str, object]]", each["rows"]),
            )
            for name, each in kept.items()
        }
    found: dict[str, RunSlices] = {}
    for name in _sliced_fields(run.samples)[:MAX_FIELDS]:
        counts = run.samples.scan().group_by(name).len().sort(name, nulls_last=True).collect()
        values, n = counts[name].to_list(), counts["len"].to_list()
        found[name] = RunSlices(values, n, run.summary(by=name).to_dicts())
    return found


def _sliced_fields(samples: Samples) -> list[str]:
    """The fields with few values; a column is read until it has too many."""
    schema = samples.scan().collect_schema()
    names = [
        name
        for name in samples.columns
        if name not in (*SUMMARY, *CLUSTERS)
        if name not in FIELDS or FIELDS[name].kind == "flag"
    ]
    return [
        name
        for name in names
        if not schema[name].is_nested()
        and not schema[name].is_float()
        and 2 <= _n_values(samples, name) <= MAX_VALUES
    ]


def _n_values(samples: Samples, name: str) -> int:
    """How many values a column has; more than MAX_VALUES if there are more."""
    seen: pl.Series | None = None
    for piece in samples.pieces([name]):
        values = piece[name].drop_nulls().unique()
        seen = values if seen is None else seen.append(values).unique()
        if len(seen) > MAX_VALUES:
            break
    return 0 if seen is None else len(seen)


def can_be_stored(slices: Mapping[str, RunSlices]) -> bool:
    """Whether JSON gives the values back as they are: texts, whole numbers and booleans, but no dates."""
    values = (value for each in slices.values() for value in each.values)
    return all(value is None or isinstance(value, str | int) for value in values)
