"""Write a report: one function for each format, which escapes every text."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import chain, groupby
from typing import NamedTuple

from ragauge.plugins import load, offered
from ragauge.report.plain import for_csv, for_latex, for_markdown, for_terminal
from ragauge.report.report import MARK, NO, YES, Cell, Items, Lines, Report, Table

CELL_WIDTH = 60  # characters of a text in a cell of HTML; the rest is cut
MAX_ROWS = 10  # rows of samples that a notebook shows
CELL_STYLE = "text-align: {side}; vertical-align: top"
RULES = {"l": ":--", "r": "--:"}  # Markdown's rule under a header, by the alignment of its column


def markdown_table(
    header: Sequence[str], rows: Iterable[Sequence[str | Cell]], alignment: str
) -> Iterator[str]:
    """The lines of a Markdown table; `alignment` has an `l` or `r` for each column."""
    lines = [map(for_markdown, header), (RULES[letter] for letter in alignment)]
    for cells in chain(lines, (map(_markdown_cell, row) for row in rows)):
        yield f"| {' | '.join(cells)} |"


def _markdown_cell(cell: str | Cell) -> str:
    """The cell with its mark, letters above the line; the best is bold."""
    if isinstance(cell, str):
        return for_markdown(cell)
    value, mark = for_markdown(cell.text), for_markdown(cell.mark)
    value = f"**{value}**" if cell.is_best else value
    mark = f"<sup>{mark}</sup>" if cell.mark.isalnum() else mark
    return f"{value}{mark} {for_markdown(cell.detail)}".rstrip()


def latex_table(
    caption: str,
    header: Sequence[str],
    rows: Iterable[Sequence[str | Cell]],
    alignment: str,
    *,
    legend: str = "",
) -> str:
    """A LaTeX table (package booktabs) with a label made from its caption; `alignment` has an `l` or `r` for each column."""
    slug = "-".join(re.findall("[a-z0-9]+", caption.lower()))[:40].strip("-") or "ragauge"
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{for_latex(caption)}}}",
        rf"\label{{tab:{slug}}}",
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        _latex_row(header),
        r"\midrule",
        *map(_latex_row, rows),
        r"\bottomrule",
        r"\end{tabular}",
        *([rf"\par\footnotesize {for_latex(legend)}"] if legend else []),
        r"\end{table}",
    ]
    return "\n".join([*lines, ""])


def _latex_row(cells: Sequence[str | Cell]) -> str:
    def text(cell: str) -> str:
        signs = {"–": "--", "↓": r"$\downarrow$", "↑": r"$\uparrow$"}
        return for_latex(cell).translate(str.maketrans(signs))

    def shown(cell: str | Cell) -> str:
        if isinstance(cell, str):
            return text(cell)
        value = rf"\textbf{{{text(cell.text)}}}" if cell.is_best else text(cell.text)
        mark = rf"$^{{\mathrm{{{cell.mark}}}}}$" if cell.mark else ""
        return f"{value}{mark} {text(cell.detail)}".rstrip()

    return " & ".join(map(shown, cells)) + r" \\"


def csv_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A CSV table that is safe to open in a spreadsheet; None is an empty cell."""
    return "".join(csv_lines(header, rows))


def csv_lines(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """The lines of such a table, with Unix line ends."""
    for row in chain([header], rows):
        out = io.StringIO()
        cells = [for_csv(cell) if isinstance(cell, str) else cell for cell in row]
        # With a line end of "\n" the writer leaves a bare "\r" in a cell unquoted.
        csv.writer(out, lineterminator="\r\n").writerow(cells)
        yield out.getvalue()[:-2] + "\n"


def to_json(data: object) -> str:
    """Strict JSON, indented."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1, default=str) + "\n"


@dataclass(frozen=True, slots=True, repr=False)
class Rendered:
    """Something to look at: `text` at a Python prompt, `html` in a notebook."""

    text: str
    html: str

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html


def html_text(text: str, width: int | None = CELL_WIDTH) -> str:
    """The text with HTML escaped, white space collapsed and invisible characters as escapes, cut at `width`."""
    plain = " ".join(text.split())
    if width is not None and len(plain) > width:
        plain = f"{plain[: width - 1]}…"
    return escape("".join(char if char.isprintable() else ascii(char)[1:-1] for char in plain))


def html_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], alignment: Sequence[str] = ()
) -> str:
    """A table of cells that are HTML already; `alignment` is each column's side, left by default."""
    styles = [CELL_STYLE.format(side=side) for side in alignment or ["left"] * len(header)]

    def line(tag: str, cells: Sequence[str]) -> str:
        pairs = zip(cells, styles, strict=True)
        inner = (f'<{tag} style="{style}">{cell}</{tag}>' for cell, style in pairs)
        return f"<tr>{''.join(inner)}</tr>"

    head = f"<thead>{line('th', header)}</thead>" if any(header) else ""
    return f"<table>{head}<tbody>{''.join(line('td', row) for row in rows)}</tbody></table>"


def small(html: str) -> str:
    """HTML in small grey letters."""
    return f'<span style="font-size: smaller; opacity: 0.7">{html}</span>'


HTML_COLORS: Mapping[str, str] = {YES: "green", NO: "firebrick"}


def to_terminal(report: Report, width: int | None = None, *, full: bool = False) -> str:
    """The report as a terminal shows it, without colours; its width is that of COLUMNS or 200 by default."""
    from ragauge.report.terminal import console, print_report

    file = io.StringIO()
    out = console(file)
    out.width = width or out.width
    print_report(out, report, full=full)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines())


