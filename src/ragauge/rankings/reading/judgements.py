"""Relevance judgements in columns, runs matched to them or as frames: made of the rows of a source, or of samples."""

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, cast

import numpy as np

from ragauge.errors import DataError, Problem
from ragauge.rankings.hits import Bools, Compat, Floats, Hits, Ints
from ragauge.rankings.reading.fields import (
    Field,
    Names,
    compared,
    digests,
    field_of,
    field_of_series,
    grouped,
    numbered_names,
    paired,
    ranks,
    same_pairs,
    series_of,
    starts_of_blocks,
    texts_of,
)
from ragauge.rankings.reading.rows import (
    Chosen,
    Rows,
    are_grades,
    refuse,
    refuse_repeated,
    rows_of,
)

if TYPE_CHECKING:
    import polars as pl

    from ragauge.samples.samples import Samples

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


PIECE = 1 << 14
"""Rows that are ranked at a time: few enough to stay in the processor's cache."""
SINGLE_BELOW = 1 << 18
"""Rows below which one thread is faster than several."""
MAX_THREADS = 4


def judged(rows: Rows) -> Judgements:
    """The rows as judgements; DataError for fractional grades and documents judged twice."""
    refuse(
        rows.problem(row, f"grade {rows.value[row]:g} is not a whole number", "grade")
        for row in np.flatnonzero(~are_grades(rows.value)).tolist()
    )
    refuse_repeated(rows, "is judged twice")
    block = np.repeat(np.arange(len(rows.first)), np.diff(rows.first, append=len(rows)))
    return Judgements.from_fields(
        rows.query.take(block), rows.document, rows.value.astype(np.int64), rows.source
    )


def frame_of(rows: Rows) -> "pl.DataFrame":
    """The rows as a frame: query, doc, score.

    DataError for documents retrieved twice, and for names that are not in UTF-8, which a frame cannot hold.
    """
    import polars as pl

    refuse_repeated(rows, "is retrieved twice")
    columns: dict[str, pl.Series] = {}
    for title, names in (("query", rows.query), ("doc", rows.document)):
        try:
            columns[title] = series_of(title, names)
        except UnicodeDecodeError:
            spelled = map(names.name, range(len(names)))
            name = next(name for name in spelled if "\ufffd" in name.decode(errors="replace"))
            what = f"names the {title} {name!r}, which is not in UTF-8; save the file as UTF-8"
            raise DataError([Problem(what, rows.source)]) from None
    sizes = np.diff(rows.first, append=len(rows))
    block = np.repeat(np.arange(len(rows.first), dtype=np.uint32), sizes)
    query = columns["query"].gather(block)
    return pl.DataFrame([query, columns["doc"], pl.Series("score", rows.value)])


def match_rows_to_qrels(rows: Rows, judgements: Judgements, compat: Compat) -> JudgedRun:
    """Match the rows to judgements; only judged documents are ranked.

    Score descending, then name descending by bytes. DataError for documents that a query retrieves twice.
    """
    first, number = numbered_names(rows.query)
    query_names = rows.query.take(first)
    judged_query, _ = judgements.known_queries.numbers(query_names)
    size = np.diff(rows.first, append=len(rows))
    # Whole numbers far below 2^53, so their sums in floats are exact.
    sizes = np.bincount(number, size, len(query_names)).astype(np.int64)
    ends = np.cumsum(sizes)
    # The rows by query, the queries in the order in which they first appear.
    is_sorted = len(number) == len(query_names)
    by_query = None if is_sorted else grouped(np.repeat(number.astype(np.uint32), size))
    cuts = np.unique(np.searchsorted(ends, np.arange(0, len(rows), PIECE), "right")).tolist()

    def matched(queries: tuple[int, int]) -> tuple[Ints, Ints, list[tuple[int, int]]]:
        some = slice(*queries)
        start, end = int(ends[queries[0]] - sizes[queries[0]]), int(ends[queries[1] - 1])
        row = np.arange(start, end) if by_query is None else by_query[start:end]
        judgement, rank, pairs = judgements.matched(
            rows.document.take(row), judged_query[some], sizes[some], rows.value[row], compat
        )
        return judgement, rank, [(int(row[first]), int(row[again])) for first, again in pairs]

    pieces = list(pairwise([*cuts, len(ends)]))
    if len(rows) < SINGLE_BELOW:
        found = list(map(matched, pieces))
    else:
        with ThreadPoolExecutor(min(MAX_THREADS, os.cpu_count() or 1)) as pool:
            found = list(pool.map(matched, pieces))
    judgement, rank, repeated = zip(*found, strict=True)
    refuse_repeated(rows, "is retrieved twice", chain.from_iterable(repeated))
    is_known = judged_query != NOT_JUDGED
    n_retrieved = np.zeros(judgements.n_queries, np.int64)
    n_retrieved[judged_query[is_known]] = sizes[is_known]
    hits = np.concatenate(judgement), np.concatenate(rank)
    n_unjudged = int((~is_known).sum())
    return JudgedRun(judgements, n_retrieved, *hits, n_unjudged, rows.tag, notes=rows.notes)


