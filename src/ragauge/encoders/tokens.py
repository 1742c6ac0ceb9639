"""Tokens of a text, and the part a model reads at once: the first tokens, or windows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragauge.encoders.protocol import Floats

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Tokens:
    """A tokenized text with the special tokens at both ends, `before` and `after` of them; each
    token's character offsets in the text, (0, 0) for special ones, None if unknown."""

    ids: Sequence[int]
    spans: Sequence[Span] | None
    before: int
    after: int

    def __len__(self) -> int:
        return len(self.ids)

    def kept(self, most: int) -> "Tokens":
        """The first tokens that fit the model, with the special tokens at both ends."""
        if len(self) <= most:
            return self
        last = len(self) - self.after
        head = most - self.after
        spans = self.spans and [*self.spans[:head], *self.spans[last:]]
        return Tokens([*self.ids[:head], *self.ids[last:]], spans, self.before, self.after)


def windows_of(n_content: int, size: int) -> tuple[range, ...]:
    """Windows of `size` tokens that overlap by half and together cover all, counted without the special ones.

    >>> windows_of(9, 4)
    (range(0, 4), range(2, 6), range(4, 8), range(5, 9))
    """
    if n_content <= size:
        return (range(n_content),)
    starts = (*range(0, n_content - size, max(1, size // 2)), n_content - size)
    return tuple(range(at, at + size) for at in starts)


def pieces(tokens: Tokens, most: int) -> list[list[int]]:
    """The ids of each window of a text, with special tokens around it."""
    before, after = tokens.before, tokens.after
    last = len(tokens) - after
    head, tail = list(tokens.ids[:before]), list(tokens.ids[last:])
    content = list(tokens.ids[before:last])
    windows = windows_of(len(content), most - before - after)
    return [head + content[window.start : window.stop] + tail for window in windows]


def stitched(tokens: Tokens, most: int, hidden: Sequence[Floats]) -> Floats:
    """One row for each token, (t, d), from the window where it is farthest from an edge."""
    if len(hidden) == 1:
        return hidden[0]
    before, after = tokens.before, tokens.after
    n_content = len(tokens) - before - after
    windows = windows_of(n_content, most - before - after)
    depth, owner = np.full(n_content, -1), np.zeros(n_content, np.int64)
    for number, window in enumerate(windows):
        at = np.arange(window.start, window.stop)
        # The ends of the text are not edges: no context is missing there.
        left = at - window.start if window.start else n_content
        right = window.stop - 1 - at if window.stop < n_content else n_content
        here = np.minimum(left, right)
        better = here > depth[at]
        depth[at[better]], owner[at[better]] = here[better], number
    out = np.empty((len(tokens), hidden[0].shape[1]), np.float32)
    out[:before] = hidden[0][:before]
    for number, (window, rows) in enumerate(zip(windows, hidden, strict=True)):
        mine = np.flatnonzero(owner == number)
        out[before + mine] = rows[before + mine - window.start]
    if after:
        out[-after:] = hidden[-1][-after:]
    return out
