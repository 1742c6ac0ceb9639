"""The parts of a run by a field of its samples, as the page shows them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast

from ragauge.report.first_screen import DIGITS
from ragauge.report.numbers import aggregate, interval
from ragauge.report.view import SliceCell, SliceView
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.run import UNGROUPED, Run
from ragauge.runs.summary import SUMMARY

MAX_FIELDS, MAX_VALUES = 4, 12
NOT_SLICED = ("id", "system", "question", "answer", *UNGROUPED)


def slice_views(
    run: Run, systems: Sequence[str], displays: Sequence[MetricDisplay]
) -> Iterator[SliceView]:
    """The fields with 2 to 12 values, each with its parts; at most four fields."""
    fields = [name for name in run.samples.columns if _is_sliced(run, name)]
    shown = [at for at, display in enumerate(displays) if not display.unavailable]
    for name in fields[:MAX_FIELDS]:
        yield _slice(run, name, systems, displays, shown)


def _is_sliced(run: Run, name: str) -> bool:
    if name in NOT_SLICED or name in SUMMARY:
        return False
    column = run.samples.frame[name]
    if column.dtype.is_nested() or column.dtype.is_float():
        return False
    return 2 <= column.drop_nulls().n_unique() <= MAX_VALUES


def _slice(
    run: Run,
    name: str,
    systems: Sequence[str],
    displays: Sequence[MetricDisplay],
    shown: Sequence[int],
) -> SliceView:
    counts = run.samples.frame.group_by(name).len().sort(name, nulls_last=True)
    values = counts[name].to_list()
    by_key = {
        (row[name], row["metric"], row["system"]): row
        for row in run.summary(by=name).iter_rows(named=True)
    }

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
        values=tuple("(none)" if value is None else str(value) for value in values),
        counts=tuple(cast(int, n) for n in counts["len"].to_list()),
        metrics=tuple(shown),
        cells=tuple(
            tuple(tuple(cell(value, displays[at], system) for system in systems) for at in shown)
            for value in values
        ),
    )
