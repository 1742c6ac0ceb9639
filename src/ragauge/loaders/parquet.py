"""Read Parquet with polars; columns keep their types."""

from pathlib import Path

from ragauge.loaders.files import unopened
from ragauge.loaders.frames import polars_table
from ragauge.loaders.table import Table, unreadable
from ragauge.regular_file import check_regular


def read_parquet(path: Path) -> Table:
    """The file's rows, numbered from 1."""
    import polars as pl

    source = str(path)
    try:
        check_regular(path)
        path.open("rb").close()
        # An absolute path without globbing: polars reads other texts as patterns or URLs.
        frame = pl.read_parquet(path.absolute(), glob=False, hive_partitioning=False)
    except (OSError, ValueError) as error:
        return unreadable(source, unopened(path, error))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        return unreadable(source, f"is not a complete Parquet file: {reason}")
    return polars_table(frame, source)
