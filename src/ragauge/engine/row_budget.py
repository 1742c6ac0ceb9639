"""How many rows to judge at a time, so that a budget ends between two rows and not within many."""

from ragauge.engine.engine import measure
from ragauge.engine.graph import Plan
from ragauge.engine.resources import Resources
from ragauge.errors import MetricError
from ragauge.samples.samples import Columns

SHARE = 0.8
"""The share of what is left of the budget that the next rows may need: some replies are asked for twice."""
MAX_ROWS = 200
"""Rows whose calls are counted beforehand, at most."""


def n_covered(plan: Plan, columns: Columns, resources: Resources, *, start: int) -> int:
    """The number of rows from `start` on that what is left of every judge's budget covers; at least 1.

    The calls of each row are counted as in a dry run: kept replies cost nothing, and a call that depends on
    another's reply assumes a likely one. All rows if no judge may be asked any more.
    """
    usages = {name: session.usage for name, session in resources.judges.items()}
    n_left = len(columns["id"]) - start
    if all(usage.used_up for usage in usages.values()):
        return n_left
    if any(usage.is_cost_unknown for usage in usages.values()):
        return 1
    estimating, judged = resources.for_estimate(), plan.for_judges()
    expected = {name: session.usage for name, session in estimating.judges.items()}
    for n in range(min(n_left, MAX_ROWS)):
        try:
            measure(judged, rows_of(columns, start + n, start + n + 1), estimating)
        except MetricError:  # a metric of the user's own that cannot read a likely reply
            return max(n, 1)
        if not all(usage.covers(expected[name], SHARE) for name, usage in usages.items()):
            return max(n, 1)
    return min(n_left, MAX_ROWS)


def rows_of(columns: Columns, start: int, stop: int) -> Columns:
    """Some consecutive rows of the columns."""
    return {name: cells[start:stop] for name, cells in columns.items()}
