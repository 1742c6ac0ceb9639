"""The summary of a run: each metric's aggregate with its interval, bounds and counts, by group."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from ragauge import catalog
from ragauge.metric import Metric
from ragauge.runs.aggregates import CUSTOM, StoredAggregate
from ragauge.runs.code import OWN
from ragauge.runs.manifest import MetricDisplay
from ragauge.sample import Samples
from ragauge.score import Status

if TYPE_CHECKING:
    import polars as pl

    from ragauge.stats.intervals import Aggregate, Estimate, Floats1d, Floats2d

SUMMARY = (
    *("metric", "name", "mean", "low", "high", "worst", "best", "lowest", "highest", "n"),
    *map(str, Status),
)
"""Columns of a summary, after those of its groups."""


def summarise(
    scores: "pl.DataFrame",
    samples: Samples,
    metrics: Sequence[MetricDisplay],
    fields: Sequence[str],
    *,
    seed: int,
) -> "pl.DataFrame":
    """The summary of scores (id, system, metric, value, status, parts), by system and by the fields.

    `Run.summary` describes its columns. The order of the rows of `scores` does not matter.
    """
    import polars as pl

    # Renamed because a field may have the name of a column of the scores.
    keys = ["system", *(f"by {place}" for place in range(len(fields)))]
    groups = samples.frame.select(
        "id",
        "system",
        *(pl.col(name).alias(key) for name, key in zip(fields, keys[1:], strict=True)),
    )
    scores = scores.join(groups, on=["id", "system"], how="left")
    order = {metric.metric: place for place, metric in enumerate(metrics)}
    rows: list[dict[str, object]] = []
    parts = scores.partition_by(keys, as_dict=True, include_key=True)
    for key in sorted(parts, key=lambda key: tuple((value is None, str(value)) for value in key)):
        named = dict(zip(("system", *fields), key, strict=True))
        rows += _group_rows(named, parts[key], metrics, order, seed)
    return pl.DataFrame(rows, infer_schema_length=None)


def _group_rows(
    key: dict[str, object],
    group: "pl.DataFrame",
    metrics: Sequence[MetricDisplay],
    order: Mapping[str, int],
    seed: int,
) -> list[dict[str, object]]:
    """One row for each metric of a group of scores."""
    import polars as pl

    from ragauge.stats.intervals import bootstrap

    ids = group["id"].unique().sort()
    numbered = pl.DataFrame({"id": ids, "question": range(len(ids))})
    group = group.join(numbered, on="id", how="left", maintain_order="left")
    by_metric = {
        cast(str, name): part
        for (name,), part in group.partition_by("metric", as_dict=True).items()
    }
    shown = sorted(
        (metric for metric in metrics if metric.metric in by_metric),
        key=lambda metric: order[metric.metric],
    )
    shown = list({metric.metric: metric for metric in shown}.values())
    parts = [_parts(metric, by_metric[metric.metric], len(ids)) for metric in shown]
    estimates = bootstrap(
        [sums for sums, _ in parts], [aggregate for _, aggregate in parts], seed=seed
    )
    return [
        {**key, **_row(metric, by_metric[metric.metric], estimate)}
        for metric, estimate in zip(shown, estimates, strict=True)
    ]


def _parts(
    shown: MetricDisplay, scores: "pl.DataFrame", n_questions: int
) -> "tuple[Floats2d, Aggregate]":
    """What each question adds to the metric's sums, and the aggregate that turns sums into a value."""
    import numpy as np

    from ragauge.stats.aggregates import AGGREGATES, parts_of
    from ragauge.stats.intervals import by_question

    scored = scores.filter(scores["value"].is_not_null())
    question = scored["question"].to_numpy()
    kind = shown.aggregate.kind
    if kind != CUSTOM:
        parts = parts_of(scored["value"].to_numpy(), kind)
        return by_question(parts, question, n_questions), aggregate_of(shown)
    if aggregate_problem(shown):  # placeholders: the row has no number
        return np.zeros((n_questions, 2)), AGGREGATES["mean"]
    rows = scored["parts"].to_list()
    parts = np.array(rows, dtype=np.float64).reshape(len(rows), -1)
    return by_question(parts, question, n_questions), aggregate_of(shown)


