"""ROUGE against rouge-score 0.1.2; BLEU and chrF against sacrebleu 2.6.0."""

import random
import sys

import pytest
import sacrebleu
from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from rouge_score.rouge_scorer import RougeScorer

from ragauge.errors import MissingExtraError
from ragauge.metric import METRICS
from ragauge.metrics import ngram
from ragauge.metrics.ngram import (
    answer_rouge_words,
    bleu,
    chrf,
    corpus_bleu,
    corpus_chrf,
    reference_rouge_words,
    rouge1,
    rouge2,
    rouge_l,
    rouge_lsum,
)
from ragauge.score import Score, Status

NAMES = ("rouge1", "rouge2", "rougeL", "rougeLsum")
ROUGE_SCORE = RougeScorer(list(NAMES))
WORDS = "a b c d A. É it's 5 保"
LINES = st.lists(st.sampled_from([*WORDS.split(), "\ud800", "\n", "\n", "\n\n"])).map(" ".join)


def rouge(name: str, answer: str, reference: str, measure: ngram.Measure = "f1") -> Score:
    if name == "rougeLsum":
        return rouge_lsum(answer, reference, measure=measure)
    by_words = {"rouge1": rouge1, "rouge2": rouge2, "rougeL": rouge_l}[name]
    words = answer_rouge_words(answer), reference_rouge_words(reference)
    return by_words(*words, measure=measure)


def parts(scores: list[Score]) -> list[float]:
    rows = [score.evidence["parts"] for score in scores if score.evidence]
    return [sum(column) for column in zip(*rows, strict=True)]


@cases(
    # Shared: the x 2, cat x 1 = 3. F1 = 2 * 3 / 9.
    ("rouge1", "the the the cat sat", "The cat, the hat.", 6 / 9),
    # the cat, cat sat against the cat, cat ran, ran off: 1 shared of 2 and 3.
    ("rouge2", "the cat sat", "the cat ran off", 2 / 5),
    # In order with gaps: police ... the gunman: 3 of 4 and 4.
    ("rougeL", "police kill the gunman", "police killed the gunman", 3 / 4),
    ("rougeL", "gunman the kill police", "police killed the gunman", 1 / 4),
)
def test_rouge_worked_out_by_hand(name, answer, reference, f1):
    assert rouge(name, answer, reference).value == approx(f1)


def test_rouge_has_precision_recall_and_the_counts():
    answer, reference = "the the the cat sat", "The cat, the hat."
    assert rouge("rouge1", answer, reference, "precision").value == approx(3 / 5)
    assert rouge("rouge1", answer, reference, "recall").value == approx(3 / 4)
    counts = {"n_shared": 1, "n_answer": 2, "n_reference": 3}
    assert rouge("rouge2", "the cat sat", "the cat ran off").evidence == counts


def test_rouge_lsum_joins_what_the_answers_lines_share_with_a_reference_line():
    # Lin's own example: w1 w2 w3 w4 w5 against (w1 w2 w6 w7 w8) and (w1 w3 w8 w9 w5): the union
    # of w1 w2 and w1 w3 w5 has 4 words; R = 4/5, P = 4/10.
    answer = "w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5"
    assert rouge("rougeLsum", answer, "w1 w2 w3 w4 w5", "recall").value == approx(4 / 5)
    assert rouge("rougeLsum", answer, "w1 w2 w3 w4 w5", "precision").value == approx(4 / 10)


@pytest.mark.parametrize("name", NAMES)
def test_a_reference_without_words_gives_no_rouge_and_an_answer_without_them_zero(name):
    for reference in ("", " \n", "保険料", "..."):
        score = rouge(name, "the fee is due", reference)
        assert score.status is Status.UNDEFINED
        assert "no " in (score.reason or "")
    for measure in ("f1", "precision", "recall"):
        for answer in ("", "\n", "保険料 😀 ５"):
            assert rouge(name, answer, "the fee is due", measure).value == 0.0
    assert rouge("rouge2", "the fee", "fee").status is Status.UNDEFINED


@pytest.mark.parametrize("name", NAMES)
@given(answer=LINES, reference=LINES)
def test_rouge_is_that_of_rouge_score(name, answer, reference):
    expected = ROUGE_SCORE.score(reference, answer)[name]
    for measure, value in zip(("precision", "recall", "f1"), expected, strict=True):
        score = rouge(name, answer, reference, measure)
        if score.status is Status.UNDEFINED:
            assert value == 0
        else:
            assert score.value == approx(value, abs=1e-12)


def test_rouge_l_of_long_texts_takes_well_under_a_second():
    choose = random.Random(3)
    answer, reference = (" ".join(choose.choices("abcdefgh", k=8_000)) for _ in range(2))
    assert 0.5 < rouge("rougeL", answer, reference).value < 1


PAIRS = [
    ("The cat sat on the mat.", "The cat is on the mat."),
    ("A dog, big and black!", "A big black dog."),
    *(("no", "yes"), ("", "nothing")),
    ("It costs $1,000 (about 5%).", "It costs $1,000 or 5%."),
]


@cases((bleu, corpus_bleu, sacrebleu.corpus_bleu), (chrf, corpus_chrf, sacrebleu.corpus_chrf))
def test_the_value_of_a_set_is_sacrebleus(metric, of_set, theirs):
    scores = [metric(*pair) for pair in PAIRS]
    answers, references = zip(*PAIRS, strict=True)
    expected = theirs(answers, [references]).score / 100
    few = theirs(answers[1:3], [references[1:3]]).score / 100
    assert of_set([parts(scores), parts(scores[1:3])]) == approx([expected, few], abs=1e-12)
    assert METRICS[metric.__name__].aggregate is of_set
    if metric is bleu:
        alone = [sacrebleu.sentence_bleu(answer, [other]).score / 100 for answer, other in PAIRS]
        assert [score.value for score in scores] == approx(alone, abs=1e-12)


def test_the_parts_of_bleu_are_matched_and_all_ngrams_and_the_lengths():
    # "a b c" against "a b d": 2 of 3 words, 1 of 2 pairs, 0 of 1 triple, no quadruple.
    score = bleu("a b c", "a b d")
    assert score.evidence == {"parts": [2, 1, 0, 0, 3, 2, 1, 0, 3, 3]}


@pytest.mark.parametrize("metric", [bleu, chrf])
def test_a_perfect_answer_scores_one_an_empty_one_zero_and_a_blank_reference_nothing(metric):
    text = "The cat sat on the mat."
    assert metric(text, text).value == approx(1.0, abs=1e-12)
    assert metric(text, text).value <= 1.0
    assert metric("", text).value == 0.0
    assert metric("cat", "保険料").value == 0.0
    assert metric("the fee", " \n").status is Status.UNDEFINED


@given(LINES, LINES)
def test_one_chrf_is_sacrebleus_sentence_chrf(answer, reference):
    score = chrf(answer, reference)
    if score.status is Status.OK:
        expected = sacrebleu.sentence_chrf(answer, [reference]).score / 100
        assert score.value == approx(expected, abs=1e-12)


@pytest.mark.parametrize("metric", [bleu, chrf])
def test_without_sacrebleu_the_message_says_what_to_install(metric, monkeypatch):
    ngram._sacrebleu.cache_clear()
    for module in [name for name in sys.modules if name.split(".")[0] == "sacrebleu"]:
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=r"ragauge\[ngram\]"):
        metric("a", "a")


def test_rouge_needs_no_sacrebleu(monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    assert rouge("rougeLsum", "a\nb", "a\nb").value == 1.0
