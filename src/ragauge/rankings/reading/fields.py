"""Names as columns of bytes, cut out of a text without making objects; known and repeated ones found among very many by their digests, lines ranked by score and name."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ragauge.rankings.hits import Bools, Bytes, Compat, Floats, Ints, Words

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


Number = TypeVar("Number", np.int64, np.uint64, np.int64 | np.complex128)
Keys = NDArray[np.int64 | np.complex128]
ComparedScores = NDArray[np.float32] | NDArray[np.float64]
"""Scores in the precision in which they are compared."""

_LONGEST_BY_WORDS = 64
"""Longest name, in bytes, that ties compare by words; longer names are compared one by one."""


def compared(scores: Floats, compat: Compat) -> ComparedScores:
    """The scores in the precision in which they are compared; beyond 32 bits all are infinite, as in trec_eval."""
    with np.errstate(over="ignore"):
        narrow = scores.astype(np.float32 if compat == "trec9" else np.float64, copy=False)
    return cast(ComparedScores, narrow)


class Names:
    """Known names, to be found in a field; of groups, such as queries, where the same name is another."""

    def __init__(self, field: Field, group: Ints | None = None) -> None:
        self.field, self.group = field, group
        digest = digests(field) if group is None else paired(digests(field), group)
        self._digest = digest
        # Most digests asked for are unknown, and this test of their first bits rejects nearly all.
        self._front = _front(digest, 16)
        self._is_taken = np.zeros(1 << (64 - int(self._front)), np.bool_)
        self._is_taken[(digest >> self._front).astype(np.int64)] = True
        # The others are compared with the known digests that share fewer first bits.
        self._slot = _front(digest, 1)
        slot = (digest >> self._slot).astype(np.uint32)
        self._order = grouped(slot)
        count = np.bincount(slot, minlength=1 << (64 - int(self._slot)))
        self._first = np.concatenate([[0], np.cumsum(count)])

    def numbers(self, field: Field) -> tuple[Ints, Words]:
        """The number of each name, -1 where it is not known, and its digest."""
        digest = digests(field)
        rows, entry = self.find(field, digest)
        number = np.full(len(field), -1)
        number[rows] = entry
        return number, digest

    def find(self, field: Field, digest: Words, group: Ints | None = None) -> tuple[Ints, Ints]:
        """The rows of the field with a known name of the same group, ascending, and that name's number.

        `digest` is the field's digests, `paired` with the group if there is one.
        """
        rows = np.flatnonzero(self._is_taken.take((digest >> self._front).astype(np.int64)))
        wanted = digest[rows]
        slot = (wanted >> self._slot).astype(np.int64)
        first, size = self._first[slot], self._first[slot + 1] - self._first[slot]
        found_rows, found = [rows[:0]], [rows[:0]]
        for within in range(int(size.max(initial=0))):
            left = np.flatnonzero(size > within)
            entry = self._order[first[left] + within]
            is_equal = self._digest[entry] == wanted[left]
            found_rows.append(rows[left[is_equal]])
            found.append(entry[is_equal])
        rows, entry = np.concatenate(found_rows), np.concatenate(found)
        is_same = field.same(rows, self.field, entry)
        if group is not None and self.group is not None:
            is_same &= group[rows] == self.group[entry]
        rows, entry = rows[is_same], entry[is_same]
        order = np.argsort(rows, kind="stable")
        return rows[order], entry[order]


def _front(digest: Words, factor: int) -> np.uint64:
    """The shift that leaves a digest's first bits, with about `factor` values per known digest."""
    return np.uint64(64 - max(8, min(24, (factor * len(digest)).bit_length())))


def grouped(number: NDArray[np.uint32]) -> Ints:
    """The rows sorted by number; rows of one number keep their order.

    numpy sorts 16-bit numbers by counting, many times faster than others.
    """
    by_low = np.argsort(number.astype(np.uint16), kind="stable")
    if not len(number) or number.max() < 1 << 16:
        return by_low
    high = (number >> np.uint32(16)).astype(np.uint16)
    return by_low[np.argsort(high[by_low], kind="stable")]


