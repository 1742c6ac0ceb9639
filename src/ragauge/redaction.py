"""Remove secrets from texts that come from outside, in every common encoding of them."""

import html
import re
from base64 import b64encode
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
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
           |x[0-9A-Fa-f]{2})?
    |%[0-7][0-9A-Fa-f]
    |%[CDcd][0-9A-Fa-f]%[89ABab][0-9A-Fa-f]
    |%[Ee][0-9A-Fa-f](?:%[89ABab][0-9A-Fa-f]){2}
    |%[Ff][0-9A-Fa-f](?:%[89ABab][0-9A-Fa-f]){3}
    |&\#[0-9]{1,7};?|&\#[Xx][0-9A-Fa-f]{1,6};?|&(?:amp|lt|gt|quot|apos);""",
    re.VERBOSE,
)
"""What JSON, URLs and HTML write in place of one character; other backslashes, which nested JSON doubles."""


def redacted(text: str, secrets: Iterable[str]) -> str:
    """The text with each secret of 4 or more characters replaced, in any case of letters.

    A secret is found as it is, with any of its characters escaped as in JSON, URLs and HTML, with several of
    these around each other, in hexadecimal digits, and inside a text in Base64; also where it was in UTF-16.

    >>> redacted("Bearer sk-1234, s%6B-1234, sk\\\\u002d1234", ["sk-1234"])
    'Bearer [redacted], [redacted], [redacted]'
    """
    wanted = frozenset(secret for secret in secrets if len(secret) >= MIN_LENGTH)
    if not wanted:
        return text
    spans = _merged(_spans(text, *_patterns(wanted)))
    if not spans:
        return text
    starts = [0, *(end for _, end in spans)]
    ends = [*(start for start, _ in spans), len(text)]
    return REDACTED.join(text[start:end] for start, end in zip(starts, ends, strict=True))


@lru_cache(64)
def _patterns(secrets: frozenset[str]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns of the secrets, and of what a text in Base64 or hexadecimal digits has of them."""
    # A decoded text has no backslashes, so secrets are looked for without theirs too.
    forms = {*secrets, *(secret.replace("\\", "") for secret in secrets)}
    return (
        re.compile(_any_of(form for form in forms if len(form) >= MIN_LENGTH), re.IGNORECASE),
        re.compile(_any_of(one for secret in secrets for one in _encoded(secret))),
    )


def _spans(
    text: str, plain: re.Pattern[str], encoded: re.Pattern[str]
) -> Iterator[tuple[int, int]]:
    """Where the secrets are, as start and end in the text."""
    decodings: list[_Decoding] = []
    for _ in range(MAX_DECODINGS):
        for start, end in (*_plain(plain, text), *_in_base64(encoded, text)):
            yield _in_original(start, end, decodings)
        decoding = _Decoding.of(text)
        if decoding is None:
            return
        decodings.append(decoding)
        text = decoding.text


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
    """What any Base64 or hexadecimal text around the secret contains, whatever is before and after it."""
    for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
        data = secret.encode(encoding, "surrogatepass")
        for n_before in range(3):
            # Characters that depend on bytes before or after the secret are left out.
            first, last = -(-8 * n_before // 6), 8 * (n_before + len(data)) // 6
            coded = b64encode(bytes(n_before) + data).decode()[first:last]
            yield coded
            yield coded.replace("+", "-").replace("/", "_")
        yield data.hex()
        yield data.hex().upper()


def _in_base64(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """Where encoded secrets are, with the one character on each side that has bits of the secret too."""
    for match in pattern.finditer(text):
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
    def of(cls, text: str) -> "_Decoding | None":
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

        for match in _TOKEN.finditer(text):
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


def _sign(token: str) -> str | None:
    """What an escape stands for: a character, nothing, or None if it is no escape."""
    if token == "\0":
        made = ""
    elif token.startswith("%"):
        made = bytes.fromhex(token.replace("%", "")).decode("utf-8", "replace")
    elif token.startswith("&"):
        made = html.unescape(token if token.endswith(";") else f"{token};")
    else:
        codes = re.findall(r"[ux]([0-9A-Fa-f]+)", token)
        units = b"".join(int(code, 16).to_bytes(2, "big") for code in codes)
        made = units.decode("utf-16-be", "surrogatepass")
    return made if len(made) <= 1 else None


def _in_original(start: int, end: int, decodings: Sequence[_Decoding]) -> tuple[int, int]:
    for decoding in reversed(decodings):
        start, end = decoding.before(start, end)
    return start, end


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in order; those that overlap as one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((start, end))
    return merged
