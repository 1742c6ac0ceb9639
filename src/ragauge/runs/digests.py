"""Digests of a finished run's files, so that a damaged one is found before its numbers are shown."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from ragauge.errors import StoreError

MAX_CHECKED_BYTES = 50_000_000
"""Most bytes of scores, and of evidence, that are all checked when a run is opened; `ragauge doctor --check`
checks any number, and of a question its own parts are checked."""


def digests_of(folder: Path, files: Iterable[Path]) -> dict[str, str]:
    """The SHA-256 of each file, by its path in the folder; StoreError if one cannot be read."""
    return {file.relative_to(folder).as_posix(): _digest_of(file, folder) for file in sorted(files)}


def check_digest(file: Path, folder: Path, digests: Mapping[str, str]) -> None:
    """Raise StoreError if a file of the folder is not as its run wrote it.

    A run that an earlier version wrote has no digests; then only whether it is a file is checked.
    """
    wanted = digests.get(file.relative_to(folder).as_posix())
    if wanted is None:
        check_is_file(file, folder)
    elif _digest_of(file, folder) != wanted:
        raise StoreError(f"{file}: is damaged: it is not as the run wrote it; {_way_out(folder)}")


def check_is_file(file: Path, folder: Path) -> None:
    """Raise StoreError for what is not a file: reading a pipe, for example, would not end."""
    if not file.is_file():
        what = "is not a file" if file.exists() else "is missing"
        raise StoreError(f"{file}: the run is damaged: this part {what}; {_way_out(folder)}")


def _digest_of(file: Path, folder: Path) -> str:
    check_is_file(file, folder)
    try:
        with file.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        raise StoreError(
            f"{file}: cannot be read: {error.strerror or error}; {_way_out(folder)}"
        ) from None


def _way_out(folder: Path) -> str:
    return f"restore it from a copy, or remove {folder} and run it again"
