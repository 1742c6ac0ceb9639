"""Patterns that ignore case, and search ASCII texts in lower case."""

import re
from collections.abc import Iterator
from functools import cached_property

_CAPITAL = re.compile(r"(?<!\\)[A-Z]")


class AnyCase:
    r"""A pattern that ignores case; a match in an ASCII text has its words in lower case.

    `re` tries an alternative only where its first letter is, but not if it ignores case: in lower case, a search takes half
    to a quarter of the time. A pattern in which case counts somewhere, by `(?-i:`, is searched in the text as it is.

    >>> [match.span() for match in AnyCase(r"\b(?:no|none)\b").finditer("No, NONE")]
    [(0, 2), (4, 8)]
    """

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._is_cased = "(?-i" in pattern

    @cached_property
    def _any(self) -> re.Pattern[str]:
        return re.compile(self._pattern, re.IGNORECASE)

    @cached_property
    def _lower(self) -> re.Pattern[str]:
        return re.compile(_CAPITAL.sub(lambda capital: capital[0].lower(), self._pattern))

    def _searched(self, text: str) -> tuple[re.Pattern[str], str]:
        if self._is_cased or not text.isascii():
            return self._any, text
        return self._lower, text.lower()

    def search(self, text: str, *span: int) -> re.Match[str] | None:
        pattern, text = self._searched(text)
        return pattern.search(text, *span)

    def match(self, text: str, *span: int) -> re.Match[str] | None:
        pattern, text = self._searched(text)
        return pattern.match(text, *span)

    def fullmatch(self, text: str, *span: int) -> re.Match[str] | None:
        pattern, text = self._searched(text)
        return pattern.fullmatch(text, *span)

    def finditer(self, text: str, *span: int) -> Iterator[re.Match[str]]:
        pattern, text = self._searched(text)
        return pattern.finditer(text, *span)
