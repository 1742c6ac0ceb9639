"""Limits of a rule that no value of its metric can reach: such a rule would always hold, or never."""

from collections.abc import Iterator

from ragauge.gating.rules import MEAN, Operand
from ragauge.runs.manifest import MetricDisplay

IN_UNIT = (MEAN, "low", "high", "worst", "best", "lowest", "highest")
"""The statistics that lie in the metric's range."""
DIFFERENCES = ("drop", "drop_low", "drop_high")


def out_of_reach(operand: Operand, limit: float, metric: MetricDisplay) -> str:
    """What is wrong with a limit outside the metric's range; empty if nothing is."""
    low, high = metric.low, metric.high
    if low is None or high is None or metric.aggregate.kind != "mean":
        return ""
    if operand.statistic in DIFFERENCES:
        low, high = low - high, high - low
    elif operand.statistic not in IN_UNIT:
        return ""
    if low <= limit <= high:
        return ""
    hint = "".join(_hints(limit, metric, low, high))
    return (
        f"{operand.text} lies between {low:g} and {high:g}, so {limit:g} is no limit for it{hint}"
    )


def _hints(limit: float, metric: MetricDisplay, low: float, high: float) -> Iterator[str]:
    """How to write the limit in the metric's own unit, where it is shown in another one."""
    if metric.show == "count":
        yield "; it is a share of the answers, also where it is shown as a count"
    elif metric.scale != 1 and low <= limit / metric.scale <= high:
        yield f"; write {limit / metric.scale:g}"
    elif metric.scale == 1 and low <= limit / 100 <= high:
        yield f"; for {limit:g} % write {limit / 100:g}"
