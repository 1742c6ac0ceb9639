from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

import ragauge as rg
from ragauge.features.rankings import judged
from ragauge.metrics.ranking import ndcg, precision, recall
from ragauge.score import Status

IDS = st.lists(st.sampled_from("abcdefgh"), max_size=10)
GRADES = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-1, 3), max_size=8)
CUTS = st.none() | st.integers(1, 12)
TEXTS = st.lists(
    st.sampled_from(["", " ", "a", "A ", "ab", "b", "abc", "c  d", "c d e"]), max_size=6
)


def by_id(ids, relevant):
    return judged(ids, relevant, None, None)


def by_text(contexts, golds, match="text"):
    return judged(None, None, contexts, golds, match=match)


# Seed 000


def test_the_reciprocal_discount_of_seed_000():
    # R = {a, b}: DCG = 0/1 + 1/2 + 0/3 + 1/4 = .75, IDCG = 1/1 + 1/2 = 1.5.
    score = rg.score(
        'ndcg(discount="reciprocal",ideal="all")',
        context_ids=["x", "a", "y", "b"],
        relevant=["a", "b"],
    )
    assert score.value == approx(0.75 / 1.5)


def test_the_ideal_of_seed_000_holds_all_relevant_documents_however_few_are_returned():
    # One of three is returned, at the top: 1 / (1 + 1/2 + 1/3).
    score = rg.score(
        'ndcg(discount="reciprocal",ideal="all")', context_ids=["a"], relevant=["a", "b", "c"]
    )
    assert score.value == approx(1 / (1 + 1 / 2 + 1 / 3))


def test_modified_precision_is_recall():
    fields = {"context_ids": ["x", "a", "a", "b"], "relevant": ["a", "b", "c"]}
    assert rg.score("recall", **fields).value == approx(2 / 3)
    assert rg.score("modified_precision", **fields).value == approx(2 / 3)


# By hand


def test_ndcg_with_the_logarithmic_discount():
    # Grades 2 at rank 2 and 1 at rank 3; ideal 2, 1.
    dcg = 2 / log2(3) + 1 / log2(4)
    ideal = 2 / log2(2) + 1 / log2(3)
    score = ndcg(by_id(["x", "a", "b"], {"a": 2, "b": 1}))
    assert score.value == approx(dcg / ideal)
    assert score.evidence["dcg"] == approx(dcg)


def test_exponential_gains_are_two_to_the_grade_less_one():
    dcg = 1 / log2(2) + 3 / log2(3)
    ideal = 3 / log2(2) + 1 / log2(3)
    score = ndcg(by_id(["b", "a"], {"a": 2, "b": 1}), gains="exponential")
    assert score.value == approx(dcg / ideal)


def test_a_grade_too_high_for_exponential_gains_is_undefined():
    score = ndcg(by_id(["a"], {"a": 5000}), gains="exponential")
    assert score.status is Status.UNDEFINED
    assert ndcg(by_id(["a"], {"a": 5000})).value == 1.0


def test_the_cut_holds_for_the_ideal_ranking_too_unless_it_is_all():
    relevant = {"a": 1, "b": 1, "c": 1}
    assert ndcg(by_id(["a", "b"], relevant), k=2).value == approx(1.0)
    ideal = 1 + 1 / log2(3) + 1 / log2(4)
    assert ndcg(by_id(["a"], relevant), ideal="all", k=1).value == approx(1 / ideal)


def test_a_repeated_id_counts_once_and_the_later_ones_move_up():
    twice = by_id(["a", "a", "a", "b"], {"a": 1, "b": 1})
    assert ndcg(twice).value == approx(1.0)
    assert recall(twice, k=2).value == 1.0
    assert precision(twice).value == 1.0


def test_a_grade_below_one_is_judged_and_not_relevant():
    found = by_id(["n", "z", "a"], {"a": 1, "z": 0, "n": -2})
    assert ndcg(found).value == approx(1 / log2(4))
    assert recall(found).value == 1.0
    assert precision(found).value == approx(1 / 3)
    assert recall(found, min_grade=2).status is Status.UNDEFINED


def test_precision_at_k_is_over_k_however_few_are_retrieved():
    found = by_id(["a", "x"], {"a": 1})
    assert precision(found, k=10).value == approx(1 / 10)
    assert precision(found).value == approx(1 / 2)


@pytest.mark.parametrize("metric", [ndcg, recall, precision])
def test_nothing_relevant_is_undefined_and_nothing_retrieved_is_zero(metric):
    assert metric(by_id(["a"], {})).status is Status.UNDEFINED
    assert metric(by_id(["a"], {"a": 0})).status is Status.UNDEFINED
    assert metric(by_id([], {"a": 1})).value == 0.0
    assert metric(by_id(["x"], {"a": 1})).value == 0.0
    assert metric(by_text(["x"], [])).status is Status.UNDEFINED


@pytest.mark.parametrize("name", ["ndcg", "recall", "precision"])
def test_what_the_match_needs_and_the_sample_lacks_is_missing(name):
    assert "relevant" in rg.score(name, context_ids=["a"]).reason
    assert rg.score(name, relevant=["a"]).status is Status.MISSING
    assert "gold_contexts" in rg.score(f'{name}(match="text")', contexts=["a"]).reason


