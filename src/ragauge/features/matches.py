"""Token vectors of two texts matched greedily, as BERTScore does (Zhang et al. 2020, section 3)."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from math import log

import numpy as np
import numpy.typing as npt

from ragauge.encoders.cached import CachedEncoder, NoVector, pieces
from ragauge.encoders.protocol import Bools, Floats, LongText, TokenVectors
from ragauge.metric import feature
from ragauge.score import Score

MATCHING = 1
"""Version of the matching and of its cached form; increase it if either changes."""
MAX_ALONE, MAX_SHARED = 2**18, 2**24
"""Multiplications per product. BLAS uses several threads above the first limit; below the second, their
busy waiting costs more than they save, on a loaded machine a hundred times more."""
COLUMNS_ALONE = 64
MAX_CELLS = 2**26
"""Cosines in memory at a time, 256 MiB."""

Numbers = npt.NDArray[np.integer]
Pair = tuple[str, str]
"""An answer and a reference."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """The tokens of one text, and `best`, the highest cosine of each with a token of another text.

    `marks`: the tokens equal to a special token, wherever they are. `n_own`: how many tokens of the
    text itself were read. The rest is as in TokenVectors, without the vectors.
    """

    best: Floats
    ids: Numbers
    marks: Bools
    spans: Numbers | None
    n_tokens: int
    n_own: int


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each token of the vocabulary; those not in the table have the weight `other`."""

    table: Mapping[int, float]
    other: float

    def of(self, ids: Numbers, marks: Bools) -> Floats:
        """The weight of each token of a text, (t,); special tokens have the weight 0."""
        if self.table:
            return np.array([self.table.get(token, self.other) for token in ids.tolist()], "f4")
        return np.float32(self.other) * ~marks


ALIKE = Weights({}, 1.0)


@dataclass(frozen=True, slots=True)
class Side:
    """One of two matched texts: its tokens and their weights, (t,)."""

    text: str
    tokens: Nearest
    weights: Floats

    @property
    def best(self) -> Floats:
        """The best cosine of each token in the other text, (t,)."""
        return self.tokens.best

    @property
    def n_tokens(self) -> int:
        """Tokens of the whole text, including special tokens."""
        return self.tokens.n_tokens

    @property
    def n_read(self) -> int:
        """Tokens that the model read."""
        return len(self.tokens.ids)

    def words(self, places: Numbers | slice = slice(None)) -> list[str]:
        """The words of the tokens at these places; their ids if the offsets are unknown."""
        if self.tokens.spans is None:
            return [f"#{token}" for token in self.tokens.ids[places].tolist()]
        return [self.text[start:end] for start, end in self.tokens.spans[places].tolist()]


class TokenPlaces:
    """The tokens of a text by their character offsets; those without characters are in no span.

    `all`: the tokens with characters, in the order of the text.
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


@dataclass(frozen=True, slots=True)
class TokenMatch:
    """Precision, recall and F1 of an answer against a reference; 0 if one of the texts is empty."""

    precision: float
    recall: float
    f1: float
    answer: Side | None = None
    reference: Side | None = None


EMPTY = TokenMatch(0.0, 0.0, 0.0)


@feature(corpus=True)
def token_weights(
    references: Iterable[Sequence[str] | None],
    *,
    encoder: CachedEncoder,
    idf: bool = False,
    long_text: LongText = "cut",
) -> Weights:
    """The token weights of BERTScore: equal, or by inverse document frequency.

    The documents are the references of all questions: idf(w) = log((N + 1) / (n(w) + 1)) over N
    references, of which n(w) contain the token w (Zhang et al. 2020, section 3, with the plus-one
    smoothing of the bert-score package).
    """
    if not idf:
        return ALIKE
    texts = [text for of_row in references for text in of_row or ()]
    counts: Counter[int] = Counter()
    for ids in encoder.token_ids(texts, long_text=long_text):
        counts.update(set(ids.tolist()))
    table = {token: log((len(texts) + 1) / (n + 1)) for token, n in counts.items()}
    return Weights(table, log(len(texts) + 1))


@feature(batch=True)
def token_match(
    answer: Sequence[str],
    reference: Sequence[str],
    token_weights: Sequence[Weights],
    *,
    encoder: CachedEncoder,
    layer: int | None = None,
    idf: bool = False,
    long_text: LongText = "cut",
) -> list[TokenMatch | Score]:
    """Each answer's tokens matched with those of its reference; failed if a text has no vectors."""
    rows = list(zip(answer, reference, token_weights, strict=True))
    out: list[TokenMatch | Score] = []
    for piece in pieces(rows, lambda row: len(row[0]) + len(row[1])):
        pairs = dict.fromkeys(row[:2] for row in piece if row[0].strip() and row[1].strip())
        found = _nearest(list(pairs), encoder, layer, long_text)
        out += [_match(*row, found.get(row[:2])) for row in piece]
    return out


