"""The table of the first screen, as wide as the terminal: what does not fit gives way in a fixed order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragauge.report.number_table import fits

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

MARK = "*"


@dataclass(frozen=True, slots=True)
class Cell:
    """A mean as it is shown, its interval, and whether it gets the mark."""

    value: str
    interval: str = ""
    differs: bool = False

    def __str__(self) -> str:
        mark = MARK if self.differs else ""
        return f"{self.value}{mark} {self.interval}".rstrip()


@dataclass(frozen=True, slots=True)
class Row:
    """A metric, the family that it begins, and a cell for each system.

    `n`: how many rows have a value; one number for each system if they differ.
    """

    family: str
    metric: str
    n: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """What a table shows, and the blanks between its columns."""

    has_families: bool = True
    has_intervals: bool = True
    has_short_n: bool = False
    padding: int = 3


LAYOUTS = (
    Layout(),
    Layout(has_short_n=True, padding=2),
    Layout(has_families=False, has_short_n=True, padding=1),
    Layout(has_intervals=False, has_short_n=True, padding=2),
    Layout(has_families=False, has_intervals=False, has_short_n=True, padding=1),
)
"""From the widest to the narrowest; the first that fits is shown."""
NO_INTERVALS = "the intervals need a wider terminal; --full has them"


def fitting_table(
    out: "Console", header: Sequence[str], rows: Sequence[Row], *, has_families: bool
) -> tuple["Table", str]:
    """The table in the first layout that fits, and a note on what it lacks; empty if it lacks nothing."""

    def is_narrow(layout: Layout) -> bool:
        return fits(out, _table(header, rows, layout, has_families=has_families))

    layout = next(filter(is_narrow, LAYOUTS), LAYOUTS[-1])
    table = _table(header, rows, layout, has_families=has_families)
    return table, "" if layout.has_intervals else NO_INTERVALS


def _table(
    header: Sequence[str], rows: Sequence[Row], layout: Layout, *, has_families: bool
) -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        show_edge=False,
        header_style="bold",
        padding=(0, (layout.padding - 1) // 2),
    )
    names = header[1:] if has_families and not layout.has_families else header
    n_names = 2 if has_families and layout.has_families else 1
    for place, name in enumerate(names):
        is_name = place < n_names
        table.add_column(Text(name), justify="left" if is_name else "right", no_wrap=True)
    for row in rows:
        family = (Text(row.family, "dim"),) if n_names > 1 else ()
        cells = [_styled(cell, layout) for cell in row.cells]
        n = short_n(row.n) if layout.has_short_n else row.n
        table.add_row(*family, Text(row.metric), *cells, Text(n, "dim"))
    return table


def short_n(counts: str) -> str:
    """The lowest and the highest of several counts.

    >>> short_n("30"), short_n("28 13 26"), short_n("– 1,200 950")
    ('30', '13–28', '–')
    """
    numbers = counts.split()
    if len(numbers) == 1:
        return counts
    if not all(number.replace(",", "").isdigit() for number in numbers):
        return "–"
    numbers.sort(key=lambda number: int(number.replace(",", "")))
    return f"{numbers[0]}–{numbers[-1]}"


def _styled(cell: Cell, layout: Layout) -> "Text":
    from rich.text import Text

    text = Text(cell.value)
    text.append(MARK if cell.differs else " ", "red")
    if cell.interval and layout.has_intervals:
        text.append(f" {cell.interval}", "dim")
    return text
