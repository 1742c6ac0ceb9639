"""Tables as Markdown, LaTeX, CSV, and JSON. Every cell is escaped here, so callers pass plain text."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from ragauge.report.plain import for_csv, for_latex, for_markdown
from ragauge.report.report import Cell

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
    yield _markdown_row(for_markdown(cell) for cell in header)
    yield _markdown_row(RULES[letter] for letter in alignment)
    for row in rows:
        yield _markdown_row(map(_markdown_cell, row))


def _markdown_cell(cell: str | Cell) -> str:
    """The cell with its mark, letters above the line; the best is bold."""
    if isinstance(cell, str):
        return for_markdown(cell)
    value = for_markdown(cell.text)
    value = f"**{value}**" if cell.is_best else value
    mark = for_markdown(cell.mark)
    mark = f"<sup>{mark}</sup>" if cell.mark.isalnum() else mark
    return f"{value}{mark} {for_markdown(cell.detail)}".rstrip()


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def latex_table(
    caption: str,
    header: Sequence[str],
    rows: Iterable[Sequence[str | Cell]],
    alignment: str,
    *,
    legend: str = "",
) -> str:
    """A LaTeX table (package booktabs) with a label made from its caption; `alignment` has an `l` or `r` for each column."""
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{for_latex(caption)}}}",
            rf"\label{{tab:{_slug(caption)}}}",
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


def _slug(caption: str) -> str:
    """The first words of a caption as the name of a label: letters, digits and hyphens.

    >>> _slug("Means on 12 questions; the best in bold.")
    'means-on-12-questions-the-best-in-bold'
    """
    return "-".join(re.findall("[a-z0-9]+", caption.lower()))[:40].strip("-") or "ragauge"


def _latex_row(cells: Sequence[str | Cell]) -> str:
    return " & ".join(map(_latex_cell, cells)) + r" \\"


def _latex_cell(cell: str | Cell) -> str:
    if isinstance(cell, Cell):
        value = _latex_text(cell.text)
        value = rf"\textbf{{{value}}}" if cell.is_best else value
        mark = rf"$^{{\mathrm{{{cell.mark}}}}}$" if cell.mark else ""
        return f"{value}{mark} {_latex_text(cell.detail)}".rstrip()
    return _latex_text(cell)


def _latex_text(cell: str) -> str:
    return (
        for_latex(cell).replace("–", "--").replace("↓", r"$\downarrow$").replace("↑", r"$\uparrow$")
    )


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
