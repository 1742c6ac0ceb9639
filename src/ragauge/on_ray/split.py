"""Plans with judges on a cluster: it measures what asks no judge, and the judges are asked from here.

One process asks, so limits of rate and budget hold for all, and replies are kept before they count.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ragauge.engine.graph import Plan

if TYPE_CHECKING:
    import polars as pl


def split(plan: Plan) -> tuple[Plan, Plan]:
    """The metrics of a plan that depend on no judge, and those that do, each with the nodes they need."""
    return (
        plan.only(metric for metric in plan.metrics if metric.node not in plan.judged),
        plan.only(metric for metric in plan.metrics if metric.node in plan.judged),
    )


def merged(frames: Iterable["pl.DataFrame"], rows: "pl.DataFrame", plan: Plan) -> "pl.DataFrame":
    """The scores of a batch in the order of a run: by sample, as in `rows`, then by metric of the plan."""
    import polars as pl

    places = {metric.metric: place for place, metric in enumerate(plan.metrics)}
    order = rows.select("id", "system").with_row_index("row of a score")
    return (
        pl.concat(list(frames))
        .join(order, on=["id", "system"], how="left", maintain_order="left")
        .sort(
            "row of a score",
            pl.col("metric").replace_strict(places, return_dtype=pl.Int64),
            maintain_order=True,
        )
        .drop("row of a score")
    )
