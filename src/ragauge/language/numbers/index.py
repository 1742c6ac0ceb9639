"""NumberIndex: the numbers of a text, so that those that agree with another one are found at once."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from ragauge.language.numbers.agreement import Agreement, Stated, agreement, digits_of
from ragauge.language.numbers.quantity import Quantity


class Found(NamedTuple):
    """The number that agrees, and how: "exact", or a list such as "scale and rounding"."""

    number: Stated
    how: str


MAX_COMPARED = 100
"""The most numbers above and below one that it is compared with, the nearest, so that two long tables take no
quadratic time."""
_LOOSENESS = {"exact": 0, "scale": 1, "percent": 1}
_WINDOW = 0.0707
"""log10 of 1 / 0.85, and a little: two numbers that agree differ by no more, apart from powers of ten."""
_WIDE_WINDOW = 0.31
"""The same for references whose decimals show their precision: 0.1 agrees with 0.05 and 0.149."""
_SAME = 1e-9
"""How far the logarithms of equal numbers may differ by rounding."""
_DIGITS_OF_A_FLOAT = 12


class NumberIndex:
    """The numbers of a text by their leading digits, so that those that may agree are found at once."""

    def __init__(self, numbers: Iterable[Stated]) -> None:
        self._numbers = list(numbers)
        self._by_digits = sorted((each.log % 1.0, at) for at, each in enumerate(self._numbers))
        self._reaches = [_reach_of(self._numbers[at].quantity) for _, at in self._by_digits]
        self._by_value: list[tuple[float, int]] = []

    def find(
        self, sought: Stated, rules: Agreement, *, among_expected: bool = False
    ) -> list[Found]:
        """The numbers that agree with the sought one, the most exact first, and of those the last.

        `among_expected`: these numbers are the expected ones, and the sought one is the answer's.
        """
        found: list[tuple[int, int, Found]] = []
        is_open = "." in sought.quantity.text or sought.is_percent
        for at in self._near(sought, is_open and not among_expected, rules):
            number = self._numbers[at]
            pair = (number, sought) if among_expected else (sought, number)
            if how := agreement(*pair, rules):
                found.append((_LOOSENESS.get(how, 2), -at, Found(number, how)))
        found.sort(key=itemgetter(0, 1))
        return [each[2] for each in found]

    def _near(self, sought: Stated, is_open: bool, rules: Agreement) -> set[int]:
        """The places of the numbers that may agree: the nearest by value, and those with nearly the same digits."""
        near: set[int] = set()
        by_value = bool(rules.rtol or rules.atol or not sought.value)
        first = itemgetter(0)
        if by_value:
            self._by_value = self._by_value or sorted(
                (float(each.value), at) for at, each in enumerate(self._numbers)
            )
            middle = bisect_right(self._by_value, float(sought.value), key=first)
            some = self._by_value[max(0, middle - MAX_COMPARED) : middle + MAX_COMPARED]
            near.update(at for _, at in some)
        if not sought.value:
            return near
        own, width = _reach_of(sought.quantity), _WIDE_WINDOW if is_open else _WINDOW
        for key in (sought.log % 1.0 + turn for turn in (-1, 0, 1)):
            if not -width <= key <= 1 + width:
                continue
            start = bisect_left(self._by_digits, key - width, key=first)
            end = bisect_right(self._by_digits, key + width, key=first)
            middle = bisect_right(self._by_digits, key + _SAME, key=first)
            some = slice(max(start, middle - MAX_COMPARED), min(end, middle + MAX_COMPARED))
            near.update(
                at
                for (other, at), reach in zip(
                    self._by_digits[some], self._reaches[some], strict=True
                )
                if by_value or abs(other - key) <= max(own, reach)
            )
        return near


def _reach_of(quantity: Quantity) -> float:
    """How far, in log10, a number may be from those that agree with it, in its own unit or in the one that the text states."""
    own = quantity.converted_from
    return max(_reach(quantity.value), _reach(own[0])) if own else _reach(quantity.value)


@lru_cache(10_000)
def _reach(value: Decimal) -> float:
    """How far, in log10, a number may be from those that are rounded to it: half of its last digit that is not 0."""
    digits = digits_of(value)
    if len(digits) > _DIGITS_OF_A_FLOAT:
        return _SAME
    return _SAME - math.log10(1 - 0.5 / max(int(digits or 0), 1))
