"""The details of an answer that passages contradict, by the closest sentences and by what stands in the place that a question asks for."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import accumulate, combinations
from math import log1p
from typing import NamedTuple, cast

from ragauge.language.facts.alignment import (
    MAX_CHARACTERS,
    MAX_COMPARED,
    SAME_NUMBER,
    Alignment,
    contradicting_facts,
    equal_spans,
    focused,
    statement_at,
)
from ragauge.language.facts.differences import (
    LIKELY,
    Difference,
    beside,
    contradiction,
    facts_of,
    in_unit,
    is_among,
    is_within,
    keys_of,
    part_of,
)
from ragauge.language.facts.facts import SIGNS, Fact
from ragauge.language.facts.reader import Statement, read
from ragauge.language.facts.statements import are_comparable, compare, turned

MAX_FACTS_OF_PASSAGES = 1_000
MIN_ALIKE = 0.6
"""The likeness of a statement and a passage's sentence from which their words are compared."""
UNSTATED, MARGIN = 1.0, 1.5
"""What the place of a fact is worth that no passage has, and how much more another place must be worth."""
MAX_GIVEN, ROUNDED_RESULT = 12, 0.005
"""The facts of the best places that an amount may be the result of, and how far it may be rounded."""
MIN_COVERED, MIN_KEYS = 0.6, 2
"""Share of a statement's words that a passage's sentence must have; words that are enough to look it up."""


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
        if not each and are_comparable(statement, clauses, MIN_ALIKE):
            each = [*turned(statement, clauses, asked)]
        found += [one._replace(context=place) for one in each if one.kind != "left out"]
    found = found or [*_in_place(ours, asked, passages)]
    return Alignment(equal_spans(ours, passages.facts), tuple(dict.fromkeys(found)))


def _in_place(
    ours: Sequence[Statement], asked: Sequence[Statement], passages: "_Passages"
) -> Iterator[Difference]:
    """What the passages have in the place that is asked for, if the answer has it from another place, or from none, and it is no result of what is given.

    The value of a place, at most 10: the share of the question's words in its sentence (weight 4), its clause (2) and the sentence before (1), and that of
    the question's and the answer's words together (2, 1).
    """
    known, wanted = facts_of(asked), keys_of(asked)
    stated = [fact for fact in facts_of(ours) if not is_among(fact, known)]
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
    own = max((each for each, place in places if is_among(place.fact, stated)), default=0.0)
    for each, (fact, context, sentence, _, _) in places:
        if each <= max(own, UNSTATED) + MARGIN:
            return
        if is_among(fact, known):
            continue
        for one in stated:
            kind = contradiction(one, fact)
            if kind in ("", LIKELY) or is_within(one, fact):
                continue
            if not _counts_other_things(statement_at(one, ours), one, sentence, fact):
                given = [*known, *(place.fact for _, place in places)][:MAX_GIVEN]
                is_stated = is_among(one, passages.facts)
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


def _of_passage(
    ours: Statement, theirs: Statement, asked: Sequence[Statement], stated: Sequence[Fact]
) -> Iterator[Difference]:
    """Facts that contradict a passage's sentence, of which they must count the same thing; one that could stand for several contradicts none."""
    here, there = ({fact.start: fact for fact in each.facts} for each in (ours, theirs))
    found = [*contradicting_facts([ours], [theirs], asked, stated)]
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
    ends = (at for sign in signs for at in (sign.start, sign.end))
    cuts = [statement.start, *ends, statement.end]
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
        longest = max(map(len, contexts), default=0)
        self.is_cut = len(facts) > len(self.facts) or longest > MAX_CHARACTERS

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
        found += (
            [at for at, (each, _) in enumerate(self._statements) if is_among(fact, each.facts)]
            for fact in statement.facts
        )
        scores: Counter[int] = Counter()
        for places in found:
            for at in places:
                scores[at] += log1p(len(self._statements) / len(places))  # pyright: ignore[reportArgumentType]
        best = min(scores, key=lambda at: (-scores[at], at), default=None)
        return (None, 0) if best is None else self._statements[best]


_passages = lru_cache(maxsize=256)(_Passages)
