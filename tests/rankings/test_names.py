import pytest
from cases import cases

import ragauge as rg
import ragauge.rankings.measures  # declares them
from ragauge import catalog
from ragauge.errors import LabelError
from ragauge.label import Label
from ragauge.rankings.hits import MEASURES
from ragauge.rankings.names import CANONICAL, read_measure


def read(text: str) -> list[tuple[str, str]]:
    return [(str(one.label), one.shown) for one in read_measure(text)]


def label_of(text: str) -> str:
    (asked,) = read_measure(text)
    assert asked.shown == text
    return str(asked.label)


def test_the_canonical_names_are_those_of_the_measures():
    assert set(CANONICAL) == set(MEASURES)
    assert sorted(CANONICAL) == list(CANONICAL)
    for name in CANONICAL:
        assert label_of(name) == name


@cases(
    ("map", "map"),
    ("gm_map", "gmap"),
    ("Rprec", "r_precision"),
    ("recip_rank", "mrr"),
    ("11pt_avg", "avg_11pt"),
    ("P_10", "precision@10"),
    ("recall_1000", "recall@1000"),
    ("ndcg_cut_10", "ndcg@10"),
    ("map_cut_100", "map@100"),
    ("relative_P_5", "relative_precision@5"),
    ("success_1", "success@1"),
    ("unj_20", "unjudged@20"),
    ("iprec_at_recall_0.10", "iprec(recall=0.1)"),
    ("iprec_at_recall_1.00", "iprec(recall=1)"),
    ("Rprec_mult_0.20", "r_precision(multiple=0.2)"),
    ("set_P", "precision"),
    ("set_recall", "recall"),
    ("set_relative_P", "relative_precision"),
    ("set_map", "set_map"),
    ("set_F", "f_measure"),
    ("set_F_4", "f_measure(beta=2)"),
    ("utility_1,-1,0,0.5", "utility(found=1,wrong=-1,missed=0,left_out=0.5)"),
    ("rbp.p=0.95", "rbp(p=0.95)"),
    ("recall", "recall"),
    ("success", "success"),
    # ir_measures and ranx
    ("nDCG@10", "ndcg@10"),
    ("nDCG(dcg='exp-log2')@20", 'ndcg(gains="exponential")@20'),
    ("nDCG(dcg='log2')@20", "ndcg@20"),
    ("AP(rel=2)@100", "map(min_grade=2)@100"),
    ("P(rel=2,cutoff=5)", "precision(min_grade=2)@5"),
    ("R@100", "recall@100"),
    ("RR", "mrr"),
    ("MRR@10", "mrr@10"),
    ("Success@5", "success@5"),
    ("RBP(rel=1,p=0.9)", "rbp(p=0.9,min_grade=1)"),
    ("RBP", "rbp(p=0.8)"),
    ("SetF(beta=4)", "f_measure(beta=2)"),  # its beta is trec_eval's x, the square
    ("ERR@20", "err@20"),
    ("Judged@10", "judged@10"),
    ("IPrec@0.1", "iprec(recall=0.1)"),
    ("IPrec(rel=2)@0.1", "iprec(min_grade=2,recall=0.1)"),
    ("SetP(relative=True)", "relative_precision"),
    ("SetP(relative=False)", "precision"),
    ("NumRet(rel=1)", "num_rel_ret(min_grade=1)"),
    ("NumRet", "num_ret"),
    ("hit_rate@10", "success@10"),
    ("hit@1", "success@1"),
    ("hits@10", "num_rel_ret@10"),
    ("f1@10", "f_measure@10"),
    ("r-precision", "r_precision"),
    ("rbp.95", "rbp(p=0.95)"),
    ("ndcg_burges@10", 'ndcg(gains="exponential")@10'),
)
def test_the_names_of_other_tools_are_read(name, label):
    assert label_of(name) == label


