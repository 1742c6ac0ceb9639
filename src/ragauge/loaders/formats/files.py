"""Read files as lines of text: detect compression and encoding, stop decompression bombs."""

import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

from ragauge.errors import MissingExtraError, Problem, did_you_mean
from ragauge.storage.regular_file import check_regular

MAX_LINE_LENGTH = 256 * 2**20  # longest line that is read, in bytes (in UTF-16: in characters)
MAX_UNPACKED_BYTES = 4 * 2**30  # most bytes that a compressed file may unpack to
MAX_RATIO = 250  # of unpacked to compressed size, checked from RATIO_COUNTS_FROM bytes on
RATIO_COUNTS_FROM = 4 * 2**20
MAX_LINES_PER_BYTE = 10  # compressed, checked from LINES_COUNT_FROM lines on: each takes time
LINES_COUNT_FROM = 100_000
MAX_PROBLEMS = 1_000  # lines with a problem after which reading stops: it is another kind of file
MAX_BLANK_LINES = 1_000_000  # each takes time, and a compressed file can hold any number
READ_AT_ONCE = 4_096  # packed bytes of zstd: few, because zeros unpack to many times that
MAX_SIBLINGS = 1_000  # most files of the same folder that are searched for a similar name

Text = TypeVar("Text", bytes, str)

_FOREIGN_RUN = re.compile(r"[^\W\x00-\x7f]{3}|[^\x00-\x7f\xa0]{4}")
_ACCENTED_WORD = re.compile(r"[^\s,;\"]{0,40}[^\x00-\x7f][^\s,;\"]{0,40}")
_BOM = b"\xef\xbb\xbf"
_FOREIGN = {
    b"\x1f\x8b": "is compressed with gzip; add .gz to its name",
    b"PK\x03\x04": "is a zip archive or a spreadsheet; unpack it, or save the sheet as CSV",
    b"\x28\xb5\x2f\xfd": "is compressed with zstd; add .zst to its name",
    b"PAR1": "is a Parquet file; give it the ending .parquet",
    b"\xff\xfe\x00\x00": "is in UTF-32; save it as UTF-8",
    b"\x00\x00\xfe\xff": "is in UTF-32; save it as UTF-8",
}


class _Stop(Exception):
    """Reading must stop: why, and perhaps at which line."""


def text_lines(
    path: Path,
    problems: list[Problem],
    *,
    longest: int | None = None,
    largest: int | None = MAX_UNPACKED_BYTES,
    excel_notes: list[str] | None = None,
) -> Iterator[tuple[int, str]]:
    """The file's lines with their numbers from 1, each with its line end.

    UTF-8 with or without a byte order mark, and UTF-16 with one. Only a line feed ends a line.
    `largest` is the most bytes that a compressed file may unpack to; None if the lines are not kept in
    memory. With `excel_notes`, a file that cannot be UTF-8 is read as Windows-1252 if it looks like it, and
    a note is added. If reading must stop (encoding, limits, the disk), the reason is added to `problems`.
    """
    packing = path.suffix.lower()
    try:
        check_regular(path)
        with path.open("rb") as file:
            stream: Any = file
            if packing == ".zst":
                stream = unpacked_zstd(file, path.name)
            elif packing == ".gz":
                stream = gzip.GzipFile(fileobj=file)
            lines = _decoded(stream, longest or MAX_LINE_LENGTH, excel_notes)
            if packing not in (".gz", ".zst"):
                yield from ((number, line) for number, line, _ in lines)
                return
            packed = path.stat().st_size
            most = max(MAX_RATIO * packed, RATIO_COUNTS_FROM)
            most = most if largest is None else min(most, largest)
            most_lines = max(MAX_LINES_PER_BYTE * packed, LINES_COUNT_FROM)
            unpacked = 0
            for number, line, size in lines:
                unpacked += size
                if number > most_lines or unpacked > most:
                    over = f"{most_lines:,} lines" if number > most_lines else f"{most:,} bytes"
                    text = f"unpacks to over {over}; if you trust the file, unpack it yourself"
                    raise _Stop(text, number)
                yield number, line
    except _Stop as stop:
        why, *line = stop.args
        problems.append(Problem(why, str(path), *line))
    except (OSError, EOFError, ValueError, zlib.error) as error:
        problems.append(Problem(unopened(path, error), str(path)))


def unopened(path: Path, error: Exception) -> str:
    """Why the file cannot be read, as a message for the user."""
    match error:
        case FileNotFoundError() if path.is_symlink():
            return "is a link to a file that does not exist"
        case FileNotFoundError():
            siblings: list[str] = []
            with suppress(OSError, ValueError):
                siblings = [file.name for file in islice(path.parent.iterdir(), MAX_SIBLINGS)]
            return f"no such file{did_you_mean(path.name, siblings)}"
        case IsADirectoryError():
            return "is a folder; give a file in it"
        case PermissionError():
            return "cannot be read: permission denied"
        case EOFError() if path.suffix.lower() == ".zst":
            return f"is not a complete zstd file: {error}; download or compress it again"
        case EOFError() | gzip.BadGzipFile() | zlib.error():
            reason = str(error).lower()
            return f"is not a complete gzip file: {reason}; download or compress it again"
        case OSError():
            return f"cannot be read: {(error.strerror or str(error)).lower()}"
        case _:
            return f"cannot be read: {error}"


