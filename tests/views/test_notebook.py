"""A run in a notebook."""

import re

import pytest

import ragauge as rg


@pytest.fixture
def run():
    answers = [("q1", "a", "x"), ("q2", "a", "y"), ("q1", "b", "x"), ("q2", "b", "x")]
    rows = [{"id": i, "system": s, "answer": text, "reference": "x"} for i, s, text in answers]
    return rg.evaluate(rows, ["exact_match", "dont_know"])


def test_a_run_shows_its_first_screen_with_intervals_the_best_system_first(run):
    html = run._repr_html_()
    header, *rows = table_rows(html)
    assert header == ["metric", "b", "a", "n"]
    assert [row[0] for row in rows] == ["exact_match ↑", "dont_know"]
    # Each mean has its interval below it, and no interval is a single point.
    means = [re.fullmatch(r"(\S+) (\S+)–(\S+)", cell) for cell in rows[0][1:3]]
    assert [mean and mean[1] for mean in means] == ["1.00", "0.50"]
    assert "custom · 4 answers · 2 systems" in html and "<b>b " in html


def test_ten_of_many_systems_are_shown_and_their_names_are_inert():
    name = "<script>alert(1)</script>\u202e"
    rows = [{"id": "q", "system": f"{name}{n}", "answer": "x", "reference": "x"} for n in range(30)]
    html = rg.evaluate(rows, "exact_match")._repr_html_()
    assert len(table_rows(html)[0]) == 1 + 10 + 1
    assert "20 more systems" in html
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


def table_rows(html: str) -> list[list[str]]:
    """The texts of the cells of all tables, line breaks as spaces."""
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]
    return [
        [re.sub(r"</?span[^>]*>", "", cell.replace("<br>", " ")) for cell in row] for row in cells
    ]


def test_a_printed_run_is_the_first_screen_and_its_name_stays_one_line(run, tmp_path):
    stored = rg.evaluate(run.samples, ["exact_match", "dont_know"], folder=tmp_path / "run")
    assert rg.open_run(tmp_path / "run")._repr_html_() == stored._repr_html_()
    lines = str(run).splitlines()
    assert lines[0].startswith("b is ahead: exact_match 1.00, next a 0.50.")
    assert "custom · 4 answers · 2 systems" in lines
    assert lines[-1] == "  a: exact_match 0.00  q2"
    assert repr(run) == "Run(custom: 4 samples of a, b; not stored)"
