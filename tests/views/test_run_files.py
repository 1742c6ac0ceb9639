"""A run as a report and in files."""

import csv
import json
import math
import re

import pytest

from ragauge import evaluate
from ragauge.errors import PlanError, StoreError
from ragauge.label import Label
from ragauge.report.writing import FORMATS, csv_lines, to_json
from ragauge.suite import Entry, Suite
from ragauge.views.first_screen import run_report
from ragauge.views.run_files import (
    check_outputs,
    json_lines,
    score_records,
    summary_json,
    write_run,
    write_summaries,
)
from ragauge.views.summary import summary_table

NEEDY = Suite("needy", (Entry(Label("faithfulness"), "faithfulness"),))


@pytest.fixture(scope="module")
def run():
    rows = [
        {"id": "q1", "system": "a", "answer": "Paris", "references": ["Paris"], "kind": "fact"},
        {"id": "q2", "system": "a", "answer": "Rome is it", "references": ["Rome"], "kind": "list"},
        {"id": "q3", "system": "a", "answer": None, "references": ["x"], "kind": None},
        {"id": "q4", "system": "a", "answer": "none", "references": [], "kind": "fact"},
    ]
    return evaluate(rows, ["exact_match", NEEDY])


def test_a_table_says_mean_bounds_and_counts(run):
    (row,) = summary_table(run).texts
    assert row[:3] == ["a", "exact_match", "0.5000"]
    # Two scored, one right; two more could be both wrong, 1/4, or both right, 3/4.
    assert row[4:] == ["worst 0.2500, best 0.7500", "2 of 4", "1 undefined, 1 missing"]


def test_a_field_without_a_value_is_a_group_of_its_own(run):
    assert [row[1] for row in summary_table(run, ["kind"]).rows] == [
        "fact", "list", "(none)",
    ]  # fmt: skip


def test_the_title_counts_in_grammar(run):
    assert summary_table(run).title == "needy+custom: 4 answers, 1 system"
    one = evaluate([{"id": "q", "answer": "x", "reference": "x"}], "exact_match")
    assert summary_table(one).title == "custom: 1 answer, 1 system"


def test_csv_has_a_row_a_score(run):
    rows = list(csv.reader(csv_lines(*score_records(run))))
    header = ["id", "system", "metric", "value", "status", "reason", "evidence", "flags"]
    assert rows[0] == header
    assert len(rows) == 1 + run.scores.height


def test_json_is_strict_and_evidence_is_data(run):
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    for line in json_lines(run):
        row = json.loads(line, parse_constant=refuse)
        assert (row["value"] is None) == (row["status"] != "ok")
        assert row["evidence"] is None or isinstance(row["evidence"], dict)
    json.loads(to_json(summary_json(run, ["kind"])), parse_constant=refuse)
    with pytest.raises(ValueError, match="not JSON compliant"):
        to_json({"value": math.nan})


def test_the_summary_as_json_keeps_numbers_and_breaks_down(run):
    data = summary_json(run, ["kind"])
    assert data["suite"] == "needy+custom"
    (row,) = [row for row in data["summary"] if row["metric"] == "exact_match"]
    assert (row["mean"], row["n"], row["ok"], row["undefined"]) == (0.5, 4, 2, 1)
    kinds = [row["kind"] for row in data["by"]["kind"] if row["metric"] == "exact_match"]
    assert kinds == ["fact", "list", None]


def test_endings_folders_and_inputs_are_refused_before_any_work(tmp_path):
    data = tmp_path / "data.csv"
    data.write_text("id\n")
    check_outputs([tmp_path / "new.JSON", tmp_path / "new.tex"], [data])
    with pytest.raises(PlanError) as caught:
        check_outputs([tmp_path, tmp_path / "a.xls", tmp_path / "b", data], [data])
    assert len(caught.value.problems) == 4


def test_a_file_that_cannot_be_written_leaves_the_old_one(run, tmp_path):
    (tmp_path / "file").write_text("old")
    with pytest.raises(StoreError, match="a file is in the way"):
        write_run(run, tmp_path / "file" / "s.csv")
    assert (tmp_path / "file").read_text() == "old"


def test_summaries_are_written_once(run, tmp_path):
    write_summaries(run, tmp_path)
    before = {file.name: file.stat().st_mtime_ns for file in tmp_path.iterdir()}
    assert set(before) == {"summary.json", "summary.md"}
    write_summaries(run, tmp_path)
    assert {file.name: file.stat().st_mtime_ns for file in tmp_path.iterdir()} == before
    write_summaries(run, tmp_path, ["kind"])
    assert json.loads((tmp_path / "summary.json").read_text())["by"]["kind"]


COUNTS = Suite("counts", (Entry(Label("dont_know"), "unknown", 1.0, 0, show="count"),))


def test_a_count_has_counts_for_bounds_and_a_key_in_json():
    answers = ["I do not know", "I do not know", "It is 5", None]
    run = evaluate([{"id": str(n), "answer": one} for n, one in enumerate(answers)], COUNTS)
    ((_, name, mean, interval, bounds, *_),) = summary_table(run).texts
    # Two of three know nothing; the one without an answer makes it 2 or 3.
    assert (name, mean, interval) == ("unknown (count)", "2", "")
    assert sorted(re.findall(r"\d", bounds)) == ["2", "3"]
    assert re.fullmatch(r"worst \d, best \d", bounds)
    (row,) = summary_json(run)["summary"]
    assert row["count"] == 2
    assert (
        "count"
        not in summary_json(evaluate([{"id": "q", "answer": "x"}], "dont_know"))["summary"][0]
    )


def test_the_worst_is_said_first_where_lower_is_better_too():
    rows = [{"id": "q1", "answer": "a b", "contexts": ["a"]}, {"id": "q2", "contexts": ["a"]}]
    run = evaluate([{**row, "answer": row.get("answer")} for row in rows], "topic_drift")
    ((*_, bounds, _, _),) = summary_table(run).texts
    worst, best = (float(text) for text in re.findall(r"\d\.\d+", bounds))
    assert bounds.startswith("worst ")
    assert worst > best


def test_a_table_says_why_rows_have_no_value(run):
    said = [note for note in summary_table(run).notes if note.startswith("exact_match: a ")]
    assert len(said) == 1
    assert "1 missing: the sample has no answer" in said[0]
    assert "1 undefined: the sample's list of references is empty" in said[0]


def test_latex_has_a_label_and_the_best_mean_of_each_metric_in_bold():
    rows = [
        {"id": "q1", "system": system, "answer": answer, "reference": "Rome"}
        for system, answer in (("a", "Rome"), ("b", "Oslo"))
    ]
    text = FORMATS["latex"].write(run_report(evaluate(rows, "exact_match")))
    assert r"\label{tab:custom-2-answers-2-systems}" in text
    assert r"a & exact\_match & \textbf{1.0000}" in text and r"b & exact\_match & 0.0000" in text
