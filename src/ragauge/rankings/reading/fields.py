"""Names as columns of bytes, cut out of a text without making objects of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np

from ragauge.rankings.hits import Bools, Bytes, Ints, Words

if TYPE_CHECKING:
    import polars as pl

SLACK = 16
"""Bytes before and after a text that may be read, so that eight bytes can be fetched wherever a field starts
or ends; their content does not matter."""
WORD = 8
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""An odd number near 2^64 / golden ratio: multiplying by it spreads neighbours over all bits."""
_FIRST = np.array([(1 << (8 * n)) - 1 for n in range(WORD + 1)], np.uint64)
"""Masks that keep the first n bytes of a word."""
_JOINED = 1 << 20
"""Names that polars joins or cuts at a time: a polars text is limited to 4 GB."""


@dataclass(frozen=True, eq=False)
class Field:
    """One field of every line: it starts at `start` (n,) and ends before `end` (n,), offsets into `text`."""

    text: Bytes
    start: Ints
    end: Ints

    def __len__(self) -> int:
        return len(self.start)

    @cached_property
    def length(self) -> Ints:
        """The number of bytes of the field on each line, (n,)."""
        return self.end - self.start

    @cached_property
    def longest(self) -> int:
        return int(self.length.max(initial=0))

    def take(self, rows: Ints) -> "Field":
        """The field of these lines only."""
        return Field(self.text, self.start[rows], self.end[rows])

    def name(self, row: int) -> bytes:
        """The field of one line as bytes."""
        return self.text[self.start[row] : self.end[row]].tobytes()

    def words(self, at: int, rows: Ints | None = None) -> Words:
        """Bytes `at` to `at + 8` of each field as one number, with zeros after the field's end."""
        start = self.start if rows is None else self.start[rows]
        length = self.length if rows is None else self.length[rows]
        if at:
            # Never past the end: a short field may be the last of the text.
            start = start + np.minimum(length, at)
            length = length - at
        return windows(self.text)[start] & _FIRST.take(length, mode="clip")

    def same(self, rows: Ints, other: "Field", other_rows: Ints) -> Bools:
        """Whether each row's field equals that of the other row, byte for byte."""
        length = self.length[rows]
        same = length == other.length[other_rows]
        for at in range(0, int(length.max(initial=0)), WORD):
            left = np.flatnonzero(same & (length > at))
            same[left] = self.words(at, rows[left]) == other.words(at, other_rows[left])
        return same


def windows(text: Bytes, *, before: int = 0, n_words: int = 1) -> Words:
    """The word of eight bytes at every offset, from `before` the text on; several words as one record."""
    base = cast(Bytes, text.base)
    first = text.__array_interface__["data"][0] - base.__array_interface__["data"][0] - before
    kind = "<u8" if n_words == 1 else f"V{WORD * n_words}"
    return np.ndarray((len(text) + before + 1,), kind, base, first, (1,))


