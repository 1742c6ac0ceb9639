"""Digits, signs and letters of all scripts in a form that patterns can match, at the same offsets."""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import regex

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
LONGEST_RUN = 30
"""Most combining marks in a row in Unicode's Stream-Safe Text Format (UAX #15, section 13)."""
JOINER = "\u034f"
"""The combining grapheme joiner: invisible, and marks are not sorted across it."""


def normal_form(form: Form, text: str) -> str:
    """The text in a Unicode normal form, as `unicodedata.normalize`.

    In a run of more than 30 combining marks, which no language has, an invisible joiner follows each 30, as UAX #15 recommends.
    """
    if text.isascii():
        return text
    if len(text) > LONGEST_RUN:
        text = _long_runs().sub(rf"\g<0>{JOINER}", text)
    return unicodedata.normalize(form, text)


@cache
def _long_runs() -> "regex.Pattern[str]":
    """Matches each 30 combining marks that another one follows."""
    import regex

    return regex.compile(rf"\P{{ccc=0}}{{{LONGEST_RUN}}}(?=\P{{ccc=0}})")


_ZEROS = (
    *(0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6),
    *(0x0D66, 0x0DE6, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0),
    *(0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0),
    *(0xAA50, 0xABF0, 0xFF10, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6),
)
_PLAIN = (
    {zero + digit: str(digit) for zero in _ZEROS for digit in range(10)}
    | {ord(sign): "-" for sign in "−﹣－‐‑–"}
    | {ord(space): "\u00a0" for space in "\u2007\u2009\u202f"}
    | {ord(quote): "'" for quote in "’ʼ＇"}
    | {ord(sign): chr(ord(sign) - 0xFEE0) for sign in "，．％＄＋／：（）"}
    | {0x066B: ".", 0x066C: ",", 0x066A: "%", 0x2044: "/", 0x2215: "/", 0xFFE1: "£"}
    | {0xFFE5: "¥", 0xFE69: "$", 0xFE6A: "%"}
)
_UNUSUAL = re.compile(f"[{re.escape(''.join(map(chr, _PLAIN)))}]")


def plain_signs(text: str) -> str:
    """The text with the digits, signs and separators of other scripts as ASCII, at the same offsets.

    >>> plain_signs("−５％")
    '-5%'
    """
    if text.isascii() or not _UNUSUAL.search(text):
        return text
    return text.translate(_PLAIN)


def is_word(sign: str) -> bool:
    """Whether a character next to a number makes it part of a name: `_`, or a letter of a script with spaces.

    >>> [is_word(sign) for sign in ("B", "_", "円", " ", "")]
    [True, True, False, False, False]
    """
    return sign == "_" or ("" < sign < "\u0590" and sign.isalpha())


def positions(text: str, words: Iterable[str]) -> list[int]:
    """The positions of the words in the text, in order; much faster than a pattern of alternatives."""
    found: list[int] = []
    for word in words:
        at = text.find(word)
        while at >= 0:
            found.append(at)
            at = text.find(word, at + 1)
    found.sort()
    return found


def lower_letters(text: str) -> str:
    """The text in lower case at the same offsets; letters whose lower case is longer stay unchanged."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)
