"""Scored runs as tables: what stands where, for people, papers and programs."""

import json
from typing import cast

import pytest
from pytest import approx

from ragauge.rankings.rank import rank
from ragauge.rankings.tables import RankingTable, ranking_report, to_tsv
from ragauge.report.writing import FORMATS, Format, to_json, to_terminal

QRELS = {f"q{n}": {"a": 1, "b": 1} for n in range(8)} | {"none": {"a": 0}}
GOOD = {query: {"a": 3.0, "b": 2.0, "x": 1.0} for query in QRELS}
POOR = {query: {"x": 3.0, "y": 2.0, "a": 1.0} for query in QRELS}


def written(table, form, *, per_query=False):
    return FORMATS[form].write(ranking_report(table, form, per_query=per_query))


def test_a_further_format_of_data_has_numbers_that_are_not_rounded(table, monkeypatch):
    monkeypatch.setitem(cast("dict[str, Format]", FORMATS), "yaml", FORMATS["json"])
    assert written(table, "yaml", per_query=True) == written(table, "json", per_query=True)
    theirs = ranking_report(table, "a package's")
    assert to_json(theirs.data()) == written(table, "json")


@pytest.fixture(scope="module")
def table():
    ranked = rank(QRELS, {"good": GOOD, "poor": POOR, "same": GOOD}, ["map", "num_rel_ret"])
    return RankingTable(ranked)


def test_a_row_a_run_with_its_intervals_and_the_mark_of_those_that_differ(table):
    # AP of good: 1 on eight of nine queries; of poor: (1/3) / 2.
    assert table.means.header == ("run", "queries", "map", "num_rel_ret")
    good, poor, same = table.means.rows
    assert good[:2] == ("good", "9") and good[2].startswith(f"{8 / 9:.4f} [")
    assert poor[2].startswith(f"{8 / 6 / 9:.4f} [") and poor[2].endswith(" *")
    assert not same[2].endswith("*")
    assert (good[3], poor[3]) == ("16", "8")


def test_the_legend_says_the_test_and_how_many_pairs_it_is_corrected_for(table):
    assert "* differs significantly from good (p < 0.05)" in table.legend
    assert "Holm-corrected for 2 pairs" in table.legend
    every = RankingTable(table.ranked, all_pairs=True)
    assert "for 3 pairs" in every.legend
    assert len(every.pairs.rows) == 3
    alone = RankingTable(rank(QRELS, {"good": GOOD}, ["map"]))
    assert alone.legend == ""
    alike = RankingTable(rank(QRELS, {"a": GOOD, "b": GOOD}, ["map"]))
    assert alike.legend.startswith("no run differs significantly from a")


def test_notes_tell_of_what_has_no_value_without_resampling(table):
    ranked = rank(QRELS, {"good": GOOD, "poor": POOR}, ["map"])
    notes = RankingTable(ranked).notes
    assert notes == ("good, poor: 1 query without a value, counted as 0: map",)
    assert "summaries" not in vars(ranked)


def test_trec_evals_layout_of_counts_means_and_queries(table):
    ranked = rank({"q2": {"a": 1}, "q10": {"a": 1}}, {"q2": ["a"], "q10": ["x", "a"]},
                  ["map", "num_rel", "gmap", "num_q"])  # fmt: skip
    assert to_tsv(ranked, per_query=True).splitlines() == [
        "map\tq10\t0.5000000000",
        "num_rel\tq10\t1",
        "map\tq2\t1.0000000000",
        "num_rel\tq2\t1",
        "map\tall\t0.7500000000",
        "num_rel\tall\t2",
        f"gmap\tall\t{0.5**0.5:.10f}",
        "num_q\tall\t2",
    ]


def test_a_query_without_a_value_is_0_or_absent_as_its_mean_has_it():
    zero = rank(QRELS, GOOD, ["map"])
    left_out = rank(QRELS, GOOD, ["map"], undefined="leave_out")
    assert "map\tnone\t0.0000000000\n" in to_tsv(zero, per_query=True)
    assert "none" not in to_tsv(left_out, per_query=True)
    assert "map\tall\t1.0000000000\n" in to_tsv(left_out, per_query=False)
    assert "run 1,none,map,\n" in written(RankingTable(left_out), "csv", per_query=True)


def test_json_holds_summaries_comparisons_and_values(table):
    told = json.loads(written(table, "json", per_query=True))
    assert told["measures"] == {"map": "map", "num_rel_ret": "num_rel_ret"}
    assert told["summary"][0]["value"] == approx(8 / 9)
    assert {(one["run"], one["baseline"]) for one in told["comparisons"]} == {
        ("poor", "good"),
        ("same", "good"),
    }
    assert told["queries"]["good"]["map"]["none"] is None
    assert any("differs significantly from good" in note for note in told["notes"])


def test_the_best_is_bold_in_papers_and_notebooks_and_both_say_how_runs_differ(table):
    assert rf"\textbf{{{8 / 9:.4f} {{[}}" in written(table, "latex")
    assert f"<b>{8 / 9:.4f} [" in written(table, "html")
    for form in ("latex", "html", "md"):
        text = written(table, form)
        assert "differs significantly from good" in text
        assert "1 query without a value" in text


@pytest.mark.parametrize(("width", "header"), [(200, "run    queries"), (40, "run    measure")])
def test_a_narrow_terminal_has_a_row_a_measure_and_cuts_no_line(table, width, header):
    title, names, _, *rows = to_terminal(
        ranking_report(table, "table"), width, full=True
    ).splitlines()
    assert title == table.title and names.startswith(header)
    assert len(rows) == (4 if width == 200 else 7)
    assert rows[-1] == table.legend


def test_a_terminal_has_queries_first_and_comparisons_last(table):
    every = RankingTable(table.ranked, all_pairs=True)
    text = to_terminal(ranking_report(every, "table", per_query=True))
    heads = [line.split()[0] for line in text.splitlines() if line.split()[1:2] == ["run"]]
    assert heads == ["query", "measure"]
    assert "" not in text.splitlines()
