"""Unsupported anchors and topic drift, worked out by hand."""

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

import ragauge as rg
from ragauge.errors import LabelError
from ragauge.metrics.anchor_support import ngrams


def hallucination(answer: str, contexts: list[str], settings: str = 'extractor="embedded"'):
    return rg.score(f"hallucination({settings})", answer=answer, contexts=contexts)


def drift(answer: str, contexts: list[str], label: str = "topic_drift"):
    return rg.score(label, answer=answer, contexts=contexts)


def test_half_of_two_anchors_unsupported_is_a_half():
    # $5 is there; 2021 is not, only 2020. Overlap 2 of 5 words (5, in): no drift.
    score = hallucination("It cost $5 in 2021.", ["$5 in 2020"])
    assert score.value == 0.5
    assert (score.evidence["n_anchors"], score.evidence["n_unsupported"]) == (2, 1)
    assert score.evidence["overlap"] == 2 / 5


KINDS = "Acme bought Initech in March 2021 for $5 million, a gain of 12%."


@cases(
    ("Acme released the Pear phone in 2016 for $649.", "In 2016, Acme released the Pear phone; it cost $649.", 0),
    ("Acme released the Pear phone.", "Globex released the Pear phone.", 1),
    ("There is 1 dog", "There is one dog", 0),
    ("Revenue reached $3.2bn.", "$3.2bn revenue reached", 0),
    # claim: no; March 2021: no; $5 million: yes; 12%: no → 3 of 4
    (KINDS, "Globex bought Initech in March 2020 for a price of $5,000,000, a gain of 12.", 3 / 4),
    # Each mention counts: 7 twice, 8 once; only the 8 stands in the context.
    ("It is 7, yes 7, not 8", "it is not 8, yes", 2 / 3),
    # Without anchors only the drift counts.
    ("It may rain in the hills", "unrelated", 0.2),
    ("It may rain in the hills", "rain in the hills", 0),
    ("", "anything", 0),
    ("…!?", "", 0),
)  # fmt: skip
def test_the_share_of_anchors_that_no_context_supports(answer, context, value):
    assert hallucination(answer, [context]).value == value


def test_drift_is_the_least_when_few_anchors_are_unsupported():
    # 1 of 10 numbers unsupported (0.1); words found: the nine numbers of 10 + 40 others < 0.2
    numbers = " ".join(f"{n};" for n in range(10, 20))
    others = " ".join(f"w{letter}x" for letter in "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrst")
    answer = f"{numbers} {others} {' '.join(f'q{n}q' for n in range(20))}"
    context = " ".join(f"{n};" for n in range(10, 19))
    score = hallucination(answer, [context])
    assert score.evidence["n_unsupported"] == 1
    assert score.evidence["overlap"] == 9 / (10 + 26 + 20)
    assert score.value == 0.2


def test_each_anchor_in_the_evidence_says_where_it_stands_and_what_bears_it_out():
    contexts = ["none", "Price: 1000 dollars (2021-03-05)"]
    score = hallucination("It cost $1,000 on 5 March 2021.", contexts)
    price, date = "1000 dollars", "2021-03-05"
    assert score.evidence["anchors"] == [
        {"kind": "number", "value": "1000", "unit": "USD", "text": "$1,000", "start": 8, "end": 14, "supported": True, "by": {"context": 1, "start": 7, "end": 19, "text": price}},
        {"kind": "date", "parts": {"year": 2021, "month": 3, "day": 5}, "text": "5 March 2021", "start": 18, "end": 30, "supported": True, "by": {"context": 1, "start": 21, "end": 31, "text": date}},
    ]  # fmt: skip
    assert score.evidence["extractor"] == "embedded"


def test_the_evidence_of_very_many_anchors_is_cut_and_says_so():
    score = hallucination("7. " * 1_500, ["8"])
    assert (score.evidence["n_anchors"], score.evidence["n_anchors_cut"]) == (1_500, 500)
    assert score.value == 1


@cases(
    *(("a b c d e", ["a"], 0.0), ("a b c d e f", ["a"], 0.2)),  # 1/5 is not below 0.2, 1/6 is
    ("a a a a a b", ["b"], 0.0),  # distinct: 1/2
    *(("The CAT!", ["the, cat"], 0.0), ("", ["a"], 0.0), ("?!", ["a"], 0.0)),
    *(("a", [], 0.2), ("a", [""], 0.2)),
    *(("北京是首都", ["中国的首都是北京"], 0.0), ("北京是首都", ["上海"], 0.2)),
)
def test_fewer_than_a_fifth_of_the_words_found_is_drift(answer, contexts, value):
    assert drift(answer, contexts).value == value


def test_bigrams_do_not_reach_from_one_context_into_the_next():
    # bigrams of the answer: "a b", "b c"; "a b" spans two contexts, "b c" is in the second
    score = drift("a b c", ["x a", "b c"], "topic_drift(n=2)")
    assert score.evidence["overlap"] == 1 / 2
    assert score.evidence["ngrams_missing"] == ["a b"]
    assert drift("a b c", ["a", "b", "c"], "topic_drift(n=2)").value == 0.2
    assert drift("a", ["b"], "topic_drift(n=2)").value == 0


def test_hallucination_takes_its_n_from_its_label():
    answer, contexts = "pears grow here", ["here grow pears"]
    assert hallucination(answer, contexts).value == 0
    assert hallucination(answer, contexts, 'extractor="embedded",n=2').value == 0.2
    with pytest.raises(LabelError, match="n must be at least 1, got 0"):
        ngrams(["a"], 0)


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=3))
def test_one_more_context_never_makes_it_worse(answer: str, contexts: list[str]):
    fewer = hallucination(answer, contexts).value
    more = hallucination(answer, [*contexts, answer]).value
    assert fewer is not None
    assert more == 0 <= fewer <= 1
