import sys

import nltk
import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from ragauge.errors import MissingExtraError, PlanError
from ragauge.metrics.overlap import passage_exact_match, span_f1
from ragauge.score import Status

PASSAGES = st.lists(st.text(st.sampled_from("aB1 .,'\n保\ud800"), max_size=8), max_size=4)


@cases(
    (passage_exact_match, ["\n The Fee  is due. "], ["No fee.", "the fee  is due."], 1),
    (passage_exact_match, ["the  fee"], ["the fee"], 0),
    (passage_exact_match, ["Cafe\u0301"], ["caf\u00e9"], 1),
    (passage_exact_match, ["other", "the fee"], ["the fee"], 0),
    (span_f1, ["other", "the fee"], ["the fee"], 0),
    (span_f1, ["..."], ["—"], 1),
    (span_f1, ["..."], ["fee"], 0),
    (span_f1, ["fee"], ["..."], 0),
)
def test_the_first_passage_is_compared_with_each_gold_one(metric, contexts, golds, value):
    assert metric(contexts, golds).value == value


@pytest.mark.parametrize("metric", [passage_exact_match, span_f1])
def test_without_gold_there_is_no_value_and_nothing_retrieved_scores_zero(metric):
    for contexts in ([], ["the fee"]):
        assert metric(contexts, []).status is Status.UNDEFINED
    for golds in (["the fee"], [""]):
        assert metric([], golds).value == 0.0


def test_span_f1_counts_each_word_once_and_takes_the_best_gold_of_equals_the_first():
    # {the, fee, is, due} and {the, fee}: P = 2/4, R = 2/2, F1 = 2 * 2 / 6. As bags it would be
    # 2 * 3 / (5 + 3).
    score = span_f1(["The fee is the due."], ["the fee the"])
    assert score.value == approx(4 / 6)
    counts = {"best_gold": 0, "n_shared": 2, "n_predicted": 4, "n_gold": 2}
    assert score.evidence == {**counts, "precision": 2 / 4, "recall": 2 / 2}
    # Against "fee": 2 * 1 / 3; against "the fee" and "fee the": 1.
    score = span_f1(["the fee"], ["fee", "the fee", "fee the"])
    assert (score.value, score.evidence["best_gold"]) == (1.0, 1)


@given(PASSAGES, PASSAGES.filter(bool))
def test_values_stay_within_bounds_and_a_copied_gold_scores_one(contexts, golds):
    assert 0 <= span_f1(contexts, golds).value <= 1
    for metric in (span_f1, passage_exact_match):
        assert metric([golds[-1]], golds).value == 1.0
    if passage_exact_match(contexts, golds).value == 1.0:
        assert span_f1(contexts, golds).value == 1.0


def test_nltks_own_tokenizer_says_what_to_install_or_download(monkeypatch):
    monkeypatch.setattr(nltk.data, "path", [])
    nltk.tokenize._get_punkt_tokenizer.cache_clear()
    with pytest.raises(PlanError, match="punkt_tab"):
        span_f1(["the fee"], ["the fee"], tokenizer="nltk")
    monkeypatch.setitem(sys.modules, "nltk", None)
    with pytest.raises(MissingExtraError, match=r"ragauge\[nltk\]"):
        span_f1(["the fee"], ["the fee"], tokenizer="nltk")


def test_nltks_own_tokenizer_is_the_one_asked(monkeypatch):
    monkeypatch.setattr(nltk, "word_tokenize", lambda text: [*text.split(), "Added", "."])
    # {the, fee, added} and {fee, added}: 2 * 2 / 5.
    assert span_f1(["the fee"], ["FEE"], tokenizer="nltk").value == approx(4 / 5)
