"""What a question or a table heading says about its numbers: their scale, and whether they are percentages."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from ragauge.language.numbers.agreement import Agreement
from ragauge.language.numbers.directions import FALLS, asked_direction
from ragauge.language.numbers.quantity import Quantity
from ragauge.language.numbers.units import CODE, SCALES

_WORDS = "|".join(
    sorted((word for word in SCALES if word.isascii() and word != "hundred"), key=len, reverse=True)
)
_CURRENCY = rf"(?:{CODE}|(?:US|U\.S\.)?\s?[$€£¥₹]|(?:US |U\.S\. )?dollars?|euros?|pounds?|rupees?)"
_SCALE = re.compile(
    rf"(?:\b(?:in|how many|units? of|expressed as|to the nearest)\s(?:the\s)?(?:{_CURRENCY}\s?)?"
    rf"|{_CURRENCY}\s?(?:in\s)?)({_WORDS})s?\b"
    rf"|(?:\bin\s|\(\s?)(?:{_CURRENCY}\s?)?'?000'?s?\b"
    rf"|{_CURRENCY}\s?(k|mm|m|b|t)\b",
    re.IGNORECASE,
)
_LETTERS = {"k": 3, "m": 6, "mm": 6, "b": 9, "t": 12}
_HEADING = re.compile(
    rf"\bin\s(?:{_CURRENCY}\s(?:in\s)?)?(?:({_WORDS})s\b|'?000'?s\b)", re.IGNORECASE
)
_PERCENTAGE = re.compile(
    r"%|\b(?:per\s?cent|percents|percentages?|percentage points?|ratios?|margins?|rates?|cagr|growth"
    r"|share|proportion|fraction|return on|yield|turnover)\b",
    re.IGNORECASE,
)

_BASIS_POINTS = re.compile(r"\b(?:how many|in) (?:basis points|bps|bp)\b", re.IGNORECASE)
_HEADING_HINTS = ("illions", "thousands", "crores", "lakhs", "000s", "000's")


@lru_cache(10_000)
def named_scale(question: str) -> int:
    """The power of ten in which the question wants its numbers; 0 if it names none.

    >>> named_scale("What was the net income (in USD millions)?"), named_scale("Answer in thousands.")
    (6, 3)
    >>> named_scale("Who sold 5 million phones?")
    0
    """
    found = _SCALE.search(question)
    if not found:
        return 0
    if word := found[1]:
        return SCALES.get(word.lower(), 0)  # `re` takes ı for i if it ignores case
    return _LETTERS[found[2].lower()] if found[2] else 3


def heading_scale(text: str) -> int:
    """The power of ten that the text names as a table's heading does; 0 if it names none.

    >>> heading_scale("Sales were $447,489 (in thousands)."), heading_scale("Sales were $5 million.")
    (3, 0)
    """
    lowered = text.lower()
    if not any([hint in lowered for hint in _HEADING_HINTS]):  # noqa: C419, a list is faster
        return 0
    found = _HEADING.search(text)
    if not found:
        return 0
    return SCALES.get(found[1].lower(), 0) if found[1] else 3


def given_scales(answer: str, asked: int) -> tuple[int, ...]:
    """The scales that the bare numbers of the answer may have: those that the question and it name."""
    return tuple(dict.fromkeys(filter(None, (asked, heading_scale(answer)))))


def in_asked_unit(question: str | None, found: Sequence[Quantity]) -> Sequence[Quantity]:
    """The quantities, where bare ones are basis points if the question asks for these.

    >>> from ragauge.language.numbers.numbers import quantities
    >>> in_asked_unit("By how many basis points did it widen?", quantities("120"))[0].unit
    'bp'
    """
    lowered = (question or "").lower()
    if not ("bp" in lowered or "basis" in lowered) or not _BASIS_POINTS.search(lowered):
        return found
    return [
        each if each.unit or each.scale or each.is_year else each._replace(unit="bp")
        for each in found
    ]


@lru_cache(10_000)
def asks_for_a_percentage(question: str) -> bool:
    """Whether the question asks for a percentage, ratio or rate, which is stated as 5%, 5 or 0.05.

    >>> asks_for_a_percentage("What is the operating margin?"), asks_for_a_percentage("How many?")
    (True, False)
    """
    return _PERCENTAGE.search(question) is not None


def rules_for(question: str | None, rules: Agreement) -> Agreement:
    """The rules for an answer to the question."""
    if not question:
        return rules
    asks_percentage = rules.percent == "as_asked" and asks_for_a_percentage(question)
    asks_fall = asked_direction(question) in FALLS
    if not asks_percentage and not asks_fall:
        return rules
    return replace(rules, asks_percentage=asks_percentage, asks_fall=asks_fall)
