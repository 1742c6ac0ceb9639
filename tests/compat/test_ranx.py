"""Scripts in ranx's style run with one import changed, and give ranx's values (recorded from ranx 0.3.21)."""

import json

import numpy as np
import polars as pl
import pytest
from cases import cases
from pytest import approx

from ragauge.compat.ranx import Qrels, Run, compare, evaluate, fuse, optimize_fusion, plot
from ragauge.errors import LabelError, PlanError

QRELS = {"q_1": {"d_12": 5, "d_25": 3}, "q_2": {"d_11": 6, "d_22": 1}}
RUN = {
    "q_1": {"d_12": 0.9, "d_23": 0.8, "d_25": 0.7, "d_36": 0.6, "d_32": 0.5, "d_35": 0.4},
    "q_2": {"d_12": 0.9, "d_11": 0.8, "d_25": 0.7, "d_36": 0.6, "d_22": 0.5, "d_35": 0.4},
}
OF_RANX = {
    "hits": 2.0,
    "hits@3": 1.5,
    "hit_rate@1": 0.5,
    "precision@3": 0.5,
    "recall@3": 0.75,
    "f1@3": 0.6,
    "r-precision": 0.5,
    "mrr": 0.75,
    "mrr@1": 0.5,
    "map": 0.641667,
    "map@3": 0.541667,
    "ndcg": 0.786126,
    "ndcg@3": 0.756956,
    "ndcg_burges@3": 0.799398,
}
FUSED = {
    "rrf": {"d_12": 0.0315, "d_23": 0.0315},
    "sum": {"d_12": 1.0, "d_36": 1.0},
    "mnz": {"d_12": 2.0, "d_36": 2.0},
    "max": {"d_12": 1.0, "d_23": 0.8, "d_25": 0.6},
    "min": {"d_12": 0.0, "d_23": 0.2, "d_25": 0.4},
    "isr": {"d_12": 2.0556, "d_23": 0.58, "d_25": 0.3472},
    "bordafuse": {"d_12": 7.0, "d_36": 7.0},
    "wsum": {"d_12": 0.7, "d_23": 0.62, "d_25": 0.54, "d_32": 0.38},
}
"""Of the run and the same with its scores turned round, query q_1, min-max; weights .7 and .3."""


def test_the_example_of_ranx():
    qrels, run = Qrels(QRELS), Run(RUN, name="model_1")
    for metric, value in OF_RANX.items():
        assert evaluate(qrels, run, metric) == approx(value, abs=1e-6), metric
    assert evaluate(qrels, run, ["map@5", "mrr"]) == {
        "map@5": approx(0.641667, abs=1e-6),
        "mrr": 0.75,
    }
    assert run.scores["mrr"] == {"q_1": 1.0, "q_2": 0.5}
    assert run.mean_scores["mrr"] == 0.75
    evaluate(qrels, run, "ndcg@2", save_results_in_run=False)
    assert "ndcg@2" not in run.scores
    values = evaluate(qrels, run, "map@5", return_mean=False)
    assert np.allclose(values, [0.833333, 0.45])
    assert evaluate(qrels, run, "mrr", return_std=True) == {"mean": 0.75, "std": 0.25}
    assert ([*run.keys()], len(run), run["q_1"]["d_12"]) == (["q_1", "q_2"], 2, 0.9)


@pytest.mark.parametrize("method", FUSED)
def test_fusion_gives_ranx_scores(method):
    turned = Run(
        {query: {doc: -score for doc, score in docs.items()} for query, docs in RUN.items()}
    )
    params = {"weights": (0.7, 0.3)} if method == "wsum" else None
    fused = fuse(runs=[Run(RUN), turned], norm="min-max", method=method, params=params)
    found = {doc: round(fused["q_1"][doc], 4) for doc in FUSED[method]}
    assert found == FUSED[method]


