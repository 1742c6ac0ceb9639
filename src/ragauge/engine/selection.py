"""Read the metrics that a caller names (suites, files, labels, functions) as suites."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import cast

from ragauge import catalog
from ragauge.errors import LabelError, PlanError, SuiteError, did_you_mean
from ragauge.label import Label
from ragauge.metric import METRICS
from ragauge.samples.fields import MEASURED, REFERENCES
from ragauge.samples.samples import Samples
from ragauge.suite import Entry, Suite, names_of, shipped_suites

DEFAULT = "rag"
MetricLike = str | Path | Suite | Label | Callable[..., object]
"""A suite's name or file, a suite, a label, or a metric's function."""


def suites_of(metrics: MetricLike | Sequence[MetricLike]) -> list[Suite]:
    """The suites that a caller names, single metrics put into one; PlanError with every name that
    is neither suite nor metric."""
    several = not isinstance(metrics, str | Path | Suite | Label) and isinstance(metrics, Iterable)
    read: list[Suite | Entry] = []
    problems: list[str] = []
    for metric in cast(Sequence[MetricLike], metrics) if several else [cast(MetricLike, metrics)]:
        try:
            read.append(read_metric(metric))
        except (SuiteError, LabelError) as error:
            problems.append(str(error))
    if problems or not read:
        raise PlanError(problems or "no metrics given; name a suite or a metric")
    entries = tuple(each for each in read if isinstance(each, Entry))
    own = [replace(Suite.of([]), entries=entries)] if entries else []
    return [*(each for each in read if isinstance(each, Suite)), *own]


def precision_of(suites: Sequence[Suite]) -> str | None:
    """The precision that suites name for the embedded encoder; PlanError if they name several."""
    named = {suite.precision: suite.name for suite in suites if suite.precision is not None}
    if len(named) > 1:
        each = " and ".join(f"{suite} {precision}" for precision, suite in named.items())
        raise PlanError([f"a run has one precision, and the suites name several: {each}"])
    return next(iter(named), None)


def without(suites: Sequence[Suite], names: Sequence[str]) -> list[Suite]:
    """The suites, as far as something is left, without these metrics; PlanError for unknown
    ones."""
    entries = [entry for suite in suites for entry in suite.entries]
    known = {name for entry in entries for name in (entry.name, str(entry.label))}
    problems = [
        f"cannot leave out {name!r}: it is not among the metrics of this run{did_you_mean(name, known)}"
        for name in names
        if name not in known
    ]
    without_them = (suite.without(names) for suite in suites)
    left = [suite for suite in without_them if suite.entries or suite.checks]
    if not left and not problems:
        problems.append("no metric is left; leave out fewer")
    if problems:
        raise PlanError(problems)
    return left


def fitting(suites: Sequence[Suite], samples: Samples) -> list[Suite]:
    """The suites without the metrics that say nothing of these samples: none of their questions is of the kind."""

    @cache
    def is_absent(kind: str) -> bool:
        """Whether every question has an answer, or no answer a value of this field."""
        from ragauge.features.texts import is_answerable

        needed = [kind] if kind in MEASURED else ["answerable", REFERENCES]
        names = [name for name in needed if name in samples.columns]
        for piece in samples.pieces(names) if names else ():
            if kind in MEASURED and piece[kind].null_count() < piece.height:
                return False
            rows = () if kind in MEASURED else piece.rows(named=True)
            if any(is_answerable(r.get("answerable"), r.get(REFERENCES)) is False for r in rows):
                return False
        return True

    left: list[Suite] = []
    for suite in suites:
        limited = [entry for entry in suite.entries if entry.only_for]
        names = {entry.name for entry in limited if is_absent(entry.only_for)}
        left.append(suite.without(names) if names else suite)
    return left


def read_metric(named: MetricLike) -> Suite | Entry:
    """A suite, or a metric of one; raises SuiteError or LabelError if it is neither."""
    if isinstance(named, Suite):
        return named
    if isinstance(named, Label):
        return Entry(named, str(named))
    if isinstance(named, Path) or str(named).endswith(".toml") or named in shipped_suites():
        return Suite.load(cast(str | Path, named))
    if isinstance(named, str):
        if entry := _named_by_default(named):
            return entry
        try:
            label = catalog.read_label(named)
        except LabelError as error:
            names = [entry.name for entry in Suite.load(DEFAULT).entries if " " in entry.name]
            if close := did_you_mean(named, names):
                raise LabelError(f"{error}{close}") from None
            if "-" not in named.split("(")[0]:
                raise
            label = Label(named)  # it may be meant as a suite's name
        if label.name not in catalog.metrics():
            raise SuiteError(unknown_metric(label))
        catalog.find(label)  # raises if a setting is wrong
        return Entry(label, str(label))
    for metric in METRICS.values():
        if named in (metric.function, getattr(metric.function, "__wrapped__", None)):
            return Entry(Label(metric.name), metric.name)
    raise SuiteError(f"{named!r} is not a metric; put @metric above its definition")


def _named_by_default(name: str) -> Entry | None:
    """The metric to which the default suite gives a name of its own, which the first screen shows."""
    entries = (entry for entry in Suite.load(DEFAULT).entries if entry.name == name)
    return next((Entry(entry.label, name) for entry in entries if name != str(entry.label)), None)


def unknown_metric(label: Label | str) -> str:
    """The error message for an unknown metric; says if a shipped suite uses the name."""
    name = label if isinstance(label, str) else label.name
    for suite in map(Suite.load, shipped_suites()):
        for entry in suite.entries:
            if name == entry.name:
                return f"{name} is the name of {entry.label} in the suite {suite.name}"
        for rule, checked in (rule for check in suite.checks for rule in check.rules):
            if name == rule:
                return f"{name} is a check of the suite {suite.name}: {checked}"
    return "\n".join([catalog.unknown(label, shipped_suites()), *catalog.BROKEN])


def suite_for_label(label: str) -> Suite:
    """The suite of a label, or of a metric or check of a shipped suite; PlanError if unknown."""
    if entry := _named_by_default(label):
        return Suite(label, (entry,), explicit=True)
    parsed = catalog.read_label(label)
    if parsed.name in catalog.metrics():
        return Suite.of([parsed])
    for suite in map(Suite.load, shipped_suites()):
        for check in suite.checks:
            if parsed.name in names_of(check):  # for every row
                return Suite(parsed.name, (), (replace(check, where=None),), explicit=True)
        for entry in suite.entries:
            if entry.name == parsed.name:
                return Suite(parsed.name, (Entry(entry.label, entry.name),), explicit=True)
    raise PlanError([unknown_metric(parsed)])
