"""A run read whole: its rankings best first, which can be matched to any judgements."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from ragauge.errors import DataError, Problem
from ragauge.rankings.arrays import Bytes, Compat, Floats, Ints, Words, compared
from ragauge.rankings.hits import ranks_within
from ragauge.rankings.judgements import NOT_JUDGED, JudgedRun, Judgements
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
from ragauge.rankings.reading.lookup import Names, grouped, order, ranks, same_pairs
from ragauge.rankings.reading.rows import Rows, refuse_repeated

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
    by name descending by bytes. `key` (n,), ascending, is where documents are looked up: its first bits are
    the query's number, its last ones the rank from 0, and those between the start of the document's digest,
    so what is found must be compared by name. `tag` is the name in the run itself.
    """

    query_names: Field
    n_retrieved: Ints
    document: Field
    score: Floats
    key: Words
    compat: Compat
    source: str
    tag: str
    notes: tuple[str, ...]

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
        number, _ = self._known_queries.numbers(judgements.query_names)
        is_here = number != NOT_JUDGED
        n_retrieved = np.where(is_here, self.n_retrieved[number], 0)
        wanted = np.flatnonzero(is_here[judgements.query])
        query = number[judgements.query[wanted]]
        stem = _stems(self.n_retrieved, digests(judgements.document.take(wanted)), query)
        # In ascending order the search passes through memory once.
        left = np.argsort(stem)
        at = np.searchsorted(self.key, stem[left])
        found, ranks_found = [left[:0]], [left[:0]]
        n_rank_bits = _n_bits(self.n_retrieved)[1]
        while len(left):
            is_like = at < len(self.key)
            is_like[is_like] = (self.key[at[is_like]] ^ stem[left[is_like]]) >> n_rank_bits == 0
            left, at = left[is_like], at[is_like]
            found.append(left)
            ranks_found.append((self.key[at] - stem[left]).astype(np.int64))
            at = at + 1
        row, rank = np.concatenate(found), np.concatenate(ranks_found)
        is_same = self.document.same(
            self._first[query[row]] + rank, judgements.document, wanted[row]
        )
        rising = np.flatnonzero(is_same)[np.argsort(row[is_same])]
        n_unjudged = len(self.n_retrieved) - int(is_here.sum())
        return JudgedRun(
            judgements,
            n_retrieved,
            wanted[row[rising]],
            rank[rising] + 1,
            n_unjudged,
            self.tag,
            notes=self.notes,
        )

    @cached_property
    def _known_queries(self) -> Names:
        return Names(self.query_names)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {query: number for number, query in enumerate(self.queries)}

    @cached_property
    def _first(self) -> Ints:
        return np.cumsum(self.n_retrieved) - self.n_retrieved


def _n_bits(n_retrieved: Ints) -> tuple[np.uint64, np.uint64]:
    """The bits of a key that hold the query's number, and the rank."""
    most = (len(n_retrieved), int(n_retrieved.max(initial=1)))
    n_query_bits, n_rank_bits = (np.uint64(max(1, (n - 1).bit_length())) for n in most)
    return n_query_bits, n_rank_bits


def _stems(n_retrieved: Ints, digest: Words, query: Ints) -> Words:
    """The keys of documents without their ranks."""
    n_query_bits, n_rank_bits = _n_bits(n_retrieved)
    head = query.astype(np.uint64) << (np.uint64(64) - n_query_bits)
    return head | (digest >> n_query_bits >> n_rank_bits << n_rank_bits)


class _Piece(NamedTuple):
    """Some queries' rows: `queries` of the run, of `size` rows each; `row` and `document` (n,) follow each other by query."""

    queries: slice
    size: Ints
    row: Ints
    document: Field


