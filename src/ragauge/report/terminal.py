"""Print reports and plain tables to a terminal: columns give way in a fixed order, and untrusted text is escaped."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TextIO

from rich import box
from rich.console import Console
from rich.rule import Rule
from rich.table import Table as DrawnTable
from rich.text import Text

from ragauge.report.plain import counted, for_terminal, shortened
from ragauge.report.report import NO, YES, Cell, Items, Lines, Report, Table

GAPS = (3, 2, 1)  # blanks between two columns, from the widest terminal to the narrowest
LEAST_NAME = 4  # fewest columns that a name is cut to
WIDE = 100
NAME_WIDTHS = (36, 20)  # where a table is split, in a terminal of WIDE columns and others
PIPE_WIDTH, LEAST_WIDTH = 200, 40
WIDTH = 98  # most columns of a line of text
LABEL_WIDTHS = (18, 36)  # least and most columns of a label beside its text
SIGN_COLORS: Mapping[str, str] = {YES: "green", NO: "red"}

Part = Text | DrawnTable | Rule | None  # what is printed; None is a blank line


class _Pipe(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console(file: TextIO) -> Console:
    """A console that ignores markup; without a terminal its width is that of COLUMNS.

    Raises BrokenPipeError when the reader of a pipe has closed it.
    """
    columns = os.environ.get("COLUMNS", "")
    pipe_width = max(int(columns), LEAST_WIDTH) if columns.isdecimal() else PIPE_WIDTH
    width = None if file.isatty() else pipe_width
    return _Pipe(file=file, width=width, markup=False, highlight=False, emoji=False)


def print_table(out: Console, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a plain table. The first column never wraps, the others do."""
    out.print(_wrapping_table(header, rows))


def _wrapping_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> DrawnTable:
    table = DrawnTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for name in header:
        table.add_column(_plain(name), no_wrap=name == header[0], overflow="fold")
    for row in rows:
        table.add_row(*map(_plain, row))
    return table


def _plain(text: str) -> Text:
    return Text(for_terminal(text, lines=True))


# A table of numbers that fits


def drawn_tables(out: Console, table: Table) -> tuple[Sequence[DrawnTable], Sequence[str]]:
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


def _cut(columns: Sequence[list[Text]], widths: Sequence[int], n_names: int, too_wide: int) -> None:
    """Cut the widest headers of numbers, but no number, and then names, until they are no longer too wide."""
    cut = list(widths)
    numbers = (
        max((len(t.plain.lstrip()) for t in c[1:]), default=LEAST_NAME) for c in columns[n_names:]
    )
    least = [*[LEAST_NAME] * n_names, *numbers]
    for places in (range(n_names, len(columns)), range(n_names)):
        while sum(widths) - sum(cut) < too_wide:
            possible = [place for place in places if cut[place] > least[place]]
            if not possible:
                break
            cut[max(possible, key=lambda place: cut[place])] -= 1
    for place, width in enumerate(cut):
        if width == widths[place]:
            continue
        header, *cells = columns[place]
        name = Text(shortened(header.plain.lstrip(), width), header.style)
        if place < n_names:
            cells = [Text(shortened(text.plain, width), text.style) for text in cells]
        else:
            cells = [text[widths[place] - width :] for text in cells]
            name.pad_left(width - name.cell_len)
        columns[place][:] = [name, *cells]


def _layouts(table: Table) -> Iterator[Table]:
    """The table and what is shown in its place, from the widest layout to the narrowest."""
    if table.narrower or not table.is_cut:
        yield from (table, *table.narrower)
        return
    yield from (replace(table, gap=gap) for gap in GAPS if gap <= table.gap)
    for n in range(len(table.gives_way)):
        narrower = table.without([place for each in table.gives_way[: n + 1] for place in each])
        yield from (replace(narrower, gap=gap) for gap in GAPS[1:])


