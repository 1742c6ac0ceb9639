"""Amounts in other forms: `1 h 30 min`, `half an hour`; and some that only match: `2 in 10` is 20%, `doubled` is 2x."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from ragauge.language.characters import lower_letters
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

_PARTS = 4
_BETWEEN = re.compile(r"[,\s-]{0,2}(?:\s?(?:and|und|et|y)\s)?")
_OF_A_UNIT = re.compile(r"\s(?:of\s)?an?\s([a-z]+)\b")
_GROUP = re.compile(r" [0-9]{3}(?![\w.,][0-9])")
_CLOCK = re.compile(
    r"(?<![\w.,:])(?<!at )([0-9]{1,3}):([0-5][0-9]):([0-5][0-9])(?![\w:]| ?[aApP]\.?[mM])"
)
_GROUPED = re.compile(r"(?:[^\d.,]{0,4})([1-9][0-9]{0,2})\.([0-9]{3})(?:[^\d.,].*)?")
_QUARTERS = re.compile(r"\b(three|one|a)[\s-]quarters?\b", re.IGNORECASE)


class Measure(NamedTuple):
    """A number of a text.

    `parts`: the quantities that it consists of, which are enough together: the 1 h and the 30 min of `1 h 30 min`. `forms`: the
    same in other forms, of which one is enough: 100% for `doubled`.
    """

    quantity: Quantity
    parts: tuple[Quantity, ...] = ()
    forms: tuple[Quantity, ...] = ()


def as_measures(text: str, found: Sequence[Quantity]) -> list[Measure]:
    """The quantities of the text, with `1 h 30 min` as one, in order."""
    whole = measures(text, found)
    inside = {part.start for each in whole for part in each.parts}
    every = [*(Measure(each) for each in found if each.start not in inside), *whole]
    return sorted(every, key=lambda each: each.quantity.start)


def measures(text: str, found: Sequence[Quantity]) -> list[Measure]:
    """The measures of the text that several of its quantities, or a quantity and more words, state."""
    has_units = any([has_size(each.unit) for each in found])  # noqa: C419, a list is faster
    whole = list(_compounds(text, found)) if has_units else []
    for share in found:  # `half an hour`, `three quarters of a mile`
        words = None if share.unit or not 0 < share.value < 1 else _OF_A_UNIT.match(text, share.end)
        if words and (unit := unit_of(words[1])) and has_size(unit):
            span = share.start, words.end()
            whole.append(Quantity(text[slice(*span)], *span, share.value, unit, spelled=True))
    starts = {each.start for each in whole}
    whole += [each for each in _phrases(text) if each.start not in starts]
    of_parts = [Measure(each, tuple(between(found, each.start, each.end))) for each in whole]
    return [*of_parts, *in_groups(text, found)]


def _compounds(text: str, found: Sequence[Quantity]) -> Iterator[Quantity]:
    """`2 hours and 5 minutes`."""
    at = 0
    while at < len(found) - 1:
        last = found[at]
        start, total, spelled, n = last.start, last.value, last.spelled, 1
        for smaller in found[at + 1 : at + _PARTS]:
            if not (
                last.unit != smaller.unit != ""
                and last.end <= smaller.start
                and last.value == last.value.to_integral_value()
                and has_size(smaller.unit)
                and smaller.value >= 1
                and (in_larger := converted(smaller.value, smaller.unit, last.unit))
                and in_larger < 1
                and _BETWEEN.fullmatch(text, last.end, smaller.start)
            ):
                break
            above = converted(total, last.unit, smaller.unit) or Decimal(0)
            total = EXACT.add(above, smaller.value)
            last, spelled, n = smaller, spelled and smaller.spelled, n + 1
        at += n
        if n > 1:
            value = EXACT.normalize(total)
            yield Quantity(text[start : last.end], start, last.end, value, last.unit, spelled)


_FORTNIGHT = re.compile(r"\b(?:an?|one)\sfortnight\b", re.IGNORECASE)
_GLUED_TIME = re.compile(
    r"(?<![\w.,:])([0-9]{1,3})\s?h(?:rs?)?\s?([0-5]?[0-9])\s?m(?:ins?)?(?:\s?([0-5]?[0-9])\s?s(?:ecs?)?)?\b"
)
_FEET_AND_INCHES = re.compile(
    r"(?<![\w.,])([1-9])(?:\s?['’′]\s?(1[01]|[0-9])\s?(?:\"|”|″|'')|[\s-]?(?:ft|feet|foot)[\s-]?(1[01]|[0-9])[\s-]?in\b)"
)
_MAY_BE_GLUED = re.compile(r"[0-9](?:\s?['’′h]|[\s-]?f(?:t|ee|oo))")
"""What both patterns need. They begin with what may not be before a number and so are tried everywhere, which takes
ten times as long."""
_AND_A_HALF = re.compile(
    r"\b(?:an?|one)\s([a-z]+)\sand\s(?:a\s(half|quarter)|(three)[\s-]quarters)\b", re.IGNORECASE
)


def _phrases(text: str) -> Iterator[Quantity]:
    """`a fortnight`, `1h30m`, `6'2"`, `an hour and a half`: what is no quantity with a unit after it."""
    for words in _FORTNIGHT.finditer(text) if "ortnight" in text else ():
        yield Quantity(words[0], *words.span(), Decimal(1), "fortnight", spelled=True)
    may_be_glued = _MAY_BE_GLUED.search(text)
    for words in _GLUED_TIME.finditer(text) if may_be_glued else ():
        minutes = int(words[1]) * 60 + int(words[2])
        value, unit = (minutes * 60 + int(words[3]), "s") if words[3] else (minutes, "min")
        yield Quantity(words[0], *words.span(), Decimal(value), unit)
    for words in _FEET_AND_INCHES.finditer(text) if may_be_glued else ():
        inches = int(words[1]) * 12 + int(words[2] or words[3])
        yield Quantity(words[0], *words.span(), Decimal(inches), "inch")
    may_be_half = " and " in text and ("half" in text or "quarter" in text)
    for words in _AND_A_HALF.finditer(text) if may_be_half else ():
        if (unit := unit_of(words[1].lower())) and has_size(unit):
            quarters = 3 if words[3] else 2 if words[2].lower() == "half" else 1
            value = DIVIDING.divide(Decimal(4 + quarters), Decimal(4))
            yield Quantity(words[0], *words.span(), value, unit, spelled=True)


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
        start, last = parts[0].start, parts[-1]
        digits = text[start : last.start + 3].replace(" ", "")
        if len(parts) > 1 and 0 < parts[0].value < 1000 and digits.isdigit():
            written, value = text[start : last.end], Decimal(digits)
            yield Measure(last._replace(text=written, start=start, value=value), tuple(parts))


def clock_durations(text: str) -> Iterator[Quantity]:
    """What is written like a time of day with seconds, as the duration that it may be: `2:11:53` in seconds.

    >>> [(each.text, str(each.value), each.unit) for each in clock_durations("She won in 2:11:53.")]
    [('2:11:53', '7913', 's')]
    """
    for match in _CLOCK.finditer(text) if ":" in text else ():
        hours, minutes, seconds = map(int, match.groups())
        yield only_matching(text, *match.span(), (hours * 60 + minutes) * 60 + seconds, "s")


_OUT_OF = re.compile(r"\s(?:out\sof(?:\severy)?|in(?:\severy)?|of(?:\sthe)?)\s")
_LONGEST_OUT_OF = len(" out of every ")
_WHOLES = frozenset(map(Decimal, (3, 4, 5, 6, 7, 8, 9, 10, 12, 20, 25, 50, 100, 1000)))
"""What shares are counted in: `2 in 10`, but not `2 in 17`."""
_TIMES_AFTER = re.compile(r"[\s-](?:second|minute|hour|day|week|month|quarter|year|decade|centur)")


def shares_out_of(
    text: str, found: Sequence[Quantity]
) -> Iterator[tuple[Quantity, Quantity, Quantity]]:
    """The part, the whole and the share that two numbers of the text state, as in `2 in 10`; the share only matches."""
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
            yield part, whole, only_matching(text, part.start, whole.end, value)


_COUNTED = ("season", "series", "episode", "chapter", "volume", "round", "grade", "edition")
_COUNTED_NOUN = re.compile(rf" (?:{'|'.join(_COUNTED)})\b")
_ORDINAL = re.compile(rf"\b(?:({'|'.join(RANKS)})|([0-9]{{1,3}})(?:st|nd|rd|th))\Z")
_LONGEST_ORDINAL = max(map(len, RANKS))
_TIMES = {"doubl": 2, "tripl": 3, "trebl": 3, "quadrupl": 4, "quintupl": 5} | (
    {"two": 2, "three": 3, "four": 4, "five": 5, "ten": 10, "twice": 2, "thrice": 3}
)
_MULTIPLE = re.compile(
    r"\b(?:(doubl|tripl|trebl|quadrupl|quintupl)(?:ed|ing)|(two|three|four|five|ten)-?fold|halv(?:ed|ing)|nil)\b"
)
_HINTS_OF_MULTIPLES = ("doubl", "upl", "tripl", "trebl", "fold", "halv", "nil")
_TWICE = re.compile(r"\b(?:twice|thrice)\b")
_NOT_QUITE = re.compile(
    r"\b(?:more than|over|almost|nearly|about|roughly|approximately|around|not|n't|less than|far from)\s$"
)


def in_other_forms(text: str, found: Sequence[Quantity]) -> Iterator[Quantity]:
    """The shares of the text, `the fourth season` as 4, and multiples in words, also as changes in percent."""
    yield from points_as_groups(found)
    if len(found) > 1:
        yield from (share for _, _, share in shares_out_of(text, found))
    lowered = lower_letters(text)
    if any([noun in lowered for noun in _COUNTED]):  # noqa: C419, a list is faster
        for noun in _COUNTED_NOUN.finditer(lowered):
            end = noun.start()
            if words := _ORDINAL.search(lowered, max(0, end - _LONGEST_ORDINAL), end):
                rank = RANKS[words[1]] if words[1] else int(words[2])
                yield only_matching(text, words.start(), noun.end(), rank)
    if any([hint in lowered for hint in _HINTS_OF_MULTIPLES]):  # noqa: C419
        for words in _exact(_MULTIPLE, lowered):
            if times := _TIMES.get(words[1] or words[2]):
                yield only_matching(text, *words.span(), times, "x")
                yield only_matching(text, *words.span(), 100 * (times - 1), "%")
            elif words[0] == "nil":
                yield only_matching(text, *words.span(), 0)
            else:
                yield only_matching(text, *words.span(), -50, "%")


def _exact(pattern: re.Pattern[str], lowered: str) -> Iterator[re.Match[str]]:
    for words in pattern.finditer(lowered):
        if not _NOT_QUITE.search(lowered, max(0, words.start() - 15), words.start()):
            yield words


def times_in_words(text: str) -> Iterator[Quantity]:
    """`twice` and `thrice`, for numbers of times: `two walks` are not stated by `he walked twice`."""
    for words in _exact(_TWICE, lower_letters(text)):
        yield only_matching(text, *words.span(), _TIMES[words[0]], "x")


def points_as_groups(found: Sequence[Quantity]) -> Iterator[Quantity]:
    """`1.250` as 1,250, if the other text has 1250; not beside a number such as 1.25, which says how the text writes decimals."""
    grouped = [
        each
        for each in found
        if "." in each.text
        and not (each.unit == "%" or each.scale or each.spelled)
        and each.value.as_tuple().exponent == -3
        and _GROUPED.fullmatch(each.text)
    ]
    if grouped and not any(each.value.as_tuple().exponent in (-1, -2) for each in found):
        for each in grouped:
            yield each._replace(value=scaled(each.value, 3), spelled=True, only_matches=True)


def quarters(text: str) -> Iterator[Quantity]:
    """`three quarters` and `one quarter` as shares, which they are where a share is asked for.

    >>> [str(each.value) for each in quarters("three quarters")]
    ['0.75']
    """
    for words in _QUARTERS.finditer(text) if "uarter" in text else ():
        share = Decimal("0.75" if words[1].lower() == "three" else "0.25")
        yield only_matching(text, *words.span(), share)
