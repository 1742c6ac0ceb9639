"""Print a comparison to a terminal."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING

from ragauge.comparing.systems_table import SystemsTable
from ragauge.comparing.words import IDS_SHOWN, MARK, ComparisonView
from ragauge.report.commands import show_command
from ragauge.report.number_table import fits, fitting, too_narrow_for
from ragauge.report.plain import counted, for_terminal, shortened, some
from ragauge.report.report import Cell, Table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as DrawnTable
    from rich.text import Text

    from ragauge.comparing.comparison import Comparison

WIDTH = 98
ROWS_SHOWN = 12
"""Most rows of the table of all questions, unless everything is printed."""
NOTES_SHOWN = 3
SYSTEMS_SHOWN = 5


def print_comparison(out: "Console", comparison: "Comparison", *, full: bool = False) -> None:
    """Print the headline, the table, what changed and what to type next.

    At most 25 lines for one pair and ten metrics; `full` prints every row and note.
    """
    from rich.text import Text

    view = ComparisonView(comparison)
    width = min(out.width, WIDTH)
    for line in Text(for_terminal(view.headline), "bold").wrap(out, width):
        line.rstrip()
        out.print(line)
    out.print(Text(for_terminal(view.title), "dim"))
    if view.rows:
        out.print()
        _print_tables(out, view, full=full)
    own = view.legend if view.is_single_pair else f"{SystemsTable(view).legend}: {view.method}"
    for line in _wrapped(out, own, width):
        out.print(line)
    _print_notes(out, view, width, full=full)
    _print_changes(out, view, full=full)


def _print_tables(out: "Console", view: ComparisonView, *, full: bool) -> None:
    """The pairs of all questions and of each slice; many systems as columns, unless with `full`."""
    from rich.text import Text

    if view.is_single_pair or full:
        rows = view.rows if full else view.rows[:ROWS_SHOWN]
        missing = _print_table(out, _table(view, view.header, rows))
        for field in view.comparison.fields:
            out.print(Text(f"\nby {for_terminal(field)}", "bold"))
            header = (view.short(field), *view.header)
            missing |= _print_table(out, _table(view, header, view.slice_rows(field)))
        if missing:
            _print_missing(out, [name for name in view.header if name in missing])
        return
    for field, value in dict.fromkeys((row.field, row.value) for row in view.comparison.rows):
        if field is not None:
            out.print(Text(f"\n{for_terminal(f'{field} = {value}')}", "bold"))
        table = SystemsTable(view, field, value)
        layouts = product(range(SYSTEMS_SHOWN, 0, -1), (1, 0))
        tables = [_systems_table(table, n_shown, padding) for n_shown, padding in layouts]
        out.print(next((drawn for drawn in tables if fits(out, drawn)), tables[-1]))


def _print_table(out: "Console", table: Table) -> set[str]:
    """Print what fits of a table; the headers of the columns that do not."""
    drawn, missing = fitting(out, table)
    out.print(drawn)
    return set(missing)


def _print_missing(out: "Console", missing: Sequence[str]) -> None:
    for line in _wrapped(out, too_narrow_for(missing, "-f md"), min(out.width, WIDTH)):
        out.print(line)


def _print_notes(out: "Console", view: ComparisonView, width: int, *, full: bool) -> None:
    from rich.text import Text

    notes = list(view.notes)
    n_hidden = len(view.rows) - ROWS_SHOWN
    if view.is_single_pair and n_hidden > 0 and not full:
        notes.insert(0, f"{counted(n_hidden, 'more metric')}; --full prints all")
    if not view.is_single_pair and not full:
        notes.insert(0, "--full prints every pair with its difference, interval and p")
    if full:
        for note in notes:
            for line in _wrapped(out, note, width):
                out.print(line)
        return
    hidden = len(notes) - NOTES_SHOWN
    kept = (
        notes
        if hidden <= 0
        else [*notes[: NOTES_SHOWN - 1], f"{hidden + 1} more notes; --full prints them"]
    )
    for note in kept:
        out.print(Text(shortened(f"  {for_terminal(note)}", width), "dim"), no_wrap=True)


def _wrapped(out: "Console", note: str, width: int) -> "Iterator[Text]":
    from rich.text import Text

    for line in Text(for_terminal(note), "dim").wrap(out, max(width - 2, 20)):
        line.rstrip()
        line.pad_left(2)
        yield line


def _print_changes(out: "Console", view: ComparisonView, *, full: bool) -> None:
    from rich.text import Text

    if view.changes:
        out.print()
    first = ""
    for what, n, ids in view.changes:
        named = [for_terminal(id) for id in ids]
        text = some(named, len(named) if full else IDS_SHOWN)
        first = first or (ids[0] if ids else "")
        line = Text(for_terminal(f"{what}: {n}"))
        if ids:
            line.append(" (").append(text, "cyan").append(")")
        out.print(line, soft_wrap=full, no_wrap=not full)
    if command := next_command(view, first):
        out.print(Text("\nnext: ").append(for_terminal(command), "cyan"), soft_wrap=True)


def next_command(view: ComparisonView, id: str) -> str:
    """The command that shows a question whose score changed; empty if there is none, or no folder."""
    place = view.comparison.folders[-1] if view.comparison.folders else None
    return show_command(place, id) if place and id else ""


def _systems_table(table: SystemsTable, n_shown: int, padding: int) -> "DrawnTable":
    """The base and the best systems, `n_shown` in all; `padding` is half of the blanks between columns."""
    from rich import box
    from rich.table import Table as DrawnTable
    from rich.text import Text

    shown = DrawnTable(
        box=box.SIMPLE_HEAD,
        padding=(0, padding),
        pad_edge=False,
        show_edge=False,
        header_style="bold",
    )
    n_systems = len(table.view.comparison.systems)
    kept = table.leading(n_shown)
    names = table.header[1:-1]
    shown.add_column("metric", no_wrap=True)
    for at in kept:
        shown.add_column(Text(table.view.short(names[at])), justify="right", no_wrap=True)
    if n_systems > len(kept):
        shown.add_column(Text(f"… {n_systems - len(kept)} more"))
    shown.add_column("n", justify="right", no_wrap=True)
    for name, cells, n in table.rows:
        width = max(len(cell.mark) for cell in cells)
        styled = [
            Text(cell.text, "bold" if cell.is_best else "").append(cell.mark.ljust(width))
            for cell in cells
        ]
        gap = [Text("")] if n_systems > len(kept) else []
        shown.add_row(Text(name), *(styled[at] for at in kept), *gap, Text(n))
    return shown


def _table(view: ComparisonView, header: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """The table of the rows; where room is short, the change and its p stay longest."""
    change = len(header) - len(view.header) + view.n_names + 2
    hanging = [
        [
            Cell(cell.removesuffix(MARK), MARK * cell.endswith(MARK)) if place == change else cell
            for place, cell in enumerate(row)
        ]
        for row in rows
    ]
    means, interval, p, n, counts = (change - 2, change - 1), *range(change + 1, change + 5)
    return Table(
        header,
        hanging,
        n_names=change - 2,
        gives_way=((counts,), means, (interval,), (n,), (p,)),
    )
