"""Token vectors of two texts matched greedily, as BERTScore does (Zhang et al. 2020, section 3)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from ragauge.encoders.protocol import Floats, LongText, TokenVectors
from ragauge.encoders.shared import NoVector, SharedEncoder, pieces
from ragauge.metric import feature
from ragauge.score import Score


@dataclass(frozen=True, slots=True)
class Weights:
    """What each token of the vocabulary weighs; those not in the table weigh `other`."""

    table: Mapping[int, float]
    other: float

    def of(self, tokens: TokenVectors) -> Floats:
        """The weight of each token of a text, (t,); the special ones that stand around it 0."""
        if self.table:
            return np.array([self.table.get(one, self.other) for one in tokens.ids.tolist()], "f4")
        weights = np.full(len(tokens.ids), self.other, np.float32)
        for mark in set(tokens.ids[tokens.special].tolist()):
            weights[tokens.ids == mark] = 0
        return weights


ALIKE = Weights({}, 1.0)


@dataclass(frozen=True, slots=True)
class Side:
    """One of two matched texts: per token its words, weight and best cosine in the other text."""

    words: tuple[str, ...]
    weights: tuple[float, ...]
    best: tuple[float, ...]
    n_tokens: int
    """Tokens of the whole text, special ones included."""

    @property
    def is_cut(self) -> bool:
        return self.n_tokens > len(self.words)


@dataclass(frozen=True, slots=True)
class TokenMatch:
    """Precision, recall and F1 of an answer against a reference; 0 where one of them is empty."""

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
    encoder: SharedEncoder,
    idf: bool = False,
    long_text: LongText = "cut",
) -> Weights:
    """What each token weighs in BERTScore: all alike, or by its inverse document frequency.

    The documents are the references of all questions: idf(w) = log((N + 1) / (n(w) + 1)) over N
    references of which n(w) have the token w (Zhang et al. 2020, section 3, with the plus-one
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
    encoder: SharedEncoder,
    layer: int | None = None,
    idf: bool = False,
    long_text: LongText = "cut",
) -> list[TokenMatch | Score]:
    """Each answer's tokens matched with its reference's; `failed` where a text has no vectors."""
    rows = list(zip(answer, reference, token_weights, strict=True))
    out: list[TokenMatch | Score] = []
    for piece in pieces(rows, lambda row: len(row[0]) + len(row[1])):
        texts = (text for one, other, _ in piece for text in (one, other) if text.strip())
        vectors = encoder.tokens(texts, layer=layer, long_text=long_text)
        for one, other, weights in piece:
            if one.strip() and other.strip():
                out.append(_match(one, other, vectors[one], vectors[other], weights))
            else:
                out.append(EMPTY)
    return out


def _match(
    answer: str,
    reference: str,
    ours: TokenVectors | NoVector,
    theirs: TokenVectors | NoVector,
    weights: Weights,
) -> TokenMatch | Score:
    for name, vectors in (("answer", ours), ("reference", theirs)):
        if isinstance(vectors, NoVector):
            return Score.failed(f"{name}: {vectors.reason}")
    assert isinstance(ours, TokenVectors)
    assert isinstance(theirs, TokenVectors)
    if ours.special.all() or theirs.special.all():
        return EMPTY
    cosines = ours.vectors @ theirs.vectors.T
    one = _side(answer, ours, weights, cosines.max(axis=1))
    other = _side(reference, theirs, weights, cosines.max(axis=0))
    precision, recall = mean_of(one), mean_of(other)
    if precision is None or recall is None:
        return Score.undefined("all tokens of the answer or of the reference have the weight 0")
    return TokenMatch(precision, recall, f1(precision, recall), one, other)


def mean_of(side: Side) -> float | None:
    """The weighted mean of the best cosines; None where nothing has weight."""
    weights = np.array(side.weights)
    total = weights.sum()
    return float((weights * np.array(side.best)).sum() / total) if total else None


def f1(precision: float, recall: float) -> float:
    """The harmonic mean; 0 where both are 0."""
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


def _side(text: str, tokens: TokenVectors, weights: Weights, best: Floats) -> Side:
    own = weights.of(tokens)
    return Side(words_of(text, tokens), tuple(own.tolist()), tuple(best.tolist()), tokens.n_tokens)


def words_of(text: str, tokens: TokenVectors) -> tuple[str, ...]:
    """What each token stands for in the text; its number where that is not known."""
    if tokens.spans is None:
        return tuple(f"#{one}" for one in tokens.ids.tolist())
    return tuple(text[start:end] for start, end in tokens.spans.tolist())
