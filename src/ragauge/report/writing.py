"""Write a report: one function for each format. Every text is escaped here."""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from ragauge.report.html_table import html_table, html_text, small
from ragauge.report.number_table import drawn_tables, too_narrow_for
from ragauge.report.plain import counted, for_markdown, for_terminal, shortened
from ragauge.report.report import MARK, NO, YES, Cell, Items, Lines, Report, Table
from ragauge.report.table_formats import csv_table, latex_table, markdown_table, to_json
from ragauge.report.terminal import console, wrapping_table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.rule import Rule
    from rich.table import Table as DrawnTable
    from rich.text import Text

    _Part = Text | DrawnTable | Rule | None
    """What is printed; None is a blank line."""

WIDTH = 98
"""Most columns of a line of text in a terminal."""
SUFFIXES: Mapping[str, str] = {".md": "md", ".tex": "latex", ".json": "json", ".html": "html"}
"""The format of a file by its ending, besides CSV."""
LABEL_WIDTHS = (18, 36)
"""Least and most columns of a label beside its text."""
SIGN_COLORS: Mapping[str, str] = {YES: "green", NO: "red"}
HTML_COLORS: Mapping[str, str] = {YES: "green", NO: "firebrick"}


def print_report(out: "Console", report: Report, *, full: bool = False) -> None:
    """Print a report to a terminal: columns give way where it is narrow; `full` prints everything."""
    if report.brief is not None:
        report = report.brief(full)
    parts = list(_parts(out, report, full=full))
    most = report.most_lines
    while most is not None and _height(parts) > most and (shorter := report.shorter()):
        report, parts = shorter, list(_parts(out, shorter, full=full))
    n_blanks = len(parts) if most is None else most - _height(parts)
    for part in parts:
        n_blanks -= part is None
        if part is not None or n_blanks >= 0:
            _print_part(out, part)
    for part in _table_parts(out, report.more)[0]:
        _print_part(out, part)


def _print_part(out: "Console", part: "_Part") -> None:
    from rich.text import Text

    if part is None:
        out.print()
    else:
        out.print(part, soft_wrap=isinstance(part, Text) and part.overflow == "ignore")


def _height(parts: "Sequence[_Part]") -> int:
    """How many lines the parts have without the blank ones."""
    from rich.table import Table as DrawnTable

    return sum(
        part.row_count + 2 if isinstance(part, DrawnTable) else part is not None for part in parts
    )


def _parts(out: "Console", report: Report, *, full: bool) -> "Iterator[_Part]":
    """The lines and tables of a report, and None for a blank line."""
    from rich.text import Text

    width = min(out.width, WIDTH)
    if report.headline:
        yield from _wrapped(out, report.headline, "bold", width)
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
        for text, id in items.lines:
            yield from _item_parts(out, items, text, id, full=full)
    for place, command in enumerate(report.commands):
        if place == 0:
            yield None
        lead = "next: " if place == 0 else "      "
        yield Text(lead, overflow="ignore").append(for_terminal(command), "cyan")
    if report.command_for_all:
        command = for_terminal(report.command_for_all)
        yield Text("all:  ", overflow="ignore").append(command, "cyan")


def _wrapped(
    out: "Console", text: str, style: str, width: int, indent: int = 0
) -> "Iterator[Text]":
    from rich.text import Text

    for line in Text(for_terminal(text), style).wrap(out, max(width - indent, 20 if indent else 1)):
        line.rstrip()
        line.pad_left(indent)
        yield line


def _table_parts(
    out: "Console", tables: Sequence[Table]
) -> "tuple[Sequence[_Part], Sequence[str]]":
    """The tables, each below a blank line and its title, and what they lack in this terminal."""
    from rich.text import Text

    parts: list[_Part] = []
    missing: set[str] = set()
    for table in tables:
        if table.header:
            parts.append(None)
        if table.title:
            parts.append(Text(for_terminal(table.title), "bold"))
        if table.wraps:
            parts.append(wrapping_table(table.header, table.texts))
        elif table.header:
            drawn, lacks = drawn_tables(out, table)
            parts += [part for each in drawn for part in (each, None)][:-1]
            missing |= set(lacks)
        for note in table.notes:
            parts += _wrapped(out, note, "dim", out.width - 2, 2)
    headers = dict.fromkeys(name for table in tables for name in table.header)
    return parts, [*filter(missing.__contains__, headers), *sorted(missing - {*headers})]


