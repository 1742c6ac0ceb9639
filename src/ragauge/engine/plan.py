"""The plan: what is asked for and what the samples hold, as one acyclic graph of shared work.

Names are walked backwards from the metrics asked for: a column of the samples, a feature, another
metric. What several metrics need becomes one node. Every problem is found before any work is done.
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
"""Rules that count: no scale fits them, and no mean takes them in."""
Defaults = Mapping[str, Mapping[str, SettingValue]]
NO_RESOURCES: Defaults = {}


@dataclass(frozen=True, slots=True)
class Input:
    """Where a parameter's values come from: a column of the samples, or the node of that key.

    Neither, for a part of a composite that cannot be had: then `unavailable` says why.
    """

    column: str | None = None
    node: str | None = None
    unavailable: str | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """One function with its settings, computed once whoever needs it.

    `per_reference`: it is computed for each reference of a sample; a metric then keeps the best.
    `where`: it is computed for those rows only.
    """

    key: str
    definition: Metric | Feature
    settings: Mapping[str, SettingValue]
    inputs: tuple[Input, ...]
    per_reference: bool = False
    where: Filter | None = None


@dataclass(frozen=True, slots=True)
class PlannedMetric:
    """One column of the result: `metric` in the scores, shown as `name` times `scale`.

    `node` computes it; None where something is `unavailable`, and every row is skipped for that reason.
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
    """Nodes in an order in which each stands behind what it needs, and what is asked of them."""

    name: str
    nodes: tuple[Node, ...]
    metrics: tuple[PlannedMetric, ...]
    suites: tuple[Suite, ...]

    @property
    def columns(self) -> frozenset[str]:
        """The sample columns that the plan reads."""
        read = {one.column for node in self.nodes for one in node.inputs if one.column}
        read |= {name for node in self.nodes if node.where for name in node.where.fields}
        if REFERENCE in read:
            read = (read - {REFERENCE}) | {REFERENCES}
        return frozenset(read)

    @property
    def unavailable(self) -> tuple[PlannedMetric, ...]:
        """What is asked for and cannot be had."""
        return tuple(one for one in self.metrics if one.unavailable)

    def describe(self) -> dict[str, object]:
        """Labels, versions, settings and how they are shown, as JSON data.

        With the samples, that is all that fixes a run.
        """
        return {
            "nodes": [_describe(node) for node in self.nodes],
            "metrics": [
                [one.metric, one.name, one.node, one.unavailable, one.scale, one.digits, one.show]
                for one in self.metrics
            ],
            "findings": [
                [one.when.text, one.says] for suite in self.suites for one in suite.findings
            ],
        }


def make_plan(
    suites: Sequence[Suite],
    columns: Collection[str],
    resources: Defaults = NO_RESOURCES,
    judges: Sequence[str] = (),
) -> Plan:
    """The plan for these suites over samples with these columns and resources.

    For each resource that is there, `resources` has the settings that name it: a metric whose label
    does not name another one gets them, so labels say which model a number is of. PlanError lists
    every problem: unknown metrics, settings and columns, and what explicitly asked metrics lack.
    What a suite's metric lacks is no problem: it is marked `unavailable`. With several `judges` what is
    judged is asked of each, under the judge's name.
    """
    suites = tuple(dict.fromkeys(suites))
    planner = _Planner(suites, columns, resources, judges or _own_judge(resources))
    planned = tuple(_once(planner.metrics()))
    problems = [*_namesakes(suites), *planner.problems, *_clashes(planned, planner.nodes)]
    if problems:
        raise PlanError(dict.fromkeys(problems))
    name = "+".join(suite.name for suite in suites)
    return Plan(name, tuple(planner.nodes.values()), planned, tuple(suites))


