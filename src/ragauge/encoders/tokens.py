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
    at = np.arange(n_content)
    starts, stops = (
        np.array(ends)[:, None] for ends in zip(*((w.start, w.stop) for w in windows), strict=True)
    )
    # The ends of the text are not edges: no context is missing there.
    left = np.where(starts > 0, at - starts, n_content)
    right = np.where(stops < n_content, stops - 1 - at, n_content)
    owner = np.minimum(left, right).argmax(axis=0)
    out = np.empty((len(tokens), hidden[0].shape[1]), np.float32)
    out[:before] = hidden[0][:before]
    for number, (window, rows) in enumerate(zip(windows, hidden, strict=True)):
        mine = np.flatnonzero(owner == number)
        out[before + mine] = rows[before + mine - window.start]
    if after:
        out[-after:] = hidden[-1][-after:]
    return out
