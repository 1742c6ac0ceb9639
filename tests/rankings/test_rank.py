"""Runs scored against judgements: which queries are averaged, what is compared with what."""

from math import exp, log

import numpy as np
import polars as pl
import pytest
import pytrec_eval
from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

import ragauge as rg
from ragauge.rankings.rank import rank

QRELS = {
    "q1": {"d1": 1, "d2": 0, "d3": 2},
    "q2": {"d1": 0},
    "q3": {"d7": 1},
}
RUN = {
    "q1": {"d1": 0.9, "d2": 0.8, "d3": 0.7},
    "q2": {"d1": 0.5},
    "q9": {"d1": 0.5},
}

DOCUMENTS = [f"d{n}" for n in range(12)]
SCORES = st.sampled_from([0.0, 0.5, 1.0, 1.5, -2.0, 1 + 1e-9]) | st.floats(-5, 5, width=32)
RUNS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3", "q4"]),
    st.dictionaries(st.sampled_from(DOCUMENTS), SCORES, min_size=1),
    min_size=1,
)
JUDGEMENTS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3", "q5"]),
    st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 3), min_size=1),
    min_size=1,
)
PEERS = {
    "ndcg_cut_5": "ndcg@5",
    "ndcg": "ndcg",
    "map": "map",
    "recip_rank": "mrr",
    "P_5": "precision@5",
    "recall_5": "recall@5",
    "success_1": "success@1",
    "bpref": "bpref",
    "Rprec": "r_precision",
    "infAP": "infAP",
    "set_F": "f_measure",
    "iprec_at_recall_0.30": "iprec_at_recall_0.30",
}


# Which queries count, and the settings of trec_eval

FOUND_NOTHING = {query: {"d1": 1} for query in ("q1", "q2")}, {"q1": {"d1": 1.0}, "q2": {}}
UTILITY = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2}}, {"q1": {"d1": 0.9}}
"""q1: one found, none wrong or missed: 1. q2 is not in the run: 0, and not one missed."""
UNJUDGED_FIRST = QRELS, {"q1": {"x": 9.0, "y": 8.0, "d3": 1.0}}
NEAR = {"q1": {"a": 1}}, {"q1": {"a": 1.0 + 1e-9, "b": 1.0}}
"""Scores that differ by less than 32 bits hold: a tie, and "b" comes before "a"."""


@cases(
    # q1: 1/1. q2 has nothing relevant: 0. q3 is not in the run, q9 not judged.
    ((QRELS, RUN), {}, {"mrr": (1 + 0) / 2, "num_ret": 4}),
    ((QRELS, RUN), {"complete": True}, {"mrr": (1 + 0 + 0) / 3, "num_rel": 3, "num_q": 3}),
    ((QRELS, RUN), {"undefined": "leave_out"}, {"mrr": 1.0}),
    (({"q2": {"d1": 0}}, RUN), {"undefined": "leave_out"}, {"mrr": None}),
    # AP of q1: (1/1 + 2/3) / 2 = 5/6; of q2 0, which counts as 0.00001.
    ((QRELS, RUN), {}, {"gmap": exp((log(5 / 6) + log(0.00001)) / 2)}),
    (UTILITY, {"complete": True}, {"utility_1,-1,-1,0": 1 / 2}),
    (FOUND_NOTHING, {}, {"mrr": 1 / 2}),
    ((QRELS, RUN), {"depth": 2}, {"recall": (1 / 2 + 0) / 2, "num_ret": 2 + 1}),
    ((QRELS, RUN), {"depth": 10**30}, {"num_ret": 4}),
    (UNJUDGED_FIRST, {}, {"mrr": 1 / 3}),
    (UNJUDGED_FIRST, {"judged_only": True}, {"mrr": 1.0}),
    (NEAR, {}, {"mrr": 0.5}),
    (NEAR, {"compat": "trec10"}, {"mrr": 1.0}),
    # The least grade changes binary measures; a label's own goes before the one for all.
    ((QRELS, RUN), {"min_grade": 2}, {"mrr": (1 / 3 + 0) / 2, "mrr(min_grade=1)": 1 / 2}),
)
def test_means_worked_out_by_hand(judged, settings, means):
    ranked = rank(*judged, list(means), **settings)
    assert {name: ranked.mean(name) for name in means} == {
        name: value if value is None else approx(value) for name, value in means.items()
    }


def test_queries_without_a_value_are_counted():
    ranked = rank(QRELS, RUN, ["mrr"])
    assert ranked.per_query("mrr") == {"q1": 1.0, "q2": None}
    assert ranked.n_unjudged_queries == (1,)
    assert ranked.summaries[0].n == 2
    (summary,) = rank(QRELS, RUN, ["mrr"], undefined="leave_out").summaries
    assert (summary.n, summary.n_undefined) == (1, 1)


def test_a_query_that_was_never_searched_is_left_out():
    rows = [
        {"id": f"q{at}", "context_ids": ids, "relevant": ["d1"]}
        for at, ids in enumerate((["d1"], [], None))
    ]
    samples = rg.load(rows)
    ranked = rank(samples, samples, ["mrr"])
    assert ranked.mean("mrr") == approx(1 / 2)
    assert ranked.per_query("mrr") == {"q0": 1.0, "q1": 0.0}