def bytes_of(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def text_of(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def padded(*pieces: bytes | bytearray | Bytes) -> Bytes:
    """The pieces of a text as an array for `Field`: a view with SLACK around it."""
    around = np.zeros(sum(map(len, pieces)) + 2 * SLACK, np.uint8)
    text = around[SLACK : len(around) - SLACK]
    np.concatenate([np.frombuffer(piece, np.uint8) for piece in pieces], out=text)
    return text


def field_of_pieces(pieces: Sequence[bytes | Bytes], length: Ints) -> Field:
    """A field of names of these lengths that follow each other in pieces of text."""
    end = np.cumsum(length)
    return Field(padded(*pieces), end - length, end)


def field_of(names: Sequence[str]) -> Field:
    """A field made of separate names; UnicodeEncodeError for a lone surrogate that no file can hold."""
    joined = "".join(names)
    sizes = map(len, names) if joined.isascii() else map(len, map(bytes_of, names))
    return field_of_pieces([bytes_of(joined)], np.fromiter(sizes, np.int64, len(names)))


def field_of_series(names: "pl.Series") -> Field:
    """A field made of a column of texts without nulls."""
    import polars as pl

    starts = range(0, len(names), _JOINED)
    pieces = [names[at : at + _JOINED].str.join("").cast(pl.Binary).item() for at in starts]
    return field_of_pieces([b"", *pieces], names.str.len_bytes().to_numpy().astype(np.int64))


def texts_of(field: Field) -> list[str]:
    """All names of a field."""
    first = int(field.start.min(initial=len(field.text)))
    spelled = field.text[first : field.end.max(initial=0)].tobytes()
    spans = zip((field.start - first).tolist(), (field.end - first).tolist(), strict=True)
    if spelled.isascii():
        text = spelled.decode()
        return [text[start:end] for start, end in spans]
    return [text_of(spelled[start:end]) for start, end in spans]


def series_of(title: str, field: Field) -> "pl.Series":
    """The names, none with a NUL byte, as a column of texts; UnicodeDecodeError where they are not UTF-8."""
    import polars as pl

    series = pl.Series(title, [], pl.String)
    for at in range(0, len(field), _JOINED):
        some = Field(field.text, field.start[at : at + _JOINED], field.end[at : at + _JOINED])
        # A NUL byte after each name: polars then cuts them apart itself.
        names = bytes_in_order(some)
        spaced = np.zeros(len(names) + len(some), np.uint8)
        spaced[np.arange(len(names)) + np.repeat(np.arange(len(some)), some.length)] = names
        whole = pl.Series(title, [spaced[:-1].tobytes().decode()], pl.String)
        series.append(whole.str.split("\0").explode())
    return series


def bytes_in_order(field: Field) -> Bytes:
    """The names of a field one after the other, with nothing between them."""
    new_start = np.cumsum(field.length) - field.length
    return field.text[
        np.repeat(field.start - new_start, field.length) + np.arange(field.length.sum())
    ]


def mixed(words: Words) -> Words:
    """The words mixed so that each bit depends on all others; distinct words stay distinct."""
    stirred = words ^ (words >> np.uint64(32))
    stirred *= _SPREAD
    stirred ^= stirred >> np.uint64(29)
    return stirred


def digests(field: Field) -> Words:
    """A hash of each name, (n,): equal for equal names, and almost never for others.

    Names of up to eight bytes without a zero byte never share a number.
    """
    digest = mixed(field.words(0))
    rows = np.flatnonzero(field.length > WORD) if field.longest > WORD else field.length[:0]
    at = WORD
    while len(rows):
        digest[rows] = mixed(digest[rows] ^ field.words(at, rows))
        at += WORD
        rows = rows[field.length[rows] > at]
    return digest


def paired(digest: Words, number: Ints, n_rows: Ints | None = None) -> Words:
    """The digests of names within a group, such as documents within the query's number.

    `number` is each row's group, or with `n_rows` that of so many consecutive rows.
    """
    group = (number.astype(np.uint64) + np.uint64(1)) * _SPREAD
    return mixed(digest ^ (group if n_rows is None else np.repeat(group, n_rows)))


def changes(column: np.ndarray) -> Bools:
    """Which rows differ from the one before; the first row counts as different."""
    differs = np.empty(len(column), np.bool_)
    differs[:1] = True
    np.not_equal(column[1:], column[:-1], out=differs[1:])
    return differs


def starts_of_blocks(field: Field) -> Ints:
    """The rows whose name differs from that of the row before, and the first row."""
    differs = changes(field.length)
    for at in range(0, field.longest, WORD):
        words = field.words(at)
        differs[1:] |= words[1:] != words[:-1]
    return np.flatnonzero(differs)


def numbered_names(names: Field) -> tuple[Ints, Ints]:
    """The first row of each distinct name, ascending; and for each row the number of its name among these."""
    digest = digests(names)
    rows = np.argsort(digest)  # equal ones in any order, which is faster
    is_first = changes(digest[rows])
    first = np.minimum.reduceat(rows, np.flatnonzero(is_first))
    order = np.argsort(first)
    place, number = np.empty_like(order), np.empty_like(rows)
    place[order] = np.arange(len(order))
    number[rows] = place[np.cumsum(is_first) - 1]
    first = first[order]
    if names.same(np.arange(len(names)), names, first[number]).all():
        return first, number
    # Two names share a digest.
    spelled = [names.name(row) for row in range(len(names))]
    numbers: dict[bytes, int] = {}
    number = np.array([numbers.setdefault(name, len(numbers)) for name in spelled])
    return np.flatnonzero(np.diff(np.maximum.accumulate(number), prepend=-1)), number
