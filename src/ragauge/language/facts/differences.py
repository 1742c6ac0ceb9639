"""What two texts state of one detail: whether facts are the same or contradict, and what statements have in common."""

import re
from collections.abc import Iterator, Sequence, Set
from decimal import Decimal
from operator import ge, le
from typing import NamedTuple, cast

from ragauge.language.dates.parts import Date, readings, supports
from ragauge.language.facts.facts import DAYS, MIN_DIGITS, MONTHS, Fact, Part
from ragauge.language.facts.reader import Statement, Word
from ragauge.language.numbers.agreement import digits_of
from ragauge.language.numbers.quantity import ALIKE, DIVIDING
from ragauge.language.numbers.units import MONEY, are_of_other_kinds, converted, power_between

GROUPED = re.compile(r"\D*([1-9]\d{0,2})\.(\d{3})(?![\d.,])\D*")
"""A number whose point may be one between thousands, as in German and Spanish."""
LIKELY = "value"
ROUNDED = Decimal("0.02")
"""Numbers of at least a hundred, or with decimals, that differ by less than this share may be rounded."""
CALENDAR = Decimal("0.08")
"""The same for weeks and months, which are of no exact length: six weeks are a month and a half."""


class Difference(NamedTuple):
    """A detail in which a text contradicts another: its kind, and what either text says of it.

    The kind `left out` is no contradiction: the text says only a part of what is expected. `found` is None there, and
    `expected` is None where the text adds an item to a list. `context`: which passage has what is expected.
    """

    kind: str
    found: Part | None
    expected: Part | None
    context: int = 0


def part_of(one: Fact | Word) -> Part:
    """The part of a text that is a fact, or a word."""
    return Part(one.shown, one.start, one.end)


def facts_of(statements: Sequence[Statement]) -> list[Fact]:
    return [fact for statement in statements for fact in statement.facts]


def keys_of(statements: Sequence[Statement]) -> Set[str]:
    return {key for statement in statements for key in statement.keys}


def beside(statement: Statement, part: Fact | Part) -> set[str]:
    """The content words next to a part of a statement: one before it, two behind it."""
    before = [word.key for word in statement.words if word.end <= part.start]
    after = [word.key for word in statement.words if word.start >= part.end]
    return {*before[-1:], *after[:2]}


def n_shared(one: Statement, other: Statement) -> int:
    """The number of words and facts that both statements have."""
    return len(one.keys & other.keys) + sum(is_among(fact, other.facts) for fact in one.facts)


def likeness(one: Statement, other: Statement) -> float:
    """Of the words and facts of both statements, the share that both have: Dice's coefficient."""
    n = len(one.keys) + len(other.keys) + len(one.facts) + len(other.facts)
    return 2 * n_shared(one, other) / n if n else 0.0


def is_among(fact: Fact, others: Sequence[Fact]) -> bool:
    return any(is_same(fact, other) for other in others)


def is_same(one: Fact, other: Fact) -> bool:
    """Whether two facts say the same, as far as both say it."""
    ours, theirs = one.value, other.value
    if one.kind != other.kind:  # `Hall 3` is `the third hall`, `version 4.5` is `4.5`
        values = {each.kind: each.value for each in (one, other)}
        head, tail = cast("tuple[str, str]", values.get("code", ("", "")))
        is_version = head == "version" and tail in (one.text, other.text)
        return bool(tail) and (values.get("member") == ("place", tail) or is_version)
    if isinstance(ours, Date) and isinstance(theirs, Date):
        return supports(ours, theirs) or supports(theirs, ours)
    if isinstance(ours, tuple) and isinstance(theirs, tuple):
        shorter, longer = sorted((ours[1], theirs[1]), key=len)  # `Python 3.9` is Python 3
        if not ours[0]:  # `030 1234567` is `+49 30 1234567`
            is_enough = not theirs[0] and len(shorter) >= MIN_DIGITS - 1
            return ours == theirs or (is_enough and longer.endswith(shorter))
        if "".join(ours) == theirs[1] or "".join(theirs) == ours[1]:  # `Form C1` is `C1`
            return True
        if "version" in (ours[0], theirs[0]) and "." in longer:  # `firmware 3.1.7`
            return ours[1] == theirs[1]
        return ours[0] == theirs[0] and f"{longer}.".startswith((f"{shorter}.", f"{shorter}("))
    return _is_same_amount(one, other) and not (one.per and other.per and one.per != other.per)


