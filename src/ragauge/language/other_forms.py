"""Amounts in other forms, which only match: `2 in 10` is 20%, `doubled` is 2x and 100% more, `90 min` is 1.5 h."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from ragauge.language.quantity import DIVIDING, EXACT, Quantity

_OUT_OF = re.compile(r"\s(?:out\sof(?:\severy)?|in(?:\severy)?|of(?:\sthe)?)\s")
_LONGEST_OUT_OF = len(" out of every ")
_WHOLES = frozenset(map(Decimal, (3, 4, 5, 6, 7, 8, 9, 10, 12, 20, 25, 50, 100, 1000)))
"""What shares are counted in: `2 in 10`, but not `2 in 17`."""
_TIMES = re.compile(r"[\s-](?:second|minute|hour|day|week|month|quarter|year|decade|centur)")
_TIMES_MORE = (
    {"doubl": 2, "tripl": 3, "trebl": 3, "quadrupl": 4, "quintupl": 5, "twofold": 2, "two-fold": 2}
    | {"threefold": 3, "three-fold": 3, "fourfold": 4, "four-fold": 4, "fivefold": 5}
    | {"five-fold": 5, "tenfold": 10, "ten-fold": 10}
)
_MULTIPLE = re.compile(
    r"\b(?:(doubl|tripl|trebl|quadrupl|quintupl)(?:ed|ing)|(t(?:wo|hree|en)-?fold|f(?:our|ive)-?fold)|(halv)(?:ed|ing))\b",
    re.IGNORECASE,
)
_SECONDS = {"s": 1, "min": 60, "h": 3600, "day": 86400, "week": 604800}
_MONTHS = {"month": 1, "year": 12, "decade": 120, "century": 1200}
_LENGTHS = {
    unit: {each: Decimal(n) for each, n in group.items()}
    for group in (_SECONDS, _MONTHS)
    for unit in group
}
"""For each unit of time, those it can be converted to exactly, with their lengths."""
_SMALLEST = -3
"""The power of ten of the smallest time in another unit: nobody states a second in weeks."""
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
    """The shares that two numbers of the text state.

    >>> from ragauge.language.numbers import quantities
    >>> text = "Two in ten came, 5 in 10 years."
    >>> [str(each.share.value) for each in shares_out_of(text, quantities(text))]
    ['0.2']
    """
    if " in " not in text and " of " not in text:
        return
    for part, whole in pairwise(found):
        if (
            whole.start - part.end <= _LONGEST_OUT_OF  # first, because it is fast
            and 0 < part.value < whole.value
            and whole.value in _WHOLES
            and not (part.unit or whole.unit or part.is_year or whole.is_year)
            and _OUT_OF.fullmatch(text, part.end, whole.start)
            and not _TIMES.match(text, whole.end)
        ):
            value = DIVIDING.divide(part.value, whole.value)
            words = text[part.start : whole.end]
            share = Quantity(words, part.start, whole.end, value, spelled=True, only_matches=True)
            yield Share(part, whole, share)


def in_other_forms(text: str, found: Sequence[Quantity]) -> Iterator[Quantity]:
    """The shares of the text, its multiples in words, as multiples and as changes in percent, and its times.

    >>> [(each.text, each.plain_value, each.unit) for each in in_other_forms("Sales doubled.", ())]
    [('doubled', '2', 'x'), ('doubled', '100', '%')]
    """
    if len(found) > 1:
        yield from (each.share for each in shares_out_of(text, found))
    for quantity in found:
        if quantity.unit in _LENGTHS:
            yield from _in_other_times(quantity)
    lowered = text.lower()
    # Not `any`, which takes twice as long for each of the many contexts.
    if (
        "doubl" in lowered
        or "upl" in lowered
        or "tripl" in lowered
        or "trebl" in lowered
        or "fold" in lowered
        or "halv" in lowered
    ):
        yield from _multiples(text)


def _multiples(text: str) -> Iterator[Quantity]:
    for words in _MULTIPLE.finditer(text):
        if _NOT_QUITE.search(text, max(0, words.start() - 15), words.start()):
            continue
        if words[3]:
            yield _only_matching(words, Decimal("-50"), "%")
            continue
        times = _TIMES_MORE.get((words[1] or words[2]).lower())
        if times is None:  # `re` takes ı for i if it ignores case
            continue
        yield _only_matching(words, Decimal(times), "x")
        yield _only_matching(words, Decimal(100 * (times - 1)), "%")


def _in_other_times(quantity: Quantity) -> Iterator[Quantity]:
    lengths = _LENGTHS[quantity.unit]
    total = EXACT.multiply(quantity.value, lengths[quantity.unit])
    text, start, end = quantity[:3]
    for unit, length in lengths.items():
        value = DIVIDING.divide(total, length)
        if unit != quantity.unit and value.adjusted() >= _SMALLEST:
            # Positions, because names take three times as long: the year, and what the rest means.
            yield Quantity(text, start, end, value, unit, True, quantity.is_year, True, 0, True)


def _only_matching(words: re.Match[str], value: Decimal, unit: str) -> Quantity:
    return Quantity(
        words[0], words.start(), words.end(), value, unit, spelled=True, only_matches=True
    )
