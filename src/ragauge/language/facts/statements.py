"""What one statement contradicts of another by its words: a negation, an opposite, an order, a scope, a name, a list."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence, Set
from typing import NamedTuple, Protocol, cast

from ragauge.language.facts.reader import SIGNS, Fact, Statement, Token, Word
from ragauge.language.facts.same import is_same
from ragauge.language.facts.vocabulary import vocabulary

MIN_LIKENESS, MIN_LIKENESS_OF_MANY = 0.5, 0.7
"""The likeness of two statements from which their words are compared; in an answer of many statements."""
FEW, MIN_SIZE = 2, 3
"""The most statements that are few, and the fewest words and facts of a statement that words are compared with."""
MAX_SHORT_STATEMENT = 2
"""Words of two statements that are so short that an opposite is all they need to have in common."""
MAX_SHORT = 2
"""Letters of capitals that are no names by themselves: `FY`, `US`."""
MIN_STEM = 4
"""The letters that a word has at least which a prefix turns into its opposite."""
REMARK = frozenset(";(；（")
"""Signs before a remark."""
MAX_WORDS, MAX_DENSE = 3, 6
"""The most words, or Chinese signs, of an item of a list; longer ones are clauses."""
GERMAN, ENGLISH = (
    {"der", "die", "das", "den", "dem", "und", "ist", "im", "mit", "für", "von", "zu"},
    {"the", "of", "and", "is"},
)


class Part(NamedTuple):
    """What a text says of a detail, and where: start and end of the span."""

    text: str
    start: int
    end: int


class Difference(NamedTuple):
    """A detail in which a text contradicts another: its kind, and what either text says of it.

    The kind `left out` is no contradiction: the text says only a part of what is expected. `found` is None there, and
    `expected` is None where the text adds an item to a list. `context`: which passage has what is expected.
    """

    kind: str
    found: Part | None
    expected: Part | None
    context: int = 0


class _Shown(Protocol):
    @property
    def shown(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


def part_of(one: _Shown) -> Part:
    """The part of a text that is a fact, or a word."""
    return Part(one.shown, one.start, one.end)


class Item(NamedTuple):
    """A word or fact that two statements share, at its place in one of them."""

    key: str
    start: int
    end: int
    role: str
    kind: str


def facts_of(statements: Sequence[Statement]) -> list[Fact]:
    return [fact for statement in statements for fact in statement.facts]


def keys_of(statements: Sequence[Statement]) -> Set[str]:
    return {key for statement in statements for key in statement.keys}


def beside(statement: Statement, part: Fact | Token) -> set[str]:
    """The content words next to a part of a statement: one before it, two behind it."""
    before = [word.key for word in statement.words if word.end <= part.start]
    after = [word.key for word in statement.words if word.start >= part.end]
    return {*before[-1:], *after[:2]}


def likeness(one: Statement, other: Statement) -> float:
    """Of the words and facts of both statements, the share that both have: Dice's coefficient."""
    n_facts = sum(any(is_same(fact, each) for each in other.facts) for fact in one.facts)
    n = len(one.keys) + len(other.keys) + len(one.facts) + len(other.facts)
    return 2 * (len(one.keys & other.keys) + n_facts) / n if n else 0.0


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
        yield from _other_items(ours, theirs, stated, known)
    if len(answer) == 1 and _are_short(ours, theirs) and not _have_side(asked, ours):
        yield from filter(None, (_opposite(ours, theirs),))
    if len(answer) > FEW:
        least = MIN_LIKENESS_OF_MANY
    if len(theirs.keys) + len(theirs.facts) < MIN_SIZE or likeness(ours, theirs) < least:
        return
    yield from _scopes(ours, theirs)
    yield from turned(ours, theirs, least)
    yield from _other_names(ours, theirs, stated, known)


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


# ------------------------------------------------------------------ polarity and order


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
    opposite, negated = _opposite(ours, theirs), _negated(ours, theirs)
    orders = _exchanged(ours, theirs)
    if orders[0] and all(orders) and not opposite:
        yield orders[0]
    elif opposite and not any(orders):
        yield opposite
    if negated:
        yield negated


def _opposite(ours: Statement, theirs: Statement) -> Difference | None:
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


def is_denied(ours: Statement, theirs: Statement) -> bool:
    """Whether one of two statements denies a fact, or a word that both have."""
    keys = ours.keys & theirs.keys
    return any(fact.is_negated for statement in (ours, theirs) for fact in statement.facts) or any(
        word.is_negated
        for statement in (ours, theirs)
        for word in statement.words
        if word.key in keys
    )


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
    return Difference("roles", _span(ours, first), _span(theirs, second))


