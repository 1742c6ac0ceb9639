"""What a suite's findings tell of a run: which rows show which pattern of scores."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from ragauge.runs.run import Run
from ragauge.where import All, Comparison, Condition, Either, Filter, IsNull, Membership, Not, Truth

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class FindingMatch:
    """One pattern in one system's rows: what it tells, and the ids of the rows that show it.

    `n_rows` counts the rows that it could be told of: those with a value for all that it reads.
    """

    system: str
    says: str
    when: str
    ids: tuple[str, ...]
    n_rows: int


def find(run: Run) -> tuple[FindingMatch, ...]:
    """Every finding that at least one row shows, by system, in the suite's order.

    Source: the suite answer-quality, "Interpreting Results".
    """
    scored = {one.metric for one in run.metrics if not one.unavailable}
    told = [one for one in run.manifest.findings if scored.issuperset(one.metrics.values())]
    if not told:
        return ()
    values = _values(run, {label for one in told for label in one.metrics.values()})
    found: list[FindingMatch] = []
    for system in run.samples.systems:
        rows = values.filter(values["system"] == system)
        for one in told:
            if not set(rows.columns).issuperset(one.metrics.values()):
                continue
            asked = _by_name(rows, one.metrics).drop_nulls()
            condition = Filter.parse(one.when).condition
            ids = cast("list[str]", asked.filter(_expression(condition))["id"].to_list())
            if ids:
                found.append(FindingMatch(system, one.says, one.when, tuple(ids), asked.height))
    return tuple(found)


def _values(run: Run, labels: Collection[str]) -> "pl.DataFrame":
    """One row for each (system, id), one column for each of the metrics."""
    import polars as pl

    wanted = pl.col("metric").is_in(list(labels))
    scores = run.collect(run.scan().filter(wanted).select("id", "system", "metric", "value"))
    return scores.pivot(
        "metric", index=["system", "id"], values="value", aggregate_function="first"
    ).sort("system", "id")


def _by_name(values: "pl.DataFrame", metrics: Mapping[str, str]) -> "pl.DataFrame":
    """The metrics' columns under the names that a finding has for them."""
    import polars as pl

    return values.select("id", *(pl.col(label).alias(name) for name, label in metrics.items()))


def _expression(condition: Condition) -> "pl.Expr":
    """The condition over columns, none of them null in the rows that are asked."""
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
