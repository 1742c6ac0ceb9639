"""The plan: the metrics and all that they need, as one acyclic graph.

Each parameter of a metric names a column of the samples, a feature or another metric. What several
metrics need becomes one node. All problems are found before any work starts.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from ragauge import catalog
from ragauge.encoders.models import model_info
from ragauge.errors import LabelError, PlanError, did_you_mean
from ragauge.label import Label, SettingValue
from ragauge.metric import PARTS, PROMPTS, Column, Definition, Feature, Metric
from ragauge.sample import FIELDS, REFERENCE, REFERENCES
from ragauge.suite import Check, Entry, Suite
from ragauge.where import Filter

DIGEST_LENGTH = 8
COUNTS = ("list_found", "list_total")
"""Rules that return counts: they are not scaled and not part of a check's mean."""
Defaults = Mapping[str, Mapping[str, SettingValue]]
NO_RESOURCES: Defaults = {}


@dataclass(frozen=True, slots=True)
class Input:
    """The source of a parameter's values: a column of the samples, or the node with that key.

    Both are None for an unavailable part of a composite; `unavailable` is the reason.
    """

    column: str | None = None
    node: str | None = None
    unavailable: str | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """One function with its settings, computed once for all nodes that need it.

    `per_reference`: computed for each reference of a sample; a metric then keeps the best score.
    `where`: computed for the matching rows only.
    """

    key: str
    definition: Metric | Feature
    settings: Mapping[str, SettingValue]
    inputs: tuple[Input, ...]
    per_reference: bool = False
    where: Filter | None = None


@dataclass(frozen=True, slots=True)
class PlannedMetric:
    """One metric of the result: its label in the scores, and how it is shown.

    `metric` is the label; it is shown as `name`, its values times `scale`. `node` is the key of the node
    that computes it; None if it is unavailable: every row is then skipped with the reason `unavailable`.
    """

    metric: str
    name: str
    definition: Metric | None
    node: str | None
    unavailable: str | None = None
    scale: float = 1.0
    digits: int = 4
    show: str = "mean"


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
        if REFERENCE in read:
            read = (read - {REFERENCE}) | {REFERENCES}
        return frozenset(read)

    @property
    def unavailable(self) -> tuple[PlannedMetric, ...]:
        """The metrics whose requirements are missing."""
        return tuple(metric for metric in self.metrics if metric.unavailable)

    def describe(self) -> dict[str, object]:
        """Labels, versions, settings and display options, as JSON data: a part of the run's key."""
        return {
            "nodes": [_describe(node) for node in self.nodes],
            "metrics": [
                [
                    metric.metric,
                    metric.name,
                    metric.node,
                    metric.unavailable,
                    metric.scale,
                    metric.digits,
                    metric.show,
                ]
                for metric in self.metrics
            ],
            "findings": [
                [finding.when.text, finding.says]
                for suite in self.suites
                for finding in suite.findings
            ],
        }


def make_plan(
    suites: Sequence[Suite],
    columns: Collection[str],
    resources: Defaults = NO_RESOURCES,
    judges: Sequence[str] = (),
) -> Plan:
    """The plan for these suites over samples with these columns.

    `resources` maps each available resource to the settings that identify it. They are filled into
    labels that do not set them, so that a label names the model behind its number. With several
    `judges`, judged metrics are planned once per judge. Raises PlanError with every problem: unknown
    metrics, settings and columns, and missing requirements of explicitly named metrics; a suite's metric
    whose requirements are missing is marked `unavailable` instead.
    """
    suites = tuple(dict.fromkeys(suites))
    planner = _Planner(suites, columns, resources, judges or _own_judge(resources))
    planned = tuple(_without_repeats(planner.metrics()))
    problems = [
        *_duplicate_suites(suites),
        *planner.problems,
        *_duplicate_names(planned, planner.nodes),
    ]
    if problems:
        raise PlanError(dict.fromkeys(problems))
    name = "+".join(suite.name for suite in suites)
    return Plan(name, tuple(planner.nodes.values()), planned, tuple(suites))