def _span(statement: Statement, words: Sequence[Word | Item]) -> Part:
    """The part of a statement from the first to the last of some words."""
    start, end = words[0].start, words[-1].end
    return Part(statement.text[start - statement.start : end - statement.start], start, end)


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


def _kind(word: Word) -> str:
    """`dense`: of a script that has no capitals, and an order that is fixed."""
    return "dense" if word.key[0] > "\u3000" else "name" if word.is_name else "word"


def _kind_in(word: Word, names: Set[str]) -> str:
    """The kind of a word that the other statement may have as a name: at its beginning every word has a capital."""
    kind = "name" if word.key in names else _kind(word)
    return "noun" if kind == "word" and word.has_article else kind


def _kind_of(fact: Fact) -> str:
    """The kind of a fact, and the class of a member: `red` and `north` do not take each other's place."""
    return f"member {cast(tuple[str, str], fact.value)[0]}" if fact.kind == "member" else fact.kind


def _with_both_sides(statement: Statement) -> set[int]:
    """The pairs of opposites of which a statement has both words: `the south is hot and the north cold`."""
    sides = {side for word in statement.words for side in word.opposites}
    return {pair for pair, side in sides if (pair, 1 - side) in sides}


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
    return any(one[-1].end <= token.start < other[0].start for token in _joints(statement))


def _joints(statement: Statement) -> list[Token]:
    """Commas and words such as `and`, but not the first letter of `U.K.`."""
    joints, text = vocabulary().joints, statement.text
    return [
        token
        for token in statement.tokens
        if token.text in joints and not text.startswith(".", token.end - statement.start)
    ]


# ------------------------------------------------------------------ names and lists


def _other_names(
    ours: Statement, theirs: Statement, stated: Set[str], known: Set[str]
) -> Iterator[Difference]:
    """A name in whose place the other statement has another; neither is stated elsewhere."""
    tokens = {token.text for statement in (ours, theirs) for token in statement.tokens}
    is_german = not GERMAN.isdisjoint(tokens) and ENGLISH.isdisjoint(tokens)
    new = [name for name in _names(ours, is_german) if all(word.key not in known for word in name)]
    lost = [
        name for name in _names(theirs, is_german) if all(word.key not in stated for word in name)
    ]
    if new and lost:
        yield Difference("entity", _span(ours, new[0]), _span(theirs, lost[0]))


def _names(statement: Statement, is_german: bool) -> list[list[Word]]:
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
    here, there = _items(ours), _items(theirs)
    n_shared = sum(_is_stated(item, ours.keys) for item in there)
    if min(len(here), len(there)) < 2 or max(len(here), len(there)) < 3:
        return
    if _kind(here[-1][0]) != _kind(there[-1][0]):
        return
    if n_shared < (1 if likeness(ours, theirs) >= MIN_LIKENESS else 2):
        return
    added = [item for item in here[1:] if len(here) > 2 and not _is_stated(item, known)]
    lost = [item for item in there if not _is_stated(item, stated)]
    expected = _span(theirs, lost[0]) if lost else None
    if added:
        yield Difference("item", _span(ours, added[0]), expected)
    elif lost:
        yield Difference("left out", None, expected)


def _is_stated(item: Sequence[Word], keys: Set[str]) -> bool:
    """Whether the keys have one of the words; all, if they are Chinese signs."""
    are_there = [word.key in keys for word in item]
    return all(are_there) if _kind(item[0]) == "dense" else any(are_there)


def _items(statement: Statement) -> Sequence[Sequence[Word]]:
    """The words of each item of an enumeration with `and`; of the first the last one, of the last the first ones.

    Its items are all names, or none is: `Ida, a teacher, and Colm` are two.
    """
    cuts = _joints(statement)
    last = next((at for at, token in enumerate(cuts) if token.text not in ",;、，"), None)
    if last is None:
        return []
    starts = [token.start for token in cuts[: last + 2]]
    parts: list[list[Word]] = [[] for _ in range(len(starts) + 1)]
    for word in statement.words:
        parts[bisect_left(starts, word.start)].append(word)
    parts = [part for part in parts[: last + 2] if part]
    is_dense = any(_kind(word) == "dense" for part in parts for word in part)
    longest = MAX_DENSE if is_dense else MAX_WORDS
    if len(parts) < 2 or any(len(part) > longest for part in parts[1:-1]):
        return []
    items = [parts[0][-1:], *parts[1:-1], parts[-1][: 2 if is_dense else 1]]
    kinds = {_kind(item[0]) for item in items if item[0].start > statement.start}
    return items if len(kinds) == 1 else []


# ------------------------------------------------------------------ the head of an answer


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
        are_name = all(_kind(word) != "word" for word in words) and len(words) <= MAX_DENSE
        if are_name and rest and not any(word.key in known for word in words):
            yield Difference("side remark", _span(first, words), None)
