"""What an answer states in place of what the reference states: another yes or no, date or number."""

import re
from collections.abc import Sequence
from functools import lru_cache

from ragauge.language.dates.dates import dates
from ragauge.language.dates.parts import Date, DateIndex
from ragauge.language.keywords import by_value
from ragauge.language.numbers.match import ExpectedNumber, NumberMatch, is_denied
from ragauge.language.numbers.numbers import quantities
from ragauge.language.numbers.quantity import MONEY, Quantity
from ragauge.language.references.yes_or_no import asks_yes_or_no_only

YES_OR_NO = re.compile(r"\W*(yes|no)\b(?!\.\s?\d)", re.IGNORECASE)
OTHER_SIGN = " with the other sign"


@lru_cache(maxsize=4_096)
def quantities_of(text: str) -> tuple[Quantity, ...]:
    """The quantities of a text; the reference and the question of many answers are read once."""
    return tuple(quantities(text))


def stated_instead(
    question: str, reference: str, answer: str, numbers: NumberMatch
) -> tuple[str, str] | None:
    """What the answer states in place of a yes or no, a date or a number of the reference, and of what.

    `numbers`: the reference's numbers in the answer. None if nothing contradicts.

    >>> from ragauge.language.numbers.match import NumberMatch
    >>> stated_instead("When was it built?", "In 1905", "In 1899", NumberMatch(()))
    ('1899', '1905')
    """
    expected, given = YES_OR_NO.match(reference), YES_OR_NO.match(answer)
    if expected and given:
        if expected[1].lower() != given[1].lower():
            return given[1].lower(), expected[1].lower()
        if asks_yes_or_no_only(question):
            return None  # numbers behind the same yes or no may be others: `Yes, to $4 million.`
    asked = dates(question)
    wanted = _new_dates(dates(reference), asked)
    stated = dates(answer) if wanted else ()
    # A date that repeats the question's is not meant for the reference's.
    if new := _new_dates(stated, asked):
        index = DateIndex(stated)
        if not any(index.agrees(date) or index.supports(date) for date in wanted):
            return new[0].text, wanted[0].text
    if numbers.expected and not numbers.matched:
        return _other_number(question, reference, answer, numbers.expected[0])
    return None


def _new_dates(found: Sequence[Date], asked: Sequence[Date]) -> list[Date]:
    """The dates that the question does not have."""
    if not (found and asked):
        return [*found]
    known = DateIndex(asked)
    return [date for date in found if not known.supports(date)]


def _other_number(
    question: str, reference: str, answer: str, expected: ExpectedNumber
) -> tuple[str, str] | None:
    """The last number of the answer that could be the expected one, and the expected one.

    The expected number itself if the answer says that it fell where the reference says that it rose.
    """
    known = {quantity.number for quantity in quantities_of(question)}
    numbers = [each for each in quantities_of(reference) if each.text == expected.number]
    wanted = {each.unit for each in numbers}
    in_words = any(each.spelled for each in numbers)
    stated = [
        each
        for each in quantities_of(answer)
        if (each.counts or (in_words and each.spelled and each.value != 1))
        and each.number not in known
        and (not wanted or any(_is_of_kind(each.unit, unit) for unit in wanted))
        and not is_denied(answer, each.start)
    ]
    if not stated:
        return None
    same = [each.text for each in stated if by_value(each) == expected.value]
    ours = f"{same[-1]}{OTHER_SIGN}" if same else stated[-1].text
    return ours, expected.number


def _is_of_kind(unit: str, wanted: str) -> bool:
    """Whether a number with this unit can be meant for one with the other: neither `$5` nor `note 5` for `5%`."""
    return not wanted or unit == wanted or (unit in MONEY and wanted in MONEY)
