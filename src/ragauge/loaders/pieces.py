"""Pieces of samples, in memory or on disk, which become one frame or file with columns of one type each."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ragauge.samples.fields import FIELDS, Row
from ragauge.samples.file import SampleFile, TemporaryFolder, rows_at_once
from ragauge.samples.samples import to_columns

if TYPE_CHECKING:
    Ints = NDArray[np.int64]


FRAME_BYTES = 64 * 2**20  # samples of up to about this are a frame in memory, larger ones a file
LINE, SOURCE, NUMBERED, ROW = (f"ragauge {name}" for name in ("line", "source", "numbered", "row"))
_TYPES: "dict[type, Any]" = {int: pl.Int64, float: pl.Float64, bool: pl.Boolean, str: pl.String}


@dataclass(slots=True)
class SamplePieces:
    """Pieces of samples, each with the columns and types of its own rows.

    They are frames until they are larger than `most_bytes` together, and then files. `texts`: slice
    fields whose values become text, because they have several types in all pieces together.
    """

    most_bytes: float = inf
    texts: frozenset[str] = frozenset()
    folder: TemporaryFolder | None = None
    starts: list[int] = field(default_factory=list[int])  # the first row of each piece
    n_rows: int = 0
    kinds: dict[str, set[type]] = field(default_factory=dict[str, set[type]])  # types of slices
    sources: dict[str, int] = field(default_factory=dict[str, int])
    systems: dict[str, int] = field(default_factory=dict[str, int])
    rows_at_once: int = 0
    _frames: "list[pl.DataFrame]" = field(default_factory=list[Any])
    _n_bytes: float = 0

    def add(
        self,
        values: list[dict[str, object]],
        rows: Sequence[Row],
        numbered: Sequence[bool] | None = None,
    ) -> None:
        """Write values as the next piece, with the places of their rows."""
        for each in values:
            for name, value in each.items():
                kinds = self.kinds.setdefault(name, set())
                if value is not None and name not in FIELDS:
                    kinds.add(type(value))
                    if name in self.texts and not isinstance(value, str):
                        each[name] = json.dumps(value)
            self.systems.setdefault(cast(str, each["system"]), len(self.systems))
        sources = [self.sources.setdefault(row.source, len(self.sources)) for row in rows]
        frame = frame_of(values)
        self.rows_at_once = min(self.rows_at_once or rows_at_once(frame), rows_at_once(frame))
        places = (
            pl.Series(LINE, [row.line for row in rows], dtype=pl.UInt32),
            pl.Series(SOURCE, sources, dtype=pl.UInt32),
            pl.Series(NUMBERED, numbered or [False] * len(rows), dtype=pl.Boolean),
        )
        self._write(len(self.starts), frame.with_columns(places))
        self.starts.append(self.n_rows)
        self.n_rows += len(rows)

    def _write(self, number: int, frame: "pl.DataFrame") -> None:
        """Keep a piece, in place of the one with its number."""
        if self.folder is not None:
            self.folder.write(number, frame)
            return
        before = self._frames[number : number + 1]
        self._frames[number : number + 1] = [frame]
        self._n_bytes += frame.estimated_size() - sum(old.estimated_size() for old in before)
        if self._n_bytes > self.most_bytes:
            self.folder = TemporaryFolder()
            for place, kept in enumerate(self._frames):
                self._write(place, kept)
            self._frames.clear()

    def _scan(self, number: int) -> "pl.LazyFrame":
        return self._frames[number].lazy() if self.folder is None else self.folder.scan(number)

    def _schemas(self) -> "list[pl.Schema]":
        return [self._scan(number).collect_schema() for number in range(len(self.starts))]

    def mixed(self) -> set[str]:
        """Slice fields with several types, whose values some piece has in one of them instead of as text."""
        kinds = {n: k for n, k in self.kinds.items() if len(k) > 1 and k != {int, float}}
        schemas = self._schemas() if kinds else []
        texts = (None, pl.String(), pl.Null())
        return {name for name in kinds if any(each.get(name) not in texts for each in schemas)}

    def rows(self, wanted: "Sequence[int] | Ints", columns: Sequence[str]) -> "pl.DataFrame":
        """These columns of some rows, in ascending order of the rows' numbers; absent ones are null."""
        numbers = np.unique(np.asarray(wanted, dtype=np.int64))
        piece_of = np.searchsorted(self.starts, numbers, side="right") - 1
        found: list[pl.DataFrame] = []
        for piece in cast("list[int]", np.unique(piece_of).tolist()):
            own = numbers[piece_of == piece] - self.starts[piece]
            frame = self.piece(piece, columns)
            found.append(frame[own].with_columns(pl.Series(ROW, own + self.starts[piece])))
        return pl.concat(found, how="diagonal_relaxed")

    def read(self, wanted: "Sequence[int] | Ints", columns: Sequence[str]) -> dict[int, Row]:
        """Some rows with their places, by their numbers, which ascend."""
        frame = self.rows(wanted, [*columns, LINE, SOURCE])
        numbers = cast("list[int]", frame[ROW].to_list())
        return dict(zip(numbers, self.as_rows(frame.drop(ROW)), strict=True))

    def as_rows(self, frame: "pl.DataFrame") -> list[Row]:
        """Rows with their places; the frame has these columns."""
        names = list(self.sources)
        places = cast("list[tuple[int, int | None]]", frame.select(SOURCE, LINE).rows())
        columns = to_columns(frame.drop(SOURCE, LINE))
        cells = zip(*columns.values(), strict=True)
        return [
            Row(dict(zip(columns, values, strict=True)), names[source], line)
            for (source, line), values in zip(places, cells, strict=True)
        ]

    def piece(self, number: int, columns: Sequence[str]) -> "pl.DataFrame":
        """These columns of one piece, those of them that it has."""
        if self.folder is None:
            frame = self._frames[number]
            # `select` is a lazy query, which takes long on few rows.
            return frame[[name for name in columns if name in frame.columns]]
        lazy = self._scan(number)
        own = lazy.collect_schema()
        return lazy.select([name for name in columns if name in own]).collect()

    def pieces(self, columns: Sequence[str]) -> "Iterator[pl.DataFrame]":
        for number in range(len(self.starts)):
            yield self.piece(number, columns)

    def rename(self, number: int, ids: Sequence[str]) -> None:
        """Give the rows of a piece other ids."""
        frame = self._scan(number).collect()
        self._write(number, frame.with_columns(pl.Series("id", ids, pl.String)))

    def copy_values(
        self, name: str, rows: "Sequence[int] | Ints", donors: "Sequence[int] | Ints"
    ) -> None:
        """Give these rows the value of a field that other rows of the same id have."""
        wanted, given = (np.asarray(numbers, dtype=np.int64) for numbers in (rows, donors))
        order = np.argsort(wanted)
        wanted, given = wanted[order], given[order]
        for number, (start, end) in enumerate(pairwise([*self.starts, self.n_rows])):
            own = slice(*np.searchsorted(wanted, [start, end]))
            if own.start == own.stop:
                continue
            frame, found = self._scan(number).collect(), self.rows(given[own], ["id", name])
            copied = found[np.searchsorted(found[ROW].to_numpy(), given[own])]
            at = wanted[own] - start
            is_same = (frame["id"][at] == copied["id"]).to_numpy()  # two ids may have the same hash
            values = copied[name].filter(is_same)
            before = pl.Series(name, [None] * frame.height, values.dtype)
            before = frame[name].cast(values.dtype) if name in frame.columns else before
            place = np.arange(frame.height)
            place[at[is_same]] = frame.height + np.arange(len(values))
            frame = frame.with_columns(pl.concat([before, values]).gather(place))
            self._write(number, frame)
            self.rows_at_once = min(self.rows_at_once, rows_at_once(frame))

    def finish(self) -> "pl.DataFrame | SampleFile":
        """All rows as one frame or file; the pieces are removed."""
        names = [name for name in FIELDS if name in self.kinds]
        names += [name for name in self.kinds if name not in FIELDS]
        if self.folder is None and len(self._frames) == 1:
            return self._frames.pop()[names]
        types: dict[str, Any] = {}
        schemas = self._schemas()
        for own in schemas:
            types = {**own, **types}
        for name, kinds in self.kinds.items():
            if name not in FIELDS:
                single = next(iter(kinds)) if len(kinds) == 1 else str
                kind = float if kinds == {int, float} else single
                types[name] = _TYPES[kind] if kinds else pl.Null
        pieces = [
            self._scan(number).select(
                (pl.col(name) if name in own else pl.lit(None)).cast(types[name]).alias(name)
                for name in names
            )
            for number, own in enumerate(schemas)
        ]
        if self.folder is not None:
            return self.folder.joined(pl.concat(pieces), len(schemas), self.rows_at_once)
        frame = pl.concat(pieces).collect()
        self._frames.clear()
        return frame


