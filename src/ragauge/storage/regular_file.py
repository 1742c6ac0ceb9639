"""Read a small file from outside: regular files only, and never more than a limit."""

import errno
import os
import re
import stat
from pathlib import Path

PIECE = 2**20
_URL = re.compile(r"[a-z][a-z0-9+.-]+:/+", re.IGNORECASE)
"""The beginning of a URL, also where a Path has made one slash of two; not a drive of Windows."""


class NotReadableError(OSError):
    """A path that is not a regular file, or a file over its limit; `strerror` says which."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(errno.EINVAL, reason, str(path))

    def __str__(self) -> str:
        return f"{self.filename}: {self.strerror}"


def as_url(path: str | os.PathLike[str]) -> str | None:
    """The URL that a path is meant to be; None for the path of a file or folder."""
    text = str(path)
    found = _URL.match(text)
    if found is None or os.path.lexists(text):
        return None
    return f"{found[0].rstrip('/')}//{text[found.end() :]}"


def exists(path: str | os.PathLike[str]) -> bool:
    """Whether something is at the path; False for a name that no file can have."""
    return os.path.exists(path)  # noqa: PTH110


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether a regular file is at the path; False for a name that no file can have."""
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether a folder is at the path; False for a name that no file can have."""
    return os.path.isdir(path)  # noqa: PTH112


def is_pipe(path: str | os.PathLike[str]) -> bool:
    """Whether a named pipe is at the path; False for a name that no file can have."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)  # noqa: PTH116
    except (OSError, ValueError):
        return False


def check_regular(path: Path) -> None:
    """Raise OSError for what exists and is neither a file nor a folder: reading it may not end."""
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise NotReadableError(path, f"it is {_kind(mode)}, not a file; save it to a file first")


def check_replaceable(path: Path) -> None:
    """Raise OSError for a device, a pipe or a folder: a file that is written there would take its place."""
    try:
        mode = path.stat().st_mode
    except OSError:  # nothing is there, or what is wrong shows when it is written
        return
    if not stat.S_ISREG(mode):
        raise NotReadableError(path, f"it is {_kind(mode)}, not a file")


def read_regular(path: Path, max_bytes: int) -> bytes:
    """The content of a regular file of at most `max_bytes`; OSError for anything else."""
    if "\0" in str(path):
        raise NotReadableError(path, "the path has a NUL character")
    # Without waiting for the other end, in case that it is a pipe.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise NotReadableError(path, f"it is {_kind(mode)}, not a file")
    content = bytearray()
    with os.fdopen(descriptor, "rb") as file:
        # Piece by piece: `read` takes as much memory as it is asked for, however short the file is.
        while len(content) <= max_bytes and (piece := file.read(PIECE)):
            content += piece
    if len(content) > max_bytes:
        raise NotReadableError(path, f"it has over {max_bytes:,} bytes")
    return bytes(content)


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a folder"
    if stat.S_ISFIFO(mode):
        return "a named pipe"
    return "a device" if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) else "a socket"
