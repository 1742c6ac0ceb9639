"""Whether a statement has the opposite sense of another: a negation, an opposite word, two sides exchanged."""

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence

from ragauge.language.facts.differences import (
    MIN_SIZE,
    Difference,
    Item,
    are_comparable,
    is_same,
    joints,
    kind_of_word,
    part_of,
    span,
)
from ragauge.language.facts.reader import Statement, Word
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


def turned(
    ours: Statement, theirs: Statement, asked: Sequence[Statement], least: float
) -> Iterator[Difference]:
    """A statement with the opposite sense; two changes that turn it cancel each other.

    An opposite word, a negation, two sides exchanged, and the passive each turn the sense: `B is lighter than A` says that
    `A is heavier than B`.
    """
    if not are_comparable(ours, theirs, least):
        return
    opposite = opposite_of(ours, theirs)
    # Where a statement has both words of a pair of opposites: if the two count as one word, and if they do not.
    both = _with_both_sides(ours) | _with_both_sides(theirs)
    orders = [_exchanged(ours, theirs, apart) for apart in ((), both)[: 1 + bool(both)]]
    if orders[0] and all(orders) and not opposite:
        yield orders[0]
    elif opposite and not any(orders):
        yield opposite
    is_by_question = len(ours.keys) < MIN_SIZE and any(map(has_negation, asked))
    if (has_negation(ours) or is_by_question) == has_negation(theirs):
        return
    senses = [{(word.key, word.is_negated) for word in each.words} for each in (ours, theirs)]
    mixed = {key for each in senses for key, is_no in each if (key, not is_no) in each}
    here, there = ({word.key: word for word in each.words} for each in (ours, theirs))
    for key in here:
        if key in there and key not in mixed and here[key].is_negated != there[key].is_negated:
            yield Difference("negation", part_of(here[key]), part_of(there[key]))
            return


def opposite_of(ours: Statement, theirs: Statement) -> Difference | None:
    """Words of one pair on different sides; a word that both have does not count."""
    sides, others = _sides(ours, theirs), _sides(theirs, ours)
    for pair, words in sides.items():
        both = list(zip(words, others.get(pair, ()), strict=False))
        if any(word.opposites == other.opposites for (_, word), (_, other) in both):
            continue  # denied, and no opposite
        if both and all(side != other for (side, _), (other, _) in both):
            return Difference("opposite", part_of(both[0][0][1]), part_of(both[0][1][1]))
    known = vocabulary()
    here, there = ({word.text.lower(): word for word in each.words} for each in (ours, theirs))
    unchanged = known.without_prefixes | (here.keys() & there.keys())
    for text in sorted(here.keys() ^ there.keys()):  # `unpaid` for `paid`, `paid` for `unpaid`
        for prefix in known.prefixes:
            plain = text.removeprefix(prefix)
            if plain == text or len(plain) < MIN_STEM or plain in unchanged:
                continue
            one, other = (each.get(plain) or each.get(text) for each in (here, there))
            if (
                one
                and other
                and one.text.lower() != other.text.lower()
                and one.is_negated == other.is_negated
            ):
                return Difference("opposite", part_of(one), part_of(other))
    return None


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


def has_negation(statement: Statement) -> bool:
    """Whether a statement denies anything."""
    return any(token.text in vocabulary().negations for token in statement.tokens)


def _exchanged(ours: Statement, theirs: Statement, apart: Container[int]) -> Difference | None:
    """Two sides of the other statement in each other's place: `B bought A` for `A bought B`, and no passive."""
    first, second = _shared_items(ours, theirs, apart)
    one, other = [item.key for item in first], [item.key for item in second]
    if one == other:
        has_verb = any(item.kind == "word" for item in first[1:-1])
        # One is the passive of the other: there, nothing is before the one who does it.
        is_turned = any(
            (here.is_agent and not there.role) or (there.is_agent and not here.role)
            for here, there in zip(first[2:], second[2:], strict=True)
        )
        if not has_verb or not is_turned:
            return None
        return Difference("roles", span(ours, first), span(theirs, second))
    start, end = 0, len(one)
    while start < len(one) and one[start] == other[start]:
        start += 1
    while end > start and one[end - 1] == other[end - 1]:
        end -= 1
    is_last = end == len(other)  # else each side has words of its own: `A is chair, B is treasurer`
    first, second = first[start:end], second[start:end]
    one, other, n = one[start:end], other[start:end], end - start
    sides = (  # x m y in theirs are y m x in ours
        (second[:x], second[x : n - y], second[n - y :])
        for x in range(1, n - 1)
        for y in range(1, n - x)
        if [*other[n - y :], *other[x : n - y], *other[:x]] == one
    )
    found = next(sides, None)
    if found is None or first[0].role != second[0].role:
        return None
    x, middle, y = found
    if not vocabulary().mutual.isdisjoint(item.key for item in middle):
        return None
    if not x[0].kind == y[0].kind != "word":
        return None
    if is_last and all(item.kind not in ("word", "dense") for item in middle):
        return None
    if is_last and x[0].kind in ("name", "noun", "dense"):
        # A list has a comma or `and` between two neighbouring parts.
        places = [(x[-1].end, middle[0].start), (middle[-1].end, y[0].start)]
        if any(a <= token.start < b for token in joints(theirs) for a, b in places):
            return None
    if any(item.is_agent for item in first[2:]) != any(item.is_agent for item in second[2:]):
        return None
    return Difference("roles", span(ours, first), span(theirs, second))


def _shared_items(
    ours: Statement, theirs: Statement, apart: Container[int]
) -> tuple[list[Item], list[Item]]:
    """The words and facts that both statements have equally often, in the order of either.

    Opposites count as one word, but those of the pairs `apart`.
    """
    names = {word.key for statement in (ours, theirs) for word in statement.words if word.is_name}
    lists: list[list[Item]] = []
    for statement in (ours, theirs):
        items: list[Item] = []
        for word in statement.words:
            key = word.key
            if word.opposites:
                pair, side = min(word.opposites)
                key = f"±{pair} {side}" if pair in apart else f"±{pair}"
            # At its beginning every word of a statement has a capital, so the other one decides.
            kind = "name" if word.key in names else kind_of_word(word)
            kind = "noun" if kind == "word" and word.has_article else kind
            items.append(Item(key, word.start, word.end, word.role, kind))
        for fact in statement.facts:
            same = next((at for at, other in enumerate(theirs.facts) if is_same(fact, other)), None)
            if same is not None:
                kind = fact.kind
                if isinstance(fact.value, tuple) and kind == "member":
                    # `red` and `north` do not take each other's place.
                    kind = f"member {fact.value[0]}"
                items.append(Item(f"#{same}", fact.start, fact.end, "", kind))
        lists.append(sorted(items, key=lambda item: item.start))
    counts = [Counter(item.key for item in items) for items in lists]
    first, second = (
        [item for item in items if counts[0][item.key] == counts[1][item.key]] for items in lists
    )
    return first, second


def _with_both_sides(statement: Statement) -> set[int]:
    """The pairs of opposites of which a statement has both words: `the south is hot and the north cold`."""
    sides = {side for word in statement.words for side in word.opposites}
    return {pair for pair, side in sides if (pair, 1 - side) in sides}
