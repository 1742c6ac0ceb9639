"""Fuse rankings of the same queries into one, and write it as a TREC run. Ties are by id, descending, as in trec_eval."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, BinaryIO, Literal, get_args

import numpy as np
import polars as pl

from ragauge.errors import DataError, PlanError, Problem, did_you_mean
from ragauge.rankings.hits import Compat, Floats, Ints
from ragauge.rankings.reading.sources import run_frame
from ragauge.rankings.reading.streams import refuse_read_twice

if TYPE_CHECKING:
    from ragauge.rankings.reading.sources import RankingSource

Method = Literal[
    "rrf", "isr", "borda", "combsum", "combmnz", "combanz", "combmax", "combmin", "combmed"
]
Norm = Literal["min-max", "sum", "z-score", "rank", "none"]

BY_RANK = ("rrf", "isr", "borda")
"""Methods that use ranks only, so `norm` does not affect them."""
UNWRITABLE = r"[\s\x00-\x1f]|^$"
"""Matches ids that a TREC file cannot hold: readers split at different characters, so all of these
are rejected."""
ROWS_AT_ONCE = 500_000


def fuse(
    runs: "Sequence[RankingSource]",
    method: Method = "rrf",
    *,
    k: float = 60,
    norm: Norm | None = None,
    weights: Sequence[float] | None = None,
    depth: int | None = None,
    compat: Compat = "trec9",
) -> "pl.DataFrame":
    """Fuse several runs into one: a frame with the columns query, doc and score, best first.

    Each run is anything that `rank` takes. Queries keep the order in which they first appear; documents are ordered best first; ties are ordered by document id, descending by bytes. The points
    that a run gives a document, times the run's weight (1 by default), are combined:

    - `rrf`: the sum of 1 / (k + rank), ranks from 1. Cormack, Clarke & Büttcher 2009.
    - `isr`: the sum of 1 / rank², times the number of runs with the document. Mourão et al. 2014.
    - `borda`: with c documents in any run for the query, the first gets c points, the next c - 1;
      documents that a run lacks share its remaining points. Aslam & Montague 2001.
    - `combsum`, `combmax`, `combmin`, `combmed`: sum, highest, lowest, median of the scores in the
      runs with the document; `combmnz` is the sum times their number, `combanz` divided by it. Fox
      & Shaw 1994.

    `norm` changes the scores of each query and run beforehand, for the comb methods only: `min-max`
    (the default) to [0, 1]; `sum`, above the lowest and summing to 1; `z-score`, less the mean and
    divided by the deviation (of the population); `rank`, 1 - (rank - 1) / n; `none`. Scores that are
    all equal become 0 under the first three, as in ranx. A query is fused from the runs that have it.
    `depth` cuts each fused ranking. Ranks are of scores as 32-bit floats, as in trec_eval 9, or with
    `compat="trec10"` as 64-bit floats. Sums are in the order of the runs. Raises PlanError for invalid
    settings and DataError when a run cannot be read.

    >>> fused = fuse([{"q1": {"a": 2.0, "b": 1.0}}, {"q1": {"b": 9.0}}])
    >>> fused["doc"].to_list()  # b: 1/62 + 1/61; a: 1/61
    ['b', 'a']
    """
    if isinstance(runs, str | Mapping):
        raise PlanError("fuse needs several runs; give a list of them")
    weights = [1.0] * len(runs) if weights is None else weights
    problems: list[str] = []
    if len(runs) == 0:
        problems.append("no run to fuse; give one or more")
    if method not in get_args(Method):
        known = ", ".join(get_args(Method))
        hint = did_you_mean(method, get_args(Method))
        problems.append(f"unknown fusion method {method!r}{hint}; the methods are {known}")
    elif norm is not None and method in BY_RANK:
        problems.append(f"{method} uses ranks only, so norm {norm!r} has no effect; leave it out")
    if norm is not None and norm not in get_args(Norm):
        problems.append(f"unknown norm {norm!r}; the norms are {', '.join(get_args(Norm))}")
    if not 0 <= k < np.inf:
        problems.append(f"k is {k!r}; give a finite number of at least 0")
    if len(weights) != len(runs):
        problems.append(f"{len(weights)} weights for {len(runs)} runs; give one for each run")
    problems += [
        f"weight {weight!r} is not a finite number above 0; leave out a run that should not count"
        for weight in weights
        if not 0 < weight < np.inf
    ]
    if depth is not None and depth < 1:
        problems.append(f"depth is {depth!r}; give 1 or more")
    if problems:
        raise PlanError(problems)
    refuse_read_twice(runs)
    pool = _pooled(
        list(map(run_frame, runs)),
        in_32_bits=compat == "trec9" and (method in BY_RANK or norm == "rank"),
    )
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused below
        if method == "borda":
            score = _borda(pool, weights)
        else:
            ballots = zip(pool.ballots, weights, strict=True)
            points = [
                weight * _points(each, method, k, norm or "min-max") for each, weight in ballots
            ]
            score = _combined(pool, method, points)
    if not np.isfinite(score).all():
        raise PlanError("the scores are too large to fuse; use the norm 'rank', or rrf")
    order = _best_first(pool.query, score)
    if depth is not None:
        query = pool.query[order]
        first = np.searchsorted(query, np.arange(len(pool.names)))
        order = order[np.arange(len(order)) - first[query] < depth]
    query, doc = pool.names.gather(pool.query[order]), pool.doc.gather(order)
    return pl.DataFrame({"query": query, "doc": doc, "score": score[order]})


def write_run(run: "pl.DataFrame", file: BinaryIO, *, tag: str) -> None:
    """Write a run, a frame of query, doc and score, in TREC format, in the order of its rows.

    A line is `query Q0 doc rank score tag`. Ranks count a query's rows from 1. A written score reads back as the same float. Raises
    DataError, before anything is written, for an id or tag that a reader would split.
    """
    problems = [
        Problem(f"{name!r} is empty or contains white space; change it", "run", field=column.name)
        for column in (run["query"], run["doc"], pl.Series("tag", [tag]))
        for name in column.filter(column.str.contains(UNWRITABLE)).unique(maintain_order=True)
    ]
    if problems:
        raise DataError(problems)
    lines = run.select(
        "query",
        pl.lit("Q0").alias("q0"),
        "doc",
        pl.int_range(1, pl.len() + 1).over("query").alias("rank"),
        "score",
        pl.lit(tag).alias("tag"),
    )
    for some in lines.iter_slices(ROWS_AT_ONCE):
        text = some.write_csv(include_header=False, separator=" ", quote_style="never")
        file.write(text.encode())


@dataclass(frozen=True, eq=False)
class Ballot:
    """One run's m rows, sorted by query, then document id descending.

    `document` (m,) is the row's index in the pool and `query` (m,) its query's number, both
    ascending.
    """

    document: Ints
    query: Ints
    score: Floats

    @cached_property
    def first(self) -> Ints:
        """The first row of each query in the run, (q,)."""
        return np.flatnonzero(np.diff(self.query, prepend=-1))

    @cached_property
    def size(self) -> Ints:
        return np.diff(self.first, append=len(self.query))

    def spread(self, of_query: Floats | Ints) -> Floats:
        """A value of each query in the run, (q,), repeated for each of its rows, (m,)."""
        return np.repeat(of_query, self.size).astype(np.float64)

    @cached_property
    def rank(self) -> Floats:
        """The rank of each row in its query, from 1, (m,)."""
        best_first = _best_first(self.query, self.score)
        rank = np.empty(len(best_first))
        rank[best_first] = np.arange(1, len(best_first) + 1) - self.spread(self.first)
        return rank


@dataclass(frozen=True, eq=False)
class Pool:
    """The distinct documents of all runs, sorted by query, then id descending by bytes.

    `names` are the queries as they first appear; `query` (n,) numbers them, ascending.
    """

    names: "pl.Series"
    query: Ints
    doc: "pl.Series"
    ballots: tuple[Ballot, ...]

    @cached_property
    def n_runs(self) -> Ints:
        """The number of runs that have each document, (n,)."""
        documents = np.concatenate([ballot.document for ballot in self.ballots])
        return np.bincount(documents, minlength=len(self.query))


def _pooled(runs: "Sequence[pl.DataFrame]", *, in_32_bits: bool) -> Pool:
    rows = pl.concat(run.with_columns(run=pl.lit(number)) for number, run in enumerate(runs))
    names = rows["query"].unique(maintain_order=True)
    number = pl.col("query").cast(pl.Enum(names)).to_physical()
    rows = rows.with_columns(number).sort("query", "doc", descending=[False, True])
    document = rows.select(pl.struct("query", "doc").rle_id()).to_series().to_numpy()
    query, score, run = (rows[name].to_numpy() for name in ("query", "score", "run"))
    score = score + 0.0  # no negative zero
    if in_32_bits:
        # A fused run cannot hold the infinite ones that scores too large for 32 bits become.
        with np.errstate(over="ignore"):
            narrow = score.astype(np.float32).astype(np.float64)
        score = np.where(np.isfinite(narrow), narrow, score)
    document, query = document.astype(np.int64), query.astype(np.int64)
    of_run = [np.flatnonzero(run == number) for number in range(len(runs))]
    ballots = tuple(Ballot(document[at], query[at], score[at]) for at in of_run)
    first = np.flatnonzero(np.diff(document, prepend=-1))
    return Pool(names, query[first], rows["doc"].gather(first), ballots)


def _best_first(query: Ints, score: Floats) -> Ints:
    """The rows sorted by query, then score descending, then in their order; `query` ascends."""
    # One small sort per query is faster than one sort of all rows.
    first = np.flatnonzero(np.diff(query, prepend=-1)).tolist()
    falling = -score
    order = [
        start + np.argsort(falling[start:end], kind="stable")
        for start, end in pairwise([*first, len(query)])
    ]
    return np.concatenate(order) if order else np.zeros(0, np.int64)


def _points(ballot: Ballot, method: Method, k: float, norm: Norm) -> Floats:
    """What a run gives each of its documents, (m,)."""
    if method == "rrf":
        return 1 / (k + ballot.rank)
    if method == "isr":
        return 1 / ballot.rank**2
    score, first = ballot.score, ballot.first
    if norm == "none":
        return score
    if norm == "rank":
        return 1 - (ballot.rank - 1) / ballot.spread(ballot.size)
    if norm == "z-score":  # so that no square overflows
        score = score / ballot.spread(_or_one(np.maximum.reduceat(np.abs(score), first)))
    # From the lowest, so that equal scores have exactly the mean 0.
    above = score - ballot.spread(np.minimum.reduceat(score, first))
    if norm == "min-max":
        return above / ballot.spread(_or_one(np.maximum.reduceat(above, first)))
    if norm == "sum":
        return above / ballot.spread(_or_one(np.add.reduceat(above, first)))
    centred = above - ballot.spread(np.add.reduceat(above, first) / ballot.size)
    deviation = np.sqrt(np.add.reduceat(centred**2, first) / ballot.size)
    return centred / ballot.spread(_or_one(deviation))


def _or_one(divisor: Floats) -> Floats:
    return np.where(divisor == 0, 1.0, divisor)


def _combined(pool: Pool, method: Method, points: Sequence[Floats]) -> Floats:
    """The fused score of each document of the pool, (n,), from each run's points."""
    columns = list(zip((ballot.document for ballot in pool.ballots), points, strict=True))
    if method == "combmed":
        rising = np.full((len(pool.query), len(points)), np.inf)
        for column, (document, of_run) in enumerate(columns):
            rising[document, column] = of_run
        rising.sort(axis=1)
        row = np.arange(len(rising))
        return (rising[row, (pool.n_runs - 1) // 2] + rising[row, pool.n_runs // 2]) / 2
    if method in ("combmax", "combmin"):
        sign = 1 if method == "combmax" else -1
        best = np.full(len(pool.query), -np.inf)
        for document, of_run in columns:
            best[document] = np.maximum(best[document], sign * of_run)
        return sign * best
    total = np.zeros(len(pool.query))
    for document, of_run in columns:
        total[document] += of_run
    if method in ("isr", "combmnz"):
        return total * pool.n_runs
    return total / pool.n_runs if method == "combanz" else total


def _borda(pool: Pool, weights: Sequence[float]) -> Floats:
    n_pooled = np.bincount(pool.query, minlength=len(pool.names))
    total = np.zeros(len(pool.query))
    for ballot, weight in zip(pool.ballots, weights, strict=True):
        n_ranked = np.bincount(ballot.query, minlength=len(pool.names))
        # The mean of the remaining points 1 … c - n; a run without the query gives none.
        unranked = np.where(n_ranked > 0, (n_pooled - n_ranked + 1) / 2, 0)
        points = unranked[pool.query]
        points[ballot.document] = n_pooled[ballot.query] - ballot.rank + 1
        total += weight * points
    return total
