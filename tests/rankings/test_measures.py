import pickle
from functools import partial
from math import exp, log, log2

import numpy as np
import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

import ragauge as rg
from ragauge import catalog
from ragauge.engine.executors import is_portable
from ragauge.engine.measure import measure
from ragauge.engine.plan import make_plan
from ragauge.engine.resources import Resources
from ragauge.features.rankings import ranking
from ragauge.metrics.ranking import scores
from ragauge.rankings import measures as measures
from ragauge.rankings.hits import MEASURES, one_hit
from ragauge.score import Status
from ragauge.suite import Suite

IDS = st.lists(st.sampled_from("abcdefgh"), max_size=10)
GRADES = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-1, 3), max_size=8)
CUTS = st.none() | st.integers(1, 12)
TEXTS = st.lists(
    st.sampled_from(["", " ", "a", "A ", "ab", "b", "abc", "c  d", "c d e"]), max_size=6
)


def by_id(ids, relevant):
    return ranking([ids], [relevant], None, None)


def by_text(contexts, golds, match="text"):
    return ranking(None, None, [contexts], [golds], match=match)


def one_score(name, found, **settings):
    (score,) = scores(name, found, **settings)
    return score


ndcg, recall, precision = (partial(one_score, name) for name in ("ndcg", "recall", "precision"))


# By hand: ids, judgements, and the values of some labels

A_B, A_B_C, GRADED = ["a", "b"], {"a": 1, "b": 1, "c": 1}, {"a": 2, "b": 1}
BELOW_ONE = ["n", "z", "a"], {"a": 1, "z": 0, "n": -2}
TWICE = ["a", "a", "a", "b"], {"a": 1, "b": 1}


@cases(
    # R = {a, b}: DCG = 0/1 + 1/2 + 0/3 + 1/4 = .75, IDCG = 1/1 + 1/2 = 1.5.
    ('ndcg(discount="reciprocal",ideal="all")', ["x", "a", "y", "b"], A_B, 0.75 / 1.5),
    ('ndcg(discount="reciprocal",ideal="all")', ["a"], A_B_C, 1 / (1 + 1 / 2 + 1 / 3)),
    ("ndcg", ["x", "a", "b"], GRADED, (2 / log2(3) + 1 / 2) / (2 + 1 / log2(3))),
    ('ndcg(gains="exponential")', ["b", "a"], GRADED, (1 + 3 / log2(3)) / (3 + 1 / log2(3))),
    ("ndcg", ["a"], {"a": 5000}, 1),
    # The cut holds for the ideal ranking too, unless that is of all.
    ("ndcg@2", ["a", "b"], A_B_C, 1),
    ('ndcg(ideal="all")@1', ["a"], A_B_C, 1 / (1 + 1 / log2(3) + 1 / 2)),
    # A repeated id counts once and the later ones move up.
    ("ndcg", *TWICE, 1),
    ("recall@2", *TWICE, 1),
    ("precision", *TWICE, 1),
    ("recall", ["x", "a", "a", "b"], A_B_C, 2 / 3),
    ("modified_precision", ["x", "a", "a", "b"], A_B_C, 2 / 3),
    # A grade below one is judged and not relevant.
    ("ndcg", *BELOW_ONE, 1 / 2),
    ("recall", *BELOW_ONE, 1),
    ("precision", *BELOW_ONE, 1 / 3),
    ("recall(min_grade=2)", *BELOW_ONE, None),
    ("precision@10", ["a", "x"], {"a": 1}, 1 / 10),
    ("precision", ["a", "x"], {"a": 1}, 1 / 2),
    # n is one of min(2, 3) nonrelevant ones above b; of min(3, 1) at least one stands above a.
    ("bpref", ["a", "n", "x", "b"], {**A_B_C, "n": 0, "m": 0}, (1 + 1 / 2) / 3),
    ("bpref", ["n", "m", "a"], {"a": 1, "n": 0, "m": 0, "o": 0}, 0),
    # p above is relevant with even odds, as nothing else is known: 1/2 + 1/2 · 1/1 · 1/2.
    ("infAP", ["p", "a"], {"p": -1, "a": 1}, 0.75),
    ("infAP", ["p", "a"], {"a": 1}, 0.5),
    # Grades up to the widest.
    ("G", ["x", "a"], {"a": 2**31 - 1}, 1 / log2(2 + 1)),
    ("ndcg", ["a"], {"a": 2**31 - 1}, 1),
)
def test_measures_of_one_ranking_worked_out_by_hand(label, ids, relevant, value):
    found = rg.score(label, context_ids=ids, relevant=relevant).value
    assert found == (value if value is None else approx(value))