def repeats(digest: Words) -> list[tuple[int, int]]:
    """Pairs of rows that share a digest, the earlier row first; each such row is in a pair."""
    n_bits = max(8, (8 * len(digest)).bit_length())
    slot = (digest >> np.uint64(64 - n_bits)).astype(np.int64)
    numbers = np.arange(len(digest), dtype=np.int32)
    holder = np.empty(1 << n_bits, np.int32)
    holder[slot] = numbers
    # A row that no longer holds its slot shares it with an equal digest, or by chance.
    lost = np.flatnonzero(holder[slot] != numbers)
    lost_digest = digest[lost]
    is_alone = changes(np.sort(lost_digest)).all()
    if is_alone and not (lost_digest == digest[holder[slot[lost]]]).any():
        return []
    by_digest = np.argsort(digest, kind="stable")
    equal = np.flatnonzero(digest[by_digest[1:]] == digest[by_digest[:-1]])
    return list(zip(by_digest[equal].tolist(), by_digest[equal + 1].tolist(), strict=True))


def same_pairs(names: Field, key: Words, group: Ints) -> list[tuple[int, int]]:
    """Pairs of rows with the same name in the same group, the earlier first; `key` is digests paired with the group."""
    return [
        (row, other)
        for row, other in repeats(key)
        if group[row] == group[other] and names.name(row) == names.name(other)
    ]


def sort_keys(query: Ints, score: ComparedScores) -> Keys:
    """A key for each line: equal where query and score are, smaller for a better score, larger for a later query.

    `query` is below 2^31.
    """
    score = score + score.dtype.type(0)  # no negative zero
    if score.dtype == np.float32:
        # 32-bit whole numbers in the reverse order of the scores.
        bits = score.view(np.uint32)
        rising = np.where(bits >> np.uint32(31), ~bits, bits | np.uint32(0x80000000))
        return (query << 32) | (~rising).astype(np.int64)
    # numpy sorts complex numbers by both parts.
    key = np.empty(len(score), np.complex128)
    key.real, key.imag = query, -score
    return key


def distinct(column: NDArray[Number]) -> NDArray[Number]:
    """The distinct values of the column, ascending; np.unique takes long to load."""
    rising = np.sort(column)
    return rising[changes(rising)]


def ranks(query: Ints, score: ComparedScores, rows: Ints, names: Field) -> Ints:
    """The rank from 1 of each of the rows among the lines of its query, best score first.

    `query` (n,) are the numbers of the lines' queries, ascending, below 2^31. Equal scores are ordered by name,
    descending by bytes, as in trec_eval; only names that tie with one of the rows are compared.
    """
    is_first = changes(query)
    if ((score[1:] <= score[:-1]) | is_first[1:]).all():
        places = rising = np.cumsum(is_first | changes(score), dtype=np.int64)
    else:
        places = sort_keys(query, score)
        rising = np.sort(places)
    place = places[rows]
    before = np.searchsorted(rising, place, "left")
    rank = before - np.searchsorted(query, query[rows], "left") + 1
    is_tied = np.searchsorted(rising, place, "right") - before > 1
    if not is_tied.any():
        return rank
    tied = distinct(place[is_tied])
    nearest = np.minimum(np.searchsorted(tied, places), len(tied) - 1)
    members = np.flatnonzero(tied[nearest] == places)
    # The members by tie, then with the highest name first.
    highest_first = by_bytes(names.take(members))[::-1]
    by_name = highest_first[np.argsort(places[members][highest_first], kind="stable")]
    ordered = places[members][by_name]
    n_higher = np.empty(len(members), np.int64)
    n_higher[by_name] = np.arange(len(members)) - np.searchsorted(ordered, ordered, "left")
    # The members are ascending, so binary search finds each tied row among them.
    rank[is_tied] += n_higher[np.searchsorted(members, rows[is_tied])]
    return rank


def by_bytes(names: Field) -> Ints:
    """The rows sorted by the bytes of their names; equal names in any order."""
    if names.longest > _LONGEST_BY_WORDS:
        spelled = [names.name(row) for row in range(len(names))]
        return np.array(sorted(range(len(names)), key=spelled.__getitem__), np.int64)
    words = [names.words(at).byteswap() for at in range(0, names.longest, WORD)]
    return np.lexsort(words[::-1]) if words else np.arange(len(names))
