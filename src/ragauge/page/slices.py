"""The parts of a run by a field of its samples, as the page shows them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast

from ragauge.page.field_slices import RunSlices, run_slices
from ragauge.page.view import SliceCell, SliceView
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.numbers import aggregate, interval
from ragauge.runs.scored_run import ScoredRun
from ragauge.views.first_screen import DIGITS


def slice_views(
    run: ScoredRun, systems: Sequence[str], displays: Sequence[MetricDisplay]
) -> Iterator[SliceView]:
    """The fields with few values, each with its parts."""
    shown = [at for at, display in enumerate(displays) if not display.unavailable]
    for name, slices in run_slices(run).items():
        yield _slice(name, slices, systems, displays, shown)


def _slice(
    name: str,
    slices: RunSlices,
    systems: Sequence[str],
    displays: Sequence[MetricDisplay],
    shown: Sequence[int],
) -> SliceView:
    by_key = {(row[name], row["metric"], row["system"]): row for row in slices.rows}

    def cell(value: object, display: MetricDisplay, system: str) -> SliceCell | None:
        row = by_key.get((value, display.metric, system))
        if row is None or row["mean"] is None:
            return None
        few = replace(display, digits=min(display.digits, DIGITS))
        return SliceCell(
            aggregate(few, row), interval(few, row), cast(float, row["mean"]), cast(int, row["ok"])
        )

    return SliceView(
        field=name,
        values=tuple("(none)" if value is None else str(value) for value in slices.values),
        counts=tuple(slices.counts),
        metrics=tuple(shown),
        cells=tuple(
            tuple(tuple(cell(value, displays[at], system) for system in systems) for at in shown)
            for value in slices.values
        ),
    )
