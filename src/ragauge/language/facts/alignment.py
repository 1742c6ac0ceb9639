"""Which details of a text another text contradicts."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ragauge.language.facts.reader import Fact, Statement, read
from ragauge.language.facts.same import LIKELY, contradiction, is_same
from ragauge.language.facts.statements import (
    Difference,
    compare,
    facts_of,
    likeness,
    part_of,
    remarks,
)

MIN_SHARED = 0.5
"""The likeness of two statements from which one of many facts is taken for the expected one."""
MAX_STATEMENTS = 3
"""Of an answer in which a fact that is the only one of its kind is taken for the expected one."""
MAX_FACTS = 3
"""Facts of a statement; one with more is a calculation or a table."""

MAX_CHARACTERS, MAX_COMPARED = 20_000, 100
"""Characters of a text, and its facts or statements, up to which it is compared; a longer one speaks of too much."""


class Alignment(NamedTuple):
    """What an answer states of the facts of another text, as spans there, and what it contradicts."""

    stated: Sequence[tuple[int, int]]
    differences: Sequence[Difference]


@lru_cache(maxsize=4_096)
def align(answer: str, expected: str, question: str = "") -> Alignment:
    """The facts of an answer, each with its partner in the expected text.

    Texts of more than 20,000 characters, or 100 facts or sentences, are not compared. A fact that the question has is known to both. Without a partner, a fact is missing and contradicts nothing.

    >>> found = align("It costs $18 per year.", "Team costs $18 per month.")
    >>> [(each.kind, each.found.text, each.expected.text) for each in found.differences]
    [('period', '$18 per year', '$18 per month')]
    """
    if max(map(len, (answer, expected, question))) > MAX_CHARACTERS:
        return Alignment((), ())
    ours, theirs, asked = read(answer), read(expected), read(question)
    if any(max(len(each), len(facts_of(each))) > MAX_COMPARED for each in (ours, theirs, asked)):
        return Alignment((), ())
    found = [*_of_facts(ours, theirs, asked)] or [*remarks(ours, theirs, asked)]
    for statement in ours:
        if partner := _partner(statement, theirs):
            found += compare(statement, partner, ours, theirs, asked)
    stated = facts_of(ours)
    same = [(fact.start, fact.end) for fact in facts_of(theirs) if _is_among(fact, stated)]
    return Alignment(same, tuple(dict.fromkeys(found)))


def _partner(statement: Statement, others: Sequence[Statement]) -> Statement | None:
    """The statement with which this one shares most words and facts; None if it shares none."""
    best = max(others, key=lambda other: _n_shared(statement, other), default=None)
    return best if best and _n_shared(statement, best) else None


def _n_shared(one: Statement, other: Statement) -> int:
    n_facts = sum(any(is_same(a, b) for b in other.facts) for a in one.facts)
    return len(one.keys & other.keys) + n_facts


# ------------------------------------------------------------------ facts


def _of_facts(
    ours: Sequence[Statement], theirs: Sequence[Statement], asked: Sequence[Statement]
) -> Iterator[Difference]:
    """Facts in whose place the expected text has others of their kind; neither is stated elsewhere.

    Of several that could be meant, as in a calculation, none is, unless its statement has the words of the other.
    """
    stated, wanted, known = facts_of(ours), facts_of(theirs), facts_of(asked)
    lost = [fact for fact in wanted if not _is_among(fact, [*stated, *known])]
    new = [fact for fact in stated if not _is_among(fact, [*wanted, *known])]
    for expected in lost:
        found = [(fact, kind) for fact in new if (kind := contradiction(fact, expected))]
        is_clear = len({str(fact.value) for fact, _ in found}) == 1 and len(ours) <= MAX_STATEMENTS
        if not is_clear or found[0][1] == LIKELY:
            found = [
                (fact, kind) for fact, kind in found if _are_aligned(fact, ours, expected, theirs)
            ]
        for fact, kind in found[:1]:
            yield Difference(kind, part_of(fact), part_of(expected))


def _is_among(fact: Fact, others: Sequence[Fact]) -> bool:
    return any(is_same(fact, other) for other in others)


def _are_aligned(
    fact: Fact, ours: Sequence[Statement], expected: Fact, theirs: Sequence[Statement]
) -> bool:
    """Whether the statements of two facts share most of their words, and have few facts."""
    one = next(each for each in ours if each.start <= fact.start < each.end)
    other = next(each for each in theirs if each.start <= expected.start < each.end)
    return len(one.facts) <= MAX_FACTS and likeness(one, other) >= MIN_SHARED