@dataclass
class _Planner:
    """The plan under construction: nodes and problems found so far."""

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

    def metrics(self) -> Iterator[PlannedMetric]:
        for suite in self.suites:
            for entry in suite.entries:
                yield from self._by_judge(suite, entry)
            for number, check in enumerate(suite.checks):
                yield from self._check(check, f"{suite.name} check {number + 1}")

    def _by_judge(self, suite: Suite, entry: Entry) -> Iterator[PlannedMetric]:
        """The entry, once for each of its judges."""
        named = entry.label.settings.get("judge")
        if named is None and len(self.judges) > 1 and self._is_judged(entry.label, suite):
            for judge in self.judges:
                self.judge = judge
                planned = self._entry(suite, entry)
                yield replace(planned, name=f"{planned.name} [{judge}]")
            self.judge = self.judges[0]
            return
        self.judge = str(named) if named else (self.judges[0] if self.judges else None)
        yield self._entry(suite, entry)

    def _is_judged(self, label: Label, suite: Suite) -> bool:
        """Whether the metric's value depends on a judge."""
        metric = catalog.metrics().get(label.name)
        return metric is not None and self._uses_judge(metric, suite)

    def _uses_judge(self, definition: Definition, suite: Suite, seen: tuple[str, ...] = ()) -> bool:
        if "judge" in definition.resources:
            return True
        for column in definition.columns:
            if column.name in seen or (column.takes_score and self._is_given(column.name, suite)):
                continue
            definitions = catalog.metrics() if column.takes_score else catalog.features()
            inner = definitions.get(column.name)
            if inner is not None and self._uses_judge(inner, suite, (*seen, column.name)):
                return True
        return False

    def _prompts(self, definition: Definition, seen: tuple[str, ...] = ()) -> set[str]:
        """The prompts of a definition and of the features that it needs."""
        names = set(definition.prompts)
        for column in definition.columns:
            feature = catalog.features().get(column.name)
            if feature and not column.takes_score and column.name not in seen:
                names |= self._prompts(feature, (*seen, column.name))
        return names

    def _entry(self, suite: Suite, entry: Entry) -> PlannedMetric:
        unavailable = None
        try:
            metric, settings = self._resolve(entry.label, suite)
        except LabelError as error:
            self.problems.append(str(error))
            return _planned(entry, str(entry.label), None, None, str(error))
        label = str(metric.label(settings))
        named = str(metric.label(catalog.find(entry.label)[1]))
        missing = self._missing(metric, suite)
        if missing and suite.explicit:
            self.problems.append(f"{label} needs {missing}; {_option_for(missing)}")
        if missing:
            unavailable = f"needs {missing}; none is configured"
            return _planned(entry, label, metric, None, unavailable, named)
        node = self._node(metric, settings, suite)
        return _planned(entry, label, metric, node.key, named=named)

    def _resolve(self, label: Label, suite: Suite) -> tuple[Metric, dict[str, SettingValue]]:
        """The metric and its settings, with those of the run's models, judge and parts filled in."""
        metric, settings = catalog.find(label)
        if "judge" in settings and self.judges and self._uses_judge(metric, suite):
            self._fill_judge(metric, label, settings)
        for resource in metric.resources:
            if resource == "judge":
                continue
            for name, value in self.resources.get(resource, {}).items():
                if name in settings and name not in label.settings:
                    settings[name] = value
        if settings.get("layer", 0) is None:
            settings["layer"] = model_info(str(settings.get("model"))).layer
        if metric.check is not None and (problem := metric.check(settings)):
            self.problems.append(f"{metric.label(settings)}: {problem}")
        if PARTS in metric.implied:
            self._fill_parts(metric, label, settings, suite)
        return metric, settings

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
        prompts = "".join(str(digests.get(name, name)) for name in sorted(self._prompts(metric)))
        settings[PROMPTS] = sha256(prompts.encode()).hexdigest()[:DIGEST_LENGTH]
        wanted = label.settings.get(PROMPTS)
        if wanted is not None and wanted != settings[PROMPTS]:
            self.problems.append(
                f"{label} names other prompts than this run's, {settings[PROMPTS]!r}; leave prompts out of "
                "the label, or give the folder with the prompts that it names"
            )

    def _fill_parts(
        self, metric: Metric, label: Label, settings: dict[str, SettingValue], suite: Suite
    ) -> None:
        """Put the digest of a composite's parts into its settings if they are not the defaults.

        So that composites of different parts have different labels.
        """
        composite = str(metric.label(settings))
        if composite in self.composing:  # a circular dependency, which `_node` reports
            return
        self.composing.append(composite)
        parts = sorted(
            f"{column.name}={variant}"
            for column in metric.columns
            if column.takes_score
            and (variant := self._variant(column.name, settings.get("judge"), suite))
        )
        self.composing.pop()
        digest = sha256("\n".join(parts).encode()).hexdigest()[:DIGEST_LENGTH]
        settings[PARTS] = digest if parts else None
        wanted = label.settings.get(PARTS)
        if wanted is not None and wanted != settings[PARTS]:
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

    def _check(self, check: Check, group: str) -> Iterator[PlannedMetric]:
        # Imported here because compiling its number patterns is slow.
        from ragauge.metrics.checks import holds, mean_of

        suite = Suite(group, ())
        self._check_fields(check, group)
        rules: dict[str, str] = {}
        for name, label in check.rules:
            try:
                metric, settings = self._resolve(label, suite)
            except LabelError as error:
                self.problems.append(f"{group}: {name}: {error}")
                continue
            node = self._node(metric, settings, suite, f"{group}: {name}", check.where)
            rules[name] = node.key
            scale = 1.0 if label.name in COUNTS else check.scale
            yield PlannedMetric(name, name, metric, node.key, scale=scale, digits=check.digits)
        combined = [holds(name, expression) for name, expression in check.holds]
        averaged = [
            name for name, label in check.rules if name in rules and label.name not in COUNTS
        ]
        combined += [mean_of(check.mean, averaged)] if check.mean else []
        for metric in combined:
            inputs = tuple(Input(node=rules.get(column.name)) for column in metric.columns)
            node = Node(f"{group}: {metric.name}", metric, {}, inputs, where=check.where)
            self.nodes[node.key] = node
            scale, digits = check.scale, check.digits
            yield PlannedMetric(
                metric.name, metric.name, metric, node.key, scale=scale, digits=digits
            )

    def _check_fields(self, check: Check, group: str) -> None:
        fields = {*FIELDS, *self.columns}
        for name in sorted(check.where.fields - fields if check.where else ()):
            hint = did_you_mean(name, fields) or f"; they have {', '.join(sorted(self.columns))}"
            self.problems.append(f"{group}: the samples have no field {name!r}{hint}")

    def _node(
        self,
        definition: Metric | Feature,
        settings: Mapping[str, SettingValue],
        suite: Suite,
        key: str = "",
        where: Filter | None = None,
    ) -> Node:
        key = key or _key(definition, settings)
        if key in self.nodes:
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
        node = Node(key, definition, settings, inputs, self._is_per_reference(inputs), where)
        self.nodes[key] = node
        return node

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
            own = {
                setting.name: settings.get(setting.name, setting.default)
                for setting in feature.settings
            }
            return Input(node=self._node(feature, own, suite).key)
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
        hint = (
            did_you_mean(name, columns) or f"; the samples have {', '.join(sorted(self.columns))}"
        )
        self.problems.append(f"{definition.name} needs the column {name!r}{hint}")
        return Input(unavailable=f"no column {name!r}")

    def _variants(self, name: str, suite: Suite) -> list[Entry]:
        """The entries for a metric in this suite; in the other suites if it has none."""
        return _entries_of(suite, name) or [
            entry for other in self.suites for entry in _entries_of(other, name)
        ]

    def _is_given(self, name: str, suite: Suite) -> bool:
        """Whether a composite's part is read from a column of the samples."""
        return name in self.columns and not self._variants(name, suite)

    def _part(self, name: str, suite: Suite) -> Input:
        """A composite's part: the suite's own variant, else a column, else the default metric.

        A column also replaces a variant whose requirements are missing.
        """
        entries = self._variants(name, suite)
        if len({str(entry.label) for entry in entries}) > 1:
            labels = ", ".join(str(entry.label) for entry in entries)
            self.problems.append(
                f"a composite needs one variant of {name!r}, but there are several: {labels}; keep one"
            )
        label = entries[0].label if entries else Label(name)
        given = Input(column=name) if name in self.columns else None
        if given and not entries:
            return given
        try:
            metric, settings = self._resolve(label, suite)
        except LabelError:
            if given:
                return given
            return Input(unavailable=f"{name} is not available")
        missing = self._missing(metric, suite)
        if missing:
            return given or Input(unavailable=f"{name} needs {missing}; none is configured")
        return Input(node=self._node(metric, settings, suite).key)

    def _missing(self, definition: Definition, suite: Suite, seen: tuple[str, ...] = ()) -> str:
        """The missing resources of a definition and of the features that it needs, as text."""
        missing = [
            _with_article(name) for name in definition.resources if name not in self.resources
        ]
        for column in definition.columns:
            feature = catalog.features().get(column.name)
            if feature and not column.takes_score and column.name not in seen:
                inner = self._missing(feature, suite, (*seen, column.name))
                missing += [inner] if inner else []
        return " and ".join(dict.fromkeys(missing))

    def _is_per_reference(self, inputs: Sequence[Input]) -> bool:
        """Whether a node with these inputs is computed for each reference.

        Not if it reads `references`: it then takes all references of a sample together.
        """
        if any(source.column == REFERENCES for source in inputs):
            return False
        return any(
            source.column == REFERENCE
            or (
                source.node is not None
                and source.node in self.nodes
                and self.nodes[source.node].per_reference
                and isinstance(self.nodes[source.node].definition, Feature)
            )
            for source in inputs
        )


