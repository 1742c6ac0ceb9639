"""`ragauge metrics`."""

import inspect
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click

from ragauge import catalog
from ragauge.cli.declare import declare
from ragauge.cli.options import PLUGINS, import_plugins
from ragauge.engine.plan import make_plan
from ragauge.engine.selection import unknown_metric
from ragauge.errors import LabelError, PlanError
from ragauge.label import Label
from ragauge.metric import Definition, Metric
from ragauge.suite import Check, Suite, shipped_suites
from ragauge.trust import Trust


@declare("metrics")
def command(name: str | None = None, *, plugins: tuple[Path, ...] = PLUGINS) -> None:
    """List the metrics and suites, or explain one of them.

    NAME is a metric, with or without settings; the name of a suite; or a suite's TOML file.
    """
    import_plugins(plugins)
    if name is None:
        _list()
    elif name in shipped_suites() or name.endswith(".toml"):
        _explain_suite(Suite.load(name))
    else:
        label = Label.parse(name) if "-" not in name else Label(name)
        if label.name not in catalog.metrics():
            label = _other_name(name, label)
        _explain(catalog.find(label)[0])


def _other_name(name: str, label: Label) -> Label:
    """The metric under another tool's name, such as P_10 or recip_rank."""
    try:
        renamed = catalog.read_label(name)
    except LabelError:
        renamed = label
    if renamed.name not in catalog.metrics():
        raise PlanError([unknown_metric(label)])
    return renamed


def _list() -> None:
    from ragauge.report.terminal import console, print_table

    out = console(sys.stdout)
    rows = [
        (name, metric.summary, _areas(metric), ", ".join(fields_of(metric)))
        for name, metric in catalog.metrics().items()
    ]
    print_table(out, ("metric", "what it measures", "AUROC", "reads"), rows)
    click.echo(
        "\nAUROC: agreement with people, lowest and highest of several data sets; 0.5 is chance"
    )
    suites = [(suite.name, suite.title) for suite in map(Suite.load, shipped_suites())]
    click.echo()
    print_table(out, ("suite", "purpose"), suites)


def _areas(metric: Metric) -> str:
    """The range of areas under the ROC curve over labelled sets; empty if nothing was measured."""
    if metric.trust is None:
        return ""
    low, high = metric.trust.auroc
    return f"{low:.2f}" if low == high else f"{low:.2f}–{high:.2f}"


def _explain(metric: Metric) -> None:
    click.echo(f"{metric.name} (version {metric.version})\n")
    click.echo(inspect.getdoc(metric.function) or "No documentation.")
    click.echo(f"\nReads: {', '.join(fields_of(metric))}")
    low, high = ("unbounded" if end is None else f"{end:g}" for end in (metric.low, metric.high))
    better = "lower" if metric.lower_is_better else "higher"
    click.echo(f"Range: {low} to {high}, {better} is better")
    if metric.settings:
        click.echo("Settings and their defaults:")
    for setting in metric.settings:
        default = json.dumps(setting.default, ensure_ascii=False)
        filled = FILLED_IN.get(setting.name) if setting.default is None else None
        click.echo(f"  {setting.name} = {default}{f' ({filled})' if filled else ''}")
    if metric.trust is not None:
        _explain_trust(metric, metric.trust)


def _explain_trust(metric: Metric, trust: Trust) -> None:
    """Print what was measured about the metric's agreement with people."""
    from ragauge.report.terminal import console, print_table

    versions = " and ".join(map(str, trust.versions))
    day = f" on {trust.measured_on}" if trust.measured_on else ""
    texts = f" on texts in {' and '.join(trust.languages)}" if trust.languages else ""
    measured = f"measured{day} with version {versions}{texts}"
    click.echo(f"\nAgreement with people, {measured}:\n{trust.note}")
    for caution in trust.cautions:
        where = f" (if {caution.when})" if caution.when else ""
        click.echo(f"Caution: {caution.label}: {caution.says}{where}; {caution.figure}")
    if any(each.version != metric.version for each in trust.measured):
        click.echo(f"The figures are of another version than {metric.version}, which is this one.")
    click.echo()
    rows = [
        (
            each.label,
            f"{each.claim}: {each.kind}",
            "–".join(dict.fromkeys(f"{end:.2f}" for end in each.auroc)) + " †" * each.is_fitted,
            "" if each.tau is None else f"{each.tau:.2f} ({each.n_systems})",
            f"{each.n:,}",
            ", ".join(each.sets),
        )
        for each in trust.measured
    ]
    header = ("metric", "label and texts", "AUROC", "τ (systems)", "answers", "sets")
    print_table(console(sys.stdout), header, rows)
    if any(each.is_fitted for each in trust.measured):
        click.echo(
            "\n† The metric was fitted on some of these sets; expect lower figures on others."
        )


FILLED_IN = {
    "model": "the run's encoder",
    "layer": "the layer known for the model, else the last one",
}
"""What the run uses where a setting is null."""


def _explain_suite(suite: Suite) -> None:
    from ragauge.report.terminal import console, print_table

    source = f" ({suite.source})" if suite.source else ""
    click.echo(f"{suite.name}: {suite.title}{source}\n")
    known = catalog.metrics()
    names = [entry.label.name for entry in suite.entries if entry.label.name in known]
    columns = {column for name in names for column in fields_of(known[name])}
    plan = make_plan([replace(suite, checks=())], columns)
    rows = [(metric.name, metric.metric, metric.unavailable or "") for metric in plan.metrics]
    rows += [row for check in suite.checks for row in _check_rows(check)]
    print_table(console(sys.stdout), ("name", "metric", "note"), rows)


def _check_rows(check: Check) -> Iterator[tuple[str, str, str]]:
    """Each result of a check, with its rule and the rows that it applies to."""
    where = f"where {check.where.text}" if check.where else ""
    for name, label in check.rules:
        yield name, str(label), where
    for name, expression in check.holds:
        yield name, expression.text, where
    if check.mean:
        yield check.mean, "the mean of the rules", where


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
