"""Versions and times of day, which are compared as names: `v1.3` is 1.3 and not 1.30, `17:00 Uhr` is 5 pm."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import chain
from operator import attrgetter

from ragauge.language.characters import plain_signs
from ragauge.language.dates.dates import dates
from ragauge.language.dates.parts import Date
from ragauge.language.detection import function_words
from ragauge.language.numbers.other_forms import (
    clock_durations,
    in_groups,
    in_other_forms,
    measures,
    points_as_groups,
)
from ragauge.language.numbers.other_languages import in_other_languages, times_of_day
from ragauge.language.numbers.quantity import Quantity, scaled
from ragauge.language.numbers.units import in_units, is_measure
from ragauge.language.reading_cache import ReadingCache
from ragauge.language.text import word_set

_DOTTED = r"[0-9]{1,6}(?:\.[0-9]{1,6})"
_VERSION = re.compile(
    rf"(?<![\w.,])(?:(?:v|ver\.?\s|version\s)({_DOTTED}{{0,3}})|release\s({_DOTTED}{{1,3}})|({_DOTTED}{{2,3}}))"
    r"(?![\w%]|[.,][0-9])",
    re.IGNORECASE,
)
_MAY_BE_VERSION = re.compile(r"[0-9vV](?:(?<=[0-9])\.|(?i:er\.?\s|ersion\s)?(?<![0-9]))[0-9]")
_BARE = re.compile(_DOTTED + "{0,3}")
_ASKS_VERSION = re.compile(r"\b(?:version|release)s?\b", re.IGNORECASE)
_VERSE = re.compile(r"([A-Z][a-z]+) $")
_NO_BOOKS = function_words("en", "de", "fr", "es") | word_set("ab before after until open opens")
_CLOCK = re.compile(r"\s?(?:Uhr|hrs?|h)\b", re.IGNORECASE)
_FIRST_HOUR = re.compile(
    r"(?<![\w:.,])([01]?[0-9]|2[0-4])\s?(?:[-–—]|bis|to|a|à|until)\s?$", re.IGNORECASE
)
_LAST_TIME = re.compile(r"\s?[-–—]\s?(([01]?[0-9]|2[0-4]):([0-5][0-9]))(?![\w:])")


def with_names(
    text: str, found: Sequence[Quantity], question: str | None = None
) -> Sequence[Quantity]:
    """The quantities of a text, its versions and its times of day, whose values are minutes.

    Where the question asks for a version, bare numbers with a point are versions. Times with seconds, which may be
    durations, are left out.

    >>> [(each.text, each.unit) for each in with_names("From v2.1 on, at 17:00", ())]
    [('v2.1', 'version'), ('17:00', 'time')]
    """
    return _kept(text, found, asks_for_version(question))


def asks_for_version(question: str | None) -> bool:
    lowered = (question or "").lower()
    # Nearly no question asks for one, and the pattern takes much longer than this.
    may_ask = "version" in lowered or "release" in lowered
    return may_ask and _ASKS_VERSION.search(lowered) is not None


@ReadingCache
def _kept(text: str, found: Sequence[Quantity], asks_version: bool) -> Sequence[Quantity]:
    stated, found = dates(text), in_other_languages(text, found)
    names = list(times_of_day(text))
    covered = {at for each in names for at in range(each.start, each.end)}
    times = [each for each in stated if each.start not in covered and _is_time(text, each)]
    for time in times:
        half = time.parts.get("half")
        hours = int(time.parts["hour"]) % 12 + 12 * (half == "pm")
        minutes = Decimal(60 * hours + int(time.parts.get("minute", 0)))
        unit = "time" if half else "time?"
        names.append(Quantity(time.text, time.start, time.end, minutes, unit))
    names += (end for time in times for end in _other_ends(text, time) if end.start not in covered)
    if _MAY_BE_VERSION.search(text):
        # Not `5.3.2021`, nor `1.234.567`, which is a number with points between thousands.
        others = {each.start for each in (*stated, *found)}
        names += [
            Quantity(each[0], *each.span(), _value(each[each.lastindex or 1]), "version")
            for each in _VERSION.finditer(plain_signs(text))
            if each.start() not in others
        ]
    if asks_version:
        names += as_versions(each for each in found if "." in each.text)
    if not names:
        return found
    taken = {at for each in names for at in range(each.start, each.end)}
    names += (each for each in found if each.end - 1 not in taken)
    return tuple(sorted(names, key=attrgetter("start")))


def as_versions(found: Iterable[Quantity]) -> Iterator[Quantity]:
    """The numbers without unit and scale as the versions that they may be."""
    for each in found:
        if not (each.unit or each.scale) and _BARE.fullmatch(each.text):
            yield each._replace(value=_value(each.text), unit="version")


def either_half(found: Iterable[Quantity]) -> Iterator[Quantity]:
    """The times without am or pm, such as 9:30, in both halves of the day."""
    for each in found:
        if each.unit == "time?":
            for value in (each.value, each.value + 720):
                yield each._replace(value=value, unit="time", spelled=True, only_matches=True)


def other_readings(quantity: Quantity) -> Iterator[Quantity]:
    """What else a number may mean, if the other text has it: `1.250` is 1,250, 1.3 a version, 9:30 in the evening."""
    own = (quantity,)
    return chain(points_as_groups(own), as_versions(own), either_half(own))


def in_all_forms(text: str, found: Sequence[Quantity], units: Collection[str]) -> list[Quantity]:
    """The quantities, those in other forms, and the measures in the units that the other text has."""
    every = [*found, *in_other_forms(text, found), *either_half(found)]
    every += [each.quantity for each in in_groups(text, found)]
    if "version" in units:
        every += as_versions(found)
    if of_measures := set(filter(is_measure, units)):
        every += [measure.quantity for measure in measures(text, found)]
        every += clock_durations(text)
        every += list(in_units(every, of_measures))
    return every


def _is_time(text: str, date: Date) -> bool:
    """Whether it is a time of day: no `Acts 1:13`."""
    if "hour" not in date.parts or "second" in date.parts:
        return False
    verse = _VERSE.search(text, max(0, date.start - 20), date.start)
    if not verse or not date.text[-1].isdigit() or ":0" in date.text:
        return True
    return verse[1].lower() in _NO_BOOKS or _CLOCK.match(text, date.end) is not None


def _other_ends(text: str, time: Date) -> Iterator[Quantity]:
    """The time at the other end of a range: the 8 of `8 to 5 pm`, the 17:00 of `8:00–17:00`."""
    if first := _FIRST_HOUR.search(text, max(0, time.start - 10), time.start):
        yield Quantity(first[1], *first.span(1), Decimal(60 * int(first[1])), "time?")
    if last := _LAST_TIME.match(text, time.end):
        minutes = Decimal(60 * int(last[2]) + int(last[3]))
        yield Quantity(last[1], *last.span(1), minutes, "time?")


def _value(version: str) -> Decimal:
    """A different number with as many digits for each version; 1.3.0 is 1.3, as in PEP 440."""
    parts = [*version.split("."), *"000"][:4]
    return scaled(Decimal("".join(part.zfill(6) for part in parts)), -18)
