"""Amounts in other forms: `1 h 30 min`, `half an hour`; and some that only match: `2 in 10` is 20%, `doubled` is 2x."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from ragauge.language.numbers.quantity import (
    DIVIDING,
    EXACT,
    Quantity,
    between,
    only_matching,
    scaled,
)
from ragauge.language.numbers.units import converted, has_size, unit_of
from ragauge.language.words import RANKS


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
    """The measures of the text that several of its quantities, or a quantity and more words, state."""
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
    """`48 300`, which is two numbers, or one where the other text has 48,300."""
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


_OUT_OF = re.compile(r"\s(?:out\sof(?:\severy)?|in(?:\severy)?|of(?:\sthe)?)\s")
_LONGEST_OUT_OF = len(" out of every ")
_WHOLES = frozenset(map(Decimal, (3, 4, 5, 6, 7, 8, 9, 10, 12, 20, 25, 50, 100, 1000)))
"""What shares are counted in: `2 in 10`, but not `2 in 17`."""
_TIMES_AFTER = re.compile(r"[\s-](?:second|minute|hour|day|week|month|quarter|year|decade|centur)")
_TIMES_MORE = {"doubl": 2, "tripl": 3, "trebl": 3, "quadrupl": 4, "quintupl": 5} | {
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "ten": 10,
}
_MULTIPLE = re.compile(
    r"\b(?:(doubl|tripl|trebl|quadrupl|quintupl)(?:ed|ing)|(two|three|four|five|ten)-?fold|halv(?:ed|ing)|nil)\b",
    re.IGNORECASE,
)
_HINTS_OF_MULTIPLES = ("doubl", "upl", "tripl", "trebl", "fold", "halv", "nil")
_NOT_QUITE = re.compile(
    r"\b(?:more than|over|almost|nearly|about|roughly|approximately|around|not|n't|less than|far from)\s$",
    re.IGNORECASE,
)


class Share(NamedTuple):
    """`2 in 10`: the number of the part, that of the whole, and the share, which only matches."""

    part: Quantity
    whole: Quantity
    share: Quantity


def shares_out_of(text: str, found: Sequence[Quantity]) -> Iterator[Share]:
    """The shares that two numbers of the text state."""
    if " in " not in text and " of " not in text:
        return
    for part, whole in pairwise(found):
        if (
            whole.start - part.end <= _LONGEST_OUT_OF  # first, because it is fast
            and 0 < part.value < whole.value
            and whole.value in _WHOLES
            and not (part.unit or whole.unit or part.is_year or whole.is_year)
            and _OUT_OF.fullmatch(text, part.end, whole.start)
            and not _TIMES_AFTER.match(text, whole.end)
        ):
            value = DIVIDING.divide(part.value, whole.value)
            span = part.start, whole.end
            yield Share(part, whole, only_matching((text[slice(*span)], *span), value))


_COUNTED = ("season", "series", "episode", "chapter", "volume", "round", "grade", "edition")
_COUNTED_NOUN = re.compile(rf" (?:{'|'.join(_COUNTED)})\b")
_ORDINAL = re.compile(rf"\b(?:({'|'.join(RANKS)})|([0-9]{{1,3}})(?:st|nd|rd|th))\Z")
_LONGEST_ORDINAL = max(map(len, RANKS))


def in_other_forms(text: str, found: Sequence[Quantity]) -> Iterator[Quantity]:
    """The shares of the text, `the fourth season` as 4, and multiples in words, also as changes in percent."""
    yield from points_as_groups(found)
    if len(found) > 1:
        yield from (each.share for each in shares_out_of(text, found))
    lowered = text.lower()
    if len(lowered) == len(text) and any([noun in lowered for noun in _COUNTED]):  # noqa: C419, faster
        for noun in _COUNTED_NOUN.finditer(lowered):
            end = noun.start()
            if words := _ORDINAL.search(lowered, max(0, end - _LONGEST_ORDINAL), end):
                rank = RANKS[words[1]] if words[1] else int(words[2])
                start, end = words.start(), noun.end()
                yield only_matching((text[start:end], start, end), Decimal(rank))
    if not any([hint in lowered for hint in _HINTS_OF_MULTIPLES]):  # noqa: C419, faster
        return
    for words in _MULTIPLE.finditer(text):
        if _NOT_QUITE.search(text, max(0, words.start() - 15), words.start()):
            continue
        place, word = (words[0], *words.span()), (words[1] or words[2] or words[0]).lower()
        if word.startswith("halv"):
            yield only_matching(place, Decimal("-50"), "%")
        elif word == "nil":
            yield only_matching(place, Decimal(0))
        # None where `re` takes ı for i, as it does if it ignores case.
        elif (times := _TIMES_MORE.get(word)) is not None:
            yield only_matching(place, Decimal(times), "x")
            yield only_matching(place, Decimal(100 * (times - 1)), "%")


_GROUPED = re.compile(r"(?:[^\d.,]{0,4})([1-9][0-9]{0,2})\.([0-9]{3})(?:[^\d.,].*)?")


def points_as_groups(found: Sequence[Quantity]) -> Iterator[Quantity]:
    """`1.250` as 1,250, which it is where the other text has 1250.

    Not in a text with another number of decimals, such as 1.25, which says how it writes them.
    """
    grouped = [
        each
        for each in found
        if "." in each.text
        and each.unit != "%"
        and not (each.scale or each.spelled)
        and _decimals(each) == 3
        and _GROUPED.fullmatch(each.text)
    ]
    if grouped and not any(_decimals(each) in (1, 2) for each in found):
        for each in grouped:
            yield each._replace(value=scaled(each.value, 3), spelled=True, only_matches=True)


def _decimals(quantity: Quantity) -> int:
    return -int(quantity.value.as_tuple().exponent)


_TWICE = re.compile(r"\b(?:(twice)|thrice)\b", re.IGNORECASE)


def times_in_words(text: str) -> Iterator[Quantity]:
    """`twice` and `thrice`, for numbers of times: `two walks` are not stated by `he walked twice`."""
    for words in _TWICE.finditer(text):
        if not _NOT_QUITE.search(text, max(0, words.start() - 15), words.start()):
            yield only_matching((words[0], *words.span()), Decimal(2 if words[1] else 3), "x")


_QUARTERS = re.compile(r"\b(three|one|a)[\s-]quarters?\b", re.IGNORECASE)


def quarters(text: str) -> Iterator[Quantity]:
    """`three quarters` and `one quarter` as shares, which they are where a share is asked for.

    >>> [str(each.value) for each in quarters("three quarters")]
    ['0.75']
    """
    for words in _QUARTERS.finditer(text) if "uarter" in text else ():
        share = Decimal("0.75" if words[1].lower() == "three" else "0.25")
        yield only_matching((words[0], *words.span()), share)
