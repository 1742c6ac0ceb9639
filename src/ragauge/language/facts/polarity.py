"""Whether a statement has the opposite sense of another: a negation, an opposite word, two sides exchanged."""

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence, Set
from typing import cast

from ragauge.language.facts.differences import (
    MIN_SIZE,
    Difference,
    Item,
    joints,
    kind_of_word,
    likeness,
    part_of,
    span,
)
from ragauge.language.facts.reader import Fact, Statement, Word
from ragauge.language.facts.same import is_same
from ragauge.language.facts.vocabulary import vocabulary

MIN_STEM = 4
"""The letters that a word has at least which a prefix turns into its opposite."""


def in_other_words(ours: Sequence[Statement], theirs: Sequence[Statement]) -> list[tuple[int, int]]:
    """The spans of words of the other text that have one of the same direction in ours: `fell` for `declined`."""
    sides = {
        (pair, side ^ word.is_negated)
        for statement in ours
        for word in statement.words
        for pair, side in word.opposites
    }
    return [
        (word.start, word.end)
        for statement in theirs
        for word in statement.words
        if any((pair, side ^ word.is_negated) in sides for pair, side in word.opposites)
    ]


def turned(ours: Statement, theirs: Statement, least: float) -> Iterator[Difference]:
    """A statement with the opposite sense; two changes that turn it cancel each other.

    An opposite word, a negation, two sides exchanged, and the passive each turn the sense: `B is lighter than A` says that
    `A is heavier than B`.
    """
    if len(theirs.keys) + len(theirs.facts) < MIN_SIZE or likeness(ours, theirs) < least:
        return
    opposite, negated = opposite_of(ours, theirs), _negated(ours, theirs)
    orders = _exchanged(ours, theirs)
    if orders[0] and all(orders) and not opposite:
        yield orders[0]
    elif opposite and not any(orders):
        yield opposite
    if negated:
        yield negated


def opposite_of(ours: Statement, theirs: Statement) -> Difference | None:
    """Words of one pair on different sides; a word that both have does not count."""
    sides, others = _sides(ours, theirs), _sides(theirs, ours)
    for pair, words in sides.items():
        both = list(zip(words, others.get(pair, ()), strict=False))
        if any(word.opposites == other.opposites for (_, word), (_, other) in both):
            continue  # denied, and no opposite
        if both and all(side != other for (side, _), (other, _) in both):
            return Difference("opposite", part_of(both[0][0][1]), part_of(both[0][1][1]))
    return next(_with_prefix(ours, theirs), None)


def _with_prefix(ours: Statement, theirs: Statement) -> Iterator[Difference]:
    """`unpaid` for `paid`, `paid` for `unpaid`."""
    known = vocabulary()
    here, there = ({word.text.lower(): word for word in each.words} for each in (ours, theirs))
    both = here.keys() & there.keys()
    pairs = [
        (prefix, text.removeprefix(prefix))
        for text in sorted(here.keys() ^ there.keys())
        for prefix in known.prefixes
        if text.startswith(prefix)
    ]
    for prefix, text in pairs:
        one = here.get(text) or here.get(prefix + text)
        other = there.get(text) or there.get(prefix + text)
        if len(text) < MIN_STEM or text in known.without_prefixes | both or not (one and other):
            continue
        if one.text.lower() != other.text.lower() and one.is_negated == other.is_negated:
            yield Difference("opposite", part_of(one), part_of(other))


def _sides(statement: Statement, other: Statement) -> Mapping[int, list[tuple[int, Word]]]:
    """By pair of opposites, the words of a statement that the other lacks, each with its side."""
    known = Counter((word.opposites, word.is_negated) for word in other.words)
    found: dict[int, list[tuple[int, Word]]] = {}
    for word in statement.words:
        known[word.opposites, word.is_negated] -= 1
        if known[word.opposites, word.is_negated] < 0:
            for pair, side in word.opposites:
                found.setdefault(pair, []).append((side ^ word.is_negated, word))
    return found


def _negated(ours: Statement, theirs: Statement) -> Difference | None:
    """A word that one statement denies and the other does not."""
    if has_negation(ours) == has_negation(theirs):
        return None
    here, there = ({word.key: word for word in each.words} for each in (ours, theirs))
    for key, word in here.items():
        other = there.get(key)
        if (
            other
            and word.is_negated != other.is_negated
            and not (_is_mixed(ours, key) or _is_mixed(theirs, key))
        ):
            return Difference("negation", part_of(word), part_of(other))
    return None


def _is_mixed(statement: Statement, key: str) -> bool:
    """Whether a statement both denies a word and does not."""
    return len({word.is_negated for word in statement.words if word.key == key}) > 1


def has_negation(statement: Statement) -> bool:
    """Whether a statement denies anything."""
    return any(token.text in vocabulary().negations for token in statement.tokens)


def _exchanged(ours: Statement, theirs: Statement) -> list[Difference | None]:
    """Two sides of the other statement in each other's place: `B bought A` for `A bought B`, and no passive.

    Where a statement has both words of a pair of opposites: if the two count as one word, and if they do not.
    """
    both = _with_both_sides(ours) | _with_both_sides(theirs)
    return [_exchanged_but(ours, theirs, apart) for apart in ((), both)[: 1 + bool(both)]]