def _note_parts(
    out: "Console", report: Report, missing: Sequence[str], *, full: bool
) -> "Iterator[Text]":
    from rich.text import Text

    width = min(out.width, WIDTH)
    n_shown = len(report.notes) if full or report.notes_shown is None else report.notes_shown
    narrow = [too_narrow_for(missing, "-f md")] if missing else []
    whole = [*narrow, *filter(None, [report.legend])]
    notes = list(report.notes[:n_shown])
    for note in whole if report.cuts_notes else [*whole, *notes]:
        yield from _wrapped(out, note, "dim", width, 2)
    for note in notes if report.cuts_notes else ():
        yield Text(shortened(f"  {for_terminal(note)}", width), "dim")
    if n_more := len(report.notes) - len(notes):
        yield Text(f"  {counted(n_more, 'note')} more in -f md", "dim")


def _line_parts(lines: Lines) -> "Iterator[_Part]":
    """A rule with the title, the heading, and labels beside their texts."""
    from rich.rule import Rule
    from rich.table import Table as DrawnTable
    from rich.text import Text

    if lines.title:
        yield Rule(Text(for_terminal(lines.title)), align="left", characters="─")
    if lines.heading:
        styles = ("bold", "cyan", "dim")
        parts = zip(map(for_terminal, lines.heading), styles, strict=False)
        yield Text("  ").join(Text(text, style) for text, style in parts if text)
    grid = DrawnTable.grid(padding=(0, 2, 0, 0))
    grid.add_column(
        min_width=LABEL_WIDTHS[0], max_width=LABEL_WIDTHS[1], overflow="fold", style="dim"
    )
    grid.add_column(overflow="fold")
    for label, text in lines.lines:
        color = SIGN_COLORS.get(label.strip())
        style = "" if color is None else f"not dim {color}"
        grid.add_row(Text(for_terminal(label), style), Text(for_terminal(text)))
    yield grid


def _item_parts(
    out: "Console", items: Items, text: str, id: str, *, full: bool
) -> "Iterator[Text]":
    from rich.text import Text

    width = min(out.width, WIDTH)
    id = for_terminal(id)
    if not items.title:
        line = Text(for_terminal(text), no_wrap=True, overflow="ignore" if full else "crop")
        yield line.append(" (").append(id, "cyan").append(")") if id else line
    elif id:
        line = shortened(f"  {for_terminal(text)}", width - len(id) - 2)
        yield Text(line, no_wrap=True).append(f"  {id}", "cyan")
    else:
        yield from _wrapped(out, text, "", width, 2)


def to_terminal(report: Report, width: int | None = None, *, full: bool = False) -> str:
    """The report as a terminal shows it, without colours; its width is that of COLUMNS or 200 by default."""
    file = io.StringIO()
    out = console(file)
    out.width = width or out.width
    print_report(out, report, full=full)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines())


def to_markdown(report: Report) -> str:
    """Headline, tables with their legends, all notes, and lists."""
    parts = [f"**{for_markdown(report.headline)}**", for_markdown(report.title)]
    for table in report.tables_in("md"):
        parts.append(f"{'#' * table.level} {for_markdown(table.title)}" if table.title else "")
        if table.header:
            parts.append("\n".join(markdown_table(table.header, table.rows, table.alignment)))
        parts += [for_markdown(text) for text in table.legend]
        parts.append("\n".join(f"- {for_markdown(note)}" for note in table.notes))
    for lines in report.lines:
        parts.append(f"### {for_markdown(lines.title)}" if lines.title else "")
        parts.append(
            " ".join(
                f"**{for_markdown(text)}**" if at == 0 else for_markdown(text)
                for at, text in enumerate(lines.heading)
            )
        )
        texts = (
            f"{label.strip()}: {text}" if label.strip() else text for label, text in lines.lines
        )
        parts.append("\n".join(f"- {for_markdown(text)}" for text in texts))
    parts.append("\n".join(f"- {for_markdown(note)}" for note in _sentences(report)))
    for items in report.items:
        if items.title:
            parts.append(f"{for_markdown(items.title)}:")
            parts.append("\n".join(f"- {for_markdown(line)}" for line in _lines(items)))
    return "\n\n".join(part for part in parts if part) + "\n"


def _sentences(report: Report) -> Sequence[str]:
    """The lists without a title, the legend and the notes."""
    untitled = [line for items in report.items if not items.title for line in _lines(items)]
    return [*untitled, *([report.legend] if report.legend else []), *report.notes]


def _lines(items: Items) -> Sequence[str]:
    form = "{} ({})" if items.title else "{}  {}"
    return [form.format(text, id) if id else text for text, id in items.lines]


