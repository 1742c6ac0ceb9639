"""The summary of a run: each metric's aggregate with its interval, bounds and counts, by group."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from ragauge.runs.manifest import CUSTOM, MetricDisplay, aggregate_of, aggregate_problem
from ragauge.runs.scores import score_pieces
from ragauge.samples.fields import CLUSTERS, by_number
from ragauge.samples.samples import Samples
from ragauge.score import Status

if TYPE_CHECKING:
    import polars as pl

    from ragauge.runs.scored_run import ScoredRun
    from ragauge.stats.intervals import Estimate, Floats2d
    from ragauge.stats.normal_intervals import QuestionSums

    Piece = tuple[pl.DataFrame, pl.DataFrame]

Key = tuple[object, ...]

MAX_GROUP = 50_000
"""Most questions of a group whose scores are in memory; of larger ones only sums are."""
MAX_IN_MEMORY = 500_000
"""Most questions whose scores are in memory at the same time."""
CLUSTER = "cluster of the row"
"""The column with what rows have in common that are not independent."""
PER_SCORE = ("id", "metric", "value", "status", "parts", CLUSTER)
SUMMARY = (
    *("metric", "name", "mean", "low", "high", "worst", "best", "lowest", "highest", "n"),
    *map(str, Status),
)
"""Columns of a summary, after those of its groups."""


def summarise_pieces(
    pieces: "Callable[[], Iterable[Piece]]",
    samples: Samples,
    metrics: Sequence[MetricDisplay],
    fields: Sequence[str],
) -> "pl.DataFrame":
    """The summary by system and fields of scores that are read some samples at a time, in any
    order, with their samples.

    `Run.summary` describes its columns. Groups of at most MAX_GROUP questions are in memory, as
    many at a time as have MAX_IN_MEMORY questions together; of larger ones only sums are.
    """
    import polars as pl

    # Renamed because a field may have the name of a column of the scores.
    keys = ["system", *(f"by {place}" for place in range(len(fields)))]
    by = [pl.col(name).alias(key) for name, key in zip(("system", *fields), keys, strict=True)]
    own = pl.format("\0{}", "id")
    clusters = [
        pl.coalesce(pl.col(name).cast(pl.String), own).alias(CLUSTER)
        for name in clusters_in(samples)
    ]
    # (id, system) is unique, so a group has as many questions as samples.
    sizes: dict[Key, int] = {}
    if not fields:
        sizes = {(system,): n for system, n in samples.n_by_system.items()}
    for piece in samples.pieces(["system", *fields]) if fields else ():
        for *key, n in piece.select(by).group_by(keys).len().iter_rows():
            sizes[tuple(key)] = sizes.get(tuple(key), 0) + n
    of_label = {metric.metric: metric for metric in metrics}
    rows: dict[Key, list[dict[str, object]]] = {}
    for chosen in _rounds(sizes):
        small: dict[Key, list[pl.DataFrame]] = {}
        large: dict[Key, dict[str, _Group]] = {}
        for scores, part in pieces():
            joined = scores.join(part.select("id", *by, *clusters), on=["id", "system"], how="left")
            for key, group in joined.partition_by(keys, as_dict=True).items():
                if key in chosen and sizes[key] <= MAX_GROUP:
                    needed = [name for name in PER_SCORE if name in group.columns]
                    small.setdefault(key, []).append(group.select(needed))
                elif key in chosen:
                    groups = large.setdefault(key, {})
                    for label, found in _by_label(group):
                        if label in of_label:
                            new = _Group(of_label[label], is_large=True)
                            groups.setdefault(label, new).add(found)
        for key, parts in small.items():
            # In the order of the questions, so that the order of the rows changes no digit of a sum.
            in_order = _by_label(pl.concat(parts).sort("id"))
            large[key] = {
                label: _Group(of_label[label]).add(found)
                for label, found in in_order
                if label in of_label
            }
        for key, groups in large.items():
            rows[key] = [groups[label].row() for label in of_label if label in groups]
    names = ("system", *fields)
    ordered = sorted(rows, key=lambda key: [(it is None, by_number(str(it))) for it in key])
    made = [{**dict(zip(names, key, strict=True)), **row} for key in ordered for row in rows[key]]
    return frame_of(made)


def missing_numbers(row: Mapping[str, Any], metric: MetricDisplay) -> str:
    """Why numbers of a row of a summary are null; empty if all exist."""
    if row["mean"] is None:
        return metric.unavailable or aggregate_problem(metric) or "no row has a score"
    is_open, why = metric.low is None or metric.high is None, list[str]()
    if row["low"] is None:
        is_flat = row["lowest"] == row["highest"] and (is_open or metric.aggregate.kind == CUSTOM)
        is_flat, one = is_flat and row["ok"] > 1, "score" if row["ok"] == 1 else "cluster of scores"
        why.append(f"no interval: {'all are equal' if is_flat else f'only 1 {one}'}")
    if row["worst"] is None:
        why.append(f"no bounds: {'the scale has no end' if is_open else 'not a mean'}")
    return "; ".join(why)


def frame_of(rows: "Sequence[Mapping[str, object]]") -> "pl.DataFrame":
    """The rows of a summary as a frame."""
    import polars as pl

    return pl.DataFrame(rows, infer_schema_length=None)


def clusters_in(samples: Samples) -> list[str]:
    """The column of the samples whose rows of one value are not independent, if they have one."""
    return [name for name in CLUSTERS if name in samples.columns][:1]


def n_clusters(samples: Samples) -> tuple[str, int]:
    """What rows of a cluster share, `conversation` or `question`, and how many clusters there
    are."""
    import polars as pl

    names = [*clusters_in(samples), "id"]
    key = pl.coalesce(pl.col(name).cast(pl.String) for name in names)
    n = samples.scan().select(key.n_unique()).collect(engine="streaming").item()
    return "conversation" if names[0] == "conversation" else "question", int(n)


def _rounds(sizes: "Mapping[Key, int]") -> "Iterator[set[Key]]":
    """Groups whose scores are in memory at the same time; the large ones, which are not, in the first."""
    chosen = {key for key, n in sizes.items() if n > MAX_GROUP}
    total = 0
    for key, n in sizes.items():
        if n <= MAX_GROUP:
            if total and total + n > MAX_IN_MEMORY:
                yield chosen
                chosen, total = set[Key](), 0
            chosen.add(key)
            total += n
    yield chosen


def _by_label(scores: "pl.DataFrame") -> "Iterator[tuple[str, pl.DataFrame]]":
    for (label,), part in scores.partition_by("metric", as_dict=True).items():
        yield cast(str, label), part


@dataclass(slots=True)
class _Group:
    """A metric's scores in a group of questions; of a large group only sums are kept."""

    shown: MetricDisplay
    is_large: bool = False
    by_status: dict[str, int] = field(default_factory=lambda: dict.fromkeys(map(str, Status), 0))
    n: int = 0
    extremes: tuple[float | None, float | None] = (None, None)
    _values: "pl.Series | None" = None
    _parts: "Floats2d | None" = None
    _clusters: "list[tuple[pl.Series, Floats2d]]" = field(default_factory=list)
    """The sums of clusters, which may be in several pieces of a large group; `_n_clusters` were there when last joined."""
    _n_clusters: int = 0
    _sums: "QuestionSums | None" = None

    def add(self, scores: "pl.DataFrame") -> "_Group":
        """Count scores, all of a small group at once."""
        from ragauge.stats.normal_intervals import QuestionSums

        for status, n in scores["status"].value_counts().iter_rows():
            self.by_status[status] += n
        self.n += scores.height
        values = scores["value"]
        ends = [*self.extremes, values.min(), values.max()]
        known = [cast(float, end) for end in ends if end is not None]
        self.extremes = min(known, default=None), max(known, default=None)
        # A filter costs more than the interval of a small group.
        scored = scores.filter(values.is_not_null()) if values.null_count() else scores
        if not scored.height or aggregate_problem(self.shown):
            return self
        parts = _parts_of(scored, self.shown)
        if CLUSTER in scored.columns:
            # Of a large group numbers, as its many names take memory.
            names = scored[CLUSTER].hash() if self.is_large else scored[CLUSTER]
            names, parts = _by_cluster([(names, parts)])
            self._clusters.append((names, parts))
            if sum(len(names) for names, _ in self._clusters) > 2 * self._n_clusters + MAX_GROUP:
                self._clusters = [_by_cluster(self._clusters)]
                self._n_clusters = len(self._clusters[0][0])
        elif self.is_large:
            self._sums = self._sums or QuestionSums(parts.shape[1])
            self._sums.add(parts)
        self._values, self._parts = scored["value"], parts
        return self

    def row(self) -> dict[str, object]:
        """The row of the summary."""
        shown, n_ok = self.shown, self.by_status[str(Status.OK)]
        low, high, kind = shown.low, shown.high, shown.aggregate.kind
        estimate, worst, best = self._estimate(), None, None
        if estimate and low is not None and high is not None:
            if kind == "mean":
                # The mean if every row without a value had the worst, and the best, value of the scale.
                total, n_absent = estimate.value * n_ok, self.n - n_ok
                ends = [(total + n_absent * end) / self.n for end in (low, high)]
                worst, best = reversed(ends) if shown.lower_is_better else ends
            if kind != "sum":
                estimate = estimate.within(low, high)
        return {
            "metric": shown.metric,
            "name": shown.name,
            "mean": estimate.value if estimate else None,
            "low": estimate.low if estimate else None,
            "high": estimate.high if estimate else None,
            "worst": worst,
            "best": best,
            "lowest": self.extremes[0],
            "highest": self.extremes[1],
            "n": self.n,
            **self.by_status,
        }

    def _estimate(self) -> "Estimate | None":
        import numpy as np

        from ragauge.stats.intervals import ends_of, ends_of_scores, interval, parts_of
        from ragauge.stats.normal_intervals import QuestionSums, normal_estimate

        if self._parts is None or self._values is None:
            return None
        kind, low, high, ends = self.shown.aggregate.kind, self.shown.low, self.shown.high, None
        if self.is_large:
            sums = self._sums or QuestionSums(self._parts.shape[1])
            if self._clusters:
                sums.add(_by_cluster(self._clusters)[1])
            ends = None if kind == CUSTOM else ends_of(kind, low, high)
            return normal_estimate(sums, aggregate_of(self.shown), ends=ends)
        are_shares = False
        if kind != CUSTOM:
            values = self._values.to_numpy()
            ends = ends_of_scores(values, kind, low, high)
            are_shares = bool(np.isin(parts_of(values, kind)[:, 0], ends[:, 0]).all())
        return interval(self._parts, aggregate_of(self.shown), ends=ends, are_shares=are_shares)


