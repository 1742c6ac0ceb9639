"""Tables as Markdown, LaTeX, CSV, JSON and HTML. All but the HTML tables escape their cells; `html_text` does for those."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import chain

from ragauge.report.plain import for_csv, for_latex, for_markdown
from ragauge.report.report import Cell

CELL_WIDTH = 60
"""Characters of a text in a cell of HTML; the rest is cut."""
MAX_ROWS = 10
"""Rows of samples that a notebook shows."""
CELL_STYLE = "text-align: {side}; vertical-align: top"
RULES = {"l": ":--", "r": "--:"}
"""Markdown's rule under a header, by the alignment of its column."""


def markdown_table(
    header: Sequence[str], rows: Iterable[Sequence[str | Cell]], alignment: str
) -> Iterator[str]:
    """The lines of a Markdown table; `alignment` has an `l` or `r` for each column.

    >>> print(*markdown_table(("run", "map"), [("a|b", "0.5")], "lr"), sep="\\n")
    | run | map |
    | :-- | --: |
    | a\\|b | 0.5 |
    """
    lines = [map(for_markdown, header), (RULES[letter] for letter in alignment)]
    for cells in chain(lines, (map(_markdown_cell, row) for row in rows)):
        yield f"| {' | '.join(cells)} |"


def _markdown_cell(cell: str | Cell) -> str:
    """The cell with its mark, letters above the line; the best is bold."""
    if isinstance(cell, str):
        return for_markdown(cell)
    value = for_markdown(cell.text)
    value = f"**{value}**" if cell.is_best else value
    mark = for_markdown(cell.mark)
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
    return "\n".join(
        [
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
            "",
        ]
    )


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
    """A CSV table that is safe to open in a spreadsheet; None is an empty cell.

    >>> csv_table(("run", "map"), [("=1+1", None)])
    "run,map\\n'=1+1,\\n"
    """
    return "".join(csv_lines(header, rows))


def csv_lines(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """The lines of such a table."""
    for row in chain([header], rows):
        yield csv_line([for_csv(cell) if isinstance(cell, str) else cell for cell in row])


def csv_line(cells: Sequence[object]) -> str:
    """One row of CSV, with a Unix line end."""
    out = io.StringIO()
    # With a line end of "\n" the writer leaves a bare "\r" in a cell unquoted.
    csv.writer(out, lineterminator="\r\n").writerow(cells)
    return out.getvalue()[:-2] + "\n"


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
    """The text with HTML escaped, white space collapsed and invisible characters as escapes, cut at `width`.

    >>> html_text("a <b>\\n" + "c" * 60, 10), html_text("\\u202ex")
    ('a &lt;b&gt; ccc…', '\\\\u202ex')
    """
    plain = " ".join(text.split())
    if width is not None and len(plain) > width:
        plain = f"{plain[: width - 1]}…"
    return escape("".join(char if char.isprintable() else ascii(char)[1:-1] for char in plain))


def html_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], alignment: Sequence[str] = ()
) -> str:
    """A table of cells that are HTML already; `alignment` is each column's side, left by default."""
    sides = list(alignment) or ["left"] * len(header)

    def line(tag: str, cells: Sequence[str]) -> str:
        pairs = zip(cells, sides, strict=True)
        inner = (
            f'<{tag} style="{CELL_STYLE.format(side=side)}">{cell}</{tag}>' for cell, side in pairs
        )
        return f"<tr>{''.join(inner)}</tr>"

    head = f"<thead>{line('th', header)}</thead>" if any(header) else ""
    return f"<table>{head}<tbody>{''.join(line('td', row) for row in rows)}</tbody></table>"


def small(html: str) -> str:
    """HTML in small grey letters."""
    return f'<span style="font-size: smaller; opacity: 0.7">{html}</span>'
