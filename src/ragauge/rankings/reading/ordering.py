"""Rank lines by score, and by name where scores tie."""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ragauge.rankings.arrays import Bools, Ints
from ragauge.rankings.reading.scan import WORD, Field

Number = TypeVar("Number", np.int64, np.uint64)

_LONGEST_BY_WORDS = 64
"""Longest name, in bytes, that ties compare by words; longer names are compared one by one."""


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """The sort keys of lines.

    `place` (n,) is equal for lines of one query with equal scores, smaller for a better score, and
    larger for every later query. `places` are the same numbers, ascending; `first` (n_queries,) is
    the index of each query's first one in `places`.
    """

    place: Ints
    places: Ints
    first: Ints


def order(query: Ints, score: NDArray[np.floating]) -> Order:
    """Order lines by their query's number and their score, best first.

    `query` is below 2^31; `score` has the precision in which scores are compared: float32 as in
    trec_eval 9, float64 as in 10.
    """
    score = score + score.dtype.type(0)  # no negative zero
    is_first = _changes(query)
    is_better = score[1:] > score[:-1]
    if (query[1:] >= query[:-1]).all() and not (is_better & ~is_first[1:]).any():
        place = np.cumsum(is_first | _changes(score), dtype=np.int64)
        return Order(place, place, np.flatnonzero(is_first))
    if score.dtype == np.float32:
        place = (query << 32) | _descending(score.astype(np.float32))
        places = np.sort(place)
    else:
        best_first = np.lexsort((-score, query))
        is_new = _changes(query[best_first]) | _changes(score[best_first])
        places = np.cumsum(is_new, dtype=np.int64)
        place = np.empty_like(places)
        place[best_first] = places
    count = np.bincount(query)
    count = count[count > 0]
    return Order(place, places, np.cumsum(count) - count)


def distinct(column: NDArray[Number]) -> NDArray[Number]:
    """The distinct values of the column, ascending; np.unique takes long to load."""
    rising = np.sort(column)
    return rising[_changes(rising)]


def _changes(column: NDArray[np.generic]) -> Bools:
    """Which rows differ from the one before; the first row counts as different."""
    changes = np.empty(len(column), np.bool_)
    changes[:1] = True
    changes[1:] = column[1:] != column[:-1]
    return changes


def _descending(score: NDArray[np.float32]) -> Ints:
    """32-bit whole numbers in the reverse order of the scores."""
    bits = score.view(np.uint32)
    rising = np.where(bits >> np.uint32(31), ~bits, bits | np.uint32(0x80000000))
    return (~rising).astype(np.int64)


def ranks(at: Order, rows: Ints, query: Ints, names: Field) -> Ints:
    """The rank from 1 of each of the rows; `query` is the index of each row's query in `at.first`.

    Equal scores are ordered by name, descending by bytes, as in trec_eval; `names` are those of all
    lines, and only names that tie with one of the rows are compared.
    """
    place = at.place[rows]
    before = np.searchsorted(at.places, place, "left")
    rank = before - at.first[query] + 1
    is_tied = np.searchsorted(at.places, place, "right") - before > 1
    if is_tied.any():
        tied = distinct(place[is_tied])
        members = np.flatnonzero(_is_in(at.place, tied))
        later = _later_in_tie(at.place[members], names.take(members))
        # members are ascending, so binary search finds each tied row among them.
        rank[is_tied] += later[np.searchsorted(members, rows[is_tied])]
    return rank


def _is_in(place: Ints, tied: Ints) -> Bools:
    nearest = np.minimum(np.searchsorted(tied, place), len(tied) - 1)
    return tied[nearest] == place


def _later_in_tie(place: Ints, names: Field) -> Ints:
    """The number of rows ranked before each row in its tie: those with higher names."""
    highest_first = by_bytes(names)[::-1]
    by_name = highest_first[np.argsort(place[highest_first], kind="stable")]
    sorted_place = place[by_name]
    within = np.empty(len(place), np.int64)
    within[by_name] = np.arange(len(place)) - np.searchsorted(sorted_place, sorted_place, "left")
    return within


def by_bytes(names: Field) -> Ints:
    """The rows sorted by the bytes of their names; equal names in any order.

    >>> from ragauge.rankings.reading.scan import field_of
    >>> by_bytes(field_of([b"q10", b"q9", b"q1"])).tolist()
    [2, 0, 1]
    """
    if names.longest > _LONGEST_BY_WORDS:
        spelled = [names.name(row) for row in range(len(names))]
        return np.array(sorted(range(len(names)), key=spelled.__getitem__), np.int64)
    words = [names.words(at).byteswap() for at in range(0, names.longest, WORD)]
    return np.lexsort(words[::-1]) if words else np.arange(len(names))
