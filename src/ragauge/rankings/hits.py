"""The judged documents in many rankings, all that a ranking measure needs; unjudged ones are only counted."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

Compat = Literal["trec9", "trec10"]
"""trec_eval 9 compares scores as 32-bit floats, trec_eval 10 as 64-bit floats."""


@dataclass(frozen=True, eq=False)
class Hits:
    """The judged documents among the retrieved ones, for n queries, in columns.

    `n_retrieved` (n,) counts each query's retrieved documents. A hit is a retrieved document that
    has a judgement: `query` (h,) is its query's number, ascending; `rank` (h,) counts from 1 and
    ascends within a query; `grade` (h,) is its judgement, below 0 for "pooled but not judged".
    `n_new` (h,) is how many relevant items it is the first to show: 1 for a document, 0 or more
    for a passage that is matched with gold passages by its text. `judged_query` (j,), ascending,
    and `judged_grade` (j,), highest first within a query, are all judgements, retrieved or not.
    """

    n_retrieved: Ints
    query: Ints
    rank: Ints
    grade: Ints
    n_new: Ints
    judged_query: Ints
    judged_grade: Ints

    @cached_property
    def n(self) -> int:
        """The number of queries."""
        return len(self.n_retrieved)

    @cached_property
    def _n_relevant(self) -> dict[int, Ints]:
        """By grade, kept because most measures use the same grade."""
        return {}

    def n_relevant(self, min_grade: int = 1) -> Ints:
        """The number of documents of at least this grade in each query's judgements, (n,)."""
        if min_grade not in self._n_relevant:
            n_relevant = self.count(self.judged_query, self.judged_grade >= min_grade)
            self._n_relevant[min_grade] = n_relevant
        return self._n_relevant[min_grade]

    def count(self, query: Ints, where: Bools) -> Ints:
        """The number of rows of each query for which `where` is true, (n,)."""
        return np.bincount(query[where], minlength=self.n)

    def total(self, query: Ints, amount: Floats | Ints) -> Floats:
        """The sum of each query's amounts in their order, (n,); no digit depends on the batch."""
        total = np.bincount(query, weights=amount, minlength=self.n)
        return total.astype(np.float64, copy=False)

    def so_far(self, amount: Ints | Bools) -> Ints:
        """For each hit, the sum of the amounts of its query's hits up to and including it, (h,)."""
        total = np.cumsum(amount, dtype=np.int64)
        first = _firsts(self.query, self.n)[self.query]
        return total - (total - amount)[first]

    @cached_property
    def ideal_rank(self) -> Ints:
        """The rank of each judgement in the ideal ranking, from 1, (j,)."""
        return ranks_within(self.judged_query, self.n)

    def up_to(self, depth: int) -> "Hits":
        """The first `depth` documents of each ranking; trec_eval's -M."""
        kept = self._where(self.rank <= depth)
        return replace(kept, n_retrieved=np.minimum(self.n_retrieved, depth))

    def judged_only(self) -> "Hits":
        """The rankings without unjudged documents, so later ones move up; trec_eval's -J."""
        kept = self._where(self.grade >= 0)
        n_judged = np.bincount(kept.query, minlength=self.n)
        return replace(kept, rank=ranks_within(kept.query, self.n), n_retrieved=n_judged)

    def take(self, rows: Ints) -> "Hits":
        """The rankings of these rows, in their order; rows may repeat."""
        hits, query = _rows_of(self.query, rows, self.n)
        judged, judged_query = _rows_of(self.judged_query, rows, self.n)
        rank, grade, n_new = (column[hits] for column in (self.rank, self.grade, self.n_new))
        grades, n_retrieved = self.judged_grade[judged], self.n_retrieved[rows]
        return Hits(n_retrieved, query, rank, grade, n_new, judged_query, grades)

    def _where(self, kept: Bools) -> "Hits":
        columns = ("query", "rank", "grade", "n_new")
        return replace(self, **{name: getattr(self, name)[kept] for name in columns})


def one_hit(*, rank: int, grade: int = 1) -> Hits:
    """One query whose only judged document has this rank, the last of those retrieved."""
    zero, one = np.zeros(1, np.int64), np.ones(1, np.int64)
    return Hits(rank * one, zero, rank * one, grade * one, one, zero, grade * one)


def ranks_within(query: Ints, n: int) -> Ints:
    """The position from 1 of each row within its query; `query` ascends over n queries."""
    return np.arange(1, len(query) + 1) - _firsts(query, n)[query]


def _firsts(query: Ints, n: int) -> Ints:
    """The index of each query's first row in a column sorted by query, (n,)."""
    count = np.bincount(query, minlength=n)
    return np.cumsum(count) - count


def _rows_of(query: Ints, rows: Ints, n: int) -> tuple[Ints, Ints]:
    """The indices of the rows' entries in a column sorted by query, and their new row numbers."""
    size = np.bincount(query, minlength=n)[rows]
    new = np.repeat(np.arange(len(rows)), size)
    return _firsts(query, n)[rows][new] + ranks_within(new, len(rows)) - 1, new