def test_the_least_grade_leaves_ndcg():
    one, two = (rank(QRELS, RUN, "ndcg", min_grade=grade).per_query("ndcg") for grade in (1, 2))
    assert one["q1"] == two["q1"]


# The peer


@given(JUDGEMENTS, RUNS)
def test_means_and_values_are_trec_evals(qrels, run):
    if not set(qrels) & set(run):
        return
    found = pytrec_eval.RelevanceEvaluator(qrels, set(pytrec_eval.supported_measures)).evaluate(run)
    ranked = rank(qrels, run, list(PEERS.values()))
    for peer, name in PEERS.items():
        values = ranked.per_query(name)
        assert set(values) == set(found)
        for query, value in values.items():
            assert (value or 0.0) == approx(found[query][peer], abs=1e-9), (peer, query)
        mean = sum(one[peer] for one in found.values()) / len(found)
        assert ranked.mean(name) == approx(mean, abs=1e-9)


@given(
    st.lists(st.sampled_from(DOCUMENTS), unique=True),
    st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-1, 3), min_size=1),
)
def test_score_of_a_sample_is_the_number_of_the_engine(ids, relevant):
    labels = ["ndcg@10", "map", "mrr@10", "recall@5", "precision@5", "success@1", "bpref", "err@5"]
    run = {"q": ids}
    for label in labels:
        alone = rg.score(label, context_ids=ids, relevant=relevant).value
        if ids:
            assert rank({"q": relevant}, run, [label]).per_query(label)["q"] == alone


# Several runs


def make_runs(n_runs, n_queries=30, seed=5):
    random = np.random.default_rng(seed)
    qrels = {f"q{n:02}": {"d0": 1, "d1": 1} for n in range(n_queries)}
    runs = {
        f"run{at}": {
            query: {f"d{d}": float(random.random() + (d < 2) * 0.3 * at) for d in range(10)}
            for query in qrels
        }
        for at in range(n_runs)
    }
    return qrels, runs


def test_every_pair_of_runs_is_compared_and_corrected_for_their_number():
    qrels, runs = make_runs(3)
    ranked = rank(qrels, runs, ["map", "num_ret"])
    compared = ranked.compare()
    pairs = [(one.baseline, one.run) for one in compared]
    assert pairs == [("run0", "run1"), ("run0", "run2"), ("run1", "run2")]
    for one in compared:
        assert one.measure == "map"
        mean = ranked.mean("map", one.run) - ranked.mean("map", one.baseline)
        assert one.comparison.difference == approx(mean)
        assert one.comparison.p_value <= one.p_holm <= 3 * one.comparison.p_value
    assert compared[1].p_holm < 0.05


def test_a_baseline_is_compared_with_each_other_run_whatever_its_place():
    qrels, runs = make_runs(3)
    ranked = rank(qrels, runs, ["map"])
    compared = ranked.compare("run1")
    assert [(one.run, one.baseline) for one in compared] == [("run0", "run1"), ("run2", "run1")]
    assert compared[0].comparison.difference < 0 < compared[1].comparison.difference
    low, high = compared[0].comparison.low, compared[0].comparison.high
    assert low <= compared[0].comparison.difference <= high


def test_runs_with_different_queries_are_compared_over_those_of_both():
    qrels, runs = make_runs(2)
    del runs["run0"]["q00"], runs["run1"]["q01"]
    (compared,) = rank(qrels, runs, ["map"]).compare()
    assert compared.comparison.n == 28


def test_an_interval_holds_its_mean_and_a_sum_has_none():
    qrels, runs = make_runs(1)
    means, count = rank(qrels, runs, ["map", "num_ret"]).summaries
    assert means.low < means.value < means.high
    assert (count.value, count.low, count.high) == (300, None, None)


def test_the_order_of_queries_and_runs_changes_no_digit():
    qrels, runs = make_runs(2)
    turned = {query: qrels[query] for query in reversed(qrels)}
    one = rank(qrels, runs, ["ndcg@5", "map"])
    other = rank(turned, {name: runs[name] for name in reversed(runs)}, ["ndcg@5", "map"])
    assert {(s.run, s.measure): s for s in one.summaries} == {
        (s.run, s.measure): s for s in other.summaries
    }
    assert one.compare()[0].comparison.p_value == other.compare()[0].comparison.p_value


def test_geometric_means_and_counts_and_pairs_without_a_common_query_are_not_compared():
    qrels, runs = make_runs(3)
    runs["run0"] = {"q00": runs["run0"]["q00"]}
    del runs["run1"]["q00"]
    compared = rank(qrels, runs, ["map", "gmap", "num_ret"]).compare()
    assert [(one.baseline, one.run) for one in compared] == [("run0", "run2"), ("run1", "run2")]


