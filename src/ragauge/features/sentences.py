"""Sentences compared by token vectors: each of an answer with each of a reference; the words of one with sentences of contexts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ragauge.encoders.cached import CachedEncoder, NoVector, pieces
from ragauge.encoders.protocol import Floats, Ints, LongText, TokenVectors
from ragauge.features.matches import ALIKE, cosines, marks_of
from ragauge.language.sentences import Splitter
from ragauge.language.stems import Word
from ragauge.metric import feature
from ragauge.score import Score

MAX_SENTENCES = 500
"""The most distinct sentences of the text that has fewer; the time of the comparison grows with the product."""
TOKENS_PER_BLOCK = 2_048
"""Tokens of either side per product; the product of whole long texts would not fit in memory."""


@dataclass(frozen=True, slots=True)
class SentenceMatrix:
    """BERTScore F1 of the sentences of an answer and a reference.

    `distinct`: (i, j) float32, of distinct answer sentence i and distinct reference sentence j, in the order of
    their first places. `cut`: the sentences that were truncated.
    """

    answer: tuple[str, ...]
    reference: tuple[str, ...]
    distinct: Floats
    cut: tuple[str, ...] = ()

    @property
    def f1(self) -> Floats:
        """The F1 of answer sentence i and reference sentence j, (i, j): large where sentences repeat."""
        rows, columns = numbered(self.answer), numbered(self.reference)
        places = np.ix_(
            [rows[token] for token in self.answer], [columns[token] for token in self.reference]
        )
        return self.distinct[places]


@feature(batch=True)
def sentence_matrix(
    answer_sentences: Sequence[tuple[str, ...]],
    reference_sentences: Sequence[tuple[str, ...]],
    *,
    encoder: CachedEncoder,
    layer: int | None = None,
    splitter: Splitter = "rules",
    long_text: LongText = "cut",
) -> list[SentenceMatrix | Score]:
    """The matrix of each answer and reference; failed if a sentence has no vectors or both texts have too many."""
    rows = list(zip(answer_sentences, reference_sentences, strict=True))
    out: list[SentenceMatrix | Score] = []
    for piece in pieces(rows, lambda row: sum(map(len, (*row[0], *row[1])))):
        compared = [row for row in piece if all(row) and not _too_many(*row)]
        texts = (sentence for ours, theirs in compared for sentence in (*ours, *theirs))
        vectors = encoder.tokens(texts, layer=layer, long_text=long_text)
        out += [_matrix(answer, reference, vectors) for answer, reference in piece]
    return out


def _matrix(
    answer: tuple[str, ...], reference: tuple[str, ...], vectors: dict[str, TokenVectors | NoVector]
) -> SentenceMatrix | Score:
    if not (answer and reference):
        return SentenceMatrix(answer, reference, np.empty((len(answer), len(reference)), "f4"))
    if problem := _too_many(answer, reference):
        return Score.failed(problem)
    found: dict[str, TokenVectors] = {}
    for sentence in dict.fromkeys((*answer, *reference)):
        tokens = vectors[sentence]
        if isinstance(tokens, NoVector):
            return Score.failed(f"sentence {sentence[:80]!r}: {tokens.reason}")
        found[sentence] = tokens
    sides = ([found[each] for each in numbered(sentences)] for sentences in (answer, reference))
    distinct = matrix_of(*sides)
    cut = tuple(sentence for sentence, tokens in found.items() if tokens.is_cut)
    return SentenceMatrix(answer, reference, distinct, cut)


def _too_many(answer: tuple[str, ...], reference: tuple[str, ...]) -> str:
    """Why the two are not compared; "" if they are."""
    counts = [len(set(sentences)) for sentences in (answer, reference)]
    if min(counts) <= MAX_SENTENCES:
        return ""
    return (
        f"the answer has {counts[0]:,} different sentences and the reference {counts[1]:,}; "
        f"they are compared if one of them has at most {MAX_SENTENCES}"
    )


def numbered(sentences: Sequence[str]) -> dict[str, int]:
    """The number of each distinct sentence."""
    return {sentence: number for number, sentence in enumerate(dict.fromkeys(sentences))}


def matrix_of(ours: Sequence[TokenVectors], theirs: Sequence[TokenVectors]) -> Floats:
    """BERTScore F1 of all pairs, (len(ours), len(theirs)), from products of all their tokens.

    A sentence without tokens has 0 with every other sentence.
    """
    lefts, rights = (
        [_Stacked(some) for some in pieces(side, lambda each: len(each.ids), TOKENS_PER_BLOCK)]
        for side in (ours, theirs)
    )
    return np.block([[_product(left, right) for right in rights] for left in lefts])


def _product(left: "_Stacked", right: "_Stacked") -> Floats:
    product = cosines(left.vectors, right.vectors)
    precision = left.mean(np.maximum.reduceat(product, right.starts, axis=1))
    recall = right.mean(np.maximum.reduceat(product, left.starts, axis=0).T).T
    total = precision + recall
    doubled: Floats = 2 * precision * recall
    return np.divide(doubled, total, out=np.zeros_like(doubled), where=total != 0)


class _Stacked:
    """The tokens of several sentences, stacked."""

    def __init__(self, sentences: Sequence[TokenVectors]) -> None:
        self.vectors = np.concatenate([sentence.vectors for sentence in sentences])
        weights = [ALIKE.of(sentence.ids, marks_of(sentence)) for sentence in sentences]
        self.weights = np.concatenate(weights)
        self.starts: Ints = np.cumsum([0, *(len(each.ids) for each in sentences[:-1])])
        totals = np.add.reduceat(self.weights, self.starts)
        totals[totals == 0] = 1
        self.totals: Floats = totals

    def mean(self, rows: Floats) -> Floats:
        """The weighted mean of each sentence's rows, given one row per token, (t, n)."""
        summed: Floats = np.add.reduceat(rows * self.weights[:, None], self.starts, axis=0)
        return summed / self.totals[:, None]