def _own_judge(resources: Defaults) -> tuple[str, ...]:
    name = resources.get("judge", {}).get("judge")
    return (str(name),) if name else ()


def _entries_of(suite: Suite, name: str) -> list[Entry]:
    return [entry for entry in suite.entries if entry.label.name == name]


def _planned(
    entry: Entry,
    label: str,
    metric: Metric | None,
    node: str | None,
    unavailable: str | None = None,
    named: str | None = None,
) -> PlannedMetric:
    """A suite's entry as a metric of the plan.

    `named`: the label that the user gave, without the settings that the run filled in.
    """
    name = named or label if entry.name == str(entry.label) else entry.name
    return PlannedMetric(
        label, name, metric, node, unavailable, entry.scale, entry.digits, entry.show
    )


def _duplicate_suites(suites: Sequence[Suite]) -> Iterator[str]:
    names = [suite.name for suite in suites if suite.checks]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"two different suites are named {name!r}; give one of them another name"


def _duplicate_names(planned: Sequence[PlannedMetric], nodes: Mapping[str, Node]) -> Iterator[str]:
    """A problem for each name of several metrics on the same rows; checks of other rows may share one."""
    filters: dict[str, list[str | None]] = {}
    for metric in planned:
        if metric.node is not None and metric.node in nodes:
            where = nodes[metric.node].where
            filters.setdefault(metric.metric, []).append(where.text if where else None)
    for name, texts in filters.items():
        if len(texts) > 1 and (None in texts or len(set(texts)) < len(texts)):
            yield f"two different metrics are named {name!r} and score the same rows; rename one"


