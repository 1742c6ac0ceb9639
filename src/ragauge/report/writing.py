"""Write a report: one function for each format. Every text is escaped here."""

import io
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ragauge.report.html_table import html_table, html_text, small
from ragauge.report.number_table import fitting, too_narrow_for
from ragauge.report.plain import counted, for_markdown, for_terminal, shortened
from ragauge.report.report import Cell, Items, Report, Table
from ragauge.report.table_formats import csv_table, latex_table, markdown_table, to_json
from ragauge.report.terminal import console, print_table

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 98
"""Most columns of a line of text in a terminal."""
SUFFIXES: Mapping[str, str] = {
    ".md": "md",
    ".tex": "latex",
    ".json": "json",
    ".csv": "csv",
    ".html": "html",
}
"""The format of a file by its ending."""


def print_report(out: "Console", report: Report, *, full: bool = False) -> None:
    """Print a report to a terminal: columns give way where it is narrow; `full` prints everything."""
    from rich.text import Text

    if report.brief is not None:
        report = report.brief(full)
    width = min(out.width, WIDTH)
    for line in Text(for_terminal(report.headline), "bold").wrap(out, width):
        line.rstrip()
        out.print(line)
    if report.title:
        out.print(Text(for_terminal(report.title), "dim"))
    missing: set[str] = set()
    for table in report.tables_in("table"):
        out.print(Text(f"\n{for_terminal(table.title)}" if table.title else "", "bold"))
        if table.wraps:
            print_table(out, table.header, table.texts)
        else:
            drawn, lacks = fitting(out, table)
            out.print(drawn)
            missing |= set(lacks)
    names = dict.fromkeys(name for table in report.tables for name in table.header)
    _print_notes(out, report, [name for name in names if name in missing], full=full)
    for items in report.items:
        out.print(Text(f"\n{for_terminal(items.title)}" if items.title else "", "bold"))
        for text, id in items.lines:
            _print_item(out, items, text, id, full=full)
    for place, command in enumerate(report.commands):
        lead = "\nnext: " if place == 0 else "      "
        out.print(Text(lead).append(for_terminal(command), "cyan"), soft_wrap=True)


def _print_notes(out: "Console", report: Report, missing: Sequence[str], *, full: bool) -> None:
    from rich.text import Text

    width = min(out.width, WIDTH)
    n_shown = len(report.notes) if full or report.notes_shown is None else report.notes_shown
    whole = [too_narrow_for(missing, "-f md")] if missing else []
    whole += [report.legend] if report.legend else []
    notes = list(report.notes[:n_shown])
    for note in whole if report.cuts_notes else [*whole, *notes]:
        for line in Text(for_terminal(note), "dim").wrap(out, max(width - 2, 20)):
            line.rstrip()
            line.pad_left(2)
            out.print(line)
    for note in notes if report.cuts_notes else ():
        line = shortened(f"  {for_terminal(note)}", width)
        out.print(Text(line, "dim"), no_wrap=True)
    if n_more := len(report.notes) - len(notes):
        out.print(Text(f"  {counted(n_more, 'note')} more in -f md", "dim"))


def _print_item(out: "Console", items: Items, text: str, id: str, *, full: bool) -> None:
    from rich.text import Text

    width = min(out.width, WIDTH)
    if not items.title:
        line = Text(for_terminal(text))
        if id:
            line.append(" (").append(for_terminal(id), "cyan").append(")")
        out.print(line, soft_wrap=full, no_wrap=not full)
    elif id:
        line = shortened(f"  {for_terminal(text)}", width - len(id) - 2)
        out.print(Text(line).append(f"  {for_terminal(id)}", "cyan"), no_wrap=True)
    else:
        for line in Text(for_terminal(text)).wrap(out, width - 2):
            line.pad_left(2)
            out.print(line)


def to_terminal(report: Report) -> str:
    """The report as a terminal of 200 columns shows it, without colours."""
    out = io.StringIO()
    print_report(console(out), report)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def to_markdown(report: Report) -> str:
    """Headline, tables with their legends, all notes, and lists."""
    parts = [f"**{for_markdown(report.headline)}**", for_markdown(report.title)]
    for table in report.tables_in("md"):
        parts.append(f"### {for_markdown(table.title)}" if table.title else "")
        parts.append("\n".join(markdown_table(table.header, table.rows, table.alignment)))
        parts.append(for_markdown(table.legend))
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
    """The report in a notebook: headline, tables, notes and lists; all texts are escaped."""
    title = small(html_text(report.title, None))
    tables = "".join(map(_html_table, report.tables_in("html")))
    titled = [line for items in report.items if items.title for line in _lines(items)]
    lines = [*_sentences(report), *titled]
    notes = "".join(f"<div>{small(html_text(line, None))}</div>" for line in lines)
    headline = html_text(report.headline, None)
    return f"<div><b>{headline}</b><div>{title}</div>{tables}{notes}</div>"


def _html_table(table: Table) -> str:
    sides = ["left" if letter == "l" else "right" for letter in table.alignment]
    rows = [[_html_cell(cell) for cell in row] for row in table.rows]
    head = [html_text(name, None) for name in table.header]
    title = f"<div><b>{html_text(table.title, None)}</b></div>" if table.title else ""
    legend = f"<div>{small(html_text(table.legend, None))}</div>" if table.legend else ""
    return title + html_table(head, rows, sides) + legend


def _html_cell(cell: str | Cell) -> str:
    text = html_text(str(cell), None)
    return f"<b>{text}</b>" if isinstance(cell, Cell) and (cell.is_best or cell.mark) else text


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
