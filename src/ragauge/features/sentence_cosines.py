"""How close other sentences come to the words of an answer's sentence, by token vectors."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ragauge.encoders.cached import CachedEncoder, NoVector, pieces
from ragauge.encoders.protocol import Floats, TokenVectors
from ragauge.features.matches import cosines
from ragauge.language.stems import Word


@dataclass(frozen=True, slots=True)
class Comparison:
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
    comparisons: Sequence[Comparison], encoder: CachedEncoder
) -> Iterator[SentenceCosines | NoVector]:
    """The cosines of each comparison, or why its answer or one of its texts has no vectors.

    Texts are encoded in pieces, so there may be any number of them; an answer is read whole.
    """
    ours = encoder.tokens([one.answer for one in comparisons], long_text="windows")
    for piece in pieces(comparisons, lambda one: sum(map(len, one.texts))):
        theirs = encoder.tokens([text for one in piece for text in one.texts], long_text="windows")
        for comparison in piece:
            yield _compared(comparison, ours[comparison.answer], theirs)


def _compared(
    comparison: Comparison,
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
