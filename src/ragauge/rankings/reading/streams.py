"""Open files, pipes and standard input as decompressed streams of bytes."""

import os
import sys
import zlib
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from ragauge.errors import DataError, Problem
from ragauge.storage.regular_file import is_file, is_folder, is_pipe

TABLES = (".parquet", ".csv", ".tsv", ".jsonl", ".ndjson", ".json")
STANDARD_INPUT = "-"
"""The path that means standard input."""

READ_AT_ONCE = 1 << 20
MAX_BLANK = 16 * READ_AT_ONCE
"""Most bytes of nothing but white space in a row."""
SPACE = ord(" ")
BOM = b"\xef\xbb\xbf"
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_FOREIGN = {
    b"PK\x03\x04": "is a zip archive; unpack it first",
    b"PAR1": "is a Parquet file; give it the ending .parquet",
    b"\xff\xfe": "is in UTF-16; save it as UTF-8",
    b"\xfe\xff": "is in UTF-16; save it as UTF-8",
}


def suffix_of(path: Path) -> str:
    """The suffix of a table or JSON file, compressed or not; "trec" for all other files.

    A pipe is "trec" whatever its name, because only TREC files are read from pipes.
    """
    name = path.name.lower().removesuffix(".gz").removesuffix(".zst")
    suffix = next((suffix for suffix in TABLES if name.endswith(suffix)), "trec")
    return "trec" if is_pipe(path) else suffix


def is_trec(source: object) -> bool:
    """Whether this is standard input, `-`, or a file whose name is not that of a table or JSON."""
    if not isinstance(source, str | os.PathLike):
        return False
    path = Path(cast("str | os.PathLike[str]", source))
    return suffix_of(path) == "trec" and (str(path) == STANDARD_INPUT or not is_folder(path))


def refuse_read_twice(sources: Sequence[object]) -> None:
    """DataError if a pipe or standard input is given twice: it can be read only once."""
    seen: list[os.stat_result] = []
    for source in sources:
        status = _status_of_stream(source)
        if status is None:
            continue
        if any(os.path.samestat(status, other) for other in seen):
            what = "is given twice, but can be read only once; save it to a file first"
            raise DataError([Problem(what, _shown(Path(cast(str, source))))])
        seen.append(status)


def _status_of_stream(source: object) -> os.stat_result | None:
    """The status of a source that cannot be opened again; None for all others."""
    if not isinstance(source, str | os.PathLike):
        return None
    path = Path(cast("str | os.PathLike[str]", source))
    try:
        if str(path) == STANDARD_INPUT:
            return os.fstat(0)
        return None if is_file(path) or is_folder(path) else path.stat()
    except OSError:
        return None  # reported when it is read


@dataclass(frozen=True, slots=True, eq=False)
class Packed:
    """A file, compressed or not, that can be read as often as needed.

    `held` is the content of a source that can be read only once: a pipe, a device, standard input.
    """

    name: str
    path: Path
    held: bytes | None = None

    @property
    def size(self) -> int:
        return self.path.stat().st_size if self.held is None else len(self.held)

    def open(self) -> BinaryIO:
        return self.path.open("rb") if self.held is None else BytesIO(self.held)


def packed_at(path: Path | str) -> Packed:
    """The file at the path, or standard input for `-`; DataError when that cannot be read."""
    path = Path(path)
    name = _shown(path)
    is_input = str(path) == STANDARD_INPUT
    if not is_input and is_file(path):
        return Packed(name, path)
    try:
        if is_input:
            return Packed(name, path, _held(_standard_input(), name))
        with path.open("rb") as file:
            return Packed(name, path, _held(file, name))
    except OSError as error:
        from ragauge.loaders.formats.files import unopened

        raise DataError([Problem(unopened(path, error), name)]) from None


def _shown(path: Path) -> str:
    return "standard input" if str(path) == STANDARD_INPUT else str(path)


