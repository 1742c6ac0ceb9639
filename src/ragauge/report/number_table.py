"""A table of numbers that fits the terminal: columns give way in a fixed order, and no number is cut."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ragauge.report.plain import for_terminal, shortened
from ragauge.report.report import Cell, Table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as DrawnTable

GAPS = (3, 2, 1)
"""Blanks between two columns, from the widest terminal to the narrowest."""
LEAST_NAME = 4
"""Fewest columns that a name is cut to."""
WIDEST = 10_000
"""Columns that every table fits into."""


def _texts(table: Table) -> list[list[str]]:
    """The cells as texts; a mark hangs behind its number, so that the numbers of a column stay aligned."""
    columns: list[list[str]] = []
    for place in range(len(table.header)):
        cells = [row[place] for row in table.rows]
        marks = max((len(cell.mark) for cell in cells if isinstance(cell, Cell)), default=0)
        columns.append(
            [
                f"{cell.text}{cell.mark.ljust(marks)}"
                if isinstance(cell, Cell)
                else for_terminal(cell)
                for cell in cells
            ]
        )
    return columns


def _measured(table: Table) -> tuple[list[list[str]], list[int]]:
    """The columns as texts, headers first, and their widths."""
    from rich.cells import cell_len

    header = map(for_terminal, table.header)
    columns = [[name, *texts] for name, texts in zip(header, _texts(table), strict=True)]
    return columns, [max(map(cell_len, column)) for column in columns]


def _layouts(table: Table) -> Iterator[Table]:
    """The table and what is shown in its place, from the widest layout to the narrowest."""
    if table.narrower:
        yield from (table, *table.narrower)
        return
    yield from (replace(table, gap=gap) for gap in GAPS if gap <= table.gap)
    gone: list[int] = []
    for places in table.gives_way:
        gone += places
        yield from (replace(table.without(gone), gap=gap) for gap in GAPS[1:])


def fitting(out: "Console", table: Table) -> tuple["DrawnTable", Sequence[str]]:
    """The table in the widest layout that fits the terminal, and what it lacks there.

    If none fits, names are cut.
    """

    def too_wide(layout: Table) -> int:
        widths = _measured(layout)[1]
        return sum(widths) + layout.gap * (len(widths) - 1) - out.width

    layouts = list(_layouts(table))
    layout = next((each for each in layouts if too_wide(each) <= 0), layouts[-1])
    cut = -(-max(0, too_wide(layout)) // layout.n_names)
    columns, widths = _measured(layout)
    for place in range(layout.n_names if cut else 0):
        widths[place] = max(LEAST_NAME, widths[place] - cut)
    return _drawn(layout, columns, widths), layout.missing


def fits(out: "Console", table: "DrawnTable") -> bool:
    """Whether the terminal is wide enough for the whole table."""
    from rich.measure import Measurement

    options = out.options.update(max_width=WIDEST)
    return Measurement.get(out, options, table).maximum <= out.width


def too_narrow_for(missing: Sequence[str], option: str) -> str:
    """What to say of columns that were left out; `option` prints them.

    >>> too_narrow_for(["n", "p"], "-f md")
    'the terminal is too narrow for: n · p; -f md prints every column'
    """
    return f"the terminal is too narrow for: {' · '.join(missing)}; {option} prints every column"


def _drawn(table: Table, columns: Sequence[Sequence[str]], widths: Sequence[int]) -> "DrawnTable":
    """The table of columns of texts, headers first, each in its width."""
    from rich import box
    from rich.cells import cell_len
    from rich.table import Table as DrawnTable
    from rich.text import Text

    drawn = DrawnTable(
        box=box.SIMPLE_HEAD,
        padding=(0, table.gap // 2),
        collapse_padding=table.gap == 2,
        pad_edge=False,
        show_edge=False,
        header_style="bold",
    )

    def cell(place: int, text: str, style: str = "") -> "Text":
        if place < table.n_names:
            return Text(shortened(text, widths[place]), style)
        # Padded here: rich aligns right without the blank that stands for an absent mark.
        return Text(" " * (widths[place] - cell_len(text)) + text, style)

    for place, column in enumerate(columns):
        drawn.add_column(cell(place, column[0]), no_wrap=True)
    for number, cells in enumerate(table.rows, 1):
        best = ["bold" if isinstance(each, Cell) and each.is_best else "" for each in cells]
        drawn.add_row(*(cell(at, texts[number], best[at]) for at, texts in enumerate(columns)))
    return drawn
