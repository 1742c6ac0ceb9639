"""Which metrics a caller names: suites, files, labels and functions, read as suites."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from ragauge import catalog
from ragauge.errors import LabelError, PlanError, SuiteError
from ragauge.label import Label
from ragauge.metric import METRICS
from ragauge.suite import Entry, Suite, names_of, shipped_suites

MetricLike = str | Path | Suite | Label | Callable[..., object]
"""A suite's name or file, a suite, a label, or a metric's function."""


def suites_of(metrics: MetricLike | Sequence[MetricLike]) -> list[Suite]:
    """The suites that a caller names; single metrics make a suite of their own.

    PlanError lists everything that is neither a suite nor a metric.
    """
    several = not isinstance(metrics, str | Path | Suite | Label) and isinstance(metrics, Iterable)
    suites: list[Suite] = []
    labels: list[Label] = []
    problems: list[str] = []
    wanted = cast(Sequence[MetricLike], metrics) if several else [cast(MetricLike, metrics)]
    for metric in wanted:
        try:
            read = read_metric(metric)
        except (SuiteError, LabelError) as error:
            problems.append(str(error))
            continue
        if isinstance(read, Suite):
            suites.append(read)
        else:
            labels.append(read)
    if problems:
        raise PlanError(problems)
    if labels:
        suites.append(Suite.of(labels))
    if not suites:
        raise PlanError(["no metric is given; name a suite or a metric"])
    return suites


def read_metric(named: MetricLike) -> Suite | Label:
    """A suite, or the label of a metric. SuiteError or LabelError when it is neither."""
    if isinstance(named, Suite | Label):
        return named
    if isinstance(named, Path) or str(named).endswith(".toml") or named in shipped_suites():
        return Suite.load(cast(str | Path, named))
    if isinstance(named, str):
        label = _read_label(named)
        if label.name not in catalog.metrics():
            raise SuiteError(unknown_metric(label.name))
        catalog.find(label)  # reports a wrong setting with the other problems
        return label
    for metric in METRICS.values():
        if named in (metric.function, getattr(metric.function, "__wrapped__", None)):
            return Label(metric.name)
    raise SuiteError(f"{named!r} is not a metric; put @metric above its definition")


def _read_label(text: str) -> Label:
    """The label; a text with a hyphen that does not parse may be meant as the name of a suite."""
    try:
        return catalog.read_label(text)
    except LabelError:
        if "-" not in text.split("(")[0]:
            raise
        return Label(text)


def unknown_metric(name: str) -> str:
    """The error for a name that is not a metric: a suite may use it for something."""
    for suite in map(Suite.load, shipped_suites()):
        for entry in suite.entries:
            if name == entry.name:
                return f"{name} is what the suite {suite.name} calls {entry.label}"
        for rule, label in (rule for check in suite.checks for rule in check.rules):
            if name == rule:
                return f"{name} is a check of the suite {suite.name}: {label}"
    return "\n".join([catalog.unknown(name, shipped_suites()), *catalog.BROKEN])


def suite_of_one(label: str) -> Suite:
    """The suite of one label, or of what a shipped suite calls by this name. PlanError if unknown."""
    parsed = catalog.read_label(label)
    if parsed.name in catalog.metrics():
        return Suite.of([parsed])
    if found := _from_suites(parsed.name):
        return found
    raise PlanError([unknown_metric(parsed.name)])


def _from_suites(name: str) -> Suite | None:
    """The check or metric that a shipped suite calls by this name, asked of every row."""
    for shipped in shipped_suites():
        loaded = Suite.load(shipped)
        for check in loaded.checks:
            if name in names_of(check):
                return Suite(name, (), (replace(check, where=None),), explicit=True)
        for entry in loaded.entries:
            if entry.name == name:
                return Suite(name, (Entry(entry.label, name),), explicit=True)
    return None
