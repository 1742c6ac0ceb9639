"""A run read whole: its rankings best first, which can be matched to any judgements."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ragauge.errors import DataError, Problem
from ragauge.rankings.arrays import Bytes, Compat, Floats, Ints, Words, precision_of
from ragauge.rankings.hits import ranks_within
from ragauge.rankings.judgements import NOT_JUDGED, JudgedRun, Judgements
from ragauge.rankings.reading.lookup import Names, grouped, repeats
from ragauge.rankings.reading.ordering import order, ranks
from ragauge.rankings.reading.rows import (
    Rows,
    bytes_in_order,
    field_of_pieces,
    pairs_alike,
    refuse,
    repeated,
    series_of,
    texts_of,
)
from ragauge.rankings.reading.scan import Field, digests, paired

if TYPE_CHECKING:
    import polars as pl

T = TypeVar("T")

PIECE = 1 << 14
"""Rows that are ranked at a time: few enough to stay in the processor's cache."""
SINGLE_BELOW = 1 << 18
"""Rows below which one thread is faster than several."""
MAX_THREADS = 4


@dataclass(frozen=True, eq=False)
class SortedRun:
    """The rankings of all queries of a run: `documents` for one query, `frame` for all.

    `query_names` (m,) names the queries, `n_retrieved` (m,) counts their documents. `document` and
    `score` (n,) are sorted by query, best first: score descending in the precision of `compat`, ties
    by name descending by bytes. `tag` is the name in the run itself.
    """

    query_names: Field
    n_retrieved: Ints
    document: Field
    score: Floats
    compat: Compat
    source: str
    tag: str
    notes: tuple[str, ...]
    keys: "Keys"

    def __len__(self) -> int:
        return len(self.score)

    def __repr__(self) -> str:
        return f"<SortedRun of {len(self):,} documents for {len(self.n_retrieved):,} queries>"

    @cached_property
    def queries(self) -> tuple[str, ...]:
        """The queries, as they first appear in the run."""
        return tuple(texts_of(self.query_names))

    def documents(self, query: str) -> list[tuple[str, float]]:
        """The documents retrieved for a query and their scores, best first.

        KeyError if the run does not have the query.
        """
        number = self._numbers[query]
        end = int(self._end[number])
        rows = slice(end - int(self.n_retrieved[number]), end)
        found = Field(self.document.text, self.document.start[rows], self.document.end[rows])
        return list(zip(found_names(found), self.score[rows].tolist(), strict=True))

    def frame(self) -> "pl.DataFrame":
        """One row for each document: query, doc, score; best first within a query.

        DataError for names that are not in UTF-8, which a frame cannot hold.
        """
        import polars as pl

        query = self._texts("query", self.query_names)
        number = np.repeat(np.arange(len(query), dtype=np.uint32), self.n_retrieved)
        document = self._texts("doc", self.document)
        return pl.DataFrame([query.gather(number), document, pl.Series("score", self.score)])

    def _texts(self, title: str, names: Field) -> "pl.Series":
        try:
            return series_of(title, names)
        except UnicodeDecodeError:
            name = next(name for name in map(names.name, range(len(names))) if not _is_utf8(name))
            what = f"names the {title} {name!r}, which is not in UTF-8; save the file as UTF-8"
            raise DataError([Problem(what, self.source)]) from None

    def matched_to(self, judgements: Judgements) -> JudgedRun:
        """The run matched to judgements: the ranks of the judged documents."""
        rows, entry = self.known_queries.find(
            judgements.query_names, digests(judgements.query_names)
        )
        number = np.full(judgements.n_queries, NOT_JUDGED)
        number[rows] = entry
        n_retrieved = np.where(number == NOT_JUDGED, 0, self.n_retrieved[number])
        wanted = np.flatnonzero(number[judgements.query] != NOT_JUDGED)
        query = number[judgements.query[wanted]]
        at, rank = self.keys.find(digests(judgements.document.take(wanted)), query)
        row = (self._end - self.n_retrieved)[query[at]] + rank - 1
        is_same = self.document.same(row, judgements.document, wanted[at])
        judgement, rank = wanted[at][is_same], rank[is_same]
        n_unjudged = len(self.n_retrieved) - len(rows)
        return JudgedRun(
            judgements, n_retrieved, judgement, rank, n_unjudged, self.tag, notes=self.notes
        )

    @cached_property
    def known_queries(self) -> Names:
        return Names(self.query_names)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {query: number for number, query in enumerate(self.queries)}

    @cached_property
    def _end(self) -> Ints:
        return np.cumsum(self.n_retrieved)


def _is_utf8(name: bytes) -> bool:
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True


