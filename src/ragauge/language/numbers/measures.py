"""Measures of several words: `1 h 30 min`, `6 ft 2 in`, `half an hour`, `an hour and a half`."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from ragauge.language.numbers.quantity import DIVIDING, EXACT, Quantity, between, only_matching
from ragauge.language.numbers.units import converted, has_size, unit_of


class Measure(NamedTuple):
    """A measure with the quantities that are parts of it: the 1 h and the 30 min of `1 h 30 min`."""

    quantity: Quantity
    parts: tuple[Quantity, ...]


_PARTS = 4
_BETWEEN = re.compile(r"[,\s-]{0,2}(?:\s?and\s)?")
_OF_A_UNIT = re.compile(r"\s(?:of\s)?an?\s([a-z]+)\b")
_FORTNIGHT = re.compile(r"\b(?:an?|one)\sfortnight\b", re.IGNORECASE)
_AND_A_HALF = re.compile(
    r"\b(?:an?|one)\s([a-z]+)\sand\s(?:a\s(half|quarter)|(three)[\s-]quarters)\b", re.IGNORECASE
)
_GLUED_TIME = re.compile(
    r"(?<![\w.,:])([0-9]{1,3})\s?h(?:rs?)?\s?([0-5]?[0-9])\s?m(?:ins?)?(?:\s?([0-5]?[0-9])\s?s(?:ecs?)?)?\b"
)
_FEET_AND_INCHES = re.compile(
    r"(?<![\w.,])([1-9])(?:\s?['’′]\s?(1[01]|[0-9])\s?(?:\"|”|″|'')|[\s-]?(?:ft|feet|foot)[\s-]?(1[01]|[0-9])[\s-]?in\b)"
)
_MAY_BE_GLUED = re.compile(r"[0-9](?:\s?['’′h]|[\s-]?f(?:t|ee|oo))")
"""What both patterns need. They begin with what may not be before a number and so are tried everywhere, which takes
ten times as long."""


def measures(text: str, found: Sequence[Quantity]) -> list[Measure]:
    """The measures of the text that several of its quantities, or a quantity and more words, state.

    >>> from ragauge.language.numbers.numbers import quantities
    >>> text = "It takes 1 h 30 min, or an hour and a half."
    >>> [(each.quantity.plain_value, each.quantity.unit) for each in measures(text, quantities(text))]
    [('90', 'min'), ('1.5', 'h')]
    """
    has_units = any([has_size(each.unit) for each in found])  # noqa: C419, a list is faster
    whole = list(_compounds(text, found)) if has_units else []
    whole += _with_words(text, found)
    starts = {each.start for each in whole}
    whole += [each for each in _glued(text) if each.start not in starts]
    whole += _units_and_a_half(text)
    of_parts = [Measure(each, tuple(between(found, each.start, each.end))) for each in whole]
    return [*of_parts, *in_groups(text, found)]


def _compounds(text: str, found: Sequence[Quantity]) -> Iterator[Quantity]:
    """`2 hours and 5 minutes`."""
    at = 0
    while at < len(found) - 1:
        parts = [found[at]]
        for smaller in found[at + 1 : at + _PARTS]:
            larger = parts[-1]
            if not (
                larger.unit != smaller.unit != ""
                and larger.end <= smaller.start
                and larger.value == larger.value.to_integral_value()
                and has_size(smaller.unit)
                and smaller.value >= 1
                and (in_larger := converted(smaller.value, smaller.unit, larger.unit))
                and in_larger < 1
                and _BETWEEN.fullmatch(text, larger.end, smaller.start)
            ):
                break
            parts.append(smaller)
        at += len(parts)
        if len(parts) == 1:
            continue
        last = parts[-1]
        total = last.value
        for part in parts[:-1]:
            total = EXACT.add(total, converted(part.value, part.unit, last.unit) or Decimal(0))
        start, end, spelled = parts[0].start, last.end, all(part.spelled for part in parts)
        yield Quantity(text[start:end], start, end, EXACT.normalize(total), last.unit, spelled)


def _with_words(text: str, found: Sequence[Quantity]) -> Iterator[Quantity]:
    """`half an hour`, `three quarters of a mile`, `a fortnight`, in which is no number."""
    for share in found:
        if share.unit or not 0 < share.value < 1:
            continue
        words = _OF_A_UNIT.match(text, share.end)
        if words and (unit := unit_of(words[1])) and has_size(unit):
            start, end = share.start, words.end()
            yield Quantity(text[start:end], start, end, share.value, unit, spelled=True)
    for words in _FORTNIGHT.finditer(text) if "ortnight" in text else ():
        yield Quantity(words[0], *words.span(), Decimal(1), "fortnight", spelled=True)


def _glued(text: str) -> Iterator[Quantity]:
    """`1h30m`, `6'2"`."""
    if not _MAY_BE_GLUED.search(text):
        return
    for words in _GLUED_TIME.finditer(text):
        value, unit = int(words[1]) * 60 + int(words[2]), "min"
        if words[3]:
            value, unit = value * 60 + int(words[3]), "s"
        yield Quantity(words[0], *words.span(), Decimal(value), unit)
    for words in _FEET_AND_INCHES.finditer(text):
        inches = int(words[1]) * 12 + int(words[2] or words[3])
        yield Quantity(words[0], *words.span(), Decimal(inches), "inch")


def _units_and_a_half(text: str) -> Iterator[Quantity]:
    """`an hour and a half`, `a mile and a quarter`."""
    if " and " not in text or not ("half" in text or "quarter" in text):
        return
    for words in _AND_A_HALF.finditer(text):
        if (unit := unit_of(words[1].lower())) and has_size(unit):
            quarters = 3 if words[3] else 2 if words[2].lower() == "half" else 1
            value = DIVIDING.divide(Decimal(4 + quarters), Decimal(4))
            yield Quantity(words[0], *words.span(), value, unit, spelled=True)


_GROUP = re.compile(r" [0-9]{3}(?![\w.,][0-9])")


def in_groups(text: str, found: Sequence[Quantity]) -> Iterator[Measure]:
    """`48 300`, which is two numbers, or one where the other text has 48,300.

    >>> from ragauge.language.numbers.numbers import quantities
    >>> [str(each.quantity.value) for each in in_groups("48 300", quantities("48 300"))]
    ['48300']
    """
    if not _GROUP.search(text):
        return
    groups: list[list[Quantity]] = []
    for each in found:
        end = groups[-1][-1].end if groups else 0
        if groups and end + 1 == each.start and _GROUP.match(text, end):
            groups[-1].append(each)
        else:
            groups.append([each])
    for parts in groups:
        first, last = parts[0], parts[-1]
        digits = text[first.start : last.start + 3].replace(" ", "")
        if len(parts) > 1 and 0 < first.value < 1000 and digits.isdigit():
            whole = last._replace(
                text=text[first.start : last.end], start=first.start, value=Decimal(digits)
            )
            yield Measure(whole, tuple(parts))


_CLOCK = re.compile(
    r"(?<![\w.,:])(?<!at )([0-9]{1,3}):([0-5][0-9]):([0-5][0-9])(?![\w:]| ?[aApP]\.?[mM])"
)


def clock_durations(text: str) -> Iterator[Quantity]:
    """What is written like a time of day with seconds, as the duration that it may be: `2:11:53` in seconds.

    >>> [(each.text, str(each.value), each.unit) for each in clock_durations("She won in 2:11:53.")]
    [('2:11:53', '7913', 's')]
    """
    for match in _CLOCK.finditer(text) if ":" in text else ():
        hours, minutes, seconds = map(int, match.groups())
        value = Decimal((hours * 60 + minutes) * 60 + seconds)
        yield only_matching((match[0], *match.span()), value, "s")
