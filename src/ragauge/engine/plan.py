"""The plan: the metrics of suites and all that they need, as one acyclic graph."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from ragauge import catalog
from ragauge.engine.graph import Input, Node, Plan, PlannedMetric
from ragauge.engine.graph_builder import Defaults, GraphBuilder, missing_resources, option_for
from ragauge.errors import LabelError, PlanError, did_you_mean
from ragauge.samples.fields import FIELDS
from ragauge.suite import Check, Entry, Suite

COUNTS = ("list_found", "list_total")
"""Rules that return counts: they are not scaled and not part of a check's mean."""
NO_RESOURCES: Defaults = {}


def make_plan(
    suites: Sequence[Suite],
    columns: Collection[str],
    resources: Defaults = NO_RESOURCES,
    judges: Sequence[str] = (),
) -> Plan:
    """The plan for these suites over samples with these columns; with several `judges`, judged
    metrics once for each.

    `resources` maps each available resource to the settings that identify it, which labels that do
    not set them get. Raises PlanError with every problem: unknown metrics, settings and columns,
    missing requirements of explicitly named metrics; a suite's metric whose requirements are
    missing is marked `unavailable` instead.
    """
    suites = tuple(dict.fromkeys(suites))
    if not judges and (judge := resources.get("judge", {}).get("judge")):
        judges = (str(judge),)
    graph = GraphBuilder(suites, columns, resources, judges)
    found: dict[tuple[str, str | None], PlannedMetric] = {}
    for suite in suites:
        metrics = [metric for entry in suite.entries for metric in _by_judge(graph, suite, entry)]
        for number, check in enumerate(suite.checks, 1):
            metrics += _check(graph, check, f"{suite.name} check {number}")
        for metric in metrics:  # each once, even if several suites contain it
            found.setdefault((metric.metric, metric.node), metric)
    names = Counter(suite.name for suite in suites if suite.checks)
    problems = [
        f"two different suites are named {name!r}; give one of them another name"
        for name in sorted(name for name in names if names[name] > 1)
    ]
    # Checks of other rows may share a name.
    filters: dict[str, list[str | None]] = {}
    for metric in found.values():
        if node := graph.nodes.get(metric.node or ""):
            where = node.where and node.where.text
            filters.setdefault(metric.metric, []).append(where)
    problems += graph.problems
    problems += [
        f"two different metrics are named {name!r} and score the same rows; rename one"
        for name, texts in filters.items()
        if len(texts) > 1 and (None in texts or len(set(texts)) < len(texts))
    ]
    if problems:
        raise PlanError(dict.fromkeys(problems))
    name = "+".join(suite.name for suite in suites)
    return Plan(name, tuple(graph.nodes.values()), tuple(found.values()), suites)


def _by_judge(graph: GraphBuilder, suite: Suite, entry: Entry) -> Iterator[PlannedMetric]:
    """The entry, once for each of its judges."""
    named = entry.label.settings.get("judge")
    metric = catalog.metrics().get(entry.label.name)
    is_judged = metric is not None and graph.uses_judge(metric, suite)
    if named is None and len(graph.judges) > 1 and is_judged:
        for judge in graph.judges:
            graph.judge = judge
            planned = _entry(graph, suite, entry)
            yield replace(planned, name=f"{planned.name} [{judge}]")
        graph.judge = graph.judges[0]
        return
    graph.judge = str(named) if named else next(iter(graph.judges), None)
    yield _entry(graph, suite, entry)


def _entry(graph: GraphBuilder, suite: Suite, entry: Entry) -> PlannedMetric:
    node, unavailable = None, None
    try:
        metric, settings = graph.resolve(entry.label, suite)
    except LabelError as error:
        graph.problems.append(str(error))
        metric, label, named, unavailable = None, str(entry.label), "", str(error)
    else:
        label = str(metric.label(settings))
        # The label that the user gave, without the settings that the run filled in.
        named = str(metric.label(catalog.find(entry.label)[1]))
        if missing := missing_resources(metric, graph.resources):
            unavailable = f"needs {missing}; none is configured"
            if suite.explicit:
                graph.problems.append(f"{label} needs {missing}; {option_for(missing)}")
        else:
            node = graph.node(metric, settings, suite).key
    name = named or label if entry.name == str(entry.label) else entry.name
    is_ranked = entry.ranked and (metric is None or metric.is_ranked(entry.label.settings))
    shown = entry.scale, entry.digits, entry.show, entry.family, is_ranked
    return PlannedMetric(label, name, metric, node, unavailable, *shown)


def _check(graph: GraphBuilder, check: Check, group: str) -> Iterator[PlannedMetric]:
    # Imported here because compiling its number patterns is slow.
    from ragauge.metrics.checks import holds, mean_of

    suite, fields = Suite(group, ()), {*FIELDS, *graph.columns}
    for name in sorted(check.where.fields - fields if check.where else ()):
        hint = did_you_mean(name, fields) or f"; they have {', '.join(sorted(graph.columns))}"
        graph.problems.append(f"{group}: the samples have no field {name!r}{hint}")
    rules: dict[str, str] = {}
    for name, label in check.rules:
        try:
            metric, settings = graph.resolve(label, suite)
        except LabelError as error:
            graph.problems.append(f"{group}: {name}: {error}")
            continue
        node = graph.node(metric, settings, suite, f"{group}: {name}", check.where)
        rules[name] = node.key
        scale, is_ranked = 1.0 if label.name in COUNTS else check.scale, metric.is_ranked(settings)
        shown = PlannedMetric(name, name, metric, node.key, None, scale, check.digits)
        yield replace(shown, is_ranked=is_ranked)
    combined = [holds(name, expression) for name, expression in check.holds]
    averaged = [name for name, label in check.rules if name in rules and label.name not in COUNTS]
    combined += [mean_of(check.mean, averaged)] if check.mean else []
    for metric in combined:
        inputs = tuple(Input(node=rules.get(column.name)) for column in metric.columns)
        node = Node(f"{group}: {metric.name}", metric, {}, inputs, where=check.where)
        graph.nodes[node.key] = node
        shown = check.scale, check.digits
        yield PlannedMetric(metric.name, metric.name, metric, node.key, None, *shown)
