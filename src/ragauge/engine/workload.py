"""How much a run has to do, before it begins."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ragauge.engine.batch import measure
from ragauge.engine.graph import Node, Plan
from ragauge.engine.resources import Resources
from ragauge.errors import MetricError
from ragauge.samples.samples import REFERENCE, REFERENCES, Columns, Samples
from ragauge.score import Status

ROWS_SAMPLED = 20
"""Rows whose calls are counted; the others are taken to be like them."""


@dataclass(frozen=True, slots=True)
class Workload:
    """What a run has to do: measure its rows, and make about `calls` calls to judges for the metrics `judged_by`."""

    n_rows: int
    calls: int = 0
    judged_by: tuple[str, ...] = ()

    def times(self, factor: float) -> "Workload":
        """The work of `factor` times as many rows."""
        return replace(self, n_rows=round(self.n_rows * factor), calls=round(self.calls * factor))


def workload(plan: Plan, samples: Samples, resources: Resources) -> Workload:
    """What the plan has to do for these samples, if nothing is kept from earlier runs."""
    judged_by = tuple(metric.name for metric in plan.metrics if metric.node in plan.judged)
    calls, n = 0, min(len(samples), ROWS_SAMPLED)
    if judged_by and n:  # counted on a few rows as a dry run counts them
        estimating = resources.for_estimate()
        try:
            measure(plan.for_judges(), samples.batch(0, n), estimating)
            calls = sum(session.usage.estimate().calls for session in estimating.judges.values())
        except MetricError:  # a metric of the user's own that cannot read a likely reply
            pass
    return Workload(
        len(samples),
        round(calls * resources.judging.repeat * len(samples) / max(n, 1)),
        judged_by,
    )


OWN = "ragauge"


def without_columns(plan: Plan, first: Columns, resources: Resources) -> Mapping[str, str]:
    """Why no score can come of the first rows, by the label of each metric whose columns they do
    not have.

    Our own metrics without judge and encoder are computed; of the others the columns count that
    their functions need.
    """
    nodes = {node.key: node for node in plan.nodes}
    not_run = {node.key for node in plan.nodes if _may_call(node, nodes)}
    offline = plan.only(m for m in plan.metrics if m.node and m.node not in not_run)
    found: dict[str, str] = {}
    for metric, scores in zip(offline.metrics, measure(offline, first, resources), strict=True):
        missing = [score for score in scores if score and score.status is Status.MISSING]
        if missing and all(score is None or score.value is None for score in scores):
            found[metric.metric] = missing[0].reason or ""
    absent = {name for name, cells in first.items() if all(cell is None for cell in cells)}
    known = set(first) - absent
    for metric in plan.metrics:
        if metric.node in not_run:
            names = dict.fromkeys(_missing(nodes[metric.node], nodes, known))
            if names:
                found[metric.metric] = f"the sample has no {' and '.join(names)}"
    return found


def _may_call(node: Node, nodes: Mapping[str, Node]) -> bool:
    """Whether a judge, an encoder or somebody else's function takes part in computing the node."""
    is_own = node.definition.function.__module__.partition(".")[0] == OWN
    sources = [nodes[source.node] for source in node.inputs if source.node]
    is_alone = is_own and not node.definition.resources
    return not is_alone or any(_may_call(source, nodes) for source in sources)


def _missing(node: Node, nodes: Mapping[str, Node], known: set[str]) -> list[str]:
    """The unknown columns without which the node has no value."""
    needs: list[tuple[bool, list[str]]] = []
    for column, source in zip(node.definition.columns, node.inputs, strict=True):
        name = REFERENCES if source.column == REFERENCE else source.column
        absent = [name] if name and name not in known else []
        if source.node:
            absent = _missing(nodes[source.node], nodes, known)
        if not column.takes_score:
            needs.append((column.nullable, absent))
    if needs and all(nullable and names for nullable, names in needs):
        return needs[0][1]
    return [name for nullable, names in needs if not nullable for name in names]
