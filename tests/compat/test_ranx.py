"""Scripts in ranx's style run with one import changed, and give ranx's values (recorded from ranx 0.3.21)."""

import json

import numpy as np
import polars as pl
import pytest
from pytest import approx

from ragauge.compat.ranx import Qrels, Run, compare, evaluate, fuse
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
    values = evaluate(qrels, run, "map@5", return_mean=False)
    assert np.allclose(values, [0.833333, 0.45])
    assert evaluate(qrels, run, "mrr", return_std=True) == {"mean": 0.75, "std": 0.25}
    assert (run.keys, len(run), run["q_1"]["d_12"]) == (["q_1", "q_2"], 2, 0.9)


@pytest.mark.parametrize("method", FUSED)
def test_fusion_gives_ranx_scores(method):
    turned = Run(
        {query: {doc: -score for doc, score in docs.items()} for query, docs in RUN.items()}
    )
    params = {"weights": (0.7, 0.3)} if method == "wsum" else None
    fused = fuse(runs=[Run(RUN), turned], norm="min-max", method=method, params=params)
    found = {doc: round(fused["q_1"][doc], 4) for doc in FUSED[method]}
    assert found == FUSED[method]


def test_runs_are_compared_with_intervals():
    worse = Run({query: {"d_99": 1.0, **docs} for query, docs in RUN.items()}, name="worse")
    ranked = compare(Qrels(QRELS), [Run(RUN, name="best"), worse], ["mrr", "map@10"])
    assert ranked.mean("mrr", "best") == 0.75
    assert {pair.measure for pair in ranked.compare()} == {"mrr", "map@10"}
    assert set(ranked.summary()["run"]) == {"best", "worse"}


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


def test_what_is_not_covered_says_so():
    qrels, run = Qrels(QRELS), Run({"q_1": RUN["q_1"], "q_9": RUN["q_2"]})
    with pytest.raises(PlanError, match="other queries, 'q_2' for one"):
        evaluate(qrels, run, "mrr")
    assert evaluate(qrels, run, "mrr", make_comparable=True) == 0.5
    with pytest.raises(LabelError, match="dcg"):
        evaluate(qrels, Run(RUN), "dcg")
    with pytest.raises(PlanError, match="stat_test='student' is not covered"):
        compare(qrels, [Run(RUN)], ["mrr"], stat_test="student")
    with pytest.raises(PlanError, match="method='bayesfuse' is not covered"):
        fuse([Run(RUN), Run(RUN)], method="bayesfuse")
    with pytest.raises(PlanError, match="two runs have one name"):
        compare(qrels, [Run(RUN, name="a"), Run(RUN, name="a")], ["mrr"])
