"""A report in each format."""

import csv
import io
import json
import re

import pytest
from cases import cases
from rich.console import Console

from ragauge.report.report import Cell, Items, Lines, Report, Table
from ragauge.report.terminal import print_report
from ragauge.report.writing import FORMATS

REPORT = Report(
    "B is better.",
    "2 systems · 3 questions",
    tables=(
        Table(
            ("metric", "A", "B", "p"),
            (
                ("recall ↑", Cell("0.50"), Cell("0.75", "*", is_best=True), "0.010"),
                ("mrr ↑", Cell("0.40", is_best=True), Cell("0.30"), "0.500"),
            ),
            gives_way=((3,),),
        ),
    ),
    notes=("* p < 0.05", "one note more"),
    items=(Items("worst found", (("answers nothing", "q7"),)),),
    commands=("ragauge show run q7",),
)


def printed(report: Report, width: int) -> list[str]:
    out = Console(file=io.StringIO(), width=width, color_system=None)
    print_report(out, report)
    return out.file.getvalue().splitlines()  # pyright: ignore[reportAttributeAccessIssue]


def test_a_terminal_shows_everything_with_the_marks_behind_the_numbers():
    assert [line.rstrip() for line in printed(REPORT, 80) if "─" not in line] == [
        "B is better.",
        "2 systems · 3 questions",
        "",
        "metric        A       B       p",
        "recall ↑   0.50   0.75*   0.010",
        "mrr ↑      0.40   0.30    0.500",
        "  * p < 0.05",
        "  one note more",
        "",
        "worst found",
        "  answers nothing  q7",
        "",
        "next: ragauge show run q7",
    ]


def test_a_narrow_terminal_leaves_out_a_column_and_says_so():
    lines = printed(REPORT, 24)
    assert "recall ↑  0.50  0.75*" in [line.rstrip() for line in lines]
    assert "too narrow for: p;" in " ".join(" ".join(lines).split())


def test_notes_beyond_those_that_a_terminal_shows_are_counted():
    report = Report("h", notes=("first", "second", "third"), notes_shown=1)
    assert printed(report, 80) == ["h", "  first", "  2 notes more in -f md"]


def test_markdown_and_latex_mark_the_best():
    assert FORMATS["md"].write(REPORT).splitlines()[4:8] == [
        "| metric | A | B | p |",
        "| :-- | --: | --: | --: |",
        "| recall ↑ | 0.50 | **0.75**\\* | 0.010 |",
        "| mrr ↑ | **0.40** | 0.30 | 0.500 |",
    ]
    latex = FORMATS["latex"].write(REPORT)
    assert r"\textbf{0.75}$^{\mathrm{*}}$ & 0.010 \\" in latex
    assert "% one note more\n" in latex


def test_csv_and_json_have_the_records_and_the_data_or_else_the_tables():
    rows = list(csv.reader(io.StringIO(FORMATS["csv"].write(REPORT))))
    assert rows == [
        ["metric", "A", "B", "p"],
        ["recall ↑", "0.50", "0.75*", "0.010"],
        ["mrr ↑", "0.40", "0.30", "0.500"],
    ]
    assert json.loads(FORMATS["json"].write(REPORT))["headline"] == "B is better."
    own = Report("h", records=lambda: (("x",), [(1,)]), data=lambda: {"x": 1})
    assert (FORMATS["csv"].write(own), json.loads(FORMATS["json"].write(own))) == (
        "x\n1\n",
        {"x": 1},
    )


ALONE = Report("", tables=[Table(("id", "why"), [("q1", "no answer")], wraps=True)])
CLOSED = Report(
    "",
    tables=[
        Table((), (), closing=["a metric"]),
        Table(("id",), [("q1",)], closing=["", "1 <row>"]),
    ],
)
LINES = Report(
    "q1 · 1 answer",
    lines=[
        Lines([("answer", "Rome")], title="q1 · a"),
        Lines([("  ✓", "It is Rome.")], heading=("support", "1.000", "support(k=1)")),
    ],
    notes=["judged"],
)


