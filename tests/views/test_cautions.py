"""Notes about metrics that mislead: grouped, with the lengths they depend on, escaped."""

import pytest

import ragauge as rg
from ragauge.label import Label
from ragauge.report.writing import FORMATS, to_terminal
from ragauge.suite import Entry, Suite
from ragauge.trust import Caution, MeasuredAgreement, Trust
from ragauge.views.first_screen import run_report
from ragauge.views.run_files import summary_json
from ragauge.views.summary import caution_lines

SHORT = "reference_words < 5 and longest_answer_words > 20 and n_systems > 1"


@pytest.fixture(autouse=True)
def _known_cautions(monkeypatch):
    measured = (MeasuredAgreement("any", 1, "texts", "correct", ("a set",), 10, (0.5, 0.6)),)

    def trust(name: str, figure: str, when: str) -> Trust:
        return Trust("A note.", measured, (Caution(name, when, figure, "ranks badly"),))

    table = {
        "token_f1": trust("token_f1", "τ -0.20", SHORT),
        "rougeL": trust("rougeL", "τ -0.40", SHORT),
        "exact_match": trust("exact_match", "τ 0.10", "n_systems > 1"),
    }
    monkeypatch.setattr("ragauge.trust._table", lambda: table)


def run_of(metrics: object, n_words: int = 25) -> rg.Run:
    rows = [
        {"id": "q1", "system": system, "answer": "word " * n_words, "reference": "one word"}
        for system in "ab"
    ]
    return rg.evaluate(rows, metrics)


def test_metrics_with_the_same_caution_share_a_line():
    assert caution_lines(run_of(["token_f1", "exact_match", "rougeL"])) == (
        "caution: token_f1 (τ -0.20), rougeL (τ -0.40): ranks badly (here up to a median of 25 words, "
        "with references of 2); see ragauge metrics token_f1",
        "caution: exact_match (τ 0.10): ranks badly; see ragauge metrics exact_match",
    )


def test_no_caution_no_line():
    assert caution_lines(run_of(["token_f1", "rougeL"], n_words=3)) == ()


def printed(run: rg.Run) -> str:
    return to_terminal(run_report(run), full=True)


def test_terminal_markdown_and_json_have_the_cautions():
    run = run_of("exact_match")
    line = "caution: exact_match (τ 0.10): ranks badly; see ragauge metrics exact_match"
    assert line in printed(run)
    assert "caution: exact\\_match \\(τ 0.10\\)" in FORMATS["md"].write(run_report(run))
    caution = {"metric": "exact_match", "says": "ranks badly"}
    assert summary_json(run)["cautions"] == [
        {**caution, "figure": "τ 0.10", "when": "n_systems > 1"}
    ]


def test_a_name_from_a_suite_is_escaped():
    hostile = "\x1b[31m::error::x\n[red]"
    run = run_of(Suite("own", (Entry(Label("exact_match"), hostile),)))
    (line,) = caution_lines(run)
    assert "\x1b" not in line
    assert "\n" not in line
    assert "\\x1b[31m" in line
    assert "\x1b[31m" not in printed(run)
    assert not any(text.strip().startswith("::") for text in printed(run).splitlines())
