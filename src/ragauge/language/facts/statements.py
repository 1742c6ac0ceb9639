"""What one statement contradicts of another by its words: a negation, an opposite, an order, a scope, a name, a list."""

from collections import Counter
from collections.abc import Iterator, Sequence, Set

from ragauge.language.facts.differences import (
    MIN_LIKENESS,
    MIN_SIZE,
    Difference,
    Part,
    beside,
    facts_of,
    keys_of,
    kind_of_word,
    likeness,
    part_of,
    span,
)
from ragauge.language.facts.names import MAX_DENSE, other_items, other_names
from ragauge.language.facts.polarity import opposite_of, turned
from ragauge.language.facts.reader import SIGNS, Statement
from ragauge.language.facts.same import is_same
from ragauge.language.facts.vocabulary import vocabulary

MIN_LIKENESS_OF_MANY = 0.7
"""The likeness of two statements from which their words are compared in an answer of many statements."""
FEW = 2
"""The most statements that are few."""
MAX_SHORT_STATEMENT = 2
"""Words of two statements that are so short that an opposite is all they need to have in common."""
REMARK = frozenset(";(；（")
"""Signs before a remark."""


def compare(
    ours: Statement,
    theirs: Statement,
    answer: Sequence[Statement],
    asked: Sequence[Statement],
    known: Set[str],
    least: float = MIN_LIKENESS,
) -> Iterator[Difference]:
    """What a statement contradicts of another that speaks of the same: their likeness is at `least` this.

    `answer`: all statements of its text; `known`: the words of all that is expected.
    """
    yield from _denied_facts(ours, theirs)
    yield from _bounds(ours, theirs)
    stated, known = keys_of(answer), known | keys_of(asked)
    if len(answer) <= FEW:
        yield from other_items(ours, theirs, stated, known)
    if len(answer) == 1 and _are_short(ours, theirs) and not _have_side(asked, ours):
        yield from filter(None, (opposite_of(ours, theirs),))
    if len(answer) > FEW:
        least = MIN_LIKENESS_OF_MANY
    if len(theirs.keys) + len(theirs.facts) < MIN_SIZE or likeness(ours, theirs) < least:
        return
    yield from _scopes(ours, theirs)
    yield from turned(ours, theirs, least)
    yield from other_names(ours, theirs, stated, known)


def _are_short(*statements: Statement) -> bool:
    return all(len(each.keys) <= MAX_SHORT_STATEMENT and not each.facts for each in statements)


def _have_side(asked: Sequence[Statement], ours: Statement) -> bool:
    """Whether a question takes the direction of a word for granted: `Why did it rise?`, but not `Did it rise or fall?`."""
    sides = {side for each in asked for word in each.words for side in word.opposites}
    return any(
        (pair, side) in sides and (pair, 1 - side) not in sides
        for word in ours.words
        for pair, side in word.opposites
    )


def _denied_facts(ours: Statement, theirs: Statement) -> Iterator[Difference]:
    """`not 3 hours but 5` where the other says `3 hours`."""
    for fact in ours.facts:
        for other in theirs.facts:
            if fact.is_negated and not other.is_negated and is_same(fact, other):
                yield Difference("negation", part_of(fact), part_of(other))


def _bounds(ours: Statement, theirs: Statement) -> Iterator[Difference]:
    """`at most 7` for `at least 7`."""
    for fact in ours.facts:
        for other in theirs.facts:
            if (
                fact.bound
                and other.bound
                and is_same(fact, other)
                and _are_apart(fact.bound, other.bound)
            ):
                yield Difference("quantifier", part_of(fact), part_of(other))


def _are_apart(bound: str, other: str) -> bool:
    return bound != other and {bound, other} not in ({"least", "over"}, {"most", "under"})


def _scopes(ours: Statement, theirs: Statement) -> Iterator[Difference]:
    """`all` for `only`, `only` for `all`, `always` for `if`, beside the same word."""
    for found, expected in (("all", "only"), ("only", "all"), ("always", "if"), ("always", "only")):
        there = (ours.scopes.get(found), theirs.scopes.get(expected))
        if not there[0] or not there[1] or expected in ours.scopes or found in theirs.scopes:
            continue
        if not beside(ours, there[0]).isdisjoint(beside(theirs, there[1])):
            yield Difference("quantifier", Part(*there[0]), Part(*there[1]))


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
    first, last = _shortest(sorted(items))
    signs = [token for token in theirs.tokens if token.text in SIGNS]
    start = max((sign.end for sign in signs if sign.end <= first), default=theirs.start)
    end = min((sign.start for sign in signs if sign.start >= last), default=theirs.end)
    return theirs.part(start, end)


def _shortest(items: Sequence[tuple[int, int, str]]) -> tuple[int, int]:
    """Start and end of the shortest run of items that has each of their keys."""
    n_keys, inside = len({key for _, _, key in items}), Counter[str]()
    best, first = (items[0][0], items[-1][1]), 0
    for _, end, key in items:
        inside[key] += 1
        while inside[items[first][2]] > 1:
            inside[items[first][2]] -= 1
            first += 1
        if len(inside) == n_keys:
            best = min(best, (items[first][0], end), key=lambda span: span[1] - span[0])
    return best


def remarks(
    answer: Sequence[Statement], expected: Sequence[Statement], asked: Sequence[Statement]
) -> Iterator[Difference]:
    """An answer that is one fact, which is not the expected one: that it says `the right one is older` is a remark.

    So is what it denies before it says what holds: `not Ada but Grace`.
    """
    if not answer:
        return
    first = answer[0]
    signs = (
        token.start
        for token in first.tokens
        if token.text in REMARK or token.text in vocabulary().but
    )
    end = next(signs, first.end)
    facts = [fact for fact in first.facts if fact.start < end]
    words = [word for word in first.words if word.start < end]
    if end < first.end and all(each.is_negated for each in (*facts, *words)):
        right = {word.key: word for each in expected for word in each.words}
        pairs = [
            (word, right[word.key]) for word in words if word.key in right.keys() - keys_of(asked)
        ]
        pairs += [
            (fact, each) for fact in facts for each in facts_of(expected) if is_same(fact, each)
        ]
        for one, other in pairs[:1]:
            yield Difference("negation", part_of(one), part_of(other))
    elif len(facts) == 1 and not words:
        known = [*facts_of(expected), *facts_of(asked)]
        other = next((each for each in facts_of(expected) if each.kind == facts[0].kind), None)
        if other and not any(is_same(facts[0], each) for each in known):
            yield Difference("side remark", part_of(facts[0]), part_of(other))
    elif words and not facts and end < first.end:
        known = keys_of(expected) | keys_of(asked)
        rest = keys_of(answer) & keys_of(expected) - keys_of(asked)
        are_name = all(kind_of_word(word) != "word" for word in words) and len(words) <= MAX_DENSE
        if are_name and rest and not any(word.key in known for word in words):
            yield Difference("side remark", span(first, words), None)
