"""Files that are written whole or not at all, and read with an error that says what to do.

Each file is written under another name, flushed to disk and then renamed, so that whatever happens
it is either whole or not there.
"""

import os
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal

from ragauge.errors import StoreError

if TYPE_CHECKING:
    import polars as pl


@contextmanager
def store_errors(path: Path) -> Generator[None]:
    """Failures of disk and permission as StoreError, with the path and the way out."""
    try:
        yield
    except OSError as error:
        in_the_way = isinstance(error, FileExistsError | NotADirectoryError)
        reason = "a file is in the way" if in_the_way else error.strerror or str(error)
        no_room = not in_the_way and not isinstance(error, PermissionError | FileNotFoundError)
        way_out = "free space or choose another place" if no_room else "choose another place"
        raise StoreError(
            f"{path}: cannot be written: {reason}; nothing that was there is lost; {way_out}"
        ) from error


def write_atomically(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a file whole or not at all; StoreError when the disk refuses, the old file intact."""
    with store_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
            temporary.chmod(0o666 & ~_umask())
            temporary.replace(path)
            _sync_folder(path.parent)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def write_text(path: Path, text: str) -> None:
    """Write a text file, UTF-8 with Unix line ends on every machine, whole or not at all."""
    # A path that is no UTF-8 may be told of in a text; as JSON its escape reads back.
    written = text.encode("utf-8", "backslashreplace")
    write_atomically(path, lambda file: file.write(written))


def write_frame(
    path: Path, frame: "pl.DataFrame", compression: Literal["zstd", "lz4"] = "zstd"
) -> None:
    """Write a Parquet file whole or not at all."""

    def write(file: BinaryIO) -> None:
        import polars as pl

        try:
            frame.write_parquet(file, compression=compression)
        except pl.exceptions.ComputeError as error:  # polars wraps the disk's refusal
            raise OSError(None, str(error).rpartition("IO error: ")[2]) from error

    write_atomically(path, write)


def read_frame(path: Path, folder: Path) -> "pl.DataFrame":
    """Read a Parquet file of a run's folder; StoreError when it is damaged or not Parquet."""
    import polars as pl

    try:
        # Opened here: polars reads * and [ in a path as patterns.
        with path.open("rb") as file:
            return pl.read_parquet(file, hive_partitioning=False)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise StoreError(
            f"{path}: cannot be read: {error!s:.200}; remove {folder} and run it again"
        ) from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _sync_folder(folder: Path) -> None:
    """Flush the folder's list of names, where the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
