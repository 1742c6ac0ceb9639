r"""Quantities in English text: numbers as values, with their unit.

What counts as a number:

- `$1,000` = `1000` = `1000.0`; `5 million` = `5,000,000` = `5M` = `$5m`; `3k` = `3,000`; lakh and
  crore too, and those of German, Spanish, Italian, Dutch and Portuguese (`1.200 Millionen`, `3,4 mil millones`), also
  in brackets: `12.345 (thousand)`, `$12,345 (in thousands)`. Groups of three (or Indian groups, `1,50,000`) are separated by a comma, an apostrophe, a
  no-break space, or a plain space before a group that starts with 0 (`10 000`).
- The point is the decimal mark, and `1,5` is two numbers. The comma is it only where nothing else can be
  meant: `1.234,5`, `12,5 %`, `2,5 million`, `€12,50`; so `1.234.567` has points between thousands.
- `1.2.3` is a version, not a number.
- A hyphen, minus or dash is a sign only if no number or word ends before it: after whitespace, a
  bracket, a quote, a slash, Markdown, or another dash. So `10-20` is 10 and 20, and `-5–-3` is -5 and
  -3. `minus 5` and `negative five` are negative,
  and so are accounting brackets with an outer sign: `$(5)`, `(0.9)%`, `(5) million`.
- `5%`, `5 per cent` and `5 percentage points` have the unit `%`. Unit and scale of a range apply to
  both numbers: `5-10 million` is 5,000,000 and 10,000,000, `10 to 20%` is 10% and 20%.
- Proper fractions count as their value: `1/2`, `2 1/2`, `½`, `two-thirds`, `half`, `a third of it`.
- An `x` between digits multiplies: `293x2.061` is 293 and 2.061.
- In LaTeX, `5\%` is a percentage, and the dollar signs around `$5$` are not money.
- Digits of all scripts count.

What does not count: numbers inside names (`B12`, `C-1`, `COVID-19`, `10-K`, `3D`,
`3M`, `401(k)`, `S&P 500`), ordinals,
versions and IP addresses, phone numbers, web addresses, citations such as `[3]`, the numbering of
lists, labels (`Step 1:`), and the parts of dates that `ragauge.language.dates.dates` finds. `2021` is a
number unless something marks it as a year.
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
        _lend_in_ranges(plain, readings)
        found += [quantity_of(text, reading) for reading in _joined(readings)]
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
    """The quantities in a context; `7/10` and `7 out of 10` count as each other, too.

    >>> [each.plain_value for each in quantities_of_context("7/10", ())]
    ['0.7', '7', '10']
    """
    found = quantities(text, stated)
    if not ("/" in text or " out of " in text):
        return found
    others: list[tuple[Quantity, Decimal]] = []
    for quantity in found:
        if not quantity.unit and (parts := _WHOLE_FRACTION.fullmatch(quantity.text)):
            others += [(quantity, Decimal(part)) for part in parts.groups()]
    for part, whole in pairwise(found):
        if text[part.end : whole.start] == " out of " and 0 < part.value < whole.value:
            others.append((part, DIVIDING.divide(part.value, whole.value)))
    return (*found, *(only_matching(each[:3], value) for each, value in others))


_WHOLE_FRACTION = re.compile(r"([0-9]+)/([0-9]+)")


def _joined(readings: Sequence[Reading]) -> Iterator[Reading]:
    """The readings, where `1亿2000万` is one number of two scales."""
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


_BETWEEN = re.compile(r"\s?-\s?|\sto\s")
_MOST_BETWEEN = len(" to ")


def _lend_in_ranges(plain: str, readings: Sequence[Reading]) -> None:
    """Apply scale and unit to both bounds of a range: `5-10 million`, `$5-10`, `10 to 20%`."""
    for low, high in pairwise(readings):
        if high.start - low.end > _MOST_BETWEEN:
            continue
        between = _BETWEEN.fullmatch(plain, low.end, high.start)
        if not between:
            continue
        dashed = "-" in between[0]
        if high.scale and dashed and not low.scale and low.value < 1000:
            low.scale = high.scale
        if not low.unit:
            low.unit = high.unit
        elif not high.unit and dashed and low.unit in MONEY:
            high.unit = low.unit
