"""Temporary files on disk for samples that do not fit into memory."""

import os
import shutil
import tempfile
import weakref
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ragauge.errors import StoreError
from ragauge.sample_file import SampleFile

if TYPE_CHECKING:
    import polars as pl

ON_DISK = Path("/var/tmp")
"""Where temporary files are on disk; /tmp is in memory on some systems."""


class TemporaryFolder:
    """A folder that is removed when nothing refers to it any more, at the latest when Python ends."""

    def __init__(self) -> None:
        own = "TMPDIR" in os.environ or not os.access(ON_DISK, os.W_OK)
        try:
            self.path = Path(tempfile.mkdtemp(prefix="ragauge-", dir=None if own else ON_DISK))
        except OSError as error:
            reason = error.strerror or str(error)
            raise StoreError(
                f"no temporary folder for large samples: {reason}; set TMPDIR to a folder on disk"
            ) from error
        self._owner = _locked_owner(self.path)
        _remove_left_over(self.path)
        self._finalizer = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


OWNER = "owner"
"""The file in a temporary folder that its process keeps locked."""


def _locked_owner(folder: Path) -> BinaryIO | None:
    """Lock the folder for this process; None where there are no locks."""
    try:
        import fcntl
    except ImportError:
        return None
    owner = (folder / f"{OWNER}.new").open("wb")
    with suppress(OSError):
        fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Under its name it is always locked while its process lives.
        (folder / f"{OWNER}.new").rename(folder / OWNER)
    return owner


def _remove_left_over(own: Path) -> None:
    """Remove the temporary folders beside this one whose processes were killed."""
    try:
        import fcntl
    except ImportError:
        return
    for folder in own.parent.glob("ragauge-*"):
        with suppress(OSError):
            if folder == own or folder.is_symlink() or folder.stat().st_uid != own.stat().st_uid:
                continue
            with (folder / OWNER).open("rb") as owner:
                fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)


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
