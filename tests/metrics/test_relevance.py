from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from sklearn.feature_extraction.text import TfidfVectorizer

from ragauge.metrics.relevance import (
    answer_terms,
    hybrid_relevance,
    question_coverage,
    question_terms,
)

TEXT = st.lists(
    st.sampled_from(
        [
            "the",
            "The",
            "base",
            "rate",
            "RATE",
            "rates",
            "c-1",
            "C",
            "293",
            "２９３",
            "what's",
            "été",
            "保険料",
            "😀",
            "�",
            "a_b",
            ".",
            "\n",
        ]
    )
).map(" ".join)


def sklearn_cosine(question: str, answer: str) -> float:
    try:
        rows = TfidfVectorizer(stop_words="english").fit_transform([question, answer])
    except ValueError:  # empty vocabulary
        return 0.0
    return float((rows[0] @ rows[1].T).toarray()[0, 0])


def coverage(question: str, answer: str):
    return question_coverage(question_terms(question), answer_terms(answer))


def test_the_value_is_the_mean_of_cosine_and_jaccard():
    # Terms: {premium, rate} and {premium}. A term of one text only weighs c = ln(3/2) + 1, so the
    # cosine is 1 / sqrt(1 + c^2). Words: {what, premium, rate} and {premium, is} share 1 of 4.
    score = hybrid_relevance("What premium rate", "premium is")
    c = log(3 / 2) + 1
    assert score.evidence is not None
    assert score.evidence["cosine"] == approx(1 / (1 + c * c) ** 0.5, abs=1e-15)
    assert score.evidence["jaccard"] == 1 / 4
    assert score.evidence["common_terms"] == ["premium"]
    assert score.value == approx((1 / (1 + c * c) ** 0.5 + 1 / 4) / 2, abs=1e-15)


def test_stop_words_alone_leave_only_the_jaccard_part():
    # {is, it} and {it, was}: 1 of 3 words, and no term for the cosine.
    assert hybrid_relevance("is it", "it was").value == approx(1 / 6)


@pytest.mark.parametrize(("question", "answer"), [("", ""), (" \n", ""), ("fee", ""), ("", "fee")])
def test_without_words_on_a_side_the_relevance_is_zero(question, answer):
    assert hybrid_relevance(question, answer).value == 0.0


@given(TEXT, TEXT)
def test_the_cosine_is_that_of_scikit_learn(question, answer):
    evidence = hybrid_relevance(question, answer).evidence
    assert evidence is not None
    assert evidence["cosine"] == approx(sklearn_cosine(question, answer), abs=1e-12)


@given(TEXT, TEXT)
def test_relevance_is_symmetric_and_within_bounds(question, answer):
    value = hybrid_relevance(question, answer).value
    assert value is not None
    assert 0 <= value <= 1
    assert value == approx(hybrid_relevance(answer, question).value, abs=1e-15)


def test_coverage_is_the_share_of_the_questions_keywords_in_the_answer():
    # Keywords: base, rate, hurricane; the answer has two of them.
    score = coverage("What is the base rate for a hurricane?", "The base rate is 293.")
    assert score.value == approx(2 / 3)
    assert score.evidence == {"matched": ["base", "rate"], "missing": ["hurricane"]}


def test_a_question_without_keywords_is_covered_even_by_an_empty_answer():
    assert coverage("Is it?", "").value == 1.0
    assert coverage("", "Yes.").value == 1.0


def test_an_empty_answer_covers_nothing_of_a_question_with_keywords():
    score = coverage("Which rate?", "")
    assert score.value == 0.0
    assert score.evidence == {"matched": [], "missing": ["rate"]}


def test_a_word_with_a_sign_in_it_is_no_keyword():
    assert question_terms("Rule C-1, the state-of-the-art 1,000 in the U.S. today") == {
        "rule",
        "today",
    }


def test_keywords_are_compared_whole_and_without_case():
    assert coverage("RATES", "rate").value == 0.0
    assert coverage("RATES", "Rates!").value == 1.0


def test_other_scripts_have_keywords_too():
    assert coverage("保険料 はいくら", "保険料 です").value == 0.5
