"""When two stated numbers agree: equal, one rounded to the other, in another scale, or as a percentage."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Literal, NamedTuple

from ragauge.language.numbers.quantity import EXACT, NAMED, Quantity, scaled
from ragauge.language.numbers.units import (
    MONEY,
    SCALE_LETTERS,
    are_of_one_kind,
    are_of_other_kinds,
    converted,
    is_time,
    power_between,
)

Rounding = Literal["stated", "none"]
Percent = Literal["as_asked", "as_fraction", "distinct"]

MAX_ROUNDED = Decimal("0.15")
"""The most by which a rounded number may differ: `1.6` is 1.577, but `2` is not. Decimals and
percentages of a reference are exempt, because they show how precise the reference is."""
SURE_DIGITS = 3
"""The fewest digits for which another scale that nothing names, as in 1577 for `1.577 billion`, is no chance."""
_LOOSE_SCALE = re.compile(r" ([KkMB])(?![\w'/-]|\.\w)")
"""A letter after a space that may mean a scale, as in `1.5 K`, which may also be kelvin."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The rules by which two numbers agree; the settings of `number_match`.

    `asks_percentage`: the question asks for a percentage, so that 5%, 5 and 0.05 may be the same.
    `asks_fall`: it asks for a loss or a decrease, so that 5 and -5 are the same. `named`: versions and times
    of day count, as names; in `correct`, which compares dates itself, only where a version is asked for.
    """

    rtol: float = 0.0
    atol: float = 0.0
    rounding: Rounding = "stated"
    percent: Percent = "as_asked"
    asks_percentage: bool = False
    asks_fall: bool = False
    named: bool = True


class Stated(NamedTuple):
    """A quantity with what its comparison needs.

    `shifts`: the powers of ten by which its value may have to be multiplied; a bare number has that of the
    scale that the question names. `log`: log10 of its absolute value; 0 for 0. `is_share`: a fraction, such
    as `one third` or `1/4`, which may be stated as a percentage.
    """

    quantity: Quantity
    value: Decimal
    log: float
    is_percent: bool
    is_bare: bool
    shifts: tuple[int, ...]
    text: str
    is_share: bool = False


def stated(
    quantity: Quantity, text: str, scales: Sequence[int] = (), *, expected: bool = False
) -> Stated:
    """The quantity of the text, where bare numbers may be in one of these scales.

    An expected bare number is in the scale for sure, unless its digits include it (`1,577,000,000`).
    """
    value, unit, shifts = quantity.value, quantity.unit, (0,)
    if unit in ("bp", "cent"):
        value = scaled(value, -2)
    is_bare = (
        not (quantity.scale or quantity.spelled or quantity.is_year)
        and (not unit or (unit in MONEY and unit != "cent"))
        and int(value.as_tuple().exponent) <= 0
    )
    if unit == "cent":  # both `$0.40` and a bare 40 may be meant
        shifts = (0, 2)
    elif is_bare and scales:
        includes_scale = not expected or value % 10 ** scales[0] == 0
        shifts = (*scales, 0) if includes_scale else tuple(scales)
    elif letter := _LOOSE_SCALE.match(text, quantity.end):
        shifts = (0, SCALE_LETTERS[letter[1]])
    is_share = 0 < value < 1 and not unit and (quantity.spelled or "." not in quantity.text)
    is_percent = unit in ("%", "bp")
    return Stated(quantity, value, log_of(value), is_percent, is_bare, shifts, text, is_share)


@lru_cache(10_000)
def log_of(value: Decimal) -> float:
    """log10 of the absolute value; 0 for 0."""
    if not value:
        return 0.0
    power = value.adjusted()
    return math.log10(abs(float(scaled(value, -power)))) + power


def agreement(expected: Stated, given: Stated, rules: Agreement) -> str | None:
    """How the numbers agree; None if they do not."""
    in_unit = _in_unit_of(expected, given)
    if in_unit is None:
        return None
    given, value = in_unit, in_unit.value
    if not expected.value or not value:
        is_same = expected.value == value and expected.is_percent == given.is_percent
        return "exact" if is_same else _within(expected, given, rules)
    # What makes the given number 10^power of the expected one.
    power = round(expected.log - given.log)
    ways: list[str] = []
    allowed = _shifts(expected, given)
    if expected.is_percent != given.is_percent or not any(
        shift - power in allowed for shift in _shifts(given, expected)
    ):
        if _is_percentage_of(expected, given, power, rules):
            ways.append("percent")
        elif _is_unnamed_scale(expected, given, power):
            ways.append("scale")
        else:
            return _within(expected, given, rules)
    elif power:
        ways.append("scale")
    if (expected.value < 0) != (value < 0):
        if not (rules.asks_fall or _has_open_sign(expected) or _has_open_sign(given)):
            return _within(expected, given, rules)
        ways.append("sign")
        value = value.copy_negate()
    value = scaled(value, power)
    if expected.quantity.converted_from or given.quantity.converted_from:
        ways.append("unit")
    if expected.value != value:
        # A bare 1 or 2 may be of anything and is no rounded percentage.
        is_digit = "percent" in ways and given.is_bare and len(given.quantity.text) == 1
        if rules.rounding == "none" or is_digit or not _is_rounded(expected, given, value):
            return _within(expected, given, rules)
        ways.append("rounding")
    return " and ".join(ways) or "exact"


def _shifts(one: Stated, other: Stated) -> tuple[int, ...]:
    """The powers of ten of a number beside another: cents may be a bare number of them, but no euros nor other cents."""
    return (0,) if one.quantity.unit == "cent" and other.quantity.unit else one.shifts


def _in_unit_of(expected: Stated, given: Stated) -> Stated | None:
    """The given number in the unit of the expected one: 5,000 m as 5 km; None if it cannot be the same: 120 is not 2 hours."""
    one, other = given.quantity.unit, expected.quantity.unit
    if one == other:
        return given
    are_converted = given.quantity.converted_from or expected.quantity.converted_from
    if are_converted or one in NAMED or other in NAMED:
        return None
    if are_of_other_kinds(one, other) and not any(
        len(each.unit) == 1 and each.text[-1:].isalpha()  # `5 m`, `5 t`: it may be a scale
        for each in (given.quantity, expected.quantity)
    ):
        return None
    if not are_of_one_kind(one, other):
        return given
    power = power_between(one, other)
    if power is None:
        return None
    value = scaled(given.value, power)
    return given._replace(value=value, log=log_of(value))


def _is_percentage_of(expected: Stated, given: Stated, power: int, rules: Agreement) -> bool:
    """Whether one of the numbers may be the other one as a percentage."""
    if rules.percent == "distinct" or (expected.is_percent and given.is_percent):
        return False
    for each in (expected, given):
        if not (each.is_percent or each.is_share or (each.is_bare and not each.quantity.unit)):
            return False
    is_share = expected.is_share or given.is_share
    asks = rules.percent == "as_asked" and (rules.asks_percentage or is_share)
    if expected.is_percent or given.is_percent:
        is_fraction = power == (2 if expected.is_percent else -2)
        return (is_fraction and (asks or rules.percent == "as_fraction")) or (power == 0 and asks)
    # Small whole numbers are too common for this: 0.02 is not the 2 of `divided by 2`.
    return (
        asks
        and abs(power) == 2
        and min(len(digits_of(each.value)) for each in (expected, given)) > 1
    )


def _is_unnamed_scale(expected: Stated, given: Stated, power: int) -> bool:
    """Whether one is bare, as in a table, and the other has the scale that the table's heading names."""
    other = given if expected.is_bare else expected
    return (
        not (expected.is_percent or given.is_percent)
        and expected.is_bare != given.is_bare
        and not (max(expected.shifts) or max(given.shifts))  # the question names the scale
        and other.quantity.scale > 0
        and power % 3 == 0
        and (power < 0) == expected.is_bare
        and min(len(digits_of(each.value)) for each in (expected, given)) >= SURE_DIGITS
    )


