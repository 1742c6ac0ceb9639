"""Which of the metrics and suites that a caller named gave no score at all."""

from collections.abc import Mapping

from ragauge.engine.graph import Plan
from ragauge.runs.health import Health
from ragauge.runs.manifest import planned_labels
from ragauge.suite import Entry, names_of


def named_without_scores(plan: Plan, health: Health) -> Mapping[str, str]:
    """The metrics named one by one, and the suites, without any value: name to reason.

    A suite is one name: some of its metrics may lack their columns, as long as another has values.
    """
    named: dict[str, list[str]] = {}
    for suite in plan.suites:
        entries = [(entry.name, _labels(entry, plan)) for entry in suite.entries]
        if suite.explicit:
            named |= dict(entries)
            continue
        checks = [name for check in suite.checks for name in names_of(check)]
        named[f"suite {suite.name}"] = [
            *(label for _, found in entries for label in found),
            *checks,
        ]
    return {
        name: health.why_nothing_scored(labels)
        for name, labels in named.items()
        if health.scored.isdisjoint(labels)
    }


def _labels(entry: Entry, plan: Plan) -> list[str]:
    """The labels of an entry in the scores; a composite's also name the judge of its parts."""
    by_name = [
        metric.metric
        for metric in plan.metrics
        if metric.name == entry.name
        and metric.definition is not None
        and metric.definition.name == entry.label.name
    ]
    return [*planned_labels(entry, plan.metrics), *by_name]
