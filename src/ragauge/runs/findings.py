"""Match a suite's findings to a run: which rows show which pattern of scores."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from heapq import nsmallest
from typing import TYPE_CHECKING, cast

from ragauge.runs.fields import read_dataclass
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.scores import score_pieces
from ragauge.where import (
    COMPARISONS,
    All,
    Comparison,
    Condition,
    Either,
    Filter,
    IsNull,
    Membership,
    Not,
    Truth,
)

if TYPE_CHECKING:
    import polars as pl


IDS_KEPT = 1_000
FINDINGS = "findings"


@dataclass(frozen=True, slots=True)
class FindingMatch:
    """One finding for one system: the first IDS_KEPT `ids` of the `n_found` matching rows, and the
    `n_rows` that were checked.

    Those have a value for every metric in the condition, except those it tests for null.
    `precision` and `first_screen` as in the suite.
    """

    system: str
    says: str
    when: str
    ids: tuple[str, ...]
    n_rows: int
    n_found: int
    precision: float | None = None
    first_screen: bool = True

    @property
    def text(self) -> str:
        """What it says, and how often that is right where it was measured."""
        if self.precision is None:
            return self.says
        return f"{self.says} (right in {self.precision:.0%} of labelled cases)"


def find(run: ScoredRun) -> tuple[FindingMatch, ...]:
    """The findings that match at least one row, by system, in the suite's order; computed once.

    Source: the suite answer-quality, "Interpreting Results".
    """
    if FINDINGS not in run.computed:
        stored = cast("list[object] | None", run.stored_results.get(FINDINGS))
        found = (
            _find(run) if stored is None else (read_dataclass(FindingMatch, it) for it in stored)
        )
        run.computed[FINDINGS] = tuple(found)
    return run.computed[FINDINGS]


def _find(run: ScoredRun) -> Iterator[FindingMatch]:
    import polars as pl

    scored = {metric.metric for metric in run.metrics if not metric.unavailable}
    findings = [each for each in run.manifest.findings if scored.issuperset(each.metrics.values())]
    conditions = [Filter.parse(finding.when).condition for finding in findings]
    labels = list({label for finding in findings for label in finding.metrics.values()})
    matches = {
        (system, at): FindingMatch(
            system, each.says, each.when, (), 0, 0, each.precision, each.first_screen
        )
        for system in (run.samples.systems if findings else ())
        for at, each in enumerate(findings)
    }
    for piece in score_pieces(run, ("id", "system", "metric", "value")) if findings else ():
        # One row for each (system, id), one column for each metric.
        values = piece.filter(pl.col("metric").is_in(labels)).pivot(
            "metric", index=["system", "id"], values="value", aggregate_function="first"
        )
        for (system, at), found in matches.items():
            metrics, condition = findings[at].metrics, conditions[at]
            if not set(values.columns).issuperset(metrics.values()):
                continue
            named = (pl.col(label).alias(name) for name, label in metrics.items())
            needed = list(metrics.keys() - null_tested(condition))
            rows = values.filter(pl.col("system") == system).select("id", *named).drop_nulls(needed)
            new = rows.filter(_expression(condition))["id"].to_list()
            ids, n = nsmallest(IDS_KEPT, [*found.ids, *new]), found.n_found + len(new)
            n_rows = found.n_rows + rows.height
            matches[system, at] = replace(found, ids=tuple(ids), n_rows=n_rows, n_found=n)
    return (found for found in matches.values() if found.n_found)


def null_tested(condition: Condition) -> frozenset[str]:
    """The fields that the condition tests for null: a row without them is checked as well."""
    match condition:
        case IsNull(field):
            return frozenset((field,))
        case Not(inner):
            return null_tested(inner)
        case All(conditions) | Either(conditions):
            return frozenset(field for each in conditions for field in null_tested(each))
        case _:
            return frozenset()


def _expression(condition: Condition) -> "pl.Expr":
    """The condition as a polars expression. A comparison with null does not hold."""
    import polars as pl

    match condition:
        case Truth(field):
            holds = pl.col(field) != 0
        case Comparison(field, "~", value):
            holds = pl.col(field).cast(pl.String).str.contains(str(value), literal=True)
        case Comparison(field, sign, value):
            holds = COMPARISONS[sign](pl.col(field), value)
        case Membership(field, values):
            holds = pl.col(field).is_in(list(values))
        case IsNull(field):
            return pl.col(field).is_null()
        case Not(inner):
            return ~_expression(inner)
        case All(conditions):
            return pl.all_horizontal(*map(_expression, conditions))
        case Either(conditions):
            return pl.any_horizontal(*map(_expression, conditions))
    return holds.fill_null(value=False)
