"""Models on this machine: the tokens of a text, the part or windows read at once, batches without padding, threads, pooling."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ragauge.encoders.protocol import Floats, Ints, LongText, TokenVectors
from ragauge.errors import EncoderError

Span = tuple[int, int]

MAX_TOKENS = 16_384
"""The most tokens of a text that is read in windows. Two such texts are compared in seconds; time and memory of
a comparison grow with the square."""
TOKENS_PER_BATCH = 1_024
"""Larger batches are not faster on a CPU, because the matrices exceed its caches."""


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
    """Windows of `size` tokens that overlap by half and together cover all, counted without the special ones."""
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


def batches_of(lengths: Sequence[int], n_tokens: int) -> list[list[int]]:
    """The places of texts of equal lengths in batches of limited tokens, the largest batches first."""
    by_length: dict[int, list[int]] = {}
    for at, length in enumerate(lengths):
        by_length.setdefault(length, []).append(at)
    batches: list[list[int]] = []
    for length in sorted(by_length, reverse=True):
        own, size = by_length[length], max(1, n_tokens // max(1, length))
        batches += (own[start : start + size] for start in range(0, len(own), size))
    return batches


class LocalEncoder(ABC):
    """A model on this machine. A subclass defines how it tokenizes, computes and pools.

    `sentence_tokens`, `max_tokens`: most tokens that `encode`, `encode_tokens` read of a text.
    `threads`: batches computed at the same time. `reads_alike`: whether both tokenize a text alike,
    so that one pass serves both.
    """

    name: str
    identity: Mapping[str, str | int | float | None]
    sentence_tokens: int
    max_tokens: int
    threads: int = 1
    tokens_a_batch: int = TOKENS_PER_BATCH
    reads_alike: bool = True

    def __getstate__(self) -> dict[str, object]:
        """Without open resources; a copy in another process opens its own."""
        kind = type(self)
        is_open = {
            name: isinstance(getattr(kind, name, None), cached_property) for name in vars(self)
        }
        return {name: value for name, value in vars(self).items() if not is_open[name]}

    @abstractmethod
    def tokenize(self, texts: Sequence[str]) -> list[Tokens]:
        """All tokens of each text, including special ones."""

    @abstractmethod
    def hidden(self, ids: Ints, layer: int | None) -> Floats:
        """The states of a layer for texts of equal length: (b, t) ids to (b, t, d)."""

    def pool(self, hidden: Floats) -> Floats:
        """The vector of a text, (d,), from its tokens' vectors, (t, d): their mean."""
        return hidden.mean(axis=0)

    def count_tokens(self, texts: Sequence[str]) -> list[tuple[int, int]]:
        return [(len(tokens), self.sentence_tokens) for tokens in self.tokenize(texts)]

    def token_ids(self, texts: Sequence[str], *, long_text: LongText = "cut") -> list[Ints]:
        """The ids of the tokens of `encode_tokens`."""
        tokenized = self.tokenize(texts)
        if long_text == "cut":
            tokenized = [tokens.kept(self.max_tokens) for tokens in tokenized]
        return [np.array(tokens.ids, np.int64) for tokens in tokenized]

    def encode(self, texts: Sequence[str], *, long_text: LongText = "cut") -> Floats:
        """One unit vector for each text: (n, d) float32. Rows are in the texts' order."""
        tokenized = self.tokenize(texts)
        found = self._states(tokenized, self.sentence_tokens, None, long_text, self.pool)
        vectors = [unit_rows(pooled[None])[0] for _, pooled in found]
        return np.array(vectors, np.float32) if vectors else np.empty((0, 0), np.float32)

    def encode_tokens(
        self, texts: Sequence[str], *, layer: int | None = None, long_text: LongText = "cut"
    ) -> list[TokenVectors]:
        """The vectors of each text's tokens at a layer; None: the last layer."""
        tokenized = self.tokenize(texts)
        found = self._states(tokenized, self.max_tokens, layer, long_text)
        return [_token_vectors(tokens, states, n) for (tokens, n), states in found]

    def encode_both(self, texts: Sequence[str]) -> list[tuple[Floats, TokenVectors] | None]:
        """The results of `encode` and of `encode_tokens` at the last layer, computed in one pass.

        None for a text of which the two read different parts.
        """
        tokenized = self.tokenize(texts)
        short = [len(tokens) <= min(self.sentence_tokens, self.max_tokens) for tokens in tokenized]
        read = [tokens for tokens, is_short in zip(tokenized, short, strict=True) if is_short]
        found = self._states(read, self.sentence_tokens, None, "cut")
        both = (
            (unit_rows(self.pool(states)[None])[0], _token_vectors(tokens, states, n))
            for (tokens, n), states in found
        )
        return [next(both) if is_short else None for is_short in short]

    def _states(
        self,
        tokenized: Sequence[Tokens],
        most: int,
        layer: int | None,
        long_text: LongText,
        reduce: Callable[[Floats], Floats] = np.asarray,
    ) -> Iterator[tuple[tuple[Tokens, int], Floats]]:
        """For each text the tokens read, their total number, and its reduced states."""
        cut = long_text == "cut"
        longest = max(map(len, tokenized), default=0)
        if not cut and longest > max(MAX_TOKENS, most):
            what = f"a text has {longest:,} tokens; at most {MAX_TOKENS:,} are read in windows"
            raise EncoderError(what)
        read = [tokens.kept(most) for tokens in tokenized] if cut else tokenized
        parts = [pieces(tokens, most) for tokens in read]
        owners = [at for at, own in enumerate(parts) for _ in own]
        is_whole = [len(parts[at]) == 1 for at in owners]
        flat = [ids for own in parts for ids in own]
        made: list[Floats | None] = [None] * len(flat)

        def run(places: list[int]) -> None:
            states = self.hidden(np.array([flat[at] for at in places], np.int64), layer)
            for at, state in zip(places, states, strict=True):
                # A copy: a view would keep the states of the whole batch in memory.
                made[at] = reduce(state).copy() if is_whole[at] else state.copy()

        self._run_all(run, batches_of(list(map(len, flat)), self.tokens_a_batch))
        start = 0
        for tokens, own, whole in zip(read, parts, tokenized, strict=True):
            states = [state for state in made[start : start + len(own)] if state is not None]
            start += len(own)
            joined = states[0] if len(own) == 1 else reduce(stitched(tokens, most, states))
            if not np.isfinite(joined).all():
                raise EncoderError(f"{self.name} gives vectors that are not finite numbers")
            yield (tokens, len(whole)), joined

    def _run_all(self, run: Callable[[list[int]], None], batches: Sequence[list[int]]) -> None:
        if self.threads <= 1 or len(batches) <= 1:
            for batch in batches:
                run(batch)
            return
        with ThreadPoolExecutor(min(self.threads, len(batches))) as pool:
            for _ in pool.map(run, batches):
                pass


def unit_rows(rows: Floats) -> Floats:
    """Rows normalized to length 1; zero rows are unchanged."""
    lengths: Floats = np.sqrt(np.sum(np.square(rows), axis=-1, keepdims=True, dtype=np.float32))
    lengths[lengths == 0] = 1
    return rows / lengths


def _token_vectors(tokens: Tokens, states: Floats, n_tokens: int) -> TokenVectors:
    special = np.zeros(len(tokens), np.bool_)
    special[: tokens.before] = True
    special[len(tokens) - tokens.after :] = True
    spans = None if tokens.spans is None else np.array(tokens.spans, np.int64).reshape(-1, 2)
    ids = np.array(tokens.ids, np.int64)
    return TokenVectors(unit_rows(states), ids, special, spans, n_tokens)