@cases(
    ('ndcg(gains="exponential")', 5000, "a grade above 1000 is too high for exponential gains"),
    ("err", 5, "a grade is above max_grade, 4; give the highest one, as in err(max_grade=10)"),
)
def test_a_grade_above_the_highest_is_undefined_and_says_the_way_out(label, grade, reason):
    score = rg.score(label, context_ids=["a"], relevant={"a": grade})
    assert (score.status, score.reason) == (Status.UNDEFINED, reason)
    assert rg.score("err(max_grade=5)", context_ids=["a"], relevant={"a": 1, "b": 5}).value


def test_evidence_of_ndcg_has_its_parts():
    assert ndcg(by_id(["x", "a"], {"a": 2})).evidence["dcg"] == approx(2 / log2(3))


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


# The suite passage-retrieval: passages by their text


@cases(
    ("The fee is due.", "the  FEE is\ndue.", True),
    ("See: the fee is due. Then pay.", "The fee is due.", True),
    ("fee", "The fee is due.", True),
    ("The fee was due.", "The fee is due.", False),
    ("", "The fee is due.", False),
    (" \n", "The fee is due.", False),
    ("The fee is due.", "", False),
)
def test_a_passage_matches_a_gold_one_when_one_contains_the_other(passage, gold, matches):
    assert recall(by_text([passage], [gold])).value == float(matches)


ONE_TWO, TWO_OF_THREE = (
    (["x", "one two", "two three"], ["one", "two", "four"]),
    (["x", "one", "two"], ["one", "two", "three"]),
)


@cases(
    ("recall", {"match": "legalbench"}, [""], ["a", "b"], 1),  # as in the suite's system
    ("recall", {}, *ONE_TWO, 2 / 3),
    ("recall", {"k": 1}, *ONE_TWO, 0),
    ("recall", {"k": 2}, *ONE_TWO, 2 / 3),
    # Hits at ranks 2 and 3; ideal: two hits at ranks 1 and 2.
    ("ndcg", {"ideal": "retrieved", "k": 10}, *TWO_OF_THREE, (1 / log2(3) + 1 / 2) / (1 + 1 / log2(3))),
    # A gold passage is credited once.
    ("ndcg", {}, ["one", "one", "one"], ["one"], 1),
    ("ndcg", {"ideal": "retrieved"}, ["one", "one", "one"], ["one"], 1),
    ("recall", {}, ["one", "one", "one"], ["one"], 1),
    # "one" at rank 1 and "two" at rank 3, where 3 of 3 passages match; "four" nowhere.
    ("map", {}, ["one", "one", "one two"], ["one", "two", "four"], (1 / 1 + 3 / 3) / 3),
    ("map", {}, ["one two"], ["one", "two"], 1),
)  # fmt: skip
def test_passages_matched_by_their_text(name, settings, contexts, golds, value):
    match, others = settings.get("match", "text"), {**settings}
    others.pop("match", None)
    assert one_score(name, by_text(contexts, golds, match), **others).value == approx(value)


# The other measures by hand

