"""A run as a table in a notebook."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import cast

from ragauge.report.numbers import SummaryRow, aggregate, interval, metric_name, unscored
from ragauge.report.plain import for_terminal
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.run import Run

HEADER = ("metric", "system", "mean", "95 % interval", "n", "unscored")
ALIGNMENT = ("left", "left", "right", "right", "right", "left")


def run_html(run: Run) -> str:
    """The run's summary as an HTML table: each metric with its systems, on the suite's scale.

    `n` counts the scores with a value; `unscored` says how many have none. All texts are escaped.
    """
    by_metric: dict[str, list[SummaryRow]] = {}
    for row in run.summary().iter_rows(named=True):
        by_metric.setdefault(cast(str, row["metric"]), []).append(row)
    displays = {metric.metric: metric for metric in run.metrics}
    rows = [
        _cells(display, row)
        for label, display in displays.items()
        for row in by_metric.get(label, [])
    ]
    return (
        f"<table><thead>{_html_row('th', HEADER)}</thead>"
        f"<tbody>{''.join(_html_row('td', row) for row in rows)}</tbody></table>"
    )


def _cells(metric: MetricDisplay, row: SummaryRow) -> Sequence[str]:
    return (
        metric_name(metric),
        cast(str, row["system"]),
        aggregate(metric, row),
        interval(metric, row),
        f"{row['ok']:,}",
        metric.unavailable or unscored(row),
    )


def _html_row(tag: str, texts: Sequence[str]) -> str:
    return f"<tr>{''.join(_html_cells(tag, texts))}</tr>"


def _html_cells(tag: str, texts: Sequence[str]) -> Iterator[str]:
    for side, text in zip(ALIGNMENT, texts, strict=True):
        yield f'<{tag} style="text-align: {side}">{escape(for_terminal(text))}</{tag}>'
