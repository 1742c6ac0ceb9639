"""A comparison as Markdown, LaTeX, JSON, CSV, and as a table in a notebook."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict

from ragauge.comparing.comparison import Comparison, MetricComparison, frame_row
from ragauge.comparing.systems_table import SystemsTable
from ragauge.comparing.words import MARK, ComparisonView
from ragauge.report.html_table import html_table, html_text, small
from ragauge.report.plain import for_markdown, for_terminal, some
from ragauge.report.table_formats import csv_table, latex_table, markdown_table, to_json

IDS_SHOWN = 20
WHOLE = 200
"""Most columns of a name in a file."""
FORMATS = ("md", "latex", "json", "csv")
SUFFIXES: Mapping[str, str] = {".md": "md", ".tex": "latex", ".json": "json", ".csv": "csv"}


def written(comparison: Comparison, form: str) -> str:
    """The comparison in one of FORMATS."""
    return WRITERS[form](comparison)


def to_markdown(comparison: Comparison) -> str:
    """Headline, tables, what changed, and notes."""
    view = ComparisonView(comparison, WHOLE)
    pieces = [f"**{for_markdown(view.headline)}**", "", for_markdown(view.title), ""]
    for table in _systems_tables(view) if not view.is_single_pair else ():
        if table.field is not None:
            pieces += ["", f"### {for_markdown(f'{table.field} = {table.value}')}", ""]
        rows = [(name, *cells, n) for name, cells, n in table.rows]
        alignment = "l" + "r" * (len(table.header) - 1)
        pieces += markdown_table(table.header, rows, alignment)
        pieces += ["", for_markdown(table.legend), ""]
    alignment = "l" * view.n_names + "r" * (len(view.header) - view.n_names)
    pieces += [*markdown_table(view.header, view.rows, alignment), ""]
    for field in view.comparison.fields:
        header = (field, *view.header)
        pieces += [*markdown_table(header, view.slice_rows(field), f"l{alignment}"), ""]
    pieces += [
        f"- {for_markdown(f'{what}: {n}  {some(ids, IDS_SHOWN)}'.rstrip())}"
        for what, n, ids in view.changes
    ]
    pieces += [f"- {for_markdown(note)}" for note in (view.legend, *view.notes)]
    return "\n".join(pieces).rstrip() + "\n"


def to_latex(comparison: Comparison) -> str:
    """A table (package booktabs) with a column for each system; one for each slice.

    The best is bold; the caption names test, correction, number of questions and seed. Notes become
    comments.
    """
    view = ComparisonView(comparison, WHOLE)
    pieces: list[str] = []
    for table in _systems_tables(view):
        rows = [(name, *cells, n) for name, cells, n in table.rows]
        alignment = "l" + "r" * (len(table.header) - 1)
        pieces.append(latex_table(table.caption, table.header, rows, alignment))
    return "".join(pieces) + "".join(f"% {for_terminal(note)}\n" for note in view.notes)


def _systems_tables(view: ComparisonView) -> Iterator[SystemsTable]:
    """The table of all questions, then that of each slice."""
    keys = dict.fromkeys((row.field, row.value) for row in view.comparison.rows)
    return (SystemsTable(view, field, value) for field, value in keys)


def to_data(comparison: Comparison) -> dict[str, object]:
    """Settings, rows with their lists of questions, means and notes, as JSON data."""
    view = ComparisonView(comparison, WHOLE)
    return {
        "headline": view.headline,
        "systems": list(comparison.systems),
        "folders": list(comparison.folders),
        "n_questions": comparison.n_questions,
        "by": list(comparison.fields),
        "cluster": comparison.cluster,
        "test": comparison.test,
        "correction": comparison.correction,
        "n_tests": comparison.n_tests,
        "n_permutations": comparison.n_permutations,
        "seed": comparison.seed,
        "rows": [_row_data(row) for row in comparison.rows],
        "means": [asdict(mean) for mean in comparison.means],
        "notes": [*view.notes, view.legend],
    }


def _row_data(row: MetricComparison) -> dict[str, object]:
    lists = {
        "fixed": [each._asdict() for each in row.fixed],
        "broken": [each._asdict() for each in row.broken],
        "unpaired": [each._asdict() for each in row.unpaired],
    }
    flags = {"lower_is_better": row.lower_is_better, "is_ranked": row.is_ranked}
    return {**frame_row(row), **flags, **lists}


def to_csv(comparison: Comparison) -> str:
    """A line for each slice, metric and pair: the columns of `Comparison.frame`."""
    frame = comparison.frame
    return csv_table(frame.columns, frame.iter_rows())


def to_html(comparison: Comparison) -> str:
    """The comparison in a notebook: headline, table and notes; all texts are escaped."""
    view = ComparisonView(comparison, WHOLE)
    sides = ["left"] * view.n_names + ["right"] * (len(view.header) - view.n_names)
    change = view.header.index("change")
    rows = [
        [
            f"<b>{html_text(cell)}</b>" if at == change and cell.endswith(MARK) else html_text(cell)
            for at, cell in enumerate(cells)
        ]
        for cells in view.rows
    ]
    table = html_table(list(map(html_text, view.header)), rows, sides)
    changes = [f"{what}: {n}  {some(list(ids), IDS_SHOWN)}" for what, n, ids in view.changes]
    lines = "".join(
        f"<div>{small(html_text(line, None))}</div>"
        for line in (view.legend, *changes, *view.notes)
    )
    title = f"<b>{html_text(view.headline, None)}</b><br>{small(html_text(view.title, None))}"
    return f"<div>{title}{table}{lines}</div>"


WRITERS: Mapping[str, Callable[[Comparison], str]] = {
    "md": to_markdown,
    "latex": to_latex,
    "json": lambda comparison: to_json(to_data(comparison)),
    "csv": to_csv,
}