def _exchanged_but(ours: Statement, theirs: Statement, apart: Container[int]) -> Difference | None:
    first, second = _shared_items(ours, theirs, apart)
    one, other = [item.key for item in first], [item.key for item in second]
    if one == other:
        has_verb = any(item.kind == "word" for item in first[1:-1])
        is_turned = has_verb and (_is_turned(first, second) or _is_turned(second, first))
        return _of_items(ours, first, theirs, second) if is_turned else None
    start = 0
    while start < len(one) and one[start] == other[start]:
        start += 1
    end = len(one)
    while end > start and one[end - 1] == other[end - 1]:
        end -= 1
    first, second = first[start:end], second[start:end]
    sides = _sides_exchanged(first, second)
    if sides is None or first[0].role != second[0].role:
        return None
    x, middle, y = sides
    if not vocabulary().mutual.isdisjoint(item.key for item in middle):
        return None
    is_last = end == len(other)  # else each side has words of its own: `A is chair, B is treasurer`
    if not x[0].kind == y[0].kind != "word" or (
        is_last and all(item.kind not in ("word", "dense") for item in middle)
    ):
        return None
    is_list = (
        is_last
        and x[0].kind in ("name", "noun", "dense")
        and any(_have_joint(theirs, *pair) for pair in ((x, middle), (middle, y)))
    )
    if is_list or _is_passive(ours, first) != _is_passive(theirs, second):
        return None
    return _of_items(ours, first, theirs, second)


def _sides_exchanged(
    first: Sequence[Item], second: Sequence[Item]
) -> tuple[Sequence[Item], Sequence[Item], Sequence[Item]] | None:
    """The parts x, m and y of which the second is x m y and the first y m x; None if it is not."""
    n, keys = len(second), [item.key for item in second]
    ours = [item.key for item in first]
    for x in range(1, n - 1):
        for y in range(1, n - x):
            if [*keys[n - y :], *keys[x : n - y], *keys[:x]] == ours:
                return second[:x], second[x : n - y], second[n - y :]
    return None


def _of_items(
    ours: Statement, first: Sequence[Item], theirs: Statement, second: Sequence[Item]
) -> Difference:
    return Difference("roles", span(ours, first), span(theirs, second))


def _shared_items(
    ours: Statement, theirs: Statement, apart: Container[int]
) -> tuple[list[Item], list[Item]]:
    """The words and facts that both statements have equally often, in the order of either.

    Opposites count as one word, but those of the pairs `apart`.
    """
    lists: list[list[Item]] = []
    names = {word.key for statement in (ours, theirs) for word in statement.words if word.is_name}
    for statement in (ours, theirs):
        items = [
            Item(_pair_or_key(word, apart), word.start, word.end, word.role, _kind_in(word, names))
            for word in statement.words
        ]
        for fact in statement.facts:
            same = next((at for at, other in enumerate(theirs.facts) if is_same(fact, other)), None)
            if same is not None:
                items.append(Item(f"#{same}", fact.start, fact.end, "", _kind_of(fact)))
        lists.append(sorted(items, key=lambda item: item.start))
    counts = [Counter(item.key for item in items) for items in lists]
    first, second = (
        [item for item in items if counts[0][item.key] == counts[1][item.key]] for items in lists
    )
    return first, second


def _kind_of(fact: Fact) -> str:
    """The kind of a fact, and the class of a member: `red` and `north` do not take each other's place."""
    return f"member {cast(tuple[str, str], fact.value)[0]}" if fact.kind == "member" else fact.kind


def _with_both_sides(statement: Statement) -> set[int]:
    """The pairs of opposites of which a statement has both words: `the south is hot and the north cold`."""
    sides = {side for word in statement.words for side in word.opposites}
    return {pair for pair, side in sides if (pair, 1 - side) in sides}


def _kind_in(word: Word, names: Set[str]) -> str:
    """The kind of a word that the other statement may have as a name: at its beginning every word has a capital."""
    kind = "name" if word.key in names else kind_of_word(word)
    return "noun" if kind == "word" and word.has_article else kind


def _pair_or_key(word: Word, apart: Container[int]) -> str:
    if not word.opposites:
        return word.key
    pair, side = min(word.opposites)
    return f"±{pair} {side}" if pair in apart else f"±{pair}"


def _is_passive(statement: Statement, items: Sequence[Item]) -> bool:
    return any(item.role == "by" and item.kind not in ("word", "noun") for item in items[2:])


def _is_turned(passive: Sequence[Item], active: Sequence[Item]) -> bool:
    """Whether the first is the passive of the other, which has the same items: nothing stands before the one who does it."""
    return any(
        item.role == "by" and item.kind not in ("word", "noun") and not other.role
        for item, other in zip(passive[2:], active[2:], strict=True)
    )


def _have_joint(statement: Statement, one: Sequence[Item], other: Sequence[Item]) -> bool:
    """Whether a comma or `and` is between two neighbouring parts."""
    return any(one[-1].end <= token.start < other[0].start for token in joints(statement))
