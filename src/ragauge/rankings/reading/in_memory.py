"""A run read whole: its rankings best first, which can be matched to any judgements."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from ragauge.errors import DataError, Problem
from ragauge.rankings.arrays import Bytes, Compat, Floats, Ints, Words, compared
from ragauge.rankings.hits import ranks_within
from ragauge.rankings.judgements import NOT_JUDGED, JudgedRun, Judgements, numbered
from ragauge.rankings.reading.fields import (
    Field,
    bytes_in_order,
    digests,
    field_of_pieces,
    numbered_names,
    paired,
    series_of,
    texts_of,
)
from ragauge.rankings.reading.lookup import Names, grouped, order, ranks, repeats
from ragauge.rankings.reading.rows import Rows, refuse, repeated

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
        rows = int(self._first[number]) + np.arange(int(self.n_retrieved[number]))
        names = texts_of(self.document.take(rows))
        return list(zip(names, self.score[rows].tolist(), strict=True))

    def frame(self) -> "pl.DataFrame":
        """One row for each document: query, doc, score; best first within a query.

        DataError for names that are not in UTF-8, which a frame cannot hold.
        """
        import polars as pl

        columns: dict[str, pl.Series] = {}
        for title, names in (("query", self.query_names), ("doc", self.document)):
            try:
                columns[title] = series_of(title, names)
            except UnicodeDecodeError:
                spelled = map(names.name, range(len(names)))
                name = next(name for name in spelled if "\ufffd" in name.decode(errors="replace"))
                what = f"names the {title} {name!r}, which is not in UTF-8; save the file as UTF-8"
                raise DataError([Problem(what, self.source)]) from None
        number = np.repeat(np.arange(len(self.n_retrieved), dtype=np.uint32), self.n_retrieved)
        query = columns["query"].gather(number)
        return pl.DataFrame([query, columns["doc"], pl.Series("score", self.score)])

    def matched_to(self, judgements: Judgements) -> JudgedRun:
        """The run matched to judgements: the ranks of the judged documents."""
        queries = judgements.query_names
        rows, entry = self._known_queries.find(queries, digests(queries))
        number = np.full(judgements.n_queries, NOT_JUDGED)
        number[rows] = entry
        n_retrieved = np.where(number == NOT_JUDGED, 0, self.n_retrieved[number])
        wanted = np.flatnonzero(number[judgements.query] != NOT_JUDGED)
        query = number[judgements.query[wanted]]
        at, rank = self.keys.find(digests(judgements.document.take(wanted)), query)
        row = self._first[query[at]] + rank - 1
        is_same = self.document.same(row, judgements.document, wanted[at])
        judgement, rank = wanted[at][is_same], rank[is_same]
        n_unjudged = len(self.n_retrieved) - len(rows)
        return JudgedRun(
            judgements, n_retrieved, judgement, rank, n_unjudged, self.tag, notes=self.notes
        )

    @cached_property
    def _known_queries(self) -> Names:
        return Names(self.query_names)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return numbered(self.queries)

    @cached_property
    def _first(self) -> Ints:
        return np.cumsum(self.n_retrieved) - self.n_retrieved


@dataclass(frozen=True, slots=True, eq=False)
class Keys:
    """A 64-bit key for each row, ascending, to look up documents and their ranks.

    A key's first bits are the query's number, its last bits the rank from 0, and the bits between are
    the start of the document's digest; matches must still be compared by name.
    """

    n_query_bits: np.uint64
    n_rank_bits: np.uint64
    rising: Words

    @classmethod
    def layout(cls, n_retrieved: Ints) -> "Keys":
        """No keys, with enough bits for these queries and ranks."""
        n_query_bits = max(1, (len(n_retrieved) - 1).bit_length())
        n_rank_bits = max(1, (int(n_retrieved.max(initial=1)) - 1).bit_length())
        return cls(np.uint64(n_query_bits), np.uint64(n_rank_bits), np.zeros(0, np.uint64))

    def stems(self, digest: Words, query: Ints) -> Words:
        """The keys of the documents without their ranks."""
        head = query.astype(np.uint64) << (np.uint64(64) - self.n_query_bits)
        return head | (digest >> self.n_query_bits >> self.n_rank_bits << self.n_rank_bits)

    def find(self, digest: Words, query: Ints) -> tuple[Ints, Ints]:
        """The documents that may be in the keys, as indices into `digest`, and their ranks."""
        stem = self.stems(digest, query)
        # In ascending order the search passes through memory once.
        left = np.argsort(stem)
        at = np.searchsorted(self.rising, stem[left])
        found, rank = [left[:0]], [left[:0]]
        while len(left):
            is_in = at < len(self.rising)
            left, at = left[is_in], at[is_in]
            is_like = self.rising[at] >> self.n_rank_bits == stem[left] >> self.n_rank_bits
            left, at = left[is_like], at[is_like]
            found.append(left)
            rank.append((self.rising[at] - stem[left]).astype(np.int64) + 1)
            at = at + 1
        all_found, all_rank = np.concatenate(found), np.concatenate(rank)
        rising = np.argsort(all_found, kind="stable")
        return all_found[rising], all_rank[rising]


class _Ranked(NamedTuple):
    """Some queries' rows, best first."""

    text: Bytes
    length: Ints
    score: Floats
    key: Words
    problems: tuple[Problem, ...]


class _Judged(NamedTuple):
    """The ranks of some queries' judged documents."""

    judgement: Ints
    rank: Ints
    problems: tuple[Problem, ...]


