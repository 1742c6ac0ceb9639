"""Versions and times of day, which are compared as names: `v1.3` is 1.3 and not 1.30, `17:00 Uhr` is 5 pm."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ragauge.language.characters import plain_signs
from ragauge.language.date_parts import Date, Parts
from ragauge.language.dates import dates
from ragauge.language.kept_readings import KeptReadings
from ragauge.language.quantity import Quantity


class NamedNumber(NamedTuple):
    """A version or a time of day in a text; two are the same if they share a key.

    A time without am or pm, such as 9:30, has the keys of both halves of the day.
    """

    text: str
    start: int
    end: int
    keys: tuple[str, ...]


_DOTTED = r"[0-9]{1,6}(?:\.[0-9]{1,6})"
_VERSION = re.compile(
    rf"(?<![\w.,])(?:(?:v|ver\.?\s|version\s)({_DOTTED}{{0,6}})|release\s({_DOTTED}{{1,6}})|({_DOTTED}{{2,6}}))"
    r"(?![\w%]|[.,][0-9])",
    re.IGNORECASE,
)
_MAY_BE_VERSION = re.compile(r"[0-9]\.[0-9]|[vV](?:[0-9]|er)")
_ASKS_VERSION = re.compile(r"\b(?:version|release)s?\b", re.IGNORECASE)
_BARE = re.compile(_DOTTED + "{0,6}")
_NULLS = re.compile(r"(?:\.0)+$")


def named_numbers(text: str, found: Sequence[Quantity]) -> list[NamedNumber]:
    """The versions and times of day of a text, given its quantities.

    Times with seconds, which may be durations, are left out.

    >>> text = "From v2.1.0 on, at 9:30 or 17:00"
    >>> [(each.text, each.keys) for each in named_numbers(text, ())]
    [('9:30', ('9:30 am', '9:30 pm')), ('17:00', ('5:00 pm',)), ('v2.1.0', ('2.1',))]
    """
    return _kept(text, found)


def _read(text: str, found: Sequence[Quantity]) -> list[NamedNumber]:
    stated = dates(text)
    names = [
        NamedNumber(each.text, each.start, each.end, _keys_of_time(each.parts))
        for each in stated
        if "hour" in each.parts and "second" not in each.parts and not _is_verse(text, each)
    ]
    if _MAY_BE_VERSION.search(text):
        # Not `5.3.2021`, nor `1.234.567`, which is a number with points between thousands.
        others = {each.start for each in (*stated, *found)}
        names += [
            NamedNumber(each[0], *each.span(), (_key(each[each.lastindex or 1]),))
            for each in _VERSION.finditer(plain_signs(text))
            if each.start() not in others
        ]
    return names


_kept = KeptReadings(_read)


def expected_names(
    question: str | None, reference: str, found: Sequence[Quantity]
) -> list[NamedNumber]:
    """The versions and times of a reference that the question does not state; all of them if it states them all.

    Where the question asks for a version, each bare number with a point is one.
    """
    names = [*named_numbers(reference, found)]
    if question and _ASKS_VERSION.search(question):
        bare = bare_versions(outside(found, names))
        names += [each for each in bare if "." in each.text]
    known = keyed(named_numbers(question, ())) if question and names else {}
    distinct = {each.keys: each for each in reversed(names)}.values()
    return [each for each in reversed(distinct) if known.keys().isdisjoint(each.keys)] or names


def keyed(names: Iterable[NamedNumber]) -> dict[str, NamedNumber]:
    """The names by each of their keys."""
    return {key: each for each in names for key in each.keys}


def bare_versions(found: Iterable[Quantity]) -> Iterator[NamedNumber]:
    """The numbers that may be versions: those without unit and scale."""
    for each in found:
        if not (each.unit or each.scale) and _BARE.fullmatch(each.text):
            yield NamedNumber(each.text, each.start, each.end, (_key(each.text),))


def outside(found: Sequence[Quantity], names: Iterable[NamedNumber]) -> Sequence[Quantity]:
    """The quantities that are no parts of these names: not the 1.3 of `version 1.3`."""
    ends = {each.end for each in names}
    return [each for each in found if each.end not in ends] if ends else found


_VERSE = re.compile(r"[A-Z][a-z]+ $")


def _is_verse(text: str, time: Date) -> bool:
    """Whether it is no time but a place in a book: `Acts 1:13`."""
    before = text[max(0, time.start - 20) : time.start]
    return time.text[-1].isdigit() and _VERSE.search(before) is not None


def _key(version: str) -> str:
    """The version without zeros at its end: 1.3.0 is 1.3, as in PEP 440."""
    return _NULLS.sub("", version)


def _keys_of_time(parts: Parts) -> tuple[str, ...]:
    halves = (str(parts["half"]),) if "half" in parts else ("am", "pm")
    return tuple(f"{parts['hour']}:{parts.get('minute', 0):02} {half}" for half in halves)
