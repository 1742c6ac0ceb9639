"""Which metrics the samples have no columns for, found before a run without a call or an encoded text."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ragauge.engine.engine import measure
from ragauge.engine.graph import Input, Node, Plan
from ragauge.engine.resources import Resources
from ragauge.samples.samples import REFERENCE, REFERENCES, Columns
from ragauge.score import Status

OWN = "ragauge"


def without_columns(plan: Plan, first: Columns, resources: Resources) -> Mapping[str, str]:
    """Why no score can come of the first rows, by the label of each metric whose columns they do not have.

    Our own metrics without judge and encoder are computed on these rows. Of the others, which might call something
    outside, the columns count that their functions cannot do without.
    """
    nodes = {node.key: node for node in plan.nodes}
    not_run = {node.key for node in plan.nodes if _may_call(node, nodes)}
    offline = replace(
        plan,
        nodes=tuple(node for node in plan.nodes if node.key not in not_run),
        metrics=tuple(m for m in plan.metrics if m.node and m.node not in not_run),
    )
    found: dict[str, str] = {}
    for metric, scores in zip(offline.metrics, measure(offline, first, resources), strict=True):
        missing = [score for score in scores if score and score.status is Status.MISSING]
        if missing and len(missing) == len(scores):
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
    return (
        not is_own
        or bool(node.definition.resources)
        or any(_may_call(nodes[source.node], nodes) for source in node.inputs if source.node)
    )


def _missing(node: Node, nodes: Mapping[str, Node], known: set[str]) -> Iterator[str]:
    """The columns without which the node has no value, and that are not known.

    A node that can do without each of its columns has no value without all of them; then it is the first.
    """
    needs = [
        (column.nullable, list(_missing_of(source, nodes, known)))
        for column, source in zip(node.definition.columns, node.inputs, strict=True)
        if not column.takes_score
    ]
    if needs and all(nullable and names for nullable, names in needs):
        yield from needs[0][1]
    for nullable, names in needs:
        if not nullable:
            yield from names


def _missing_of(source: Input, nodes: Mapping[str, Node], known: set[str]) -> Iterator[str]:
    """The columns that are not known and without which a parameter has no value."""
    if source.node:
        yield from _missing(nodes[source.node], nodes, known)
    elif source.column:
        name = REFERENCES if source.column == REFERENCE else source.column
        if name not in known:
            yield name