@pytest.mark.parametrize("cut", ["@0", "(k=-1)", "(k=1.5)", '(k="x")', "(k=true)"])
def test_a_cut_that_is_no_count_is_refused(cut):
    with pytest.raises(rg.PlanError, match="k must be a whole number of at least 1 or null"):
        rg.score(f"ndcg{cut}", context_ids=["a"], relevant=["a"])


# Seed 003: passages by their text


@pytest.mark.parametrize(
    ("passage", "gold", "matches"),
    [
        ("The fee is due.", "the  FEE is\ndue.", True),
        ("See: the fee is due. Then pay.", "The fee is due.", True),
        ("fee", "The fee is due.", True),
        ("The fee was due.", "The fee is due.", False),
        ("", "The fee is due.", False),
        (" \n", "The fee is due.", False),
        ("The fee is due.", "", False),
    ],
)
def test_a_passage_matches_a_gold_one_when_one_contains_the_other(passage, gold, matches):
    assert recall(by_text([passage], [gold])).value == float(matches)


def test_in_the_seeds_system_an_empty_passage_matches_everything():
    assert recall(by_text([""], ["a", "b"], "seed-003")).value == 1.0


def test_recall_by_text_is_the_share_of_golds_that_are_matched():
    found = by_text(["x", "one two", "two three"], ["one", "two", "four"])
    assert recall(found).value == approx(2 / 3)
    assert recall(found, k=1).value == 0.0
    assert recall(found, k=2).value == approx(2 / 3)


def test_ndcg_of_seed_003_counts_the_relevant_retrieved_as_ideal():
    # Hits at ranks 2 and 3; ideal: two hits at ranks 1 and 2.
    found = by_text(["x", "one", "two"], ["one", "two", "three"])
    dcg, ideal = 1 / log2(3) + 1 / log2(4), 1 + 1 / log2(3)
    assert ndcg(found, ideal="retrieved", k=10).value == approx(dcg / ideal)


def test_elsewhere_a_gold_passage_is_credited_once():
    found = by_text(["one", "one", "one"], ["one"])
    assert ndcg(found).value == 1.0
    assert ndcg(found, ideal="retrieved").value == 1.0
    assert recall(found).value == 1.0


# Properties


def slow_ndcg(ids, relevant, k):
    """nDCG by its definition, with nothing shared with the code under test."""
    ranking = []
    for document in ids:
        if document not in ranking:
            ranking.append(document)
    depth = len(ranking) if k is None else k
    gains = [max(relevant.get(document, 0), 0) for document in ranking[:depth]]
    best = sorted((max(grade, 0) for grade in relevant.values()), reverse=True)[:k]
    total = sum(gain / log2(rank + 2) for rank, gain in enumerate(gains))
    return total / sum(gain / log2(rank + 2) for rank, gain in enumerate(best))


@given(IDS, GRADES, CUTS)
def test_ranking_measures_are_their_definitions(ids, relevant, k):
    wanted = {document for document, grade in relevant.items() if grade >= 1}
    found = by_id(ids, relevant)
    if not wanted:
        assert ndcg(found, k=k).value is recall(found, k=k).value is None
        return
    distinct = list(dict.fromkeys(ids))
    top = set(distinct[:k])
    assert ndcg(found, k=k).value == approx(slow_ndcg(ids, relevant, k))
    assert recall(found, k=k).value == approx(len(wanted & top) / len(wanted))
    places = k or len(distinct)
    assert precision(found, k=k).value == approx(len(wanted & top) / places if places else 0)


@given(
    IDS,
    GRADES,
    CUTS,
    st.sampled_from(["log2", "reciprocal"]),
    st.sampled_from(["judged", "retrieved", "all"]),
    st.sampled_from(["linear", "exponential"]),
)
def test_no_ranking_of_documents_is_better_than_ideal(ids, relevant, k, discount, ideal, gains):
    score = ndcg(by_id(ids, relevant), discount=discount, ideal=ideal, gains=gains, k=k)
    assert score.value is None or 0 <= score.value <= 1 + 1e-12


@given(TEXTS, TEXTS, CUTS, st.sampled_from(["text", "seed-003"]))
def test_no_ranking_of_passages_is_better_than_ideal(contexts, golds, k, match):
    found = by_text(contexts, golds, match)
    for ideal in ("judged", "retrieved", "all"):
        score = ndcg(found, ideal=ideal, k=k)
        assert score.value is None or 0 <= score.value <= 1 + 1e-12
    for measure in (recall, precision):
        value = measure(found, k=k).value
        assert value is None or 0 <= value <= 1


@given(IDS, GRADES, st.integers(1, 10))
def test_a_deeper_cut_never_finds_less(ids, relevant, k):
    found = by_id(ids, relevant)
    if recall(found).value is not None:
        assert recall(found, k=k).value <= recall(found, k=k + 1).value <= recall(found).value
