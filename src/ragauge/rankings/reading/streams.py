"""Open files, pipes and standard input as decompressed streams of bytes; read them whole, or in pieces of whole queries."""

import os
import sys
import zlib
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

import numpy as np

from ragauge.errors import DataError, Problem
from ragauge.rankings.hits import Bytes
from ragauge.rankings.reading.fields import SLACK, Field, starts_of_blocks
from ragauge.storage.regular_file import is_file, is_folder, is_pipe

# The loaders are imported only when needed: that takes as long as scoring a run of a hundred queries.

TABLES = (".parquet", ".csv", ".tsv", ".jsonl", ".ndjson", ".json")
STANDARD_INPUT = "-"
"""The path that means standard input."""

READ_AT_ONCE = 1 << 20
PIECE = 1 << 19
"""Bytes scanned at a time: few enough to stay in the processor's cache."""
TAIL = 1 << 16
"""Bytes at a piece's end that are searched first for the start of its last query."""
MAX_BLANK = 16 * READ_AT_ONCE
"""Most bytes of nothing but white space in a row."""
SPACE, NEWLINE = b" \n"
BOM = b"\xef\xbb\xbf"
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_FOREIGN = {
    b"PK\x03\x04": "is a zip archive; unpack it first",
    b"PAR1": "is a Parquet file; give it the ending .parquet",
    b"\xff\xfe": "is in UTF-16; save it as UTF-8",
    b"\xfe\xff": "is in UTF-16; save it as UTF-8",
}


def suffix_of(path: Path) -> str:
    """The suffix of a table or JSON file, compressed or not; "trec" for all other files and for pipes."""
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
    given = [cast(str, source) for source in sources if isinstance(source, str | os.PathLike)]
    for path in map(Path, given):
        is_input = str(path) == STANDARD_INPUT
        if not is_input and (is_file(path) or is_folder(path)):
            continue
        try:
            status = os.fstat(0) if is_input else path.stat()
        except OSError:
            continue  # reported when it is read
        if any(os.path.samestat(status, other) for other in seen):
            what = "is given twice, but can be read only once; save it to a file first"
            raise DataError([Problem(what, _shown(path))])
        seen.append(status)


class Packed(NamedTuple):
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
    from ragauge.loaders.formats.files import MAX_UNPACKED_BYTES, unopened

    held = BytesIO()
    try:
        typed = getattr(sys.stdin, "buffer", None)
        if is_input and typed is None:  # for example without a terminal
            raise DataError([Problem("cannot be read: it is closed", name)])
        with nullcontext(cast(BinaryIO, typed)) if is_input else path.open("rb") as stream:
            while piece := stream.read(READ_AT_ONCE):
                held.write(piece)
                if held.tell() > MAX_UNPACKED_BYTES:
                    what = f"holds more than {MAX_UNPACKED_BYTES >> 30} GB and is not a file"
                    raise DataError([Problem(f"{what}; save it to a file first", name)])
    except OSError as error:
        raise DataError([Problem(unopened(path, error), name)]) from None
    if not held.tell():
        raise DataError([Problem("is empty; it is not a file and can be read only once", name)])
    return Packed(name, path, held.getvalue())


def _shown(path: Path) -> str:
    return "standard input" if str(path) == STANDARD_INPUT else str(path)


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
            if not magic.startswith((_GZIP, _ZSTD)):
                yield Stream(packed, file.name, None)
                return
            from ragauge.loaders.formats import files

            most = max(files.MAX_RATIO * file.size, files.RATIO_COUNTS_FROM)
            left = min(most, files.MAX_UNPACKED_BYTES)
            if magic.startswith(_ZSTD):
                yield Stream(files.unpacked_zstd(packed, file.name), file.name, left)
            else:
                import gzip

                with gzip.GzipFile(fileobj=packed) as unpacked:
                    yield Stream(cast(BinaryIO, unpacked), file.name, left)
    except (OSError, EOFError, zlib.error) as error:
        from ragauge.loaders.formats.files import unopened

        problem = unopened(file.path, error)
        if magic.startswith(_ZSTD) and isinstance(error, EOFError):
            problem = f"is not a complete zstd file: {error}; download or compress it again"
        raise DataError([Problem(problem, file.name)]) from None


