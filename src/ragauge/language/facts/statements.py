"""What one statement contradicts of another by its words: a negation, an opposite, an order, a scope, a name, a list."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence, Set
from itertools import product
from typing import NamedTuple

from ragauge.language.facts.differences import (
    Difference,
    beside,
    facts_of,
    is_among,
    is_same,
    keys_of,
    likeness,
    part_of,
)
from ragauge.language.facts.facts import Fact, Part
from ragauge.language.facts.reader import Statement, Word
from ragauge.language.facts.vocabulary import vocabulary
from ragauge.language.text import word_set

MIN_LIKENESS, MIN_LIKENESS_OF_MANY = 0.5, 0.7
"""The likeness of two statements from which their words are compared; in an answer of many statements."""
MIN_SIZE = 3
"""The fewest words and facts of a statement that words are compared with."""
FEW = 2
"""The most statements that are few, and the most words of a statement of which an opposite is all it needs to have in common."""
AGREEING_BOUNDS = ({"least", "over"}, {"most", "under"})
EXCLUSIVE_SCOPES = (("all", "only"), ("only", "all"), ("always", "if"), ("always", "only"))
BEFORE = 14
"""Characters between a direction and its amount: `rose slightly by 3 %`."""
MANY = 8
"""Words and facts of a statement up to which its ends are looked for."""
FAR = 12
"""Characters between `to` and what belongs to it."""
REMARK = frozenset(";(；（")
"""Signs before a remark."""
MAX_SHORT = 2
"""Letters of capitals that are no names by themselves: `FY`, `US`."""
MAX_WORDS, MAX_DENSE = 3, 6
"""The most words, or Chinese signs, of an item of a list; longer ones are clauses."""
MIN_STEM = 4
"""The letters that a word has at least which a prefix turns into its opposite."""
GERMAN = {"der", "die", "das", "den", "dem", "und", "ist", "im", "mit", "für", "von", "zu"}
ENGLISH = {"the", "of", "and", "is"}


ALTERNATIVES = word_set("or oder ou o 或")
"""Between things of which one holds: `show the form or outline of`."""
IN_ITEMS = word_set("a of de du des del von d l eine einen ein un une una")
"""Small words in the items of a list that is no sentence."""


class _Item(NamedTuple):
    """A word or fact that two statements share, at its place in one of them."""

    key: str
    start: int
    end: int
    role: str
    kind: str

    @property
    def is_agent(self) -> bool:
        """Whether it is who does something in the passive: `by Ada`, not `by law`."""
        return self.role == "by" and self.kind not in ("word", "noun")


def _span(statement: Statement, words: Sequence[Word | _Item]) -> Part:
    """The part of a statement from the first to the last of some words."""
    start, end = words[0].start, words[-1].end
    return Part(statement.text[start - statement.start : end - statement.start], start, end)


def _kind(word: Word) -> str:
    """`dense`: of a script that has no capitals, and an order that is fixed."""
    return "dense" if word.key[0] > "\u3000" else "name" if word.is_name else "word"


def are_comparable(ours: Statement, theirs: Statement, least: float) -> bool:
    """Whether two statements are alike enough for their words to be compared; one of two words or fewer must have the same words."""
    if len(theirs.keys) + len(theirs.facts) < MIN_SIZE:
        return bool(theirs.keys) and ours.keys == theirs.keys
    return likeness(ours, theirs) >= least


def _joints(statement: Statement) -> list[Part]:
    """Commas and words such as `and`, but not the first letter of `U.K.`."""
    joints, text = vocabulary().joints, statement.text
    return [
        token
        for token in statement.tokens
        if token.text in joints and not text.startswith(".", token.end - statement.start)
    ]


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
    for fact, other in product(ours.facts, theirs.facts):
        bounds = {fact.bound, other.bound}
        is_denied = fact.is_negated and not other.is_negated  # `not 3 hours but 5` for `3 hours`
        is_other = "" not in bounds and len(bounds) == 2 and bounds not in AGREEING_BOUNDS
        if (is_denied or is_other) and is_same(fact, other):  # `at most 7` for `at least 7`
            yield Difference(
                "negation" if is_denied else "quantifier", part_of(fact), part_of(other)
            )
    stated, known = keys_of(answer), known | keys_of(asked)
    if len(answer) <= FEW:
        yield from _other_items(ours, theirs, stated, known)
    are_short = all(
        len(each.keys) <= FEW > len(each.facts)
        and all(is_among(fact, others.facts) for fact in each.facts)  # `fell by 3 %`
        for each, others in ((ours, theirs), (theirs, ours))
    )
    if len(answer) == 1 and are_short:
        # A question may take a direction for granted: `Why did it rise?`, but not `Did it rise or fall?`.
        sides = {side for each in asked for word in each.words for side in word.opposites}
        granted = {(pair, side) for pair, side in sides if (pair, 1 - side) not in sides}
        is_granted = any(not granted.isdisjoint(word.opposites) for word in ours.words)
        if not is_granted and (opposite := _opposite(ours, theirs)):
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
    yield from turned(ours, theirs, asked)
    # A name in whose place the other statement has another; neither is stated elsewhere.
    tokens = {token.text for statement in (ours, theirs) for token in statement.tokens}
    is_german = not GERMAN.isdisjoint(tokens) and ENGLISH.isdisjoint(tokens)
    here, there = (_names(statement, is_german=is_german) for statement in (ours, theirs))
    new = [name for name in here if all(word.key not in known for word in name)]
    lost = [name for name in there if all(word.key not in stated for word in name)]
    if new and lost:
        yield Difference("entity", _span(ours, new[0]), _span(theirs, lost[0]))


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


def _other_items(
    ours: Statement, theirs: Statement, stated: Set[str], known: Set[str]
) -> Iterator[Difference]:
    """Items of a list that the other statement has in part."""

    def is_in(item: Sequence[Word], keys: Set[str]) -> bool:
        # All signs of a Chinese word, else one of the words.
        return (all if _kind(item[0]) == "dense" else any)(word.key in keys for word in item)

    (here, is_list), (there, are_lists) = _items(ours), _items(theirs)
    are_lists &= is_list and not any(
        token.text in ALTERNATIVES for each in (ours, theirs) for token in each.tokens
    )
    if min(len(here), len(there)) < 2 or (max(len(here), len(there)) < 3 and not are_lists):
        return
    n_shared = sum(is_in(item, ours.keys) for item in there)
    is_enough = n_shared >= 2 or (n_shared and likeness(ours, theirs) >= MIN_LIKENESS)
    if _kind(here[-1][0]) != _kind(there[-1][0]) or not is_enough:
        return
    own = here if is_list else here[1:]
    lost = [item for item in there if not is_in(item, stated)]
    added = [item for item in own if (len(here) > 2 or are_lists) and not is_in(item, known)]
    if are_lists and not added:  # the question may have a word of an item: `fishing rod`
        added = [
            item
            for item in here
            if not is_in(item, theirs.keys) and not all(word.key in known for word in item)
        ]
    if are_lists and not added:  # `student card` for `identity card`
        sets = [[{word.key for word in item} for item in items] for items in (here, there)]
        alone = [
            [at for at, one in enumerate(mine) if not any(one <= o or o <= one for o in other)]
            for mine, other in (sets, sets[::-1])
        ]
        if alone[0][:1] > [0] and alone[1][:1] > [0]:  # the first items may have a verb
            added, lost = [here[alone[0][0]]], [there[alone[1][0]]]
    expected = _span(theirs, lost[0]) if lost else None
    if added:
        yield Difference("item", _span(ours, added[0]), expected)
    elif lost:
        yield Difference("left out", None, expected)


def _items(statement: Statement) -> tuple[Sequence[Sequence[Word]], bool]:
    """The words of each item of an enumeration with `and`, and whether the statement is nothing else; if not, of the first the last word, of the last the first ones.

    Its items are all names, or none is: `Ida, a teacher, and Colm` are two.
    """
    cuts = _joints(statement)
    last = next((at for at, token in enumerate(cuts) if token.text not in ",;、，"), None)
    is_joined, last = last is not None, len(cuts) if last is None else last
    starts = [token.start for token in cuts[: last + 2]]
    parts: list[list[Word]] = [[] for _ in range(len(starts) + 1)]
    for word in statement.words:
        parts[bisect_left(starts, word.start)].append(word)
    parts = [part for part in parts[: last + 2] if part]
    is_dense = any(_kind(word) == "dense" for part in parts for word in part)
    longest = MAX_DENSE if is_dense else MAX_WORDS
    is_list = last + 1 >= len(cuts) and all(len(part) <= longest for part in parts)
    if is_list:  # and no other words, as a sentence has
        small = vocabulary().joints | vocabulary().articles | IN_ITEMS
        starts = {each.start for each in (*statement.words, *statement.facts)}
        is_list = all(
            each.start in starts or each.text in small or not each.text.isalpha()
            for each in statement.tokens
        )
    if len(parts) < 2 + (not is_joined) or any(len(part) > longest for part in parts[1:-1]):
        return [], False
    items = parts
    if not is_list:
        items = [parts[0][-1:], *parts[1:-1], parts[-1][: 2 if is_dense else 1]]
    kinds = {_kind(item[0]) for item in items if item[0].start > statement.start}
    is_one = len(kinds) == 1 and (is_joined or is_list)
    return (items, is_list) if is_one else ([], False)


def remarks(
    answer: Sequence[Statement], expected: Sequence[Statement], asked: Sequence[Statement]
) -> Iterator[Difference]:
    """An answer that is one fact and not the expected one: that it says `the right one is older` is a remark, as in `not Ada but Grace`."""
    if not answer:
        return
    first, signs = answer[0], REMARK | vocabulary().but
    end = next((token.start for token in first.tokens if token.text in signs), first.end)
    facts = [fact for fact in first.facts if fact.start < end]
    words = [word for word in first.words if word.start < end]
    wanted, new = facts_of(expected), keys_of(expected) - keys_of(asked)
    if end < first.end and all(each.is_negated for each in (*facts, *words)):
        right = {word.key: word for each in expected for word in each.words}
        pairs = [
            *((word, right[word.key]) for word in words if word.key in new),
            *((fact, each) for fact in facts for each in wanted if is_same(fact, each)),
        ]
        for one, other in pairs[:1]:
            yield Difference("negation", part_of(one), part_of(other))
    elif len(facts) == 1 and not words:
        known = [*wanted, *facts_of(asked)]
        other = next((each for each in wanted if each.kind == facts[0].kind), None)
        if other and not any(is_same(facts[0], each) for each in known):
            yield Difference("side remark", part_of(facts[0]), part_of(other))
    elif 0 < len(words) <= MAX_DENSE and not facts and end < first.end:
        known = keys_of(expected) | keys_of(asked)
        is_name = all(_kind(word) != "word" and word.key not in known for word in words)
        if is_name and keys_of(answer) & new:
            yield Difference("side remark", _span(first, words), None)


def in_other_words(ours: Sequence[Statement], theirs: Sequence[Statement]) -> list[tuple[int, int]]:
    """The spans of words of the other text that have one of the same direction in ours: `fell` for `declined`."""
    sides = {side for statement in ours for word in statement.words for side in directions(word)}
    return [
        (word.start, word.end)
        for statement in theirs
        for word in statement.words
        if not sides.isdisjoint(directions(word))
    ]


def chosen(
    answer: Sequence[Statement], expected: Sequence[Statement], asked: Sequence[Statement]
) -> Iterator[tuple[Word, Word]]:
    """Where a question names both of two opposites, as in `before or after`: the words with which answer and expected text say one of them."""
    known = vocabulary().opposites
    words = {word for each in asked for token in each.tokens for word in token.text.split()}
    if words.isdisjoint(ALTERNATIVES) and not any("还是" in each.text for each in asked):
        return
    named = {side for word in words for side in known.get(word, ())}
    for pair in sorted(pair for pair, side in named if side and (pair, 0) in named):
        ours, theirs = (
            {
                side: word
                for each in text
                for word in each.words
                for named_pair, side in directions(word)
                if named_pair == pair
            }
            for text in (answer, expected)
        )
        if len(ours) == len(theirs) == 1:
            yield next(iter(ours.values())), next(iter(theirs.values()))


def at_the_ends(ours: Statement, theirs: Statement) -> Iterator[Difference]:
    """`shrank by 7 percent` for `rose by 7 percent`, and `from B to A` for `from A to B`."""
    for fact, other in product(ours.facts, theirs.facts):
        if fact.kind == "amount" and is_same(fact, other):
            one, two = _before(ours, fact), _before(theirs, other)
            sides = [
                {side for pair, side in directions(each) if not pair} for each in (one, two) if each
            ]
            if one and two and len(sides[0] ^ sides[1]) == 2:  # the pair of rise and fall
                yield Difference("opposite", part_of(one), part_of(two))
    there = _ways(theirs)
    for (start, end), (one, _) in _ways(ours).items():
        if (end, start) in there:
            yield Difference("order", part_of(one), part_of(there[end, start][0]))
            return


def _ways(statement: Statement) -> dict[tuple[str, str], tuple[Word | Fact, Word | Fact]]:
    """Each word or fact near before a `to` with each near behind it: the ends of `from A to B`."""
    found: dict[tuple[str, str], tuple[Word | Fact, Word | Fact]] = {}
    parts = [(word.key, word) for word in statement.words]
    parts += [(str(fact.value), fact) for fact in statement.facts]
    for token in statement.tokens if len(parts) <= MANY else ():
        if token.text in vocabulary().ends:
            before = [each for each in parts if 0 <= token.start - each[1].end <= FAR]
            after = [each for each in parts if 0 <= each[1].start - token.end <= FAR]
            found |= {(a, b): (one, two) for (a, one), (b, two) in product(before, after) if a != b}
    return found


def _before(statement: Statement, fact: Fact) -> Word | None:
    """The word of a pair of opposites right before a fact: `fell by 3 %`."""
    near = [word for word in statement.words if 0 <= fact.start - word.end <= BEFORE]
    return next((word for word in reversed(near) if word.opposites), None)


def directions(word: Word) -> list[tuple[int, int]]:
    return [(pair, side ^ word.is_negated) for pair, side in word.opposites]


def turned(ours: Statement, theirs: Statement, asked: Sequence[Statement]) -> Iterator[Difference]:
    """A statement with the opposite sense.

    An opposite word, a negation, two sides exchanged and the passive turn it; two cancel each other: `B is lighter than A`.
    """
    opposite = _opposite(ours, theirs)
    # Where a statement has both words of a pair of opposites, `the south is hot and the north cold`: if the two count as
    # one word, and if they do not.
    both: set[int] = set()
    for statement in (ours, theirs):
        sides = {side for word in statement.words for side in word.opposites}
        both |= {pair for pair, side in sides if (pair, 1 - side) in sides}
    orders = [_exchanged(ours, theirs, apart) for apart in ((), both)[: 1 + bool(both)]]
    if orders[0] and all(orders) and not opposite:
        yield orders[0]
    elif opposite and not any(orders):
        yield opposite
    # A few words that answer a question with a negation deny with it.
    asks = any(each.has_negation for each in asked)
    one, other = (s.has_negation or (asks and len(s.keys) < MIN_SIZE) for s in (ours, theirs))
    if one == other:
        return
    senses = [{(word.key, word.is_negated) for word in each.words} for each in (ours, theirs)]
    mixed = {key for each in senses for key, is_no in each if (key, not is_no) in each}
    here, there = ({word.key: word for word in each.words} for each in (ours, theirs))
    for key in here:
        if key in there and key not in mixed and here[key].is_negated != there[key].is_negated:
            yield Difference("negation", part_of(here[key]), part_of(there[key]))
            return


def _opposite(ours: Statement, theirs: Statement) -> Difference | None:
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
            if not (one and other) or one.text.lower() == other.text.lower():
                continue
            if one.is_negated == other.is_negated:
                return Difference("opposite", part_of(one), part_of(other))
    return None


def _sides(statement: Statement, other: Statement) -> Mapping[int, list[tuple[int, Word]]]:
    """By pair of opposites, the words of a statement that the other lacks, each with its side."""
    known = Counter((word.opposites, word.is_negated) for word in other.words)
    found: dict[int, list[tuple[int, Word]]] = {}
    for word in statement.words:
        known[word.opposites, word.is_negated] -= 1
        if known[word.opposites, word.is_negated] < 0:
            for pair, side in directions(word):
                found.setdefault(pair, []).append((side, word))
    return found


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
        return Difference("roles", _span(ours, first), _span(theirs, second))
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
    if found is None:
        return None
    x, middle, y = found
    if first[0].role != second[0].role or not x[0].kind == y[0].kind != "word":
        return None
    if not vocabulary().mutual.isdisjoint(item.key for item in middle):
        return None
    if is_last and all(item.kind not in ("word", "dense") for item in middle):
        return None
    if is_last and x[0].kind in ("name", "noun", "dense"):
        # A list has a comma or `and` between two neighbouring parts.
        places = [(x[-1].end, middle[0].start), (middle[-1].end, y[0].start)]
        if any(a <= token.start < b for token in _joints(theirs) for a, b in places):
            return None
    if any(item.is_agent for item in first[2:]) != any(item.is_agent for item in second[2:]):
        return None
    return Difference("roles", _span(ours, first), _span(theirs, second))


def _shared_items(
    ours: Statement, theirs: Statement, apart: Container[int]
) -> tuple[list[_Item], list[_Item]]:
    """The words and facts that both statements have equally often, in the order of either; opposites count as one word, but for pairs `apart`."""
    names = {word.key for statement in (ours, theirs) for word in statement.words if word.is_name}
    lists: list[list[_Item]] = []
    for statement in (ours, theirs):
        items: list[_Item] = []
        for word in statement.words:
            key = word.key
            if word.opposites:
                pair, side = min(word.opposites)
                key = f"±{pair} {side}" if pair in apart else f"±{pair}"
            # At its beginning every word of a statement has a capital, so the other one decides.
            kind = "name" if word.key in names else _kind(word)
            kind = "noun" if kind == "word" and word.has_article else kind
            items.append(_Item(key, word.start, word.end, word.role, kind))
        for fact in statement.facts:
            same = next((at for at, other in enumerate(theirs.facts) if is_same(fact, other)), None)
            if same is not None:
                # `red` and `north` do not take each other's place.
                kind = f"member {fact.head}" if fact.kind == "member" else fact.kind
                items.append(_Item(f"#{same}", fact.start, fact.end, "", kind))
        lists.append(sorted(items, key=lambda item: item.start))
    counts = [Counter(item.key for item in items) for items in lists]
    first, second = (
        [item for item in items if counts[0][item.key] == counts[1][item.key]] for items in lists
    )
    return first, second