def to_markdown(report: Report) -> str:
    """Headline, tables with their legends, all notes, and lists."""
    headline = f"**{for_markdown(report.headline)}**" if report.headline else ""
    parts = [headline, for_markdown(report.title)]
    for table in report.tables_in("md"):
        parts.append(f"{'#' * table.level} {for_markdown(table.title)}" if table.title else "")
        if table.header:
            parts.append("\n".join(markdown_table(table.header, table.rows, table.alignment)))
        parts += [for_markdown(text) for text in (*table.closing, *table.legend)]
        parts.append("\n".join(f"- {for_markdown(note)}" for note in table.notes))
    for lines in report.lines:
        parts.append(f"### {for_markdown(lines.title)}" if lines.title else "")
        name, *others = [*map(for_markdown, lines.heading), ""]
        parts.append(f"**{name}** {' '.join(others)}".rstrip() if name else "")
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
            each.caption or each.title or report.headline,
            each.header,
            each.rows,
            each.alignment,
            legend=each.small_print,
        )
        for each in report.tables_in("latex")
        if each.header
    ]
    return "".join(tables) + "".join(f"% {for_terminal(note)}\n" for note in report.notes)


def to_csv(report: Report) -> str:
    """The records of the report, or its first table: a line each; lists and objects as JSON."""
    first = next((each for each in report.tables_in("csv") if each.header), Table((), ()))
    header, rows = report.records() or (first.header, first.values)
    return csv_table(
        header,
        (
            [
                json.dumps(cell, ensure_ascii=False) if isinstance(cell, dict | list) else cell
                for cell in row
            ]
            for row in rows
        ),
    )


def as_json(report: Report) -> str:
    """The data of the report, or its headline, tables and notes, as strict JSON; each row is an object."""
    shown, data = report.tables_in("json"), report.data()
    if data is None:
        found = [(each.title or each.caption, each.header, each.values) for each in shown]
        if records := report.records():
            found = [(shown[0].title or shown[0].caption if shown else "", *records)]
        tables = [
            {"title": title, "rows": [dict(zip(header, row, strict=True)) for row in rows]}
            for title, header, rows in found
            if header
        ]
        notes = [*filter(None, (line for each in shown for line in each.closing)), *report.notes]
        data = {"headline": report.headline, "tables": tables, "notes": notes}
    return to_json(data)


def to_html(report: Report) -> str:
    """The report in a notebook: headline, tables, lines, notes and lists; all texts are escaped."""
    title = f"<div>{small(_html(report.title))}</div>" if report.title else ""
    parts = [f"<b>{_html(report.headline)}</b>" if report.headline else "", title]
    for table in report.tables_in("html"):
        parts.append(f"<div><b>{_html(table.title)}</b></div>" if table.title else "")
        sides = ["left" if letter == "l" else "right" for letter in table.alignment]
        rows = [[_html_cell(cell) for cell in row] for row in table.rows]
        head = [html_text(name) for name in table.header]
        parts.append(html_table(head, rows, sides) if head else "")
        parts.append(_html_notes([*table.closing, *table.legend, *table.notes]))
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


def to_html_file(report: Report) -> str:
    """The same as a file; a browser reads its characters as UTF-8."""
    return f'<meta charset="utf-8">\n{to_html(report)}\n'


class Format(NamedTuple):
    """How a report is written, and the ending of such a file; `is_data`: for programs, so that no number is rounded."""

    write: Callable[[Report], str]
    ending: str = ""
    is_data: bool = False


FORMATS: Mapping[str, Format] = {
    "table": Format(to_terminal),
    "md": Format(to_markdown, ".md"),
    "latex": Format(to_latex, ".tex"),
    "csv": Format(to_csv, ".csv", is_data=True),
    "json": Format(as_json, ".json", is_data=True),
    "html": Format(to_html_file, ".html"),
}
"""A format is added here, and every command has it."""
ENDINGS = {form.ending: name for name, form in FORMATS.items() if form.ending}
"""The format of a file by its ending."""


def format_of(ending: str) -> str | None:
    """The format of files with this ending, also that of an entry point `ragauge.writers`; None for others."""
    name = ending.removeprefix(".")
    return ENDINGS.get(ending, name if name in offered("writers") else None)


def one_of(names: Iterable[str]) -> str:
    """The names for a sentence: `.md, .tex or .csv`."""
    *others, last = dict.fromkeys(names)
    return f"{', '.join(others)} or {last}" if others else last


def write(report: Report, form: str) -> str:
    """The report in a format: one of FORMATS, or that of an entry point `ragauge.writers` by its name."""
    return (FORMATS[form].write if form in FORMATS else load("writers", form))(report)
