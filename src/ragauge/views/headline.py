"""The headline of a run: which system is best by one metric, and how sure that is."""

from collections.abc import Mapping
from typing import cast

from ragauge.comparing.differences import Difference
from ragauge.comparing.words import over_questions, p_text
from ragauge.report.plain import counted, some
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.numbers import SummaryRow, aggregate, interval, number

NAME_WIDTH = 20
"""Columns of the name of a metric or system; longer ones are cut."""
MAX_TIED = 3
"""Most tied systems that are named."""


def headline(
    metric: MetricDisplay,
    rows: Mapping[str, SummaryRow],
    found: Difference | None,
    names: Mapping[str, str],
    unit: str = "question",
) -> str:
    """One or two sentences. `rows` are the systems' summaries, the best first; `found` is the difference
    of the first two; `names` are the systems' names as they are shown; `unit` is what a score is of.
    """
    best, *others = rows
    mean = f"{metric.name} {aggregate(metric, rows[best])}"
    if not others:
        range_ = interval(metric, rows[best])
        questions = counted(cast(int, rows[best]["ok"]), unit)
        return f"{names[best]}: {mean}" + (f" ({range_})" if range_ else "") + f", {questions}."
    if found is None or found.p_value is None:
        scored = [system for system, row in rows.items() if row["mean"] is not None]
        if len(scored) == 1:
            return f"{names[best]} is the only system with a score: {mean}."
        if found is not None:
            return f"{names[best]} has the best {mean}; it was not compared with the others."
        other = scored[1]
        return (
            f"{names[best]} has the best {mean}, next {names[other]} {aggregate(metric, rows[other])}; not "
            "compared, because no question has a score for both."
        )
    tied = [names[system] for system in rows]
    tied = tied[: sum(row["mean"] == rows[best]["mean"] for row in rows.values())]
    if len(tied) > 2 and found.difference == 0:
        same = f"have the same {metric.name}, {aggregate(metric, rows[best])}"
        if len(tied) > MAX_TIED:
            return f"{len(tied):,} systems {same}: {some(tied, MAX_TIED)}."
        return f"{', '.join(tied[:-1])} and {tied[-1]} {same}."
    if all(rows[system]["ok"] == found.n for system in (best, found.system)):
        return _compared(metric, mean, aggregate(metric, rows[found.system]), found, names, unit)
    return f"{names[best]} has the best {mean}; {_on_common(metric, found, names, unit)}."


def _compared(
    metric: MetricDisplay,
    mean: str,
    second_mean: str,
    second: Difference,
    names: Mapping[str, str],
    unit: str,
) -> str:
    best, other = names[second.best], names[second.system]
    if second.difference == 0:
        return f"{best} and {other} have the same {metric.name}, {second_mean}."
    verdict, sure = ("best", "is") if second.is_significant else ("ahead", "may be")
    chance = "beyond chance" if second.is_significant else "chance"
    by = f" by {metric.family}" if metric.family else ""
    test = f"p {p_text(second.p_value)}, {counted(second.n, unit)}"
    return (
        f"{best} is {verdict}{by}: {mean}, next {other} {second_mean}. "
        f"The difference of {_gap(metric, second)} {sure} {chance} ({test})."
    )


def _on_common(
    metric: MetricDisplay, second: Difference, names: Mapping[str, str], unit: str
) -> str:
    best, other = names[second.best], names[second.system]
    common = f"on the {counted(second.n, unit)} that {best} and {other} both have a score for"
    if second.difference == 0:
        return f"{common}, they are equal"
    chance = "beyond chance" if second.is_significant else "may be chance"
    is_ahead = (second.difference > 0) != metric.lower_is_better
    first, last = (best, other) if is_ahead else (other, best)
    gap = _gap(metric, second)
    return f"{common}, {first} is {gap} ahead of {last} ({chance}, p {p_text(second.p_value)})"


def _gap(metric: MetricDisplay, second: Difference) -> str:
    """How far the best system is ahead; never shown as 0."""
    metric = over_questions(metric, second.n)
    gap = number(metric, abs(second.difference))
    smallest = number(metric, 10**-metric.digits / metric.scale)
    return gap if gap.strip("0.") else f"less than {smallest}"
