"""A table of numbers that fits the terminal: columns give way in a fixed order, and no number is cut."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragauge.report.plain import shortened

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

GAPS = (3, 2, 1)
"""Blanks between two columns, from the widest terminal to the narrowest."""
LEAST_NAME = 4
"""Fewest columns that a name is cut to."""
WIDEST = 10_000
"""Columns that every table fits into."""


@dataclass(frozen=True, slots=True)
class NumberTable:
    """The first `n_names` columns are names, aligned left; the others are numbers.

    `gives_way` has the places of columns that are left out together, those that are left out first in front.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    n_names: int = 1
    gives_way: Sequence[Sequence[int]] = ()
    gap: int = GAPS[0]
    """Blanks between two columns where there is room."""

    def widths(self) -> list[int]:
        """The terminal columns that each column needs."""
        from rich.cells import cell_len

        return [max(map(cell_len, column)) for column in zip(self.header, *self.rows, strict=True)]

    def layouts(self) -> Iterator[tuple[list[int], int]]:
        """The places that are shown and the gap, from the widest layout to the narrowest."""
        kept = list(range(len(self.header)))
        yield from ((kept, gap) for gap in GAPS if gap <= self.gap)
        for places in self.gives_way:
            kept = [place for place in kept if place not in places]
            yield from ((kept, gap) for gap in GAPS[1:])


def fitting(out: "Console", table: NumberTable) -> tuple["Table", tuple[str, ...]]:
    """The table in the widest layout that fits the terminal, and the headers of the columns left out.

    If none fits, names are cut.
    """
    widths = table.widths()

    def needed(layout: tuple[list[int], int]) -> int:
        kept, gap = layout
        return sum(widths[place] for place in kept) + gap * (len(kept) - 1)

    layouts = list(table.layouts())
    layout = next((each for each in layouts if needed(each) <= out.width), layouts[-1])
    kept, gap = layout
    too_wide = max(0, needed(layout) - out.width)
    cut = -(-too_wide // table.n_names)
    name_widths = [max(LEAST_NAME, widths[place] - cut) for place in range(table.n_names)]
    missing = tuple(name for place, name in enumerate(table.header) if place not in kept)
    return _drawn(table, kept, gap, name_widths), missing


def fits(out: "Console", table: "Table") -> bool:
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
    table: NumberTable, kept: Sequence[int], gap: int, name_widths: Sequence[int]
) -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    drawn = Table(
        box=box.SIMPLE_HEAD,
        padding=(0, gap // 2),
        collapse_padding=gap == 2,
        pad_edge=False,
        show_edge=False,
        header_style="bold",
    )

    def cell(place: int, text: str) -> "Text":
        return Text(shortened(text, name_widths[place]) if place < table.n_names else text)

    for place in kept:
        justify = "left" if place < table.n_names else "right"
        drawn.add_column(cell(place, table.header[place]), justify=justify, no_wrap=True)
    for row in table.rows:
        drawn.add_row(*(cell(place, row[place]) for place in kept))
    return drawn
