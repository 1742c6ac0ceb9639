"""Select samples: by a filter over their fields, and the first questions."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from ragauge.errors import DataError, FilterError, Problem, did_you_mean
from ragauge.samples.file import TemporaryFolder
from ragauge.samples.samples import SampleFile, Samples, to_columns
from ragauge.where import Filter

if TYPE_CHECKING:
    import polars as pl

SMALL = 50_000  # samples selected from a file that are a frame in memory if they are not more


def matching(samples: Samples, where: Filter) -> Samples:
    """The rows that match a filter, possibly none; FilterError if it names an unknown field."""
    columns = samples.columns
    for name in sorted(where.fields - set(columns)):
        hint = did_you_mean(name, columns) or f"; they have {', '.join(columns)}"
        raise FilterError(f"filter {where.text!r:.200}: the samples have no field {name!r}{hint}")
    return _selected(samples, lambda piece: matches(piece, where))


def select(samples: Samples, *, where: str | None = None, limit: int | None = None) -> Samples:
    """The rows that match a filter, limited to the first `limit` questions.

    A question counts once, however many systems answer it. FilterError if the filter does not parse
    or names an unknown field; DataError if no row is left.
    """
    notes = list(samples.notes)
    if where is not None:
        shown = where if len(where) <= 200 else f"{where[:199]}…"
        n_all = len(samples)
        samples = matching(samples, Filter.parse(where))
        notes.append(f"{len(samples):,} of {n_all:,} rows match the filter {shown}")
        if not len(samples):
            raise DataError([Problem(f"no row matches the filter {shown}", samples.source)])
    if limit is not None:
        import polars as pl

        ids = samples.scan().select(pl.col("id").n_unique()).collect()
        if limit < (n_questions := int(ids.item())):
            notes.append(f"only the first {limit:,} of {n_questions:,} questions")
            first: dict[str, None] = {}
            for piece in samples.pieces(["id"]):
                first |= dict.fromkeys(piece["id"].unique(maintain_order=True).to_list())
                if len(first) >= limit:
                    break
            kept = list(first)[:limit]
            samples = _selected(samples, lambda piece: piece["id"].is_in(kept))
    return Samples(samples.rows, samples.source, tuple(notes))


def _selected(samples: Samples, mask: "Callable[[pl.DataFrame], pl.Series]") -> Samples:
    """The rows for which the mask is true; many of them in a file, if the samples are in one."""
    import polars as pl

    if not isinstance(samples.rows, SampleFile):
        return replace(samples, rows=samples.frame.filter(mask(samples.frame)))
    selected = [samples.part(0, 0)]
    folder: TemporaryFolder | None = None
    n_pieces = 0
    for piece in samples.pieces():
        selected.append(piece.filter(mask(piece)))
        if sum(part.height for part in selected) > SMALL:
            folder = folder or TemporaryFolder()
            folder.write(n_pieces, pl.concat(selected))
            selected, n_pieces = [samples.part(0, 0)], n_pieces + 1
    last = pl.concat(selected)
    if folder is None:
        return replace(samples, rows=last)
    folder.write(n_pieces, last)
    rows = pl.concat(map(folder.scan, range(n_pieces + 1)))
    return replace(samples, rows=folder.joined(rows, n_pieces + 1, samples.rows.rows_at_once))


def matches(piece: "pl.DataFrame", where: Filter) -> "pl.Series":
    """Which rows match a filter, whose fields they have."""
    import polars as pl

    chosen = piece.select(name for name in piece.columns if name in where.fields)
    rows = to_columns(chosen)

    def match(values: tuple[object, ...]) -> bool:
        return where.matches(dict(zip(rows, values, strict=True)))

    # Fields of few values, such as system, are matched once for each; lists cannot be looked up.
    if not any(dtype.is_nested() for dtype in chosen.dtypes):
        match = cache(match)
    found = [match(values) for values in zip(*rows.values(), strict=True)]
    return pl.Series(found, dtype=pl.Boolean)
