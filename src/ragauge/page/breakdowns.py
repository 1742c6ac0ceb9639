"""What the page says of parts of a run: how many scores have which value, and the summary by fields of the samples."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypedDict, cast

import numpy as np

from ragauge.errors import StoreError
from ragauge.page.view import SliceCell, SliceView
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.numbers import aggregate, interval
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.scores import score_pieces
from ragauge.runs.summary import SUMMARY
from ragauge.samples.fields import CLUSTERS, FIELDS
from ragauge.views.first_screen import DIGITS

N_BINS = 20  # equal parts of a metric's range
DISTRIBUTIONS, SLICES = "distributions", "slices"  # what is kept of a large run
MAX_FIELDS, MAX_VALUES = 4, 12

Bins = Mapping[tuple[str, str], tuple[int, ...]]  # counts by metric and system


def range_of(low: float | None, high: float | None, values: Sequence[float]) -> tuple[float, float]:
    """The bounds; an open end is that of the values, 1 further out where the ends would be equal; (0.0, 1.0) without a value."""
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


class RunSlices(TypedDict):
    """The values of a field, sorted and null last, how many samples have each, and the summary by them."""

    values: Sequence[object]
    counts: Sequence[int]
    rows: Sequence[Mapping[str, object]]


def run_slices(run: ScoredRun) -> Mapping[str, RunSlices]:
    """The first fields with 2 to MAX_VALUES values, by name; at most MAX_FIELDS."""
    if SLICES in run.stored_results:
        return cast("Mapping[str, RunSlices]", run.stored_results[SLICES])
    samples = run.samples
    schema = samples.scan().collect_schema()

    def n_values(name: str) -> int:
        """More than MAX_VALUES if there are more: the column is read until then."""
        seen = set[object]()
        for piece in samples.pieces([name]):
            seen.update(piece[name].drop_nulls().unique().to_list())
            if len(seen) > MAX_VALUES:
                break
        return len(seen)

    fields = [
        name
        for name in samples.columns
        if name not in (*SUMMARY, *CLUSTERS)
        and (name not in FIELDS or FIELDS[name].kind == "flag")
        and not (schema[name].is_nested() or schema[name].is_float())
        and 2 <= n_values(name) <= MAX_VALUES
    ]
    found: dict[str, RunSlices] = {}
    for name in fields[:MAX_FIELDS]:
        counts = samples.scan().group_by(name).len().sort(name, nulls_last=True).collect()
        found[name] = {
            "values": counts[name].to_list(),
            "counts": counts["len"].to_list(),
            "rows": run.summary(by=name).to_dicts(),
        }
    return found


def slice_views(
    run: ScoredRun, systems: Sequence[str], displays: Sequence[MetricDisplay]
) -> Iterator[SliceView]:
    """The fields with few values, each with its parts."""
    shown = tuple(at for at, display in enumerate(displays) if not display.unavailable)
    for name, slices in run_slices(run).items():
        rows = {(row[name], row["metric"], row["system"]): row for row in slices["rows"]}

        def cell(value: object, display: MetricDisplay, system: str) -> SliceCell | None:
            row = rows.get((value, display.metric, system))  # noqa: B023 - called in this turn
            if row is None or row["mean"] is None:
                return None
            few = replace(display, digits=min(display.digits, DIGITS))
            mean, ok = cast(float, row["mean"]), cast(int, row["ok"])
            return SliceCell(aggregate(few, row), interval(few, row), mean, ok)

        cells = tuple(
            tuple(tuple(cell(value, displays[at], system) for system in systems) for at in shown)
            for value in slices["values"]
        )
        values = tuple("(none)" if value is None else str(value) for value in slices["values"])
        yield SliceView(name, values, tuple(slices["counts"]), shown, cells)


def can_be_stored(slices: Mapping[str, RunSlices]) -> bool:
    """Whether JSON gives the values back as they are: texts, whole numbers and booleans, but no dates."""
    values = (value for each in slices.values() for value in each["values"])
    return all(value is None or isinstance(value, str | int) for value in values)
