"""The plan: the metrics of suites and all that they need, as one acyclic graph; a parameter's name is followed to a column, feature or metric."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from ragauge import catalog
from ragauge.encoders import DEFAULT_PRECISION, model_info
from ragauge.engine.graph import Input, Node, Plan, PlannedMetric
from ragauge.errors import LabelError, PlanError, did_you_mean
from ragauge.label import Label, SettingValue
from ragauge.loaders.mapping import field_of
from ragauge.metric import PARTS, PRECISION, PROMPTS, Column, Definition, Feature, Metric
from ragauge.samples.fields import FIELDS, REFERENCE, REFERENCES
from ragauge.suite import Check, Entry, Suite
from ragauge.where import Filter

DIGEST_LENGTH = 8
Defaults = Mapping[str, Mapping[str, SettingValue]]
"""For each available resource, the settings that identify it."""
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


def _by_judge(graph: "GraphBuilder", suite: Suite, entry: Entry) -> Iterator[PlannedMetric]:
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


def _entry(graph: "GraphBuilder", suite: Suite, entry: Entry) -> PlannedMetric:
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


def _check(graph: "GraphBuilder", check: Check, group: str) -> Iterator[PlannedMetric]:
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


@dataclass
class GraphBuilder:
    """The graph under construction: nodes and problems found so far."""

    suites: Sequence[Suite]
    columns: Collection[str]
    resources: Defaults
    judges: Sequence[str] = ()
    judge: str | None = None
    """The judge of the entry that is being planned."""
    nodes: dict[str, Node] = field(default_factory=dict[str, Node])
    problems: list[str] = field(default_factory=list[str])
    path: list[str] = field(default_factory=list[str])
    """Keys of the nodes under construction, from the metric to the current one."""
    composing: list[str] = field(default_factory=list[str])
    """Labels of the composites whose parts are being resolved, from the outermost one."""

    def resolve(self, label: Label, suite: Suite) -> tuple[Metric, dict[str, SettingValue]]:
        """The metric and its settings, with those of the run's models, judge and parts filled in."""
        metric, settings = catalog.find(label)
        if "judge" in settings and self.judges and self.uses_judge(metric, suite):
            self._fill_judge(metric, label, settings)
        for resource in set(metric.resources) - {"judge"}:
            for name, value in self.resources.get(resource, {}).items():
                if name in settings and name not in label.settings:
                    settings[name] = value
        if PRECISION in metric.implied and PRECISION not in label.settings:
            named = label.settings.get("model")
            if named not in (None, self.resources.get("encoder", {}).get("model")):
                settings[PRECISION] = DEFAULT_PRECISION
        if settings.get("layer", 0) is None:
            settings["layer"] = model_info(str(settings.get("model"))).layer
        if metric.check is not None and (problem := metric.check(settings)):
            self.problems.append(f"{metric.label(settings)}: {problem}")
        if PARTS in metric.implied:
            self._fill_parts(metric, label, settings, suite)
        return metric, settings

    def uses_judge(self, metric: Metric, suite: Suite) -> bool:
        """Whether the metric's value depends on a judge; parts that the samples have do not."""

        def is_computed(part: str) -> bool:
            return part not in self.columns or bool(self._variants(part, suite))

        return any("judge" in needed.resources for needed in _needed(metric, is_computed))

    def _fill_judge(self, metric: Metric, label: Label, settings: dict[str, SettingValue]) -> None:
        settings["judge"] = judge = settings["judge"] or self.judge or self.judges[0]
        if judge not in self.judges:
            self.problems.append(
                f"{label} names the judge {judge!r}, but the judges are {', '.join(self.judges)}; "
                "add it with --judge"
            )
        if PROMPTS not in settings:
            return
        digests = self.resources.get(PROMPTS, {})
        prompts = "".join(str(digests.get(name, name)) for name in sorted(prompts_of(metric)))
        settings[PROMPTS] = _digest(prompts)
        if label.settings.get(PROMPTS) not in (None, settings[PROMPTS]):
            self.problems.append(
                f"{label} names other prompts than this run's, {settings[PROMPTS]!r}; leave prompts out of "
                "the label, or give the folder with the prompts that it names"
            )

    def _fill_parts(
        self, metric: Metric, label: Label, settings: dict[str, SettingValue], suite: Suite
    ) -> None:
        """Put a digest of a composite's parts into its settings if they are not the defaults."""
        composite = str(metric.label(settings))
        if composite in self.composing:  # a circular dependency, which `node` reports
            return
        self.composing.append(composite)
        parts = sorted(
            f"{column.name}={variant}"
            for column in metric.columns
            if column.takes_score
            and (variant := self._variant(column.name, settings.get("judge"), suite))
        )
        self.composing.pop()
        settings[PARTS] = _digest("\n".join(parts)) if parts else None
        if label.settings.get(PARTS) not in (None, settings[PARTS]):
            self.problems.append(
                f"{label} names other parts than this run's, where it is {metric.label(settings)}; leave "
                "parts out of the label, or add the same variants of its parts to the run"
            )

    def _variant(self, name: str, judge: SettingValue, suite: Suite) -> str | None:
        """The label and version of a part; None if it is a column or the metric's default variant."""
        node = self.nodes.get(self._part(name, suite).node or "")
        if node is None or not isinstance(node.definition, Metric):
            return None
        label = node.definition.label(node.settings)
        if label == Label(name) and name not in self.columns:
            return None
        # The composite's own label already names its judge.
        own = {k: v for k, v in label.settings.items() if (k, v) != ("judge", judge)}
        return f"{Label(label.name, own)} version {node.definition.version}"

    def node(
        self,
        definition: Metric | Feature,
        settings: Mapping[str, SettingValue],
        suite: Suite,
        key: str = "",
        where: Filter | None = None,
    ) -> Node:
        if not key and isinstance(definition, Metric):
            key = str(definition.label(settings))
        elif not key:
            own = {setting.name: settings[setting.name] for setting in definition.settings}
            key = f"feature {Label(definition.name, own)}"
        if key in self.nodes:
            precisions = [each.get(PRECISION) for each in (self.nodes[key].settings, settings)]
            if precisions[0] != precisions[1]:
                self.problems.append(
                    f"{key} is wanted in {precisions[0]} and in {precisions[1]}, but the precision is no part of "
                    "its name; evaluate two runs, one in each, and compare them"
                )
            return self.nodes[key]
        if key in self.path:
            circle = " → ".join([*self.path[self.path.index(key) :], key])
            self.problems.append(f"circular dependency: {circle}")
            return Node(key, definition, settings, ())
        self.path.append(key)
        inputs = tuple(
            self._input(column, definition, settings, suite) for column in definition.columns
        )
        self.path.pop()
        if definition.corpus and any(source.column in (None, REFERENCE) for source in inputs):
            self.problems.append(
                f"{definition.name} is a corpus feature, which can read only the samples' columns"
            )
        # Computed for each reference, unless it reads `references` and takes all of a sample together.
        sources = [self.nodes.get(source.node or "") for source in inputs]
        is_per_reference = not any(source.column == REFERENCES for source in inputs) and any(
            source.column == REFERENCE
            or (node and node.per_reference and isinstance(node.definition, Feature))
            for source, node in zip(inputs, sources, strict=True)
        )
        self.nodes[key] = Node(key, definition, settings, inputs, is_per_reference, where)
        return self.nodes[key]

    def _input(
        self,
        column: Column,
        definition: Definition,
        settings: Mapping[str, SettingValue],
        suite: Suite,
    ) -> Input:
        name = column.name
        if column.takes_score:
            return self._part(name, suite)
        if name == REFERENCE or name in FIELDS:
            return Input(column=name)
        if name in catalog.features():
            feature = catalog.features()[name]
            own = {each: settings.get(each, value) for each, value in feature.defaults.items()}
            return Input(node=self.node(feature, own, suite).key)
        if name in self.columns:
            return Input(column=name)
        if _entries_of(suite, name) or name in catalog.metrics():
            part = self._part(name, suite)
            if variant := self._variant(name, None, suite):
                self.problems.append(
                    f"{definition.name} takes {name!r} as a number, but this run computes {variant}, which "
                    f"the label of {definition.name} would not show; annotate the parameter as {name}: "
                    "Score and use its value"
                )
            return part
        if column.nullable:
            return Input(unavailable=f"the samples have no column {name!r}")
        columns = {*FIELDS, *self.columns, *catalog.features()}
        field = REFERENCE if field_of(name) == REFERENCES else field_of(name)
        hint = (
            (f"; here its name is {field!r}" if field not in (None, name) else "")
            or did_you_mean(name, columns)
            or f"; the samples have {', '.join(sorted(self.columns))}"
        )
        self.problems.append(f"{definition.name} needs the column {name!r}{hint}")
        return Input(unavailable=f"no column {name!r}")

    def _variants(self, name: str, suite: Suite) -> list[Entry]:
        """The entries for a metric in this suite; in the other suites if it has none."""
        return _entries_of(suite, name) or [
            entry for other in self.suites for entry in _entries_of(other, name)
        ]

    def _part(self, name: str, suite: Suite) -> Input:
        """A composite's part: the suite's own variant, else a column, else the default metric."""
        entries = self._variants(name, suite)
        if len({str(entry.label) for entry in entries}) > 1:
            labels = ", ".join(str(entry.label) for entry in entries)
            self.problems.append(
                f"a composite needs one variant of {name!r}, but there are several: {labels}; keep one"
            )
        given = Input(column=name) if name in self.columns else None
        if given and not entries:
            return given
        try:
            metric, settings = self.resolve(entries[0].label if entries else Label(name), suite)
        except LabelError:
            return given or Input(unavailable=f"{name} is not available")
        if missing := missing_resources(metric, self.resources):
            return given or Input(unavailable=f"{name} needs {missing}; none is configured")
        return Input(node=self.node(metric, settings, suite).key)


