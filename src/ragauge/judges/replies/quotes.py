"""Find a quote in a text, word for word."""

import re
import unicodedata
from array import array
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from ragauge.language.characters import normal_form

Span = tuple[int, int]

QUOTATION_MARKS = "\"'`´‘’‚‛“”„‟«»‹›＂＇「」『』"
DASHES = "-‐‑‒–—―−－"
WHITE_SPACE = " \t\n\r\f\v\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
INVISIBLE = "\xad\u200b\u200e\u200f\u2060\ufeff\ufe0e\ufe0f" + "".join(
    map(chr, [*range(0x202A, 0x202F), *range(0x2066, 0x206A)])
)
"""Soft hyphens, direction marks and the like, which a judge does not copy."""
ALIKE = tuple(
    (sign, alike)
    for signs, alike in ((QUOTATION_MARKS, "'"), (DASHES, "-"), (WHITE_SPACE, " "))
    for sign in signs
    if sign != alike
)
RUNS = "  +|--+"
RUNS_WITH_INVISIBLE = rf"[ {INVISIBLE}]{{2,}}|[{INVISIBLE}]|--+"
JAMO = "\u1160-\u11ff"
"""Vowels and final consonants of Hangul, which join the syllable before them."""
MARKS_LIMIT = 30
"""Maximum number of marks composed with one letter, because sorting them takes quadratic time."""
CUT_LIMIT = 2_000_000
"""Characters compared at positions where the quote cuts words, before the search ends."""

ENDS = frozenset(QUOTATION_MARKS + WHITE_SPACE + INVISIBLE + "…")
ELLIPSES = ("[...]", "[…]", "(...)", "(…)", "...")
ELLIPSIS = re.compile(r"\[(?:…|\.{3})\]|\((?:…|\.{3})\)|…|\.{3,}")
THREE_WORD_CHARACTERS = re.compile(r"[^\W_][\W_]*+[^\W_][\W_]*+[^\W_]")
WORD_CHARACTER = re.compile(r"[^\W_]")


MAX_TEXTS, MAX_LONG_TEXTS = 256, 4
MAX_BUFFERED = 50_000
"""Several quotes in a row are searched in the same contexts: a text of more characters counts as long."""


@lru_cache(MAX_TEXTS)  # a judge may quote the same words for each claim
def find_quote(quote: str, text: str) -> Span | None:
    """Character offsets of a quote in a text; None if the text does not contain it.

    These are equal: runs of white space, quotation marks and apostrophes, dashes, and the two
    spellings of "é" (NFC); invisible characters are ignored. Quotation marks and ellipses around the
    quote are dropped. An ellipsis within it, unless it is in the text, omits words: its parts must
    follow in order, and the offsets span from the first part to the last. Case matters except for the
    quote's first letter; a final full stop is optional. Only whole words and numbers match: "able" is
    not in "unable", nor "5" in "15" or "1.5". A quote with fewer than three letters or digits is never
    found.

    >>> find_quote("“The fee … by May.”", "Members know:\\nthe fee is  due by May 5.")
    (14, 36)
    """
    quote = _trimmed(quote)
    if not THREE_WORD_CHARACTERS.search(quote):
        return None
    if found := _whole(quote, text, 0):
        return found
    folded = _kept(text) if len(text) <= MAX_BUFFERED else _long_kept(text)
    words = _folded(quote).text
    bare = words.removesuffix(".").rstrip()
    for wording in (words, bare) if bare != words else (words,):
        parts = [part.strip() for part in ELLIPSIS.split(wording)]
        parts = [part for part in parts if WORD_CHARACTER.search(part)]
        for each in ([wording], parts)[: 1 + (len(parts) > 1)]:  # the strictest first
            if found := _in_order(each, folded.text):
                return folded.starts[found[0]], folded.ends[found[1] - 1]
    return None


def _trimmed(quote: str) -> str:
    """The quote without surrounding quotation marks, white space and ellipses."""
    start, end = 0, len(quote)
    while start < end:
        if quote[start] in ENDS:
            start += 1
        elif quote.startswith(ELLIPSES, start, end):
            start += next(len(mark) for mark in ELLIPSES if quote.startswith(mark, start, end))
        elif quote[end - 1] in ENDS:
            end -= 1
        elif quote.endswith(ELLIPSES, start, end):
            end -= next(len(mark) for mark in ELLIPSES if quote.endswith(mark, start, end))
        else:
            break
    return quote[start:end]