def _without_repeats(planned: Iterator[PlannedMetric]) -> Iterator[PlannedMetric]:
    """Each metric once, even if several suites contain it."""
    seen: set[tuple[str, str | None]] = set()
    for metric in planned:
        if (metric.metric, metric.node) not in seen:
            seen.add((metric.metric, metric.node))
            yield metric


def _key(definition: Metric | Feature, settings: Mapping[str, SettingValue]) -> str:
    if isinstance(definition, Metric):
        return str(definition.label(settings))
    values = {setting.name: settings[setting.name] for setting in definition.settings}
    return f"feature {Label(definition.name, values)}"


def _describe(node: Node) -> dict[str, object]:
    version = node.definition.version if isinstance(node.definition, Metric) else None
    inputs = [source.column or source.node or source.unavailable for source in node.inputs]
    where = node.where.text if node.where else None
    settings = dict(node.settings)
    return {
        "key": node.key,
        "version": version,
        "settings": settings,
        "inputs": inputs,
        "where": where,
    }


def _with_article(resource: str | None) -> str:
    return {"encoder": "an encoder", "judge": "a judge"}.get(resource or "", "something")


def _option_for(missing: str) -> str:
    """The option that provides a missing resource."""
    return (
        "give one with --judge (judge= from Python)"
        if "judge" in missing
        else "give one with --encoder"
    )
