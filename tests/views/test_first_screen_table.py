"""The table of the first screen in terminals of any width."""

from io import StringIO

import pytest
from rich.console import Console

from ragauge.views.first_screen_table import NO_INTERVALS, Cell, Row, fitting_table

HEADER = ("", "metric", "careful", "hasty", "n")
ROWS = (
    Row("answer", "correct ↑", "30", (Cell("0.94", "0.93–0.95"), Cell("0.67", "0.53–0.81", True))),
    Row("behaviour", "dont_know", "28 13", (Cell("0.10", "0.00–0.23"), Cell("0.23"))),
)


def shown(width: int) -> tuple[list[str], str]:
    out = Console(file=StringIO(), width=width, color_system=None)
    table, lacks = fitting_table(out, HEADER, ROWS, has_families=True)
    out.print(table)
    lines = out.file.getvalue().splitlines()  # pyright: ignore[reportAttributeAccessIssue]
    return [line.rstrip() for line in lines if "─" not in line], lacks


def test_everything_is_shown_where_it_fits():
    lines, lacks = shown(98)
    assert lines[1].split() == [
        "answer",
        "correct",
        "↑",
        "0.94",
        "0.93–0.95",
        "0.67*",
        "0.53–0.81",
        "30",
    ]
    assert lines[2].endswith("28 13")
    assert lacks == ""


@pytest.mark.parametrize("width", [62, 55, 48, 40, 34])
def test_no_number_is_cut_in_a_narrow_terminal(width: int):
    lines, lacks = shown(width)
    assert max(map(len, lines)) <= width
    assert not any("…" in line for line in lines)
    means = [
        word for line in lines for word in line.split() if word.startswith("0.") and "–" not in word
    ]
    assert means == ["0.94", "0.67*", "0.10", "0.23"]
    assert ("0.53–0.81" in lines[1]) == (lacks == "")
    assert lacks in ("", NO_INTERVALS)


def test_the_number_of_answers_becomes_a_range_before_the_intervals_go():
    lines, _ = shown(50)
    assert lines[2].endswith("13–28")
    assert "0.53–0.81" in lines[1]
