"""Match rankings to their judgements: one table of hits for a whole batch of samples."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Annotated, Literal, NamedTuple, TypeVar

import numpy as np

from ragauge.metric import feature
from ragauge.rankings.hits import Hits, Ints
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
    """
    if match == "id":
        return _rankings("context_ids", context_ids, "relevant", relevant, _by_id)
    by_text = partial(_by_text, empty_matches=match == "legalbench")
    return _rankings("contexts", contexts, "gold_contexts", gold_contexts, by_text)


class Row(NamedTuple):
    """A ranking's hits by rank: their grades, how many gold passages each is the first to match, and names.

    `n_retrieved`: distinct documents; `judged`: the grades of all relevant ones.
    """

    ranks: list[int]
    grades: list[int]
    n_new: list[int]
    names: tuple[str, ...]
    n_retrieved: int
    judged: list[int]


Retrieved = TypeVar("Retrieved")
Wanted = TypeVar("Wanted")


def _rankings(
    name: str,
    retrieved: Nullable[Retrieved],
    other: str,
    wanted: Nullable[Wanted],
    match: Callable[[Retrieved, Wanted], Row],
) -> list[Ranking | Score]:
    """Each row's ranking, in one table of the rows that have both cells."""
    n = len(retrieved or wanted or ())
    rows: list[Row] = []
    cells: list[int | Score] = []
    for found, targets in zip(retrieved or [None] * n, wanted or [None] * n, strict=True):
        if found is None or targets is None:
            absent = [each for each, cell in ((name, found), (other, targets)) if cell is None]
            cells.append(Score.missing(f"the sample has no {' and '.join(absent)}"))
        else:
            cells.append(len(rows))
            rows.append(match(found, targets))

    def numbers(parts: Iterable[Sequence[int]]) -> Ints:
        return np.array([*chain.from_iterable(parts)], np.int64)

    table = Hits(
        n_retrieved=numbers([row.n_retrieved] for row in rows),
        query=numbers([at] * len(row.ranks) for at, row in enumerate(rows)),
        rank=numbers(row.ranks for row in rows),
        grade=numbers(row.grades for row in rows),
        n_new=numbers(row.n_new for row in rows),
        judged_query=numbers([at] * len(row.judged) for at, row in enumerate(rows)),
        judged_grade=numbers(row.judged for row in rows),
    )
    return [
        cell if isinstance(cell, Score) else Ranking(table, cell, rows[cell].names)
        for cell in cells
    ]


def _by_id(ids: Sequence[str], relevant: Mapping[str, int]) -> Row:
    distinct = dict.fromkeys(ids)
    found = [(rank, name) for rank, name in enumerate(distinct, 1) if name in relevant]
    ranks, names = [rank for rank, _ in found], tuple(name for _, name in found)
    grades = [relevant[name] for name in names]
    judged = sorted(relevant.values(), reverse=True)
    return Row(ranks, grades, [1] * len(ranks), names, len(distinct), judged)


def _by_text(passages: Sequence[str], golds: Sequence[str], *, empty_matches: bool) -> Row:
    from ragauge.language.text import normalize

    wanted = [normalize(gold, "lower_ws") for gold in golds]
    found: set[int] = set()
    ranks, n_new, names = list[int](), list[int](), list[str]()
    for rank, passage in enumerate(passages, 1):
        text = normalize(passage, "lower_ws")
        matched = {
            at
            for at, gold in enumerate(wanted)
            if (gold in text or text in gold) and ((text and gold) or empty_matches)
        }
        if matched:
            ranks.append(rank)
            n_new.append(len(matched - found))
            names.append(f"gold {min(matched) + 1}")
            found |= matched
    return Row(ranks, [1] * len(ranks), n_new, tuple(names), len(passages), [1] * len(golds))
