"""Read the text of a TREC file whole, in pieces that end with a query's last line, or by line."""

from collections.abc import Iterator
from typing import cast

import numpy as np

from ragauge.errors import DataError, Problem
from ragauge.rankings.arrays import Bytes
from ragauge.rankings.reading.scan import SLACK, MalformedError
from ragauge.rankings.reading.streams import BOM, Packed, Stream, opened

PIECE = 1 << 20
"""Bytes scanned at a time: few enough to stay in the processor's cache."""
TAIL = 1 << 18
"""Bytes at a piece's end that are searched first for the start of its last query."""


def whole_text(file: Packed) -> Bytes:
    """All the text of a file, with a line feed at its end."""
    buffer = bytearray(SLACK)
    with opened(file) as stream:
        for piece in _blocks(stream, np.zeros(PIECE, np.uint8)):
            buffer += piece
    if not buffer.endswith(b"\n"):
        buffer += b"\n"
    if buffer.startswith(BOM, SLACK):
        buffer[SLACK : SLACK + len(BOM)] = b" " * len(BOM)
    size = len(buffer)
    buffer += bytes(SLACK)
    text = np.frombuffer(buffer, np.uint8)[SLACK:size]
    if (text <= ord(" ")).all():
        has_zero = bool((text == 0).any())
        what = "contains a zero byte; save it as UTF-8" if has_zero else "is empty"
        raise DataError([Problem(what, file.name)])
    return text


def _blocks(stream: Stream, buffer: Bytes) -> Iterator[memoryview]:
    view = memoryview(cast(bytearray, buffer))
    while n := stream.readinto(view):
        yield view[:n]


def pieces_of(stream: Stream, piece: int) -> Iterator[tuple[Bytes, int]]:
    """Pieces of about `piece` bytes that end with a query's last line, and their offsets."""
    rest, offset, is_first = b"", 0, True
    size = piece
    while True:
        base = np.empty(len(rest) + size + 1 + 2 * SLACK, np.uint8)
        view = memoryview(cast(bytearray, base))[SLACK:]
        view[: len(rest)] = rest
        n = len(rest) + _fill(stream, view[len(rest) : len(rest) + size])
        is_last = n < len(rest) + size
        if is_first and bytes(view[:3]) == BOM:
            view[:3] = b"   "
        is_first = False
        if is_last and n and view[n - 1] != ord("\n"):
            view[n] = ord("\n")
            n += 1
        text = base[SLACK : SLACK + n]
        cut = n if is_last else _last_boundary(view[:n])
        rest = bytes(view[cut:n])
        if cut:
            yield text[:cut], offset
            offset += cut
            size = piece
        else:  # a query longer than a piece
            size = 2 * len(rest)
        if is_last:
            return


def _fill(stream: Stream, view: memoryview) -> int:
    filled = 0
    while n := stream.readinto(view[filled:]):
        filled += n
    return filled


def _last_boundary(view: memoryview) -> int:
    """The offset of the last query's first line; 0 if it is the only query."""
    for size in (min(TAIL, len(view)), len(view)):
        tail = bytes(view[len(view) - size :])
        # The tail starts inside a line, unless it is the whole text.
        start = 0 if size == len(view) else tail.find(b"\n") + 1
        boundary = _last_boundary_in(tail, start)
        if boundary > start:
            return len(view) - size + boundary
    return 0


def _last_boundary_in(text: bytes, start: int) -> int:
    """As above, from `start` on; `start` if all lines are of one query.

    The last line may be incomplete, so the one before it is used. A query's lines are consecutive,
    so binary search finds the first.
    """
    newline = text.rfind(b"\n", start)
    if newline < 0:
        return start

    def line_before(at: int) -> int:
        return max(text.rfind(b"\n", start, max(at, start)) + 1, start)

    same, step = line_before(newline), 1 << 10
    name = _first_field(text, same)
    while _first_field(text, other := line_before(same - step)) == name:
        if other == start:
            return start
        same, step = other, step * 2
    while True:
        middle = line_before((other + same) // 2)
        if middle <= other:
            middle = text.find(b"\n", other) + 1
        if middle >= same:
            return same
        if _first_field(text, middle) == name:
            same = middle
        else:
            other = middle


def _first_field(text: bytes, at: int) -> bytes:
    size = 64
    while True:
        fields = bytes(text[at : at + size]).split(None, 1)
        if len(fields) == 2 or at + size >= len(text):
            return fields[0] if fields else b""
        size *= 4


def at_line(file: Packed, error: MalformedError, offset: int, shape: str) -> DataError:
    line = line_number(file, error.at + offset)
    return DataError([Problem(f"{error.problem}; {shape}", file.name, line)])


def line_number(file: Packed, at: int) -> int:
    """The number from 1 of the line with the byte at this offset of the decompressed file."""
    n, left = 1, at
    with opened(file) as stream:
        for piece in _blocks(stream, np.zeros(PIECE, np.uint8)):
            n += piece.tobytes().count(b"\n", 0, max(0, left))
            left -= len(piece)
            if left <= 0:
                break
    return n
