"""Numbers that are no quantities: those of lists, labels, citations, phones and addresses."""

import re
from collections.abc import Iterator, Sequence

from ragauge.language.dates.parts import Date
from ragauge.language.numbers.signs import ends_in_number
from ragauge.language.text import Span

_LINE_NUMBER = re.compile(r"(?:\A|(?<=\n))[ \t>*#-]{0,8}([0-9]{1,3})[.)](?=[ \t]+\S)")
_NEXT_NUMBER = re.compile(r"(?<=[.;:!?,][ ])([0-9]{1,2})\.(?=[ ]+[A-Z*\"'])")
_BRACKETED = re.compile(r"(?<!\S)\(([0-9]{1,2})\)|(?<![^\s])([0-9]{1,2})\)(?=\s)")
_CITATION = re.compile(r"\[[0-9]{1,3}(?:\s?[,;-]\s?[0-9]{1,3})*\]")
_PHONE = re.compile(
    r"\+[0-9]{1,3}[\s.-]?\(?[0-9]{1,4}\)?(?:[\s.-][0-9]{2,4}){2,4}(?![0-9])"
    r"|\([0-9]{3}\)\s?[0-9]{3}[-.\s][0-9]{4}(?![0-9])"
)
_ADDRESS = re.compile(r"(?:https?://|www\.|@[A-Za-z])[^\s<>()\"]*")

_LABEL = re.compile(
    r"(?:\A|\n|[.!?:;)]\s)[ \t>*#_([-]{0,8}"
    r"(?:step|question|item|option|part|chapter|section|figure|table)\s$",
    re.IGNORECASE,
)
_LABELLED = re.compile(r"[*_]{0,3}[:.)\]][*_]{0,3}\s{1,4}\S")


def other_numbers(plain: str, stated: Sequence[Date]) -> Iterator[Span]:
    """The spans of numbers that are not quantities, in order and without overlap."""
    spans = [(date.start, date.end) for date in stated]
    if "[" in plain:
        spans += [found.span() for found in _CITATION.finditer(plain)]
    if "+" in plain or "(" in plain:
        spans += [found.span() for found in _PHONE.finditer(plain)]
    if ("/" in plain and "://" in plain) or "www." in plain or "@" in plain:
        spans += [found.span() for found in _ADDRESS.finditer(plain)]
    if ")" in plain:
        spans += _bracketed_numbers(plain)
    if "\n" in plain or _LINE_NUMBER.match(plain):
        spans += _line_numbers(plain)
    spans.sort()
    last = 0
    for start, end in spans:
        if end > last:
            yield max(start, last), end
            last = end


def is_label(plain: str, start: int, end: int) -> bool:
    """Whether the number is part of a label such as `Step 1:` at the start of a line or sentence."""
    return (
        plain[end : end + 1] in _AFTER_LABEL
        and plain[start - 2 : start] in _BEFORE_LABEL
        and _LABEL.search(plain, max(0, start - 24), start) is not None
        and _LABELLED.match(plain, end) is not None
    )


_AFTER_LABEL = frozenset(":.)]*_")
_BEFORE_LABEL = frozenset(("p ", "n ", "m ", "t ", "r ", "e ", "P ", "N ", "M ", "T ", "R ", "E "))


def _line_numbers(plain: str) -> list[Span]:
    """Numbers of list items: 1, or one with a neighbour; and items that continue within a line.

    A single `42. That is the answer.` is not a list.
    """
    found = list(_LINE_NUMBER.finditer(plain))
    numbers = {int(number[1]) for number in found}
    items = [
        number.span(1)
        for number in found
        if int(number[1]) == 1 or numbers & {int(number[1]) - 1, int(number[1]) + 1}
    ]
    if 1 not in numbers:
        return items
    expected = 2
    for number in _NEXT_NUMBER.finditer(plain):
        if int(number[1]) == expected:
            items.append(number.span(1))
            expected += 1
    return items


def _bracketed_numbers(plain: str) -> list[Span]:
    """The items `(1)` or `1)` and those that continue the sequence."""
    items: list[Span] = []
    expected = {1: 1, 2: 1}
    for found in _BRACKETED.finditer(plain):
        style = found.lastindex or 1
        number = int(found[style])
        if number not in (1, expected[style]) or _belongs_to_words(plain, found.start(), style):
            continue
        expected[style] = number + 1
        items.append(found.span())
    return items


def _belongs_to_words(plain: str, start: int, style: int) -> bool:
    """Whether it is a repetition as in `five (5)`, or `5)` closes an earlier bracket."""
    if style == 1:
        return ends_in_number(plain, start)
    return plain.rfind("(", max(0, start - 200), start) > plain.rfind(
        ")", max(0, start - 200), start
    )
