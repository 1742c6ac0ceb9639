"""The rows of a run with the worst values of its metrics."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.score_pieces import score_pieces

if TYPE_CHECKING:
    import polars as pl

    from ragauge.runs.scored_run import ScoredRun

COLUMNS = ("id", "system", "value")


def worst_rows(
    run: "ScoredRun", metrics: Sequence[MetricDisplay], n: int
) -> "Mapping[str, pl.DataFrame]":
    """By label, the n rows with the worst values of each metric: id, system, value; from one pass.

    Rows without a value are left out; ties are ordered by id and system.
    """
    import polars as pl

    schema = {"id": pl.String, "system": pl.String, "value": pl.Float64}
    worst = {metric.metric: pl.DataFrame(schema=schema) for metric in metrics}
    lower_is_better = {metric.metric: metric.lower_is_better for metric in metrics}
    wanted = pl.col("metric").is_in(list(worst)) & pl.col("value").is_not_null()
    for piece in score_pieces(run, ("id", "system", "metric", "value")):
        for (label,), rows in piece.filter(wanted).partition_by("metric", as_dict=True).items():
            metric = cast(str, label)
            both = pl.concat([worst[metric], _first(rows, n, lower_is_better[metric])])
            worst[metric] = _first(both, n, lower_is_better[metric])
    return worst


def _first(rows: "pl.DataFrame", n: int, lower_is_better: bool) -> "pl.DataFrame":
    """The n worst rows, worst first."""
    descending = [lower_is_better, False, False]
    return rows.select(COLUMNS).sort("value", "id", "system", descending=descending).head(n)
