"""Read files and frames with a row for each document: Parquet, CSV, JSON Lines, polars, pandas."""

import gzip
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

import numpy as np

from ragauge.errors import DataError, Problem
from ragauge.loaders.formats import csv, frames, json, jsonl
from ragauge.loaders.formats.files import (
    MAX_RATIO,
    MAX_UNPACKED_BYTES,
    RATIO_COUNTS_FROM,
    unopened,
)
from ragauge.loaders.formats.parquet import ParquetError, check_parquet
from ragauge.loaders.table import Table
from ragauge.rankings.arrays import Bytes, Ints
from ragauge.rankings.reading.columns import (
    Value,
    choose,
    rows_of_cells,
    rows_of_frame,
    rows_of_values,
)
from ragauge.rankings.reading.rows import Rows, field_of_texts, refuse
from ragauge.rankings.reading.scan import Field, padded
from ragauge.storage.regular_file import check_regular

if TYPE_CHECKING:
    import polars as pl

_BOM = b"\xef\xbb\xbf"
_UNUSUAL = (b'"', b"\0")
"""A CSV file that contains one of these is read by the strict reader."""


# Frames


def rows_of_parquet(path: Path, kind: Value) -> Rows:
    """The rows of a Parquet file, of which only three columns are read."""
    import polars as pl

    source = str(path)
    try:
        check_regular(path)
        check_parquet(path)
        chosen = choose(list(pl.read_parquet_schema(path)), kind, source)
        # An absolute path without globbing: polars reads other texts as patterns or URLs.
        frame = pl.read_parquet(
            path.absolute(), columns=list(chosen.all), glob=False, hive_partitioning=False
        )
    except ParquetError as error:
        raise DataError([Problem(str(error), source)]) from None
    except (OSError, ValueError) as error:
        raise DataError([Problem(unopened(path, error), source)]) from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataError([Problem(f"is not a complete Parquet file: {reason}", source)]) from None
    return rows_of_frame(frame, chosen, source)


def rows_of_polars(frame: "pl.DataFrame", kind: Value) -> Rows:
    """The rows of a polars frame."""
    source = "polars frame"
    return rows_of_frame(frame, choose(frame.columns, kind, source), source)


class _PandasColumn(Protocol):
    def tolist(self) -> list[object]: ...
    def isna(self) -> "_PandasColumn": ...


class _PandasFrame(Protocol):
    """The used part of a pandas frame; this module never imports pandas."""

    columns: Sequence[object]
    index: "_PandasIndex"

    def reset_index(self) -> "_PandasFrame": ...
    def __getitem__(self, name: str) -> _PandasColumn: ...


class _PandasIndex(Protocol):
    names: Sequence[object]


def rows_of_pandas(given: object, kind: Value) -> Rows:
    """The rows of a pandas frame; a named index is a column."""
    source = "pandas frame"
    frame = cast(_PandasFrame, given)
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index()
    chosen = choose([name for name in frame.columns if isinstance(name, str)], kind, source)
    return rows_of_values(source, chosen, {name: _without_nan(frame[name]) for name in chosen.all})


def _without_nan(column: _PandasColumn) -> list[object]:
    """The column's values, with None for every kind of pandas null."""
    nulls, values = column.isna().tolist(), column.tolist()
    if not any(nulls):
        return values
    return [None if is_null else value for value, is_null in zip(values, nulls, strict=True)]


# Rows of objects


def rows_of_dicts(given: Sequence[object], kind: Value) -> Rows:
    """The rows of a list of dicts."""
    return _rows_of_table(frames.rows_table(given), kind)


def rows_of_jsonl(path: Path, kind: Value) -> Rows:
    """The rows of a file with one object per line."""
    return _rows_of_table(jsonl.read_jsonl(path), kind)


def rows_of_json_list(path: Path, kind: Value) -> Rows:
    """The rows of a file that is a list of objects."""
    return _rows_of_table(json.read_json(path), kind)


