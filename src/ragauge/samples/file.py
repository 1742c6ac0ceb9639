"""Samples in a Parquet file, of which only pieces are in memory."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ragauge.errors import StoreError

if TYPE_CHECKING:
    import polars as pl

MAX_ROWS_AT_ONCE = 20_000
MAX_BYTES_AT_ONCE = 32 * 2**20
"""Most that is in memory at once: rows, and about how many bytes."""
ROWS_SAMPLED = 200


@dataclass(frozen=True)
class SampleFile:
    """A Parquet file of samples, read by ranges of rows.

    `keeper` removes a temporary file when nothing refers to it any more.
    """

    path: Path
    keeper: object = field(default=None, repr=False, compare=False)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._lazy.collect_schema().names())

    @cached_property
    def height(self) -> int:
        """The number of rows."""
        import polars as pl

        return int(self._lazy.select(pl.len()).collect().item())

    @cached_property
    def rows_at_once(self) -> int:
        """How many rows to read at once, by the size of the first ones."""
        return rows_at_once(self.read(0, min(ROWS_SAMPLED, self.height)))

    def lazy(self) -> "pl.LazyFrame":
        """The file as one lazy frame."""
        return self._lazy

    @cached_property
    def _lazy(self) -> "pl.LazyFrame":
        # Kept: polars then reads the file's end, where the row groups are listed, only once.
        import polars as pl

        # With glob, polars would read * and [ in a path as patterns.
        return pl.scan_parquet(self.path.absolute(), glob=False, hive_partitioning=False)

    def counts(self, column: str) -> dict[str, int]:
        """How many rows have each value of a column of texts."""
        import polars as pl

        lazy = self._lazy.group_by(column).len()
        return dict(self._collected(lazy.select(pl.col(column).cast(pl.String), "len")).iter_rows())

    def read(self, start: int, stop: int, columns: Sequence[str] | None = None) -> "pl.DataFrame":
        """Rows `start` to `stop`; with `columns`, only these."""
        lazy = self._lazy.slice(start, max(stop - start, 0))
        return self._collected(lazy if columns is None else lazy.select(columns))

    def _collected(self, lazy: "pl.LazyFrame") -> "pl.DataFrame":
        import polars as pl

        try:
            return lazy.collect()
        except (OSError, pl.exceptions.PolarsError) as error:
            raise StoreError(f"{self.path}: the samples cannot be read: {error!s:.200}") from None


def rows_at_once(frame: "pl.DataFrame") -> int:
    """How many rows like those of the frame are read at once."""
    size = frame.estimated_size() / max(frame.height, 1)
    return max(1, min(MAX_ROWS_AT_ONCE, int(MAX_BYTES_AT_ONCE / max(size, 1))))
