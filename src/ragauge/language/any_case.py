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

    def search(self, text: str, *span: int) -> re.Match[str] | None:
        if self._is_cased or not text.isascii():
            return self._any.search(text, *span)
        return self._lower.search(text.lower(), *span)

    def match(self, text: str, *span: int) -> re.Match[str] | None:
        if self._is_cased or not text.isascii():
            return self._any.match(text, *span)
        return self._lower.match(text.lower(), *span)

    def fullmatch(self, text: str, *span: int) -> re.Match[str] | None:
        if self._is_cased or not text.isascii():
            return self._any.fullmatch(text, *span)
        return self._lower.fullmatch(text.lower(), *span)

    def finditer(self, text: str, *span: int) -> Iterator[re.Match[str]]:
        if self._is_cased or not text.isascii():
            return self._any.finditer(text, *span)
        return self._lower.finditer(text.lower(), *span)