def contradiction(one: Fact, other: Fact) -> str:
    """The kind of the contradiction between two facts that are not the same; "" if they may both be true.

    LIKELY if they contradict each other only where the statements are alike: `AES-128` and `TLS 1.2`, `7` and `8 years`.
    """
    ours, theirs = one.value, other.value
    if one.kind != other.kind:
        return ""
    if isinstance(ours, Date) and isinstance(theirs, Date):
        pairs = [(a, b) for a in readings(ours) for b in readings(theirs)]
        # No reading of the two agrees in all parts that both state, of which there is one.
        are_others = all(any(a[name] != b[name] for name in a.keys() & b) for a, b in pairs)
        return "date" if are_others else ""
    if isinstance(ours, tuple) and isinstance(theirs, tuple):
        if one.kind == "member":
            return "member" if ours[0] == theirs[0] and ours != theirs else ""
        if is_same(one, other):
            return ""
        return "version" if ours[0] == theirs[0] else LIKELY
    are_money = one.unit in MONEY and other.unit in MONEY
    if are_money and in_unit(one, other.unit) is None:
        return "currency"
    if one.kind == "frequency":
        return "" if _is_same_amount(one, other) else "period"
    if _is_same_amount(one, other):
        return "period" if one.per and other.per and one.per != other.per else ""
    if are_money or in_unit(one, other.unit) is not None:
        return "number" if one.value != other.value else "unit"
    if are_of_other_kinds(one.unit, other.unit):
        return "unit" if one.value == other.value else ""
    has_measure = any(unit == "%" or unit in MONEY for unit in (one.unit, other.unit))
    return "" if (one.unit and other.unit) or has_measure else LIKELY


def is_near(one: Fact, other: Fact) -> bool:
    """Whether two dates are of one month, `1 March` and `16 March`, or two amounts have one unit."""
    if isinstance(one.value, Date) and isinstance(other.value, Date):
        return one.value.parts.get("month", 0) == other.value.parts.get("month")
    return one.unit == other.unit != ""


def is_equal(one: Fact, other: Fact) -> bool:
    """Whether two facts say the same, and neither rounds the other."""
    if not is_same(one, other) or one.kind != other.kind:
        return is_same(one, other)
    if isinstance(one.value, tuple) and isinstance(other.value, tuple):
        shorter, longer = sorted(("".join(each) for each in (one.value, other.value)), key=len)
        return not one.value[0] or longer.endswith(shorter)  # `Python 3` does not say `Python 3.9`
    return one.kind != "amount" or any(ours == theirs for ours, theirs in _values(one, other))


def is_within(one: Fact, other: Fact) -> bool:
    """Whether an amount without a bound is among those that a bound allows: `300` for `over 250`."""
    if one.kind != "amount" or not one.bound or other.bound:
        return False
    within = ge if one.bound in ("least", "over") else le
    return any(within(stated, limit) for limit, stated in _values(one, other))


def _is_same_amount(one: Fact, other: Fact) -> bool:
    """Whether two amounts are equal in one unit, or one may be the other rounded."""
    for ours, theirs in _values(one, other):
        if ours == theirs:
            return True
        decimals = [-int(each.as_tuple().exponent) for each in (ours, theirs)]
        n_decimals = min(decimals)
        if n_decimals > 0 and round(ours, n_decimals) == round(theirs, n_decimals):
            return True
        larger = max(ours, theirs)
        is_of_calendar = {one.unit, other.unit} <= DAYS.keys() and (
            one.unit != other.unit or one.kind == "frequency"
        )
        # Of two whole numbers, one with as many digits is not the other rounded: 5576 and 5567.
        is_rounded = len({len(digits_of(each)) for each in (ours, theirs)}) > 1
        is_fine = max(decimals) > 0 or (larger >= 100 and is_rounded)
        share = CALENDAR if is_of_calendar else ROUNDED if is_fine else 0
        if abs(ours - theirs) <= share * larger:
            return True
    return False


def _values(one: Fact, other: Fact) -> Iterator[tuple[Decimal, Decimal]]:
    """The two amounts in one unit, if there is one; a number without a unit may also be a share of a percentage."""
    ours, theirs = (abs(cast(Decimal, each.value)) for each in (one, other))
    for plain, each, value in ((one, other, theirs), (other, one, ours)):
        if (grouped := GROUPED.fullmatch(plain.text)) and plain.unit == each.unit:
            yield Decimal(grouped[1] + grouped[2]), value
    if not (one.unit and other.unit):
        yield ours, theirs
        if "%" in (one.unit, other.unit):
            yield (100 * ours, theirs) if other.unit == "%" else (ours, 100 * theirs)
    elif (stated := in_unit(one, other.unit)) is not None:
        yield abs(stated), theirs


def in_unit(fact: Fact, unit: str) -> Decimal | None:
    """The amount in another unit; None if it cannot be converted."""
    value = cast(Decimal, fact.value)
    if fact.unit == unit or unit in ALIKE.get(fact.unit, ()):
        return value
    if "cent" in (fact.unit, unit) and {fact.unit, unit} <= MONEY:  # of any currency
        return value.scaleb(-2 if fact.unit == "cent" else 2)
    if (power := power_between(fact.unit, unit)) is not None:
        return value.scaleb(power)
    for known in (MONTHS, DAYS):
        if fact.unit in known and unit in known:
            return DIVIDING.divide(value * known[fact.unit], Decimal(known[unit]))
    return converted(value, fact.unit, unit)
