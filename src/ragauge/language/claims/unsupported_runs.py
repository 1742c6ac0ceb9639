"""Runs of an answer's words that nothing supports."""

import re
from collections.abc import Iterable

from ragauge.language.text import Span

SENTENCE_END = re.compile(r"[.!?。！？]\s|[\n。！？]")

MAX_PARTS = 40
"""Characters of the other parts of a compound that are looked for."""
FIRST_PARTS = re.compile(r"(?:(?<!\w)[^\W\d_]+-)+\Z")
LAST_PARTS = re.compile(r"(?:-[^\W\d_]+)+(?!\w)")


def unsupported_runs(answer: str, words: Iterable[tuple[int, int, bool]]) -> list[Span]:
    """Spans of consecutive unsupported words, none across the end of a sentence; compounds such as `low-cost` are whole.

    `words`: start, end and whether it is supported, for each word in order.

    >>> unsupported_runs("no dogs. no cats, birds", [(3, 7, False), (12, 16, False), (18, 23, False)])
    [(3, 7), (12, 23)]
    """
    spans: list[Span] = []
    goes_on = False
    for start, end, is_supported in words:
        if is_supported:
            goes_on = False
        elif goes_on and not SENTENCE_END.search(answer, spans[-1][1] - 1, start):
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
            goes_on = True
    return [(_first_part(answer, start), _last_part(answer, end)) for start, end in spans]


def _first_part(answer: str, start: int) -> int:
    """Where the compound begins whose later part begins at `start`."""
    before = FIRST_PARTS.search(answer, max(0, start - MAX_PARTS), start)
    return before.start() if before else start


def _last_part(answer: str, end: int) -> int:
    """Where the compound ends whose part ends at `end`."""
    after = LAST_PARTS.match(answer, end, end + MAX_PARTS)
    return after.end() if after else end
