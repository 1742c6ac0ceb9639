"""Notes under a summary about metrics that are used where they are known to mislead."""

from collections.abc import Sequence

from ragauge.label import Label
from ragauge.report.plain import for_terminal, shortened
from ragauge.runs.cautions import Facts, MetricCaution
from ragauge.runs.scored_run import ScoredRun

WIDTH = 144
"""Most columns of a metric's name."""


def caution_lines(run: ScoredRun) -> tuple[str, ...]:
    """One line for each kind of caution: its metrics, why, and the lengths that it depends on."""
    groups: dict[tuple[str, str], list[MetricCaution]] = {}
    for caution in run.cautions:
        groups.setdefault((caution.says, caution.when), []).append(caution)
    return tuple(_line(run, cautions) for cautions in groups.values())


def _line(run: ScoredRun, cautions: Sequence[MetricCaution]) -> str:
    names = {metric.metric: shortened(for_terminal(metric.name), WIDTH) for metric in run.metrics}
    shown = ", ".join(f"{names[each.metric]} ({each.figure})" for each in cautions)
    known_as = Label.parse(cautions[0].metric).name
    if not cautions[0].figure:
        return f"caution: {', '.join(names[each.metric] for each in cautions)}: {cautions[0].says}"
    return (
        f"caution: {shown}: {cautions[0].says}{_lengths(run, cautions[0].when)}; "
        f"see ragauge metrics {known_as}"
    )


def _lengths(run: ScoredRun, when: str) -> str:
    """The lengths of the run's texts, if the condition depends on them."""
    facts = Facts.of(run.manifest)
    if facts is None or "reference_words" not in when:
        return ""
    return (
        f" (here up to a median of {facts.longest_answer_words:g} words, with references of "
        f"{facts.reference_words:g})"
    )
