"""Remove secrets from texts that come from outside, in every common encoding of them."""

import html
import re
import sys
from base64 import b32encode, b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

REDACTED = "[redacted]"
MIN_LENGTH = 4
MAX_DECODINGS = 8
"""How many encodings, one around the other, are looked through."""

_TOKEN = re.compile(
    r"""\x00  # between the letters of UTF-16 that was read as something else
    |\\+(?:u[Dd][89ABab][0-9A-Fa-f]{2}\\+u[Dd][C-Fc-f][0-9A-Fa-f]{2}  # a pair of surrogates
           |u[0-9A-Fa-f]{4}
           |u\{0{0,9}[0-9A-Fa-f]{1,6}\}
           |U00[0-9A-Fa-f]{6}
           |x[0-9A-Fa-f]{2}
           |[0-1][0-7]{2})?
    |%[0-7][0-9A-Fa-f]
    |%[Uu][0-9A-Fa-f]{4}
    |%[CDcd][0-9A-Fa-f]%[89ABab][0-9A-Fa-f]
    |%[Ee][0-9A-Fa-f](?:%[89ABab][0-9A-Fa-f]){2}
    |%[Ff][0-9A-Fa-f](?:%[89ABab][0-9A-Fa-f]){3}
    |&\#0{0,40}[0-9]{1,7};?|&\#[Xx]0{0,40}[0-9A-Fa-f]{1,6};?|&[A-Za-z]{2,10};""",
    re.VERBOSE,
)
"""What JSON, URLs, HTML and programs write in place of one character; other backslashes, which nested JSON doubles."""
_QUOTED = re.compile(r"=(?:[0-9A-Fa-f]{2}|\r?\n)")
_LINE_ENDS = re.compile(r"(?<!\\)\\++[nrt]")
_BETWEEN = re.compile(r"[\s\0\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]+")
"""Line ends, spaces and invisible characters, which may break a secret into pieces."""
_ALIKE = {
    **{sign + 0xFEE0: chr(sign) for sign in range(0x21, 0x7F)},
    **dict.fromkeys(map(ord, "‐‑‒–—―−﹘﹣"), "-"),
    **dict.fromkeys(map(ord, "‘’‛′"), "'"),
    **dict.fromkeys(map(ord, "“”‟″"), '"'),
}
"""The full-width forms of ASCII, and the hyphens and quotation marks that typesetting puts in place of its own."""
MIN_BROKEN = 8
"""Shorter secrets are not looked for across spaces and line ends."""


def redacted(text: str, secrets: Iterable[str]) -> str:
    """The text with each secret of 4 or more characters replaced, in any case of letters.

    A secret is found as it is, with any of its characters escaped as in JSON, URLs, HTML, mails and programs, with
    several of these around each other, in hexadecimal digits or the numbers of its bytes, and inside a text in Base32
    or Base64, once or twice; also where it was in UTF-16, and where line ends or spaces break any of these.

    >>> redacted("Bearer sk-1234, s%6B-1234, sk\\\\u002d1234", ["sk-1234"])
    'Bearer [redacted], [redacted], [redacted]'
    """
    wanted = frozenset(secret for secret in secrets if len(secret) >= MIN_LENGTH)
    if not wanted:
        return text
    patterns = _patterns(wanted)
    if not any(patterns.found(view) for view in _views(_View(text, ()))):  # nearly always
        return text
    places = [(at, at + 1) for at in range(len(text))]
    spans = {span for view in _views(_View(text, places)) for span in patterns.spans(view, text)}
    shown: list[str] = []
    at = 0
    for start, end in sorted(spans):
        begin = start
        while begin > at and text[begin - 1] == "\\":  # those of an escape at its beginning
            begin -= 1
        if start >= at:  # else it overlaps the one before
            shown += (text[at:begin], REDACTED)
        at = max(at, end)
        while at < len(text) and text[at] == "\\" and text[at - 1] == "\\":
            at += 1
    return "".join((*shown, text[at:]))


class _View(NamedTuple):
    """A text as somebody may decode it; `places`: start and end of each of its characters in the text itself, if asked for.

    `is_whole`: without what may break a secret into pieces.
    """

    text: str
    places: Sequence[tuple[int, int]]
    is_whole: bool = False


def _views(first: _View) -> Iterator[_View]:
    for start in (first, _decoded(first, _QUOTED), _decoded(first, _LINE_ENDS)):
        view: _View | None = start
        for _ in range(MAX_DECODINGS):
            if view is None:
                break
            yield view
            whole = _BETWEEN.sub("", view.text).translate(_ALIKE)
            if whole != view.text:
                signs = enumerate(view.text) if view.places else ()
                places = [view.places[at] for at, sign in signs if not _BETWEEN.match(sign)]
                yield _View(whole, places, is_whole=True)
            view = _decoded(view, _TOKEN)


def _decoded(view: _View, token: re.Pattern[str]) -> _View | None:
    """The view with its escapes replaced by what they stand for; None if it has none."""
    signs: list[str] = []
    places: list[tuple[int, int]] = []
    at = 0
    for match in token.finditer(view.text):
        if (sign := _sign(match[0])) is not None:
            start, end = match.span()
            signs += (view.text[at:start], sign)
            places += view.places[at:start]
            if sign and view.places:
                places.append((view.places[start][0], view.places[end - 1][1]))
            at = end
    if not at:
        return None
    return _View("".join((*signs, view.text[at:])), [*places, *view.places[at:]])