def _measured(table: Table) -> tuple[list[list[Text]], list[int]]:
    """The columns, headers first, and their widths; in columns of numbers, each part of the cells is aligned right."""
    columns: list[list[Text]] = []
    for place, name in enumerate(table.header):
        given = [row[place] for row in table.rows]
        cells = [each if isinstance(each, Cell) else Cell(for_terminal(each)) for each in given]
        texts = [Text(cell.text, cell.style) for cell in cells]
        if place >= table.n_names:
            detail = max((len(cell.detail) for cell in cells), default=0)
            remark = max((len(cell.remark) for cell in cells), default=0)
            marks = max([len(cell.mark) for cell in cells] + [min(detail, 1)])
            width = max((text.cell_len for text in texts), default=0)
            for text, cell in zip(texts, cells, strict=True):
                text.pad_left(width - text.cell_len)
                text.append(cell.mark.ljust(marks), "red" if cell.mark == "*" else "")
                text.append(f" {cell.detail:>{detail}}" if detail else "", "dim")
                text.append(f"  {cell.remark:>{remark}}" if remark else "", "yellow")
        texts = [Text(for_terminal(name)), *texts]
        widest = max(text.cell_len for text in texts)
        for text in texts if place >= table.n_names else ():
            text.pad_left(widest - text.cell_len)
        columns.append(texts)
    return columns, [max(text.cell_len for text in column) for column in columns]


