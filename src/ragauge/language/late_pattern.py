"""A regular expression that is compiled when it is first used.

Compiling the rules for refusals takes a third of a second, and a command that reads no answer needs none of them.
"""

import re
from collections.abc import Callable, Iterator

_METHODS = ("search", "match", "fullmatch", "finditer", "split", "sub")


class LatePattern:
    """Searches as `re.Pattern` does. From the first use on, its methods are those of the compiled pattern.

    >>> late = LatePattern("no +idea", re.IGNORECASE)
    >>> bool(late.search("I have NO  idea"))
    True

    An invalid pattern raises `re.error` at its first use.
    """

    __slots__ = ("flags", "pattern", *_METHODS)

    search: Callable[..., re.Match[str] | None]
    match: Callable[..., re.Match[str] | None]
    fullmatch: Callable[..., re.Match[str] | None]
    finditer: Callable[..., Iterator[re.Match[str]]]
    split: Callable[..., list[str]]
    sub: Callable[[str | Callable[[re.Match[str]], str], str], str]

    def __init__(self, pattern: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        self.pattern = pattern
        self.flags = flags

    def __getattr__(self, name: str) -> object:
        # Called only for a slot that has no value yet.
        if name not in _METHODS:
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self.flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)

    def __repr__(self) -> str:
        return f"LatePattern({self.pattern!r}, {self.flags!r})"