def found_names(field: Field) -> list[str]:
    """The names of some rows of a large field, without reading the rest of its text."""
    if not len(field):
        return []
    first, last = int(field.start[0]), int(field.end[-1])
    return texts_of(Field(field.text[first:last], field.start - first, field.end - first))


@dataclass(frozen=True, slots=True, eq=False)
class Keys:
    """A 64-bit key for each row, ascending, to look up documents and their ranks.

    A key's first bits are the query's number, its last bits the rank, and the bits between are the
    start of the document's digest; matches must still be compared by name.
    """

    n_query_bits: int
    n_rank_bits: int
    rising: Words

    @classmethod
    def layout(cls, n_retrieved: Ints) -> "Keys":
        """Empty keys with enough bits for these queries and ranks."""
        n_query_bits = max(1, (len(n_retrieved) - 1).bit_length())
        n_rank_bits = max(1, (int(n_retrieved.max(initial=1)) - 1).bit_length())
        return cls(n_query_bits, n_rank_bits, np.zeros(0, np.uint64))

    def stems(self, digest: Words, query: Ints) -> Words:
        """The keys of the documents without their ranks."""
        head = query.astype(np.uint64) << np.uint64(64 - self.n_query_bits)
        n_bits = np.uint64(self.n_query_bits), np.uint64(self.n_rank_bits)
        return head | (digest >> n_bits[0] >> n_bits[1] << n_bits[1])

    def place(self, key: Words) -> Ints:
        """The rank in each key, from 0."""
        return (key & np.uint64((1 << self.n_rank_bits) - 1)).astype(np.int64)

    def find(self, digest: Words, query: Ints) -> tuple[Ints, Ints]:
        """The documents that may be in the keys, as indices into `digest`, and their ranks."""
        stem = self.stems(digest, query)
        # In ascending order the search passes through memory once.
        left = np.argsort(stem)
        at = np.searchsorted(self.rising, stem[left])
        found, rank = [left[:0]], [left[:0]]
        shift = np.uint64(self.n_rank_bits)
        while len(left):
            is_in = at < len(self.rising)
            left, at = left[is_in], at[is_in]
            key = self.rising[at]
            is_like = key >> shift == stem[left] >> shift
            left, at = left[is_like], at[is_like] + 1
            found.append(left)
            rank.append(self.place(key[is_like]) + 1)
        all_found, all_rank = np.concatenate(found), np.concatenate(rank)
        rising = np.argsort(all_found, kind="stable")
        return all_found[rising], all_rank[rising]


@dataclass(frozen=True, slots=True, eq=False)
class _RankedQueries:
    """Some queries' rows, best first."""

    text: Bytes
    length: Ints
    score: Floats
    key: Words
    problems: tuple[Problem, ...]


def rank_rows(rows: Rows, compat: Compat, tag: str = "") -> SortedRun:
    """Rank the rows; DataError for documents that a query retrieves twice."""
    work = _Work(rows, compat)
    pieces = list(work.mapped(work.ranked))
    refuse(problem for piece in pieces for problem in piece.problems)
    return SortedRun(
        work.names,
        work.n_retrieved,
        field_of_pieces(
            [piece.text for piece in pieces], np.concatenate([piece.length for piece in pieces])
        ),
        np.concatenate([piece.score for piece in pieces]),
        compat,
        rows.source,
        tag,
        rows.notes,
        replace(work.keys, rising=np.concatenate([piece.key for piece in pieces])),
    )


def match_rows_to_qrels(rows: Rows, judgements: Judgements, compat: Compat) -> JudgedRun:
    """Match the rows to judgements; only judged documents are ranked, as `rank_rows` ranks them."""
    work = _Work(rows, compat)
    known, entry = judgements.known_queries.find(work.names, digests(work.names))
    number = -2 - np.arange(len(work.names))  # each unjudged query is a separate group
    number[known] = entry
    pieces = list(work.mapped(lambda span: work.seen(span, judgements, number)))
    refuse(problem for piece in pieces for problem in piece.problems)
    n_retrieved = np.zeros(judgements.n_queries, np.int64)
    n_retrieved[entry] = work.n_retrieved[known]
    judgement = np.concatenate([piece.judgement for piece in pieces])
    rising = np.argsort(judgement)
    rank = np.concatenate([piece.rank for piece in pieces])
    n_unjudged = len(work.names) - len(known)
    return JudgedRun(
        judgements, n_retrieved, judgement[rising], rank[rising], n_unjudged, notes=rows.notes
    )


@dataclass(frozen=True, slots=True, eq=False)
class _JudgedQueries:
    """The ranks of some queries' judged documents."""

    judgement: Ints
    rank: Ints
    problems: tuple[Problem, ...]


