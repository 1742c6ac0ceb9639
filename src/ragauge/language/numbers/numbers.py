r"""Quantities in a text: numbers as values, with their unit.

`5 million`, `5,000,000`, `5M` and `$5m` are one value, as are `1/2`, `½` and `half`; `5%` has the unit `%`. The point is
the decimal mark, and the comma only where nothing else can be meant: `1.234,5`, `12,5 %`, `€12,50`. A hyphen is a sign
only if no number or word ends before it; accountants' brackets with an outer sign are a minus: `$(5)`. Scale and unit of
a range apply to both numbers: `5-10 million`.

What does not count: numbers inside names (`B12`, `COVID-19`, `10-K`, `3M`, `401(k)`, `S&P 500`), ordinals, versions and
IP addresses (`1.2.3`), phone numbers, web addresses, citations such as `[3]`, the numbering of lists, labels (`Step 1:`),
and the parts of dates. `2021` is a number unless something marks it as a year.
"""

import re
from collections.abc import Iterator, Sequence
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


def quantities(text: str, known_dates: Sequence[Date] | None = None) -> tuple[Quantity, ...]:
    """All quantities of the text in order, including numbers in words and years of dates.

    `known_dates`: the dates of the text, if the caller has them already.

    >>> [(each.text, each.unit) for each in quantities("In 2021 rule C-1 cut 5% of $1,000.")]
    [('2021', ''), ('5%', '%'), ('$1,000', 'USD')]
    >>> [each.text for each in quantities("In 2021 it cost five dollars, or 5.") if each.counts]
    ['5']
    """
    if not digit_in(text).search(text):
        may_spell = not text.isascii() or words_of(text).number_names
        return _kept(text) if may_spell else ()
    return _kept(text, dates(text) if known_dates is None else tuple(known_dates))


def _read(text: str, stated: Sequence[Date] | None = None) -> tuple[Quantity, ...]:
    """The quantities; only those in words without `stated`, the dates of the text."""
    found: list[Quantity] = []
    if stated is not None:
        plain = plain_signs(text)
        readings = list(numbers_in_digits(plain, stated))
        found += [quantity_of(text, reading) for reading in _joined(plain, readings)]
    found += numbers_in_words(text)
    found += chinese_numbers(text)
    for date in stated or ():
        if "year" in date.parts:
            year = Decimal(date.parts["year"])
            found.append(Quantity(date.text, date.start, date.end, year, is_year=True))
    found.sort(key=attrgetter("start"))
    return tuple(found)


_kept = ReadingCache(_read)


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


_WHOLE_FRACTION = re.compile(r"([0-9]+)/([0-9]+)")
_BETWEEN = re.compile(r"\s?-\s?|\sto\s")
_MOST_BETWEEN = len(" to ")


def _joined(plain: str, readings: Sequence[Reading]) -> Iterator[Reading]:
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
    last: Reading | None = None
    for reading in readings:
        if last and last.end == reading.start and last.scale > max(reading.scale, 3):
            value = EXACT.add(scaled(last.value, last.scale), scaled(reading.value, reading.scale))
            reading.start, reading.value, reading.scale = last.start, value, 0
        elif last:
            yield last
        last = reading
    if last:
        yield last
