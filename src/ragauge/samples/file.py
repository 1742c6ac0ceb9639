"""Samples in a Parquet file, of which only pieces are in memory, and temporary files for them on disk."""

import os
import shutil
import tempfile
import weakref
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ragauge.errors import StoreError
from ragauge.storage.atomic_files import lock

if TYPE_CHECKING:
    import polars as pl

MAX_ROWS_AT_ONCE = 20_000
MAX_BYTES_AT_ONCE = 8 * 2**20  # most that is in memory at once: rows, and about how many bytes
ROWS_SAMPLED = 200
ON_DISK = Path("/var/tmp")  # where temporary files are on disk; /tmp is in memory on some systems
PREFIX = "ragauge-"
LOCK = "lock"  # in each temporary folder, held as long as the process that made it lives


@dataclass(frozen=True)
class SampleFile:
    """A Parquet file of samples, read by ranges of rows; `keeper` removes a temporary file with the last reference to it."""

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


class TemporaryFolder:
    """A folder that is removed when nothing refers to it any more, at the latest when Python ends.

    The folder of a process that was killed is removed when the next one is made.
    """

    def __init__(self) -> None:
        own = "TMPDIR" in os.environ or not os.access(ON_DISK, os.W_OK)
        parent = Path(tempfile.gettempdir()) if own else ON_DISK
        _remove_left_over(parent)
        try:
            while True:
                self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
                handle = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
                # Another process may have taken it for left over before it was locked.
                if lock(handle) and (os.name != "posix" or os.fstat(handle).st_nlink):
                    break
                os.close(handle)
        except OSError as error:
            reason = error.strerror or str(error)
            raise StoreError(
                f"no temporary folder for large samples: {reason}; set TMPDIR to a folder on disk"
            ) from error
        self._finalizer = weakref.finalize(self, _remove, self.path, handle)

    def _piece(self, number: int) -> Path:
        return self.path / f"{number:06}.parquet"

    def write(self, number: int, piece: "pl.DataFrame") -> None:
        """Keep a piece of samples."""
        with _write_errors(path := self._piece(number)):
            piece.write_parquet(path, compression="lz4")

    def scan(self, number: int) -> "pl.LazyFrame":
        """A piece that was written."""
        import polars as pl

        return pl.scan_parquet(self._piece(number), glob=False)

    def joined(self, rows: "pl.LazyFrame", n_pieces: int, rows_at_once: int) -> SampleFile:
        """The rows, which are those of the first pieces, as one file; the pieces are removed."""
        with _write_errors(path := self.path / "samples.parquet"):
            rows.sink_parquet(path, compression="zstd", row_group_size=max(rows_at_once, 1))
        for number in range(n_pieces):
            self._piece(number).unlink()
        return SampleFile(path, self)


def _remove(folder: Path, handle: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    os.close(handle)
    shutil.rmtree(folder, ignore_errors=True)  # Windows removes no file that is open


def _remove_left_over(parent: Path) -> None:
    """Remove the temporary folders of processes that were killed."""
    folders: list[Path] = []
    with suppress(OSError):  # without these locks, as on Windows, nobody knows who lives
        folders += parent.glob(f"{PREFIX}*") if os.name == "posix" else ()
    for folder in folders:
        with suppress(OSError):
            # Only folders of this user, that have a lock which nobody holds.
            if folder.is_symlink() or folder.stat().st_uid != os.getuid():
                continue
            handle = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                if lock(handle):
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(handle)


@contextmanager
def _write_errors(path: Path) -> Generator[None]:
    """Turn errors of writing a temporary file into StoreError that says what to do."""
    import polars as pl

    try:
        yield
    except (OSError, pl.exceptions.ComputeError) as error:
        reason = str(error).rpartition("IO error: ")[2]
        raise StoreError(
            f"{path}: cannot be written: {reason:.200}; free space or set TMPDIR to a folder with room"
        ) from error
