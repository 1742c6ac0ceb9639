"""Read Parquet with polars; columns keep their types."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ragauge.loaders.formats.files import (
    HIGHEST_RATIO,
    LARGEST_UNPACKED,
    LINES_COUNT_FROM,
    MOST_LINES_PER_BYTE,
    RATIO_COUNTS_FROM,
    unopened,
)
from ragauge.loaders.formats.frames import polars_table
from ragauge.loaders.formats.parquet_footer import Footer, FooterError, read_footer
from ragauge.loaders.table import Table, unreadable
from ragauge.storage.regular_file import check_regular

if TYPE_CHECKING:
    import polars as pl

ROWS_SAMPLED = 200
VALUES_PER_ROW = 100
"""How many times more values than rows a small file may have: columns, and items of lists."""
REPEATED_COUNTS_FROM = 256 * 2**20
"""Bytes of text up to which rows may repeat the same text any number of times."""


class ParquetError(ValueError):
    """A file that is damaged, or would unpack to far more than its size."""


def read_parquet(path: Path) -> Table:
    """The file's rows, numbered from 1."""
    (table,) = parquet_tables(path)
    return table


def parquet_tables(path: Path, most_bytes: int | None = None) -> Iterator[Table]:
    """The file's rows in tables of about `most_bytes` bytes; in one without it."""
    import polars as pl

    source = str(path)
    try:
        check_regular(path)
        check_parquet(path)
        # An absolute path without globbing: polars reads other texts as patterns or URLs.
        frame = pl.scan_parquet(path.absolute(), glob=False, hive_partitioning=False)
        if most_bytes is None:
            yield _table(frame.collect(), source, path)
            return
        first = frame.head(ROWS_SAMPLED).collect()
        n_rows = int(frame.select(pl.len()).collect().item())
        at_once = max(1, int(most_bytes * max(first.height, 1) / max(first.estimated_size(), 1)))
        for start in range(0, n_rows, at_once):
            piece = frame.slice(start, at_once).collect()
            yield _table(piece, source, path, n_before=start)
    except ParquetError as error:
        yield unreadable(source, str(error))
    except (OSError, ValueError) as error:
        yield unreadable(source, unopened(path, error))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        yield unreadable(source, f"is not a complete Parquet file: {reason}")


def check_parquet(path: Path) -> None:
    """Raise ParquetError, before anything is unpacked; OSError if the file cannot be read.

    polars also finds most damage, but prints a backtrace of its own before its error.
    """
    try:
        footer = read_footer(path)
    except FooterError as error:
        raise ParquetError(f"is not a complete Parquet file: {error}") from None
    if problem := _bomb(footer, path.stat().st_size):
        raise ParquetError(problem)


def _bomb(footer: Footer, size: int) -> str:
    """Why a file would unpack to far more than its size; empty if it does not."""
    most_rows = max(MOST_LINES_PER_BYTE * size, LINES_COUNT_FROM)
    most_bytes = min(max(HIGHEST_RATIO * size, RATIO_COUNTS_FROM), LARGEST_UNPACKED)
    if footer.n_rows > most_rows:
        return f"unpacks to over {most_rows:,} rows; if you trust the file, write it as CSV"
    if footer.n_values > VALUES_PER_ROW * most_rows:
        return f"unpacks to over {VALUES_PER_ROW * most_rows:,} values; if you trust the file, write it as CSV"
    if footer.unpacked_bytes > most_bytes:
        return f"unpacks to over {most_bytes:,} bytes; if you trust the file, write it uncompressed"
    return ""


def _table(frame: "pl.DataFrame", source: str, path: Path, n_before: int = 0) -> Table:
    """The rows as a table; a problem if repeated texts would fill the memory."""
    most = max(HIGHEST_RATIO * path.stat().st_size, REPEATED_COUNTS_FROM)
    # polars keeps a text that rows share once, but each row becomes an object of its own.
    if frame.estimated_size() > most:
        return unreadable(source, f"unpacks to over {most:,} bytes of text; write fewer rows")
    return polars_table(frame, source, n_before=n_before)
