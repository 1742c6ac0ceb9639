"""Measures of several words: `1 h 30 min`, `6 ft 2 in`, `half an hour`, `an hour and a half`."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import chain
from typing import NamedTuple

from ragauge.language.numbers.quantity import DIVIDING, EXACT, Quantity, between, only_matching
from ragauge.language.numbers.units import converted, has_size, unit_of


class Measure(NamedTuple):
    """A measure with the quantities that are parts of it: the 1 h and the 30 min of `1 h 30 min`."""

    quantity: Quantity
    parts: tuple[Quantity, ...]


_BETWEEN = re.compile(r"[,\s-]{0,2}(?:\s?and\s)?")
_LONGEST_BETWEEN = len(", and ")
_PARTS = 4


def measures(text: str, found: Sequence[Quantity]) -> list[Measure]:
    """The measures of the text that several of its quantities, or a quantity and more words, state.

    >>> from ragauge.language.numbers.numbers import quantities
    >>> text = "It takes 1 h 30 min, or an hour and a half."
    >>> [(each.quantity.plain_value, each.quantity.unit) for each in measures(text, quantities(text))]
    [('90', 'min'), ('1.5', 'h')]
    """
    has_units = any([has_size(each.unit) for each in found])  # noqa: C419, a list is faster
    whole = list(_compounds(text, found)) if has_units else []
    whole += _shares_of_units(text, found)
    # A fortnight has no number in it, unlike `two weeks`.
    for match in _FORTNIGHT.finditer(text) if "ortnight" in text else ():
        fortnight = Quantity(match[0], *match.span(), Decimal(1), "fortnight", spelled=True)
        whole.append(Measure(fortnight, tuple(between(found, *match.span()))))
    starts = {each.quantity.start for each in whole}
    whole += [each for each in _glued(text, found) if each.quantity.start not in starts]
    return [*whole, *_units_and_a_half(text, found), *in_groups(text, found)]


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


def _compounds(text: str, found: Sequence[Quantity]) -> Iterator[Measure]:
    at = 0
    while at < len(found) - 1:
        parts = [found[at]]
        for following in found[at + 1 : at + _PARTS]:
            if not _goes_on(text, parts[-1], following):
                break
            parts.append(following)
        at += len(parts)
        if len(parts) == 1:
            continue
        last = parts[-1]
        total = last.value
        for part in parts[:-1]:
            value = converted(part.value, part.unit, last.unit)
            total = EXACT.add(total, value if value is not None else Decimal(0))
        start, end, spelled = parts[0].start, last.end, all(part.spelled for part in parts)
        total = EXACT.normalize(total)
        whole = Quantity(text[start:end], start, end, total, last.unit, spelled)
        yield Measure(whole, tuple(parts))


def is_smaller_part(unit, of, value):
    in_larger = converted(value, unit, of)
    return in_larger is not None and has_size(unit) and value >= 1 and in_larger < 1


def _goes_on(text: str, larger: Quantity, smaller: Quantity) -> bool:
    """Whether the second measure, in a smaller unit, continues the first: `2 hours and 5 minutes`."""
    return (
        larger.unit != smaller.unit != ""
        and 0 <= smaller.start - larger.end <= _LONGEST_BETWEEN
        and larger.value == larger.value.to_integral_value()
        and is_smaller_part(smaller.unit, larger.unit, smaller.value)
        and _BETWEEN.fullmatch(text, larger.end, smaller.start) is not None
    )


_FORTNIGHT = re.compile(r"\b(?:an?|one)\sfortnight\b", re.IGNORECASE)
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


_OF_A_UNIT = re.compile(r"\s(?:of\s)?an?\s([a-z]+)\b")


def _shares_of_units(text: str, found: Sequence[Quantity]) -> Iterator[Measure]:
    """`half an hour`, `three quarters of a mile`."""
    for share in found:
        if share.unit or not 0 < share.value < 1:
            continue
        words = _OF_A_UNIT.match(text, share.end)
        unit = unit_of(words[1]) if words else None
        if words and unit and has_size(unit):
            whole = text[share.start : words.end()]
            measure = Quantity(whole, share.start, words.end(), share.value, unit, spelled=True)
            yield Measure(measure, (share,))


_GLUED_TIME = re.compile(
    r"(?<![\w.,:])([0-9]{1,3})\s?h(?:rs?)?\s?([0-5]?[0-9])\s?m(?:ins?)?(?:\s?([0-5]?[0-9])\s?s(?:ecs?)?)?\b"
)
_FEET_AND_INCHES = re.compile(
    r"(?<![\w.,])([1-9])(?:\s?['’′]\s?(1[01]|[0-9])\s?(?:\"|”|″|'')|[\s-]?(?:ft|feet|foot)[\s-]?(1[01]|[0-9])[\s-]?in\b)"
)
_MAY_BE_GLUED = re.compile(r"[0-9](?:\s?['’′h]|[\s-]?f(?:t|ee|oo))")
"""What both patterns need. They begin with what may not be before a number and so are tried everywhere, which takes
ten times as long."""


def _glued(text: str, found: Sequence[Quantity]) -> Iterator[Measure]:
    """`1h30m`, `6'2"`."""
    if not _MAY_BE_GLUED.search(text):
        return
    for match in chain(_GLUED_TIME.finditer(text), _FEET_AND_INCHES.finditer(text)):
        if match.re is _FEET_AND_INCHES:
            value, unit = int(match[1]) * 12 + int(match[2] or match[3]), "inch"
        else:
            value, unit = int(match[1]) * 60 + int(match[2]), "min"
            if match[3]:
                value, unit = value * 60 + int(match[3]), "s"
        whole = Quantity(match[0], *match.span(), Decimal(value), unit)
        yield Measure(whole, tuple(between(found, *match.span())))


_AND_A_HALF = re.compile(
    r"\b(?:an?|one)\s([a-z]+)\sand\s(?:a\s(half|quarter)|(three)[\s-]quarters)\b", re.IGNORECASE
)


def _units_and_a_half(text: str, found: Sequence[Quantity]) -> Iterator[Measure]:
    """`an hour and a half`, `a mile and a quarter`."""
    if " and " not in text or not ("half" in text or "quarter" in text):
        return
    for match in _AND_A_HALF.finditer(text):
        unit = unit_of(match[1].lower())
        if not unit or not has_size(unit):
            continue
        quarters = 3 if match[3] else 2 if match[2].lower() == "half" else 1
        value = DIVIDING.divide(Decimal(4 + quarters), Decimal(4))
        whole = Quantity(match[0], *match.span(), value, unit, spelled=True)
        yield Measure(whole, tuple(between(found, *match.span())))