def _decoded(
    stream: BinaryIO, longest: int, excel_notes: list[str] | None
) -> Iterator[tuple[int, str, int]]:
    """Each line with its number and its size in bytes."""
    head = cast(io.BufferedReader, stream).peek(4)[:4]
    for magic, problem in _FOREIGN.items():
        if head.startswith(magic):
            raise _Stop(problem)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        yield from _utf16(stream, longest)
        return
    if b"\0" in head[:2]:
        raise _Stop("looks like UTF-16 without a byte order mark; save it as UTF-8")
    offset = len(stream.read(3)) if head.startswith(_BOM) else 0
    excel_notes = None if offset else excel_notes
    is_ascii, is_excels = True, False
    for number, raw in _bounded(stream.readline, longest):
        text = windows_1252(raw) if is_excels else None
        try:
            text = raw.decode() if text is None else text
        except UnicodeDecodeError as error:
            text = windows_1252(raw) if is_ascii and excel_notes is not None else None
            if text is None or excel_notes is None:
                where = f"byte {offset + error.start} is 0x{raw[error.start]:02X}"
                hint = "save it as UTF-8 (in Excel: CSV UTF-8)"
                raise _Stop(f"is not UTF-8 ({where}); {hint}", number) from None
            is_excels = True
            matched = _ACCENTED_WORD.search(text)
            word = "" if matched is None else f": {matched.group()[:40]!r} in line {number}"
            excel_notes.append(f"is not UTF-8; read as Windows-1252, as Excel saves CSV{word}")
        is_ascii = is_ascii and raw.isascii()
        yield number, text, len(raw)
        offset += len(raw)


def windows_1252(raw: bytes) -> str | None:
    """The text in Windows-1252, in which Excel saves CSV in many countries; None if it is more likely in another encoding."""
    with suppress(UnicodeDecodeError):
        text = raw.decode("cp1252")
        return None if _FOREIGN_RUN.search(text) else text
    return None


def _utf16(stream: BinaryIO, longest: int) -> Iterator[tuple[int, str, int]]:
    wrapped = io.TextIOWrapper(stream, encoding="utf-16", newline="\n")
    number = 0
    try:
        for number, line in _bounded(wrapped.readline, longest):
            yield number, line, 2 * len(line)
    except UnicodeDecodeError as error:
        text = f"has a UTF-16 byte order mark but is not UTF-16: {error.reason}; save it as UTF-8"
        raise _Stop(text, number + 1) from None
    finally:
        if not stream.closed:  # a reader that stops early has closed it
            wrapped.detach()  # `text_lines` closes the file


def _bounded(readline: Callable[[int], Text], longest: int) -> Iterator[tuple[int, Text]]:
    number = n_blank = 0
    while line := readline(longest + 1):
        number += 1
        if len(line) > longest:
            raise _Stop(f"is longer than the limit of {longest:,} bytes per line", number)
        if line.isspace():
            n_blank += 1
            if n_blank > MAX_BLANK_LINES:
                raise _Stop(f"has over {MAX_BLANK_LINES:,} blank lines; remove them", number)
        yield number, line


class _Unpacked(io.RawIOBase):
    """The content of a zstd stream. EOFError if it is damaged, or ends within a frame."""

    def __init__(
        self, packed: BinaryIO, new_frame: Callable[[], Any], broken: type[Exception]
    ) -> None:
        self._packed, self._new_frame, self._broken = packed, new_frame, broken
        self._frame: Any | None = None
        """The frame that is being unpacked; a file may have several."""
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        while not self._ready:
            frame = self._frame
            has_ended = frame is None or frame.eof
            data = (frame.unused_data if frame and has_ended else b"") or self._packed.read(
                READ_AT_ONCE
            )
            if has_ended:
                frame = self._frame = self._new_frame() if data else None
            if not data and frame is not None:
                raise EOFError("it ends too early")
            if frame is None:
                return 0
            try:
                self._ready = memoryview(frame.decompress(data))
            except self._broken as error:
                raise EOFError(str(error)) from None
        n = min(len(buffer), len(self._ready))
        buffer[:n] = self._ready[:n]
        self._ready = self._ready[n:]
        return n


def unpacked_zstd(packed: BinaryIO, name: str) -> BinaryIO:
    """The content of a zstd stream, by Python's own module from 3.14 on, or zstandard; MissingExtraError without."""
    try:
        module: Any = import_module("compression.zstd")
        new_frame = module.ZstdDecompressor
    except ImportError:
        try:
            module = import_module("zstandard")
        except ImportError:
            raise MissingExtraError(f"{name} is packed with zstd", "zstd") from None
        new_frame = module.ZstdDecompressor().decompressobj
    return io.BufferedReader(_Unpacked(packed, new_frame, module.ZstdError))
