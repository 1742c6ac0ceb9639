"""Quantities in a text: numbers as values, with their unit."""

import re
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from operator import attrgetter

from ragauge.language.characters import plain_signs
from ragauge.language.dates.dates import dates
from ragauge.language.dates.parts import Date
from ragauge.language.numbers.numerals import digit_in, numbers_in_digits
from ragauge.language.numbers.quantity import (
    DIVIDING,
    EXACT,
    Quantity,
    Reading,
    only_matching,
    quantity_of,
    scaled,
)
from ragauge.language.numbers.units import MONEY
from ragauge.language.numbers.words import chinese_numbers, numbers_in_words
from ragauge.language.reading_cache import ReadingCache
from ragauge.language.words import words_of

_WHOLE_FRACTION = re.compile(r"([0-9]+)/([0-9]+)")
_BETWEEN = re.compile(r"\s?-\s?|\sto\s")
_MOST_BETWEEN = len(" to ")


def quantities(text: str, known_dates: Sequence[Date] | None = None) -> tuple[Quantity, ...]:
    """All quantities of the text in order, including numbers in words and years of dates.

    `5 million`, `5,000,000` and `5M` are one value, as are `1/2`, `½` and `half`. The comma is the decimal mark only where
    nothing else can be meant: `12,5 %`. `$(5)` is a minus; scale and unit of a range apply to both numbers. No quantities
    are numbers in names (`B12`, `10-K`, `S&P 500`), ordinals, versions, addresses, phone numbers, citations such as `[3]`,
    list numbers, labels (`Step 1:`) and the other parts of dates; `2021` is a number unless something marks it as a year.
    `known_dates`: the dates of the text, if the caller has them already.

    >>> [(each.text, each.unit) for each in quantities("In 2021 rule C-1 cut 5% of $1,000.")]
    [('2021', ''), ('5%', '%'), ('$1,000', 'USD')]
    >>> [each.text for each in quantities("In 2021 it cost five dollars, or 5.") if each.counts]
    ['5']
    """
    if digit_in(text).search(text):
        return _kept(text, dates(text) if known_dates is None else tuple(known_dates))
    may_spell = not text.isascii() or words_of(text).number_names
    return _kept(text) if may_spell else ()


@ReadingCache
def _kept(text: str, stated: Sequence[Date] | None = None) -> tuple[Quantity, ...]:
    """The quantities; only those in words without `stated`, the dates of the text."""
    found: list[Quantity] = []
    if stated is not None:
        plain = plain_signs(text)
        readings = list(numbers_in_digits(plain, stated))
        found += [quantity_of(text, reading) for reading in _joined(plain, readings)]
    found += numbers_in_words(text)
    found += chinese_numbers(text)
    for date in stated or ():
        if date.year is not None:
            year = Decimal(date.year)
            found.append(Quantity(date.text, date.start, date.end, year, is_year=True))
    found.sort(key=attrgetter("start"))
    return tuple(found)


def quantities_of_context(text: str, stated: Sequence[Date]) -> tuple[Quantity, ...]:
    """The quantities in a context; `7/10` and `7 out of 10` count as each other, too."""
    found = quantities(text, stated)
    others: list[tuple[Quantity, Decimal]] = []
    for quantity in found if "/" in text else ():
        if not quantity.unit and (parts := _WHOLE_FRACTION.fullmatch(quantity.text)):
            others += [(quantity, Decimal(part)) for part in parts.groups()]
    for part, whole in pairwise(found) if " out of " in text else ():
        if text[part.end : whole.start] == " out of " and 0 < part.value < whole.value:
            others.append((part, DIVIDING.divide(part.value, whole.value)))
    return (*found, *(only_matching(text, each.start, each.end, value) for each, value in others))


def _joined(plain: str, readings: Sequence[Reading]) -> Sequence[Reading]:
    """The readings, where `1亿2000万` is one number of two scales, and bounds of a range share scale and unit."""
    for low, high in pairwise(readings):
        gap = high.start - low.end
        between = _BETWEEN.fullmatch(plain, low.end, high.start) if gap <= _MOST_BETWEEN else None
        if not between:
            continue
        is_dashed = "-" in between[0]
        if high.scale and is_dashed and not low.scale and low.value < 1000:
            low.scale = high.scale
        if not low.unit:
            low.unit = high.unit
        elif not high.unit and is_dashed and low.unit in MONEY:
            high.unit = low.unit
    joined: list[Reading] = []
    for reading in readings:
        last = joined[-1] if joined else None
        if last and last.end == reading.start and last.scale > max(reading.scale, 3):
            value = EXACT.add(scaled(last.value, last.scale), scaled(reading.value, reading.scale))
            reading.start, reading.value, reading.scale = last.start, value, 0
            joined.pop()
        joined.append(reading)
    return joined
