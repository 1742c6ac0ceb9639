"""Whether two facts say the same, or contradict each other."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import permutations
from typing import cast

from ragauge.language.dates.parts import Date, readings, supports
from ragauge.language.facts.reader import Fact
from ragauge.language.numbers.quantity import ALIKE, DIVIDING, MONEY
from ragauge.language.numbers.unit_conversion import converted

GROUPED = re.compile(r"\D*([1-9]\d{0,2})\.(\d{3})(?![\d.,])\D*")
"""A number whose point may be one between thousands, as in German and Spanish."""
BYTES = {"byte": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "PB": 10**15}
DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
LIKELY = "value"
MAX_OPERANDS, MAX_DIGITS, MAX_DECIMALS = 12, 100, 6
"""Amounts of which another may be worked out, more are a table; digits of one before or behind the point; decimals of a percentage."""
ROUNDED = Decimal("0.02")
"""Numbers of at least a hundred, or with decimals, that differ by less than this share may be rounded."""


def is_same(one: Fact, other: Fact) -> bool:
    """Whether two facts say the same, as far as both say it."""
    if one.kind != other.kind:
        return False
    if one.kind == "date":
        ours, theirs = cast(Date, one.value), cast(Date, other.value)
        return supports(ours, theirs) or supports(theirs, ours)
    if one.kind in ("code", "member"):
        return one.value == other.value
    return _is_same_amount(one, other) and not (one.per and other.per and one.per != other.per)


def contradiction(one: Fact, other: Fact) -> str:
    """The kind of the contradiction between two facts that are not the same; "" if they may both be true.

    LIKELY if they contradict each other only where the statements are alike: `AES-128` and `TLS 1.2`, `7` and `8 years`.
    """
    if one.kind != other.kind:
        return ""
    if one.kind == "date":
        return "date" if _are_other_dates(cast(Date, one.value), cast(Date, other.value)) else ""
    if one.kind in ("code", "member"):
        (head, _), (other_head, _) = (
            cast(tuple[str, str], one.value),
            cast(tuple[str, str], other.value),
        )
        if one.kind == "member":
            return "member" if head == other_head and one.value != other.value else ""
        return "version" if head == other_head else LIKELY
    are_money = one.unit in MONEY and other.unit in MONEY
    if are_money and one.unit not in ALIKE.get(other.unit, (other.unit,)):
        return "currency"
    if _is_same_amount(one, other):
        return "period" if one.per and other.per and one.per != other.per else ""
    if are_money or _in(one, other.unit) is not None:
        return "number" if one.value != other.value else "unit"
    has_measure = any(unit == "%" or unit in MONEY for unit in (one.unit, other.unit))
    return "" if (one.unit and other.unit) or has_measure else LIKELY


def is_equal(one: Fact, other: Fact) -> bool:
    """Whether two facts say the same, and neither rounds the other."""
    return is_same(one, other) and (
        one.kind != "amount" or any(ours == theirs for ours, theirs in _values(one, other))
    )


def is_within(one: Fact, other: Fact) -> bool:
    """Whether an amount without a bound is among those that a bound allows: `300` for `over 250`."""
    if one.kind != "amount" or not one.bound or other.bound:
        return False
    is_more = one.bound in {"least", "over"}
    return any(
        stated >= limit if is_more else stated <= limit for limit, stated in _values(one, other)
    )


def is_worked_out(fact: Fact, others: Sequence[Fact]) -> bool:
    """Whether an amount is the sum, difference, product, ratio or change of two others, whose units fit."""
    amounts = [each for each in (fact, *others[:MAX_OPERANDS]) if each.kind == "amount"]
    if amounts[:1] != [fact] or any(abs(_value(each).adjusted()) > MAX_DIGITS for each in amounts):
        return False
    pairs = permutations(amounts[1:], 2)
    return any(_value(fact) in _results(fact, *pair) for pair in pairs)


def _results(fact: Fact, one: Fact, other: Fact) -> Iterator[Decimal]:
    """What two amounts come to in the unit of a third; percentages with its decimals."""
    a, b = _value(one), _value(other)
    if one.unit == other.unit == fact.unit:
        yield from (a + b, abs(a - b))
    if one.unit == fact.unit and not other.unit:
        yield a * b
        if b:
            yield a / b
    if one.unit == other.unit and fact.unit == "%" and b:
        value = _value(fact)
        n_decimals = min(MAX_DECIMALS, max(0, -int(value.as_tuple().exponent)))
        half = Decimal(5).scaleb(-n_decimals - 1)  # round() fails for more than 28 digits
        for share in (100 * a / b, 100 * abs(a / b - 1)):
            if abs(share - value) <= half:
                yield value


def _value(fact: Fact) -> Decimal:
    return abs(cast(Decimal, fact.value))


def _is_same_amount(one: Fact, other: Fact) -> bool:
    return any(_are_near(ours, theirs) for ours, theirs in _values(one, other))


def _values(one: Fact, other: Fact) -> Iterator[tuple[Decimal, Decimal]]:
    """The two amounts in one unit, if there is one; a number without a unit may also be a share of a percentage."""
    for plain, theirs in ((one, other), (other, one)):
        if (grouped := GROUPED.fullmatch(plain.text)) and plain.unit == theirs.unit:
            yield Decimal(grouped[1] + grouped[2]), _value(theirs)
    ours, theirs = _value(one), _value(other)
    if one.unit and other.unit:
        stated = _in(one, other.unit)
        if stated is not None:
            yield abs(stated), theirs
        return
    yield ours, theirs
    if "%" in (one.unit, other.unit):
        yield (100 * ours, theirs) if other.unit == "%" else (ours, 100 * theirs)


def _in(fact: Fact, unit: str) -> Decimal | None:
    """The amount in another unit; None if it cannot be converted."""
    value = cast(Decimal, fact.value)
    if fact.unit == unit or unit in ALIKE.get(fact.unit, ()):
        return value
    for table in (BYTES, DAYS):
        if fact.unit in table and unit in table:
            return DIVIDING.divide(value * table[fact.unit], Decimal(table[unit]))
    return converted(value, fact.unit, unit)


def _are_near(one: Decimal, other: Decimal) -> bool:
    """Whether two numbers are equal, or one may be the other rounded."""
    if one == other:
        return True
    n_decimals = min(-int(each.as_tuple().exponent) for each in (one, other))
    if n_decimals > 0 and round(one, n_decimals) == round(other, n_decimals):
        return True
    is_fine = max(one, other) >= 100 or one % 1 or other % 1
    return bool(is_fine) and abs(one - other) <= ROUNDED * max(one, other)


def _are_other_dates(one: Date, other: Date) -> bool:
    """Whether no reading of the two agrees in all parts that both state, of which there is one."""
    pairs = [(ours, theirs) for ours in readings(one) for theirs in readings(other)]
    common = [{name for name in ours if name in theirs} for ours, theirs in pairs]
    return all(common) and all(
        any(ours[name] != theirs[name] for name in names)
        for (ours, theirs), names in zip(pairs, common, strict=True)
    )
