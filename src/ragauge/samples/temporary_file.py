"""Temporary files on disk for samples that do not fit into memory."""

import os
import shutil
import tempfile
import weakref
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ragauge.errors import StoreError
from ragauge.samples.file import SampleFile
from ragauge.storage.atomic_files import lock

if TYPE_CHECKING:
    import polars as pl

ON_DISK = Path("/var/tmp")
"""Where temporary files are on disk; /tmp is in memory on some systems."""


PREFIX = "ragauge-"
LOCK = "lock"
"""A file in each temporary folder, locked as long as the process that made the folder lives."""


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


def _remove(folder: Path, handle: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    os.close(handle)
    if folder.exists():  # Windows removes no file that is open
        shutil.rmtree(folder, ignore_errors=True)


def _remove_left_over(parent: Path) -> None:
    """Remove the temporary folders of processes that were killed."""
    if os.name != "posix":  # without these locks nobody knows who lives
        return
    with suppress(OSError):
        for folder in parent.glob(f"{PREFIX}*"):
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
def write_errors(path: Path) -> Generator[None]:
    """Turn errors of writing a temporary file into StoreError that says what to do."""
    import polars as pl

    try:
        yield
    except (OSError, pl.exceptions.ComputeError) as error:
        reason = str(error).rpartition("IO error: ")[2]
        raise StoreError(
            f"{path}: cannot be written: {reason:.200}; free space or set TMPDIR to a folder with room"
        ) from error


class TemporaryFile:
    """Samples that are written to a temporary file some at a time, in their order."""

    def __init__(self, rows_at_once: int) -> None:
        self._folder = TemporaryFolder()
        self._rows_at_once = rows_at_once
        self._pieces: list[Path] = []

    def add(self, frame: "pl.DataFrame") -> None:
        path = self._folder.path / f"{len(self._pieces):06}.parquet"
        with write_errors(path):
            frame.write_parquet(path, compression="lz4")
        self._pieces.append(path)

    def finish(self, last: "pl.DataFrame") -> SampleFile:
        """Add the last rows; all of them as one file."""
        import polars as pl

        self.add(last)
        path = self._folder.path / "samples.parquet"
        with write_errors(path):
            pl.concat([pl.scan_parquet(piece, glob=False) for piece in self._pieces]).sink_parquet(
                path, compression="zstd", row_group_size=self._rows_at_once
            )
        for piece in self._pieces:
            piece.unlink()
        return SampleFile(path, self._folder)