def to_latex(report: Report) -> str:
    """The tables for a paper (package booktabs); the best is bold, and notes become comments."""
    tables = [
        latex_table(
            table.caption or table.title or report.headline,
            table.header,
            table.rows,
            table.alignment,
        )
        for table in report.tables_in("latex")
    ]
    return "".join(tables) + "".join(f"% {for_terminal(note)}\n" for note in report.notes)


def to_csv(report: Report) -> str:
    """The records of the report, or its first table: a line each."""
    records = report.records()
    if records is None:
        first = next(iter(report.tables_in("csv")), Table((), ()))
        records = (first.header, first.texts)
    return csv_table(*records)


def as_json(report: Report) -> str:
    """The data of the report, or its headline, tables and notes, as strict JSON."""
    data = report.data()
    if data is None:
        tables = [
            {"header": list(each.header), "rows": each.texts} for each in report.tables_in("json")
        ]
        data = {"headline": report.headline, "tables": tables, "notes": list(report.notes)}
    return to_json(data)


def to_html(report: Report) -> str:
    """The report in a notebook: headline, tables, lines, notes and lists; all texts are escaped."""
    parts = [f"<b>{_html(report.headline)}</b>", f"<div>{small(_html(report.title))}</div>"]
    parts += map(_html_table, report.tables_in("html"))
    for has_heading, each in groupby(report.lines, key=lambda lines: bool(lines.heading)):
        group = list(each)
        parts += [_html_headed(group)] if has_heading else map(_html_lines, group)
    titled = [
        f"{items.title}: {line}" for items in report.items if items.title for line in _lines(items)
    ]
    return f"<div>{''.join(parts)}{_html_notes([*_sentences(report), *titled])}</div>"


def _html(text: str) -> str:
    return html_text(text, None)


def _html_notes(notes: Sequence[str]) -> str:
    return "".join(f"<div>{small(_html(note))}</div>" for note in notes)


def _html_table(table: Table) -> str:
    sides = ["left" if letter == "l" else "right" for letter in table.alignment]
    rows = [[_html_cell(cell) for cell in row] for row in table.rows]
    head = [html_text(name) for name in table.header]
    title = f"<div><b>{_html(table.title)}</b></div>" if table.title else ""
    shown = html_table(head, rows, sides) if head else ""
    return f"{title}{shown}{_html_notes([*table.legend, *table.notes])}"


def _html_cell(cell: str | Cell) -> str:
    """The best is bold, the mark of a difference red; an interval is below its number."""
    if isinstance(cell, str):
        return _html(cell)
    text = f"<b>{_html(cell.text)}</b>" if cell.is_best else _html(cell.text)
    mark = _html(cell.mark)
    mark = f'<span style="color: {HTML_COLORS[NO]}">{mark}</span>' if cell.mark == MARK else mark
    below = f"<br>{small(_html(cell.detail))}" if cell.detail else ""
    return small(text) if cell.is_quiet else f"{text}{mark}{below}"


def _html_lines(lines: Lines) -> str:
    """The title, and the labels beside their texts."""
    title = f'<div style="margin-top: 1em"><b>{_html(lines.title)}</b></div>' if lines.title else ""
    rows = [[_html_label(label.strip()), _html(text)] for label, text in lines.lines]
    return title + (html_table(["", ""], rows) if rows else "")


def _html_headed(group: Sequence[Lines]) -> str:
    """A row for each name: with its value and its lines."""
    rows: list[list[str]] = []
    for lines in group:
        name, value, remark = (*map(_html, lines.heading), "", "")[:3]
        below = f"<br>{small(remark)}" if remark else ""
        texts = [f"{_html_label(label.strip())} {_html(text)}" for label, text in lines.lines]
        rows.append([f"{name}{below}", value, "<br>".join(texts)])
    titles = "".join(_html_lines(Lines((), lines.title)) for lines in group if lines.title)
    return titles + html_table(["", "", ""], rows, ["left", "right", "left"])


def _html_label(label: str) -> str:
    color = HTML_COLORS.get(label)
    return f'<span style="color: {color}">{label}</span>' if color else small(html_text(label))


WRITERS: Mapping[str, Callable[[Report], str]] = {
    "table": to_terminal,
    "md": to_markdown,
    "latex": to_latex,
    "csv": to_csv,
    "json": as_json,
    "html": to_html,
}
"""A format is added here, and every command has it."""
FORMATS = tuple(WRITERS)
