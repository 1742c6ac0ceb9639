"""What was read in texts that come again and again: contexts of several questions, texts that several features read."""

from collections.abc import Callable
from functools import update_wrapper
from typing import Generic, TypeVar

T = TypeVar("T")

MAX_CHARACTERS, MAX_LENGTH = 4_000_000, 20_000
"""Most characters of all texts together, and of one text, whose reading is kept."""
EACH = 100
"""What a reading takes besides its text counts as this many characters."""


class ReadingCache(Generic[T]):
    """A function of a text, and of what else it is given, that keeps its last results.

    So each distinct text is read once. What else is given is compared, not hashed.

    >>> words = ReadingCache(str.split)
    >>> words("a b") is words("a b")
    True
    >>> words("a,b", ","), words("a,b")
    (['a', 'b'], ['a,b'])
    """

    def __init__(self, read: Callable[..., T]) -> None:
        update_wrapper(self, read, updated=())  # a decorated function keeps its docstring
        self._read = read
        self._kept: dict[str, tuple[tuple[object, ...], T]] = {}
        self._n_characters = 0

    def __call__(self, text: str, *given: object) -> T:
        kept = self._kept.get(text)
        if kept is not None and kept[0] == given:
            return kept[1]
        found = self._read(text, *given)
        n = len(text)
        if n <= MAX_LENGTH:
            if self._n_characters > MAX_CHARACTERS:
                self._kept.clear()  # rare, and cheaper than knowing which was used last
                self._n_characters = 0
            self._kept[text] = (given, found)
            self._n_characters += n + EACH
        return found
