"""A run in a notebook."""

import re
import subprocess
import sys

import ragauge as rg


def test_a_run_is_a_table_of_metrics_and_systems_in_a_notebook():
    answers = [("q1", "a", "x"), ("q2", "a", "y"), ("q1", "b", "x"), ("q2", "b", "x")]
    rows = [{"id": i, "system": s, "answer": text, "reference": "x"} for i, s, text in answers]
    shown = table_rows(rg.evaluate(rows, ["exact_match", "topic_drift"])._repr_html_())
    assert shown[0] == ["metric", "system", "mean", "95 % interval", "n", "unscored"]
    assert [row[:2] for row in shown[1:3]] == [["exact_match", "a"], ["exact_match", "b"]]
    assert [row[2] for row in shown[1:3]] == ["0.5000", "1.0000"]
    assert shown[3][0].startswith("topic_drift") and len(shown) == 1 + 4


def test_a_notebook_shows_why_a_row_has_no_value():
    run = rg.evaluate([{"id": "q", "answer": "x"}], "exact_match")
    assert table_rows(run._repr_html_())[1:] == [
        ["exact_match", "default", "–", "", "0", "1 missing"]
    ]


def test_names_of_systems_are_inert_in_a_notebook():
    name = "<script>alert(1)</script>\u202e"
    rows = [{"id": "q", "system": f"{name}{n}", "answer": "x", "reference": "x"} for n in range(30)]
    html = rg.evaluate(rows, "exact_match")._repr_html_()
    assert html.count("<tr>") == 1 + 30
    assert "<script" not in html and "\u202e" not in html


def test_a_stored_run_has_the_same_table_in_a_new_process(tmp_path):
    rows = [{"id": "q", "answer": "x", "reference": "x"}]
    run = rg.evaluate(rows, "exact_match", folder=tmp_path / "run")
    script = f"import ragauge as rg; print(rg.open_run({str(tmp_path / 'run')!r})._repr_html_())"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.rstrip() == run._repr_html_()


def table_rows(html: str) -> list[list[str]]:
    """The texts of a table's cells."""
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]