def _parts_of(scored: "pl.DataFrame", shown: MetricDisplay) -> "Floats2d":
    """What each score adds to the sums of its aggregate, (n, p)."""
    import numpy as np

    from ragauge.stats.intervals import parts_of

    if shown.aggregate.kind != CUSTOM:
        return parts_of(scored["value"].to_numpy(), shown.aggregate.kind)
    rows = scored["parts"].to_list()
    return np.array(rows, dtype=np.float64).reshape(len(rows), -1)


def _by_cluster(pieces: "Sequence[tuple[pl.Series, Floats2d]]") -> "tuple[pl.Series, Floats2d]":
    """The clusters of all pieces in order, and the sums of their parts."""
    import numpy as np
    import polars as pl

    from ragauge.stats.intervals import by_question

    names, parts = pl.concat([names for names, _ in pieces]), [parts for _, parts in pieces]
    known = names.unique().sort()
    number = names.rank("dense").to_numpy().astype("int64") - 1
    return known, by_question(np.concatenate(parts), number, len(known))


def worst_rows(
    run: "ScoredRun", metrics: Sequence[MetricDisplay], n: int
) -> "Mapping[str, pl.DataFrame]":
    """By label, the n rows with the worst values of each metric (ties by id and system): id,
    system, value; from one pass."""
    import polars as pl

    columns = {"id": pl.String, "system": pl.String, "value": pl.Float64}
    worst = {metric.metric: pl.DataFrame(schema=columns) for metric in metrics}
    lower_is_better = {metric.metric: metric.lower_is_better for metric in metrics}
    wanted = pl.col("metric").is_in(list(worst)) & pl.col("value").is_not_null()
    for piece in score_pieces(run, ("id", "system", "metric", "value")):
        for label, rows in _by_label(piece.filter(wanted)):
            both = pl.concat([worst[label], rows.select(*columns)])
            descending = [lower_is_better[label], False, False]
            worst[label] = both.sort("value", "id", "system", descending=descending).head(n)
    return worst