def judgements_of_samples(samples: "Samples") -> Judgements:
    """The judgements in `relevant`; DataError if the systems have different ones for a question."""
    from ragauge.samples.samples import to_columns

    _refuse_without(samples, "relevant")
    columns = to_columns(samples.frame.select("id", "system", "relevant"))
    judged: dict[str, tuple[object, Mapping[str, int]]] = {}
    problems: list[Problem] = []
    for id, system, relevant in zip(*columns.values(), strict=True):
        if relevant is not None:
            grades = cast(Mapping[str, int], relevant)
            other, first = judged.setdefault(cast(str, id), (system, grades))
            if first != grades:
                what = f"systems {other!r} and {system!r} have different `relevant`; use the same for every system"
                problems.append(Problem(what, samples.source, None, "relevant", cast(str, id)))
    if not judged:
        problems.append(Problem("is null in every row", samples.source, None, "relevant"))
    refuse(problems)
    by_query = {query: grades for query, (_, grades) in judged.items()}
    return Judgements.from_mapping(by_query, samples.source)


def rows_of_samples(samples: "Samples") -> dict[str, tuple[Rows | None, list[str]]]:
    """By system its rankings, `context_ids` in their order, and the questions that it searched for.

    A repeated id counts once, at its first rank, and later ones move up. Scores are 0, -1, -2 … A sample with
    empty `context_ids` retrieved nothing, one with null was not searched. None if nothing was retrieved.
    """
    import polars as pl

    _refuse_without(samples, "context_ids")
    found: dict[str, tuple[Rows | None, list[str]]] = {}
    for system in samples.systems:
        own = samples.frame.filter(pl.col("system") == system, pl.col("context_ids").is_not_null())
        if not own.height:
            what = f"is null for every question of system {system!r}"
            raise DataError([Problem(what, samples.source, None, "context_ids")])
        ids = own.select("id", "context_ids").explode("context_ids").drop_nulls("context_ids")
        ids = ids.unique(maintain_order=True, keep="first")
        first = (ids["id"] != ids["id"].shift(1)).fill_null(value=True).arg_true()
        begins = first.to_numpy().astype(np.int64)
        falling = np.repeat(begins, np.diff(begins, append=ids.height)) - np.arange(ids.height)
        chosen = Chosen(("id", "context_ids", "context_ids"), "score")
        fields = field_of_series(ids["id"].gather(first)), field_of_series(ids["context_ids"])
        scores = falling.astype(np.float64)
        rows = rows_of(samples.source, chosen, *fields, scores, first=begins) if len(ids) else None
        found[system] = rows, own["id"].to_list()
    return found


def match_samples_to_qrels(samples: "Samples", judgements: Judgements) -> dict[str, JudgedRun]:
    """Each system's retrieved documents matched to judgements, in the order of `context_ids`."""
    seen: dict[str, JudgedRun] = {}
    for system, (rows, ids) in rows_of_samples(samples).items():
        known = [judgements.numbers.get(id, NOT_JUDGED) for id in ids]
        searched = np.zeros(judgements.n_queries, np.bool_)
        searched[[place for place in known if place != NOT_JUDGED]] = True
        none = np.zeros(0, np.int64)
        found = JudgedRun(judgements, np.zeros(judgements.n_queries, np.int64), none, none)
        if rows is not None:
            found = match_rows_to_qrels(rows, judgements, "trec9")
        n_unjudged = known.count(NOT_JUDGED)
        seen[system] = replace(found, searched=searched, n_unjudged_queries=n_unjudged)
    return seen


def _refuse_without(samples: "Samples", field: str) -> None:
    if field not in samples.columns:
        what = f"is not a column; the columns are {', '.join(samples.columns)}"
        raise DataError([Problem(what, samples.source, None, field)])
