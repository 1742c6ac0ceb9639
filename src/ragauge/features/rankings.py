"""One ranking against its judgements: all that a ranking measure needs to know of it.

Every ranking measure is a function of `judged`: the ranks and grades of the judged documents that
were retrieved, and counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ragauge.features.text import normalize
from ragauge.metric import feature
from ragauge.score import Score

Match = Literal["id", "text", "seed-003"]


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved document that is judged, or a passage that matches a gold passage.

    `rank` counts from 1. `n_new` is how many judged documents or gold passages it is the first to
    match: 1 for a document, 0 or more for a passage.
    """

    rank: int
    grade: int
    n_new: int
    name: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A ranking seen through its judgements.

    `hits` by rising rank; `n_retrieved` counts distinct documents, or passages; `grades` are all
    the judgements', retrieved or not, highest first (1 for each gold passage).
    """

    hits: tuple[Hit, ...]
    n_retrieved: int
    grades: tuple[int, ...]

    def n_relevant(self, min_grade: int = 1) -> int:
        """How many judged documents are of at least this grade."""
        return sum(grade >= min_grade for grade in self.grades)

    def top(self, k: int | None) -> tuple[Hit, ...]:
        """The hits among the first k; all of them when k is None."""
        return self.hits if k is None else tuple(hit for hit in self.hits if hit.rank <= k)


@feature
def judged(
    context_ids: Sequence[str] | None,
    relevant: Mapping[str, int] | None,
    contexts: Sequence[str] | None,
    gold_contexts: Sequence[str] | None,
    *,
    match: Match = "id",
) -> Judged | Score:
    """The ranking's hits: by document id, or by the text of the passages.

    `match="id"` looks the `context_ids` up in `relevant`; a repeated id counts once, at its first
    rank, and the later ones move up. `match="text"` takes `contexts` and `gold_contexts`: a passage
    matches a gold one when, lower-cased and with whitespace collapsed, they are equal or one
    contains the other; an empty passage matches nothing. `match="seed-003"` lets an empty passage
    match everything, as the seed's system did. `missing` when a column that the match needs is
    null.

    >>> judged(["x", "a", "x", "b"], {"a": 1, "b": 2}, None, None).hits[1]
    Hit(rank=3, grade=2, n_new=1, name='b')
    """
    if match == "id":
        if context_ids is None or relevant is None:
            return _missing(context_ids=context_ids, relevant=relevant)
        return _judged_ids(context_ids, relevant)
    if contexts is None or gold_contexts is None:
        return _missing(contexts=contexts, gold_contexts=gold_contexts)
    return _judged_texts(contexts, gold_contexts, empty_matches=match == "seed-003")


def _missing(**columns: object) -> Score:
    absent = " and ".join(name for name, value in columns.items() if value is None)
    return Score.missing(f"the sample has no {absent}")


def _judged_ids(ids: Sequence[str], relevant: Mapping[str, int]) -> Judged:
    distinct = dict.fromkeys(ids)
    hits = tuple(
        Hit(rank, relevant[document], 1, document)
        for rank, document in enumerate(distinct, 1)
        if document in relevant
    )
    return Judged(hits, len(distinct), tuple(sorted(relevant.values(), reverse=True)))


def _judged_texts(passages: Sequence[str], golds: Sequence[str], *, empty_matches: bool) -> Judged:
    wanted = [normalize(gold, "lower_ws") for gold in golds]
    found: set[int] = set()
    hits: list[Hit] = []
    for rank, passage in enumerate(passages, 1):
        text = normalize(passage, "lower_ws")
        if not (text or empty_matches):
            continue
        matched = {at for at, gold in enumerate(wanted) if _same(text, gold, empty_matches)}
        if matched:
            name = f"gold {min(matched) + 1}"
            hits.append(Hit(rank, 1, len(matched - found), name))
            found |= matched
    return Judged(tuple(hits), len(passages), (1,) * len(golds))


def _same(passage: str, gold: str, empty_matches: bool) -> bool:
    return (bool(gold) or empty_matches) and (gold in passage or passage in gold)
