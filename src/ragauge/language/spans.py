"""SpanSet: the places of a text that some spans cover."""

from bisect import bisect_right
from collections.abc import Iterable


class SpanSet:
    """Whether a place is in one of some spans, in any order and with overlaps, found without trying each.

    >>> covered = SpanSet([(6, 9), (0, 2), (1, 3)])
    >>> 2 in covered, 3 in covered
    (True, False)
    """

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        starts, ends = [-1], [-1]
        for start, end in sorted(spans):
            if start <= ends[-1]:
                ends[-1] = max(end, ends[-1])
            else:
                starts.append(start)
                ends.append(end)
        self._starts, self._ends = starts, ends

    def __contains__(self, place: int) -> bool:
        return place < self._ends[bisect_right(self._starts, place) - 1]
