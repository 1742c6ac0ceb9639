"""The summary of a run: each metric's aggregate with its interval, bounds and counts, by group."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from ragauge.runs.aggregates import aggregate_of, aggregate_problem
from ragauge.runs.group_totals import (
    CLUSTER,
    Counts,
    GroupTotals,
    by_cluster,
    on_scale,
    score_ends,
    score_parts,
    with_value,
)
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.scores import score_pieces
from ragauge.samples.samples import CLUSTERS, Samples, by_number
from ragauge.score import Status

if TYPE_CHECKING:
    import polars as pl

    from ragauge.runs.scored_run import ScoredRun
    from ragauge.stats.intervals import Estimate

    Piece = tuple[pl.DataFrame, pl.DataFrame]
    Key = tuple[object, ...]

MAX_GROUP = 50_000
"""Most questions of a group whose scores are in memory; of larger ones only sums are."""
MAX_IN_MEMORY = 500_000
"""Most questions whose scores are in memory at the same time."""
PER_SCORE = ("id", "metric", "value", "status", "parts", CLUSTER)
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
) -> "pl.DataFrame":
    """The summary of scores (id, system, metric, value, status, parts), by system and by the fields.

    `Run.summary` describes its columns. The order of the rows of `scores` does not matter.
    """
    return summarise_pieces(lambda: [(scores, samples.frame)], samples, metrics, fields)


def summarise_pieces(
    pieces: "Callable[[], Iterable[Piece]]",
    samples: Samples,
    metrics: Sequence[MetricDisplay],
    fields: Sequence[str],
) -> "pl.DataFrame":
    """The summary of scores that are read some samples at a time, each with the samples of its rows.

    Groups of at most MAX_GROUP questions are in memory, as many at a time as have
    MAX_IN_MEMORY questions together; of larger ones only sums are.
    """
    keys = group_keys(fields)
    clusters = clusters_in(samples)
    sizes = _group_sizes(samples, keys, fields)
    rows: dict[Key, list[dict[str, object]]] = {}
    for chosen in _rounds(sizes):
        found = Groups(metrics, {key: sizes[key] for key in chosen})
        for scores, part in pieces():
            of_part = part.select("id", "system", *_renamed(keys, fields), *_cluster(clusters))
            found.add(scores.join(of_part, on=["id", "system"], how="left"), keys)
        rows |= found.rows()
    names = ("system", *fields)
    ordered = sorted(
        rows, key=lambda key: [(value is None, by_number(str(value))) for value in key]
    )
    made = [{**dict(zip(names, key, strict=True)), **row} for key in ordered for row in rows[key]]
    return frame_of(made)


def frame_of(rows: "Sequence[Mapping[str, object]]") -> "pl.DataFrame":
    """The rows of a summary as a frame."""
    import polars as pl

    return pl.DataFrame(rows, infer_schema_length=None)


def group_keys(fields: Sequence[str]) -> list[str]:
    """The columns to group by, renamed because a field may have the name of a column of the scores."""
    return ["system", *(f"by {place}" for place in range(len(fields)))]


def _renamed(keys: Sequence[str], fields: Sequence[str]) -> "Iterable[pl.Expr]":
    import polars as pl

    return (pl.col(name).alias(key) for name, key in zip(fields, keys[1:], strict=True))


def clusters_in(samples: Samples) -> list[str]:
    """The column of the samples whose rows of one value are not independent, if they have one."""
    return [name for name in CLUSTERS if name in samples.columns][:1]


def n_clusters(samples: Samples) -> tuple[str, int]:
    """What rows of one cluster share, `conversation` or `question`, and how many of these there are.

    A row without a cluster is one of its own.
    """
    import polars as pl

    names = [*clusters_in(samples), "id"]
    key = pl.coalesce(pl.col(name).cast(pl.String) for name in names)
    n = samples.scan().select(key.n_unique()).collect(engine="streaming").item()
    return "conversation" if names[0] == "conversation" else "question", int(n)


def _cluster(names: Sequence[str]) -> "Iterable[pl.Expr]":
    import polars as pl

    return [pl.col(name).alias(CLUSTER) for name in names]


def _group_sizes(samples: Samples, keys: Sequence[str], fields: Sequence[str]) -> "dict[Key, int]":
    """How many questions each group has: (id, system) is unique, so as many as it has samples."""
    if not fields:
        return {(system,): n for system, n in samples.n_by_system.items()}
    sizes: dict[Key, int] = {}
    for piece in samples.pieces(["system", *fields]):
        of_piece = piece.select("system", *_renamed(keys, fields)).group_by(keys).len()
        for *key, n in of_piece.iter_rows():
            sizes[tuple(key)] = sizes.get(tuple(key), 0) + n
    return sizes


def _rounds(sizes: "Mapping[Key, int]") -> "Iterator[list[Key]]":
    """Groups whose scores are in memory at the same time; the large ones, which are not, in the first."""
    chosen = [key for key, n in sizes.items() if n > MAX_GROUP]
    total = 0
    for key, n in sizes.items():
        if n <= MAX_GROUP:
            if total and total + n > MAX_IN_MEMORY:
                yield chosen
                chosen, total = [], 0
            chosen.append(key)
            total += n
    yield chosen


class Groups:
    """The scores of some groups: in memory, or as sums for groups of more than MAX_GROUP questions."""

    def __init__(self, metrics: Sequence[MetricDisplay], sizes: "Mapping[Key, int]") -> None:
        self.metrics, self.sizes = metrics, sizes
        self._small: dict[Key, list[pl.DataFrame]] = {}
        self._large: dict[Key, GroupTotals] = {}

    def add(self, scores: "pl.DataFrame", keys: Sequence[str]) -> None:
        """Add scores with the columns of the groups' keys."""
        for key, part in scores.partition_by(keys, as_dict=True).items():
            if (n := self.sizes.get(key)) is None:
                continue
            if n > MAX_GROUP:
                self._large.setdefault(key, GroupTotals(self.metrics)).add(part)
            else:
                needed = [name for name in PER_SCORE if name in part.columns]
                self._small.setdefault(key, []).append(part.select(needed))

    def rows(self) -> "dict[Key, list[dict[str, object]]]":
        """For each group, a row for each metric."""
        import polars as pl

        order = {metric.metric: place for place, metric in enumerate(self.metrics)}
        small = {
            key: _group_rows(pl.concat(parts), self.metrics, order)
            for key, parts in self._small.items()
        }
        return small | {
            key: [_row(shown, total.counts, total.estimate()) for shown, total in totals]
            for key, totals in ((key, found.by_metric()) for key, found in self._large.items())
        }


