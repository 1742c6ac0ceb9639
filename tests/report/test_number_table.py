"""Tables of numbers in terminals of any width."""

from io import StringIO

import pytest
from rich.console import Console

from ragauge.report.number_table import fits, fitting
from ragauge.report.report import Table

TABLE = Table(
    ("metric", "old", "new", "interval", "p"),
    (
        ("recall ↑", "0.715", "0.453", "[-0.501, +0.001]", "0.311"),
        ("precision ↑", "0.680", "0.420", "–", "1.000"),
    ),
    gives_way=((1, 2), (3,)),
)


def shown(width: int) -> tuple[list[str], tuple[str, ...]]:
    out = Console(file=StringIO(), width=width, color_system=None)
    drawn, missing = fitting(out, TABLE)
    assert fits(out, drawn)
    out.print(drawn)
    lines = out.file.getvalue().splitlines()  # pyright: ignore[reportAttributeAccessIssue]
    return [line.rstrip() for line in lines if "─" not in line], tuple(missing)


@pytest.mark.parametrize(
    ("width", "missing", "row"),
    [
        # 11 + 5 + 5 + 16 + 5 are 42, and four gaps of 3 or of 1.
        (54, (), "recall ↑      0.715   0.453   [-0.501, +0.001]   0.311"),
        (46, (), "recall ↑    0.715 0.453 [-0.501, +0.001] 0.311"),
        # Without the two means: 11 + 16 + 5 and two gaps of 1.
        (45, ("old", "new"), "recall ↑     [-0.501, +0.001]  0.311"),
        (34, ("old", "new"), "recall ↑    [-0.501, +0.001] 0.311"),
        (33, ("old", "new", "interval"), "recall ↑     0.311"),
        (12, ("old", "new", "interval"), "recal… 0.311"),
    ],
)
def test_columns_give_way_in_their_order_and_at_last_names_are_cut(width, missing, row):
    lines, left_out = shown(width)
    assert left_out == missing
    assert lines[1] == row
    assert max(map(len, lines)) <= width
