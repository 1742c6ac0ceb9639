"""Find known and repeated names among very many by their digests; rank lines by score, and by name where scores tie."""

from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ragauge.rankings.hits import Compat, Floats, Ints, Words
from ragauge.rankings.reading.fields import WORD, Field, changes, digests, paired

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
