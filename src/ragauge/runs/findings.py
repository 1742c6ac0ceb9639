"""Match a suite's findings to a run: which rows show which pattern of scores."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from ragauge.runs.run import Run
from ragauge.where import All, Comparison, Condition, Either, Filter, IsNull, Membership, Not, Truth

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class FindingMatch:
    """One finding for one system: its text, its condition and the ids of the matching rows.

    `n_rows` counts the rows that were checked: those with a value for every metric in the condition.
    """

    system: str
    says: str
    when: str
    ids: tuple[str, ...]
    n_rows: int


def find(run: Run) -> tuple[FindingMatch, ...]:
    """The findings that match at least one row, by system, in the suite's order.

    Source: the suite answer-quality, "Interpreting Results".
    """
    scored = {metric.metric for metric in run.metrics if not metric.unavailable}
    findings = [
        finding for finding in run.manifest.findings if scored.issuperset(finding.metrics.values())
    ]
    if not findings:
        return ()
    values = _values(run, {label for finding in findings for label in finding.metrics.values()})
    matches: list[FindingMatch] = []
    for system in run.samples.systems:
        rows = values.filter(values["system"] == system)
        for finding in findings:
            if not set(rows.columns).issuperset(finding.metrics.values()):
                continue
            checked = _by_name(rows, finding.metrics).drop_nulls()
            condition = Filter.parse(finding.when).condition
            ids = cast("list[str]", checked.filter(_expression(condition))["id"].to_list())
            if ids:
                matches.append(
                    FindingMatch(system, finding.says, finding.when, tuple(ids), checked.height)
                )
    return tuple(matches)


def _values(run: Run, labels: Collection[str]) -> "pl.DataFrame":
    """One row for each (system, id), one column for each of the metrics."""
    import polars as pl

    wanted = pl.col("metric").is_in(list(labels))
    scores = run.collect(run.scan().filter(wanted).select("id", "system", "metric", "value"))
    return scores.pivot(
        "metric", index=["system", "id"], values="value", aggregate_function="first"
    ).sort("system", "id")


def _by_name(values: "pl.DataFrame", metrics: Mapping[str, str]) -> "pl.DataFrame":
    """The metrics' columns, renamed to the names that a finding uses."""
    import polars as pl

    return values.select("id", *(pl.col(label).alias(name) for name, label in metrics.items()))


def _expression(condition: Condition) -> "pl.Expr":
    """The condition as a polars expression, for rows without nulls."""
    import polars as pl

    match condition:
        case Truth(field):
            return pl.col(field) != 0
        case Comparison(field, sign, value):
            column = pl.col(field)
            return {
                "=": column == value,
                "!=": column != value,
                "<": column < value,
                "<=": column <= value,
                ">": column > value,
                ">=": column >= value,
                "~": column.cast(pl.String).str.contains(str(value), literal=True),
            }[sign]
        case Membership(field, values):
            return pl.col(field).is_in(list(values))
        case IsNull(field):
            return pl.col(field).is_null()
        case Not(inner):
            return ~_expression(inner)
        case All(conditions):
            return pl.all_horizontal(*map(_expression, conditions))
        case Either(conditions):
            return pl.any_horizontal(*map(_expression, conditions))
