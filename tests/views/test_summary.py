"""Summaries and evidence in a terminal: nothing obeyed, nothing too wide."""

import io
import re

import pytest
from cases import cases
from rich.cells import cell_len

from ragauge import evaluate
from ragauge.label import Label
from ragauge.report.terminal import console, print_report, print_table
from ragauge.suite import Entry, Suite
from ragauge.views.first_screen import run_report
from ragauge.views.question import answers_report


def print_summary(out, run, by=()):
    print_report(out, run_report(run, by), full=True)


class Screen(io.StringIO):
    """A terminal of a width, as rich sees it."""

    def isatty(self) -> bool:
        return True


def shown(print_it, *arguments: object, width: int = 80) -> list[str]:
    screen = Screen()
    out = console(screen)
    out.width = width
    print_it(out, *arguments)
    return re.sub(r"\x1b\[[0-9;]*m", "", screen.getvalue()).splitlines()


def rows(n_systems: int, n_questions: int = 3) -> list[dict[str, object]]:
    return [
        {
            "id": f"q{question}",
            "system": f"system-{system}",
            "answer": None if question == system == 0 else f"word {question}",
            "reference": "word 1",
            "kind": f"kind {question}",
        }
        for system in range(n_systems)
        for question in range(n_questions)
    ]


NEEDY = Suite("needy", (Entry(Label("faithfulness"), "faithfulness"),))
METRICS = ["exact_match", "token_f1", 'token_f1(count="set",normalize="lower_ws")', NEEDY]


@pytest.fixture(scope="module")
def several():
    return evaluate(rows(7, 12), METRICS)


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_no_line_is_wider_than_the_terminal_and_no_number_is_cut(several, width):
    lines = shown(print_summary, several, ["kind"], width=width)
    assert max(map(cell_len, lines)) <= width
    assert not any("…" in line for line in lines)
    assert sum(line.startswith("token_f1 ") for line in lines) >= 7


def test_every_system_has_its_column_however_many_there_are(several):
    text = "\n".join(shown(print_summary, several))
    for number in range(7):
        assert f" system-{number}" in text


def test_means_stand_below_each_other_whether_or_not_all_rows_are_scored():
    run = evaluate(rows(1), ["exact_match", "citation_quality(enough=1)", "dont_know"])
    lines = [
        line for line in shown(print_summary, run) if re.match(r"(exact|citation|dont)_", line)
    ]
    places = {re.search(r"\d\.\d{3}", line).start() for line in lines}
    assert len(lines) == 3
    assert len(places) == 1


def test_what_lacks_a_resource_is_told_and_has_no_row(several):
    lines = shown(print_summary, several)
    assert not any(line.startswith("faithfulness") for line in lines)
    assert any(line.startswith("  not scored: faithfulness (needs a judge") for line in lines)


def test_nothing_scored_at_all_is_no_table():
    run = evaluate([{"id": "q", "answer": "a"}], NEEDY)
    lines = shown(print_summary, run)
    assert len(lines) == 2
    assert "not scored: faithfulness" in lines[1]


def test_a_table_keeps_its_first_column_and_wraps_the_others():
    cells = [("a_rather_long_metric_name", "word " * 40, "x" * 100)]
    lines = shown(print_table, ("metric", "says", "reads"), cells)
    assert lines[2].startswith("a_rather_long_metric_name ")
    assert max(map(cell_len, lines)) <= 80
    assert "".join(lines).count("word") == 40
    assert "".join(lines).count("x") == 100


def test_a_pipe_gets_wide_lines_and_no_colours(several):
    out = io.StringIO()
    print_summary(console(out), several)
    assert "\x1b" not in out.getvalue()
    assert 80 < max(map(len, out.getvalue().splitlines())) <= 200


def test_a_pipe_that_is_closed_is_said_to_be():
    class Closed(io.StringIO):
        def write(self, _: str) -> int:
            raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        console(Closed()).print("x")


@cases(("90", 90), ("", 200), ("wide", 200), ("1", 40), ("-5", 200))
def test_a_pipe_is_as_wide_as_columns_says(columns, width, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    assert console(io.StringIO()).width == width


def test_systems_of_which_the_same_is_to_be_said_share_it():
    run = evaluate([{"id": "q", "system": one, "answer": "x"} for one in "ab"], "exact_match")
    assert "  exact_match: a, b each 1 missing: the sample has no references" in shown(
        print_summary, run
    )


def test_the_title_of_the_worst_answers_says_in_which_direction_they_are():
    metrics = ["exact_match", "overrefusal"]
    run = evaluate([{"id": "q1", "answer": "I don't know.", "reference": "Rome"}], metrics)
    for metric, title in zip(metrics, ("Lowest", "Highest"), strict=True):
        assert (
            answers_report(run, metric, run.worst(metric)).tables[0].caption == f"{title} {metric}"
        )
