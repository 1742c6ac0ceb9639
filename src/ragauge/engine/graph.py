"""The graph of a plan: nodes, where their inputs come from, and the metrics that are reported."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ragauge.label import SettingValue
from ragauge.metric import Feature, Metric
from ragauge.samples.fields import REFERENCE, REFERENCES
from ragauge.suite import Suite
from ragauge.where import Filter


@dataclass(frozen=True, slots=True)
class Input:
    """The source of a parameter's values: a column of the samples, or the node with that key; else
    `unavailable` says why none."""

    column: str | None = None
    node: str | None = None
    unavailable: str | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """One function with its settings, computed once for all nodes that need it, and for the rows
    that match `where`.

    `per_reference`: computed for each reference of a sample; a metric then keeps the best score.
    """

    key: str
    definition: Metric | Feature
    settings: Mapping[str, SettingValue]
    inputs: tuple[Input, ...]
    per_reference: bool = False
    where: Filter | None = None


@dataclass(frozen=True, slots=True)
class PlannedMetric:
    """One metric of the result: its label `metric` in the scores, shown as `name`, its values times
    `scale`.

    `node` is the key of the node that computes it; None if it is `unavailable`, the reason with
    which every row is skipped.
    """

    metric: str
    name: str
    definition: Metric | None
    node: str | None
    unavailable: str | None = None
    scale: float = 1.0
    digits: int = 4
    show: str = "mean"
    family: str = ""
    is_ranked: bool = True


@dataclass(frozen=True, slots=True)
class Plan:
    """Nodes, each after those that it needs, and the metrics to report."""

    name: str
    nodes: tuple[Node, ...]
    metrics: tuple[PlannedMetric, ...]
    suites: tuple[Suite, ...]

    @property
    def columns(self) -> frozenset[str]:
        """The sample columns that the plan reads."""
        read = {source.column for node in self.nodes for source in node.inputs if source.column}
        read |= {name for node in self.nodes if node.where for name in node.where.fields}
        return frozenset(REFERENCES if name == REFERENCE else name for name in read)

    @property
    def unavailable(self) -> tuple[PlannedMetric, ...]:
        """The metrics whose requirements are missing."""
        return tuple(metric for metric in self.metrics if metric.unavailable)

    @property
    def has_async_nodes(self) -> bool:
        """Whether a function of the plan is async, such as one that calls a judge."""
        return any(node.definition.is_async for node in self.nodes)

    @property
    def judged(self) -> frozenset[str | None]:
        """The keys of the nodes whose values depend on a judge."""
        found: set[str | None] = set()
        for node in self.nodes:
            sources = {source.node for source in node.inputs if source.node}
            if "judge" in node.definition.resources or not found.isdisjoint(sources):
                found.add(node.key)
        return frozenset(found)

    def for_judges(self) -> "Plan":
        """The nodes that call judges, and those that they need, without metrics."""
        nodes = [node for node in self.nodes if "judge" in node.definition.resources]
        return self.only((), [node.key for node in nodes if node.definition.is_async])

    def only(self, metrics: Iterable[PlannedMetric], keys: Iterable[str | None] = ()) -> "Plan":
        """These metrics, with the nodes that they and the nodes with these keys need."""
        metrics = tuple(metrics)
        needed = {*keys, *(metric.node for metric in metrics)}
        nodes: list[Node] = []
        for node in reversed(self.nodes):
            if node.key in needed:
                nodes.append(node)
                needed |= {source.node for source in node.inputs}
        return replace(self, nodes=tuple(reversed(nodes)), metrics=metrics)

    def describe(self) -> dict[str, object]:
        """Labels, versions, settings and display options, as JSON data: a part of the run's key."""
        shown = ("metric", "name", "node", "unavailable", "scale", "digits", "show", "family", "is_ranked")  # fmt: skip
        return {
            "nodes": [
                {
                    "key": node.key,
                    "version": getattr(node.definition, "version", None),
                    "settings": dict(node.settings),
                    "inputs": [it.column or it.node or it.unavailable for it in node.inputs],
                    "where": node.where.text if node.where else None,
                }
                for node in self.nodes
            ],
            "metrics": [[getattr(metric, name) for name in shown] for metric in self.metrics],
            "findings": [[it.when.text, it.says] for suite in self.suites for it in suite.findings],
        }
