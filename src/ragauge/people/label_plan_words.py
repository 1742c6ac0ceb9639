"""What `ragauge label-plan` says: labels needed by width of the interval."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from ragauge.people.calibration_words import short
from ragauge.report.report import Report, Table
from ragauge.stats.label_plan import LabelNeed


def label_plan_report(
    plan: Mapping[str, Sequence[LabelNeed]], metric: str | None, correlation: float
) -> Report:
    """The labels needed by system and margin; in JSON null where there are too few answers.

    The system is empty where none is meant. `metric` is the metric that helps, None without one;
    `correlation` is its correlation with the labels.
    """
    if len(plan) == 1:
        (needs,) = plan.values()
        header = ("within ±", "labels alone", "with the metric")
        rows = [
            (f"{need.margin:g}", _number(need.by_sampling, need), _number(need.with_metric, need))
            for need in needs
        ]
    else:
        margins = [f"± {need.margin:g}" for need in next(iter(plan.values()))]
        header = ("labels with the metric (alone)", *margins)
        rows = [(short(system), *map(_both, needs)) for system, needs in plan.items()]
    systems = {system: [asdict(need) for need in needs] for system, needs in plan.items()}
    return Report(
        _headline(plan, "the metric" if metric is None else short(metric), correlation),
        tables=(Table(header, rows, wraps=True),),
        data=lambda: {"metric": metric, "correlation": correlation, "systems": systems},
    )


def _headline(plan: Mapping[str, Sequence[LabelNeed]], name: str, correlation: float) -> str:
    """What the metric saves at the margin next to ± 0.05."""
    near = [min(needs, key=lambda each: abs(each.margin - 0.05)) for needs in plan.values()]
    need = max(near, key=lambda each: (each.with_metric is None, each.with_metric or 0))
    rate = "A rate" if len(near) == 1 else "The rate of each system"
    rate = f"{rate} within ± {need.margin:g} needs"
    if need.by_sampling is None and need.with_metric is None:
        return (
            f"{rate} more than the {need.n_rows:,} answers there "
            f"are; labels of all give ± {need.least_margin:.2f}."
        )
    if need.by_sampling is None or need.with_metric is None or correlation <= 0:
        n = need.with_metric if need.by_sampling is None else need.by_sampling
        return f"{rate} {n:,} labels."
    saved = 1 - need.with_metric / need.by_sampling
    return (
        f"{rate} {need.with_metric:,} labels with {name} "
        f"(correlation {correlation:.2f}), {need.by_sampling:,} without: {saved:.0%} fewer."
    )


def _both(need: LabelNeed) -> str:
    if need.with_metric is None:
        return f"> {need.n_rows:,}"
    alone = f"> {need.n_rows:,}" if need.by_sampling is None else f"{need.by_sampling:,}"
    return f"{need.with_metric:,} ({alone})"


def _number(n: int | None, need: LabelNeed) -> str:
    return f"more than {need.n_rows:,}" if n is None else f"{n:,}"
