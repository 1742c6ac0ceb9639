"""Tables of numbers in terminals of any width."""

from io import StringIO

from cases import cases
from rich.console import Console

from ragauge.report.report import Cell, Table
from ragauge.report.terminal import drawn_tables

TABLE = Table(
    ("metric", "old", "new", "interval", "p"),
    (
        ("recall ↑", "0.715", "0.453", "[-0.501, +0.001]", "0.311"),
        ("precision ↑", "0.680", "0.420", "–", "1.000"),
    ),
    gives_way=((1, 2), (3,)),
)


def shown(width: int, table: Table = TABLE) -> tuple[list[str], tuple[str, ...]]:
    out = Console(file=StringIO(), width=width, color_system=None)
    (drawn,), missing = drawn_tables(out, table)
    out.print(drawn)
    lines = out.file.getvalue().splitlines()  # pyright: ignore[reportAttributeAccessIssue]
    return [line.rstrip() for line in lines if "─" not in line], tuple(missing)


@cases(
    # 11 + 5 + 5 + 16 + 5 are 42, and four gaps of 3 or of 1.
    (54, (), "recall ↑      0.715   0.453   [-0.501, +0.001]   0.311"),
    (46, (), "recall ↑    0.715 0.453 [-0.501, +0.001] 0.311"),
    # Without the two means: 11 + 16 + 5 and two gaps of 1.
    (45, ("old", "new"), "recall ↑     [-0.501, +0.001]  0.311"),
    (34, ("old", "new"), "recall ↑    [-0.501, +0.001] 0.311"),
    (33, ("old", "new", "interval"), "recall ↑     0.311"),
    (12, ("old", "new", "interval"), "recal… 0.311"),
)
def test_columns_give_way_in_their_order_and_at_last_names_are_cut(width, missing, row):
    lines, left_out = shown(width)
    assert left_out == missing
    assert lines[1] == row
    assert max(map(len, lines)) <= width


INTERVALS = Table(
    ("metric", "careful", "a-rather-long-name", "n"),
    (
        ("correct ↑", Cell("0.94", detail="0.93–0.95"), Cell("0.67", "*", detail="0.5–0.81"), "30"),
        ("dont_know", Cell("–"), Cell("0.23", remark="9/10"), Cell("28", is_quiet=True)),
    ),
    narrower=(
        Table(
            ("metric", "careful", "a-rather-long-name", "n"),
            (
                ("correct ↑", Cell("0.94"), Cell("0.67", "*"), "30"),
                ("dont_know", Cell("–"), Cell("0.23"), "28"),
            ),
            gap=1,
            missing=("intervals",),
        ),
    ),
)


@cases(
    # Name 9, cells of 15, below a header of 18, and 2, three gaps of 3: the parts of cells stand below each other.
    (
        60,
        (),
        (
            "0.94  0.93–0.95   0.67* 0.5–0.81         30",
            "–              0.23            9/10   28",
        ),
    ),
    (40, ("intervals",), ("0.94              0.67* 30", "–              0.23  28")),
    # No number is cut: first the headers above them, then the names.
    (24, ("intervals",), ("correct ↑  0.94 0.67* 30", "dont_know     – 0.23  28")),
    (19, ("intervals",), ("corr… 0.94 0.67* 30",)),
)
def test_what_is_narrower_is_shown_where_the_table_has_no_room(width, missing, rows):
    lines, lacks = shown(width, INTERVALS)
    assert lacks == missing
    for row, line in zip(rows, lines[1:], strict=False):
        assert row in line, line
    assert max(map(len, lines)) <= width


def test_a_table_that_splits_shows_all_columns_below_each_other():
    out = Console(file=StringIO(), width=24, color_system=None)
    table = Table(("metric", *"abc"), [("recall", *("0.715 (1)",) * 3)], splits=True)
    drawn, missing = drawn_tables(out, table)
    assert [len(part.columns) for part in drawn] == [2, 2, 2] and missing == ()