def _by_query(number: Ints, size: Ints, n_queries: int) -> Ints | None:
    """The rows sorted by query; None if they already are."""
    if len(number) == n_queries:
        return None
    return grouped(np.repeat(number.astype(np.uint32), size))


class _Work:
    """The data needed to rank each piece of the rows."""

    def __init__(self, rows: Rows, compat: Compat) -> None:
        if not len(rows):
            raise DataError([Problem("is empty: it ranks no document", rows.source)])
        self.rows = rows
        self.precision = precision_of(compat)
        self.names, number = rows.numbered()
        size = np.diff(rows.first, append=len(rows))
        # Whole numbers far below 2^53, so their sums in floats are exact.
        self.n_retrieved = np.bincount(number, size, len(self.names)).astype(np.int64)
        self.end = np.cumsum(self.n_retrieved)
        self.keys = Keys.layout(self.n_retrieved)
        self.at = _by_query(number, size, len(self.names))

    def mapped(self, work: Callable[[tuple[int, int]], T]) -> Iterator[T]:
        """The results of `work` for each piece, in order."""
        if len(self.rows) < SINGLE_BELOW:
            yield from map(work, self.spans())
            return
        with ThreadPoolExecutor(min(MAX_THREADS, os.cpu_count() or 1)) as pool:
            yield from pool.map(work, self.spans())

    def spans(self) -> list[tuple[int, int]]:
        """The queries in pieces of about PIECE rows, as first and last + 1."""
        begins = np.arange(0, int(self.end[-1]), PIECE)
        cuts = np.unique(np.searchsorted(self.end, begins, "right"))
        edges = cast(list[int], [*cuts.tolist(), len(self.end)])
        return list(pairwise(edges))

    def ranked(self, span: tuple[int, int]) -> _RankedQueries:
        """All rows of the piece, best first."""
        query, row = self._cut(span)
        score, document = self.rows.value[row], self.rows.document.take(row)
        best = self._best_first(query, score, document)
        if best is not None:
            row, score, document = row[best], score[best], document.take(best)
        key = self.keys.stems(digests(document), query + span[0])
        key |= (ranks_within(query, span[1] - span[0]) - 1).astype(np.uint64)
        key.sort()
        stem = key >> np.uint64(self.keys.n_rank_bits)
        problems = self._repeated(query, row, document) if (stem[1:] == stem[:-1]).any() else ()
        length = document.end - document.start
        return _RankedQueries(bytes_in_order(document), length, score, key, tuple(problems))

    def seen(self, span: tuple[int, int], judgements: Judgements, number: Ints) -> _JudgedQueries:
        """The judged rows of the piece; `number` is each query's number in the judgements."""
        query, row = self._cut(span)
        document, group = self.rows.document.take(row), number[span[0] : span[1]][query]
        key = paired(digests(document), group)
        problems = self._repeated(query, row, document) if repeats(key) else ()
        found, judgement = judgements.known_pairs.find(document, key, group)
        at = order(query, self._narrowed(self.rows.value[row]))
        return _JudgedQueries(judgement, ranks(at, found, query[found], document), tuple(problems))

    def _cut(self, span: tuple[int, int]) -> tuple[Ints, Ints]:
        """The piece's rows, and the number from 0 of each row's query."""
        start, stop = span
        size = self.n_retrieved[start:stop]
        whole = slice(int(self.end[start] - size[0]), int(self.end[stop - 1]))
        row = np.arange(whole.start, whole.stop) if self.at is None else self.at[whole]
        return np.repeat(np.arange(stop - start), size), row

    def _narrowed(self, score: Floats) -> NDArray[np.floating]:
        """The scores in the precision in which they are compared."""
        with np.errstate(over="ignore"):  # beyond the range of 32 bits all scores are equal
            return score.astype(self.precision)

    def _best_first(self, query: Ints, score: Floats, document: Field) -> Ints | None:
        """The piece's rows sorted by rank; None if they already are."""
        at = order(query, self._narrowed(score))
        if (at.place[1:] > at.place[:-1]).all():
            return None
        best = np.argsort(at.place)
        place = at.place[best]
        is_like_next = place[1:] == place[:-1]
        is_tied = np.zeros(len(best), np.bool_)
        is_tied[1:] |= is_like_next
        is_tied[:-1] |= is_like_next
        tied = np.sort(best[is_tied])
        if len(tied):
            rank = ranks(at, tied, query[tied], document)
            best[at.first[query[tied]] + rank - 1] = tied
        return best

    def _repeated(self, query: Ints, row: Ints, document: Field) -> Iterator[Problem]:
        for one, other in pairs_alike(document, query):
            yield repeated(self.rows, int(row[one]), int(row[other]), "is retrieved twice")