def _split(out: Console, table: Table) -> Sequence[DrawnTable]:
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
    columns: Sequence[Sequence[Text]], gap: int, name_width: int | None = None
) -> DrawnTable:
    drawn = DrawnTable(
        box=box.SIMPLE_HEAD,
        padding=(0, gap // 2),
        collapse_padding=gap == 2,
        pad_edge=False,
        show_edge=False,
        header_style="bold",
    )
    for place, column in enumerate(columns):
        width = None if place else name_width
        overflow = "ellipsis" if width is None else "fold"
        drawn.add_column(column[0], width=width, overflow=overflow, no_wrap=width is None)
    for cells in zip(*(column[1:] for column in columns), strict=True):
        drawn.add_row(*cells)
    return drawn


# A report


def print_report(out: Console, report: Report, *, full: bool = False) -> None:
    """Print a report to a terminal: columns give way where it is narrow; `full` prints everything."""
    report = report if report.brief is None else report.brief(full)
    parts = list(_parts(out, report, full=full))
    most = report.most_lines
    while most is not None and _height(parts) > most and (shorter := report.shorter()):
        report, parts = shorter, list(_parts(out, shorter, full=full))
    n_blanks = len(parts) if most is None else most - _height(parts)
    shown: list[Part] = []
    for part in parts:
        n_blanks -= part is None
        shown += [part] if part is not None or n_blanks >= 0 else []
    for part in (*shown, *_table_parts(out, report.more)[0]):
        is_open = isinstance(part, Text) and part.overflow == "ignore"
        out.print("" if part is None else part, soft_wrap=is_open)


def _height(parts: Sequence[Part]) -> int:
    """How many lines the parts have without the blank ones."""
    drawn = [each for each in parts if each is not None]
    return sum(each.row_count + 2 if isinstance(each, DrawnTable) else 1 for each in drawn)


def _parts(out: Console, report: Report, *, full: bool) -> Iterator[Part]:
    """The lines and tables of a report, and None for a blank line."""
    if report.headline:
        yield from _wrapped(out, report.headline, "bold", min(out.width, WIDTH))
    if report.title:
        yield from _wrapped(out, report.title, "dim", out.width)
    tables, missing = _table_parts(out, report.tables_in("table"))
    is_first = not report.title and list(tables[:1]) == [None]
    yield from tables[1:] if is_first else tables
    for before, lines in zip((Lines(()), *report.lines), report.lines, strict=False):
        if lines.title or (lines.heading and not before.heading):
            yield None
        yield from _line_parts(lines)
    if report.lines and report.notes:
        yield None
    yield from _note_parts(out, report, missing, full=full)
    for items in report.items:
        yield None
        if items.title:
            yield Text(for_terminal(items.title), "bold")
        yield from _item_parts(out, items, full=full)
    for place, command in enumerate(report.commands):
        if place == 0:
            yield None
        lead = "next: " if place == 0 else "      "
        yield Text(lead, overflow="ignore").append(for_terminal(command), "cyan")
    if report.command_for_all:
        command = for_terminal(report.command_for_all)
        yield Text("all:  ", overflow="ignore").append(command, "cyan")


def _wrapped(out: Console, text: str, style: str, width: int, indent: int = 0) -> Iterator[Text]:
    for line in Text(for_terminal(text), style).wrap(out, max(width - indent, 20 if indent else 1)):
        line.rstrip()
        line.pad_left(indent)
        yield line


def _table_parts(out: Console, tables: Sequence[Table]) -> tuple[Sequence[Part], Sequence[str]]:
    """The tables, each below a blank line and its title, and what they lack in this terminal."""
    parts: list[Part] = []
    missing: set[str] = set()
    for table in tables:
        parts += [None] if table.header else []
        parts += [Text(for_terminal(table.title), "bold")] if table.title else []
        if table.wraps:
            parts.append(_wrapping_table(table.header, table.texts))
        elif table.header:
            drawn, lacks = drawn_tables(out, table)
            parts += [part for each in drawn for part in (each, None)][:-1]
            missing |= set(lacks)
        parts += [Text(for_terminal(line), overflow="ignore") for line in table.closing]
        for note in table.notes:
            parts += _wrapped(out, note, "dim", out.width - 2, 2)
    headers = dict.fromkeys(name for table in tables for name in table.header)
    return parts, [*filter(missing.__contains__, headers), *sorted(missing - {*headers})]


def _note_parts(
    out: Console, report: Report, missing: Sequence[str], *, full: bool
) -> Iterator[Text]:
    width = min(out.width, WIDTH)
    notes = list(report.notes if full else report.notes[: report.notes_shown])
    columns = f"the terminal is too narrow for: {' · '.join(missing)}; -f md prints every column"
    whole = [*([columns] if missing else []), *filter(None, [report.legend])]
    for note in whole if report.cuts_notes else [*whole, *notes]:
        yield from _wrapped(out, note, "dim", width, 2)
    for note in notes if report.cuts_notes else ():
        yield Text(shortened(f"  {for_terminal(note)}", width), "dim")
    if n_more := len(report.notes) - len(notes):
        yield Text(f"  {counted(n_more, 'note')} more in -f md", "dim")


def _line_parts(lines: Lines) -> Iterator[Part]:
    """A rule with the title, the heading, and labels beside their texts."""
    if lines.title:
        yield Rule(Text(for_terminal(lines.title)), align="left", characters="─")
    if lines.heading:
        styles = ("bold", "cyan", "dim")
        parts = zip(map(for_terminal, lines.heading), styles, strict=False)
        yield Text("  ").join(Text(text, style) for text, style in parts if text)
    grid = DrawnTable.grid(padding=(0, 2, 0, 0))
    least, most = LABEL_WIDTHS
    grid.add_column(min_width=least, max_width=most, overflow="fold", style="dim")
    grid.add_column(overflow="fold")
    for label, text in lines.lines:
        color = SIGN_COLORS.get(label.strip())
        style = "" if color is None else f"not dim {color}"
        grid.add_row(Text(for_terminal(label), style), Text(for_terminal(text)))
    yield grid


def _item_parts(out: Console, items: Items, *, full: bool) -> Iterator[Text]:
    width = min(out.width, WIDTH)
    for text, id in ((for_terminal(text), for_terminal(id)) for text, id in items.lines):
        if not items.title:
            line = Text(text, no_wrap=True, overflow="ignore" if full else "crop")
            yield line.append(" (").append(id, "cyan").append(")") if id else line
        elif id:
            line = Text(shortened(f"  {text}", width - len(id) - 2), no_wrap=True)
            yield line.append(f"  {id}", "cyan")
        else:
            yield from _wrapped(out, text, "", width, 2)
