"""Write files atomically, and report failures as StoreError."""

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal

from ragauge.errors import StoreError
from ragauge.storage.regular_file import NotReadableError, check_replaceable, is_folder

if TYPE_CHECKING:
    import polars as pl

PART = ".part"
MAX_NAME_BYTES = 240
LEFT_OVER = re.compile(rf"\.(.+)\.[a-z0-9_]{{8}}{re.escape(PART)}")
"""The name of a temporary file, as `tempfile` makes them, and in it that of the file to be written."""


@contextmanager
def store_errors(path: Path) -> Generator[None]:
    """Turn OSError into StoreError, with the path and what to do."""
    try:
        yield
    except OSError as error:
        in_the_way = isinstance(error, FileExistsError | NotADirectoryError)
        reason = "a file is in the way" if in_the_way else error.strerror or str(error)
        no_place = in_the_way or isinstance(
            error, PermissionError | FileNotFoundError | NotReadableError
        )
        advice = "choose another place" if no_place else "free space or choose another place"
        raise StoreError(
            f"{path}: cannot be written: {reason}; existing files are unchanged; {advice}"
        ) from error


def check_place(path: Path) -> None:
    """Raise StoreError, before any work, at a place where no file can be written."""
    with store_errors(path):
        check_replaceable(path)
        with suppress(FileNotFoundError):
            path.lstat()


def write_atomically(
    path: Path, write: Callable[[BinaryIO], object], *, is_one_of_many: bool = False
) -> None:
    """Write a file completely or not at all; raises StoreError and keeps the old file on failure.

    Removes what a killed process left of it, unless it `is_one_of_many`, whose folder takes long to
    list.
    """
    with store_errors(path):
        check_replaceable(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not is_one_of_many:
            remove_left_over(path.parent, re.escape(path.name))
        handle, temporary = _locked_part(path)
        try:
            with os.fdopen(handle, "wb") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
            temporary.chmod(0o666 & ~_umask())
            temporary.replace(path)
            sync_folder(path.parent)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def _locked_part(path: Path) -> tuple[int, Path]:
    """A new temporary file beside a path, with a lock that ends with its process."""
    # Most systems allow names of 255 bytes, to which this adds 15.
    name = path.name if len(os.fsencode(path.name)) <= MAX_NAME_BYTES else "long"
    while True:
        handle, name_of_part = tempfile.mkstemp(prefix=f".{name}.", suffix=PART, dir=path.parent)
        is_ours = lock(handle)
        # `remove_left_over` of another process may have removed it before it was locked.
        if is_ours and (os.name != "posix" or os.fstat(handle).st_nlink):
            return handle, Path(name_of_part)
        os.close(handle)


def remove_left_over(folder: Path, names: str) -> None:
    """Remove temporary files, of names that match, that killed processes left in a folder."""
    with suppress(OSError):
        for file in folder.iterdir():
            match = LEFT_OVER.fullmatch(file.name)
            is_named = match and re.fullmatch(names, match[1])
            if not is_named or not file.is_file() or file.is_symlink():
                continue
            with suppress(OSError):
                handle = os.open(file, os.O_RDONLY)
                try:
                    is_left_over = lock(handle)
                    if is_left_over and os.name == "posix":
                        file.unlink()
                finally:
                    os.close(handle)
                if is_left_over:
                    file.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically, in UTF-8 with Unix line ends on every system."""
    # Texts may contain paths that are not UTF-8; JSON reads their escapes back.
    write_bytes(path, text.encode("utf-8", "backslashreplace"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file atomically."""
    write_atomically(path, lambda file: file.write(content))


def write_frame(
    path: Path,
    frame: "pl.DataFrame",
    compression: Literal["zstd", "lz4"] = "zstd",
    row_group_size: int | None = None,
    *,
    is_one_of_many: bool = False,
) -> None:
    """Write a Parquet file atomically; `row_group_size` rows can be read alone."""

    def write(file: BinaryIO) -> None:
        import polars as pl

        try:
            frame.write_parquet(file, compression=compression, row_group_size=row_group_size)
        except pl.exceptions.ComputeError as error:  # polars wraps the OSError
            raise OSError(None, str(error).rpartition("IO error: ")[2]) from error

    write_atomically(path, write, is_one_of_many=is_one_of_many)


def copy_file(source: Path, path: Path) -> None:
    """Copy a file atomically; a link where both are on the same disk, so `source` must not change."""
    with store_errors(path):
        check_replaceable(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.parent / f".{path.name}.{os.getpid() % 10**8:08}{PART}"
        temporary.unlink(missing_ok=True)
        try:
            os.link(source, temporary)
            temporary.chmod(0o666 & ~_umask())
            temporary.replace(path)
            sync_folder(path.parent)
            return
        except OSError:
            temporary.unlink(missing_ok=True)
    with source.open("rb") as file:
        write_atomically(path, lambda target: shutil.copyfileobj(file, target))


def read_frame(path: Path, folder: Path) -> "pl.DataFrame":
    """Read a Parquet file of a run folder; raises StoreError if it is damaged or not Parquet."""
    import polars as pl

    try:
        # Opened here because polars reads * and [ in a path as patterns.
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


def sync_folder(folder: Path) -> None:
    """Flush the folder's directory entry to disk, if the system supports it."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def misplaced(paths: Sequence[Path], inputs: Sequence[Path]) -> list[str]:
    """The problems of output files: folders, inputs, files given twice, no permission to write;
    StoreError where no file can be written at all."""
    # Unlike Path.resolve, realpath takes circles of links.
    taken = dict.fromkeys(
        map(os.path.realpath, inputs), "is also an input and would be overwritten"
    )
    problems: list[str] = []
    for path in paths:
        if is_folder(path):
            problems.append(f"{path}: is a folder; give a file in it")
        else:
            check_place(path)
        if what := taken.get(place := os.path.realpath(path)):
            problems.append(f"{path}: {what}; choose another file")
        taken[place] = "is given twice"
        if is_folder(path.parent) and not os.access(path.parent, os.W_OK | os.X_OK):
            where = f"no permission to write in {path.parent}"
            problems.append(f"{path}: {where}; choose another folder")
    return problems


def lock(handle: int) -> bool:
    """Lock an open file without waiting; False if another process has locked it."""
    # Windows has no fcntl, and removes no file that is open; some file systems have no locks.
    with suppress(ImportError, OSError):
        import fcntl

        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True