def test_a_comparison_is_reported_as_by_ranx(tmp_path):
    # The second run has the relevant document at rank 2 of half of 12 queries and 3 of the others: 5/12.
    qrels = {f"q_{n:02}": {"d": 1} for n in range(12)}
    first = {query: {"d": 2.0, "e": 1.0} for query in qrels}
    last = {query: {"d": 1.0, "e": 2.0, "f": 0.5 + n % 2} for n, query in enumerate(qrels)}
    runs = [Run(first, name="bm25"), Run(last, name="dense")]
    report = compare(Qrels(qrels), runs, ["mrr", "precision@1"], max_p=0.05)
    assert str(report).splitlines()[2:] == [
        "a   bm25    1.000ᵇ        1.000ᵇ",
        "b   dense   0.417         0.000",
    ]
    report.rounding_digits, report.show_percentages = 3, True
    assert "100.0ᵇ" in report.to_table()
    assert r"\textbf{100.0}$^{\mathrm{b}}$" in report.to_latex()
    assert report.win_tie_loss["bm25", "dense"]["mrr"] == {"W": 12, "T": 0, "L": 0}
    report.save(str(tmp_path / "report.json"))
    found = json.loads((tmp_path / "report.json").read_text())
    assert found["metrics"] == ["mrr", "precision@1"]
    assert found["bm25"]["scores"]["mrr"] == 1.0
    assert found["dense"]["win_tie_loss"]["bm25"]["precision@1"] == {"W": 0, "T": 0, "L": 12}
    assert report.ranking.mean("mrr", "bm25") == 1.0


def test_p_values_are_those_of_ranx_and_of_the_randomization_test():
    # Differences of mrr 1/2, 0, 0, 1/2, 2/3: t = 1/3 / (.3118 / √5) with 4 degrees of freedom; scipy: .0751.
    qrels = {f"q{n}": {"d": 1} for n in range(5)}
    places = {"a": (1, 1, 1, 1, 1), "b": (2, 1, 1, 2, 3)}
    runs = [
        Run(
            {
                query: {**{f"x{n}": 9.0 - n for n in range(at - 1)}, "d": 1.0}
                for query, at in zip(qrels, ats, strict=True)
            },
            name,
        )
        for name, ats in places.items()
    ]
    report = compare(Qrels(qrels), runs, "mrr")
    assert report.comparisons["a", "b"]["mrr"]["p_value"] == approx(0.0751, abs=1e-3)
    assert report.win_tie_loss["a", "b"]["mrr"] == {"W": 3, "T": 2, "L": 0}
    # All 2 ** 3 patterns of signs: the two with one sign are as far from 0.
    drawn = compare(Qrels(qrels), runs, ["mrr"], stat_test="fisher")
    assert drawn.comparisons["b", "a"]["mrr"] == {"p_value": 0.25, "significant": False}


def test_fusion_is_tuned_as_by_ranx():
    # d is first while its .7 of the second run is more than e's .3 + .35; of the best weights the last count.
    qrels, good = Qrels({"q": {"d": 1}}), Run({"q": {"d": 3.0, "e": 2.0, "f": 1.0}})
    bad = Run({"q": {"e": 3.0, "f": 2.0, "d": 1.0}})
    best, tried = optimize_fusion(qrels, [bad, good], metric="mrr", return_optimization_report=True)
    assert best == {"weights": (0.3, 0.7)}
    assert len(tried.results) == 11
    tried.rounding_digits, tried.show_percentages = 4, True
    assert tried.to_table().splitlines()[-1] == "(1.0, 0.0)  33.33"
    assert tried.results["(0.0, 1.0)"] == 1.0
    fused = fuse([bad, good], norm="min-max", method="wsum", params=best)
    assert [*fused["q"]] == ["d", "e", "f"]
    assert optimize_fusion(qrels, [bad, good], method="rrf", metric="mrr") == {"k": 100}


