"""Amounts in other forms, which only match: `2 in 10` is 20%, `doubled` is 2x and 100% more."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from ragauge.language.numbers.quantity import DIVIDING, Quantity, only_matching, scaled
from ragauge.language.words import RANKS

_OUT_OF = re.compile(r"\s(?:out\sof(?:\severy)?|in(?:\severy)?|of(?:\sthe)?)\s")
_LONGEST_OUT_OF = len(" out of every ")
_WHOLES = frozenset(map(Decimal, (3, 4, 5, 6, 7, 8, 9, 10, 12, 20, 25, 50, 100, 1000)))
"""What shares are counted in: `2 in 10`, but not `2 in 17`."""
_TIMES = re.compile(r"[\s-](?:second|minute|hour|day|week|month|quarter|year|decade|centur)")
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
    """The shares that two numbers of the text state.

    >>> from ragauge.language.numbers.numbers import quantities
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
            span = part.start, whole.end
            yield Share(part, whole, only_matching((text[slice(*span)], *span), value))


_COUNTED = ("season", "series", "episode", "chapter", "volume", "round", "grade", "edition")
_COUNTED_NOUN = re.compile(rf" (?:{'|'.join(_COUNTED)})\b")
_ORDINAL = re.compile(rf"\b(?:({'|'.join(RANKS)})|([0-9]{{1,3}})(?:st|nd|rd|th))\Z")
_LONGEST_ORDINAL = max(map(len, RANKS))


def in_other_forms(text: str, found: Sequence[Quantity]) -> Iterator[Quantity]:
    """The shares of the text, `the fourth season` as 4, and multiples in words, also as changes in percent.

    >>> [(each.text, each.plain_value, each.unit) for each in in_other_forms("Sales doubled.", ())]
    [('doubled', '2', 'x'), ('doubled', '100', '%')]
    """
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
    """`twice` and `thrice`, for numbers of times: `two walks` are not stated by `he walked twice`.

    >>> [(each.text, str(each.value), each.unit) for each in times_in_words("They won twice.")]
    [('twice', '2', 'x')]
    """
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
