"""Print summaries and evidence to a terminal; untrusted text is escaped."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ragauge.report.plain import counted, some
from ragauge.report.terminal import plain_table, plain_text, print_note, print_table
from ragauge.runs.findings import find
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.numbers import DASH, SummaryRow, aggregate, interval
from ragauge.runs.scored_run import ScoredRun
from ragauge.views.cautions import caution_lines
from ragauge.views.first_screen_text import print_first_screen
from ragauge.views.tables import NAME_WIDTH, not_scored, short, short_names

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

NARROW_NAME_WIDTH = 20
MAX_DIGITS = 3
"""Most digits in a summary; the scores of one question have all of theirs."""
WIDE = 100
"""Terminal width from which names have their full width."""
VALUE_WIDTH = 20
GAP = 3
"""Spaces between two columns of a table."""
IDS_SHOWN = 4

Column = tuple[str, Sequence["Text"]]
"""A column's header, and a cell for each row."""


def print_run(
    out: "Console", run: ScoredRun, by: Sequence[str] = (), *, full: bool = False
) -> None:
    """Print the first screen, or with `full` the whole summary; then the summary by each field."""
    if full:
        print_summary(out, run, by)
        return
    print_first_screen(out, run)
    shown = _shown(run)
    for field in by:
        _print_breakdown(out, run, shown, field)


def _shown(run: ScoredRun) -> dict[str, MetricDisplay]:
    """The metrics that a summary shows, with few digits."""
    return {
        metric.metric: replace(metric, digits=min(metric.digits, MAX_DIGITS))
        for metric in run.metrics
        if not metric.unavailable
    }


def print_summary(out: "Console", run: ScoredRun, by: Sequence[str] = ()) -> None:
    """Print each system's metrics side by side, then by each of the fields."""
    rows = list(run.summary().iter_rows(named=True))
    shown = _shown(run)
    systems = run.samples.systems
    n = counted(len(run.samples), "answer")
    title = f"{run.manifest.suite} · {n} · {counted(len(systems), 'system')}"
    out.print(plain_text(title, "bold"))
    cells = {(row["metric"], row["system"]): row for row in rows}
    metrics = [metric for key, metric in shown.items() if any((key, s) in cells for s in systems)]
    names = short_names(run)
    columns = [
        (names[system], _cells([cells.get((m.metric, system)) for m in metrics], metrics))
        for system in systems
    ]
    _print_columns(out, [_name(metric) for metric in metrics], columns)
    why = (*run.problems, *not_scored(run, shown), *unavailable(run))
    for line in (*why, *run.manifest.models, *caution_lines(run)):
        print_note(out, line)
    _print_findings(out, run)
    for field in by:
        _print_breakdown(out, run, shown, field)


def print_unavailable(out: "Console", run: ScoredRun) -> None:
    """Print which metrics could not be computed, and why."""
    for line in unavailable(run):
        print_note(out, line)


def _print_columns(out: "Console", names: Sequence[str], columns: Sequence[Column]) -> None:
    """Print a table with a row per name, split into several if it is wider than the console."""
    from rich.cells import cell_len

    if not names:
        return
    widest = NAME_WIDTH if out.width >= WIDE else NARROW_NAME_WIDTH
    width = min(max(cell_len(name) for name in (*names, "metric")), widest)
    part: list[Column] = []
    used = width
    for column in columns:
        added = GAP + max(cell_len(column[0]), *map(len, column[1]))
        for cell in column[1]:
            cell.pad_left(added - GAP - len(cell))
        if part and used + added > out.width:
            out.print(_side_by_side(names, part, width))
            out.print()
            part, used = [], width
        part.append(column)
        used += added
    out.print(_side_by_side(names, part, width))


def _side_by_side(names: Sequence[str], columns: Sequence[Column], width: int) -> "Table":
    from rich.text import Text

    table = plain_table()
    table.add_column("metric", width=width, overflow="fold")
    for header, _ in columns:
        table.add_column(Text(header, justify="right"), no_wrap=True)
    for row, name in enumerate(names):
        table.add_row(plain_text(name), *(cells[row] for _, cells in columns))
    return table


def _print_breakdown(
    out: "Console", run: ScoredRun, shown: Mapping[str, MetricDisplay], field: str
) -> None:
    """For each system a table of the means by the field's values, with the number of answers of each value."""
    from rich.text import Text

    rows = list(run.summary(field).iter_rows(named=True))
    values = list(dict.fromkeys(row[field] for row in rows))
    values.sort(key=lambda value: (value is None, str(value)))
    for system in run.samples.systems:
        own = {(row["metric"], row[field]): row for row in rows if row["system"] == system}
        with_scores = {key for (key, _), row in own.items() if row["ok"]}
        metrics = [metric for key, metric in shown.items() if key in with_scores]
        n_rows = {value: row["n"] for (_, value), row in own.items()}
        columns = [
            (
                "(none)" if value is None else short(str(value), VALUE_WIDTH),
                _padded(
                    [
                        Text(f"{n_rows.get(value, 0):,}", "dim"),
                        *(_mean(own.get((metric.metric, value)), metric) for metric in metrics),
                    ]
                ),
            )
            for value in values
        ]
        if not metrics:  # nothing was scored, which stands above
            continue
        out.print(plain_text(f"\n{short_names(run)[system]} by {field}", "bold"))
        _print_columns(out, ["answers", *(_name(metric) for metric in metrics)], columns)


def _cells(rows: Sequence[SummaryRow | None], metrics: Sequence[MetricDisplay]) -> "list[Text]":
    """Means with their intervals, and their number of rows if some rows have no score."""
    from rich.text import Text

    pairs = list(zip(rows, metrics, strict=True))
    means = _padded([_mean(row, metric) for row, metric in pairs])
    intervals = _padded(
        [Text(interval(metric, row) if row else "", "dim") for row, metric in pairs]
    )
    counts = _padded([Text(_count(row), "yellow") for row in rows])
    return [
        Text("  ").join(part for part in parts if len(part))
        for parts in zip(means, intervals, counts, strict=True)
    ]


def _count(row: SummaryRow | None) -> str:
    return "" if row is None or row["ok"] == row["n"] else f"{row['ok']}/{row['n']}"


def _padded(cells: "Sequence[Text]") -> "list[Text]":
    """The cells padded to equal width, aligned right."""
    width = max((len(cell) for cell in cells), default=0)
    for cell in cells:
        cell.pad_left(width - len(cell))
    return list(cells)


def _mean(row: SummaryRow | None, shown: MetricDisplay) -> "Text":
    from rich.text import Text

    return Text(DASH if row is None else aggregate(shown, row))


def _print_findings(out: "Console", run: ScoredRun) -> None:
    findings, names = find(run), short_names(run)
    if not findings:
        return
    out.print(plain_text("\nfindings", "bold"))
    rows = [
        (
            names[match.system],
            f"{match.n_found}/{match.n_rows}",
            match.text,
            some(list(map(short, match.ids)), IDS_SHOWN),
        )
        for match in findings
    ]
    print_table(out, ("system", "rows", "finding", "examples"), rows)


def unavailable(run: ScoredRun) -> Iterator[str]:
    """The metrics that could not be computed, grouped by reason."""
    by_reason: dict[str, list[str]] = {}
    for metric in run.metrics:
        if metric.unavailable:
            by_reason.setdefault(metric.unavailable, []).append(metric.name)
    for reason, names in by_reason.items():
        yield f"not scored: {', '.join(names)} ({reason})"


def _name(shown: MetricDisplay) -> str:
    name = short(shown.name, 4 * NAME_WIDTH)
    return f"{name} ↓" if shown.lower_is_better else name
