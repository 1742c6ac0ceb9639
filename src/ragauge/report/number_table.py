"""A table of numbers that fits the terminal: columns give way in a fixed order, and no number is cut."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ragauge.report.plain import for_terminal, shortened
from ragauge.report.report import Cell, Table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as DrawnTable
    from rich.text import Text

GAPS = (3, 2, 1)
"""Blanks between two columns, from the widest terminal to the narrowest."""
LEAST_NAME = 4
"""Fewest columns that a name is cut to."""
WIDE = 100
NAME_WIDTHS = (36, 20)
"""Columns of the names of a table that is split: in a terminal of WIDE columns or more, and in others."""


def drawn_tables(out: "Console", table: Table) -> tuple[Sequence["DrawnTable"], Sequence[str]]:
    """The table in the widest layout that fits the terminal, and what it lacks there.

    If none fits, names are cut. A table that splits is drawn as several, each with the names.
    """
    if table.splits:
        return _split(out, table), ()

    def too_wide(layout: Table) -> int:
        widths = _measured(layout)[1]
        return sum(widths) + layout.gap * (len(widths) - 1) - out.width

    layouts = list(_layouts(table))
    layout = next((each for each in layouts if too_wide(each) <= 0), layouts[-1])
    columns, widths = _measured(layout)
    if table.is_cut:
        _cut(columns, widths, layout.n_names, too_wide(layout))
    else:
        out.width += max(too_wide(layout), 0)
    return [_drawn(columns, layout.gap)], layout.missing


def _cut(
    columns: Sequence[list["Text"]], widths: Sequence[int], n_names: int, too_wide: int
) -> None:
    """Cut the widest headers of numbers, but no number, and then names, until they are no longer too wide."""
    from rich.text import Text

    cut = list(widths)
    for places in (range(n_names, len(columns)), range(n_names)):
        least = [LEAST_NAME for _ in range(n_names)]
        least += [
            max((len(text.plain.lstrip()) for text in column[1:]), default=LEAST_NAME)
            for column in columns[n_names:]
        ]
        while sum(widths) - sum(cut) < too_wide:
            possible = [place for place in places if cut[place] > least[place]]
            if not possible:
                break
            cut[max(possible, key=lambda place: cut[place])] -= 1
    for place, width in enumerate(cut):
        if width < widths[place]:
            header, *cells = columns[place]
            if place < n_names:
                cells = [Text(shortened(text.plain, width), text.style) for text in cells]
            else:
                cells = [text[widths[place] - width :] for text in cells]
            name = Text(shortened(header.plain.lstrip(), width), header.style)
            name.pad_left(0 if place < n_names else width - name.cell_len)
            columns[place][:] = [name, *cells]


def _layouts(table: Table) -> Iterator[Table]:
    """The table and what is shown in its place, from the widest layout to the narrowest."""
    if table.narrower or not table.is_cut:
        yield from (table, *table.narrower)
        return
    yield from (replace(table, gap=gap) for gap in GAPS if gap <= table.gap)
    gone: list[int] = []
    for places in table.gives_way:
        gone += places
        yield from (replace(table.without(gone), gap=gap) for gap in GAPS[1:])


def _measured(table: Table) -> tuple[list[list["Text"]], list[int]]:
    """The columns, headers first, and their widths."""
    columns = [
        _column(name, [row[place] for row in table.rows], is_name=place < table.n_names)
        for place, name in enumerate(table.header)
    ]
    return columns, [max(text.cell_len for text in column) for column in columns]


def _column(name: str, cells: Sequence[str | Cell], *, is_name: bool) -> list["Text"]:
    """A header and its cells; in columns of numbers, each part of the cells is aligned right.

    Padded here: rich aligns right without the blank that stands for an absent mark.
    """
    from rich.text import Text

    header = Text(for_terminal(name))
    given = [each if isinstance(each, Cell) else Cell(for_terminal(each)) for each in cells]
    values = [Text(each.text, each.style) for each in given]
    if is_name:
        return [header, *values]
    details, remarks = (
        max((len(part) for part in parts), default=0)
        for parts in ([each.detail for each in given], [each.remark for each in given])
    )
    marks = max([len(each.mark) for each in given] + [min(details, 1)])
    width = max((value.cell_len for value in values), default=0)
    for value, each in zip(values, given, strict=True):
        value.pad_left(width - value.cell_len)
        value.append(each.mark.ljust(marks), "red" if each.mark == "*" else "")
        value.append(f" {each.detail:>{details}}" if details else "", "dim")
        value.append(f"  {each.remark:>{remarks}}" if remarks else "", "yellow")
    texts = [header, *values]
    widest = max(text.cell_len for text in texts)
    for text in texts:
        text.pad_left(widest - text.cell_len)
    return texts


def _split(out: "Console", table: Table) -> Sequence["DrawnTable"]:
    """The table as several that fit, each with the names, which are wrapped if they are long."""
    (names, *columns), (width, *widths) = _measured(table)
    width = min(width, NAME_WIDTHS[out.width < WIDE])
    parts: list[list[list[Text]]] = []
    used = out.width
    for column, own in zip(columns, widths, strict=True):
        used += table.gap + own
        if used > out.width:
            parts.append([names])
            used = width + table.gap + own
        parts[-1].append(column)
    return [_drawn(part, table.gap, name_width=width) for part in parts]


def _drawn(
    columns: Sequence[Sequence["Text"]], gap: int, name_width: int | None = None
) -> "DrawnTable":
    from rich import box
    from rich.table import Table as DrawnTable

    drawn = DrawnTable(
        box=box.SIMPLE_HEAD,
        padding=(0, gap // 2),
        collapse_padding=gap == 2,
        pad_edge=False,
        show_edge=False,
        header_style="bold",
    )
    for place, column in enumerate(columns):
        if place == 0 and name_width is not None:
            drawn.add_column(column[0], width=name_width, overflow="fold")
        else:
            drawn.add_column(column[0], no_wrap=True)
    for cells in zip(*(column[1:] for column in columns), strict=True):
        drawn.add_row(*cells)
    return drawn


def too_narrow_for(missing: Sequence[str], option: str) -> str:
    """What to say of columns that were left out; `option` prints them.

    >>> too_narrow_for(["n", "p"], "-f md")
    'the terminal is too narrow for: n · p; -f md prints every column'
    """
    return f"the terminal is too narrow for: {' · '.join(missing)}; {option} prints every column"
