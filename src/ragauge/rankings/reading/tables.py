"""Read files and frames with a row for each document: Parquet, CSV, JSON Lines, polars, pandas."""

from collections.abc import Callable, Sequence
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ragauge.errors import DataError, Problem
from ragauge.loaders.formats import csv
from ragauge.loaders.formats.frames import cells_of_pandas
from ragauge.loaders.formats.parquet import FooterError, scanned_parquet
from ragauge.loaders.table import Table
from ragauge.rankings.hits import Bytes
from ragauge.rankings.reading.fields import Field, field_of, field_of_series, texts_of
from ragauge.rankings.reading.rows import (
    MAX_SHOWN,
    Chosen,
    Rows,
    Value,
    choose,
    refuse,
    rows_of,
    rows_of_values,
)
from ragauge.rankings.reading.scan import MalformedError, decimals
from ragauge.rankings.reading.streams import packed_at, whole_text

if TYPE_CHECKING:
    import polars as pl

_NEWLINE, _RETURN, _QUOTE = b'\n\r"'


def rows_of_parquet(path: Path, kind: Value) -> Rows:
    """The rows of a Parquet file, of which only three columns are read."""
    source = str(path)
    try:
        with scanned_parquet(path) as lazy:
            chosen = choose(lazy.collect_schema().names(), kind, source)
            frame = lazy.select(chosen.columns).collect()
    except FooterError as error:
        raise DataError([Problem(str(error), source)]) from None
    return rows_of_frame(frame, kind, source)


def rows_of_frame(frame: "pl.DataFrame", kind: Value, source: str = "polars frame") -> Rows:
    """The rows of a polars frame, numbered from 1."""
    import polars as pl

    chosen = choose(frame.columns, kind, source)
    columns = [frame[name] for name in chosen.columns]
    refuse(
        Problem(
            f"is null{f', and so are {n - 1:,} more' * (n > 1)}; every row needs a value",
            source,
            column.is_null().arg_true()[0] + 1,
            column.name,
        )
        for column in columns
        if (n := column.null_count())
    )
    if not len(frame):
        raise DataError([Problem("is empty: it has no rows", source)])
    for at, column in enumerate(columns[:2]):
        dtype = column.dtype
        if dtype.is_integer() or isinstance(dtype, pl.Categorical | pl.Enum):
            columns[at] = column.cast(pl.String)
        elif dtype != pl.String:
            why = ", because numbers may have lost digits" if dtype.is_float() else ""
            what = f"must be text, is {dtype}; give ids as texts{why}"
            raise DataError([Problem(what, source, None, column.name)])
    query, document, value = columns
    if not (value.dtype.is_numeric() or (kind == "grade" and value.dtype == pl.Boolean)):
        what = f"must be numbers, is {value.dtype}; cast it, or write the {kind} as a number"
        raise DataError([Problem(what, source, None, value.name)])
    first = (query != query.shift(1)).fill_null(value=True).arg_true()
    fields = field_of_series(query.gather(first)), field_of_series(document)
    begins, scores = first.to_numpy().astype(np.int64), value.cast(pl.Float64).to_numpy()
    return rows_of(source, chosen, *fields, scores, first=begins)


def rows_of_pandas(frame: Any, kind: Value) -> Rows:
    """The rows of a pandas frame, which is never imported here; a named index is a column, every kind of null None."""
    source = "pandas frame"
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index()
    chosen = choose([name for name in frame.columns if isinstance(name, str)], kind, source)
    cells = {name: cells_of_pandas(frame[name]) for name in chosen.columns}
    return rows_of_values(source, chosen, cells)


def rows_of_table(table: Table, kind: Value) -> Rows:
    """The rows of objects: a list of dicts, a file with one object per line, or a list of objects."""
    refuse(table.problems)
    if not table.rows:
        raise DataError([Problem("is empty: it has no rows", table.source)])
    chosen = choose(table.columns, kind, table.source)
    columns = {name: [row.values.get(name) for row in table.rows] for name in chosen.columns}
    lines = [row.line or place for place, row in enumerate(table.rows, 1)]
    return rows_of_values(table.source, chosen, columns, line=lines.__getitem__, notes=table.notes)


