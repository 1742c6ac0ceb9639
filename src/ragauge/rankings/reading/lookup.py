"""Find known and repeated names among very many by their digests."""

import numpy as np
from numpy.typing import NDArray

from ragauge.rankings.arrays import Ints, Words
from ragauge.rankings.reading.scan import Field, digests, paired


class Lookup:
    """Finds the digests of a known set among very many."""

    def __init__(self, digest: Words) -> None:
        self.digest = digest
        # Most digests are unknown, and this test of their first bits already rejects nearly all.
        self._front = _front(digest, 16)
        self._is_taken = np.zeros(1 << (64 - int(self._front)), np.bool_)
        self._is_taken[(digest >> self._front).astype(np.int64)] = True
        # The others are compared with the known digests that share fewer first bits.
        self._slot = _front(digest, 1)
        slot = (digest >> self._slot).astype(np.uint32)
        self._order = grouped(slot)
        count = np.bincount(slot, minlength=1 << (64 - int(self._slot)))
        self._first = np.concatenate([[0], np.cumsum(count)])

    def find(self, digest: Words) -> tuple[Ints, Ints]:
        """The rows whose digest is known, ascending, and the number of the known digest."""
        rows = np.flatnonzero(self._is_taken.take((digest >> self._front).astype(np.int64)))
        wanted = digest[rows]
        slot = (wanted >> self._slot).astype(np.int64)
        first, size = self._first[slot], self._first[slot + 1] - self._first[slot]
        found_rows, found = [rows[:0]], [rows[:0]]
        for within in range(int(size.max(initial=0))):
            left = np.flatnonzero(size > within)
            entry = self._order[first[left] + within]
            equal = self.digest[entry] == wanted[left]
            found_rows.append(rows[left[equal]])
            found.append(entry[equal])
        all_rows, all_found = np.concatenate(found_rows), np.concatenate(found)
        order = np.argsort(all_rows, kind="stable")
        return all_rows[order], all_found[order]


def _front(digest: Words, factor: int) -> np.uint64:
    """The shift that leaves a digest's first bits, with about `factor` values per known digest."""
    return np.uint64(64 - max(8, min(24, (factor * len(digest)).bit_length())))


class Names:
    """Known names, to be found in a field."""

    def __init__(self, field: Field, group: Ints | None = None) -> None:
        self.field = field
        self.group = group
        digest = digests(field)
        self._lookup = Lookup(digest if group is None else paired(digest, group))

    def find(self, field: Field, digest: Words, group: Ints | None = None) -> tuple[Ints, Ints]:
        """The rows of the field with a known name of the same group, and that name's number.

        `digest` is the field's digests, `paired` with the group if there is one.
        """
        rows, entry = self._lookup.find(digest)
        is_same = field.same(rows, self.field, entry)
        if group is not None and self.group is not None:
            is_same &= group[rows] == self.group[entry]
        return rows[is_same], entry[is_same]


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
    held = holder[slot[lost]]
    lost_digest = digest[lost]
    in_order = np.sort(lost_digest)
    if not ((lost_digest == digest[held]).any() or (in_order[1:] == in_order[:-1]).any()):
        return []
    by_digest = np.argsort(digest, kind="stable")
    equal = np.flatnonzero(digest[by_digest[1:]] == digest[by_digest[:-1]])
    return list(zip(by_digest[equal].tolist(), by_digest[equal + 1].tolist(), strict=True))
