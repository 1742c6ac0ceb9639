"""A table of numbers that fits the terminal: columns give way in a fixed order, and no number is cut."""

from collections.abc import Iterator, Sequence
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
    return [list(row) for row in zip(*columns, strict=True)]


def _layouts(table: Table) -> Iterator[tuple[list[int], int]]:
    """The places that are shown and the gap, from the widest layout to the narrowest."""
    kept = list(range(len(table.header)))
    yield from ((kept, gap) for gap in GAPS if gap <= table.gap)
    for places in table.gives_way:
        kept = [place for place in kept if place not in places]
        yield from ((kept, gap) for gap in GAPS[1:])


def fitting(out: "Console", table: Table) -> tuple["DrawnTable", tuple[str, ...]]:
    """The table in the widest layout that fits the terminal, and the headers of the columns left out.

    If none fits, names are cut.
    """
    from rich.cells import cell_len

    texts = _texts(table)
    header = [for_terminal(name) for name in table.header]
    widths = [max(map(cell_len, column)) for column in zip(header, *texts, strict=True)]

    def needed(layout: tuple[list[int], int]) -> int:
        kept, gap = layout
        return sum(widths[place] for place in kept) + gap * (len(kept) - 1)

    layouts = list(_layouts(table))
    layout = next((each for each in layouts if needed(each) <= out.width), layouts[-1])
    kept, gap = layout
    too_wide = max(0, needed(layout) - out.width)
    cut = -(-too_wide // table.n_names)
    name_widths = [max(LEAST_NAME, widths[place] - cut) for place in range(table.n_names)]
    missing = tuple(name for place, name in enumerate(table.header) if place not in kept)
    return _drawn(table, texts, widths, kept, gap, name_widths), missing


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


def _drawn(
    table: Table,
    texts: Sequence[Sequence[str]],
    widths: Sequence[int],
    kept: Sequence[int],
    gap: int,
    name_widths: Sequence[int],
) -> "DrawnTable":
    from rich import box
    from rich.cells import cell_len
    from rich.table import Table as DrawnTable
    from rich.text import Text

    drawn = DrawnTable(
        box=box.SIMPLE_HEAD,
        padding=(0, gap // 2),
        collapse_padding=gap == 2,
        pad_edge=False,
        show_edge=False,
        header_style="bold",
    )

    def cell(place: int, text: str, style: str = "") -> "Text":
        if place < table.n_names:
            return Text(shortened(text, name_widths[place]), style)
        # Padded here: rich aligns right without the blank that stands for an absent mark.
        return Text(" " * (widths[place] - cell_len(text)) + text, style)

    for place in kept:
        drawn.add_column(cell(place, for_terminal(table.header[place])), no_wrap=True)
    for cells, row in zip(table.rows, texts, strict=True):
        best = ["bold" if isinstance(each, Cell) and each.is_best else "" for each in cells]
        drawn.add_row(*(cell(place, row[place], best[place]) for place in kept))
    return drawn
