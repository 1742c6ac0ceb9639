"""What was read in texts that come again and again: contexts are shared by questions and systems."""

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

MAX_KEPT, MAX_LENGTH = 2_000, 20_000
"""Most texts, and most characters of a text, whose reading is kept."""


class KeptReadings(Generic[T]):
    """A function of a text, and of what else it is given, that keeps its last results.

    So each distinct text is read once. What else is given is compared, not hashed.

    >>> words = KeptReadings(str.split)
    >>> words("a b") is words("a b")
    True
    >>> words("a,b", ","), words("a,b")
    (['a', 'b'], ['a,b'])
    """

    def __init__(self, read: Callable[..., T]) -> None:
        self._read = read
        self._kept: dict[str, tuple[tuple[object, ...], T]] = {}

    def __call__(self, text: str, *given: object) -> T:
        kept = self._kept.get(text)
        if kept is not None and kept[0] == given:
            return kept[1]
        found = self._read(text, *given)
        if len(self._kept) >= MAX_KEPT:
            self._kept.clear()  # rare, and cheaper than knowing which was used last
        if len(text) <= MAX_LENGTH:
            self._kept[text] = (given, found)
        return found
