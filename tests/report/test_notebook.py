"""A run in a notebook."""

import re
import subprocess
import sys

import pytest

import ragauge as rg
from ragauge.label import Label
from ragauge.suite import Entry, Suite


@pytest.fixture
def run():
    answers = [("q1", "a", "x"), ("q2", "a", "y"), ("q1", "b", "x"), ("q2", "b", "x")]
    rows = [{"id": i, "system": s, "answer": text, "reference": "x"} for i, s, text in answers]
    return rg.evaluate(rows, ["exact_match", "dont_know"])


def test_a_run_is_a_pivot_of_metrics_and_systems_with_intervals(run):
    shown = table_rows(run._repr_html_())
    assert shown == [
        ["metric", "a", "b"],
        # Wilson's of 1, 2 and 0 of 2: 2 / (2 + 1.96²) = 0.342.
        ["exact_match", "0.500 0.095–0.905", "1.000 0.342–1.000"],
        ["dont_know", "0.000 0.000–0.658", "0.000 0.000–0.658"],
    ]
    assert "custom · 4 answers · 2 systems" in run._repr_html_()


def test_a_metric_that_nothing_computes_is_a_note_and_not_a_row(run):
    rows = [{"id": "q", "question": "?", "answer": "x", "contexts": ["x"], "reference": "x"}]
    needy = Suite("needy", (Entry(Label("faithfulness"), "faithfulness"),))
    html = rg.evaluate(rows, ["exact_match", needy])._repr_html_()
    assert [row[0] for row in table_rows(html)] == ["metric", "exact_match"]
    assert "not scored: faithfulness (needs a judge" in html


def test_a_notebook_counts_the_answers_without_a_value():
    rows = [{"id": "p", "answer": "x", "reference": "x"}, {"id": "q", "answer": "x"}]
    shown = table_rows(rg.evaluate(rows, "exact_match")._repr_html_())
    assert shown[1:] == [["exact_match", "1.000 1 of 2"]]


def test_many_systems_are_rows_and_their_names_are_inert():
    name = "<script>alert(1)</script>\u202e"
    rows = [{"id": "q", "system": f"{name}{n}", "answer": "x", "reference": "x"} for n in range(30)]
    html = rg.evaluate(rows, "exact_match")._repr_html_()
    assert html.count("<tr>") == 1 + 10
    assert "… 20 more systems" in html
    assert "<script" not in html and "\u202e" not in html


def test_samples_are_ten_rows_of_short_cells():
    row = {"answer": "word " * 100, "contexts": ["<i>one</i>\u202e", "two"], "relevant": {"d": 1}}
    samples = rg.load([{"id": f"q{n}", **row} for n in range(12)])
    html = samples._repr_html_()
    shown = table_rows(html)
    assert len(shown) == 1 + 10
    cells = dict(zip(shown[0], shown[1], strict=True))
    assert (cells["id"], cells["contexts"]) == ("q0", "[2] &lt;i&gt;one&lt;/i&gt;\\u202e")
    assert cells["relevant"] == "d: 1"
    assert len(cells["answer"]) == 60 and cells["answer"].endswith("…")
    assert "12 samples of default" in html and "… 2 more rows" in html
    assert "more rows" not in rg.load([{"id": "q", "answer": "x"}])._repr_html_()


def test_a_question_is_text_at_a_prompt_and_html_in_a_notebook(run):
    shown = run.show("q2")
    lines = shown.text.splitlines()
    assert lines[0] == "q2 · 2 answers"
    assert repr(shown) == shown.text
    assert "exact_match  0.0000" in lines and "exact_match  1.0000" in lines
    rows = table_rows(shown._repr_html_())
    assert [row[:2] for row in rows if row[0] == "exact_match"] == [
        ["exact_match", "0.0000"],
        ["exact_match", "1.0000"],
    ]
    with pytest.raises(rg.PlanError, match="the run has no question 'q22'; did you mean 'q2'"):
        run.show("q22")


def test_the_evidence_of_a_question_is_short_and_inert():
    hostile = "<script>alert(1)</script>\u202e"
    claims = [f"{hostile} claim {n}" for n in range(30)]
    verdicts = [
        {"claim": n, "reason": hostile * 30, "supported": False, "context": 0, "quote": ""}
        for n in range(1, 31)
    ]
    sentences = [{"sentence": 1, "claims": claims, "claim_free": False}]
    judge = rg.ScriptedJudge(
        {"claims": {"sentences": sentences}, "support": {"verdicts": verdicts}}
    )
    row = {"id": "q", "question": hostile, "answer": f"{hostile}.", "contexts": [hostile * 100]}
    shown = rg.evaluate([row], "faithfulness", judge=judge).show("q")
    assert "<script" not in shown.html and "\u202e" not in shown.html + shown.text
    assert "0 of 30 supported" in shown.html and "✗" in shown.html and "more lines" in shown.html
    assert len(shown.html) < 12_000
    assert "--calls" not in shown.text


def test_the_worst_answers_are_a_frame_that_shows_short_texts():
    rows = [{"id": f"q{n}", "answer": "<b> " * 200, "reference": "x"} for n in range(3)]
    worst = rg.evaluate(rows, "exact_match").worst("exact_match")
    shown = table_rows(worst._repr_html_())
    assert shown[0] == ["id", "system", "exact_match", "answer"]
    assert shown[1][:3] == ["q0", "default", "0.0000"]
    assert shown[1][3].startswith("&lt;b&gt; ") and shown[1][3].endswith("…")
    assert worst["id"].to_list() == ["q0", "q1", "q2"]
    assert "shape: (3, 2)" in worst.select("id", "value")._repr_html_()


def test_a_stored_run_has_the_same_table_in_a_new_process(tmp_path):
    rows = [{"id": "q", "answer": "x", "reference": "x"}]
    run = rg.evaluate(rows, "exact_match", folder=tmp_path / "run")
    script = f"import ragauge as rg; print(rg.open_run({str(tmp_path / 'run')!r})._repr_html_())"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.rstrip() == run._repr_html_()


def table_rows(html: str) -> list[list[str]]:
    """The texts of the cells of all tables, line breaks as spaces."""
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]
    return [
        [re.sub(r"</?span[^>]*>", "", cell.replace("<br>", " ")) for cell in row] for row in cells
    ]


def test_a_printed_run_is_the_first_screen_and_its_name_stays_one_line(run):
    lines = str(run).splitlines()
    assert lines[0].startswith("b is ahead: exact_match 1.00, next a 0.50.")
    assert "custom · 4 answers · 2 systems" in lines
    assert lines[-1] == "  a: exact_match 0.00  q2"
    assert repr(run) == "Run(custom: 4 samples of a, b; not stored)"
