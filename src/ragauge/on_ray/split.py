"""Plans with judges on a cluster: it measures what asks no judge, and the judges are asked from here.

One process asks, so limits of rate and budget hold for all, and replies are kept before they count.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ragauge.engine.graph import Node, Plan, PlannedMetric

if TYPE_CHECKING:
    import polars as pl


def split(plan: Plan) -> tuple[Plan, Plan]:
    """The metrics of a plan that depend on no judge, and those that do, each with the nodes they need."""
    judged: set[str | None] = set()
    for node in plan.nodes:
        if "judge" in node.definition.resources or any(
            source.node in judged for source in node.inputs if source.node
        ):
            judged.add(node.key)
    return (
        _plan_of(plan, [metric for metric in plan.metrics if metric.node not in judged]),
        _plan_of(plan, [metric for metric in plan.metrics if metric.node in judged]),
    )


def _plan_of(plan: Plan, metrics: Sequence[PlannedMetric]) -> Plan:
    needed = {metric.node for metric in metrics}
    nodes: list[Node] = []
    for node in reversed(plan.nodes):
        if node.key in needed:
            nodes.append(node)
            needed |= {source.node for source in node.inputs}
    return replace(plan, nodes=tuple(reversed(nodes)), metrics=tuple(metrics))


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
