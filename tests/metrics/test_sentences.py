"""The sentence matrix: against BERTScore pair by pair, by hand, and at its edges."""

import numpy as np
import pytest
from pytest import approx

import ragauge as rg
from ragauge.encoders.cached import CachedEncoder
from ragauge.encoders.embedded import MiniLM
from ragauge.errors import PlanError
from ragauge.features.sentences import MAX_SENTENCES, SentenceMatrix, sentence_matrix
from ragauge.metrics.sentences import sentence_coverage, sentences_covered

ENCODER = MiniLM()
ANSWER = "The fee is $5. Dogs are free. Snow falls in winter, and the hut is shut then."
REFERENCE = "Members pay $5. No fee is taken for dogs. The hut is closed in winter. Bring boots."


def test_each_cell_is_the_bertscore_of_its_pair():
    answers, references = ANSWER.split(". "), REFERENCE.split(". ")
    (found,) = sentence_matrix(
        [tuple(answers)], [tuple(references)], encoder=CachedEncoder(ENCODER)
    )
    for row, answer in enumerate(answers):
        for column, reference in enumerate(references):
            one = rg.score("bertscore", answer=answer, reference=reference, encoder=ENCODER)
            assert found.f1[row, column] == approx(one.value, abs=1e-6)


def test_each_sentence_is_encoded_once():
    shared = CachedEncoder(ENCODER)
    sentence_matrix([("a", "b"), ("a",)], [("b", "c"), ("c", "a")], encoder=shared)
    assert shared.n_encoded == 3


def matrix(cells) -> SentenceMatrix:
    f1 = np.array(cells, np.float32)
    answer = tuple(f"answer {at}" for at in range(f1.shape[0]))
    return SentenceMatrix(answer, tuple(f"reference {at}" for at in range(f1.shape[1])), f1)


def coverage(cells, **options):
    return sentence_coverage(matrix(cells), encoder=CachedEncoder(ENCODER), **options)


def test_the_value_is_the_least_of_the_best_by_hand():
    found = coverage([[0.9, 0.1, 0.5], [0.2, 0.7, 0.6]])
    assert found.value == approx(0.6)
    assert found.evidence["weakest"]["reference_sentence"] == 2
    assert found.evidence["weakest"]["answer_sentence"] == 1
    assert [one["f1"] for one in found.evidence["sentences"]] == approx([0.9, 0.7, 0.6])


def test_a_sentence_is_covered_from_the_threshold_on_the_answer_only_above_it():
    cells = [[0.75, 0.5]]
    found = coverage(cells, threshold=0.5)
    assert [one["covered"] for one in found.evidence["sentences"]] == [True, True]
    encoder = CachedEncoder(ENCODER)
    assert sentences_covered(matrix(cells), encoder=encoder, threshold=0.5).value == 0
    assert sentences_covered(matrix(cells), encoder=encoder, threshold=0.49).value == 1


def score(label, answer, reference):
    return rg.score(label, answer=answer, reference=reference, encoder=ENCODER)


def test_no_reference_sentence_is_undefined_and_no_answer_sentence_is_0():
    for label in ("sentence_coverage", "sentences_covered"):
        assert score(label, ANSWER, " ").status == "undefined"
        assert score(label, "", REFERENCE).value == 0
        assert score(label, "", "").status == "undefined"


def test_more_answer_sentences_never_lower_the_value_and_more_reference_sentences_never_raise_it():
    def value(answer, reference):
        return score("sentence_coverage", answer, reference).value

    assert value("Dogs are free. " + ANSWER, REFERENCE) >= value("Dogs are free.", REFERENCE)
    assert value(ANSWER, "Dogs are free. Boots are red.") <= value(ANSWER, "Dogs are free.")


def test_a_matrix_too_large_to_show_is_left_out_and_a_sentence_too_long_named():
    found = coverage(np.full((21, 20), 0.5))
    assert "matrix" not in found.evidence
    assert len(found.evidence["sentences"]) == 20
    found = score("sentence_coverage", "word " * 520, "The word.")
    assert found.evidence["cut"][0].startswith("word word")


def test_the_models_own_threshold_is_taken_when_asked_for():
    found = score('sentence_coverage(threshold="model")', ANSWER, REFERENCE)
    assert 0 < found.evidence["threshold"] < 1
    for options, said in (
        ('threshold="model",model="some/model"', "no threshold is known for some/model"),
        ("threshold=2", "threshold must be a number from 0 to 1"),
    ):
        with pytest.raises(PlanError, match=said):
            rg.score(f"sentence_coverage({options})", answer="a", reference="b")


def test_a_long_matrix_is_made_in_blocks_that_give_the_same(monkeypatch):
    answers = tuple(f"The fee of hut {at} is ${at}." for at in range(10))
    references = tuple(f"Hut {at} costs ${at} a night." for at in range(8))
    (whole,) = sentence_matrix([answers], [references], encoder=CachedEncoder(ENCODER))
    monkeypatch.setattr("ragauge.features.sentences.TOKENS_PER_BLOCK", 50)
    (parts,) = sentence_matrix([answers], [references], encoder=CachedEncoder(ENCODER))
    assert parts.f1.shape == (10, 8)
    assert parts.f1 == approx(whole.f1, abs=1e-6)


def test_repeated_sentences_are_compared_once_and_keep_their_places():
    answer, reference = ("x", "a", "x", "b", "a"), ("b", "c", "b", "a")
    distinct = np.array([[0.1, 0.9, 0.2], [0.3, 0.9, 1.0], [1.0, 0.4, 0.3]], np.float32)
    found = SentenceMatrix(answer, reference, distinct)
    assert found.f1[:, 0].tolist() == approx([0.1, 0.3, 0.1, 1.0, 0.3])
    score = sentence_coverage(found, encoder=CachedEncoder(ENCODER))
    sentences = score.evidence["sentences"]
    # Of c, x and a are equally good, and x comes first.
    assert [each["answer_sentence"] for each in sentences] == [3, 0, 3, 1]
    assert [each["f1"] for each in sentences] == approx([1.0, 0.9, 1.0, 1.0])
    assert score.value == approx(0.9)


def test_two_texts_of_very_many_different_sentences_are_refused_with_their_counts(monkeypatch):
    assert MAX_SENTENCES == 500
    monkeypatch.setattr("ragauge.features.sentences.MAX_SENTENCES", 5)
    many = " ".join(f"Fee {at} is due." for at in range(6))
    score = rg.score("sentence_coverage", answer=many, reference=many)
    assert score.reason == (
        "the answer has 6 different sentences and the reference 6; they are compared if one of them has "
        "at most 5"
    )
    assert rg.score("sentences_covered", answer=many, reference="Fee 5 is due.").value == 1
