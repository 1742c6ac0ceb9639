"""Names and texts from data are inert in every report and format."""

import csv
import io
import json
import re

import pytest

import ragauge as rg
from ragauge.comparing.report import comparison_report
from ragauge.rankings.rank import rank
from ragauge.rankings.tables import RankingTable, ranking_report
from ragauge.report.plain import INVISIBLE, for_csv
from ragauge.report.terminal import console, print_report
from ragauge.report.writing import FORMATS
from ragauge.views.first_screen import run_report
from ragauge.views.question import question_report

HOSTILE = "=1|\x1b[31m[/red]<script> \\input{x} $a_b$ `c` {\n::error::x \u202e"
REPORTS = ("run", "comparison", "question", "ranking")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    rows = [
        {"id": f"{HOSTILE}{at}", "system": f"{HOSTILE}{system}", "question": HOSTILE, "kind": HOSTILE,
         "answer": HOSTILE if at < n_right else "Oslo", "reference": HOSTILE}
        for system, n_right in (("a", 2), ("b", 11))
        for at in range(12)
    ]  # fmt: skip
    folder = tmp_path_factory.mktemp("hostile") / "run"
    return rg.evaluate(rows, ["exact_match", "token_f1"], folder=folder)


@pytest.fixture(scope="module")
def report_of(run):
    """A report of a run in which every name is hostile, for a format."""

    def report(name, form):
        if name == "run":
            return run_report(run, ["kind"])
        if name == "comparison":
            return comparison_report(run.compare(*run.samples.systems, by="kind"))
        if name == "question":
            return question_report(run, f"{HOSTILE}1")
        qrels = {f"{HOSTILE}{at}": {HOSTILE: 1} for at in range(8)}
        runs = {f"{HOSTILE}{at}": {key: {HOSTILE: 1.0} for key in qrels} for at in range(2)}
        table = RankingTable(rank(qrels, runs, ["map"]), all_pairs=True)
        return ranking_report(table, form, per_query=True)

    return report


def n_columns(text: str, sign: str, row: str) -> list[int]:
    """In how many columns the sign that is not escaped parts each row."""
    lines = [line for line in text.splitlines() if re.search(row, line)]
    return [len(re.findall(rf"(?<!\\){sign}", line)) for line in lines]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", REPORTS)
def test_hostile_names_are_inert(report_of, name, form):
    text = FORMATS[form].write(report_of(name, form))
    if form == "json":  # data for programs is written as it is
        json.loads(text, parse_constant=pytest.fail)
        return
    if form == "csv":
        cells = list(csv.reader(io.StringIO(text)))
        assert len({len(row) for row in cells}) == 1
        assert not [cell for row in cells for cell in row if cell != for_csv(cell)]
        return
    assert not INVISIBLE.search(text.replace("\n", ""))
    assert not [line for line in text.splitlines() if line.lstrip().startswith("::")]
    if form == "md":
        for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
            assert len(set(n_columns(table, r"\|", r"^\|"))) == 1
    if form == "html":
        assert "<script" not in text
    if form == "latex":
        text = "".join(line for line in text.splitlines(True) if not line.startswith("%"))
        assert r"\input" not in text
        for columns, table in re.findall(
            r"\\begin\{tabular\}\{([lr]+)\}(.*?)\\end\{tab", text, re.DOTALL
        ):
            assert {n + 1 for n in n_columns(table, "&", r" \\\\$")} == {len(columns)}
        unescaped = re.sub(r"\\[{}$]", "", text)
        assert unescaped.count("{") == unescaped.count("}")
        assert unescaped.count("$") % 2 == 0
        assert text.count(r"\begin{") == text.count(r"\end{")


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("name", REPORTS)
def test_a_terminal_shows_hostile_names_escaped_within_its_width(report_of, name, full):
    out = io.StringIO()
    screen = console(out)
    screen.width = 80
    print_report(screen, report_of(name, "table"), full=full)
    lines = out.getvalue().splitlines()
    assert "\\x1b[31m" in out.getvalue()
    assert not [line for line in lines if INVISIBLE.search(line) or line.lstrip().startswith("::")]
    if name in ("run", "question"):  # the others list ids, in whole
        assert max(len(line) for line in lines if not line.startswith(("next: ", "all: "))) <= 80
