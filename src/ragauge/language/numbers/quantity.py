"""Quantity: a number in a text with its unit, and when two quantities are the same."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from operator import attrgetter
from typing import NamedTuple


class Quantity(NamedTuple):
    """A number in a text: its span, exact value and unit.

    `unit` is "" (none), "%", a currency code (`$` is USD), or a measure (`km`, `kg`, `h`,
    `km/h`); measures are as the text has them. `spelled`: written in words (`five`). `is_year`: the year
    of a date. Numbers of these two kinds can match others but do not count themselves: see `counts`.
    `only_matches`: so vague (`one`, `a dozen`) that it is not an anchor either. `scale`: the power of
    ten of its scale word, 6 for `5 million`; the value includes it. `converted_from`: the value
    and unit in which the text states it, if this is another unit; else None.
    """

    text: str
    start: int
    end: int
    value: Decimal
    unit: str = ""
    spelled: bool = False
    is_year: bool = False
    only_matches: bool = False
    scale: int = 0
    converted_from: tuple[Decimal, str] | None = None

    @property
    def counts(self) -> bool:
        """Whether the text states the quantity in digits, and not as part of a date."""
        return not (self.spelled or self.is_year)

    @property
    def is_anchor(self) -> bool:
        """Whether the statement is definite enough to check against a context."""
        return not (self.is_year or self.only_matches)

    @property
    def number(self) -> tuple[Decimal, str]:
        """The value, and whether it is a percentage, a version or a time; numbers are compared by these."""
        return self.value, self.unit if self.unit in _OF_THEIR_OWN else ""

    @property
    def plain_value(self) -> str:
        """The value in digits, the same text for equal values; scientific notation if very large or small.

        >>> from ragauge.language.numbers.numbers import quantities
        >>> quantities("$5.50 million")[0].plain_value
        '5500000'
        """
        if not self.value:
            return "0"
        value = EXACT.normalize(self.value)
        return f"{value:f}" if abs(value.adjusted()) <= 50 else str(value)


NAMED = frozenset(("version", "time", "time?"))
"""The units of names that have numbers; `time?` is a time of day without am or pm."""
_OF_THEIR_OWN = NAMED | {"%"}

MAX_LENGTH = 400
"""The most digits of a number; a longer run is an identifier or noise."""


def same_quantity(stated: Quantity, given: Quantity, *, unit: bool) -> bool:
    """Whether `given` is the same number as `stated`.

    The values must be equal, and a percentage equals only a percentage. With `unit=True`, `given` must
    also have the unit of `stated`, if it has one; otherwise any unit but `%` is allowed.

    >>> from ragauge.language.numbers.numbers import quantities
    >>> cost, bare, share = quantities("$5, or 5, or 5%")
    >>> same_quantity(cost, bare, unit=False), same_quantity(cost, bare, unit=True)
    (True, False)
    >>> same_quantity(bare, cost, unit=True), same_quantity(bare, share, unit=False)
    (True, False)
    """
    is_unit = not unit or not stated.unit or given.unit in ALIKE.get(stated.unit, (stated.unit,))
    return is_unit and stated.number == given.number


ALIKE = {"pound": ("pound", "GBP", "lb"), "GBP": ("GBP", "pound"), "lb": ("lb", "pound")}
"""Units that can mean the same: `pounds` can be money or weight."""


EXACT = Context(prec=MAX_LENGTH + 20, Emax=MAX_EMAX, Emin=MIN_EMIN)
DIVIDING = Context(prec=34)


@dataclass(slots=True)
class Reading:
    """A quantity under construction: its sign, scale and unit are being read."""

    start: int
    end: int
    value: Decimal
    unit: str = ""
    scale: int = 0


def quantity_of(
    text: str, reading: Reading, *, spelled: bool = False, only_matches: bool = False
) -> Quantity:
    start, end, scale = reading.start, reading.end, reading.scale
    value = scaled(reading.value, scale)
    parts = text[start:end], start, end, value, reading.unit, spelled, False, only_matches, scale
    # Not Quantity(…), which takes twice as long.
    return tuple.__new__(Quantity, (*parts, None))  # pyright: ignore[reportUnknownMemberType]


def between(found: Sequence[Quantity], start: int, end: int) -> Sequence[Quantity]:
    """Of quantities in order, those that begin in this part of the text."""
    first = bisect_left(found, start, key=attrgetter("start"))
    return found[first : bisect_left(found, end, first, key=attrgetter("start"))]


def only_matching(
    text: str, start: int, end: int, value: Decimal | int, unit: str = ""
) -> Quantity:
    """The span as a quantity of this value that is neither counted nor an anchor."""
    return Quantity(
        text[start:end], start, end, Decimal(value), unit, spelled=True, only_matches=True
    )


def scaled(value: Decimal, scale: int) -> Decimal:
    """The exact value times ten to the power of the scale, independent of the decimal context."""
    if not scale:
        return value
    sign, digits, exponent = value.as_tuple()
    return Decimal((sign, digits, int(exponent) + scale))
