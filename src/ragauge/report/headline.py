"""The headline of a run: which system is best by one metric, and how sure that is."""

from collections.abc import Mapping
from typing import cast

from ragauge.report.numbers import SummaryRow, aggregate, interval, number
from ragauge.report.plain import counted, for_terminal, shortened
from ragauge.runs.differences import Difference
from ragauge.runs.manifest import MetricDisplay

NAME_WIDTH = 20
"""Columns of the name of a metric or system; longer ones are cut."""


def headline(
    metric: MetricDisplay, rows: Mapping[str, SummaryRow], found: Mapping[str, Difference]
) -> str:
    """One or two sentences. `rows` are the systems' summaries, the best first; `found` their differences."""
    best, *others = rows
    mean = f"{metric.name} {aggregate(metric, rows[best])}"
    if not others:
        range_ = interval(metric, rows[best])
        questions = counted(cast(int, rows[best]["ok"]), "question")
        return f"{short(best)}: {mean}" + (f" ({range_})" if range_ else "") + f", {questions}."
    if not found:
        return f"{short(best)} has the best {mean}; it was not compared with the others."
    # The second best on the questions that all systems have a score for.
    second = min(found.values(), key=lambda other: abs(other.difference))
    if second.best == best and second.system == others[0]:
        return _compared(metric, mean, aggregate(metric, rows[second.system]), second)
    return f"{short(best)} has the best {mean}; {_on_common(metric, second)}."


def short(text: str) -> str:
    """A name of at most 20 columns."""
    return shortened(for_terminal(text), NAME_WIDTH)


def _compared(metric: MetricDisplay, mean: str, second_mean: str, second: Difference) -> str:
    best, other = short(second.best), short(second.system)
    if second.difference == 0:
        return f"{best} and {other} have the same {metric.name}, {second_mean}."
    verdict, sure = ("best", "is") if second.is_significant else ("ahead", "may be")
    chance = "beyond chance" if second.is_significant else "chance"
    by = f" by {metric.family}" if metric.family else ""
    test = f"p {_p_value(second.p_value)}, {counted(second.n, 'question')}"
    return (
        f"{best} is {verdict}{by}: {mean}, next {other} {second_mean}. "
        f"The difference of {_gap(metric, second)} {sure} {chance} ({test})."
    )


def _on_common(metric: MetricDisplay, second: Difference) -> str:
    common = f"on the {counted(second.n, 'question')} that all systems have a score for"
    best, other = short(second.best), short(second.system)
    if second.difference == 0:
        return f"{common}, {best} and {other} are equal"
    chance = "beyond chance" if second.is_significant else "may be chance"
    gap = _gap(metric, second)
    return f"{common}, {best} is {gap} ahead of {other} ({chance}, p {_p_value(second.p_value)})"


def _gap(metric: MetricDisplay, second: Difference) -> str:
    """How far the best system is ahead; never shown as 0."""
    gap = number(metric, abs(second.difference))
    smallest = number(metric, 10**-metric.digits / metric.scale)
    return gap if gap.strip("0.") else f"less than {smallest}"


def _p_value(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"