class Stream:
    """A stream without long blank stretches, limited to the bytes `left` that a compressed file may unpack to."""

    def __init__(self, stream: BinaryIO, name: str, left: int | None) -> None:
        self.stream, self.name, self.left, self.n_blank = stream, name, left, 0

    def readinto(self, buffer: memoryview, /) -> int:
        n = cast(BytesIO, self.stream).readinto(buffer)
        # Three bytes tell for almost any text, so that its pieces are not copied.
        has_text = n and any(buffer[at] > SPACE for at in (0, n // 2, n - 1))
        is_blank = n and not has_text and bytes(buffer[:n]).isspace()
        self.n_blank = self.n_blank + n if is_blank else 0
        if self.n_blank > MAX_BLANK:
            what = f"has over {MAX_BLANK:,} spaces and line ends in a row; remove the blank lines"
            raise DataError([Problem(what, self.name)])
        if self.left is not None:
            self.left -= n
            if self.left < 0:
                what = "unpacks to far more than its size; unpack it yourself if you trust it"
                raise DataError([Problem(what, self.name)])
        return n


def whole_text(file: Packed) -> Bytes:
    """All the text of a file, with a line feed at its end."""
    buffer = bytearray(SLACK)
    for piece in _blocks(file):
        buffer += piece
    if not buffer.endswith(b"\n"):
        buffer += b"\n"
    if buffer.startswith(BOM, SLACK):
        buffer[SLACK : SLACK + len(BOM)] = b" " * len(BOM)
    size = len(buffer)
    buffer += bytes(SLACK)
    text = np.frombuffer(buffer, np.uint8)[SLACK:size]
    if (text <= SPACE).all():
        has_zero = bool((text == 0).any())
        what = "contains a zero byte; save it as UTF-8" if has_zero else "is empty"
        raise DataError([Problem(what, file.name)])
    return text


def line_number(file: Packed, at: int) -> int:
    """The number from 1 of the line with the byte at this offset of the decompressed file."""
    n, left = 1, at
    for piece in _blocks(file):
        n += bytes(piece).count(b"\n", 0, max(0, left))
        left -= len(piece)
        if left <= 0:
            break
    return n


def _blocks(file: Packed) -> Iterator[memoryview]:
    view = memoryview(bytearray(READ_AT_ONCE))
    with opened(file) as stream:
        while n := stream.readinto(view):
            yield view[:n]


def pieces_of(stream: Stream, piece: int) -> Iterator[tuple[Bytes, int]]:
    """Pieces of about `piece` bytes that end with a query's last line, and their offsets."""
    rest, offset, size, is_last = b"", 0, piece, False
    while not is_last:
        base = np.empty(len(rest) + size + 1 + 2 * SLACK, np.uint8)
        view = memoryview(cast(bytearray, base))[SLACK:]
        view[: len(rest)] = rest
        end = n = len(rest)
        while n < end + size and (read := stream.readinto(view[n : end + size])):
            n += read
        is_last = n < end + size
        if not offset and bytes(view[:3]) == BOM:
            view[:3] = b"   "
        if is_last and n and view[n - 1] != NEWLINE:
            view[n] = NEWLINE
            n += 1
        cut = n if is_last else _last_query(base[SLACK : SLACK + n])
        rest = bytes(view[cut:n])
        if cut:
            yield base[SLACK : SLACK + cut], offset
            offset += cut
        size = piece if cut else 2 * len(rest)  # twice for a query longer than a piece


def _last_query(text: Bytes) -> int:
    """The offset of the last query's first line; 0 if it is the only query. The last line may be incomplete.

    The lines of a query begin alike. If they do not, as with a comment between them, the query is in two
    pieces: then the run is read whole, which is slower.
    """
    for size in (TAIL, 4 * TAIL, len(text)):
        tail = text[-size:]
        starts = np.flatnonzero(tail == NEWLINE) + 1
        if size >= len(text):
            starts = np.concatenate([[0], starts])
        if len(starts) < 2:
            continue
        *lines, end = starts.tolist()
        last = tail[lines[-1] : end].tobytes()
        behind = last.split(None, 1)[1:]
        same = Field(tail, starts[:-1], starts[:-1] + len(last) - len(b"".join(behind)))
        blocks = starts_of_blocks(same)
        if len(blocks) > 1:
            return len(text) - len(tail) + lines[blocks[-1]]
    return 0
