"""Which details of a text another text contradicts."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ragauge.language.facts.differences import (
    LIKELY,
    Difference,
    contradiction,
    facts_of,
    is_among,
    is_equal,
    is_near,
    is_same,
    keys_of,
    likeness,
    n_shared,
    part_of,
)
from ragauge.language.facts.facts import SIGNS, Fact, Part
from ragauge.language.facts.reader import Statement, read
from ragauge.language.facts.statements import (
    at_the_ends,
    chosen,
    compare,
    directions,
    in_other_words,
    remarks,
)
from ragauge.language.facts.vocabulary import vocabulary

MIN_SHARED = 0.5
"""The likeness of two statements from which one of many facts is taken for the expected one."""
MAX_STATEMENTS = 3
"""Of an answer in which a fact that is the only one of its kind is taken for the expected one."""
MAX_FACTS = 3
"""Facts of a statement; one with more is a calculation or a table."""

MAX_CHARACTERS, MAX_COMPARED = 20_000, 100
"""Characters of a text, and its facts or statements, up to which it is compared; a longer one speaks of too much."""
SAME_NUMBER = ("currency", "period", "unit")
"""Differences between facts that have the same number, so that fewer words need to be the same."""
MIN_PART = 4
"""Letters of a word that may be part of a longer one."""


class Alignment(NamedTuple):
    """The spans of the facts that an answer and another text both state, and what the answer contradicts.

    `in_other_words`: the spans of words of the other text that the answer has a word of the same direction for. `agreed`: the facts
    that the other text adds to the question, if the answer is these and no more, or its choice of two opposites that the question names.
    """

    stated: Sequence[tuple[int, int]]
    differences: Sequence[Difference]
    in_other_words: Sequence[tuple[int, int]] = ()
    agreed: str = ""


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
    found: list[Difference] = []
    for each in contradicting_facts(ours, theirs, asked, ()):
        assert each.found and each.expected
        if each.kind == "member":  # only if the clause that says what the answer's does has it
            here, there = statement_at(each.found, ours), statement_at(each.expected, theirs)
            clauses = focused(there, here)
            name = vocabulary().classes.get(each.expected.text.lower(), ("",))[0]
            is_listed = any(  # `Monday and Friday` for `Tuesday and Friday`
                fact.kind == "member" and fact.head == name and is_among(fact, here.facts)
                for fact in there.facts
            )
            if not is_listed and not clauses.start <= each.expected.start < clauses.end:
                continue
        found.append(each)
    choices = [*chosen(ours, theirs, asked)]
    found += [
        Difference("opposite", part_of(one), part_of(other))
        for one, other in choices
        if not set(directions(one)) & set(directions(other))
    ]
    found = found or [*remarks(ours, theirs, asked)]
    for statement in ours:
        partner = max(theirs, key=lambda other: n_shared(statement, other), default=None)
        if partner and (len(theirs) == 1 or n_shared(statement, partner)):
            found += compare(statement, partner, ours, asked, keys_of(theirs))
            found += [] if found else at_the_ends(statement, partner)
    words = in_other_words(ours, theirs) if len(ours) <= MAX_STATEMENTS else ()
    stated, known = facts_of(ours), facts_of(asked)
    new = [fact for fact in facts_of(theirs) if not is_among(fact, known)]
    is_all = (
        all(
            len(key) >= MIN_PART and key in question.lower()  # `Spiele` of `Konsolenspiele`
            for key in keys_of(ours) - keys_of(asked)
        )
        and all(any(is_equal(fact, other) for other in stated) for fact in new)
        and all(is_among(fact, [*new, *known]) for fact in stated)
    )
    differences = tuple(dict.fromkeys(found))
    said = (
        [fact.text for fact in new] if new and is_all else [other.text for _, other in choices[:1]]
    )
    return Alignment(equal_spans(theirs, stated), differences, words, " and ".join(said))


def focused(theirs: Statement, ours: Statement) -> Statement:
    """The clauses of a longer statement that say what ours does: those of the fewest words that have all that both share.

    Clauses end at commas, colons and the like.
    """
    keys = ours.keys & theirs.keys
    items = [(word.start, word.end, word.key) for word in theirs.words if word.key in keys]
    for fact in theirs.facts:
        same = next((at for at, each in enumerate(ours.facts) if is_same(fact, each)), None)
        items += [] if same is None else [(fact.start, fact.end, f"#{same}")]
    if not items:
        return theirs
    items.sort()
    n_keys, inside = len({key for _, _, key in items}), Counter[str]()
    first, last, at = items[0][0], items[-1][1], 0
    for _, end, key in items:  # the shortest run of items that has each of their keys
        inside[key] += 1
        while inside[items[at][2]] > 1:
            inside[items[at][2]] -= 1
            at += 1
        if len(inside) == n_keys and end - items[at][0] < last - first:
            first, last = items[at][0], end
    signs = [token for token in theirs.tokens if token.text in SIGNS]
    start = max((sign.end for sign in signs if sign.end <= first), default=theirs.start)
    end = min((sign.start for sign in signs if sign.start >= last), default=theirs.end)
    return theirs.part(start, end)


def equal_spans(statements: Sequence[Statement], others: Sequence[Fact]) -> list[tuple[int, int]]:
    """The spans of the facts that are among the others."""
    return [
        (fact.start, fact.end)
        for fact in facts_of(statements)
        if any(is_equal(fact, other) for other in others)
    ]


def contradicting_facts(
    ours: Sequence[Statement],
    theirs: Sequence[Statement],
    asked: Sequence[Statement],
    known: Sequence[Fact],
) -> Iterator[Difference]:
    """Facts in whose place the expected text has others of their kind; neither is stated elsewhere, and none of ours is `known`.

    Of several that could be meant, as in a calculation, none is, unless its statement has the words of the other, or as many are expected.
    """
    stated, wanted = facts_of(ours), facts_of(theirs)
    known = [*known, *facts_of(asked)]
    lost = [fact for fact in wanted if not is_among(fact, [*stated, *facts_of(asked)])]
    new = [fact for fact in stated if not is_among(fact, [*wanted, *known])]
    for expected in lost:
        found = [(fact, kind) for fact in new if (kind := contradiction(fact, expected))]
        # `8 pounds` for `8 kg` before other measures, these before numbers by themselves.
        ranks = [
            (kind in SAME_NUMBER, kind != LIKELY, is_near(fact, expected)) for fact, kind in found
        ]
        found = [pair for pair, rank in zip(found, ranks, strict=True) if rank == max(ranks)]
        n_values = len({str(fact.value) for fact, _ in found})
        # As many others as are expected, `1800 to 1850` for `1780–1830`: each in the place of one.
        beside = [each for each in lost if each.kind == expected.kind]
        if n_values == len(found) == len(beside):
            found = found[beside.index(expected) :]
            n_values = 1
        is_clear = n_values == 1 and len(ours) <= MAX_STATEMENTS
        for fact, kind in found:
            # The first of which the statements share most of their words, and have few facts.
            one, other = statement_at(fact, ours), statement_at(expected, theirs)
            if (is_clear and found[0][1] != LIKELY) or (
                len(one.facts) <= MAX_FACTS and likeness(one, other) >= MIN_SHARED
            ):
                yield Difference(kind, part_of(fact), part_of(expected))
                break


def statement_at(part: Part | Fact, statements: Sequence[Statement]) -> Statement:
    return next(each for each in statements if each.start <= part.start < each.end)
