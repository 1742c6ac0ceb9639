"""TokenPlaces: which tokens of a text are in a span of its characters."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import accumulate


class TokenPlaces:
    """The tokens of a text by their character offsets; those without characters are in no span.

    `all`: the tokens with characters, in the order of the text.

    >>> TokenPlaces([(0, 0), (0, 3), (3, 5), (6, 9)]).of(2, 7)
    [1, 2, 3]
    """

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        rows = [(start, end, at) for at, (start, end) in enumerate(spans) if end > start]
        self.all = [at for _, _, at in rows]
        rows.sort()
        self._rows = rows
        self._starts = [start for start, _, _ in rows]
        # Bytes of one character share a span, and nothing keeps a tokenizer from overlaps.
        self._reaches = [*accumulate((end for _, end, _ in rows), max)]

    def of(self, start: int, end: int) -> list[int]:
        """The tokens that share a character with the span, in the order of the text."""
        first, last = bisect_right(self._reaches, start), bisect_left(self._starts, end)
        return sorted([at for _, other_end, at in self._rows[first:last] if other_end > start])