GRADES_5 = {"a": 2, "b": 1, "c": 1, "n": 0, "z": -1}
"""Relevant are a at rank 2, b at rank 4 and c, not retrieved; n is judged not relevant; nobody judged
x, nor z, which was pooled."""
FIRST, SECOND = 2 / log2(3), 1 / log2(5)
"""What a and b gain."""
IDEAL_2, IDEAL_3 = 2 + 1 / log2(3), 2 + 1 / log2(3) + 1 / 2

BY_HAND = {
    "map": (1 / 2 + 2 / 4) / 3,
    "map@3": (1 / 2) / 3,
    "map(min_grade=2)": 1 / 2,
    "gmap": (1 / 2 + 2 / 4) / 3,
    "mrr": 1 / 2,
    "mrr@1": 0,
    "mrr(min_grade=2)": 1 / 2,
    "success@1": 0,
    "success@2": 1,
    "recall@3": 1 / 3,
    "precision@3": 1 / 3,
    "r_precision": 1 / 3,  # one of the first 3
    "r_precision(multiple=2)": 2 / 6,
    "r_precision(multiple=0.2)": 0,  # the first 0.6 + 0.9: 1
    "r_precision(multiple=0.4)": 1 / 2,  # the first 1.2 + 0.9: 2
    "f_measure": 2 * (2 / 5) * (2 / 3) / (2 / 5 + 2 / 3),
    "f_measure(beta=2)": 5 * (2 / 5) * (2 / 3) / (4 * 2 / 5 + 2 / 3),
    "f_measure@2": 2 * (1 / 2) * (1 / 3) / (1 / 2 + 1 / 3),
    "set_map": (2 / 5) * (2 / 3),
    "relative_precision@2": 1 / 2,
    "relative_precision@10": 2 / 3,
    "relative_precision": 2 / 3,
    "rbp(p=0.5)": 0.5 * (0.5**1 + 0.5**3),
    "rbp": 0.1 * (0.9**1 + 0.9**3),
    "RBP": 0.2 * (0.8**1 + 0.8**3),  # ir_measures' own p
    "rbp_residual(p=0.5)": 1 - 0.5 * (1 + 1 / 2 + 1 / 8),  # judged at 1, 2 and 4
    "rbp(p=1)": 0,
    "rbp(p=0)": 0,  # the first place alone, which n holds
    "rbp(p=0.5)@2": 0.5 * 0.5,
    "iprec(recall=0)": 1 / 2,
    "iprec": 1 / 2,
    "iprec(recall=1)": 0,  # c is not retrieved
    "iprec(recall=0.8)": 0,  # 2.4 + 0.9: 3 documents
    'iprec(recall=0.8,compat="trec10")': 1 / 2,  # 2.4: 2 documents
    "avg_11pt": 8 * (1 / 2) / 11,  # 0, 0.1 … 0.7
    'avg_11pt(compat="trec10")': 9 * (1 / 2) / 11,  # 0.8, too
    "bpref": 0,  # the only one judged nonrelevant stands above both
    "bpref(min_grade=2)": 0,
    "judged@2": 1,
    "judged@4": 3 / 4,
    "judged@10": 3 / 5,
    "judged": 3 / 5,
    "unjudged@10": 2 / 10,
    "unjudged": 2 / 5,
    "err(max_grade=2)": (3 / 4) / 2 + (1 - 3 / 4) * (1 / 4) / 4,
    "err": (3 / 16) / 2 + (1 - 3 / 16) * (1 / 16) / 4,
    "err@3": (3 / 16) / 2,
    "ndcg_rel": (FIRST / IDEAL_2 + (FIRST + SECOND) / IDEAL_3 * 2) / 3,
    "Rndcg": (0 / 2 + FIRST / IDEAL_3 + (FIRST + SECOND) / IDEAL_3) / 3,  # at 1, 3 and the end
    "G": (2 / log2(2 + 3 - 2) + 1 / log2(2 + 5 - 3)) / 4,  # ideal gains 2 1 1, then 1 a rank
    "binG": (1 / log2(2 + 1) + 1 / log2(2 + 2)) / 3,
    "utility": 2 - 3,
    "utility(found=2,wrong=-0.5,missed=-1,left_out=0.1,n_documents=100)": 4 - 1.5 - 1 + 9.4,
    "num_q": 1,
    "num_ret": 5,
    "num_rel": 3,
    "num_rel(min_grade=2)": 1,
    "num_rel_ret": 2,
    "num_rel_ret@3": 1,
    "num_nonrel_judged_ret": 1,
    "num_nonrel_judged_ret(min_grade=2)": 2,
    "num_nonjudged_ret": 2,
}


