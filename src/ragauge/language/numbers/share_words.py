"""Shares and amounts that a word such as `half` states: `half`, `a third of it`, `half a million`."""

import re
from collections.abc import Iterator
from decimal import Decimal

from ragauge.language.numbers.quantity import DIVIDING, Reading

_NTH = ("third", "quarter", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_BELOW = {"half": 2} | {name: below for below, name in enumerate(_NTH, start=3)}
_SCALES = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_SCALE = rf"({'|'.join(_SCALES)})\b"
_NAMES = "|".join(_NTH)
_SHARE = re.compile(
    rf"(?:\ban?[ -])?\bhalf\b(?:(?: of)?(?: an?)? {_SCALE})?|\ban? ({_NAMES})\b(?: of an? {_SCALE})?"
)
_OTHER_HALF = re.compile(
    r"\b(?:first|second|1st|2nd|latter|former|last|other|next|previous|early|late|better|one|and an?|and|in)[ -]$|[\w'-]$"
)
_NO_SHARE = re.compile(
    r"['-]|\s(?:time\b|years?\b|a dozen\b|brother|sister|marathon|way\b|as\b|past\b)"
)
_END_OF_SHARE = re.compile(r" (?:of\b|(?:is|was|are|were|comes?|came)\b)|[.,;:!?)]|\s*\Z")
_HINTS = ("half", *(f"a {name}" for name in _BELOW), "an eighth")


def shares_in_words(lowered: str) -> Iterator[Reading]:
    """The shares of a text in lower case, apart from those that begin with a number, such as `two thirds`.

    Halves of a year (`the second half`) are none, and ordinals (`a third party`) are none.

    >>> [str(each.value) for each in shares_in_words("half a million, half of it, a third party")]
    ['0.5', '0.5']
    """
    if not any(hint in lowered for hint in _HINTS):
        return
    for found in _SHARE.finditer(lowered):
        scale = found[1] or found[3]
        start, end = found.span()
        if _OTHER_HALF.search(lowered, max(0, start - 12), start) or _NO_SHARE.match(lowered, end):
            continue
        if found[2] and not scale and not _END_OF_SHARE.match(lowered, end):
            continue
        below = _BELOW[found[2] or "half"]
        value = DIVIDING.divide(Decimal(1), Decimal(below))
        yield Reading(start, end, value, scale=_SCALES[scale] if scale else 0)
