"""Samples: what each system answered to each question, with its inputs and the expected results; selecting among them."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ragauge.errors import DataError, FilterError, Problem, did_you_mean
from ragauge.report.writing import MAX_ROWS, html_table, html_text, small
from ragauge.samples.fields import FIELDS, Columns, by_number
from ragauge.samples.file import SampleFile, TemporaryFolder
from ragauge.where import Filter

if TYPE_CHECKING:
    import polars as pl


ROWS_AT_ONCE = 10_000  # rows of a frame in memory that are handled at once; changes no result
DIGEST_BITS = 512


@dataclass(frozen=True)
class Samples:
    """Samples in columns: `id` and `system` first, then fields, then slice fields.

    `rows` are a frame, or a file that is too large to be one. `notes` says how they were read, where it
    matters (columns mapped, ids generated, answers without a question). `relevant` is a list of structs
    id, grade.
    """

    rows: "pl.DataFrame | SampleFile"
    source: str = "samples"
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return self.rows.height

    def __iter__(self) -> Iterator[dict[str, object]]:
        """Each sample as a dict of its columns."""
        return chain.from_iterable(piece.iter_rows(named=True) for piece in self.pieces())

    def __repr__(self) -> str:
        systems = ", ".join(self.systems[:5]) + (" …" if len(self.systems) > 5 else "")
        lines = (f"{len(self):,} samples of {systems}: {', '.join(self.columns)}", *self.notes)
        return f"<Samples {'; '.join(lines)}>"

    @cached_property
    def frame(self) -> "pl.DataFrame":
        """All samples in memory. If they do not fit, use `scan` or `pieces`."""
        if isinstance(self.rows, SampleFile):
            return self.rows.read(0, self.rows.height)
        return self.rows

    @property
    def is_file(self) -> bool:
        """Whether the samples are read from a file piece by piece."""
        return isinstance(self.rows, SampleFile)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.rows.columns)

    @property
    def slice_fields(self) -> tuple[str, ...]:
        """The columns that are not known fields: question type, topic, date …"""
        return tuple(name for name in self.columns if name not in FIELDS)

    @cached_property
    def n_by_system(self) -> Mapping[str, int]:
        """How many samples each system has, in the order of their names, numbers in them by value."""
        if isinstance(self.rows, SampleFile):
            found = self.rows.counts("system")
        else:
            found = Counter[str]()
            for piece in self.pieces(["system"]):
                found.update(dict(piece["system"].value_counts().iter_rows()))
        return {system: found[system] for system in sorted(found, key=by_number)}

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems, numbers in them sorted by value: `k=3`, `k=10`."""
        return tuple(self.n_by_system)

    def scan(self) -> "pl.LazyFrame":
        """The samples as a lazy frame; nothing is read before `collect`."""
        return self.rows.lazy()

    def pieces(self, columns: Sequence[str] | None = None) -> "Iterator[pl.DataFrame]":
        """All samples in their order, some at a time; with `columns`, only these."""
        at_once = self.rows.rows_at_once if isinstance(self.rows, SampleFile) else ROWS_AT_ONCE
        for start in range(0, len(self), at_once):
            yield self.part(start, start + at_once, columns)

    def part(self, start: int, stop: int, columns: Sequence[str] | None = None) -> "pl.DataFrame":
        """Rows `start` to `stop` as a frame; with `columns`, only these."""
        if isinstance(self.rows, SampleFile):
            return self.rows.read(start, stop, columns)
        part = self.rows[start:stop]
        return part if columns is None else part.select(columns)

    def batch(self, start: int, stop: int) -> Columns:
        """Rows `start` to `stop` as columns of Python values."""
        return to_columns(self.part(start, stop))

    def fingerprint(self) -> str:
        """A digest of the samples' content, independent of the order of rows and columns."""
        return self._digests[0]

    def order(self) -> str:
        """A digest of the samples in their order."""
        return self._digests[1]

    @cached_property
    def _digests(self) -> tuple[str, str]:
        """The digests of the content in any order, and in this order, from one pass over the rows."""
        names = sorted(self.columns)
        total, order = 0, hashlib.sha256()  # a sum needs no sorting
        for piece in self.pieces(names):
            for row in zip(*to_columns(piece).values(), strict=True):
                digest = hashlib.blake2b(_ENCODE(row).encode()).digest()
                total += int.from_bytes(digest)
                order.update(digest)
        total %= 1 << DIGEST_BITS
        content = hashlib.sha256(json.dumps([names, len(self)]).encode())
        content.update(total.to_bytes(DIGEST_BITS // 8))
        return content.hexdigest(), order.hexdigest()

    def _repr_html_(self) -> str:
        """The first rows with short cells."""
        rows = self.part(0, MAX_ROWS)
        cells = [[html_text(_shown(value)) for value in row] for row in rows.iter_rows()]
        n_more = len(self) - rows.height
        title = f"{len(self):,} samples of {', '.join(self.systems)}"
        more = small(f"… {n_more:,} more rows") if n_more else ""
        table = html_table([html_text(name) for name in self.columns], cells)
        return f"<div><b>{html_text(title)}</b>{table}{more}</div>"


_ENCODE = json.JSONEncoder(default=str).encode


def _shown(value: object) -> str:
    """A value as a short text; of a list how many it has, and the first."""
    if not isinstance(value, list):
        return "" if value is None else str(value)
    items = cast("list[object]", value)
    first = items[0] if items else "[]"
    if isinstance(first, Mapping):
        judged = cast("Mapping[str, object]", first)
        first = f"{judged.get('id')}: {judged.get('grade')}"
    return f"[{len(items):,}] {first}" if len(items) > 1 else str(first)


def to_columns(frame: "pl.DataFrame") -> Columns:
    """A frame's columns as lists; `relevant` as one dict per row."""
    columns = {name: cast(list[object], frame[name].to_list()) for name in frame.columns}
    if "relevant" in columns:
        relevant = cast(list[list[dict[str, object]] | None], columns["relevant"])
        columns["relevant"] = [
            None if row is None else {cast(str, judged["id"]): judged["grade"] for judged in row}
            for row in relevant
        ]
    return columns


@dataclass(frozen=True, slots=True)
class RowRange:
    """Rows `start` to `stop` of a file of samples, of which `columns` are needed."""

    path: Path
    start: int
    stop: int
    columns: Sequence[str]

    def read(self) -> Columns:
        return to_columns(SampleFile(self.path).read(self.start, self.stop, self.columns))


def columns_of(batch: Columns | RowRange) -> Columns:
    """The columns of a batch, read if it is a reference."""
    return batch.read() if isinstance(batch, RowRange) else batch


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