def test_runs_with_one_tag_are_all_told_by_their_files(tmp_path):
    for folder in "ab":
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.run").write_text("q1 Q0 d1 1 1.0 same\n")
    (tmp_path / "y.run").write_text("q1 Q0 d1 1 1.0 same\n")
    paths = [str(tmp_path / name) for name in ("a/x.run", "b/x.run", "y.run")]
    assert rank(QRELS, paths, ["map"]).runs == (paths[0], paths[1], "y.run")
    assert rank(QRELS, [paths[2]] * 2, ["map"]).runs == (f"{paths[2]} (1)", f"{paths[2]} (2)")
    frame = pl.DataFrame({"query": ["q1"], "doc": ["d1"], "score": [1.0]})
    assert rank(QRELS, {"a": frame, "b": frame.to_pandas()}, ["map"]).runs == ("a", "b")


def test_frames_hold_the_summaries_and_the_values_of_queries():
    ranked = rank(QRELS, RUN, ["mrr", "gmap"])
    assert ranked.summary().rows()[0][:3] == ("run 1", "mrr", 0.5)
    assert ranked.scores.rows() == [("run 1", "q1", "mrr", 1.0), ("run 1", "q2", "mrr", None)]
    assert repr(ranked) == "RankingResult(1 runs, 2 measures, 2 queries)"
    assert "<table" in ranked._repr_html_()


def test_a_measure_answers_to_its_other_names_and_one_text_may_name_several():
    ranked = rank(QRELS, RUN, "ndcg@10, P_1 mrr")
    assert ranked.names == ("ndcg@10", "P_1", "mrr")
    assert ranked.mean("ndcg_cut_10") == ranked.mean("nDCG@10") == ranked.mean("ndcg@10")


def test_ranks_are_fused_as_trec_eval_has_them_in_32_bits():
    near = {"q1": {"a": 0.10000000001, "b": 0.1}}
    assert rg.fuse([near])["doc"].to_list() == ["b", "a"]
    assert rg.fuse([near], compat="trec10")["doc"].to_list() == ["a", "b"]


# What is wrong


@cases(
    ({"undefined": "leave-out"}, "undefined must be 'zero' or 'leave_out', got 'leave-out'"),
    ({"compat": "x"}, "compat must be 'trec9' or 'trec10'"),
    ({"depth": 0}, "depth must be a whole number of at least 1, got 0"),
    ({"depth": "5"}, "depth must be a whole number of at least 1, got '5'"),
    ({"min_grade": 2.5}, "min_grade must be"),
    ({"seed": -1}, "seed must be a whole number of at least 0"),
)
def test_settings_that_cannot_be_are_refused(settings, says):
    with pytest.raises(rg.PlanError) as refused:
        rank(QRELS, RUN, ["map"], **settings)
    assert says in str(refused.value)


def test_all_bad_measures_are_told_of_before_anything_is_read():
    with pytest.raises(rg.LabelError, match=r"(?s)blub.*foo"):
        rank("no such file", RUN, ["blub", "ndcg@10", "foo"])
    with pytest.raises(rg.LabelError, match="no setting"):
        rank("no such file", RUN, ["ndcg(foo=1)"])


def test_a_run_that_shares_no_query_with_the_judgements_is_refused():
    with pytest.raises(rg.DataError, match="none of the 3 judged queries"):
        rank(QRELS, {"1": {"d1": 1.0}}, ["map"])


def test_unknown_measures_and_names_are_refused_with_a_hint():
    with pytest.raises(rg.LabelError, match="did you mean"):
        rank(QRELS, RUN, ["ndgc@10"])
    ranked = rank(QRELS, RUN, ["map"])
    for act, says in (
        (lambda: ranked.mean("mrr"), "was not computed"),
        (lambda: ranked.mean("map", "x"), "no run 'x'"),
        (lambda: rank(QRELS, RUN, []), "no measure"),
        (lambda: rank(QRELS, [], ["map"]), "no run"),
        (ranked.compare, "two runs"),
    ):
        with pytest.raises(rg.PlanError, match=says):
            act()


def test_the_means_beside_a_comparison_are_those_of_the_common_queries():
    # Only `one` has a result for q2, and it is wrong there.
    runs = {"one": {"q1": {"a": 1.0}, "q2": {"b": 1.0}}, "two": {"q1": {"a": 1.0}}}
    ranked = rank({"q1": {"a": 1}, "q2": {"a": 1}}, runs, ["mrr"])
    assert ranked.mean("mrr", "one") == 0.5
    assert ranked.common_means("mrr", "one", "two") == (1.0, 1.0)


def test_runs_without_a_difference_do_not_count_in_the_correction():
    qrels = {f"q{at}": {"x": 1} for at in range(6)}
    right = {query: {"x": 1.0} for query in qrels}
    wrong = {query: {"y": 1.0} for query in qrels}
    compared = rank(qrels, {"a": right, "same": right, "b": wrong}, "map").compare()
    # Three pairs, of which a and same do not differ: 2 / 2^6 times 2.
    assert [pair.p_holm for pair in compared] == [1.0, 4 / 2**6, 4 / 2**6]