def digits_of(value: Decimal) -> str:
    """The digits without the zeros at the end."""
    return "".join(map(str, value.as_tuple().digits)).rstrip("0")


def _is_rounded(expected: Stated, given: Stated, value: Decimal) -> bool:
    """Whether the number with fewer decimals is the other one, rounded to that many.

    Of measures in different units, one may be rounded in its own unit: 350 °F is 177 °C, and 180 °C, but times are counted.
    """
    last = _last_stated(expected, expected.value, value)
    given_last = _last_stated(given, value, expected.value)
    if last != given_last:
        is_given = last < given_last
        coarse, fine = (value, expected.value) if is_given else (expected.value, value)
        rounded = given if is_given else expected
        # `one` is no rounded 0.96.
        is_word = rounded.quantity.spelled and not (rounded.quantity.scale or rounded.is_share)
        is_any = not is_given and (expected.is_percent or "." in expected.quantity.text)
        if not is_word and _rounds_to(fine, coarse, max(last, given_last), is_any=is_any):
            return True
    for own, other in ((expected, given), (given, expected)):
        if own.quantity.converted_from:
            coarse, unit = own.quantity.converted_from
            fine = converted(other.value, other.quantity.unit, unit)
            for exact, rounded in ((fine, coarse), (own.value, other.value)):
                is_whole = int(rounded.as_tuple().exponent) >= 0
                last = _last_digit(rounded, may_be_zero=is_whole and not is_time(unit))
                if exact is not None and _rounds_to(exact, rounded, last):
                    return True
    return False


