"""Read files and frames with a row for each document: Parquet, CSV, JSON Lines, polars, pandas."""

import gzip
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ragauge.errors import DataError, Problem
from ragauge.loaders.formats import csv
from ragauge.loaders.formats.files import (
    MAX_RATIO,
    MAX_UNPACKED_BYTES,
    RATIO_COUNTS_FROM,
    unopened,
)
from ragauge.loaders.formats.parquet import ParquetError, check_parquet
from ragauge.loaders.table import Table
from ragauge.rankings.reading.fields import Field, field_of_texts, padded
from ragauge.rankings.reading.rows import (
    Rows,
    Value,
    choose,
    refuse,
    rows_of_cells,
    rows_of_frame,
    rows_of_values,
)
from ragauge.rankings.reading.streams import BOM
from ragauge.storage.regular_file import check_regular

if TYPE_CHECKING:
    import polars as pl

_NEWLINE, _RETURN = b"\n\r"
_UNUSUAL = (b'"', b"\0")
"""A CSV file that contains one of these is read by the strict reader."""


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


def rows_of_pandas(frame: Any, kind: Value) -> Rows:
    """The rows of a pandas frame, which is never imported here; a named index is a column, every kind of null None."""
    source = "pandas frame"
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index()
    chosen = choose([name for name in frame.columns if isinstance(name, str)], kind, source)
    columns = dict[str, list[object]]()
    for name in chosen.all:
        nulls: list[bool] = frame[name].isna().tolist()
        values: list[object] = frame[name].tolist()
        if any(nulls):
            cells = zip(nulls, values, strict=True)
            values = [None if is_null else value for is_null, value in cells]
        columns[name] = values
    return rows_of_values(source, chosen, columns)


def rows_of_table(table: Table, kind: Value) -> Rows:
    """The rows of objects: a list of dicts, a file with one object per line, or a list of objects."""
    refuse(table.problems)
    if not table.rows:
        raise DataError([Problem("is empty: it has no rows", table.source)])
    chosen = choose(table.columns, kind, table.source)
    columns = {name: [row.values.get(name) for row in table.rows] for name in chosen.all}
    lines = [row.line or place for place, row in enumerate(table.rows, 1)]
    return rows_of_values(table.source, chosen, columns, line=lines.__getitem__, notes=table.notes)


def rows_of_csv(path: Path, delimiter: str, kind: Value) -> Rows:
    """The rows of a CSV or TSV file; ids are unchanged, also `007`, `NA` and `1e5`."""
    source = str(path)
    if evenly := _split_evenly(path, delimiter.encode()):
        header, fields = evenly
        chosen = choose(header, kind, source)
        cells = [fields[header.index(name)] for name in chosen.all]
        if all(field.length.all() for field in cells):
            return rows_of_cells(source, chosen, cells, lambda row: row + 2)
    table = csv.read_csv(path, delimiter=delimiter, only_utf=True)
    refuse(table.problems)
    chosen = choose(table.columns, kind, source)
    lines = [row.line or 0 for row in table.rows]
    cells = [
        field_of_texts([cast(str, row.values[name]) for row in table.rows]) for name in chosen.all
    ]
    return rows_of_cells(source, chosen, cells, lines.__getitem__, table.notes)


def _split_evenly(path: Path, delimiter: bytes) -> tuple[list[str], Sequence[Field]] | None:
    """The header and each column's cells, for a file without quotes, blank lines or ragged lines.

    None for any other file; the strict reader then reads it, or reports what is wrong with it.
    """
    text = _whole(path)
    if text is None or any(mark in text for mark in _UNUSUAL):
        return None
    header, _, body = text.removeprefix(BOM).partition(b"\n")
    header, n_returns = header.removesuffix(b"\r"), body.count(b"\r")
    names = header.decode().split(delimiter.decode())
    body = body if body.endswith(b"\n") else body + b"\n"
    cells = padded(body)
    marks = np.flatnonzero((cells == delimiter[0]) | (cells == _NEWLINE))
    n_rows, left = divmod(len(marks), len(names))
    if left or len(names) < 2 or len({*names}) < len(names):
        return None
    ends = [np.ascontiguousarray(marks[place :: len(names)]) for place in range(len(names))]
    first = np.concatenate([np.zeros(1, np.int64), ends[-1][:-1] + 1])
    starts = [first, *(end + 1 for end in ends[:-1])]
    if body.count(b"\n") != n_rows or (cells[ends[-1]] != _NEWLINE).any():
        return None
    if n_returns:
        has_return = cells[ends[-1] - 1] == _RETURN
        if np.count_nonzero(has_return) != n_returns:
            return None
        ends[-1] = ends[-1] - has_return
    return names, [Field(cells, start, end) for start, end in zip(starts, ends, strict=True)]


def _whole(path: Path) -> bytes | None:
    """The decompressed file; None if it is not UTF-8, or a decompression bomb."""
    try:
        if path.suffix.lower() != ".gz":
            text = path.read_bytes()
        else:
            most = max(MAX_RATIO * path.stat().st_size, RATIO_COUNTS_FROM)
            most = min(most, MAX_UNPACKED_BYTES)
            with gzip.open(path) as packed:
                text = packed.read(most + 1)
            if len(text) > most:
                return None
        if not text.isascii():
            text.decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError):
        return None
    return text