def _nearest(
    pairs: Sequence[Pair], encoder: CachedEncoder, layer: int | None, long_text: LongText
) -> dict[Pair, tuple[Nearest, Nearest] | Score]:
    """The tokens of each pair with their best cosines, from the cache or from vectors."""
    kind = f"match {MATCHING} {encoder.layer(layer)} {long_text}"
    found: dict[Pair, tuple[Nearest, Nearest] | Score] = {}
    for pair, packed in encoder.kept(kind, pairs).items():
        with suppress(ValueError):
            found[pair] = _unpacked(packed)
    missing = [pair for pair in pairs if pair not in found]
    if not missing:
        return found
    texts = (text for pair in missing for text in pair)
    vectors = encoder.tokens(texts, layer=layer, long_text=long_text, in_file=False)
    new: dict[Pair, bytes] = {}
    for pair in missing:
        both = _compared(*(vectors[text] for text in pair))
        found[pair] = both
        if not isinstance(both, Score):
            new[pair] = _packed(both)
    encoder.keep(kind, new)
    return found


def _compared(
    ours: TokenVectors | NoVector, theirs: TokenVectors | NoVector
) -> tuple[Nearest, Nearest] | Score:
    if isinstance(ours, NoVector):
        return Score.failed(f"answer: {ours.reason}")
    if isinstance(theirs, NoVector):
        return Score.failed(f"reference: {theirs.reason}")
    left, right = ours.vectors, theirs.vectors
    rows = max(1, MAX_CELLS // max(1, len(right)))
    # -inf where the other side has no token.
    best, others_best = (np.full(len(side), -np.inf, np.float32) for side in (left, right))
    for top in range(0, len(left), rows):
        product = cosines(left[top : top + rows], right)
        best[top : top + rows] = product.max(axis=1, initial=-np.inf)
        np.maximum(others_best, product.max(axis=0, initial=-np.inf), out=others_best)
    return _nearest_of(ours, best), _nearest_of(theirs, others_best)


def _nearest_of(side: TokenVectors, best: Floats) -> Nearest:
    n_own = int((~side.special).sum())
    return Nearest(best, side.ids, marks_of(side), side.spans, side.n_tokens, n_own)


def marks_of(tokens: TokenVectors) -> Bools:
    """Which tokens equal one of the special tokens around the text, (t,)."""
    marks = tokens.special.copy()
    for mark in set(tokens.ids[tokens.special].tolist()):
        marks |= tokens.ids == mark
    return marks


def cosines(ours: Floats, theirs: Floats) -> Floats:
    """The cosines of all pairs of unit rows: (n, d) and (m, d) give (n, m)."""
    (n, d), m = ours.shape, len(theirs)
    if n * m * d > MAX_SHARED:
        return ours @ theirs.T
    columns = min(m, COLUMNS_ALONE)
    rows = max(1, MAX_ALONE // max(1, d * columns))
    product = np.empty((n, m), np.float32)
    for left in range(0, m, columns or 1):
        some = theirs[left : left + columns].T
        for top in range(0, n, rows):
            product[top : top + rows, left : left + columns] = ours[top : top + rows] @ some
    return product


def _packed(both: tuple[Nearest, Nearest]) -> bytes:
    """The cached form of a pair; `_unpacked` restores it exactly."""
    parts: list[bytes] = []
    for side in both:
        spans = () if side.spans is None else side.spans.T
        numbers = np.array([side.ids, side.marks, *spans], np.int32)
        head = np.array([len(side.ids), side.n_tokens, side.n_own, len(numbers)], np.int32)
        parts += [head.tobytes(), side.best.astype(np.float32).tobytes(), numbers.tobytes()]
    return b"".join(parts)


def _unpacked(packed: bytes) -> tuple[Nearest, Nearest]:
    """The pair; ValueError if the bytes do not encode one."""
    numbers = np.frombuffer(packed, np.int32)
    sides: list[Nearest] = []
    end = 0
    for _ in range(2):
        n, n_tokens, n_own, n_rows = numbers[end : end + 4].tolist()
        start = end + 4
        end = start + n + n_rows * n
        best = numbers[start : start + n].view(np.float32)
        rows = numbers[start + n : end].reshape(n_rows, n)
        spans = rows[2:].T if n_rows > 2 else None
        sides.append(Nearest(best, rows[0], rows[1] != 0, spans, n_tokens, n_own))
    if end != len(numbers):
        raise ValueError(f"{len(numbers)} numbers, but a pair of {end}")
    return sides[0], sides[1]


def _match(
    answer: str, reference: str, weights: Weights, found: tuple[Nearest, Nearest] | Score | None
) -> TokenMatch | Score:
    if isinstance(found, Score):
        return found
    if found is None or not all(side.n_own for side in found):
        return EMPTY
    ours, theirs = found
    left = Side(answer, ours, weights.of(ours.ids, ours.marks))
    right = Side(reference, theirs, weights.of(theirs.ids, theirs.marks))
    precision, recall = mean_of(left), mean_of(right)
    if precision is None or recall is None:
        return Score.undefined("all tokens of the answer or of the reference have the weight 0")
    total = precision + recall
    f1 = 2 * precision * recall / total if total else 0.0
    return TokenMatch(precision, recall, f1, left, right)


def mean_of(side: Side) -> float | None:
    """The weighted mean of the best cosines; None if all weights are 0."""
    weights = side.weights.astype(float)
    total = float(np.add.reduce(weights))
    return float(np.add.reduce(weights * side.tokens.best)) / total if total else None