def _group_rows(
    group: "pl.DataFrame", metrics: Sequence[MetricDisplay], order: Mapping[str, int]
) -> list[dict[str, object]]:
    """One row for each metric of a group of scores."""
    # In the order of the questions, so that the order of the rows changes no digit of a sum.
    by_metric = {
        cast(str, name): part
        for (name,), part in group.sort("id").partition_by("metric", as_dict=True).items()
    }
    shown = sorted(
        (metric for metric in metrics if metric.metric in by_metric),
        key=lambda metric: order[metric.metric],
    )
    of_metric = {metric.metric: metric for metric in shown}
    return [
        _row(metric, Counts.of(by_metric[name]), _estimate(metric, by_metric[name]))
        for name, metric in of_metric.items()
    ]


def _estimate(shown: MetricDisplay, scores: "pl.DataFrame") -> "Estimate | None":
    from ragauge.stats.intervals import interval

    scored = with_value(scores)
    if aggregate_problem(shown) or not scored.height:
        return None
    parts = by_cluster(score_parts(shown, scored), scored)
    found = interval(parts, aggregate_of(shown), ends=score_ends(shown, scored))
    return on_scale(shown, found)


def _row(shown: MetricDisplay, counts: Counts, estimate: "Estimate | None") -> dict[str, object]:
    estimate = estimate if counts.n_ok else None  # no value, not a sum of 0
    worst, best = _bounds(shown, counts, estimate)
    return {
        "metric": shown.metric,
        "name": shown.name,
        "mean": estimate.value if estimate else None,
        "low": estimate.low if estimate else None,
        "high": estimate.high if estimate else None,
        "worst": worst,
        "best": best,
        "lowest": counts.lowest,
        "highest": counts.highest,
        "n": counts.n,
        **counts.by_status,
    }


def _bounds(
    shown: MetricDisplay, counts: Counts, estimate: "Estimate | None"
) -> tuple[float | None, float | None]:
    """The mean if every row without a value had the worst, and the best, value of the scale."""
    if (
        estimate is None
        or shown.low is None
        or shown.high is None
        or shown.aggregate.kind != "mean"
    ):
        return None, None
    total, n_absent = estimate.value * counts.n_ok, counts.n - counts.n_ok
    ends = (
        (total + n_absent * shown.low) / counts.n,
        (total + n_absent * shown.high) / counts.n,
    )
    return (ends[1], ends[0]) if shown.lower_is_better else ends


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