def _rounds_to(fine: Decimal, coarse: Decimal, last: int, *, is_any: bool = False) -> bool:
    """Whether the one is the other without the digits after the last; by at most MAX_ROUNDED unless `is_any`."""
    if fine.quantize(Decimal((0, (1,), last)), ROUND_HALF_UP, EXACT) != coarse:
        return False
    return is_any or EXACT.abs(EXACT.subtract(coarse, fine)) <= MAX_ROUNDED * EXACT.abs(fine)


def _last_digit(value: Decimal, *, may_be_zero: bool) -> int:
    """The power of ten of the last digit, of a whole number without the zeros at its end; two digits stay."""
    _, digits, exponent = value.as_tuple()
    zeros = min(len(digits) - len(digits_of(value)), max(0, len(digits) - 2))
    return int(exponent) + zeros * may_be_zero


_ABOUT = re.compile(
    r"(?:\b(?:(more than|over)|(nearly|almost)|about|approximately|approx\.?|around|roughly|some|circa|ca\.)\s"
    r"|[~≈]\s?)(?:an?\s)?$",
    re.IGNORECASE,
)
_LONGEST_ABOUT = 20
_YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")


def _last_stated(number: Stated, value: Decimal, other: Decimal) -> int:
    """The same of a stated number: zeros at the end only round the other one after `about`, and never what may be a year."""
    text, start = number.quantity.text, number.quantity.start
    may_be_zero = not ("." in text or value % 10 or _YEAR.fullmatch(text))
    if may_be_zero:
        about = _ABOUT.search(number.text, max(0, start - _LONGEST_ABOUT), start)
        may_be_zero = about is not None and not (
            (about[1] and other < value) or (about[2] and other > value)
        )
    return _last_digit(value, may_be_zero=may_be_zero)


def _within(expected: Stated, given: Stated, rules: Agreement) -> str | None:
    """Agreement by the tolerances, which compare the values as they are."""
    if not (rules.rtol or rules.atol) or expected.is_percent != given.is_percent:
        return None
    allowed = max(Decimal(str(rules.atol)), Decimal(str(rules.rtol)) * abs(expected.value))
    is_near = EXACT.abs(EXACT.subtract(expected.value, given.value)) <= allowed
    return "tolerance" if is_near else None


_FALLS = re.compile(
    r"\b(?:decreas|declin|fell\b|fall|drop|reduc|loss|lost\b|lower|shr[iau]nk|negative|contract"
    r"|down\b|outflow|deficit|use[ds]? (?:in|for|by)\b|spent\b|paid\b)",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[;\n]|[.!?](?=\s)")


def is_bracketed(number: Stated) -> bool:
    """Whether the number is alone in brackets, which may mean a minus."""
    before, after = number.quantity.start - 1, number.quantity.end
    around = number.text[before : before + 1] + number.text[after : after + 1]
    return around in ("()", "（）", "(）", "（)")


def may_be_dash(number: Stated) -> bool:
    """Whether the minus may be the dash of a list item."""
    before = number.text[max(0, number.quantity.start - 9) : number.quantity.start].rstrip(" ")
    return before[-1:] in ("", "\n") and f"\n{number.text}".count("\n-") > 1


def _has_open_sign(number: Stated) -> bool:
    """Whether the number may have the other sign: in brackets, beside a word such as "decreased", or after what may be a dash."""
    text, start, end = number.text, number.quantity.start, number.quantity.end
    if number.value < 0:
        return any(sign in number.quantity.text[:3] for sign in "(（") or may_be_dash(number)
    before = _CLAUSE_END.split(text[max(0, start - 50) : start])[-1]
    after = _CLAUSE_END.split(text[end : end + 30])[0]
    return is_bracketed(number) or _FALLS.search(f"{before} | {after}") is not None
