"""Relevance judgements in columns, and a run matched to them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ragauge.rankings.hits import Bools, Compat, Floats, Hits, Ints
from ragauge.rankings.reading.fields import (
    Field,
    Names,
    compared,
    digests,
    field_of,
    numbered_names,
    paired,
    ranks,
    same_pairs,
    starts_of_blocks,
    texts_of,
)

NOT_JUDGED = -1
"""The number of a query without judgements."""


@dataclass(frozen=True, eq=False)
class Judgements:
    """The relevance grades of documents for queries.

    A judgement is a row: `query` (j,) is the number of its query in `query_names`, ascending;
    `document` is the document's name; `grade` (j,) is at most 0 for not relevant, below 0 for pooled
    but not judged. Each (query, document) pair is unique. `source` names where they come from.
    """

    query_names: Field
    query: Ints
    document: Field
    grade: Ints
    source: str = "judgements"

    def __len__(self) -> int:
        return len(self.grade)

    @property
    def n_queries(self) -> int:
        return len(self.query_names)

    @cached_property
    def queries(self) -> tuple[str, ...]:
        """The queries' names, in the order of their numbers."""
        return tuple(texts_of(self.query_names))

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Each query's number."""
        return {query: number for number, query in enumerate(self.queries)}

    @cached_property
    def known_queries(self) -> Names:
        return Names(self.query_names)

    @cached_property
    def known_pairs(self) -> Names:
        return Names(self.document, self.query)

    def matched(
        self, document: Field, number: Ints, n_lines: Ints, score: Floats, compat: Compat
    ) -> tuple[Ints, Ints, list[tuple[int, int]]]:
        """The judgements whose documents are among those retrieved, their ranks, and rows that are the same.

        `document` and `score` (n,) are lines that follow each other by query, each with `n_lines`
        (q,); `number` (q,) are the queries' numbers here, NOT_JUDGED for others.
        """
        # Each query that is not judged is a group of its own.
        group = np.where(number == NOT_JUDGED, -2 - np.arange(len(number)), number)
        key, of_line = paired(digests(document), group, n_lines), np.repeat(group, n_lines)
        rows, judgement = self.known_pairs.find(document, key, of_line)
        query = np.repeat(np.arange(len(group)), n_lines)
        rank = ranks(query, compared(score, compat), rows, document)
        return judgement, rank, same_pairs(document, key, of_line)

    @classmethod
    def from_mapping(
        cls, judged: Mapping[str, Mapping[str, int]], source: str = "judgements"
    ) -> "Judgements":
        """Make judgements of query → document → grade, the format of pytrec_eval."""
        sizes = np.fromiter(map(len, judged.values()), np.int64, len(judged))
        documents = [name for grades in judged.values() for name in grades]
        grades = [grade for grades in judged.values() for grade in grades.values()]
        query, grade = np.repeat(np.arange(len(judged)), sizes), np.array(grades, np.int64)
        return cls(field_of(list(judged)), query, field_of(documents), grade, source)

    @classmethod
    def from_fields(
        cls, query: Field, document: Field, grade: Ints, source: str = "judgements"
    ) -> "Judgements":
        """Make judgements of rows in any order; queries are numbered as they first appear."""
        blocks = starts_of_blocks(query)
        names = query.take(blocks)
        first, number = numbered_names(names)
        number = np.repeat(number, np.diff(blocks, append=len(query)))
        rows = np.argsort(number, kind="stable")
        return cls(names.take(first), number[rows], document.take(rows), grade[rows], source)


@dataclass(frozen=True, eq=False)
class JudgedRun:
    """A run matched to judgements: the ranks of the judged documents.

    `n_retrieved` (n_queries,) counts each judged query's documents; `judgement` (h,) numbers the
    judgements whose document was retrieved, at `rank` (h,). `n_unjudged_queries` of the run are not
    in the judgements. `tag` is the name in the run itself. `searched` (n_queries,) marks the queries
    that were searched; None if the source records no search without results. `notes` say how it was read.
    """

    judgements: Judgements
    n_retrieved: Ints
    judgement: Ints
    rank: Ints
    n_unjudged_queries: int = 0
    tag: str = ""
    searched: Bools | None = None
    notes: tuple[str, ...] = ()

    @cached_property
    def is_present(self) -> Bools:
        """Which judged queries are in the run, (n_queries,)."""
        return self.n_retrieved > 0 if self.searched is None else self.searched

    @cached_property
    def hits(self) -> Hits:
        """The hits of every judged query, including queries that are not in the run."""
        query = self.judgements.query[self.judgement]
        order = np.lexsort((self.rank, query))
        best_first = np.lexsort((-self.judgements.grade, self.judgements.query))
        return Hits(
            self.n_retrieved,
            query[order],
            self.rank[order],
            self.judgements.grade[self.judgement[order]],
            np.ones(len(order), np.int64),
            self.judgements.query,
            self.judgements.grade[best_first],
        )