def _row(
    shown: MetricDisplay, scores: "pl.DataFrame", estimate: "Estimate | None"
) -> dict[str, object]:
    counts = {str(status): 0 for status in Status}
    for status, n in scores["status"].value_counts().iter_rows():
        counts[cast(str, status)] = cast(int, n)
    estimate = estimate if scores["value"].count() else None  # no value, not a sum of 0
    worst, best = _bounds(shown, scores, estimate)
    return {
        "metric": shown.metric,
        "name": shown.name,
        "mean": estimate.value if estimate else None,
        "low": estimate.low if estimate else None,
        "high": estimate.high if estimate else None,
        "worst": worst,
        "best": best,
        "lowest": scores["value"].min(),
        "highest": scores["value"].max(),
        "n": scores.height,
        **counts,
    }


def _bounds(
    shown: MetricDisplay, scores: "pl.DataFrame", estimate: "Estimate | None"
) -> tuple[float | None, float | None]:
    """The mean if every row without a value had the worst, and the best, value of the scale."""
    if (
        estimate is None
        or shown.low is None
        or shown.high is None
        or shown.aggregate.kind != "mean"
    ):
        return None, None
    n_ok = scores["value"].count()
    total, n_absent = estimate.value * n_ok, scores.height - n_ok
    ends = (
        (total + n_absent * shown.low) / scores.height,
        (total + n_absent * shown.high) / scores.height,
    )
    return (ends[1], ends[0]) if shown.lower_is_better else ends


def aggregate_problem(display: MetricDisplay) -> str:
    """Why a stored metric's aggregate cannot be computed here; empty if it can.

    >>> from ragauge.runs.manifest import MetricDisplay
    >>> from ragauge.runs.aggregates import StoredAggregate
    >>> lost = StoredAggregate("custom", "my_metrics", "my_metrics.py", "12ab")
    >>> aggregate_problem(MetricDisplay("harmonic", "harmonic", version=1, aggregate=lost))[:72]
    'harmonic has a custom aggregate, whose code (my_metrics.py) is not loade'
    """
    stored = display.aggregate
    if stored.kind != CUSTOM:
        return ""
    metric = _loaded_metric(display)
    home = stored.file or stored.module
    is_plugin = stored.module.partition(".")[0] != OWN
    advice = f"; load it with --plugin {home}, or import it first" if is_plugin else ""
    if metric is None or not callable(metric.aggregate):
        return f"{display.name} has a custom aggregate, whose code ({home}) is not loaded{advice}"
    if metric.version != display.version:
        return (
            f"{display.name} was scored by version {display.version} of the metric, but version "
            f"{metric.version} is loaded, which may aggregate differently; run it again"
        )
    if not stored.is_same(StoredAggregate.of(metric)):
        return (
            f"{display.name} has a custom aggregate, whose code ({home}) has changed since the run; run it "
            "again"
        )
    return ""


def aggregate_of(display: MetricDisplay) -> "Aggregate":
    """The aggregate of a metric; only if `aggregate_problem` is empty."""
    from ragauge.stats.aggregates import AGGREGATES

    if display.aggregate.kind != CUSTOM:
        return AGGREGATES[display.aggregate.kind]  # pyright: ignore[reportArgumentType]
    metric = _loaded_metric(display)
    assert metric is not None and callable(metric.aggregate)
    return _as_array(metric.aggregate)


def _loaded_metric(display: MetricDisplay) -> Metric | None:
    known: Mapping[str, Metric] = catalog.metrics()
    return known.get(display.metric.split("(")[0].split("@")[0])


def _as_array(aggregate: object) -> "Aggregate":
    import numpy as np

    function = cast("Aggregate", aggregate)

    def as_array(sums: "Floats2d") -> "Floats1d":
        if sums.shape[1] == 0:
            return np.full(len(sums), np.nan)
        return np.asarray(function(sums), dtype=np.float64)

    return as_array