# How close other sentences come to the words of an answer's sentence


@dataclass(frozen=True, slots=True)
class ComparedSentence:
    """One sentence of an answer by its words, and the texts that it is compared with.

    `places`: the position of each text's context, for error messages.
    """

    answer: str
    words: Sequence[Word]
    texts: Sequence[str]
    places: Sequence[int]


@dataclass(frozen=True, slots=True)
class SentenceCosines:
    """How close each text comes to each word of the sentence.

    `cosines`: (texts, words), the mean over a word's tokens of the best cosine with a token of the
    text; at least 0; nan for a word without a token. A token that spans several words counts for each
    of them. If the tokenizer gives no offsets, `has_words` is false and the columns are the tokens of
    the whole answer.
    """

    cosines: Floats
    has_words: bool = True


def sentence_cosines(
    comparisons: Sequence[ComparedSentence], encoder: CachedEncoder
) -> Iterator[SentenceCosines | NoVector]:
    """The cosines of each comparison, or why its answer or one of its texts has no vectors.

    Texts are encoded in pieces, so there may be any number of them; an answer is read whole.
    """
    ours = encoder.tokens([each.answer for each in comparisons], long_text="windows")
    for piece in pieces(comparisons, lambda each: sum(map(len, each.texts))):
        theirs = encoder.tokens(
            [text for each in piece for text in each.texts], long_text="windows"
        )
        for comparison in piece:
            yield _compared(comparison, ours[comparison.answer], theirs)


def _compared(
    comparison: ComparedSentence,
    ours: TokenVectors | NoVector,
    theirs: Mapping[str, TokenVectors | NoVector],
) -> SentenceCosines | NoVector:
    if isinstance(ours, NoVector):
        return NoVector(f"answer: {ours.reason}")
    read: list[TokenVectors] = []
    for text, place in zip(comparison.texts, comparison.places, strict=True):
        tokens = theirs[text]
        if isinstance(tokens, NoVector):
            return NoVector(f"context {place + 1}: {tokens.reason}")
        read.append(tokens)
    own = ours.vectors[~ours.special]
    if ours.spans is None:
        return SentenceCosines(_best(own, read), has_words=False)
    starts, ends = ours.spans[~ours.special].T
    first = np.searchsorted(ends, [word.start for word in comparison.words], side="right")
    after = np.searchsorted(starts, [word.end for word in comparison.words], side="left")
    low, high = int(first.min(initial=len(own))), int(after.max(initial=0))
    best = _best(own[low:high], read)
    means = np.full((len(read), len(comparison.words)), np.nan, np.float32)
    for column, (start, end) in enumerate(zip(first - low, after - low, strict=True)):
        if end > start:
            means[:, column] = best[:, start:end].mean(axis=1)
    return SentenceCosines(means)


def _best(ours: Floats, theirs: Sequence[TokenVectors]) -> Floats:
    """The best cosine of each of our tokens with a token of each text, (texts, tokens); at least 0."""
    best = np.zeros((len(theirs), len(ours)), np.float32)
    for row, tokens in enumerate(theirs):
        there = tokens.vectors[~tokens.special]
        if len(there) and len(ours):
            np.maximum(best[row], cosines(ours, there).max(axis=1), out=best[row])
    return best
