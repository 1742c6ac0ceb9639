from math import log

from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from sklearn.feature_extraction.text import TfidfVectorizer

from ragauge.metrics.relevance import (
    INDICATORS,
    answer_terms,
    citation_quality,
    hybrid_relevance,
    question_coverage,
    question_terms,
)

WORDS = "the The base rate RATE rates c-1 C 293 ２９３ what's été 保険料 😀 � a_b ."
TEXT = st.lists(st.sampled_from([*WORDS.split(), "\n"])).map(" ".join)


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
    assert score.evidence["cosine"] == approx(1 / (1 + c * c) ** 0.5, abs=1e-15)
    assert score.evidence["jaccard"] == 1 / 4
    assert score.evidence["common_terms"] == ["premium"]
    assert score.value == approx((1 / (1 + c * c) ** 0.5 + 1 / 4) / 2, abs=1e-15)


@cases(
    # {is, it} and {it, was}: 1 of 3 words, and no term for the cosine
    ("is it", "it was", 1 / 6),
    ("", "", 0),
    (" \n", "", 0),
    ("fee", "", 0),
    ("", "fee", 0),
)
def test_without_terms_only_the_words_count_and_without_words_nothing(question, answer, value):
    assert hybrid_relevance(question, answer).value == approx(value)


@given(TEXT, TEXT)
def test_the_cosine_is_that_of_scikit_learn_and_relevance_symmetric_and_within_bounds(
    question, answer
):
    found = hybrid_relevance(question, answer)
    assert found.evidence["cosine"] == approx(sklearn_cosine(question, answer), abs=1e-12)
    assert 0 <= found.value <= 1
    assert found.value == approx(hybrid_relevance(answer, question).value, abs=1e-15)


def test_coverage_is_the_share_of_the_questions_keywords_in_the_answer():
    # Keywords: base, rate, hurricane; the answer has two of them.
    score = coverage("What is the base rate for a hurricane?", "The base rate is 293.")
    assert score.value == approx(2 / 3)
    assert score.evidence == {"matched": ["base", "rate"], "missing": ["hurricane"]}
    # A word with a sign in it is no keyword.
    question = "Rule C-1, the state-of-the-art 1,000 in the U.S. today"
    assert question_terms(question) == {"rule", "today"}


@cases(
    ("Is it?", "", 1),  # no keyword
    ("", "Yes.", 1),
    ("Which rate?", "", 0),
    ("RATES", "rate", 0),
    ("RATES", "Rates!", 1),
    ("保険料 はいくら", "保険料 です", 0.5),
)
def test_keywords_are_compared_whole_and_without_case(question, answer, value):
    assert coverage(question, answer).value == value


@cases(
    ("", 0),
    ("The premium is $604.", 0),
    ("See page 4.", 1 / 3),
    ("Page 4, page 5 and page 6.", 1 / 3),
    ("According to page 4.", 2 / 3),
    ("Source: the PDF, page 4", 1),
    ("From the document, based on Table: 3, page 4", 1),
    ("the source is a table", 0),  # without their colons
)
def test_each_kind_of_indicator_counts_once_up_to_three(answer, value):
    assert citation_quality(answer).value == approx(value)


def test_there_are_eight_indicators():
    assert len(set(INDICATORS)) == 8
    assert citation_quality(" ".join(INDICATORS), enough=8).value == 1.0