def rows_of_csv(path: Path, delimiter: str, kind: Value) -> Rows:
    """The rows of a CSV or TSV file; ids are unchanged, also `007`, `NA` and `1e5`."""
    source = str(path)
    try:
        packed = packed_at(path)
        with packed.open() as file:
            is_gzip = file.read(2) == b"\x1f\x8b"
        text = whole_text(packed) if is_gzip == (path.suffix.lower() == ".gz") else None
    except DataError:
        text = None  # the strict reader reports what is wrong
    if text is not None and (fields := _split_evenly(text, delimiter.encode())):
        chosen = choose(list(fields), kind, source)
        cells = [fields[name] for name in chosen.columns]
        if all(field.length.all() for field in cells):
            return _rows_of_cells(source, chosen, cells, lambda row: row + 2)
    table = csv.read_csv(path, delimiter=delimiter, only_utf=True)
    refuse(table.problems)
    chosen = choose(table.columns, kind, source)
    lines = [row.line or 0 for row in table.rows]
    cells = [
        field_of([cast(str, row.values[name]) for row in table.rows]) for name in chosen.columns
    ]
    return _rows_of_cells(source, chosen, cells, lines.__getitem__, table.notes)


def _split_evenly(text: Bytes, delimiter: bytes) -> dict[str, Field] | None:
    """Each column's cells, for a file in UTF-8 without quotes, blank or ragged lines; None for any other."""
    if ((text == _QUOTE) | (text == 0)).any():
        return None
    try:
        if (text > 127).any():
            text.tobytes().decode()
    except UnicodeDecodeError:
        return None
    marks = np.flatnonzero((text == delimiter[0]) | (text == _NEWLINE))
    newlines = np.flatnonzero(text == _NEWLINE)
    header = text[: newlines[0]].tobytes().decode().removesuffix("\r")
    names = header.removeprefix("   ").split(delimiter.decode())  # where the mark of UTF-8 was
    marks = marks[len(names) :]
    n_rows, left = divmod(len(marks), len(names))
    if left or not n_rows or len(names) < 2 or len({*names}) < len(names):
        return None
    ends = [np.ascontiguousarray(marks[place :: len(names)]) for place in range(len(names))]
    if len(newlines) != n_rows + 1 or (text[ends[-1]] != _NEWLINE).any():
        return None
    starts = [newlines[:-1] + 1, *(end + 1 for end in ends[:-1])]
    if n_returns := np.count_nonzero(text[newlines[0] :] == _RETURN):
        has_return = text[ends[-1] - 1] == _RETURN
        if np.count_nonzero(has_return) != n_returns:
            return None
        ends[-1] = ends[-1] - has_return
    cells = map(Field, repeat(text), starts, ends)
    return dict(zip(names, cells, strict=True))


def _rows_of_cells(
    source: str,
    chosen: Chosen,
    cells: Sequence[Field],
    line: Callable[[int], int],
    notes: Sequence[str] = (),
) -> Rows:
    """Rows made of cells of text: ids are unchanged, numbers are parsed, and grades may be true or false."""
    refuse(
        Problem("is empty; every row needs a value", source, line(row), name)
        for name, field in zip(chosen.columns, cells, strict=True)
        for row in np.flatnonzero(field.length == 0)[:MAX_SHOWN].tolist()
    )
    query, document, value = cells
    try:
        read = decimals(value)
    except MalformedError as error:
        words = [cell.lower() for cell in texts_of(value)] if chosen.kind == "grade" else []
        if {"true", "false"} & {*words}:
            value = field_of([{"true": "1", "false": "0"}.get(word, word) for word in words])
            return _rows_of_cells(source, chosen, (query, document, value), line, notes)
        row = int(np.searchsorted(value.start, error.at, "right")) - 1
        raise DataError([Problem(error.problem, source, line(row), chosen.columns[2])]) from None
    return rows_of(source, chosen, query, document, read, line=line, notes=notes)
