"""Where a quote stands in a text, word for word."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

Span = tuple[int, int]
"""Where a piece of text starts and ends, as in text[start:end]."""

QUOTATION_MARKS = "\"'`´‘’‚‛“”„‟«»‹›＂＇「」『』"
DASHES = "-‐‑‒–—―−－"
WHITE_SPACE = " \t\n\r\f\v\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
INVISIBLE = "\xad\u200b\u200e\u200f\u2060\ufeff\ufe0e\ufe0f" + "".join(
    map(chr, [*range(0x202A, 0x202F), *range(0x2066, 0x206A)])
)
"""Soft hyphens, marks of direction and the like, which a judge does not copy."""
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
"""Marks that are composed with one letter at most, for they are sorted, in quadratic time."""
CUT_LIMIT = 2_000_000
"""Characters of a quote that are compared in places where it cuts words, before it is given up."""

ENDS = frozenset(QUOTATION_MARKS + WHITE_SPACE + INVISIBLE + "…")
ELLIPSES = ("[...]", "[…]", "(...)", "(…)", "...")
ELLIPSIS = re.compile(r"\[(?:…|\.{3})\]|\((?:…|\.{3})\)|…|\.{3,}")
THREE_WORD_CHARACTERS = re.compile(r"[^\W_][\W_]*+[^\W_][\W_]*+[^\W_]")
WORD_CHARACTER = re.compile(r"[^\W_]")


MAX_TEXTS = 256
MAX_BUFFERED = 50_000
"""Several quotes are looked for in the same contexts, shortly after each other. Characters of a text
that is kept for that."""


def find_quote(quote: str, text: str) -> Span | None:
    """Where a quote stands in a text, as offsets of characters; None where it does not.

    Alike are: runs of white space, quotation marks and apostrophes, dashes, and the two spellings
    of "é" (NFC); invisible characters do not count. Quotation marks and an ellipsis around the
    quote are dropped. An ellipsis within it, unless it stands in the text, leaves words out: the
    parts follow one another, and the offsets go from the first's start to the last's end. Case
    matters, except that the quote's first letter may differ, and a full stop at its end need not be
    in the text. Whole words and numbers only: "able" does not stand in "unable", nor "5" in "15" or
    "1.5". A quote with under three letters and digits stands nowhere.

    >>> find_quote("“The fee … by May.”", "Members know:\\nthe fee is  due by May 5.")
    (14, 36)
    """
    start, end = _trimmed(quote)
    quote = quote[start:end]
    if not THREE_WORD_CHARACTERS.search(quote):
        return None
    found = _whole(quote, text, 0)
    return found or _folded(text).find(_Folded.of(quote).text)


def _trimmed(quote: str) -> Span:
    """Where the quote is without the quotation marks, white space and ellipses around it."""
    start, end = 0, len(quote)
    while start < end:
        if quote[start] in ENDS:
            start += 1
        elif quote.startswith(ELLIPSES, start, end):
            start += next(len(one) for one in ELLIPSES if quote.startswith(one, start, end))
        elif quote[end - 1] in ENDS:
            end -= 1
        elif quote.endswith(ELLIPSES, start, end):
            end -= next(len(one) for one in ELLIPSES if quote.endswith(one, start, end))
        else:
            break
    return start, end


class _Piece(NamedTuple):
    """A stretch of the folded text, and the stretch of the original that it was made of.

    `is_copy`: character for character.
    """

    at: int
    start: int
    end: int
    is_copy: bool


class _Folded(NamedTuple):
    """A text in which characters that count as alike are the same, and where each came from."""

    text: str
    pieces: Sequence[_Piece]

    @classmethod
    def of(cls, text: str) -> "_Folded":
        signs = _alike(text)
        folded: list[str] = []
        pieces: list[_Piece] = []
        at = copied = 0
        for found in re.finditer(_uneven(signs), signs):
            start, end = found.span()
            if copied < start:
                folded.append(signs[copied:start])
                pieces.append(_Piece(at, copied, start, True))
                at += start - copied
            if instead := _instead(found[0]):
                folded.append(instead)
                pieces.append(_Piece(at, start, end, False))
                at += len(instead)
            copied = end
        if copied < len(signs):
            folded.append(signs[copied:])
            pieces.append(_Piece(at, copied, len(signs), True))
        return cls("".join(folded), pieces)

    def find(self, quote: str) -> Span | None:
        """Where a quote, folded too, stands in the original text."""
        for wording in _wordings(quote):
            if span := self._find_in_order(wording):
                return self._original(span)
        return None

    def _find_in_order(self, parts: Sequence[str]) -> Span | None:
        """From the start of the first part to the end of the last, one after the other."""
        first = _whole(parts[0], self.text, 0) or _whole(_other_case(parts[0]), self.text, 0)
        if not first:
            return None
        start, end = first
        for part in parts[1:]:
            found = _whole(part, self.text, end)
            if not found:
                return None
            end = found[1]
        return start, end

    def _original(self, span: Span) -> Span:
        """The offsets in the original text; what was made of several characters counts whole."""
        first, last = span[0], span[1] - 1
        from_piece, to_piece = self._piece(first), self._piece(last)
        start = from_piece.start + first - from_piece.at
        end = to_piece.start + last - to_piece.at + 1 if to_piece.is_copy else to_piece.end
        return start, end

    def _piece(self, at: int) -> _Piece:
        return self.pieces[bisect_right(self.pieces, at, key=lambda piece: piece.at) - 1]


_kept = lru_cache(MAX_TEXTS)(_Folded.of)


def _folded(text: str) -> _Folded:
    return _kept(text) if len(text) <= MAX_BUFFERED else _Folded.of(text)


def _alike(text: str) -> str:
    """The text with one kind of quotation mark, of dash and of white space; as long as before."""
    for sign, alike in ALIKE:  # a search each, which is faster than `translate` beyond ASCII
        if sign in text:
            text = text.replace(sign, alike)
    return text


def _uneven(signs: str) -> str:
    """A pattern for what is not copied character for character: runs, and what NFC composes."""
    runs = RUNS_WITH_INVISIBLE if any(sign in signs for sign in INVISIBLE) else RUNS
    if signs.isascii() or unicodedata.is_normalized("NFC", signs):
        return runs
    foreign = {sign for sign in set(signs) if not sign.isascii()}
    marks = JAMO + "".join(sign for sign in sorted(foreign) if _is_mark(sign))
    others = "".join(sign for sign in sorted(foreign) if not unicodedata.is_normalized("NFC", sign))
    letter = rf"[^{marks} {INVISIBLE}]?[{marks}]{{1,{MARKS_LIMIT}}}"
    return f"{letter}|[{others}]|{runs}" if others else f"{letter}|{runs}"


def _instead(signs: str) -> str:
    if not signs.strip("-"):
        return "-"
    if not signs.strip(" " + INVISIBLE):
        return " " if " " in signs else ""
    return unicodedata.normalize("NFC", signs)


def _wordings(quote: str) -> Iterator[list[str]]:
    """The ways to read a quote, the strictest first: as parts that follow one another."""
    bare = quote.removesuffix(".").rstrip()
    for words in (quote, bare) if bare != quote else (quote,):
        yield [words]
        parts = [part.strip() for part in ELLIPSIS.split(words)]
        parts = [part for part in parts if WORD_CHARACTER.search(part)]
        if len(parts) > 1:
            yield parts


def _other_case(quote: str) -> str:
    """The quote with its first letter in the other case."""
    first = quote[0].swapcase()
    return first + quote[1:] if len(first) == 1 else quote


def _whole(quote: str, text: str, at: int) -> Span | None:
    """Where a quote next stands in a text and cuts no word, number or letter with its marks."""
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
    """Whether a word, a number or a letter with its marks goes on across this place."""
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    if left in ".," and right.isdecimal():
        return text[max(at - 2, 0) : at - 1].isdecimal()
    if right in ".," and left.isdecimal():
        return text[at + 1 : at + 2].isdecimal()
    return _belong_together(left, right)


def _belong_together(left: str, right: str) -> bool:
    """Whether two neighbours are of one word, number or letter, or may be, across what is invisible.

    Words are of letters with case: scripts without it do without spaces, or write prefixes on.
    """
    if left.isascii() and right.isascii():
        return (left.isalpha() and right.isalpha()) or (left.isdecimal() and right.isdecimal())
    if left in INVISIBLE or right in INVISIBLE:
        return True
    if _is_cased(left) and _is_cased(right):
        return True
    return (left.isdecimal() and right.isdecimal()) or _is_mark(right)


def _is_cased(sign: str) -> bool:
    return sign.isalpha() and sign.lower() != sign.upper()


def _is_mark(sign: str) -> bool:
    """Whether it joins the letter before it: an accent, a vowel sign, a part of a Hangul syllable."""
    is_jamo = "\u1160" <= sign <= "\u11ff"
    return is_jamo or (unicodedata.category(sign)[0] == "M" and sign not in INVISIBLE)