def _rows_of_table(table: Table, kind: Value) -> Rows:
    refuse(table.problems)
    if not table.rows:
        raise DataError([Problem("is empty: it has no rows", table.source)])
    chosen = choose(table.columns(), kind, table.source)
    columns: Mapping[str, list[object]] = {
        name: [row.values.get(name) for row in table.rows] for name in chosen.all
    }
    lines = [row.line or place for place, row in enumerate(table.rows, 1)]
    return rows_of_values(table.source, chosen, columns, line=lines.__getitem__, notes=table.notes)


# CSV


def rows_of_csv(path: Path, delimiter: str, kind: Value) -> Rows:
    """The rows of a CSV or TSV file; ids are unchanged, also `007`, `NA` and `1e5`."""
    evenly = _split_evenly(path, delimiter.encode())
    if evenly is None:
        return _strict_rows(path, delimiter, kind)
    header, fields = evenly
    chosen = choose(header, kind, str(path))
    query, document, value = (fields[header.index(name)] for name in chosen.all)
    if any((field.start == field.end).any() for field in (query, document, value)):
        return _strict_rows(path, delimiter, kind)
    return rows_of_cells(str(path), chosen, query, document, value, lambda row: row + 2)


def _strict_rows(path: Path, delimiter: str, kind: Value) -> Rows:
    table = csv.read_csv(path, delimiter=delimiter, only_utf=True)
    refuse(table.problems)
    chosen = choose(table.columns(), kind, table.source)
    lines = [row.line or 0 for row in table.rows]
    query, document, value = (
        field_of_texts([cast(str, row.values[name]) for row in table.rows]) for name in chosen.all
    )
    return rows_of_cells(
        table.source, chosen, query, document, value, lines.__getitem__, table.notes
    )


def _split_evenly(path: Path, delimiter: bytes) -> tuple[list[str], list[Field]] | None:
    """The header and each column's cells, for a file without quotes, blank lines or ragged lines.

    None for any other file; the strict reader then reads it, or reports what is wrong with it.
    """
    text = _whole(path)
    if text is None or any(mark in text for mark in _UNUSUAL):
        return None
    header, _, body = text.removeprefix(_BOM).partition(b"\n")
    header, n_returns = header.removesuffix(b"\r"), body.count(b"\r")
    names = header.decode().split(delimiter.decode())
    body = body if body.endswith(b"\n") else body + b"\n"
    cells = padded(body)
    marks = np.flatnonzero((cells == delimiter[0]) | (cells == _NEWLINE))
    n_rows, left = divmod(len(marks), len(names))
    if left or len(names) < 2 or len({*names}) < len(names):
        return None
    ends: list[Ints] = [
        np.ascontiguousarray(marks[place :: len(names)]) for place in range(len(names))
    ]
    starts = [
        np.concatenate([np.zeros(1, np.int64), ends[-1][:-1] + 1]),
        *(end + 1 for end in ends[:-1]),
    ]
    if body.count(b"\n") != n_rows or (cells[ends[-1]] != _NEWLINE).any():
        return None
    if n_returns:
        has_return = _has_return(cells, ends[-1])
        if np.count_nonzero(has_return) != n_returns:
            return None
        ends[-1] = ends[-1] - has_return
    return names, [Field(cells, start, end) for start, end in zip(starts, ends, strict=True)]


_NEWLINE, _RETURN = b"\n\r"


def _has_return(cells: Bytes, end: Ints) -> Ints:
    return (cells[end - 1] == _RETURN).astype(np.int64)


def _whole(path: Path) -> bytes | None:
    """The decompressed file; None if it is not UTF-8, or a decompression bomb."""
    try:
        if path.suffix.lower() != ".gz":
            text = path.read_bytes()
        else:
            most = max(MAX_RATIO * path.stat().st_size, RATIO_COUNTS_FROM)
            with gzip.open(path) as packed:
                text = packed.read(min(most, MAX_UNPACKED_BYTES) + 1)
            if len(text) > min(most, MAX_UNPACKED_BYTES):
                return None
        if not text.isascii():
            text.decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError):
        return None
    return text
