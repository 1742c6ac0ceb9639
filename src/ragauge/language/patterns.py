"""Regular expressions from outside, with limits on their size and on the time of their searches.

Python's `re` has no such limit, and `^(a|aa)+$` takes longer than the age of the universe on 100 letters.
"""

import re
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from math import prod

import regex

SECONDS = 0.25
"""Processor time that the searches of one score may take together."""
SECONDS_PER_CHARACTER = 1e-6
"""What each character of a text adds, so that a long text with many matches is read to its end."""
SECONDS_PER_SEARCH = 1e-5
SHORTEST = 1e-3
MAX_LENGTH = 10_000
MAX_REPEATED = 100_000
"""The most characters of a pattern whose counted repetitions are written out, as `regex` keeps it in memory."""

# An escaped character, a set of characters, a count, or any other character.
_PART = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{(?P<count>\d++)(?:,\d*+)?\}|.", re.DOTALL)
_COUNT = re.compile(r"\{(\d++)")
_VERBOSE = re.compile(r"\(\?[aiLmsu]*+x")


class PatternTimeoutError(Exception):
    """The searches took too long; the message names the pattern and the length of the text."""


@dataclass(slots=True)
class BoundedPattern:
    """A pattern in the syntax of Python's `re`, ignoring case, whose searches end in time.

    Make one for each score: its searches share their time, so a list of many bullets takes no longer than one text.
    """

    text: str
    seconds: float = SECONDS
    """Processor time that is left for searches."""

    def search(self, text: str) -> "regex.Match[str] | None":
        """The first match, or None; raises PatternTimeoutError."""
        return next(iter(self.findall(text, 1)), None)

    def findall(self, text: str, n: int | None = None) -> "Sequence[regex.Match[str]]":
        """The first `n` matches, or all of them; raises PatternTimeoutError."""
        self.seconds += SECONDS_PER_SEARCH + SECONDS_PER_CHARACTER * len(text)
        limit, start = max(self.seconds, SHORTEST), time.thread_time()
        while True:
            try:
                # At once, since the engine's clock would go on while the caller works on a match.
                found = list(islice(_compiled(self.text).finditer(text, timeout=limit), n))
            except TimeoutError:
                # The engine counts the time of the process, which other threads may have taken.
                if time.thread_time() - start < self.seconds / 2:
                    limit *= 2
                    continue
                raise PatternTimeoutError(
                    f"the pattern {self.text!r:.120} took longer than {self.seconds:.2g} s on a text of "
                    f"{len(text):,} characters; simplify it, for example without a repetition inside a repetition"
                ) from None
            self.seconds -= time.thread_time() - start
            return found


def is_pattern(text: str) -> bool:
    """Whether Python's `re` accepts the text as a pattern, and it is not too large.

    >>> is_pattern("a+"), is_pattern("(a"), is_pattern("(a{1000}){1000}")
    (True, False, False)
    """
    if len(text) > MAX_LENGTH:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # about syntax that other tools have
            re.compile(text, re.IGNORECASE)
        if _written_out(text) > MAX_REPEATED:
            return False
        _compiled(text)
    except (re.error, regex.error, RecursionError, OverflowError, MemoryError, ValueError):
        return False
    return True


def _written_out(text: str) -> int:
    """At least the number of characters of a valid pattern with its counted repetitions written out."""
    if _VERBOSE.search(text):  # a bracket in a comment is none, so the counts are taken as nested
        return prod(max(int(count), 1) for count in _COUNT.findall(text))
    before, last = 0, 0
    outside: list[int] = []
    for part in _PART.finditer(text):
        if part["count"]:
            last *= max(int(part["count"]), 1)
        elif part[0] == "(":
            outside.append(before + last)
            before, last = 0, 0
        elif part[0] == ")":
            before, last = outside.pop(), before + last
        else:
            before, last = before + last, 1
    return before + last


@lru_cache(maxsize=256)
def _compiled(text: str) -> "regex.Pattern[str]":
    return regex.compile(text, regex.IGNORECASE | regex.VERSION0)