def _standard_input() -> BinaryIO:
    stream = getattr(sys.stdin, "buffer", None)  # None for example without a terminal
    if stream is None:
        raise DataError([Problem("cannot be read: it is closed", "standard input")])
    return cast(BinaryIO, stream)


def _held(file: BinaryIO, name: str) -> bytes:
    from ragauge.loaders.formats.files import MAX_UNPACKED_BYTES

    held = BytesIO()
    while piece := file.read(READ_AT_ONCE):
        held.write(piece)
        if held.tell() > MAX_UNPACKED_BYTES:
            most = f"{MAX_UNPACKED_BYTES >> 30} GB"
            what = f"holds more than {most} and is not a file; save it to a file first"
            raise DataError([Problem(what, name)])
    if not held.tell():
        raise DataError([Problem("is empty; it is not a file and can be read only once", name)])
    return held.getvalue()


@contextmanager
def opened(file: Packed) -> Generator["Stream"]:
    """The decompressed file; DataError says why it cannot be read."""
    magic = b""
    try:
        with file.open() as packed:
            magic = packed.read(4)
            packed.seek(0)
            for foreign, problem in _FOREIGN.items():
                if magic.startswith(foreign):
                    raise DataError([Problem(problem, file.name)])
            if magic.startswith(_GZIP):
                import gzip

                with gzip.GzipFile(fileobj=packed) as unpacked:
                    yield _Bounded(cast(Stream, unpacked), file, is_packed=True)
            elif magic.startswith(_ZSTD):
                from ragauge.loaders.formats.files import unpacked_zstd

                yield _Bounded(cast(Stream, unpacked_zstd(packed, file.name)), file, is_packed=True)
            else:
                yield _Bounded(cast(Stream, packed), file, is_packed=False)
    except (OSError, EOFError, zlib.error) as error:
        from ragauge.loaders.formats.files import unopened

        problem = unopened(file.path, error)
        if magic.startswith(_ZSTD) and isinstance(error, EOFError):
            problem = f"is not a complete zstd file: {error}; download or compress it again"
        raise DataError([Problem(problem, file.name)]) from None


class Stream(Protocol):
    """A source of bytes."""

    def readinto(self, buffer: memoryview, /) -> int: ...


class _Bounded:
    """A stream without long blank stretches, limited to what a compressed file may unpack to.

    A few bytes unpack to many line ends, which would be read, kept and searched.
    """

    def __init__(self, stream: Stream, file: Packed, *, is_packed: bool) -> None:
        self.stream, self.name = stream, file.name
        self.left: int | None = None
        self.n_blank = 0
        if is_packed:
            # Only here: importing the loaders takes as long as scoring a run of a hundred queries.
            from ragauge.loaders.formats.files import (
                MAX_RATIO,
                MAX_UNPACKED_BYTES,
                RATIO_COUNTS_FROM,
            )

            most = max(MAX_RATIO * file.size, RATIO_COUNTS_FROM)
            self.left = min(most, MAX_UNPACKED_BYTES)

    def readinto(self, buffer: memoryview, /) -> int:
        n = self.stream.readinto(buffer)
        self.n_blank = self.n_blank + n if _is_blank(buffer, n) else 0
        if self.n_blank > MAX_BLANK:
            problem = (
                f"has over {MAX_BLANK:,} spaces and line ends in a row; remove the blank lines"
            )
            raise DataError([Problem(problem, self.name)])
        if self.left is None:
            return n
        self.left -= n
        if self.left < 0:
            problem = "unpacks to far more than its size; if you trust the file, unpack it yourself"
            raise DataError([Problem(problem, self.name)])
        return n


def _is_blank(buffer: memoryview, n: int) -> bool:
    # Three bytes tell for almost any text, so that its pieces are not copied.
    places = (0, n // 2, n - 1)
    return n > 0 and all(buffer[at] <= SPACE for at in places) and bytes(buffer[:n]).isspace()
