"""Relevance judgements in columns, and a run matched to them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ragauge.rankings.arrays import Bools, Ints
from ragauge.rankings.hits import Hits
from ragauge.rankings.reading.lookup import Names
from ragauge.rankings.reading.scan import Field, digests, field_of, starts_of_blocks

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
        return tuple(text_of(self.query_names.name(row)) for row in range(self.n_queries))

    @cached_property
    def known_queries(self) -> Names:
        return Names(self.query_names)

    @cached_property
    def known_pairs(self) -> Names:
        return Names(self.document, self.query)

    @classmethod
    def from_mapping(
        cls, judged: Mapping[str, Mapping[str, int]], source: str = "judgements"
    ) -> "Judgements":
        """Make judgements of query → document → grade, the format of pytrec_eval.

        >>> Judgements.from_mapping({"q1": {"d1": 1, "d2": 0}}).grade.tolist()
        [1, 0]
        """
        sizes = np.fromiter(map(len, judged.values()), np.int64, len(judged))
        documents = [bytes_of(name) for grades in judged.values() for name in grades]
        grades = [grade for grades in judged.values() for grade in grades.values()]
        return cls(
            field_of([bytes_of(name) for name in judged]),
            np.repeat(np.arange(len(judged)), sizes),
            field_of(documents),
            np.array(grades, np.int64),
            source,
        )

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
    that were searched, for sources that record a search without results; None if the source does
    not, and a query without documents then counts as not searched. `notes` say how the source was
    read.
    """

    judgements: Judgements
    n_retrieved: Ints
    judgement: Ints
    rank: Ints
    n_unjudged_queries: int = 0
    tag: str = ""
    searched: Bools | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def nothing(cls, judgements: Judgements) -> "JudgedRun":
        """A run without documents."""
        none = np.zeros(0, np.int64)
        return cls(judgements, np.zeros(judgements.n_queries, np.int64), none, none)

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


def bytes_of(name: str) -> bytes:
    """A name as it is encoded in a file."""
    return name.encode("utf-8", "surrogateescape")


def text_of(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def numbered_names(names: Field) -> tuple[Ints, Ints]:
    """The first row of each name, ascending; and for each row the number of its name among these.

    >>> first, number = numbered_names(field_of([b"q2", b"q1", b"q2"]))
    >>> first.tolist(), number.tolist()
    ([0, 1], [0, 1, 0])
    """
    digest = digests(names)
    rows = np.argsort(digest)
    if not len(rows):
        return rows, rows
    is_first = np.ones(len(rows), np.bool_)
    is_first[1:] = digest[rows[1:]] != digest[rows[:-1]]
    # A name's rows are in no order; the first is the lowest.
    first = np.minimum.reduceat(rows, np.flatnonzero(is_first))
    in_order = np.argsort(first)
    place = np.empty_like(in_order)
    place[in_order] = np.arange(len(in_order))
    number = np.empty_like(rows)
    number[rows] = place[np.cumsum(is_first) - 1]
    return checked_numbers(names, first[in_order], number)


def checked_numbers(names: Field, first: Ints, number: Ints) -> tuple[Ints, Ints]:
    """The numbers by digest, or by name if two names share a digest."""
    is_repeat = np.ones(len(names), np.bool_)
    is_repeat[first] = False
    rows = np.flatnonzero(is_repeat)
    is_sound = names.same(rows, names, first[number[rows]]).all()
    return (first, number) if is_sound else _numbered_one_by_one(names)


def _numbered_one_by_one(names: Field) -> tuple[Ints, Ints]:
    numbers: dict[bytes, int] = {}
    first: list[int] = []
    for row in range(len(names)):
        if numbers.setdefault(names.name(row), len(first)) == len(first):
            first.append(row)
    number = [numbers[names.name(row)] for row in range(len(names))]
    return np.array(first, np.int64), np.array(number, np.int64)


def numbered(names: Sequence[str]) -> dict[str, int]:
    """Each name's index."""
    return {name: place for place, name in enumerate(names)}
