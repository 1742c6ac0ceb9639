"""Read Parquet with polars; columns keep their types."""

import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from io import BytesIO
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from ragauge.loaders.formats.files import (
    LINES_COUNT_FROM,
    MAX_LINES_PER_BYTE,
    MAX_RATIO,
    MAX_UNPACKED_BYTES,
    RATIO_COUNTS_FROM,
    unopened,
)
from ragauge.loaders.formats.frames import polars_table
from ragauge.loaders.table import Table, unreadable
from ragauge.storage.regular_file import check_regular

if TYPE_CHECKING:
    import polars as pl

ROWS_SAMPLED = 200
VALUES_PER_ROW = 100  # how many times more values than rows a small file may have
REPEATED_COUNTS_FROM = 256 * 2**20  # bytes up to which rows may repeat the same text


def parquet_tables(path: Path, most_bytes: float = inf) -> Iterator[Table]:
    """The file's rows in tables of about `most_bytes` bytes."""
    import polars as pl

    source = str(path)
    try:
        with scanned_parquet(path) as frame:
            at_once = n_rows = int(frame.select(pl.len()).collect().item())
            if most_bytes < inf:
                first = frame.head(ROWS_SAMPLED).collect()
                at_once = int(most_bytes * max(first.height, 1) / max(first.estimated_size(), 1))
            most = max(MAX_RATIO * path.stat().st_size, REPEATED_COUNTS_FROM)
            for start in range(0, max(n_rows, 1), max(at_once, 1)):
                piece = frame.slice(start, max(at_once, 1)).collect()
                # polars keeps a text that rows share once, but each row becomes an object of its own.
                if piece.estimated_size() > most:
                    problem = f"unpacks to over {most:,} bytes of text; write fewer rows"
                    yield unreadable(source, problem)
                else:
                    yield polars_table(piece, source, n_before=start)
    except FooterError as error:
        yield unreadable(source, str(error))


@contextmanager
def scanned_parquet(path: Path) -> "Generator[pl.LazyFrame]":
    """The file as a lazy frame; FooterError says why it cannot be read."""
    import polars as pl

    try:
        check_regular(path)
        check_parquet(path)
        # An absolute path without globbing: polars reads other texts as patterns or URLs.
        yield pl.scan_parquet(path.absolute(), glob=False, hive_partitioning=False)
    except FooterError:
        raise
    except (OSError, ValueError) as error:
        raise FooterError(unopened(path, error)) from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise FooterError(f"is not a complete Parquet file: {reason}") from None


def check_parquet(path: Path) -> None:
    """Raise FooterError for a file that is damaged, of which polars prints a backtrace, or unpacks to far more than its size."""
    try:
        footer = read_footer(path)
    except FooterError as error:
        raise FooterError(f"is not a complete Parquet file: {error}") from None
    size = path.stat().st_size
    most_rows = max(MAX_LINES_PER_BYTE * size, LINES_COUNT_FROM)
    most_bytes = min(max(MAX_RATIO * size, RATIO_COUNTS_FROM), MAX_UNPACKED_BYTES)
    for n, most, what, way_out in (
        (footer.n_rows, most_rows, "rows", "as CSV"),
        (footer.n_values, VALUES_PER_ROW * most_rows, "values", "as CSV"),
        (footer.unpacked_bytes, most_bytes, "bytes", "uncompressed"),
    ):
        if n > most:
            text = f"unpacks to over {most:,} {what}; if you trust the file, write it {way_out}"
            raise FooterError(text)


MAGIC = b"PAR1"
MAX_FOOTER_BYTES = 256 * 2**20
MAX_DEPTH = 30

_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = (1, 2, 3, 7, 8, 9, 10, 12)
_INTEGERS = (4, 5, 6)

Struct = dict[int, object]  # the fields of a Thrift struct by their numbers; texts are left out


class FooterError(ValueError):
    """The footer cannot be read, or does not fit its file."""


class Footer(NamedTuple):
    """The rows of a file, and the values and unpacked bytes of all its columns."""

    n_rows: int
    n_values: int
    unpacked_bytes: int


def read_footer(path: Path) -> Footer:
    """The footer of a Parquet file; FooterError if a column lies outside the file."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        if size < 12:
            raise FooterError("it is too short")
        file.seek(size - 8)
        end = file.read(8)
        length = int.from_bytes(end[:4], "little")
        if end[4:] != MAGIC or not 0 < length <= min(size - 12, MAX_FOOTER_BYTES):
            raise FooterError("it has no footer")
        file.seek(size - 8 - length)
        content = file.read(length)
    try:
        table = _struct(BytesIO(content))
        columns = [
            cast("Struct", chunk.get(3, {}))
            for group in cast("list[Struct]", table.get(4, []))
            for chunk in cast("list[Struct]", group.get(1, []))
        ]
        for column in columns:
            # A reader that trusts such an offset reads beyond the end of the file.
            first = min([at for at in (_count(column, 9), _count(column, 11)) if at > 0], default=0)
            if not 0 < first <= first + _count(column, 7) <= size - 8:
                raise FooterError("a column lies outside the file")
        n_values, unpacked = (sum(_count(each, number) for each in columns) for number in (5, 6))
        return Footer(_count(table, 3), n_values, unpacked)
    except (IndexError, TypeError, AttributeError, OverflowError):
        raise FooterError("its footer is damaged") from None


def _count(table: Struct, number: int) -> int:
    value = table.get(number, 0)
    if not isinstance(value, int) or value < 0:
        raise FooterError("its footer is damaged")
    return value


def _struct(content: BytesIO, depth: int = 0) -> Struct:
    """A struct in Thrift's compact protocol; IndexError where the bytes end too early."""
    fields: Struct = {}
    number = 0
    while kind := content.read(1)[0]:
        number = number + (kind >> 4) if kind >> 4 else _integer(content)
        value = _value(content, kind & 15, depth + 1)
        if value is not None:
            fields[number] = value
    return fields


def _value(content: BytesIO, kind: int, depth: int, *, in_list: bool = False) -> object:
    if depth > MAX_DEPTH:
        raise FooterError("its footer is nested too deeply")
    if kind in _INTEGERS:
        return _integer(content)
    if kind == _STRUCT:
        return _struct(content, depth)
    if kind in (_LIST, _SET):
        head = content.read(1)[0]
        n = _unsigned(content) if head >> 4 == 15 else head >> 4
        if n > len(content.getbuffer()):
            raise FooterError("its footer is damaged")
        return [_value(content, head & 15, depth + 1, in_list=True) for _ in range(n)]
    if kind in (_TRUE, _FALSE):  # in a field the kind is the value
        content.seek(int(in_list), os.SEEK_CUR)
    elif kind in (_BYTE, _DOUBLE, _BINARY):
        content.seek({_BYTE: 1, _DOUBLE: 8}.get(kind) or _unsigned(content), os.SEEK_CUR)
    else:
        raise FooterError("its footer is damaged")
    return None


def _integer(content: BytesIO) -> int:
    value = _unsigned(content)
    return (value >> 1) ^ -(value & 1)


def _unsigned(content: BytesIO) -> int:
    value = 0
    for shift in range(0, 64, 7):
        byte = content.read(1)[0]
        value |= (byte & 127) << shift
        if byte < 128:
            return value
    raise FooterError("its footer is damaged")