@cases(
    ("max", "sum", {"d3": 1.25, "d1": 1.222222, "d2": 0.75, "d4": 0.277778, "d5": 0.111111}),
    ("max", "mnz", {"d3": 2.5, "d1": 2.444444, "d2": 0.75, "d4": 0.277778, "d5": 0.111111}),
    ("borda", "sum", {"d1": 1.6, "d3": 1.6, "d4": 1.1, "d2": 1.0, "d5": 0.7}),
    ("borda", "mnz", {"d1": 3.2, "d3": 3.2, "d4": 2.2, "d2": 2.0, "d5": 1.4}),
)
def test_these_norms_give_what_ranx_0_3_21_gives(norm, method, fused):
    first = Run({"q": {"d1": 4.0, "d2": 3.0, "d3": 1.0}})
    second = Run({"q": {"d3": 9.0, "d4": 2.5, "d1": 2.0, "d5": 1.0}})
    assert fuse([first, second], norm=norm, method=method)["q"] == approx(fused, abs=1e-6)


def test_files_and_frames(tmp_path):
    frame = pl.DataFrame({"q_id": ["q_1"], "doc_id": ["d_12"], "score": [5]})
    assert Qrels.from_df(frame).to_dict() == {"q_1": {"d_12": 5}}
    (tmp_path / "qrels.txt").write_text("q_1 0 d_12 5\nq_1 0 d_25 3\n")
    (tmp_path / "bm25.run").write_text("q_1 Q0 d_12 1 0.9 x\nq_1 Q0 d_25 2 0.7 x\n")
    (tmp_path / "run.json").write_text(json.dumps(RUN))
    qrels = Qrels.from_file(str(tmp_path / "qrels.txt"), kind="trec")
    assert qrels.to_dict() == {"q_1": {"d_12": 5, "d_25": 3}}
    run = Run.from_file(str(tmp_path / "bm25.run"), kind="trec")
    assert (run.name, run.to_dict()) == ("bm25", {"q_1": {"d_12": 0.9, "d_25": 0.7}})
    assert Run.from_file(str(tmp_path / "run.json")).to_dict() == RUN
    Run(RUN).save(str(tmp_path / "run.custom"), kind="json")
    assert Run.from_file(str(tmp_path / "run.custom"), kind="json") == RUN
    for ending in ("json", "trec", "parquet", "parq"):
        path = str(tmp_path / f"saved.{ending}")
        Run(RUN).save(path)
        assert Run.from_file(path).to_dict() == RUN, ending
        Qrels(QRELS).save(path)
        assert Qrels.from_file(path).to_dict() == QRELS, ending
    assert Qrels.from_parquet(path) == QRELS


def test_what_is_not_covered_says_so():
    qrels, run = Qrels(QRELS), Run({"q_1": RUN["q_1"], "q_9": RUN["q_2"]})
    with pytest.raises(PlanError, match="other queries, 'q_2' for one"):
        evaluate(qrels, run, "mrr")
    assert evaluate(qrels, run, "mrr", make_comparable=True) == 0.5
    with pytest.raises(LabelError, match="dcg"):
        evaluate(qrels, Run(RUN), "dcg")
    with pytest.raises(PlanError, match="stat_test='tukey' is not covered"):
        compare(qrels, [Run(RUN)], ["mrr"], stat_test="tukey")
    with pytest.raises(PlanError, match=r"method='gmnz'\) is not covered"):
        optimize_fusion(qrels, [Run(RUN), Run(RUN)], method="gmnz")
    assert evaluate(qrels, run.make_comparable(qrels), "mrr") == 0.5
    with pytest.raises(PlanError, match=r"would be downloaded.*Run\.from_file"):
        Run.from_ranxhub("id")
    with pytest.raises(PlanError, match="plot is not covered"):
        plot(qrels, [run], graph="iprec_at_recall")
    with pytest.raises(PlanError, match="method='bayesfuse' is not covered"):
        fuse([Run(RUN), Run(RUN)], method="bayesfuse")
    with pytest.raises(PlanError, match="two runs have one name"):
        compare(qrels, [Run(RUN, name="a"), Run(RUN, name="a")], ["mrr"])
