"""Regular expressions from outside, with a limit on the time of each call.

Python's `re` has no such limit, and `^(a|aa)+$` takes longer than the age of the universe on 100 letters.
"""

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, cast

import regex

SECONDS = 0.25
"""Processor time that one search may take."""
MAX_LENGTH = 10_000


class Match(Protocol):
    """What is read of a match."""

    def __getitem__(self, group: int, /) -> str: ...
    def start(self) -> int: ...
    def end(self) -> int: ...


class PatternTimeoutError(Exception):
    """A search took too long; the message names the pattern and the length of the text."""


@dataclass(frozen=True, slots=True)
class BoundedPattern:
    """A pattern in the syntax of Python's `re`, ignoring case, whose searches end in time."""

    text: str

    def search(self, text: str) -> Match | None:
        """The first match, or None; raises PatternTimeoutError."""
        return next(self.finditer(text), None)

    def finditer(self, text: str) -> Iterator[Match]:
        """All matches, in order; raises PatternTimeoutError."""
        matches = _compiled(self.text).finditer(text, timeout=SECONDS)
        try:
            yield from cast("Iterator[Match]", matches)
        except TimeoutError:
            raise PatternTimeoutError(
                f"the pattern {self.text!r:.120} took longer than {SECONDS:g} s on a text of {len(text):,} "
                "characters; simplify it, for example without a repetition inside a repetition"
            ) from None


def is_pattern(text: str) -> bool:
    """Whether Python's `re` accepts the text as a pattern.

    >>> is_pattern("a+"), is_pattern("(a")
    (True, False)
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # about syntax that other tools have
            re.compile(text, re.IGNORECASE)
        _compiled(text)
    except (re.error, regex.error, RecursionError, OverflowError, ValueError):
        return False
    return len(text) <= MAX_LENGTH


@lru_cache(maxsize=256)
def _compiled(text: str) -> "regex.Pattern[str]":
    return regex.compile(text, regex.IGNORECASE | regex.VERSION0)
