"""What an answer shows without a reference: how much of the question it takes up, and whether it names sources."""

import math
import re
from collections import Counter

from ragauge.language.stop_words import NLTK_ENGLISH, SKLEARN_ENGLISH
from ragauge.language.words import alphanumeric_words, words_of
from ragauge.metric import feature, metric
from ragauge.score import Score
from ragauge.setting import Count

TERM = re.compile(r"\w\w+")
IDF_IN_ONE_OF_TWO = math.log(3 / 2) + 1
"""Smooth inverse document frequency of a term that one of two texts has; 1 if both have it."""


@feature
def question_terms(question: str) -> frozenset[str]:
    """The question's alphanumeric words that are not NLTK English stop words."""
    return frozenset(alphanumeric_words(question)) - NLTK_ENGLISH


@feature
def answer_terms(answer: str) -> frozenset[str]:
    """The answer's alphanumeric words that are not NLTK English stop words."""
    return frozenset(alphanumeric_words(answer)) - NLTK_ENGLISH


@metric(version=2)
def question_coverage(question_terms: frozenset[str], answer_terms: frozenset[str]) -> Score:
    """Share of the question's keywords that the answer uses too.

    In [0, 1]. Keywords are the distinct lower-cased alphanumeric words that are not NLTK English stop
    words. Never undefined: a question without keywords scores 1.0 with any answer; an answer without
    keywords scores 0.0 otherwise.

    Source: the suite reference-free, where it is named completeness.

    >>> question_coverage(frozenset({"base", "rate"}), frozenset({"rate", "293"})).value
    0.5
    """
    matched = question_terms & answer_terms
    missing = question_terms - answer_terms
    value = len(matched) / len(question_terms) if question_terms else 1.0
    return Score(value, evidence={"matched": sorted(matched), "missing": sorted(missing)})


@metric
def hybrid_relevance(question: str, answer: str) -> Score:
    """How similar the wording of question and answer is: the mean of TF-IDF cosine and Jaccard similarity.

    In [0, 1]. The cosine is that of scikit-learn's `TfidfVectorizer(stop_words="english")` fitted on the
    two texts, 0 if either has no term. The Jaccard similarity compares the sets of lower-cased words
    split on whitespace, 0 if both are empty. Never undefined.

    Source: the suite reference-free.

    >>> hybrid_relevance("base rate", "the base rate").value
    0.8333333333333333
    """
    left, right = _term_counts(question), _term_counts(answer)
    common = left.keys() & right.keys()
    cosine = 0.0
    if common:
        dot = sum([left[term] * right[term] for term in common])
        lengths = _squared_length(left, common) * _squared_length(right, common)
        cosine = min(dot / math.sqrt(lengths), 1.0)
    left_words, right_words = set(question.lower().split()), set(answer.lower().split())
    n_common = len(left_words & right_words)
    n_all = len(left_words) + len(right_words) - n_common
    jaccard = n_common / n_all if n_all else 0.0
    evidence = {"cosine": cosine, "jaccard": jaccard, "common_terms": sorted(common)}
    return Score((cosine + jaccard) / 2, evidence=evidence)


def _term_counts(text: str) -> Counter[str]:
    if text.isascii():
        words = words_of(text).listed
        return Counter([word for word in words if len(word) > 1 and word not in SKLEARN_ENGLISH])
    return Counter([term for term in TERM.findall(text.lower()) if term not in SKLEARN_ENGLISH])


def _squared_length(counts: Counter[str], common: set[str]) -> float:
    shared = sum([counts[term] ** 2 for term in common])
    alone = sum([count * count for count in counts.values()]) - shared
    return shared + alone * IDF_IN_ONE_OF_TWO**2


INDICATORS = ("source:", "table:", "page", "document", "pdf", "according to", "based on", "from")


@metric(version=1)
def citation_quality(answer: str, *, enough: Count = 3) -> Score:
    """How many kinds of source references the answer contains, relative to the number that is enough.

    In [0, 1]: distinct indicators / `enough`, at most 1. The indicators are "source:", "table:",
    "page", "document", "pdf", "according to", "based on" and "from", found as substrings ignoring case
    ("from" is found in "fromage"). Never undefined; an empty answer scores 0.0.

    Source: the suite answer-quality.

    >>> citation_quality("According to page 4 of the rules manual").value
    0.6666666666666666
    """
    lowered = answer.lower()
    found = [indicator for indicator in INDICATORS if indicator in lowered]
    return Score(min(len(found) / enough, 1.0), evidence={"found": found, "enough": enough})
