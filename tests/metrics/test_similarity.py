"""Semantic similarity beside sentence-transformers, by hand, and at its edges."""

import numpy as np
import pytest
from pytest import approx

import ragauge as rg
from ragauge.encoders.cached import CachedEncoder
from ragauge.encoders.embedded import MiniLM
from ragauge.errors import EncoderError
from ragauge.metrics.token_similarity import semantic_similarity

ENCODER = MiniLM()
PAIRS = [
    ("The yearly fee of Lantern Hut is $1,604.50.", "Lantern Hut costs $1,604.50 a year."),
    ("It is 7 km.", "seven kilometres"),
    ("Dogs bark at night.", "The premium for territory 118 is 293 dollars."),
    ("雪が降る", "Il neige"),
    ("word " * 400, "The word is said again and again."),
]


class ByHand:
    """An encoder whose vectors a person can multiply."""

    name = "by hand"
    identity = {"name": "by hand"}
    VECTORS = {"east": [1, 0], "north": [0, 1], "west": [-1, 0], "between": [0.6, 0.8]}

    def encode(self, texts, *, long_text="cut"):
        return np.array([self.VECTORS[text] for text in texts], np.float32)

    def count_tokens(self, texts):
        return None


def score(answer, reference, **options):
    (found,) = semantic_similarity(
        [answer], [reference], encoder=CachedEncoder(ByHand()), **options
    )
    return found


def test_by_hand():
    assert score("east", "between").value == approx(0.6)
    assert score("east", "north").value == 0
    assert score("east", "east").value == 1
    found = score("east", "west")
    assert (found.value, found.evidence["cosine"]) == (0, -1)


@pytest.mark.slow
def test_values_are_those_of_sentence_transformers(minilm_folder):
    package = pytest.importorskip("sentence_transformers")
    model = package.SentenceTransformer(str(minilm_folder), device="cpu")
    for answer, reference in PAIRS:
        cosine = float(model.similarity(*model.encode([answer, reference])[:, None]))
        found = rg.score("semantic_similarity", answer=answer, reference=reference)
        assert found.value == approx(max(0, cosine), abs=1e-5)


def test_an_empty_text_has_no_value_or_the_one_that_is_set():
    for answer, reference in (("", "east"), ("east", " \t\n"), ("", "")):
        found = score(answer, reference)
        assert (found.value, found.status) == (None, "undefined")
        assert score(answer, reference, on_empty=0.0).value == 0
    for text in ("\u200f", "\x00\x01", "\u200b \ufeff"):
        found = rg.score("semantic_similarity", answer=text, reference="fee", encoder=ENCODER)
        assert (found.status, found.reason[:19]) == ("undefined", "the answer is empty")


def test_the_nearest_reference_counts():
    texts = {"answer": "Dogs bark.", "references": ["Stocks fell.", "A dog barks."]}
    found = rg.score("semantic_similarity", **texts, encoder=ENCODER)
    assert found.value > 0.8
    assert found.evidence["best_reference"] == 1


def test_a_cut_text_is_marked():
    found = rg.score("semantic_similarity", answer="word " * 300, reference="word")
    assert found.evidence["cut"] == {"answer": {"tokens": 302, "read": 256}}


class Broken(ByHand):
    """An encoder that is down, or gives vectors of another length for one text."""

    def encode(self, texts, *, long_text="cut"):
        if "north" in texts:
            raise EncoderError("http://localhost:1 did not answer", is_down=True)
        return np.eye(2, dtype=np.float32)[[0] * len(texts)]


def test_an_encoder_that_is_down_fails_the_scores_and_the_run_goes_on():
    rows = [
        {"id": "1", "answer": "north", "reference": "east"},
        {"id": "2", "answer": "", "reference": "east"},
    ]
    run = rg.evaluate(rows, ["semantic_similarity", "exact_match"], encoder=Broken())
    assert run.scores["status"].to_list() == ["failed", "ok", "undefined", "ok"]
    assert run.scores["reason"][0] == "answer: http://localhost:1 did not answer"


def test_a_vector_that_is_no_number_is_no_score_of_0():
    class Spoiled(ByHand):
        """An encoder that gives NaN."""

        def encode(self, texts, *, long_text="cut"):
            return np.full((len(texts), 2), np.nan, np.float32)

    (found,) = semantic_similarity(["east"], ["west"], encoder=CachedEncoder(Spoiled()))
    assert (found.value, found.status) == (None, "failed")
    assert "not finite numbers" in found.reason
