"""Which details of a text another text contradicts."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import accumulate, combinations
from math import log1p
from typing import NamedTuple, cast

from ragauge.language.facts.differences import (
    LIKELY,
    Difference,
    beside,
    contradiction,
    facts_of,
    in_unit,
    is_equal,
    is_near,
    is_same,
    is_within,
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
    turned,
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
MIN_PART = 4
"""Letters of a word that may be part of a longer one."""
MAX_FACTS_OF_PASSAGES = 1_000
SAME_NUMBER = ("currency", "period", "unit")
"""Differences between facts that have the same number, so that fewer words need to be the same."""
MIN_ALIKE = 0.6
"""The likeness of a statement and a passage's sentence from which their words are compared."""
UNSTATED, MARGIN = 1.0, 1.5
"""What the place of a fact is worth that no passage has, and how much more another place must be worth."""
MAX_GIVEN, ROUNDED_RESULT = 12, 0.005
"""The facts of the best places that an amount may be the result of, and how far it may be rounded."""
MIN_COVERED, MIN_KEYS = 0.6, 2
"""Share of a statement's words that a passage's sentence must have; words that are enough to look it up."""


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
    for each in _of_facts(ours, theirs, asked, ()):
        assert each.found and each.expected
        if each.kind == "member":  # only if the clause that says what the answer's does has it
            here, there = _at(each.found, ours), _at(each.expected, theirs)
            clauses = focused(there, here)
            name = vocabulary().classes.get(each.expected.text.lower(), ("",))[0]
            is_listed = any(  # `Monday and Friday` for `Tuesday and Friday`
                fact.kind == "member" and cast("tuple[str, str]", fact.value)[0] == name
                for fact in there.facts
                if _is_among(fact, here.facts)
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
    new = [fact for fact in facts_of(theirs) if not _is_among(fact, known)]
    is_all = (
        all(
            len(key) >= MIN_PART and key in question.lower()  # `Spiele` of `Konsolenspiele`
            for key in keys_of(ours) - keys_of(asked)
        )
        and all(any(is_equal(fact, other) for other in stated) for fact in new)
        and all(_is_among(fact, [*new, *known]) for fact in stated)
    )
    differences = tuple(dict.fromkeys(found))
    said = (
        [fact.text for fact in new] if new and is_all else [other.text for _, other in choices[:1]]
    )
    return Alignment(_equal(theirs, stated), differences, words, " and ".join(said))


def align_to_passages(answer: str, contexts: Sequence[str], question: str = "") -> Alignment:
    """The facts of an answer that passages state, as spans in the answer, and what it contradicts of the closest sentences.

    What any passage has contradicts nothing, unless it has it in another place than what the question asks for. The spans of `expected` are those in the passage `context`.

    >>> found = align_to_passages("Team costs $19 a month.", ("Team costs $18 a month.",)).differences
    >>> [(each.found.text, each.expected.text, each.context) for each in found]
    [('$19 per month', '$18 per month', 0)]
    """
    if len(answer) > MAX_CHARACTERS:
        return Alignment((), ())
    passages = _passages(tuple(contexts))
    ours, asked = read(answer), read(question)
    if max(len(ours), len(facts_of(ours))) > MAX_COMPARED:
        return Alignment((), ())
    found: list[Difference] = []
    for statement in ours:
        partner, place = passages.closest(statement, asked)
        if partner is None:
            continue
        clauses = focused(partner, statement)
        is_covered = len(statement.keys & partner.keys) >= MIN_COVERED * len(statement.keys)
        each = [
            one
            for theirs in (partner, clauses)
            for one in _of_passage(statement, theirs, asked, passages.facts)
            if len(statement.keys) >= MIN_KEYS
            and (is_covered or one.kind in SAME_NUMBER)
            and (theirs is clauses or one.kind != "member")
        ]
        each += compare(statement, partner, ours, asked, passages.keys, MIN_ALIKE)
        each = each or [*turned(statement, clauses, asked, MIN_ALIKE)]
        found += [one._replace(context=place) for one in each if one.kind != "left out"]
    found = found or [*_in_place(ours, asked, passages)]
    return Alignment(_equal(ours, passages.facts), tuple(dict.fromkeys(found)))


def _in_place(
    ours: Sequence[Statement], asked: Sequence[Statement], passages: "_Passages"
) -> Iterator[Difference]:
    """What the passages have in the place that is asked for, if the answer has it from another place, or from none, and it is no result of what is given.

    The value of a place, at most 10: the share of the question's words in its sentence (weight 4), its clause (2) and the sentence before (1), and that of
    the question's and the answer's words together (2, 1).
    """
    known, wanted = facts_of(asked), keys_of(asked)
    stated = [fact for fact in facts_of(ours) if not _is_among(fact, known)]
    if not (stated and wanted) or passages.is_cut:
        return
    weights = passages.weights(wanted)
    all_weights = passages.weights(wanted | keys_of(ours))

    def value(place: _Place) -> float:
        sentence, clause, before = place.sentence.keys, place.clause.keys, place.before
        found = sum(
            weight * (4 * (key in sentence) + 2 * (key in clause) + (key in before))
            for key, weight in weights.items()
        )
        return found + sum(
            weight * (2 * (key in sentence) + (key in clause))
            for key, weight in all_weights.items()
        )

    places = sorted(((value(place), place) for place in passages.places), key=lambda pair: -pair[0])
    own = max((each for each, place in places if _is_among(place.fact, stated)), default=0.0)
    for each, (fact, context, sentence, _, _) in places:
        if each <= max(own, UNSTATED) + MARGIN:
            return
        if _is_among(fact, known):
            continue
        for one in stated:
            kind = contradiction(one, fact)
            if kind in ("", LIKELY) or is_within(one, fact):
                continue
            if not _counts_other_things(_at(one, ours), one, sentence, fact):
                given = [*known, *(place.fact for _, place in places)][:MAX_GIVEN]
                is_stated = _is_among(one, passages.facts)
                if not (
                    _is_total(one, passages.facts) or (not is_stated and _is_result(one, given))
                ):
                    yield Difference(kind, part_of(one), part_of(fact), context)
                return


def _is_total(fact: Fact, given: Sequence[Fact]) -> bool:
    """Whether an amount is the sum of three or more in a row."""
    amounts = _amounts(given[:MAX_COMPARED], fact.unit)
    totals = (total for at in range(len(amounts)) for total in [*accumulate(amounts[at:])][2:])
    return fact.kind == "amount" and _is_one_of(fact, totals)


def _is_result(fact: Fact, given: Sequence[Fact]) -> bool:
    """Whether an amount is the sum, difference, product or quotient of two, or one and a percentage of it."""
    if fact.kind != "amount":
        return False
    amounts = _amounts(given, fact.unit)
    shares = [each / 100 for each in _amounts(given, "%")]
    factors = {
        2.0,
        *(abs(float(cast(Decimal, each.value))) for each in given if each.kind == "amount"),
    }
    factors |= {factor for share in shares for factor in (share, 1 + share, 1 - share)}
    results = {result for a, b in combinations(amounts, 2) for result in (a + b, abs(a - b))}
    results |= {result for a in amounts for b in factors - {0.0} for result in (a * b, a / b)}
    return _is_one_of(fact, results)


def _amounts(given: Sequence[Fact], unit: str) -> list[float]:
    """Those of the facts that are amounts of a unit, in it."""
    amounts = (in_unit(each, unit) for each in given if each.kind == "amount")
    return [abs(float(each)) for each in amounts if each is not None]


def _is_one_of(fact: Fact, results: Iterable[float]) -> bool:
    value = abs(float(cast(Decimal, fact.value)))
    return any(abs(value - each) <= ROUNDED_RESULT * value for each in results)


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


def _of_passage(
    ours: Statement, theirs: Statement, asked: Sequence[Statement], stated: Sequence[Fact]
) -> Iterator[Difference]:
    """Facts that contradict a passage's sentence, of which they must count the same thing; one that could stand for several contradicts none."""
    here, there = ({fact.start: fact for fact in each.facts} for each in (ours, theirs))
    found = [*_of_facts([ours], [theirs], asked, stated)]
    counts = Counter(one.found for one in found)
    for one in found:
        assert one.found and one.expected
        fact, other = here[one.found.start], there[one.expected.start]
        if one.kind in SAME_NUMBER or (
            counts[one.found] == 1
            and not is_within(fact, other)
            and not _counts_other_things(ours, fact, theirs, other)
        ):
            yield one


def _counts_other_things(ours: Statement, fact: Fact, theirs: Statement, other: Fact) -> bool:
    """Whether a fact is a number without a unit, and other words stand beside it than beside the other fact."""
    is_count = fact.kind == "amount" and not fact.unit
    return is_count and beside(ours, fact).isdisjoint(beside(theirs, other))


def _equal(statements: Sequence[Statement], others: Sequence[Fact]) -> list[tuple[int, int]]:
    """The spans of the facts that are among the others."""
    return [
        (fact.start, fact.end)
        for fact in facts_of(statements)
        if any(is_equal(fact, other) for other in others)
    ]


class _Place(NamedTuple):
    """Where a passage has a fact: its sentence and clause, and the words of the sentence before."""

    fact: Fact
    context: int
    sentence: Statement
    clause: Statement
    before: Set[str]


def _clauses(statement: Statement) -> Iterator[Statement]:
    """The clauses of a statement, which end at commas, colons and the like, but not inside of a fact."""
    inside = {at for fact in statement.facts for at in range(fact.start, fact.end)}
    signs = [each for each in statement.tokens if each.text in SIGNS and each.start not in inside]
    cuts = [
        statement.start,
        *(at for sign in signs for at in (sign.start, sign.end)),
        statement.end,
    ]
    for start, end in zip(cuts[::2], cuts[1::2], strict=True):
        if any(start <= fact.start < end for fact in statement.facts):
            yield statement.part(start, end)


class _Passages:
    """The statements of some passages, to look up the one closest to another statement."""

    def __init__(self, contexts: Sequence[str]) -> None:
        self._statements = [
            (statement, place)
            for place, text in enumerate(contexts)
            if len(text) <= MAX_CHARACTERS
            for statement in read(text)
        ]
        self._with_key: dict[str, list[int]] = {}
        for at, (statement, _) in enumerate(self._statements):
            for key in statement.keys:
                self._with_key.setdefault(key, []).append(at)
        self.keys = self._with_key.keys()
        facts = facts_of([each for each, _ in self._statements])
        self.facts = facts[:MAX_FACTS_OF_PASSAGES]
        self.is_cut = (
            len(facts) > len(self.facts) or max(map(len, contexts), default=0) > MAX_CHARACTERS
        )

    @cached_property
    def places(self) -> list["_Place"]:
        """The place of each fact."""
        found: list[_Place] = []
        before: tuple[int, Set[str]] = (0, frozenset())
        for statement, context in self._statements:
            words = before[1] if before[0] == context else frozenset[str]()
            if statement.facts:
                found += (
                    _Place(fact, context, statement, clause, words)
                    for clause in _clauses(statement)
                    for fact in clause.facts
                )
            before = context, statement.keys
        return found

    def weights(self, keys: Set[str]) -> dict[str, float]:
        """The weights of those of the keys that the passages have, rare ones weighing more; their sum is 1."""
        found = {
            key: log1p(len(self._statements) / len(self._with_key[key]))
            for key in sorted(keys & self.keys)
        }
        total = sum(found.values())
        return {key: weight / total for key, weight in found.items()}

    def closest(
        self, statement: Statement, asked: Sequence[Statement]
    ) -> tuple[Statement | None, int]:
        """The statement with most of the words and facts, rare ones counting more, and the place of its passage; None if none shares one.

        A statement that is hardly more than a fact is looked up with the words of the question.
        """
        keys = statement.keys | (keys_of(asked) if len(statement.keys) < MIN_KEYS else set[str]())
        found = [self._with_key.get(key, ()) for key in sorted(keys)]
        for fact in statement.facts:
            facts = [each.facts for each, _ in self._statements]
            found.append([at for at, each in enumerate(facts) if _is_among(fact, each)])
        scores: Counter[int] = Counter()
        for places in found:
            for at in places:
                scores[at] += log1p(len(self._statements) / len(places))  # pyright: ignore[reportArgumentType]
        best = min(scores, key=lambda at: (-scores[at], at), default=None)
        return (None, 0) if best is None else self._statements[best]


_passages = lru_cache(maxsize=256)(_Passages)


def _of_facts(
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
    lost = [fact for fact in wanted if not _is_among(fact, [*stated, *facts_of(asked)])]
    new = [fact for fact in stated if not _is_among(fact, [*wanted, *known])]
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
            one, other = _at(fact, ours), _at(expected, theirs)
            if (is_clear and found[0][1] != LIKELY) or (
                len(one.facts) <= MAX_FACTS and likeness(one, other) >= MIN_SHARED
            ):
                yield Difference(kind, part_of(fact), part_of(expected))
                break


def _is_among(fact: Fact, others: Sequence[Fact]) -> bool:
    return any(is_same(fact, other) for other in others)


def _at(part: Part | Fact, statements: Sequence[Statement]) -> Statement:
    return next(each for each in statements if each.start <= part.start < each.end)
