"""Fuse rankings of the same queries into one, and write it as a TREC run.

A run is a frame with the columns query, doc and score, in any order. Ranks follow trec_eval: ties by id, descending.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import BinaryIO, Literal, get_args

import numpy as np
import polars as pl

from ragauge.errors import DataError, PlanError, Problem, did_you_mean
from ragauge.rankings.hits import Floats, Ints

Method = Literal[
    "rrf", "isr", "borda", "combsum", "combmnz", "combanz", "combmax", "combmin", "combmed"
]
Norm = Literal["min-max", "sum", "z-score", "rank", "none"]

COLUMNS = ("query", "doc", "score")
BY_RANK = ("rrf", "isr", "borda")
"""Methods that use ranks only, so `norm` does not affect them."""
UNWRITABLE = r"[\s\x00-\x1f]|^$"
"""Matches ids that a TREC file cannot hold: readers split at different characters, so all of these
are rejected."""
ROWS_AT_ONCE = 500_000


def fuse(
    runs: "Sequence[pl.DataFrame]",
    method: Method = "rrf",
    *,
    k: float = 60,
    norm: Norm | None = None,
    weights: Sequence[float] | None = None,
    depth: int | None = None,
) -> "pl.DataFrame":
    """Fuse several runs into one; queries keep the order in which they first appear.

    Documents are ordered best first; ties are ordered by document id, descending by bytes. The points
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
    `depth` cuts each fused ranking. Sums are in the order of the runs. Raises PlanError for invalid
    settings and DataError for invalid rows.

    >>> import polars as pl
    >>> bm25 = pl.DataFrame({"query": ["1", "1"], "doc": ["a", "b"], "score": [9.0, 3.0]})
    >>> dense = pl.DataFrame({"query": ["1", "1"], "doc": ["b", "c"], "score": [0.8, 0.7]})
    >>> fuse([bm25, dense], "combsum").rows()  # a: 1; b: 0 + 1; c: 0
    [('1', 'b', 1.0), ('1', 'a', 1.0), ('1', 'c', 0.0)]
    """
    weights = [1.0] * len(runs) if weights is None else weights
    _refuse_settings(len(runs), method, k, norm, weights, depth)
    pool = _pooled(runs)
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
        raise PlanError(["the scores are too large to fuse; use the norm 'rank', or rrf"])
    order = _best_first(pool.query, score)
    if depth is not None:
        query = pool.query[order]
        first = np.searchsorted(query, np.arange(len(pool.names)))
        order = order[np.arange(len(order)) - first[query] < depth]
    query, doc = pool.names.gather(pool.query[order]), pool.doc.gather(order)
    return pl.DataFrame({"query": query, "doc": doc, "score": score[order]})


def write_run(run: "pl.DataFrame", file: BinaryIO, *, tag: str) -> None:
    """Write a run in TREC format, `query Q0 doc rank score tag`, in the order of its rows.

    Ranks count a query's rows from 1. A written score reads back as the same float. Raises
    DataError, before anything is written, for an id or tag that a reader would split.

    >>> import io, polars as pl
    >>> file = io.BytesIO()
    >>> write_run(pl.DataFrame({"query": ["1"], "doc": ["a"], "score": [0.5]}), file, tag="mine")
    >>> file.getvalue()
    b'1 Q0 a 1 0.5 mine\\n'
    """
    (run,) = _checked([run])
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


def _pooled(runs: "Sequence[pl.DataFrame]") -> Pool:
    numbered = enumerate(_checked(runs))
    rows = pl.concat(run.with_columns(pl.lit(number).alias("run")) for number, run in numbered)
    names = rows["query"].unique(maintain_order=True)
    number = pl.col("query").cast(pl.Enum(names)).to_physical()
    rows = rows.with_columns(number).sort("query", "doc", descending=[False, True])
    document = rows.select(pl.struct("query", "doc").rle_id()).to_series().to_numpy()
    query, score, run = (rows[name].to_numpy() for name in ("query", "score", "run"))
    document, query = document.astype(np.int64), query.astype(np.int64)
    of_run = [np.flatnonzero(run == number) for number in range(len(runs))]
    ballots = tuple(Ballot(document[at], query[at], score[at]) for at in of_run)
    first = np.flatnonzero(np.diff(document, prepend=-1))
    pool = Pool(names, query[first], rows["doc"].gather(first), ballots)
    problems = [
        Problem(
            f"document {pool.doc[place]!r} is listed twice; keep one",
            f"run {number}",
            id=pool.names[int(pool.query[place])],
        )
        for number, ballot in enumerate(ballots, 1)
        for place in ballot.document[1:][np.diff(ballot.document) == 0].tolist()
    ]
    if problems:
        raise DataError(problems)
    return pool


def _best_first(query: Ints, score: Floats) -> Ints:
    """The rows sorted by query, then score descending, then in their order; `query` ascends.

    >>> _best_first(np.array([0, 0, 0, 1]), np.array([0.5, 0.7, 0.5, 0.9])).tolist()
    [1, 0, 2, 3]
    """
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


def _refuse_settings(
    n_runs: int,
    method: str,
    k: float,
    norm: str | None,
    weights: Sequence[float],
    depth: int | None,
) -> None:
    problems: list[str] = []
    if n_runs == 0:
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
    if len(weights) != n_runs:
        problems.append(f"{len(weights)} weights for {n_runs} runs; give one for each run")
    problems += [
        f"weight {weight!r} is not a finite number above 0; leave out a run that should not count"
        for weight in weights
        if not 0 < weight < np.inf
    ]
    if depth is not None and depth < 1:
        problems.append(f"depth is {depth!r}; give 1 or more")
    if problems:
        raise PlanError(problems)


def _checked(runs: "Sequence[pl.DataFrame]") -> "list[pl.DataFrame]":
    """The runs' columns as texts and numbers; DataError for invalid rows."""
    problems: list[Problem] = []
    for number, run in enumerate(runs, 1):
        source = f"run {number}"
        if unavailable := [name for name in COLUMNS if name not in run.columns]:
            has = ", ".join(run.columns) or "none"
            what = f"has no column {', '.join(unavailable)}; its columns are {has}"
            problems.append(Problem(what, source))
            continue
        if not (kind := run.schema["score"]).is_numeric():
            what = f"is {kind}, not numbers; read the scores as numbers"
            problems.append(Problem(what, source, field="score"))
            continue
        problems += [
            Problem(f"is null in {n_null} rows", source, field=name)
            for name in ("query", "doc")
            if (n_null := run[name].null_count())
        ]
        bad = run.filter(pl.col("score").is_null() | ~pl.col("score").is_finite())
        for query, doc, score in bad.select(COLUMNS).iter_rows():
            what = f"document {doc!r} has the score {score!r}; give each a finite number"
            problems.append(Problem(what, source, field="score", id=query))
    if problems:
        raise DataError(problems)
    # Adding 0 makes -0.0 and 0.0 one score.
    score = pl.col("score").cast(pl.Float64) + 0.0
    return [run.select(pl.col("query", "doc").cast(pl.String), score) for run in runs]