def frame_of(values: list[dict[str, object]]) -> pl.DataFrame:
    """The rows as a frame: id and system first, then the other fields, then the slice fields.

    Judgements are structs sorted by id, because a JSON object has no order. The values of a slice field of
    several types are text.
    """
    types = {
        **dict.fromkeys(("id", "text", "json"), pl.String()),
        "texts": pl.List(pl.String()),
        "numbers": pl.List(pl.Float64()),
        "flag": pl.Boolean(),
        "number": pl.Float64(),
        "grades": pl.List(pl.Struct({"id": pl.String(), "grade": pl.Int64()})),
    }
    present = dict.fromkeys(name for row in values for name in row)
    order = [name for name in FIELDS if name in present]
    order += [name for name in present if name not in FIELDS]
    series: list[pl.Series] = []
    for name in order:
        column = [row.get(name) for row in values]
        dtype = types[FIELDS[name].kind] if name in FIELDS else None
        if name == "relevant":
            graded = cast("list[dict[str, int] | None]", column)
            pairs = [None if grades is None else sorted(grades.items()) for grades in graded]
            column = [each and [{"id": id, "grade": n} for id, n in each] for each in pairs]
        if isinstance(dtype, pl.List):
            lists = cast("list[list[object] | None]", column)
            series.append(_lists(name, lists, cast("pl.DataType", dtype.inner)))
            continue
        kinds = {type(value) for value in column if value is not None} if dtype is None else ()
        if kinds == {int, float}:
            column = [None if value is None else float(cast(float, value)) for value in column]
        elif len(kinds) > 1:
            are_texts = (value is None or isinstance(value, str) for value in column)
            marked = zip(column, are_texts, strict=True)
            column = [value if is_text else json.dumps(value) for value, is_text in marked]
        series.append(pl.Series(name, column, dtype=dtype, strict=True))
    return pl.DataFrame(series)


def _lists(name: str, column: list[list[object] | None], inner: pl.DataType) -> pl.Series:
    """A column of lists, built from all items at once: many times faster than list by list."""
    owners = [row for row, cell in enumerate(column) for _ in cell or ()]
    items = pl.Series(name, [item for cell in column for item in cell or ()], inner, strict=True)
    grouped = pl.DataFrame([pl.Series("row", owners, pl.UInt32), items])
    grouped = grouped.group_by("row", maintain_order=True).agg(name)
    every = pl.DataFrame(
        {"row": range(len(column)), "is_given": [cell is not None for cell in column]},
        schema={"row": pl.UInt32, "is_given": pl.Boolean},
    )
    empty = pl.lit([], dtype=pl.List(inner))
    filled = pl.when("is_given").then(pl.col(name).fill_null(empty)).alias(name)
    return every.join(grouped, on="row", how="left", maintain_order="left").select(filled)[name]
