"""Cosines of an answer's words with other texts, on vectors that are known."""

from collections.abc import Mapping, Sequence

import numpy as np
from pytest import approx

from ragauge.encoders.cached import CachedEncoder, NoVector
from ragauge.encoders.local import LocalEncoder, Tokens
from ragauge.encoders.protocol import Floats, Ints
from ragauge.features.sentences import ComparedSentence, SentenceCosines, sentence_cosines
from ragauge.language.stems import stemmed

ANGLES: Mapping[str, tuple[float, float]] = {
    "a": (1, 0),
    "b": (0, 1),
    "c": (0.6, 0.8),
    "d": (-1, 0),
}
"""A token is a letter; its vector."""


class Letters(LocalEncoder):
    """A model with one token a letter, and a special one at both ends."""

    name, identity = "letters", {"name": "letters"}
    sentence_tokens = max_tokens = 64

    def tokenize(self, texts: Sequence[str]) -> list[Tokens]:
        return [self._tokens(text) for text in texts]

    def hidden(self, ids: Ints, layer: int | None) -> Floats:
        return np.array([(1, 0), *ANGLES.values()], np.float32)[ids]

    def _tokens(self, text: str) -> Tokens:
        places = [at for at, letter in enumerate(text) if letter in ANGLES]
        ids = [1 + list(ANGLES).index(text[at]) for at in places]
        spans = [(0, 0), *((at, at + 1) for at in places), (0, 0)]
        return Tokens([0, *ids, 0], spans, 1, 1)


def compared(answer: str, *texts: str, first: int = 0) -> SentenceCosines | NoVector:
    words = stemmed(answer)[first:]
    one = ComparedSentence(answer, words, texts, range(len(texts)))
    (found,) = sentence_cosines([one], CachedEncoder(Letters()))
    return found


def cosines(answer: str, *texts: str, first: int = 0) -> list[list[float]]:
    found = compared(answer, *texts, first=first)
    assert isinstance(found, SentenceCosines)
    assert found.has_words
    return found.cosines.tolist()


def test_each_text_has_the_mean_of_the_best_cosines_of_a_words_tokens():
    # "ab": a to a 1, b to c .8; with "b" a has 0, b has 1. "c" to a is .6, to c itself 1, to b .8.
    assert cosines("ab c", "a c", "b") == [approx([0.9, 1]), approx([0.5, 0.8])]


def test_the_special_tokens_are_no_match_and_no_cosine_is_below_0():
    assert cosines("a d", "b", "a") == [approx([0, 0]), approx([1, 0])]


def test_only_the_given_words_are_compared():
    assert cosines("a b c", "c", first=2) == [approx([1])]


def test_a_word_without_a_token_has_no_cosine_and_a_text_without_tokens_has_0():
    ((first, other),) = cosines("x a", "a")
    assert np.isnan(first)
    assert other == approx(1)
    assert cosines("a", "x") == [[0]]


def test_no_texts_give_no_rows():
    found = compared("a b")
    assert isinstance(found, SentenceCosines)
    assert found.cosines.shape == (0, 2)
