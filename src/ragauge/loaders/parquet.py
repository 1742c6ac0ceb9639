"""Read Parquet with polars; columns keep their types."""

from collections.abc import Iterator
from pathlib import Path

from ragauge.loaders.files import unopened
from ragauge.loaders.frames import polars_table
from ragauge.loaders.table import Table, unreadable
from ragauge.regular_file import check_regular

ROWS_SAMPLED = 200


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
        path.open("rb").close()
        # An absolute path without globbing: polars reads other texts as patterns or URLs.
        frame = pl.scan_parquet(path.absolute(), glob=False, hive_partitioning=False)
        if most_bytes is None:
            yield polars_table(frame.collect(), source)
            return
        first = frame.head(ROWS_SAMPLED).collect()
        n_rows = int(frame.select(pl.len()).collect().item())
        at_once = max(1, int(most_bytes * max(first.height, 1) / max(first.estimated_size(), 1)))
        for start in range(0, n_rows, at_once):
            piece = frame.slice(start, at_once).collect()
            yield polars_table(piece, source, n_before=start)
    except (OSError, ValueError) as error:
        yield unreadable(source, unopened(path, error))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        yield unreadable(source, f"is not a complete Parquet file: {reason}")