@lru_cache(4_096)
def _sign(token: str) -> str | None:
    """What an escape stands for: a character, nothing, or None if it is no escape."""
    if token == "\0" or _LINE_ENDS.fullmatch(token):
        made = ""
    elif token.startswith("="):
        made = "" if token.endswith("\n") else chr(int(token[1:], 16))
    elif token[:2] in ("%u", "%U"):
        made = chr(int(token[2:], 16))
    elif token.startswith("%"):
        made = bytes.fromhex(token.replace("%", "")).decode("utf-8", "replace")
    elif token.startswith("&"):
        made = html.unescape(token if token.endswith(";") else f"{token};")
    elif digits := re.fullmatch(r"\\+(?:u\{([0-9A-Fa-f]+)\}|U([0-9A-Fa-f]+)|([0-7]+))", token):
        code = int(digits[3], 8) if digits[3] else int(digits[1] or digits[2], 16)
        made = chr(code) if code <= sys.maxunicode else "\ufffd"
    else:
        codes = re.findall(r"[ux]([0-9A-Fa-f]+)", token)
        units = b"".join(int(code, 16).to_bytes(2, "big") for code in codes)
        made = units.decode("utf-16-be", "surrogatepass")
    return made if len(made) <= 1 else None


class _Patterns(NamedTuple):
    """What to look for: the secrets, also without spaces, and what encoded texts have of them."""

    plain: re.Pattern[str]
    unbroken: re.Pattern[str]
    encoded: Sequence[str]
    numbers: Sequence[re.Pattern[str]]

    def found(self, view: _View) -> bool:
        """Whether a view has a secret."""
        return bool(
            (self.unbroken if view.is_whole else self.plain).search(view.text)
            or any(each in view.text for each in self.encoded)
            or any(pattern.search(view.text) for pattern in self.numbers)
        )

    def spans(self, view: _View, text: str) -> Iterator[tuple[int, int]]:
        """Where secrets are in the text itself."""

        def is_next(at: int) -> bool:
            """Whether a text in Base64 goes on from the character before to this one, with no more than a line end between."""
            gap = text[view.places[at - 1][1] : view.places[at][0]]
            return not gap or bool(gap.strip(" \t"))

        def is_base64(at: int) -> bool:
            sign = view.text[at]
            return sign.isascii() and (sign.isalnum() or sign in "+/-_")

        for match in (self.unbroken if view.is_whole else self.plain).finditer(view.text):
            yield view.places[match.start()][0], view.places[match.end() - 1][1]
        # Looking for each text is far quicker than one pattern of all.
        there = [re.compile(re.escape(each)) for each in self.encoded if each in view.text]
        for match in (
            match for each in (*there, *self.numbers) for match in each.finditer(view.text)
        ):
            start, end = match.span()
            # The characters beside it have bits of the secret too.
            if start and is_base64(start - 1) and is_next(start):
                start -= 1
            if end < len(view.text) and is_base64(end) and is_next(end):
                end += 1
            while end < len(view.text) and view.text[end] == "=":
                end += 1
            yield view.places[start][0], view.places[end - 1][1]


@lru_cache(64)
def _patterns(secrets: frozenset[str]) -> _Patterns:
    # A decoded text has no backslashes, so secrets are looked for without theirs too.
    forms = {*secrets, *(secret.replace("\\", "") for secret in secrets)}
    long = {form for each in forms if len(form := _BETWEEN.sub("", each)) >= MIN_BROKEN}
    # The longest first: one secret may be the beginning of another.
    plain, unbroken = (
        "|".join(map(re.escape, sorted(texts, key=len, reverse=True))) or "(?!)"
        for texts in ({form for form in forms if len(form) >= MIN_LENGTH}, long)
    )
    return _Patterns(
        re.compile(plain, re.IGNORECASE),
        re.compile(unbroken, re.IGNORECASE),
        tuple({text for secret in secrets for text in _encoded(secret)}),
        tuple(re.compile(pattern) for secret in secrets for pattern in _numbers(secret)),
    )


def _encoded(secret: str) -> Iterator[str]:
    """What any text in Base64 or Base32 around the secret contains, whatever is before and after it."""
    for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
        data = secret.encode(encoding, "surrogatepass")
        for coded in _pieces(data, b64encode, 6):
            yield coded
            yield coded.replace("+", "-").replace("/", "_")
    data = secret.encode("utf-8", "surrogatepass")
    for coded in _pieces(data, b32encode, 5):
        yield coded
        yield coded.lower()
    for coded in _pieces(data, b64encode, 6):
        if len(coded) >= MIN_BROKEN:
            yield from _pieces(coded.encode(), b64encode, 6)


def _pieces(data: bytes, encode: Callable[[bytes], bytes], n_bits: int) -> Iterator[str]:
    """The encoded data after any number of bytes, without the characters that depend on others around it."""
    for n_before in range(n_bits // 2 if n_bits == 6 else n_bits):
        first, last = -(-8 * n_before // n_bits), 8 * (n_before + len(data)) // n_bits
        yield encode(bytes(n_before) + data).decode()[first:last]


def _numbers(secret: str) -> Iterator[str]:
    """Patterns of the secret's bytes in hexadecimal digits, also apart, and as decimal, octal and binary numbers."""
    # Both cases of each digit; far quicker than a pattern that ignores them all.
    either = {digit: f"[{digit}{digit.upper()}]" for digit in "abcdef"}
    for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
        data = secret.encode(encoding, "surrogatepass")
        digits = ("".join(either.get(digit, digit) for digit in f"{byte:02x}") for byte in data)
        yield r"[ :,;_-]{0,2}(?:0x|U\+)?".join(digits)
    data = secret.encode("utf-8", "surrogatepass")
    for form, between in (("d", "[,; ]{1,2}"), ("03o", "[,; ]{1,2}"), ("08b", "[,; ]{0,2}")):
        yield between.join(f"{byte:{form}}" for byte in data)