def rank_rows(rows: Rows, compat: Compat, tag: str = "") -> SortedRun:
    """Rank the rows; DataError for documents that a query retrieves twice."""
    work = _Work(rows, compat)
    texts, lengths, scores, keys, problems = zip(*work.mapped(work.ranked), strict=True)
    refuse(problem for found in problems for problem in found)
    return SortedRun(
        work.names,
        work.n_retrieved,
        field_of_pieces(texts, np.concatenate(lengths)),
        np.concatenate(scores),
        compat,
        rows.source,
        tag,
        rows.notes,
        replace(work.keys, rising=np.concatenate(keys)),
    )


def match_rows_to_qrels(rows: Rows, judgements: Judgements, compat: Compat) -> JudgedRun:
    """Match the rows to judgements; only judged documents are ranked, as `rank_rows` ranks them."""
    work = _Work(rows, compat)
    number, _ = judgements.numbers_of(work.names)
    is_known = number != NOT_JUDGED
    group = np.where(is_known, number, -2 - np.arange(len(number)))  # each unjudged query is one
    found = work.mapped(lambda span: work.judged(span, judgements, group))
    judgements_found, ranks_found, problems = zip(*found, strict=True)
    refuse(problem for some in problems for problem in some)
    n_retrieved = np.zeros(judgements.n_queries, np.int64)
    n_retrieved[number[is_known]] = work.n_retrieved[is_known]
    judgement, rank = np.concatenate(judgements_found), np.concatenate(ranks_found)
    rising = np.argsort(judgement)
    n_unjudged = int((~is_known).sum())
    return JudgedRun(
        judgements, n_retrieved, judgement[rising], rank[rising], n_unjudged, notes=rows.notes
    )


class _Work:
    """The data needed to rank each piece of the rows."""

    def __init__(self, rows: Rows, compat: Compat) -> None:
        if not len(rows):
            raise DataError([Problem("is empty: it ranks no document", rows.source)])
        self.rows = rows
        self.compat: Compat = compat
        first, number = numbered_names(rows.query)
        self.names = rows.query.take(first)
        size = np.diff(rows.first, append=len(rows))
        # Whole numbers far below 2^53, so their sums in floats are exact.
        self.n_retrieved = np.bincount(number, size, len(self.names)).astype(np.int64)
        self.end = np.cumsum(self.n_retrieved)
        self.keys = Keys.layout(self.n_retrieved)
        is_sorted = len(number) == len(self.names)
        self.by_query = None if is_sorted else grouped(np.repeat(number.astype(np.uint32), size))

    def mapped(self, work: Callable[[tuple[int, int]], T]) -> Iterator[T]:
        """The results of `work` for the queries in pieces of about PIECE rows, as first and last + 1."""
        begins = np.arange(0, int(self.end[-1]), PIECE)
        cuts = np.unique(np.searchsorted(self.end, begins, "right")).tolist()
        spans = list(pairwise([*cuts, len(self.end)]))
        if len(self.rows) < SINGLE_BELOW:
            yield from map(work, spans)
            return
        with ThreadPoolExecutor(min(MAX_THREADS, os.cpu_count() or 1)) as pool:
            yield from pool.map(work, spans)

    def ranked(self, span: tuple[int, int]) -> _Ranked:
        """All rows of the piece, best first."""
        query, row, document = self._cut(span)
        score = self.rows.value[row]
        at = order(query, compared(score, self.compat))
        if not (at.place[1:] > at.place[:-1]).all():
            best = np.argsort(at.place)
            place = at.place[best]
            is_like_next = np.append(place[1:] == place[:-1], False)
            tied = np.sort(best[is_like_next | np.roll(is_like_next, 1)])
            if len(tied):
                rank = ranks(at, tied, query[tied], document)
                best[at.first[query[tied]] + rank - 1] = tied
            row, score, document = row[best], score[best], document.take(best)
        key = self.keys.stems(digests(document), query + span[0])
        key |= (ranks_within(query, span[1] - span[0]) - 1).astype(np.uint64)
        key.sort()
        stem = key >> self.keys.n_rank_bits
        problems = self._repeated(row, document, query) if (stem[1:] == stem[:-1]).any() else ()
        return _Ranked(bytes_in_order(document), document.length, score, key, tuple(problems))

    def judged(self, span: tuple[int, int], judgements: Judgements, group: Ints) -> _Judged:
        """The judged rows of the piece; `group` is each query's number in the judgements."""
        query, row, document = self._cut(span)
        of_row = group[span[0] : span[1]][query]
        key = paired(digests(document), of_row)
        problems = self._repeated(row, document, query) if repeats(key) else ()
        score = self.rows.value[row]
        found = judgements.ranks_in(document, key, of_row, query, score, self.compat)
        return _Judged(*found, tuple(problems))

    def _cut(self, span: tuple[int, int]) -> tuple[Ints, Ints, Field]:
        """The piece's rows, with the number from 0 of each row's query, and its document."""
        start, stop = span
        size = self.n_retrieved[start:stop]
        first, end = int(self.end[start] - size[0]), int(self.end[stop - 1])
        row = np.arange(first, end) if self.by_query is None else self.by_query[first:end]
        return np.repeat(np.arange(stop - start), size), row, self.rows.document.take(row)

    def _repeated(self, row: Ints, document: Field, query: Ints) -> Iterator[Problem]:
        return repeated(self.rows, row, document, query, "is retrieved twice")