@dataclass
class _Planner:
    suites: Sequence[Suite]
    columns: Collection[str]
    resources: Defaults
    judges: Sequence[str] = ()
    judge: str | None = None
    """The judge that is asked by what is being planned."""
    nodes: dict[str, Node] = field(default_factory=dict[str, Node])
    problems: list[str] = field(default_factory=list[str])
    open: list[str] = field(default_factory=list[str])
    """Keys of the nodes being walked, from the metric asked for to the present one."""
    composing: list[str] = field(default_factory=list[str])
    """Labels of the composites whose parts are being found, the same way."""

    def metrics(self) -> Iterator[PlannedMetric]:
        for suite in self.suites:
            for entry in suite.entries:
                yield from self._by_judge(suite, entry)
            for number, check in enumerate(suite.checks):
                yield from self._check(check, f"{suite.name} check {number + 1}")

    def _by_judge(self, suite: Suite, entry: Entry) -> Iterator[PlannedMetric]:
        """The entry, once for each judge that it asks."""
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
        """Whether a judge has a part in the metric's value."""
        metric = catalog.metrics().get(label.name)
        return metric is not None and self._asks(metric, suite)

    def _asks(self, definition: Definition, suite: Suite, seen: tuple[str, ...] = ()) -> bool:
        if "judge" in definition.resources:
            return True
        for column in definition.columns:
            if column.name in seen or (column.takes_score and self._is_given(column.name, suite)):
                continue
            of = catalog.metrics() if column.takes_score else catalog.features()
            inner = of.get(column.name)
            if inner is not None and self._asks(inner, suite, (*seen, column.name)):
                return True
        return False

    def _prompts(self, definition: Definition, seen: tuple[str, ...] = ()) -> set[str]:
        """The prompts that it and the features it is made of ask with."""
        names = set(definition.prompts)
        for column in definition.columns:
            feature = catalog.features().get(column.name)
            if feature and not column.takes_score and column.name not in seen:
                names |= self._prompts(feature, (*seen, column.name))
        return names

    def _entry(self, suite: Suite, entry: Entry) -> PlannedMetric:
        unavailable = None
        try:
            metric, settings = self._found(entry.label, suite)
        except LabelError as error:
            self.problems.append(str(error))
            return _shown(entry, str(entry.label), None, None, str(error))
        label = str(metric.label(settings))
        called = str(metric.label(catalog.find(entry.label)[1]))
        missing = self._lacking(metric, suite)
        if missing and suite.explicit:
            self.problems.append(f"{label} needs {missing}; {_way_out(missing)}")
        if missing:
            unavailable = f"needs {missing}; none is configured"
            return _shown(entry, label, metric, None, unavailable, called)
        return _shown(entry, label, metric, self._node(metric, settings, suite).key, called=called)

    def _found(self, label: Label, suite: Suite) -> tuple[Metric, dict[str, SettingValue]]:
        """The metric and its settings, those that name a resource filled in."""
        metric, settings = catalog.find(label)
        if "judge" in settings and self.judges and self._asks(metric, suite):
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
                f"{label} asks the judge {judge!r}; there {_are(self.judges)}, give it with --judge"
            )
        if PROMPTS not in settings:
            return
        digests = self.resources.get(PROMPTS, {})
        own = sha256(
            "".join(str(digests.get(one, one)) for one in sorted(self._prompts(metric))).encode()
        )
        settings[PROMPTS] = own.hexdigest()[:DIGEST_LENGTH]
        wanted = label.settings.get(PROMPTS)
        if wanted is not None and wanted != settings[PROMPTS]:
            self.problems.append(
                f"{label} is of other prompts: those in use are {settings[PROMPTS]!r}; leave prompts out "
                "of the label, or give the folder with the right ones"
            )

    def _fill_parts(
        self, metric: Metric, label: Label, settings: dict[str, SettingValue], suite: Suite
    ) -> None:
        """Put the digest of a composite's parts into its settings, where they are not the defaults.

        So one label is one number: the same composite of a suite's own variants is another.
        """
        called = str(metric.label(settings))
        if called in self.composing:  # a circle, which is told where its nodes are made
            return
        self.composing.append(called)
        parts = sorted(
            f"{column.name}={made}"
            for column in metric.columns
            if column.takes_score
            and (made := self._made(column.name, settings.get("judge"), suite))
        )
        self.composing.pop()
        digest = sha256("\n".join(parts).encode()).hexdigest()[:DIGEST_LENGTH]
        settings[PARTS] = digest if parts else None
        wanted = label.settings.get(PARTS)
        if wanted is not None and wanted != settings[PARTS]:
            self.problems.append(
                f"{label} is of other parts; in this run it is {metric.label(settings)}: leave parts out "
                "of the label, or ask for the same variants of its parts beside it"
            )

    def _made(self, name: str, judge: SettingValue, suite: Suite) -> str | None:
        """The label and version of a part; None where it is what its name alone stands for."""
        node = self.nodes.get(self._part(name, suite).node or "")
        if node is None or not isinstance(node.definition, Metric):
            return None
        told = node.definition.label(node.settings)
        if told == Label(name) and name not in self.columns:
            return None
        # The composite's own judge stands in its label.
        own = {k: v for k, v in told.settings.items() if (k, v) != ("judge", judge)}
        return f"{Label(told.name, own)} version {node.definition.version}"

    def _check(self, check: Check, group: str) -> Iterator[PlannedMetric]:
        # Imported here: the rules read numbers, and their patterns take long to compile.
        from ragauge.metrics.checks import holds, mean_of

        suite = Suite(group, ())
        self._check_fields(check, group)
        rules: dict[str, str] = {}
        for name, label in check.rules:
            try:
                metric, settings = self._found(label, suite)
            except LabelError as error:
                self.problems.append(f"{group}: {name}: {error}")
                continue
            node = self._node(metric, settings, suite, f"{group}: {name}", check.where)
            rules[name] = node.key
            scale = 1.0 if label.name in COUNTS else check.scale
            yield PlannedMetric(name, name, metric, node.key, scale=scale, digits=check.digits)
        made = [holds(name, expression) for name, expression in check.holds]
        averaged = [
            name for name, label in check.rules if name in rules and label.name not in COUNTS
        ]
        made += [mean_of(check.mean, averaged)] if check.mean else []
        for metric in made:
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
        if key in self.open:
            circle = " → ".join([*self.open[self.open.index(key) :], key])
            self.problems.append(f"these need each other in a circle: {circle}")
            return Node(key, definition, settings, ())
        self.open.append(key)
        inputs = tuple(
            self._input(column, definition, settings, suite) for column in definition.columns
        )
        self.open.pop()
        if definition.corpus and any(one.column in (None, REFERENCE) for one in inputs):
            self.problems.append(f"{definition.name} is of the whole data: it reads fields only")
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
            own = {one.name: settings.get(one.name, one.default) for one in feature.settings}
            return Input(node=self._node(feature, own, suite).key)
        if name in self.columns:
            return Input(column=name)
        if _named(suite, name) or name in catalog.metrics():
            part = self._part(name, suite)
            if made := self._made(name, None, suite):
                self.problems.append(
                    f"{definition.name} takes {name!r} as a number, and this run's is {made}, which its "
                    f"label could not tell; write {name}: Score instead, and take its value"
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
        """How a metric is asked for: by the suite itself, else by the others."""
        return _named(suite, name) or [
            entry for other in self.suites for entry in _named(other, name)
        ]

    def _is_given(self, name: str, suite: Suite) -> bool:
        """Whether a composite's part is a column of the samples."""
        return name in self.columns and not self._variants(name, suite)

    def _part(self, name: str, suite: Suite) -> Input:
        """A composite's part: the suite's own variant, else a column, else the default metric.

        A column also stands in for a variant that cannot be had.
        """
        entries = self._variants(name, suite)
        if len({str(entry.label) for entry in entries}) > 1:
            labels = ", ".join(str(entry.label) for entry in entries)
            self.problems.append(f"a composite needs {name!r}, but there are several: {labels}")
        label = entries[0].label if entries else Label(name)
        given = Input(column=name) if name in self.columns else None
        if given and not entries:
            return given
        try:
            metric, settings = self._found(label, suite)
        except LabelError:
            if given:
                return given
            return Input(unavailable=f"{name} is not there")
        missing = self._lacking(metric, suite)
        if missing:
            return given or Input(unavailable=f"{name} needs {missing}; none is configured")
        return Input(node=self._node(metric, settings, suite).key)

    def _lacking(self, definition: Definition, suite: Suite, seen: tuple[str, ...] = ()) -> str:
        """The resources that it or what it is made of needs and that are not there, as text."""
        found = [_a(name) for name in definition.resources if name not in self.resources]
        for column in definition.columns:
            feature = catalog.features().get(column.name)
            if feature and not column.takes_score and column.name not in seen:
                inner = self._lacking(feature, suite, (*seen, column.name))
                found += [inner] if inner else []
        return " and ".join(dict.fromkeys(found))

    def _is_per_reference(self, inputs: Sequence[Input]) -> bool:
        """Whether it is computed for each reference; what names `references` takes them together."""
        if any(one.column == REFERENCES for one in inputs):
            return False
        return any(
            one.column == REFERENCE
            or (
                one.node is not None
                and one.node in self.nodes
                and self.nodes[one.node].per_reference
                and isinstance(self.nodes[one.node].definition, Feature)
            )
            for one in inputs
        )


def _own_judge(resources: Defaults) -> tuple[str, ...]:
    name = resources.get("judge", {}).get("judge")
    return (str(name),) if name else ()


def _are(judges: Sequence[str]) -> str:
    return f"is {judges[0]}" if len(judges) == 1 else f"are {', '.join(judges)}"


def _named(suite: Suite, name: str) -> list[Entry]:
    return [entry for entry in suite.entries if entry.label.name == name]


def _shown(
    entry: Entry,
    label: str,
    metric: Metric | None,
    node: str | None,
    unavailable: str | None = None,
    called: str | None = None,
) -> PlannedMetric:
    """`called`: the label as it was asked for, without the model that the run filled in."""
    name = called or label if entry.name == str(entry.label) else entry.name
    return PlannedMetric(
        label, name, metric, node, unavailable, entry.scale, entry.digits, entry.show
    )


def _namesakes(suites: Sequence[Suite]) -> Iterator[str]:
    names = [suite.name for suite in suites if suite.checks]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"two different suites are named {name!r}; give one of them another name"


def _clashes(planned: Sequence[PlannedMetric], nodes: Mapping[str, Node]) -> Iterator[str]:
    """Names that would stand twice at the same row: only checks of different rows may share one."""
    filters: dict[str, list[str | None]] = {}
    for one in planned:
        if one.node is not None and one.node in nodes:
            where = nodes[one.node].where
            filters.setdefault(one.metric, []).append(where.text if where else None)
    for name, texts in filters.items():
        if len(texts) > 1 and (None in texts or len(set(texts)) < len(texts)):
            yield f"{name!r} is asked of the same rows twice, in two ways; rename one"


def _once(planned: Iterator[PlannedMetric]) -> Iterator[PlannedMetric]:
    """Each metric once: two suites may ask for the same; checks of different questions may not."""
    seen: set[tuple[str, str | None]] = set()
    for one in planned:
        if (one.metric, one.node) not in seen:
            seen.add((one.metric, one.node))
            yield one


def _key(definition: Metric | Feature, settings: Mapping[str, SettingValue]) -> str:
    if isinstance(definition, Metric):
        return str(definition.label(settings))
    changed = {one.name: settings[one.name] for one in definition.settings}
    return f"feature {Label(definition.name, changed)}"


def _describe(node: Node) -> dict[str, object]:
    version = node.definition.version if isinstance(node.definition, Metric) else None
    inputs = [one.column or one.node or one.unavailable for one in node.inputs]
    where = node.where.text if node.where else None
    settings = dict(node.settings)
    return {
        "key": node.key,
        "version": version,
        "settings": settings,
        "inputs": inputs,
        "where": where,
    }


def _a(resource: str | None) -> str:
    return {"encoder": "an encoder", "judge": "a judge"}.get(resource or "", "something")


def _way_out(missing: str) -> str:
    return (
        "give one with --judge (judge= from Python)"
        if "judge" in missing
        else "give one with --encoder"
    )