@cases(
    (ALONE, "table", "id   why\n──────────────\nq1   no answer"),
    (ALONE, "md", "| id | why |\n| :-- | --: |\n| q1 | no answer |\n"),
    (CLOSED, "table", "a metric\n\nid\n──\nq1\n\n1 <row>"),
    (CLOSED, "md", "a metric\n\n| id |\n| :-- |\n| q1 |\n\n1 \\<row\\>\n"),
    (CLOSED, "csv", "id\nq1\n"),
    (
        LINES,
        "md",
        "**q1 · 1 answer**\n\n### q1 · a\n\n- answer: Rome\n\n**support** 1.000 support\\(k=1\\)\n\n"
        "- ✓: It is Rome.\n\n- judged\n",
    ),
)
def test_a_table_alone_and_lines_are_written_without_a_headline_or_table(report, form, text):
    assert FORMATS[form].write(report) == text


def test_lines_are_below_a_rule_and_their_heading_in_a_terminal_and_a_row_in_html():
    rule, answer, blank, heading, line = printed(LINES, 60)[2:7]
    assert rule.startswith("q1 · a ──") and answer.split() == ["answer", "Rome"]
    assert (blank, heading) == ("", "support  1.000  support(k=1)")
    assert line.split() == ["✓", "It", "is", "Rome."]
    html = FORMATS["html"].write(LINES)
    assert '<span style="color: green">✓</span> It is Rome.' in html
    assert re.search(r"<tr><td[^>]*>support<br>.*</td><td[^>]*>1.000</td>", html)


def test_in_few_lines_the_last_things_give_way_and_before_them_what_the_report_leaves_out():
    def of(n: int) -> Report:
        rows = [(f"m{at}", "1") for at in range(n)]
        return Report(
            "h",
            "t",
            [Table(("metric", "a"), rows)],
            notes=["long " * 40],
            commands=["show"],
            command_for_all="show --full",
            cuts_notes=True,
            most_lines=8,
            shorter=lambda: of(n - 1) if n > 1 else None,
            more=[Table(("x",), [("1",)], title="by x")],
        )

    lines = [line.rstrip() for line in printed(of(9), 60)]
    # Headline, title, the table's head and rule, a row, a note, two commands; then what has no limit.
    assert lines[:2] == ["h", "t"] and lines[4].split() == ["m0", "1"]
    assert lines[5].endswith("…") and lines[6:8] == ["next: show", "all:  show --full"]
    assert lines[8:10] == ["", "by x"]


@pytest.mark.parametrize("form", FORMATS)
def test_hostile_texts_are_escaped_in_every_format(form):
    evil = "<script>\x1b[31m|\\input{x}\n::error::=1"
    table = Table((evil, "n"), ((evil, Cell("1", "*")),), title=evil)
    text = FORMATS[form].write(
        Report(evil, evil, (table,), (evil,), (Items(evil, ((evil, "q\x1b"),)),), (evil,))
    )
    assert "\x1b" not in text or FORMATS[form].is_data  # data for programs is written as it is
    assert "\n::error" not in text or form == "csv"
    if form == "html":
        assert "<script" not in text
    if form == "latex":
        assert r"\input" not in "".join(
            line for line in text.splitlines() if not line.startswith("%")
        )


def test_html_has_the_tables_and_sentences_name_their_ids():
    html = FORMATS["html"].write(REPORT)
    assert "recall ↑" in html and '<b>0.75</b><span style="color: firebrick">*</span>' in html
    report = Report("h", items=(Items("", (("fixed: 2", "q1, q2"), ("broken: 0", ""))),))
    assert printed(report, 40) == ["h", "", "fixed: 2 (q1, q2)", "broken: 0"]
    assert FORMATS["md"].write(report) == "**h**\n\n- fixed: 2  q1, q2\n- broken: 0\n"


def test_a_report_without_tables_is_written_too():
    for form in FORMATS:
        assert isinstance(FORMATS[form].write(Report("nothing")), str)