class _ByQuery:
    """The rows of a run by query, the queries in the order in which they first appear."""

    def __init__(self, rows: Rows) -> None:
        if not len(rows):
            raise DataError([Problem("is empty: it ranks no document", rows.source)])
        self.rows = rows
        first, number = numbered_names(rows.query)
        self.names = rows.query.take(first)
        size = np.diff(rows.first, append=len(rows))
        # Whole numbers far below 2^53, so their sums in floats are exact.
        self.n_retrieved = np.bincount(number, size, len(self.names)).astype(np.int64)
        self.end = np.cumsum(self.n_retrieved)
        is_sorted = len(number) == len(self.names)
        self.row = None if is_sorted else grouped(np.repeat(number.astype(np.uint32), size))

    def mapped(self, work: Callable[[_Piece], T]) -> Iterator[T]:
        """The results of `work` for pieces of about PIECE rows."""
        begins = np.arange(0, len(self.rows), PIECE)
        cuts = np.unique(np.searchsorted(self.end, begins, "right")).tolist()
        spans = list(pairwise([*cuts, len(self.end)]))

        def of_span(span: tuple[int, int]) -> T:
            size = self.n_retrieved[slice(*span)]
            first, end = int(self.end[span[0]] - size[0]), int(self.end[span[1] - 1])
            row = np.arange(first, end) if self.row is None else self.row[first:end]
            return work(_Piece(slice(*span), size, row, self.rows.document.take(row)))

        if len(self.rows) < SINGLE_BELOW:
            yield from map(of_span, spans)
            return
        with ThreadPoolExecutor(min(MAX_THREADS, os.cpu_count() or 1)) as pool:
            yield from pool.map(of_span, spans)


def _rows_of(row: Ints, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Pairs of a piece's rows as rows of the source."""
    return [(int(row[one]), int(row[other])) for one, other in pairs]


def rank_rows(rows: Rows, tag: str, compat: Compat) -> SortedRun:
    """Rank the rows; DataError for documents that a query retrieves twice."""

    def ranked(piece: _Piece) -> tuple[Bytes, Ints, Floats, Words, list[tuple[int, int]]]:
        row, document, score = piece.row, piece.document, rows.value[piece.row]
        query = np.repeat(np.arange(len(piece.size)), piece.size)
        digest = digests(document)
        at = order(query, compared(score, compat))
        if not (at.place[1:] > at.place[:-1]).all():
            best = np.argsort(at.place)
            place = at.place[best]
            is_like_next = np.append(place[1:] == place[:-1], False)
            tied = np.sort(best[is_like_next | np.roll(is_like_next, 1)])
            rank = ranks(at, tied, query[tied], document)
            best[at.first[query[tied]] + rank - 1] = tied
            row, score, document, digest = row[best], score[best], document.take(best), digest[best]
        key = _stems(by_query.n_retrieved, digest, query + piece.queries.start)
        key |= (ranks_within(query, len(piece.size)) - 1).astype(np.uint64)
        key.sort()
        stem = key >> _n_bits(by_query.n_retrieved)[1]
        repeated: list[tuple[int, int]] = []
        if (stem[1:] == stem[:-1]).any():
            repeated = _rows_of(row, same_pairs(document, paired(digest, query), query))
        return bytes_in_order(document), document.length, score, key, repeated

    by_query = _ByQuery(rows)
    texts, lengths, scores, keys, repeated = zip(*by_query.mapped(ranked), strict=True)
    refuse_repeated(rows, [pair for pairs in repeated for pair in pairs], "is retrieved twice")
    return SortedRun(
        by_query.names,
        by_query.n_retrieved,
        field_of_pieces(texts, np.concatenate(lengths)),
        np.concatenate(scores),
        np.concatenate(keys),
        compat,
        rows.source,
        tag,
        rows.notes,
    )


def match_rows_to_qrels(rows: Rows, judgements: Judgements, compat: Compat) -> JudgedRun:
    """Match the rows to judgements; only judged documents are ranked, as `rank_rows` ranks them."""
    by_query = _ByQuery(rows)
    number, _ = judgements.known_queries.numbers(by_query.names)

    def matched(piece: _Piece) -> tuple[Ints, Ints, list[tuple[int, int]]]:
        judgement, rank, repeated = judgements.matched(
            piece.document, number[piece.queries], piece.size, rows.value[piece.row], compat
        )
        return judgement, rank, _rows_of(piece.row, repeated)

    judgement, rank, repeated = zip(*by_query.mapped(matched), strict=True)
    refuse_repeated(rows, [pair for pairs in repeated for pair in pairs], "is retrieved twice")
    is_known = number != NOT_JUDGED
    n_retrieved = np.zeros(judgements.n_queries, np.int64)
    n_retrieved[number[is_known]] = by_query.n_retrieved[is_known]
    return JudgedRun(
        judgements,
        n_retrieved,
        np.concatenate(judgement),
        np.concatenate(rank),
        int((~is_known).sum()),
        notes=rows.notes,
    )
