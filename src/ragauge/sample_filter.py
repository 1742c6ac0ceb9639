"""Select samples: by a filter over their fields, and the first questions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragauge.errors import DataError, FilterError, Problem, did_you_mean
from ragauge.sample import Samples, to_columns
from ragauge.where import Filter

if TYPE_CHECKING:
    pass


def matching(samples: Samples, where: Filter) -> Samples:
    """The rows that match a filter, possibly none; FilterError if it names an unknown field."""
    import polars as pl

    _check_fields(where, samples.columns)
    frame = samples.frame
    rows = to_columns(frame.select(name for name in frame.columns if name in where.fields))
    mask = [
        where.matches(dict(zip(rows, values, strict=True)))
        for values in zip(*rows.values(), strict=True)
    ]
    return Samples(frame.filter(pl.Series(mask, dtype=pl.Boolean)), samples.source, samples.notes)


def select(samples: Samples, *, where: str | None = None, limit: int | None = None) -> Samples:
    """The rows that match a filter, limited to the first `limit` questions.

    A question counts once, however many systems answer it. FilterError if the filter does not parse
    or names an unknown field; DataError if no row is left.
    """
    frame, notes = samples.frame, list(samples.notes)
    if where is not None:
        shown = where if len(where) <= 200 else f"{where[:199]}…"
        frame = matching(samples, Filter.parse(where)).frame
        n_all = samples.frame.height
        notes.append(f"{frame.height:,} of {n_all:,} rows match the filter {shown}")
        if not frame.height:
            raise DataError([Problem(f"no row matches the filter {shown}", samples.source)])
    if limit is not None:
        ids = frame["id"].unique(maintain_order=True)[:limit]
        if len(ids) < frame["id"].n_unique():
            notes.append(f"only the first {limit:,} of {frame['id'].n_unique():,} questions")
        frame = frame.filter(frame["id"].is_in(ids.implode()))
    return Samples(frame, samples.source, tuple(notes))


def _check_fields(chosen: Filter, columns: Sequence[str]) -> None:
    for name in sorted(chosen.fields - set(columns)):
        hint = did_you_mean(name, columns) or f"; they have {', '.join(columns)}"
        raise FilterError(f"filter {chosen.text!r:.200}: the samples have no field {name!r}{hint}")
