"""What one statement contradicts of another by its words: a negation, an opposite, an order, a scope, a name, a list."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from itertools import product

from ragauge.language.facts.differences import (
    MIN_LIKENESS,
    Difference,
    are_comparable,
    beside,
    facts_of,
    is_same,
    joints,
    keys_of,
    kind_of_word,
    likeness,
    part_of,
    span,
)
from ragauge.language.facts.polarity import opposite_of, turned
from ragauge.language.facts.reader import SIGNS, Statement, Word
from ragauge.language.facts.vocabulary import vocabulary

MIN_LIKENESS_OF_MANY = 0.7
"""The likeness of two statements from which their words are compared in an answer of many statements."""
FEW = 2
"""The most statements that are few."""
MAX_SHORT_STATEMENT = 2
"""Words of two statements that are so short that an opposite is all they need to have in common."""
AGREEING_BOUNDS = ({"least", "over"}, {"most", "under"})
EXCLUSIVE_SCOPES = (("all", "only"), ("only", "all"), ("always", "if"), ("always", "only"))
REMARK = frozenset(";(；（")
"""Signs before a remark."""
MAX_SHORT = 2
"""Letters of capitals that are no names by themselves: `FY`, `US`."""
MAX_WORDS, MAX_DENSE = 3, 6
"""The most words, or Chinese signs, of an item of a list; longer ones are clauses."""
GERMAN = {"der", "die", "das", "den", "dem", "und", "ist", "im", "mit", "für", "von", "zu"}
ENGLISH = {"the", "of", "and", "is"}


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
    pairs = [*product(ours.facts, theirs.facts)]
    for fact, other in pairs:  # `not 3 hours but 5` where the other says `3 hours`
        if fact.is_negated and not other.is_negated and is_same(fact, other):
            yield Difference("negation", part_of(fact), part_of(other))
    for fact, other in pairs:  # `at most 7` for `at least 7`
        bounds = {fact.bound, other.bound}
        if len(bounds - {""}) == 2 and bounds not in AGREEING_BOUNDS and is_same(fact, other):
            yield Difference("quantifier", part_of(fact), part_of(other))
    stated, known = keys_of(answer), known | keys_of(asked)
    if len(answer) <= FEW:
        yield from _other_items(ours, theirs, stated, known)
    are_short = all(
        len(each.keys) <= MAX_SHORT_STATEMENT and not each.facts for each in (ours, theirs)
    )
    if len(answer) == 1 and are_short:
        # A question may take a direction for granted: `Why did it rise?`, but not `Did it rise or fall?`.
        sides = {side for each in asked for word in each.words for side in word.opposites}
        is_granted = any(
            (pair, side) in sides and (pair, 1 - side) not in sides
            for word in ours.words
            for pair, side in word.opposites
        )
        if not is_granted and (opposite := opposite_of(ours, theirs)):
            yield opposite
    if len(answer) > FEW:
        least = MIN_LIKENESS_OF_MANY
    if not are_comparable(ours, theirs, least):
        return
    for found, expected in EXCLUSIVE_SCOPES:  # beside the same word
        if found not in ours.scopes or expected not in theirs.scopes:
            continue
        here, there = ours.scopes[found], theirs.scopes[expected]
        is_clear = expected not in ours.scopes and found not in theirs.scopes
        if is_clear and not beside(ours, here).isdisjoint(beside(theirs, there)):
            yield Difference("quantifier", here, there)
    yield from turned(ours, theirs, asked, least)
    # A name in whose place the other statement has another; neither is stated elsewhere.
    tokens = {token.text for statement in (ours, theirs) for token in statement.tokens}
    is_german = not GERMAN.isdisjoint(tokens) and ENGLISH.isdisjoint(tokens)
    here, there = (_names(statement, is_german=is_german) for statement in (ours, theirs))
    new = [name for name in here if all(word.key not in known for word in name)]
    lost = [name for name in there if all(word.key not in stated for word in name)]
    if new and lost:
        yield Difference("entity", span(ours, new[0]), span(theirs, lost[0]))


def _names(statement: Statement, *, is_german: bool) -> list[list[Word]]:
    """Runs of words with capital letters; of two at least in German, where every noun has one."""
    runs: list[list[Word]] = []
    for word in statement.words:
        is_capital = statement.text[word.start - statement.start].isupper()
        if is_capital and runs and word.start - runs[-1][-1].end == 1:
            runs[-1].append(word)
        elif is_capital:
            runs.append([word])
    runs = [[word for word in run if len(word.text) > MAX_SHORT] for run in runs]
    return [run for run in runs if len(run) > 1 or (run and run[0].is_name and not is_german)]


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


def _other_items(
    ours: Statement, theirs: Statement, stated: Set[str], known: Set[str]
) -> Iterator[Difference]:
    """Items of a list that the other statement has in part."""
    here, there = _items(ours), _items(theirs)
    n_shared = sum(_is_stated(item, ours.keys) for item in there)
    if min(len(here), len(there)) < 2 or max(len(here), len(there)) < 3:
        return
    if kind_of_word(here[-1][0]) != kind_of_word(there[-1][0]):
        return
    if n_shared < (1 if likeness(ours, theirs) >= MIN_LIKENESS else 2):
        return
    added = [item for item in here[1:] if len(here) > 2 and not _is_stated(item, known)]
    lost = [item for item in there if not _is_stated(item, stated)]
    expected = span(theirs, lost[0]) if lost else None
    if added:
        yield Difference("item", span(ours, added[0]), expected)
    elif lost:
        yield Difference("left out", None, expected)


def _is_stated(item: Sequence[Word], keys: Set[str]) -> bool:
    """Whether the keys have one of the words; all, if they are Chinese signs."""
    are_there = [word.key in keys for word in item]
    return all(are_there) if kind_of_word(item[0]) == "dense" else any(are_there)


def _items(statement: Statement) -> Sequence[Sequence[Word]]:
    """The words of each item of an enumeration with `and`; of the first the last one, of the last the first ones.

    Its items are all names, or none is: `Ida, a teacher, and Colm` are two.
    """
    cuts = joints(statement)
    last = next((at for at, token in enumerate(cuts) if token.text not in ",;、，"), None)
    if last is None:
        return []
    starts = [token.start for token in cuts[: last + 2]]
    parts: list[list[Word]] = [[] for _ in range(len(starts) + 1)]
    for word in statement.words:
        parts[bisect_left(starts, word.start)].append(word)
    parts = [part for part in parts[: last + 2] if part]
    is_dense = any(kind_of_word(word) == "dense" for part in parts for word in part)
    longest = MAX_DENSE if is_dense else MAX_WORDS
    if len(parts) < 2 or any(len(part) > longest for part in parts[1:-1]):
        return []
    items = [parts[0][-1:], *parts[1:-1], parts[-1][: 2 if is_dense else 1]]
    kinds = {kind_of_word(item[0]) for item in items if item[0].start > statement.start}
    return items if len(kinds) == 1 else []


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