@pytest.mark.parametrize("label", BY_HAND)
def test_measures_worked_out_by_hand(label):
    ids_5 = ["n", "a", "x", "b", "z"]
    score = rg.score(label, context_ids=ids_5, relevant=GRADES_5)
    assert score.value == approx(BY_HAND[label])


@cases("map", "bpref", "ndcg", "judged", "unjudged", "num_nonjudged_ret")
def test_a_pooled_document_that_nobody_judged_counts_for_infap_alone(name):
    pooled, unknown = by_id(["p", "a"], {"p": -1, "a": 1}), by_id(["p", "a"], {"a": 1})
    assert one_score(name, pooled).value == one_score(name, unknown).value


def test_settings_of_other_measures_are_ignored():
    (found,) = by_id(["a"], {"a": 1})
    values = MEASURES["G"].values(found.table, {"min_grade": 2})
    assert (values.value.tolist(), values.undefined.tolist()) == ([1.0], [False])


def test_measures_of_nothing_retrieved():
    for name in MEASURES:
        score = one_score(name, by_id([], {"a": 1}))
        if name == "judged":
            assert score.reason == "nothing is retrieved"
        else:
            assert score.value == {"num_q": 1, "num_rel": 1}.get(name, 0), name


def test_totals_are_means_sums_or_geometric_means():
    # Average precision 1/2, 1 and 0, which counts as 0.00001 in a geometric mean.
    relevant = [{"a": 1}, {"b": 1}, {"z": 1}]
    rows = [
        {"id": f"q{row}", "context_ids": ids, "relevant": relevant[row]}
        for row, ids in enumerate([["x", "a"], ["b"], ["x", "y", "w"]])
    ]
    summary = rg.evaluate(rows, ["map", "gm_map", "num_ret", "num_q"]).summary()
    means = dict(zip(summary["metric"], summary["mean"], strict=True))
    assert means["map"] == approx((1 / 2 + 1 + 0) / 3)
    assert means["gmap"] == approx(exp((log(1 / 2) + log(1) + log(0.00001)) / 3))
    assert (means["num_ret"], means["num_q"]) == (2 + 1 + 3, 3)


# Measures as metrics


def test_the_function_stays_as_it_is_and_the_metric_says_what_it_reads():
    assert measures.ndcg(one_hit(rank=1)).tolist() == [1.0]
    metric, settings = catalog.find(catalog.read_label("map@10"))
    assert [column.name for column in metric.columns] == ["ranking"]
    assert settings == {"min_grade": 1, "match": "id", "k": 10}
    assert metric.function.__doc__ == measures.average_precision.__doc__
    assert rg.score(measures.ndcg, context_ids=["a"], relevant=["a"]).value == 1.0


def test_measures_go_to_other_processes():
    columns = {"id": ["q"], "system": ["s"], "context_ids": [["a"]], "relevant": [{"a": 1}]}
    plan = make_plan([Suite.of(list(MEASURES))], list(columns))
    assert is_portable(plan)
    sent = pickle.loads(pickle.dumps(plan))
    assert sent.describe() == plan.describe()
    assert measure(sent, columns, Resources()) == measure(plan, columns, Resources())


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


