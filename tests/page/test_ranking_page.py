"""The page of `ragauge rank`: the numbers of the result, by run, measure and query."""

import json
import re
import zlib
from base64 import b64decode

import numpy as np
import pytest

from ragauge.page.ranking_page import write_ranking_page
from ragauge.rankings.rank import rank

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2}, "q3": {"c": 0}}
RUNS = {
    "one": {"q1": {"a": 2.0, "b": 1.0}, "q2": {"x": 1.0}, "q3": {"c": 1.0}},
    "two": {"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 1.0}},
}
# mrr: one 1, 0, undefined (no relevant document); two 1/2, 1, and no result for q3.


@pytest.fixture(scope="module")
def ranked():
    return rank(QRELS, RUNS, ["mrr", "recall@10", "num_rel_ret"])


@pytest.fixture(scope="module")
def scripts(ranked, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "r.html"
    write_ranking_page(ranked, path)
    return dict(re.findall(r'type="[a-z/]+" id="([^"]+)">([^<]*)</script>', path.read_text()))


def chunk(scripts, name: str) -> bytes:
    return zlib.decompress(b64decode(scripts[name]))


def test_the_runs_are_ordered_and_the_cells_are_the_summaries(ranked, scripts):
    (view,) = json.loads(scripts["view"])["runs"]
    # mrr of one: (1 + 0 + 0) / 3, of two: (1/2 + 1) / 2 = 0.75.
    assert view["systems"] == ["two", "one"]
    assert view["headline"].startswith("two is ahead: mrr 0.7500, next one 0.3333.")
    for metric in view["metrics"]:
        for system, cell in zip(view["systems"], metric["cells"], strict=True):
            (row,) = [s for s in ranked.summaries if (s.run, s.measure) == (system, metric["name"])]
            assert (cell["low"], cell["high"]) == (row.low, row.high)
            assert cell["mean"] == (None if metric["is_count"] else row.value)
            assert cell["n"] - cell["ok"] == row.n_undefined
    assert view["metrics"][2]["cells"][0]["shown"] == "2"


def test_the_columns_are_the_values_per_query(ranked, scripts):
    (view,) = json.loads(scripts["view"])["runs"]
    ids = json.loads(chunk(scripts, "0.ids"))
    # Rows: q1 two, q1 one, q2 two, q2 one, q3 two (no result), q3 one.
    assert ids == {"ids": ["q1", "q2", "q3"], "absent": [4]}
    for metric in view["metrics"]:
        values = np.frombuffer(chunk(scripts, f"0.score.{metric['column']}"), "<f8", 6)
        for s, run in enumerate(view["systems"]):
            own = ranked.per_query(metric["name"], run)
            for q, query in enumerate(ids["ids"]):
                value = values[2 * q + s]
                wanted = own.get(query)
                assert np.isnan(value) if wanted is None else value == wanted


def test_the_pairs_are_the_comparisons(ranked, scripts):
    (view,) = json.loads(scripts["view"])["runs"]
    for metric in view["metrics"]:
        found = [each for each in ranked.compare() if each.measure == metric["name"]]
        assert len(metric["pairs"]) == len(found) == (0 if metric["is_count"] else 1)
        for pair, each in zip(metric["pairs"], found, strict=True):
            assert view["systems"][pair["base"]] == each.baseline
            assert (pair["difference"], pair["p_value"]) == (
                each.comparison.difference,
                each.p_holm,
            )


def test_a_query_has_its_numbers_of_judged_and_relevant_documents(scripts):
    first, *_ = json.loads(chunk(scripts, "0.block.0"))
    assert first["shared"] == {"relevant documents": 1, "judged documents": 2}
    assert [answer["s"] for answer in first["answers"]] == [0, 1]


def test_a_single_run_has_a_page(tmp_path):
    write_ranking_page(rank(QRELS, {"one": RUNS["one"]}, ["mrr"]), tmp_path / "r.html")
    assert '"headline":"one: mrr 0.3333."' in (tmp_path / "r.html").read_text()


def test_the_command_writes_the_page(tmp_path, capsys, monkeypatch):
    from ragauge.cli import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq2 0 a 1\n")
    (tmp_path / "one.run").write_text("q1 Q0 a 1 2 one\nq2 Q0 b 1 2 one\n")
    with pytest.raises(SystemExit) as left:
        main(["rank", "qrels.txt", "one.run", "-m", "mrr", "--report", "r.html"])
    assert left.value.code == 0
    assert capsys.readouterr().err.splitlines()[-1] == "ragauge: open r.html in a browser"
    assert "<title>qrels.txt – ragauge</title>" in (tmp_path / "r.html").read_text()