class _Folded(NamedTuple):
    """A text in which equivalent characters are the same, and where each comes from; composed ones count whole."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]


def _folded(text: str) -> _Folded:
    for sign, alike in ALIKE:  # one search each is faster than `translate` for non-ASCII text
        if sign in text:
            text = text.replace(sign, alike)
    folded: list[str] = []
    starts, ends = array("I"), array("I")
    at = 0
    for found in re.finditer(rf"{_uneven(text)}|\Z", text):
        start, end = found.span()
        signs, instead = found[0], ""
        if signs and not signs.strip("-"):
            instead = "-"
        elif signs.strip(" " + INVISIBLE):
            instead = normal_form("NFC", signs)
        elif " " in signs:
            instead = " "
        folded += (text[at:start], instead)
        starts.extend(range(at, start))
        ends.extend(range(at + 1, start + 1))
        starts.extend([start] * len(instead))
        ends.extend([end] * len(instead))
        at = end
    return _Folded("".join(folded), starts, ends)


_kept = lru_cache(MAX_TEXTS)(_folded)
_long_kept = lru_cache(MAX_LONG_TEXTS)(_folded)


def _uneven(signs: str) -> str:
    """A pattern for what is not copied one to one: runs, and what NFC composes."""
    runs = RUNS_WITH_INVISIBLE if any(sign in signs for sign in INVISIBLE) else RUNS
    if signs.isascii() or unicodedata.is_normalized("NFC", signs):
        return runs
    foreign = {sign for sign in set(signs) if not sign.isascii()}
    marks = JAMO + "".join(sign for sign in sorted(foreign) if _is_mark(sign))
    others = "".join(sign for sign in sorted(foreign) if not unicodedata.is_normalized("NFC", sign))
    letter = rf"[^{marks} {INVISIBLE}]?[{marks}]{{1,{MARKS_LIMIT}}}"
    return f"{letter}|[{others}]|{runs}" if others else f"{letter}|{runs}"


def _in_order(parts: Sequence[str], text: str) -> Span | None:
    """The span from the first part to the last, in order; the first letter may be in the other case."""
    letter = parts[0][0].swapcase()
    first = _whole(parts[0], text, 0)
    if not first and len(letter) == 1:
        first = _whole(letter + parts[0][1:], text, 0)
    span = first
    for part in parts[1:]:
        span = span and _whole(part, text, span[1])
    return (first[0], span[1]) if first and span else None


def _whole(quote: str, text: str, at: int) -> Span | None:
    """The next span of a quote that cuts no word, number or letter with marks."""
    for _ in range(1 + CUT_LIMIT // len(quote)):
        start = text.find(quote, at)
        if start < 0:
            return None
        end = start + len(quote)
        if not _cuts(text, start) and not _cuts(text, end):
            return start, end
        at = start + 1
    return None


def _cuts(text: str, at: int) -> bool:
    """Whether a word, number or letter with marks goes on across this position; words are letters with case, as other scripts have no spaces."""
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    if left in ".," and right.isdecimal():
        return text[max(at - 2, 0) : at - 1].isdecimal()
    if right in ".," and left.isdecimal():
        return text[at + 1 : at + 2].isdecimal()
    if left.isascii() and right.isascii():
        return (left.isalpha() and right.isalpha()) or (left.isdecimal() and right.isdecimal())
    if left in INVISIBLE or right in INVISIBLE:
        return True
    if all(sign.isalpha() and sign.lower() != sign.upper() for sign in (left, right)):
        return True
    return (left.isdecimal() and right.isdecimal()) or _is_mark(right)


def _is_mark(sign: str) -> bool:
    """Whether it joins the letter before it: an accent, a vowel sign, part of a Hangul syllable."""
    is_jamo = "\u1160" <= sign <= "\u11ff"
    return is_jamo or (unicodedata.category(sign)[0] == "M" and sign not in INVISIBLE)
