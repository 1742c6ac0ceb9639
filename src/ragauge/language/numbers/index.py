"""NumberIndex: the numbers of a text, so that those that agree with another one are found at once."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from ragauge.language.numbers.agreement import Agreement, Stated, agreement
from ragauge.language.numbers.quantity import Quantity


class Found(NamedTuple):
    """The number that agrees, and how: "exact", or a list such as "scale and rounding"."""

    number: Stated
    how: str


_WINDOW = 0.0707
"""log10 of 1 / 0.85, and a little: two numbers that agree differ by no more, apart from powers of ten."""
_WIDE_WINDOW = 0.31
"""The same for references whose decimals show their precision: 0.1 agrees with 0.05 and 0.149."""


class NumberIndex:
    """The numbers of a text by their leading digits, so that those that may agree are found at once."""

    def __init__(self, numbers: Iterable[Stated]) -> None:
        self._numbers = list(numbers)
        by_digits = ((number.log % 1.0, place) for place, number in enumerate(self._numbers))
        self._by_digits = sorted(by_digits)
        self._reaches = [_reach_of(self._numbers[place].quantity) for _, place in self._by_digits]
        self._by_value: list[tuple[float, int]] = []

    def find(
        self, sought: Stated, rules: Agreement, *, among_expected: bool = False
    ) -> list[Found]:
        """The numbers that agree with the sought one, the most exact first, and of those the last.

        `among_expected`: these numbers are the expected ones, and the sought one is the answer's.
        """
        found: list[tuple[int, int, Found]] = []
        is_open = "." in sought.quantity.text or sought.is_percent
        width = _WIDE_WINDOW if is_open and not among_expected else _WINDOW
        for place in self._near(sought, width, rules):
            number = self._numbers[place]
            pair = (number, sought) if among_expected else (sought, number)
            if how := agreement(*pair, rules):
                found.append((_LOOSENESS.get(how, 2), -place, Found(number, how)))
        found.sort(key=itemgetter(0, 1))
        return [each[2] for each in found]

    def _near(self, sought: Stated, width: float, rules: Agreement) -> set[int]:
        """The places of the numbers that may agree: the nearest by value, and those with nearly the same digits."""
        near: set[int] = set()
        by_value = bool(rules.rtol or rules.atol or not sought.value)
        if by_value:
            if not self._by_value:
                values = ((float(each.value), at) for at, each in enumerate(self._numbers))
                self._by_value = sorted(values)
            middle = bisect_right(self._by_value, float(sought.value), key=itemgetter(0))
            some = self._by_value[max(0, middle - MAX_COMPARED) : middle + MAX_COMPARED]
            near.update(place for _, place in some)
        if not sought.value:
            return near
        own = 1.0 if by_value else _reach_of(sought.quantity)
        first = itemgetter(0)
        for key in (sought.log % 1.0 + turn for turn in (-1, 0, 1)):
            if not -width <= key <= 1 + width:
                continue
            start = bisect_left(self._by_digits, key - width, key=first)
            end = bisect_right(self._by_digits, key + width, key=first)
            middle = bisect_right(self._by_digits, key + _SAME, key=first)
            some = slice(max(start, middle - MAX_COMPARED), min(end, middle + MAX_COMPARED))
            near.update(
                place
                for (other, place), reach in zip(
                    self._by_digits[some], self._reaches[some], strict=True
                )
                if abs(other - key) <= own or -reach <= other - key <= reach
            )
        return near


MAX_COMPARED = 100
"""The most numbers above and below one that it is compared with, the nearest, so that two long tables take no
quadratic time."""
_SAME = 1e-9
"""How far the logarithms of equal numbers may differ by rounding."""
_DIGITS_OF_A_FLOAT = 12


def _reach_of(quantity: Quantity) -> float:
    """How far, in log10, a number may be from those that agree with it; powers of ten change nothing.

    Of a converted number, the reach in the unit in which the text states it, if that is more.
    """
    own = quantity.converted_from
    return max(_reach(quantity.value), _reach(own[0])) if own else _reach(quantity.value)


@lru_cache(10_000)
def _reach(value: Decimal) -> float:
    """How far, in log10, a number may be from those that are rounded to it: half of its last digit that is not 0."""
    digits = value.as_tuple().digits
    last = next((at for at in range(len(digits) - 1, -1, -1) if digits[at]), 0)
    if last >= _DIGITS_OF_A_FLOAT:
        return _SAME
    unit = int("".join(map(str, digits[: last + 1])))
    return _SAME - math.log10(1 - 0.5 / max(unit, 1))


_LOOSENESS = {"exact": 0, "scale": 1, "percent": 1}
