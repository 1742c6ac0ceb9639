"""List the metrics and suites, or explain one metric."""

import inspect
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path

from ragauge import catalog
from ragauge.cli.declare import declare
from ragauge.cli.options import PLUGINS, import_plugins
from ragauge.cli.output import OutputOptions, write_report
from ragauge.engine.plan import make_plan
from ragauge.engine.selection import unknown_metric
from ragauge.errors import LabelError, PlanError
from ragauge.label import Label
from ragauge.metric import Definition, Metric
from ragauge.report.report import Cell, Report, Table, figure, several
from ragauge.suite import Suite, shipped_suites

FILLED_IN = {
    "model": "the run's encoder",
    "layer": "the layer known for the model, else the last one",
}
"""What the run uses where a setting is null."""


@declare("metrics")
def command(
    name: str | None = None, *, plugins: tuple[Path, ...] = PLUGINS, writing: OutputOptions
) -> None:
    """List the metrics and suites, or explain one of them.

    NAME is a metric, with or without settings; the name of a suite; or a suite's TOML file.
    """
    targets = writing.targets()
    import_plugins(plugins)
    if name is None:
        report = Report("", tables=list(_catalog_tables()))
    elif name in shipped_suites() or name.endswith(".toml"):
        report = Report("", tables=list(_suite_tables(Suite.load(name))))
    else:
        label = given = Label.parse(name) if "-" not in name else Label(name)
        if given.name not in catalog.metrics():  # another tool's name, such as P_10 or recip_rank
            with suppress(LabelError):
                label = catalog.read_label(name)
            if label.name not in catalog.metrics():
                raise PlanError(unknown_metric(given))
        metric = catalog.find(label)[0]
        data, tables = _metric_data(metric), list(_metric_tables(metric))
        records = list(data), [list(data.values())]
        report = Report("", tables=tables, records=lambda: records, data=lambda: data)
    write_report(report, targets)


def _catalog_tables() -> Iterator[Table]:
    """The metrics, each with the range of areas under the ROC curve over labelled sets, if measured; the suites."""
    rows: list[tuple[str | Cell, ...]] = []
    for name, metric in catalog.metrics().items():
        ends = metric.trust.auroc if metric.trust else ()
        areas = "–".join(dict.fromkeys(f"{end:.2f}" for end in ends))
        auroc = Cell(areas, value=[*ends] or None)
        rows.append((name, metric.summary, auroc, several(fields_of(metric))))
    note = "AUROC: agreement with people, lowest and highest of several data sets; 0.5 is chance"
    header = ("metric", "what it measures", "AUROC", "reads")
    yield Table(header, rows, n_names=4, wraps=True, caption="Metrics", closing=["", note])
    suites = [(suite.name, suite.title) for suite in map(Suite.load, shipped_suites())]
    yield Table(("suite", "purpose"), suites, n_names=2, wraps=True, caption="Suites")


def _metric_tables(metric: Metric) -> Iterator[Table]:
    """What a metric means, what it reads, and how far it agrees with people."""
    low, high = ("unbounded" if end is None else f"{end:g}" for end in (metric.low, metric.high))
    better = "lower" if metric.lower_is_better else "higher"
    text = inspect.getdoc(metric.function) or "No documentation."
    lines = [f"{metric.name} (version {metric.version})", "", *text.splitlines(), ""]
    lines.append(f"Reads: {', '.join(fields_of(metric))}")
    lines.append(f"Range: {low} to {high}, {better} is better")
    lines += ["Settings and their defaults:"] if metric.settings else []
    for setting in metric.settings:
        default = json.dumps(setting.default, ensure_ascii=False)
        filled = FILLED_IN.get(setting.name) if setting.default is None else None
        lines.append(f"  {setting.name} = {default}{f' ({filled})' if filled else ''}")
    if (trust := metric.trust) is None:
        yield Table((), (), closing=lines)
        return
    # How its agreement with people was measured, and when not to rely on it.
    versions = " and ".join(map(str, trust.versions))
    day = f" on {trust.measured_on}" if trust.measured_on else ""
    texts = f" on texts in {' and '.join(trust.languages)}" if trust.languages else ""
    how = f"Agreement with people, measured{day} with version {versions}{texts}:"
    lines += ["", how, trust.note]
    for each in trust.cautions:
        where = f" (if {each.when})" if each.when else ""
        lines.append(f"Caution: {each.label}: {each.says}{where}; {each.figure}")
    if any(each.version != metric.version for each in trust.measured):
        version = f"another version than {metric.version}, which is this one"
        lines.append(f"The figures are of {version}.")
    yield Table((), (), closing=lines)
    rows: list[tuple[str | Cell, ...]] = []
    for each in trust.measured:
        area = "–".join(dict.fromkeys(f"{end:.2f}" for end in each.auroc)) + " †" * each.is_fitted
        tau = "" if each.tau is None else f"{each.tau:.2f} ({each.n_systems})"
        what, n = f"{each.claim}: {each.kind}", figure(each.n)
        cells = (Cell(area, value=[*each.auroc]), Cell(tau, value=each.tau), n)
        rows.append((each.label, what, *cells, several(each.sets)))
    fitted = "† The metric was fitted on some of these sets; expect lower figures on others."
    closing = ["", fitted] if any(each.is_fitted for each in trust.measured) else []
    header = ("metric", "label and texts", "AUROC", "τ (systems)", "answers", "sets")
    caption = f"Agreement of {metric.name} with people"
    yield Table(header, rows, sides="llllrl", wraps=True, caption=caption, closing=closing)


def _metric_data(metric: Metric) -> dict[str, object]:
    """The same for programs."""
    named = ("name", "version", "summary", "low", "high", "lower_is_better")
    return {
        **{name: getattr(metric, name) for name in named},
        "reads": fields_of(metric),
        "settings": {setting.name: setting.default for setting in metric.settings},
        "documentation": inspect.getdoc(metric.function),
        "agreement": metric.trust and asdict(metric.trust),
    }


def _suite_tables(suite: Suite) -> Iterator[Table]:
    """The metrics of a suite, and each result of its checks with its rule and the rows that it applies to."""
    source = f" ({suite.source})" if suite.source else ""
    yield Table((), (), closing=[f"{suite.name}: {suite.title}{source}"])
    known = catalog.metrics()
    names = [entry.label.name for entry in suite.entries if entry.label.name in known]
    columns = {column for name in names for column in fields_of(known[name])}
    # An encoder is built in.
    plan = make_plan([replace(suite, checks=())], columns, {"encoder": {}})
    rows = [(metric.name, metric.metric, metric.unavailable or "") for metric in plan.metrics]
    for check in suite.checks:
        where = f"where {check.where.text}" if check.where else ""
        rows += [(name, str(label), where) for name, label in check.rules]
        rows += [(name, expression.text, where) for name, expression in check.holds]
        rows += [(check.mean, "the mean of the rules", where)] if check.mean else []
    yield Table(("name", "metric", "note"), rows, n_names=3, wraps=True, caption=suite.title)


def fields_of(definition: Definition, seen: frozenset[str] = frozenset()) -> list[str]:
    """The fields of a sample that a metric or feature reads, directly or through features."""
    fields: dict[str, None] = {}
    for column in definition.columns:
        feature = catalog.features().get(column.name)
        if feature is None or column.name in seen:
            fields[column.name] = None
        else:
            fields |= dict.fromkeys(fields_of(feature, seen | {column.name}))
    return list(fields)