def _entries_of(suite: Suite, name: str) -> list[Entry]:
    return [entry for entry in suite.entries if entry.label.name == name]


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:DIGEST_LENGTH]


def prompts_of(metric: Definition) -> set[str]:
    """The prompts of a metric and of the features that it needs."""
    return {name for needed in _needed(metric) for name in needed.prompts}


def missing_resources(metric: Definition, available: Collection[str]) -> str:
    """The missing resources of a metric and of the features that it needs, as text."""
    names = [name for needed in _needed(metric) for name in needed.resources]
    missing = dict.fromkeys(name for name in names if name not in available)
    named = {"encoder": "an encoder", "judge": "a judge"}
    return " and ".join(named.get(name, "something") for name in missing)


def option_for(missing: str) -> str:
    """The option that provides a missing resource."""
    return (
        "give one with --judge (judge= from Python)"
        if "judge" in missing
        else "give one with --encoder"
    )


def _needed(
    definition: Definition,
    is_part: Callable[[str], bool] = lambda _: False,
    seen: set[str] | None = None,
) -> Iterator[Definition]:
    """The definition and the features that it needs, and the metrics that `is_part` holds for."""
    seen = set() if seen is None else seen
    yield definition
    for column in definition.columns:
        if column.name in seen or (column.takes_score and not is_part(column.name)):
            continue
        known = catalog.metrics() if column.takes_score else catalog.features()
        if column.name in known:
            seen.add(column.name)
            yield from _needed(known[column.name], is_part, seen)
