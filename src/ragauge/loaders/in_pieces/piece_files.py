"""The pieces of samples, in memory or on disk, and their way into samples with columns of one type each."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ragauge.samples.file import SampleFile, rows_at_once
from ragauge.samples.frame import frame_of
from ragauge.samples.samples import FIELDS
from ragauge.samples.temporary_file import TemporaryFolder, write_errors

if TYPE_CHECKING:
    Ints = NDArray[np.int64]

FRAME_BYTES = 64 * 2**20
"""Samples of at most about this size are a frame in memory, larger ones a file."""
LINE = "ragauge line"
"""A column of the pieces that the samples do not have: each row's line in its source."""


@dataclass(slots=True)
class PieceFiles:
    """Pieces of samples, each with the columns and types of its own rows.

    They are frames until they are larger than `most_bytes` together, and then files.
    """

    most_bytes: float
    folder: TemporaryFolder | None = None
    starts: list[int] = field(default_factory=list[int])
    """The number of the first row of each piece."""
    n_rows: int = 0
    kinds: dict[str, set[type]] = field(default_factory=dict[str, set[type]])
    """The columns in order of first appearance; for slice fields the types of their values."""
    encoded: dict[int, set[str]] = field(default_factory=dict[int, set[str]])
    """For each piece the slice fields that are kept as JSON, because they have several types."""
    rows_at_once: int = 0
    _frames: "list[pl.DataFrame]" = field(default_factory=list[Any])
    _n_bytes: float = 0

    @classmethod
    def of(cls, *, as_file: bool | None) -> "PieceFiles":
        """Pieces that become a file or a frame, by their size if `as_file` is None."""
        return cls(FRAME_BYTES if as_file is None else -1 if as_file else inf)

    def add(self, values: list[dict[str, object]], lines: Sequence[int | None]) -> "pl.DataFrame":
        """Write the rows as the next piece and return it."""
        number = len(self.starts)
        self._encode_mixed(number, values)
        frame = frame_of(values)
        self._write(number, frame.with_columns(pl.Series(LINE, lines, dtype=pl.UInt32)))
        self.starts.append(self.n_rows)
        self.n_rows += frame.height
        at_once = rows_at_once(frame)
        self.rows_at_once = min(self.rows_at_once or at_once, at_once)
        return frame

    def _write(self, number: int, frame: "pl.DataFrame") -> None:
        """Keep a piece, in place of the one with its number."""
        if self.folder is None:
            before = self._frames[number : number + 1]
            self._frames[number : number + 1] = [frame]
            self._n_bytes += frame.estimated_size() - sum(old.estimated_size() for old in before)
            if self._n_bytes <= self.most_bytes:
                return
            self.folder = TemporaryFolder()
            for place, kept in enumerate(self._frames):
                self._write(place, kept)
            self._frames.clear()
            return
        path = self._path(self.folder, number)
        with write_errors(path):
            frame.write_parquet(path, compression="lz4")

    def _path(self, folder: TemporaryFolder, number: int) -> Path:
        return folder.path / f"{number:06}.parquet"

    def _scan(self, number: int) -> "pl.LazyFrame":
        if self.folder is None:
            return self._frames[number].lazy()
        return pl.scan_parquet(self._path(self.folder, number), glob=False)

    def _schema(self, number: int) -> "Mapping[str, pl.DataType]":
        if self.folder is None:
            return self._frames[number].schema
        return self._scan(number).collect_schema()

    def _encode_mixed(self, number: int, values: list[dict[str, object]]) -> None:
        """Keep slice fields of several types as JSON until the types of all rows are known."""
        own: dict[str, set[type]] = {}
        for row in values:
            for name, value in row.items():
                kinds = own.setdefault(name, set())
                if value is not None and name not in FIELDS:
                    kinds.add(type(value))
        for name, kinds in own.items():
            self.kinds.setdefault(name, set()).update(kinds)
            if len(kinds) > 1:
                self.encoded.setdefault(number, set()).add(name)
                for row in values:
                    if row.get(name) is not None:
                        row[name] = json.dumps(row[name])

    def rows(self, wanted: "Sequence[int] | Ints", columns: Sequence[str]) -> "pl.DataFrame":
        """These columns of some rows, in ascending order of the rows' numbers; absent ones are null."""
        numbers = np.unique(np.asarray(wanted, dtype=np.int64))
        piece_of = np.searchsorted(self.starts, numbers, side="right") - 1
        found: list[pl.DataFrame] = []
        for piece in cast("list[int]", np.unique(piece_of).tolist()):
            own = numbers[piece_of == piece] - self.starts[piece]
            frame = self.piece(piece, columns)
            found.append(frame[own].with_columns(pl.Series("row", own + self.starts[piece])))
        return pl.concat(found, how="diagonal_relaxed")

    def piece(self, number: int, columns: Sequence[str]) -> "pl.DataFrame":
        """These columns of one piece, those of them that it has."""
        if self.folder is None:
            frame = self._frames[number]
            # `select` is a lazy query, which takes long on few rows.
            return frame[[name for name in columns if name in frame.columns]]
        lazy = self._scan(number)
        own = lazy.collect_schema()
        return lazy.select([name for name in columns if name in own]).collect()

    def _read(self, number: int) -> "pl.DataFrame":
        return self._frames[number] if self.folder is None else self._scan(number).collect()

    def height(self, number: int) -> int:
        """The number of rows of a piece."""
        ends = [*self.starts[1:], self.n_rows]
        return ends[number] - self.starts[number]

    def rename(self, number: int, ids: Sequence[str]) -> "pl.DataFrame":
        """Give the rows of a piece other ids; the piece with them."""
        frame = self._read(number).with_columns(pl.Series("id", ids, pl.String))
        self._write(number, frame)
        return frame

    def copy_values(
        self, name: str, rows: "Sequence[int] | Ints", donors: "Sequence[int] | Ints"
    ) -> None:
        """Give these rows the value of a field that other rows of the same id have."""
        wanted, given = (np.asarray(numbers, dtype=np.int64) for numbers in (rows, donors))
        order = np.argsort(wanted)
        wanted, given = wanted[order], given[order]
        for number, start in enumerate(self.starts):
            first, last = np.searchsorted(wanted, [start, start + self.height(number)])
            if last > first:
                self._copy(number, name, wanted[first:last] - start, given[first:last])

    def _copy(self, number: int, name: str, at: "Ints", donors: "Ints") -> None:
        frame = self._read(number).with_row_index("at")
        found = self.rows(donors, ["id", name]).select(
            pl.col("row").alias("donor"),
            pl.col("id").alias("donor id"),
            pl.col(name).alias("value"),
        )
        copied = pl.DataFrame({"at": at.astype("uint32"), "donor": donors.astype("int64")})
        copied = copied.join(found, on="donor", how="left")
        frame = frame.join(copied, on="at", how="left", maintain_order="left")
        # Two ids may have the same hash.
        is_copied = pl.col("donor").is_not_null() & (pl.col("id") == pl.col("donor id"))
        own = pl.col(name) if name in frame.columns else pl.lit(None)
        value = pl.when(is_copied).then(pl.col("value")).otherwise(own).alias(name)
        frame = frame.with_columns(value).drop("at", "donor", "donor id", "value")
        self._write(number, frame)
        self.rows_at_once = min(self.rows_at_once, rows_at_once(frame.drop(LINE)))

    def pieces(self, columns: Sequence[str]) -> "Iterator[pl.DataFrame]":
        for number in range(len(self.starts)):
            yield self.piece(number, columns)

    def settle(self) -> "Mapping[str, _Slice]":
        """Give the values of slice fields the types that all rows make; the types by field."""
        slices = {
            name: _Slice.of(kinds) for name, kinds in self.kinds.items() if name not in FIELDS
        }
        for number in range(len(self.starts)):
            self._settle(number, slices)
        self.encoded.clear()
        return slices

    def as_rows(self) -> "pl.DataFrame | SampleFile":
        """All rows as one frame or file; the pieces are removed."""
        slices = self.settle()
        names = [name for name in FIELDS if name in self.kinds]
        names += [name for name in self.kinds if name not in FIELDS]
        types = self._types(slices)
        if self.folder is None and len(self._frames) == 1:
            return self._frames.pop()[names]
        lazy = [self._lazy(number, names, types) for number in range(len(self.starts))]
        if self.folder is None:
            rows = pl.concat(lazy).collect()
            self._frames.clear()
            return rows
        path = self.folder.path / "samples.parquet"
        with write_errors(path):
            pl.concat(lazy).sink_parquet(
                path, compression="zstd", row_group_size=max(self.rows_at_once, 1)
            )
        for number in range(len(self.starts)):
            self._path(self.folder, number).unlink()
        return SampleFile(path, self.folder)

    def _settle(self, number: int, slices: "Mapping[str, _Slice]") -> None:
        """Write a piece again if a slice field has other types in other pieces."""
        encoded = self.encoded.get(number, set())
        schema = self._schema(number)
        changed = [
            name
            for name, own in slices.items()
            if name in schema and (name in encoded or own.is_changed(schema[name]))
        ]
        if not changed:
            return
        frame = self._read(number)
        for name in changed:
            values = cast("list[object]", frame[name].to_list())
            if name in encoded:
                values = [
                    None if value is None else json.loads(cast(str, value)) for value in values
                ]
            frame = frame.with_columns(slices[name].series(name, values))
        self._write(number, frame)

    def _types(self, slices: "Mapping[str, _Slice]") -> "dict[str, pl.DataType]":
        """The type of each column; that of a field is the same in all pieces that have it."""
        types: dict[str, Any] = {name: own.dtype for name, own in slices.items()}
        for number in range(len(self.starts)):
            for name, dtype in self._schema(number).items():
                types.setdefault(name, dtype)
        return types

    def _lazy(
        self, number: int, names: Sequence[str], types: "Mapping[str, pl.DataType]"
    ) -> "pl.LazyFrame":
        lazy = self._scan(number)
        own = lazy.collect_schema()
        return lazy.select(
            pl.col(name).cast(types[name])
            if name in own
            else pl.lit(None).cast(types[name]).alias(name)
            for name in names
        )


@dataclass(frozen=True, slots=True)
class _Slice:
    """The type of a slice field's values over all rows."""

    dtype: "pl.DataType"
    is_text: bool
    is_float: bool

    @classmethod
    def of(cls, kinds: set[type]) -> "_Slice":
        if kinds == {int, float} or kinds == {float}:
            return cls(pl.Float64(), is_text=False, is_float=True)
        if len(kinds) == 1:
            (kind,) = kinds
            own = {int: pl.Int64(), bool: pl.Boolean(), str: pl.String()}[kind]
            return cls(own, is_text=False, is_float=False)
        return cls(pl.String() if kinds else pl.Null(), is_text=bool(kinds), is_float=False)

    def is_changed(self, own: "pl.DataType") -> bool:
        """Whether values that a piece has in this type must become text."""
        return self.is_text and own not in (pl.String(), pl.Null())

    def series(self, name: str, values: Sequence[object]) -> "pl.Series":
        if self.is_text:
            values = [
                value if value is None or isinstance(value, str) else json.dumps(value)
                for value in values
            ]
        elif self.is_float:
            values = [None if value is None else float(cast(float, value)) for value in values]
        return pl.Series(name, values, dtype=self.dtype, strict=True)
