"""Match rankings to their judgements: one table of hits for a whole batch of samples.

Every ranking measure is a function of that table (see `ragauge.rankings.hits`); a sample's `ranking`
is its row of the table and the names of its hits.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeVar

import numpy as np

from ragauge.metric import feature
from ragauge.rankings.hits import Hits
from ragauge.score import Score
from ragauge.setting import Renamed

Match = Annotated[Literal["id", "text", "legalbench"], Renamed({"seed-003": "legalbench"})]
Cell = TypeVar("Cell")
Nullable = Sequence[Cell | None] | None
"""A column whose cells may be null; None if the samples do not have the column."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """One sample's row of a table of hits, and the names of its hits by rank."""

    table: Hits
    row: int
    names: tuple[str, ...]


@feature(batch=True)
def ranking(
    context_ids: Nullable[Sequence[str]],
    relevant: Nullable[Mapping[str, int]],
    contexts: Nullable[Sequence[str]],
    gold_contexts: Nullable[Sequence[str]],
    *,
    match: Match = "id",
) -> list[Ranking | Score]:
    """The rankings' hits: by document id, or by the text of the passages.

    `match="id"` looks up the `context_ids` in `relevant`; a repeated id counts once, at its first
    rank, and later documents move up. `match="text"` compares `contexts` with `gold_contexts`: a passage
    matches a gold one when, lower-cased and with whitespace collapsed, they are equal or one
    contains the other; an empty passage matches nothing. `match="legalbench"` lets an empty passage
    match everything, as LegalBench-RAG's own system does. Missing if a column that the match needs
    is null.

    >>> (found,) = ranking([["x", "a", "x", "b"]], [{"a": 1, "b": 2}], None, None)
    >>> found.names, found.table.rank.tolist(), found.table.grade.tolist()
    (('a', 'b'), [2, 3], [1, 2])
    """
    if match == "id":
        return _rankings("context_ids", context_ids, "relevant", relevant, _add_ids)
    add = _add_texts_and_blanks if match == "legalbench" else _add_texts
    return _rankings("contexts", contexts, "gold_contexts", gold_contexts, add)


@dataclass(frozen=True, slots=True)
class _Growing:
    """The columns of a table of hits, built row by row."""

    n_retrieved: list[int] = field(default_factory=list[int])
    query: list[int] = field(default_factory=list[int])
    rank: list[int] = field(default_factory=list[int])
    grade: list[int] = field(default_factory=list[int])
    n_new: list[int] = field(default_factory=list[int])
    names: list[str] = field(default_factory=list[str])
    judged_query: list[int] = field(default_factory=list[int])
    judged_grade: list[int] = field(default_factory=list[int])

    def hit(self, rank: int, grade: int, n_new: int, name: str) -> None:
        self.query.append(len(self.n_retrieved))
        self.rank.append(rank)
        self.grade.append(grade)
        self.n_new.append(n_new)
        self.names.append(name)

    def end_row(self, n_retrieved: int, grades: Sequence[int]) -> None:
        self.judged_query.extend([len(self.n_retrieved)] * len(grades))
        self.judged_grade.extend(grades)
        self.n_retrieved.append(n_retrieved)

    def table(self) -> Hits:
        columns = (self.n_retrieved, self.query, self.rank, self.grade, self.n_new)
        judged = (self.judged_query, self.judged_grade)
        return Hits(*(np.array(column, np.int64) for column in (*columns, *judged)))


Retrieved = TypeVar("Retrieved")
Wanted = TypeVar("Wanted")


def _rankings(
    name: str,
    retrieved: Nullable[Retrieved],
    other: str,
    wanted: Nullable[Wanted],
    add: Callable[[_Growing, Retrieved, Wanted], None],
) -> list[Ranking | Score]:
    """Each row's ranking, in one table of the rows that have both cells."""
    n = len(retrieved or wanted or ())
    growing = _Growing()
    names: list[tuple[str, ...] | Score] = []
    for row, targets in zip(retrieved or [None] * n, wanted or [None] * n, strict=True):
        if row is None or targets is None:
            names.append(_missing({name: row, other: targets}))
        else:
            start = len(growing.names)
            add(growing, row, targets)
            names.append(tuple(growing.names[start:]))
    table = growing.table()
    numbers = iter(range(table.n))
    return [
        cell if isinstance(cell, Score) else Ranking(table, next(numbers), cell) for cell in names
    ]


def _missing(cells: Mapping[str, object]) -> Score:
    absent = " and ".join(name for name, cell in cells.items() if cell is None)
    return Score.missing(f"the sample has no {absent}")


def _add_ids(growing: _Growing, ids: Sequence[str], relevant: Mapping[str, int]) -> None:
    distinct = dict.fromkeys(ids)
    for rank, document in enumerate(distinct, 1):
        grade = relevant.get(document)
        if grade is not None:
            growing.hit(rank, grade, 1, document)
    growing.end_row(len(distinct), sorted(relevant.values(), reverse=True))


def _add_texts(growing: _Growing, passages: Sequence[str], golds: Sequence[str]) -> None:
    _add_matches(growing, passages, golds, empty_matches=False)


def _add_texts_and_blanks(growing: _Growing, passages: Sequence[str], golds: Sequence[str]) -> None:
    _add_matches(growing, passages, golds, empty_matches=True)


def _add_matches(
    growing: _Growing, passages: Sequence[str], golds: Sequence[str], *, empty_matches: bool
) -> None:
    from ragauge.language.text import normalize

    wanted = [normalize(gold, "lower_ws") for gold in golds]
    found: set[int] = set()
    for rank, passage in enumerate(passages, 1):
        text = normalize(passage, "lower_ws")
        if not (text or empty_matches):
            continue
        matched = {at for at, gold in enumerate(wanted) if _same(text, gold, empty_matches)}
        if matched:
            growing.hit(rank, 1, len(matched - found), f"gold {min(matched) + 1}")
            found |= matched
    growing.end_row(len(passages), [1] * len(golds))


def _same(passage: str, gold: str, empty_matches: bool) -> bool:
    return (bool(gold) or empty_matches) and (gold in passage or passage in gold)
