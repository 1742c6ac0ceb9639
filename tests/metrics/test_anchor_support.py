"""Unsupported anchors and topic drift, worked out by hand."""

import json

import pytest
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
    assert score.evidence is not None
    assert (score.evidence["n_anchors"], score.evidence["n_unsupported"]) == (2, 1)
    assert score.evidence["overlap"] == 2 / 5


def test_an_answer_borne_out_in_all_is_zero():
    context = "In 2016, Acme released the Pear phone; it cost $649."
    assert hallucination("Acme released the Pear phone in 2016 for $649.", [context]).value == 0


def test_another_subject_makes_the_claim_unsupported():
    assert (
        hallucination("Acme released the Pear phone.", ["Globex released the Pear phone."]).value
        == 1
    )


def test_a_number_is_borne_out_by_its_word():
    assert hallucination("There is 1 dog", ["There is one dog"]).value == 0
    assert rg.score("number_match", reference="1", answer="one").value == 1
    assert rg.score("number_precision", answer="1", contexts=["one"]).value == 1
    assert rg.score("number_match", reference="one", answer="1").status == "undefined"


def test_an_amount_is_one_anchor_and_no_claim_besides():
    # one anchor, $3.2bn, and it is there; the words all are
    score = hallucination("Revenue reached $3.2bn.", ["$3.2bn revenue reached"])
    assert score.evidence is not None
    assert (score.value, score.evidence["n_anchors"]) == (0, 1)


def test_the_kinds_of_anchors_count_equally():
    # claim: no; March 2021: no; $5 million: yes; 12%: no → 3 of 4
    answer = "Acme bought Initech in March 2021 for $5 million, a gain of 12%."
    context = "Globex bought Initech in March 2020 for a price of $5,000,000, a gain of 12."
    assert hallucination(answer, [context]).value == 3 / 4


def test_each_mention_of_an_anchor_counts():
    # 7 twice, 8 once; only the 8 stands in the context
    assert hallucination("It is 7, yes 7, not 8", ["it is not 8, yes"]).value == 2 / 3


def test_without_anchors_only_the_drift_counts():
    assert hallucination("It may rain in the hills", ["unrelated"]).value == 0.2
    assert hallucination("It may rain in the hills", ["rain in the hills"]).value == 0
    assert hallucination("", ["anything"]).value == 0
    assert hallucination("…!?", []).value == 0


def test_drift_is_the_least_when_few_anchors_are_unsupported():
    # 1 of 10 numbers unsupported (0.1); words found: the nine numbers of 10 + 40 others < 0.2
    numbers = " ".join(f"{n};" for n in range(10, 20))
    others = " ".join(f"w{letter}x" for letter in "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrst")
    answer = f"{numbers} {others} {' '.join(f'q{n}q' for n in range(20))}"
    context = " ".join(f"{n};" for n in range(10, 19))
    score = hallucination(answer, [context])
    assert score.evidence is not None
    assert score.evidence["n_unsupported"] == 1
    assert score.evidence["overlap"] == 9 / (10 + 26 + 20)
    assert score.value == 0.2


def test_hallucination_of_the_whole_equals_its_evidence():
    score = hallucination("Acme sold 5 cars, then 6.", ["Acme sold 5 cars"])
    evidence = json.loads(json.dumps(score.evidence))
    unsupported = [one for one in evidence["anchors"] if not one["supported"]]
    assert score.value == max(len(unsupported) / len(evidence["anchors"]), evidence["topic_drift"])
    assert [one["text"] for one in unsupported] == ["6"]
    assert evidence["extractor"] == "embedded"


def test_each_anchor_in_the_evidence_says_where_it_stands_and_what_bears_it_out():
    answer, contexts = (
        "It cost $1,000 on 5 March 2021.",
        ["none", "Price: 1000 dollars (2021-03-05)"],
    )
    score = hallucination(answer, contexts)
    assert score.evidence is not None
    assert score.evidence["anchors"] == [
        {
            "kind": "number",
            "value": "1000",
            "unit": "USD",
            "text": "$1,000",
            "start": 8,
            "end": 14,
            "supported": True,
            "by": {"context": 1, "start": 7, "end": 19, "text": "1000 dollars"},
        },
        {
            "kind": "date",
            "parts": {"year": 2021, "month": 3, "day": 5},
            "text": "5 March 2021",
            "start": 18,
            "end": 30,
            "supported": True,
            "by": {"context": 1, "start": 21, "end": 31, "text": "2021-03-05"},
        },
    ]


def test_the_evidence_of_very_many_anchors_is_cut_and_says_so():
    score = hallucination("7. " * 1_500, ["8"])
    assert score.evidence is not None
    assert (score.evidence["n_anchors"], score.evidence["n_anchors_cut"]) == (1_500, 500)
    assert score.value == 1


@pytest.mark.parametrize(
    ("answer", "contexts", "value"),
    [
        ("a b c d e", ["a"], 0.0),  # 1/5 is not below 0.2
        ("a b c d e f", ["a"], 0.2),  # 1/6 is
        ("a a a a a b", ["b"], 0.0),  # distinct: 1/2
        ("The CAT!", ["the, cat"], 0.0),
        ("", ["a"], 0.0),
        ("?!", ["a"], 0.0),
        ("a", [], 0.2),
        ("a", [""], 0.2),
    ],
)
def test_fewer_than_a_fifth_of_the_words_found_is_drift(
    answer: str, contexts: list[str], value: float
):
    assert drift(answer, contexts).value == value


def test_bigrams_do_not_reach_from_one_context_into_the_next():
    # bigrams of the answer: "a b", "b c"; "a b" spans two contexts, "b c" is in the second
    score = drift("a b c", ["x a", "b c"], "topic_drift(n=2)")
    assert score.evidence is not None
    assert score.evidence["overlap"] == 1 / 2
    assert score.evidence["ngrams_missing"] == ["a b"]
    assert drift("a b c", ["a", "b", "c"], "topic_drift(n=2)").value == 0.2
    assert drift("a", ["b"], "topic_drift(n=2)").value == 0


def test_n_below_one_is_refused():
    with pytest.raises(LabelError, match="n must be at least 1, got 0"):
        ngrams(["a"], 0)


def test_hallucination_takes_its_n_from_its_label():
    answer, contexts = "pears grow here", ["here grow pears"]
    assert hallucination(answer, contexts).value == 0
    assert hallucination(answer, contexts, 'extractor="embedded",n=2').value == 0.2


def test_chinese_words_are_compared_sign_by_sign():
    assert drift("北京是首都", ["中国的首都是北京"]).value == 0
    assert drift("北京是首都", ["上海"]).value == 0.2


@pytest.mark.parametrize("answer", ["👍 5", "مرحبا ٥", "５％", "\x00", "a" * 1_000_000])
def test_strange_answers_are_scored(answer: str):
    assert 0 <= (hallucination(answer, ["5"]).value or 0) <= 1


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=3))
def test_one_more_context_never_makes_it_worse(answer: str, contexts: list[str]):
    fewer = hallucination(answer, contexts).value
    more = hallucination(answer, [*contexts, answer]).value
    assert fewer is not None
    assert more == 0 <= fewer <= 1
