"""A metric's numbers as people read them: on the suite's scale, with its decimals."""

import math
from collections.abc import Mapping
from typing import cast

from ragauge.runs.manifest import MetricDisplay
from ragauge.score import Status

DASH = "–"
SummaryRow = Mapping[str, object]


def number(metric: MetricDisplay, value: object) -> str:
    """A value as it is shown; a dash for None. Dollars have at least two digits that are not leading zeros."""
    if value is None:
        return DASH
    shown, digits = cast(float, value) * metric.scale, metric.digits
    if metric.metric == "cost_usd" and 0 < abs(shown) < 1:
        digits = max(digits, 1 - math.floor(math.log10(abs(shown))))
    return f"{shown:.{digits}f}"


def aggregate(metric: MetricDisplay, row: SummaryRow) -> str:
    """The summary row's aggregate or, for a count, its sum."""
    if metric.show == "mean" or row["mean"] is None:
        return number(metric, row["mean"])
    return f"{cast(float, row['mean']) * cast(int, row['ok']):.0f}"


def interval(metric: MetricDisplay, row: SummaryRow) -> str:
    """The 95 % interval of the aggregate; nothing where there is none, and for a count."""
    if metric.show == "count" or row["low"] is None:
        return ""
    return f"{number(metric, row['low'])}–{number(metric, row['high'])}"


def bounds(metric: MetricDisplay, row: SummaryRow) -> str:
    """What the value would be with all absent rows at one end; nothing where none is absent."""
    if row["worst"] is None or row["ok"] == row["n"]:
        return ""
    is_count, n = metric.show == "count", cast(int, row["n"])
    ends = [cast(float, row[end]) for end in ("worst", "best")]
    worst, best = (f"{end * n:.0f}" if is_count else number(metric, end) for end in ends)
    return f"worst {worst}, best {best}"


def unscored(row: SummaryRow) -> str:
    """How many of a summary row's scores have no value, by status."""
    statuses = [str(status) for status in Status if status is not Status.OK]
    return ", ".join(f"{row[status]:,} {status}" for status in statuses if row[status])


def cells(metric: MetricDisplay, row: SummaryRow) -> tuple[str, str, str, str, str, str]:
    """A summary row as people read it: name, value, interval, bounds, how many have a value or not.

    The name has an arrow if lower is better; a count says so.
    """
    name = f"{metric.name} ↓" if metric.lower_is_better else metric.name
    name += " (count)" if metric.show == "count" else ""
    value, scored = aggregate(metric, row), f"{row['ok']:,} of {row['n']:,}"
    why = metric.unavailable or unscored(row)
    return name, value, interval(metric, row), bounds(metric, row), scored, why