@given(TEXTS, TEXTS, CUTS, st.sampled_from(["text", "legalbench"]))
def test_no_ranking_of_passages_is_better_than_ideal(contexts, golds, k, match):
    found = by_text(contexts, golds, match)
    for ideal in ("judged", "retrieved", "all"):
        score = ndcg(found, ideal=ideal, k=k)
        assert score.value is None or 0 <= score.value <= 1 + 1e-12
    for one in (recall, precision):
        value = one(found, k=k).value
        assert value is None or 0 <= value <= 1


@given(IDS, GRADES, st.integers(1, 10))
def test_a_deeper_cut_never_finds_less(ids, relevant, k):
    found = by_id(ids, relevant)
    if recall(found).value is not None:
        assert recall(found, k=k).value <= recall(found, k=k + 1).value <= recall(found).value


RANKINGS = st.lists(st.tuples(IDS, GRADES), min_size=1, max_size=6)
LABELS = [*MEASURES, *(label for label in BY_HAND if "(" in label or "@" in label)]
LABELS += ['ndcg(ideal="retrieved")@3', 'ndcg(discount="reciprocal",gains="exponential")']
PERFECT = [
    *("ndcg", "map", "mrr", "success", "recall", "r_precision", "bpref", "iprec", "avg_11pt"),
    *("relative_precision", "ndcg_rel", "Rndcg", "G", "binG", "gmap", "gm_bpref"),
]
"""1 for the ideal ranking."""
RISING = [
    *("ndcg", "map", "mrr", "bpref", "rbp", "err", "binG", "iprec", "avg_11pt", "r_precision"),
    *("ndcg@2", "recall@2", "precision@2", "success@2", "err@3"),
]
"""Never lower when a better document moves up."""


def value_of(label, table):
    metric, settings = catalog.find(catalog.read_label(label))
    return MEASURES[metric.name].values(table, settings)


def table_of(rankings):
    ids, relevant = zip(*rankings, strict=True)
    return ranking(list(ids), list(relevant), None, None)[0].table


@given(RANKINGS, st.data())
def test_no_digit_of_a_measure_depends_on_the_other_queries(rankings, data):
    table = table_of(rankings)
    rows = np.array(data.draw(st.lists(st.sampled_from(range(table.n)), min_size=1, max_size=9)))
    some = table.take(rows)
    for label in LABELS:
        assert value_of(label, some).value.tolist() == value_of(label, table).value[rows].tolist()
        undefined = value_of(label, table).undefined[rows]
        assert value_of(label, some).undefined.tolist() == undefined.tolist()


@given(RANKINGS)
def test_every_measure_is_within_its_bounds(rankings):
    table = table_of(rankings)
    for label in LABELS:
        metric, _ = catalog.find(catalog.read_label(label))
        found = value_of(label, table)
        assert np.isfinite(found.value).all()
        assert metric.low is None or (found.value >= metric.low).all(), label
        assert metric.high is None or (found.value <= metric.high + 1e-12).all(), label
        assert not found.value[found.undefined].any()
        reasons = [found.reason(row) is not None for row in range(table.n)]
        assert reasons == found.undefined.tolist()


@given(GRADES.filter(lambda grades: max(grades.values(), default=0) > 0))
def test_the_ideal_ranking_is_perfect(grades):
    table = table_of([(sorted(grades, key=grades.__getitem__, reverse=True), grades)])
    for name in PERFECT:
        assert value_of(name, table).value[0] == approx(1), name


@given(IDS.filter(lambda ids: len(set(ids)) > 1), GRADES, st.data())
def test_a_better_document_moved_up_never_lowers_a_measure(ids, grades, data):
    distinct = list(dict.fromkeys(ids))
    at = data.draw(st.integers(1, len(distinct) - 1))
    upper, lower = (max(grades.get(one, 0), 0) for one in distinct[at - 1 : at + 1])
    if lower < upper:
        return
    swapped = [*distinct[: at - 1], distinct[at], distinct[at - 1], *distinct[at + 1 :]]
    for label in RISING:
        before, after = (value_of(label, table_of([(one, grades)])) for one in (distinct, swapped))
        assert after.value[0] >= before.value[0] - 1e-12, label
