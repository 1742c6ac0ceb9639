"""Runs scored against judgements, as trec_eval does it, with intervals and paired comparisons."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, get_args

import numpy as np

import ragauge.rankings.measures  # noqa: F401  # pyright: ignore[reportUnusedImport]  # declares them
from ragauge.errors import LabelError, PlanError
from ragauge.label import SettingValue
from ragauge.rankings.arrays import Bools, Floats
from ragauge.rankings.compat import Compat
from ragauge.rankings.judgements import JudgedRun, Judgements
from ragauge.rankings.measure import MEASURES
from ragauge.rankings.names import AskedMeasure, read_measure
from ragauge.rankings.reading.judged_runs import judged_runs, judgements_at, named_runs
from ragauge.rankings.reading.streams import refuse_read_twice
from ragauge.rankings.result import RankingResult, Undefined

if TYPE_CHECKING:
    import polars as pl

    from ragauge.rankings.fusion import Method, Norm
    from ragauge.rankings.reading.sources import RankingSource

DEFAULT_MEASURES = ("ndcg@10", "map", "mrr@10", "recall@100", "precision@10")

LARGEST_DEPTH = 1 << 62
SAID_OF_JUDGEMENTS = ("num_q", "num_rel")
"""Counts that a query adds to though the run lacks it."""


def rank(
    qrels: "RankingSource | Judgements",
    runs: "RankingSource | Sequence[RankingSource] | Mapping[str, RankingSource]",
    measures: str | Sequence[str] = DEFAULT_MEASURES,
    *,
    min_grade: int = 1,
    complete: bool = False,
    depth: int | None = None,
    judged_only: bool = False,
    undefined: Undefined = "zero",
    compat: Compat = "trec9",
    seed: int = 0,
) -> RankingResult:
    """Score runs against judgements, with trec_eval's numbers.

    `qrels` and each run: a file (TREC text, also gzip or zstd; Parquet, CSV, JSON), a BEIR folder,
    query → document → grade or score as pytrec_eval takes them, a frame, or samples. Several runs
    are a list, or a mapping that names them. Measures go by the field's names or trec_eval's.

    Means are over the queries that stand in both the judgements and the run; with `complete`
    (trec_eval's -c) over all judged queries, a missing one counting 0. A query without a relevant
    judged document has no value: `undefined="zero"` counts it as 0, as trec_eval does, and
    `"leave_out"` leaves it out. `min_grade` (-l) is the least grade that is relevant; nDCG and other
    gain measures do not heed it. `depth` (-M) cuts every ranking, `judged_only` (-J) drops documents
    nobody judged. Equal scores are ordered by document name, descending by bytes; they are compared
    in 32 bits as in trec_eval 9 and pytrec_eval, or in 64 with `compat="trec10"`.

    DataError when a source cannot be read as asked or no query stands in both, LabelError for an
    unknown measure, PlanError for settings that cannot be.

    >>> ranked = rank({"q1": {"d1": 1}}, {"q1": {"d1": 0.5, "d2": 0.9}}, ["mrr"])
    >>> ranked.mean("mrr")
    0.5
    """
    _refuse_settings(min_grade, depth, undefined, compat, seed)
    asked = _asked([measures] if isinstance(measures, str) else measures)
    common: dict[str, SettingValue] = {"min_grade": min_grade, "compat": compat}
    settings = [_settings(one, common) for one in asked]
    refuse_read_twice([qrels, *(source for _, source in named_runs(runs))])
    judgements = judgements_at(qrels)
    seen = judged_runs(runs, judgements, compat)
    scored = [
        _values(retrieved, asked, settings, depth=depth, judged_only=judged_only)
        for retrieved in seen.values()
    ]
    present = np.array([one.is_present for one in seen.values()])
    return RankingResult(
        judgements,
        tuple(seen),
        asked,
        np.array([values for values, _ in scored]),
        np.array([is_undefined for _, is_undefined in scored]),
        np.ones_like(present) if complete else present,
        present,
        tuple(one.n_unjudged_queries for one in seen.values()),
        undefined,
        seed,
        tuple(f"{name}: {note}" for name, one in seen.items() for note in one.notes),
    )


def fuse(
    runs: "Sequence[RankingSource]",
    method: "Method" = "rrf",
    *,
    k: float = 60,
    norm: "Norm | None" = None,
    weights: Sequence[float] | None = None,
    depth: int | None = None,
    compat: Compat = "trec9",
) -> "pl.DataFrame":
    """One run made of several: a frame with the columns query, doc and score, best first.

    Each run is whatever `rank` takes. The methods and norms are `retrieval.fusion.fuse`'s. DataError
    when a run cannot be read, PlanError for settings that cannot be.

    >>> fused = fuse([{"q1": {"a": 2.0, "b": 1.0}}, {"q1": {"b": 9.0}}])
    >>> fused["doc"].to_list()  # b: 1/62 + 1/61; a: 1/61
    ['b', 'a']
    """
    from ragauge.rankings.fusion import BY_RANK
    from ragauge.rankings.fusion import fuse as fuse_frames
    from ragauge.rankings.reading.sources import run_frame

    if isinstance(runs, str | Mapping):
        raise PlanError(["to fuse takes several runs; give a list of them"])
    refuse_read_twice(runs)
    frames = [run_frame(run, compat=compat) for run in runs]
    if compat == "trec9" and (method in BY_RANK or norm == "rank"):
        frames = [_in_32_bits(frame) for frame in frames]
    return fuse_frames(frames, method, k=k, norm=norm, weights=weights, depth=depth)


def _in_32_bits(frame: "pl.DataFrame") -> "pl.DataFrame":
    """The run with its scores as trec_eval 9 compares them: those that are near enough tie."""
    import polars as pl

    narrowed = pl.col("score").cast(pl.Float32, strict=False).cast(pl.Float64)
    # Beyond 32 bits is infinite, which a run cannot hold: such scores keep their order above others.
    return frame.with_columns(
        score=pl.when(narrowed.is_infinite()).then(pl.col("score")).otherwise(narrowed)
    )


def _values(
    retrieved: JudgedRun,
    asked: Sequence[AskedMeasure],
    settings: Sequence[Mapping[str, SettingValue]],
    *,
    depth: int | None,
    judged_only: bool,
) -> tuple[Floats, Bools]:
    """Every measure's value for each judged query of one run, and where it has none."""
    hits = retrieved.hits
    hits = hits.up_to(min(depth, LARGEST_DEPTH)) if depth is not None else hits
    hits = hits.judged_only() if judged_only else hits
    found = [
        MEASURES[one.label.name].values(hits, given)
        for one, given in zip(asked, settings, strict=True)
    ]
    values = np.array([one.value for one in found])
    for at, one in enumerate(asked):
        if one.label.name not in SAID_OF_JUDGEMENTS:
            values[at, ~retrieved.is_present] = 0.0  # what the run lacks adds nothing, under -c too
    return values, np.array([one.undefined for one in found])


def _asked(names: Sequence[str]) -> tuple[AskedMeasure, ...]:
    """The measures of these names; LabelError tells of every name that is none."""
    asked: list[AskedMeasure] = []
    problems: list[str] = []
    for name in names:
        try:
            asked += _read(name)
        except LabelError as error:
            problems.append(str(error))
    if problems:
        raise LabelError("\n".join(problems))
    if not asked:
        raise PlanError(["no measure is asked for; name one, such as ndcg@10"])
    return tuple(asked)


def _read(name: str) -> list[AskedMeasure]:
    """What a name stands for, or each of several with commas or blanks between."""
    try:
        return list(read_measure(name))
    except LabelError:
        parts = re.split(r"[,\s]+(?![^(]*\))", name.strip())
        if len(parts) == 1:
            raise
        return [one for part in parts for one in read_measure(part)]


def _refuse_settings(
    min_grade: int, depth: int | None, undefined: str, compat: str, seed: int
) -> None:
    """PlanError for every setting that cannot be."""
    counts = {"min_grade": (min_grade, 1), "seed": (seed, 0)}
    if depth is not None:
        counts["depth"] = (depth, 1)
    problems = [
        f"{name} must be a whole number of at least {least}, got {value!r}"
        for name, (value, least) in counts.items()
        if type(value) is not int or value < least
    ]
    for name, value, known in (
        ("undefined", undefined, get_args(Undefined)),
        ("compat", compat, get_args(Compat)),
    ):
        if value not in known:
            problems.append(f"{name} must be {' or '.join(map(repr, known))}, got {value!r}")
    if problems:
        raise PlanError(problems)


def _settings(asked: AskedMeasure, common: Mapping[str, SettingValue]) -> dict[str, SettingValue]:
    """The measure's settings; those that its label gives go before those common to all."""
    measure = MEASURES[asked.label.name]
    own = {setting.name for setting in measure.settings}
    fitting = {name: value for name, value in common.items() if name in own}
    return measure.read_settings({**fitting, **asked.label.settings})
