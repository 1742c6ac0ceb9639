"""Remove secrets from texts that come from outside, in every common encoding of them."""

import html
import re
import sys
from base64 import b32encode, b64encode
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

REDACTED = "[redacted]"
MIN_LENGTH = 4
"""Shorter secrets are parts of ordinary words."""
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
"""The same in mails (quoted-printable)."""
_LINE_ENDS = re.compile(r"(?<!\\)\\++[nrt]")
"""Line ends and tabs in JSON."""
_BETWEEN = re.compile(r"[\s\0\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]+")
"""Line ends, spaces and invisible characters, which may break a secret into pieces."""
_ALIKE = {
    **{sign + 0xFEE0: chr(sign) for sign in range(0x21, 0x7F)},
    **dict.fromkeys(map(ord, "‐‑‒–—―−﹘﹣"), "-"),
    **dict.fromkeys(map(ord, "‘’‛′"), "'"),
    **dict.fromkeys(map(ord, "“”‟″"), '"'),
}
_HAS_ALIKE = re.compile(f"[{re.escape(''.join(map(chr, _ALIKE)))}]")
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
    spans = list(_spans_in(text, patterns))
    for token in (_QUOTED, _LINE_ENDS):
        if decoding := _Decoding.of(text, token):
            spans += (decoding.before(*span) for span in _spans_in(decoding.text, patterns))
    shown: list[str] = []
    at = 0
    for start, end in sorted(spans):
        if start >= at:  # else it overlaps the one before
            shown += (text[at:start], REDACTED)
        at = max(at, end)
    return "".join((*shown, text[at:]))


@dataclass(frozen=True, slots=True)
class _Patterns:
    """What to look for: the secrets, also without spaces, and what encoded texts have of them."""

    plain: re.Pattern[str]
    unbroken: re.Pattern[str] | None
    encoded: Sequence[str]
    numbers: Sequence[re.Pattern[str]]

    def in_encoded(self, text: str) -> Iterator[re.Match[str]]:
        """Where encoded secrets are."""
        # Looking for each text is far quicker than one pattern of all.
        there = [each for each in self.encoded if each in text]
        if there:
            yield from re.finditer(_any_of(there), text)
        for pattern in self.numbers:
            yield from pattern.finditer(text)


@lru_cache(64)
def _patterns(secrets: frozenset[str]) -> _Patterns:
    # A decoded text has no backslashes, so secrets are looked for without theirs too.
    forms = {*secrets, *(secret.replace("\\", "") for secret in secrets)}
    unbroken = {_BETWEEN.sub("", form) for form in forms}
    long = [form for form in unbroken if len(form) >= MIN_BROKEN]
    return _Patterns(
        re.compile(_any_of(form for form in forms if len(form) >= MIN_LENGTH), re.IGNORECASE),
        re.compile(_any_of(long), re.IGNORECASE) if long else None,
        tuple({text for secret in secrets for text in _encoded(secret)}),
        tuple(re.compile(pattern) for secret in secrets for pattern in _numbers(secret)),
    )


def _spans_in(text: str, patterns: _Patterns) -> Iterator[tuple[int, int]]:
    """Where the secrets are, as start and end in the text."""
    decodings: list[_Decoding] = []
    for _ in range(MAX_DECODINGS):
        for start, end in (
            *_plain(patterns.plain, text),
            *_in_base64(patterns.in_encoded(text), text),
            *_broken(patterns, text),
        ):
            for decoding in reversed(decodings):
                start, end = decoding.before(start, end)
            yield start, end
        decoding = _Decoding.of(text, _TOKEN)
        if decoding is None:
            return
        decodings.append(decoding)
        text = decoding.text


def _broken(patterns: _Patterns, text: str) -> Iterator[tuple[int, int]]:
    """Where secrets are that spaces, line ends or invisible characters break, or in full-width or typographic signs."""
    whole = _BETWEEN.sub("", text)
    if _HAS_ALIKE.search(whole):
        whole = whole.translate(_ALIKE)
    if whole == text or patterns.unbroken is None:
        return
    matches = [*patterns.unbroken.finditer(whole), *patterns.in_encoded(whole)]
    if not matches:
        return
    places = [at for at, sign in enumerate(text) if not _BETWEEN.match(sign)]
    for match in matches:
        first, last = match.start(), match.end() - 1
        start, end = places[first], places[last] + 1
        if text[start:end] == match[0]:
            continue  # not broken, so found already
        # The characters beside it have bits of an encoded secret too, here or across a line end.
        if first and _is_one_text(text[places[first - 1] : start]):
            start = places[first - 1]
        if last + 1 < len(places) and _is_one_text(text[end : places[last + 1] + 1]):
            end = places[last + 1] + 1
        yield start, end


def _is_one_text(piece: str) -> bool:
    """Whether a text in Base64 goes on here: one of its characters, with a line end between at most."""
    sign = piece.strip()
    return len(sign) == 1 and _is_base64(sign) and (len(piece) == 1 or "\n" in piece)


def _any_of(texts: Iterable[str]) -> str:
    # The longest first: one secret may be the beginning of another.
    return "|".join(map(re.escape, sorted(texts, key=len, reverse=True)))


def _plain(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """Where secrets are; with all backslashes around one that begins or ends with a backslash."""
    done = 0
    for match in pattern.finditer(text):
        start, end = match.span()
        if end <= done:  # so that a run of backslashes is walked through once
            continue
        while text[start] == "\\" and start > done and text[start - 1] == "\\":
            start -= 1
        while text[end - 1] == "\\" and end < len(text) and text[end] == "\\":
            end += 1
        done = end
        yield start, end


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


def _in_base64(matches: Iterable[re.Match[str]], text: str) -> Iterator[tuple[int, int]]:
    """Where encoded secrets are, with the one character on each side that has bits of the secret too."""
    for match in matches:
        start, end = match.span()
        start -= start > 0 and _is_base64(text[start - 1])
        end += end < len(text) and _is_base64(text[end])
        while end < len(text) and text[end] == "=":
            end += 1
        yield start, end


def _is_base64(sign: str) -> bool:
    return sign.isascii() and (sign.isalnum() or sign in "+/-_")


@dataclass(frozen=True, slots=True)
class _Decoding:
    """A text with its escapes replaced by what they stand for, and where each piece of it came from.

    A piece is one decoded character or a run of others. `places`: its start in the new text. `starts`,
    `ends`: its start in the text before, and its end if it is a decoded character, else 0.
    """

    text: str
    places: Sequence[int]
    starts: Sequence[int]
    ends: Sequence[int]

    @classmethod
    def of(cls, text: str, token: re.Pattern[str]) -> "_Decoding | None":
        """None if the text has no escapes."""
        parts: list[str] = []
        places: list[int] = []
        starts: list[int] = []
        ends: list[int] = []
        at = length = 0

        def add(part: str, start: int, end: int) -> None:
            nonlocal length
            if part:
                parts.append(part)
                places.append(length)
                starts.append(start)
                ends.append(end)
                length += len(part)

        for match in token.finditer(text):
            start, end = match.span()
            sign = _sign(match.group())
            if sign is None:
                continue
            add(text[at:start], at, 0)
            add(sign, start, end)
            at = end
        if not at:
            return None
        add(text[at:], at, 0)
        return cls("".join(parts), places, starts, ends)

    def before(self, start: int, end: int) -> tuple[int, int]:
        """A span of the new text in the text before."""
        first, last = bisect_right(self.places, start) - 1, bisect_right(self.places, end - 1) - 1
        return (
            self.starts[first] + start - self.places[first],
            self.ends[last] or self.starts[last] + end - self.places[last],
        )


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