def test_trec_evals_cut_offs_behind_a_point_are_several_measures_lowest_first():
    assert read("P.10,5") == [("precision@5", "P_5"), ("precision@10", "P_10")]
    assert read("ndcg_cut.10") == [("ndcg@10", "ndcg_cut_10")]
    assert read("recall.7,10") == [("recall@7", "recall_7"), ("recall@10", "recall_10")]
    assert read("iprec_at_recall.0.1,.25") == [
        ("iprec(recall=0.1)", "iprec_at_recall_0.10"),
        ("iprec(recall=0.25)", "iprec_at_recall_0.25"),
    ]
    assert read("set_F.4") == [("f_measure(beta=2)", "set_F_4")]
    assert read("utility.2,-1,0,0") == [
        ("utility(found=2,wrong=-1,missed=0,left_out=0)", "utility_2,-1,0,0")
    ]


def test_a_family_alone_has_trec_evals_own_cut_offs():
    cuts = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
    assert read("P") == [(f"precision@{k}", f"P_{k}") for k in cuts]
    assert [shown for _, shown in read("map_cut")] == [f"map_cut_{k}" for k in cuts]
    assert [shown for _, shown in read("Rprec_mult")][:2] == ["Rprec_mult_0.20", "Rprec_mult_0.40"]
    assert len(read("iprec_at_recall")) == 11


def test_the_official_measures_are_those_that_trec_eval_prints_in_its_order():
    shown = [shown for _, shown in read("official")]
    first = ["num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"]
    recalls = [f"iprec_at_recall_{tenth / 10:.2f}" for tenth in range(11)]
    cuts = [f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]
    assert shown == [*first, "recip_rank", *recalls, *cuts]
    every = [shown for _, shown in read("all_trec")]
    assert set(shown) < set(every)
    assert {"recall_1000", "success_1", "Rndcg", "set_F"} < set(every)
    assert "recall" not in every


@cases(
    ("ndgc@10", "unknown ranking measure 'ndgc'; did you mean 'ndcg'"),
    ("recip_rnk", "did you mean 'recip_rank'"),
    ("zzz", "unknown ranking measure 'zzz'; the measures are G, Rndcg"),
    ("P_0", "'P_0': a cut-off must be a whole number of at least 1, got '0'"),
    ("P.5,5", "'P.5,5': duplicate cut-off"),
    ("P.5,", "got ''"),
    ("P.1.5", "got '1.5'"),
    ("P_5,10", "unexpected text"),
    ("set_F.0", "'set_F.0': expected a number above 0, got '0'"),
    ("utility.1,2", "utility takes 4 numbers, got 2"),
    ("ndcg.1=3,2=9", "gains are the grades; change the grades in the judgements"),
    ("AP(judged_only=True)", "use -J to remove unjudged documents"),
    ("", "expected a metric name"),
    ("ndcg@", "unexpected text"),
    ("f1(", "metric label 'f1('"),
    ("IPrec@x", "unexpected text"),
    ("IPrec@1.1.1", "expected a number, got '1.1.1'"),
    ("P." + "9" * 50, "whole number"),
    ("P" * 5000, "at most 4000 characters"),
)
def test_what_cannot_be_read_is_said(name, problem):
    with pytest.raises(LabelError) as caught:
        read_measure(name)
    assert problem in str(caught.value)


FIELDS = {"context_ids": ["x", "a"], "relevant": {"a": 1}}


@pytest.mark.parametrize("name", ["recip_rank", "P_10", "11pt_avg", "IPrec@0.1", "nDCG@10"])
def test_samples_are_scored_by_these_names_and_shown_by_ours(name):
    label = str(read_measure(name)[0].label)
    assert rg.score(name, **FIELDS) == rg.score(label, **FIELDS)
    run = rg.evaluate([{"id": "q", **FIELDS}], [name])
    metric, settings = catalog.find(read_measure(name)[0].label)
    assert [one.name for one in run.metrics] == [str(metric.label(settings))]


def test_a_name_of_several_measures_is_none_of_a_sample():
    for ask in (lambda: rg.score("P", **FIELDS), lambda: catalog.find(Label("official"))):
        with pytest.raises(LabelError, match="means several measures"):
            ask()


def test_a_metric_of_that_very_name_comes_first(own_metrics):
    @rg.metric
    def recip_rank(answer: str) -> float:
        return 0.25

    assert rg.score("recip_rank", answer="x").value == 0.25
