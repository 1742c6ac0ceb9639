"""Runs scored against judgements, as trec_eval does it, with intervals and paired comparisons."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast, get_args

import numpy as np

import ragauge.rankings.measures  # noqa: F401  # pyright: ignore[reportUnusedImport]  # declares them
from ragauge.errors import DataError, LabelError, PlanError, Problem
from ragauge.label import SettingValue
from ragauge.rankings.hits import Bools, Floats, Ints
from ragauge.rankings.judgements import JudgedRun, Judgements
from ragauge.rankings.measure import MEASURES
from ragauge.rankings.names import AskedMeasure, read_measure
from ragauge.rankings.reading.scan import by_bytes
from ragauge.rankings.reading.streams import is_trec, refuse_read_twice
from ragauge.rankings.reading.trec import Compat, read_qrels, scan_run
from ragauge.stats.aggregates import AGGREGATES, parts_of
from ragauge.stats.aggregation import Aggregation

if TYPE_CHECKING:
    import polars as pl

    from ragauge.rankings.fusion import Method, Norm
    from ragauge.rankings.reading.sources import Source
    from ragauge.sample import Samples
    from ragauge.stats.intervals import Estimate
    from ragauge.stats.tests import PairedTest

Undefined = Literal["zero", "leave_out"]
"""What a query without a value adds to a mean: 0, as in trec_eval, or nothing."""

DEFAULT_MEASURES = ("ndcg@10", "map", "mrr@10", "recall@100", "precision@10")

MAX_THREADS = 4
LARGEST_DEPTH = 1 << 62
SAID_OF_JUDGEMENTS = ("num_q", "num_rel")
"""Counts that a query adds to though the run lacks it."""


@dataclass(frozen=True, slots=True)
class Summary:
    """One measure of one run over its queries.

    `value` is the mean, the sum of a count, or the geometric mean; None where no query has one.
    `low` and `high` bound it at 95 % by the bootstrap over queries; None for sums and below two
    queries. It is over `n` queries. `n_undefined` have no value: they are among the n and count as 0,
    or they are left out of them, as `RankingResult.undefined` says.
    """

    run: str
    measure: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    n_undefined: int


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two runs on one measure: `comparison` is of `run` minus `baseline`.

    `p_holm` is its p value corrected for all pairs of runs that were compared on the measure.
    """

    measure: str
    run: str
    baseline: str
    comparison: "PairedTest"
    p_holm: float


@dataclass(frozen=True, eq=False)
class RankingResult:
    """Values of all measures for every run and judged query.

    `values` is (runs, measures, queries) with 0 where undefined; `is_undefined` has its shape.
    `is_counted` (runs, queries) says which queries a run's means are over: those it has, or all
    with `complete`; `is_present` those it has. `n_unjudged_queries` counts each run's queries that
    nobody judged. `notes` say how the runs were read.
    """

    judgements: Judgements
    runs: tuple[str, ...]
    measures: tuple[AskedMeasure, ...]
    values: Floats
    is_undefined: Bools
    is_counted: Bools
    is_present: Bools
    n_unjudged_queries: tuple[int, ...]
    undefined: Undefined = "zero"
    seed: int = 0
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The measures, as they were asked for."""
        return tuple(measure.shown for measure in self.measures)

    def __repr__(self) -> str:
        n = int(self.is_counted.any(axis=0).sum())
        return f"RankingResult({len(self.runs)} runs, {len(self.measures)} measures, {n} queries)"

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()  # pyright: ignore[reportPrivateUsage]

    def summary(self) -> "pl.DataFrame":
        """`summaries` as a frame: run, measure, value, low, high, n, n_undefined."""
        import polars as pl

        return pl.DataFrame([asdict(one) for one in self.summaries])

    @cached_property
    def scores(self) -> "pl.DataFrame":
        """A frame with a row for each run, query and measure; `value` is null where undefined."""
        import polars as pl

        return pl.DataFrame(
            [
                (run, query, measure, value)
                for run in self.runs
                for measure in self.names
                if not self.is_whole_only(measure)
                for query, value in self.per_query(measure, run).items()
            ],
            schema={
                "run": pl.String,
                "query": pl.String,
                "measure": pl.String,
                "value": pl.Float64,
            },
            orient="row",
        )

    def mean(self, measure: str, run: str | None = None) -> float | None:
        """One measure of one run over its queries; the only run needs no name.

        Of a count it is the sum, of gmap the geometric mean. None where no query has a value.
        """
        return self._whole(self._run(run), self._measure(measure))

    def per_query(self, measure: str, run: str | None = None) -> dict[str, float | None]:
        """Each query's value, None where it is undefined, in the order of the queries' names."""
        at, of = self._run(run), self._measure(measure)
        return {
            self.judgements.queries[query]: None
            if self.is_undefined[at, of, query]
            else float(self.values[at, of, query])
            for query in self.queries_of(at)
        }

    def is_count(self, measure: str) -> bool:
        """Whether the measure counts, so that its values are whole and the whole is their sum."""
        return _kind(self.measures[self._measure(measure)]) == "sum"

    def is_whole_only(self, measure: str) -> bool:
        """Whether the measure is said of all queries only, as trec_eval has it."""
        asked = self.measures[self._measure(measure)]
        return _kind(asked) == "geometric_mean" or asked.label.name == "num_q"

    def queries_of(self, run: int) -> list[int]:
        """The numbers of the queries that a run's means are over, in the order of their names."""
        return self.by_name[self.is_counted[run][self.by_name]].tolist()

    @cached_property
    def by_name(self) -> Ints:
        """The queries' numbers in the order of their names' bytes."""
        return by_bytes(self.judgements.query_names)

    @cached_property
    def summaries(self) -> tuple[Summary, ...]:
        """Every run and measure, with intervals; all share the same draws of queries."""
        from ragauge.stats.intervals import bootstrap

        totals = [
            self._parts(run, measure)[self._drawn]
            for run in range(len(self.runs))
            for measure in range(len(self.measures))
        ]
        makes = [AGGREGATES[_kind(measure)] for _ in self.runs for measure in self.measures]
        estimates = iter(bootstrap(totals, makes, seed=self.seed))
        return tuple(
            self._summary(run, measure, next(estimates))
            for run in range(len(self.runs))
            for measure in range(len(self.measures))
        )

    def compare(self, baseline: str | None = None) -> tuple[RunComparison, ...]:
        """Every pair of runs, or each run with the baseline: the paired randomization test.

        Over the queries that count for both; a pair without such is left out. Counts and geometric
        means are not compared. PlanError when there are fewer than two runs.
        """
        if len(self.runs) < 2:
            raise PlanError(["to compare takes two runs or more; give another run"])
        pairs = list(combinations(range(len(self.runs)), 2))
        if baseline is not None:
            at = self._run(baseline)
            pairs = [pair for pair in pairs if at in pair]
        compared: list[RunComparison] = []
        for measure, asked in enumerate(self.measures):
            if _kind(asked) == "mean":
                compared += self._compare(measure, asked, pairs, baseline)
        return tuple(compared)

    def _compare(
        self,
        measure: int,
        asked: AskedMeasure,
        pairs: Sequence[tuple[int, int]],
        baseline: str | None,
    ) -> Iterator[RunComparison]:
        from ragauge.stats.corrections import holm

        comparisons = self._comparisons(measure, pairs)
        corrected = holm([one.p_value for one in comparisons.values()])
        for ((one, other), comparison), p in zip(comparisons.items(), corrected, strict=True):
            base, run = (other, one) if self.runs[other] == baseline else (one, other)
            signed = comparison if run == one else _turned(comparison)
            yield RunComparison(asked.shown, self.runs[run], self.runs[base], signed, float(p))

    def _comparisons(
        self, measure: int, pairs: Sequence[tuple[int, int]]
    ) -> "dict[tuple[int, int], PairedTest]":
        """The pairs that have queries in common, tested."""
        from ragauge.stats.tests import pairwise_randomization

        values = np.array([self._scored(run, measure) for run in range(len(self.runs))])
        counts = np.array([self._counts(run, measure) for run in range(len(self.runs))])
        order = self.by_name
        comparisons: dict[tuple[int, int], PairedTest] = {}
        if counts.any() and (counts == counts[0]).all():
            kept = order[counts[0][order]]
            all_pairs = combinations(range(len(self.runs)), 2)
            tested = pairwise_randomization(values[:, kept], seed=self.seed)
            by_pair = dict(zip(all_pairs, tested, strict=True))
            return {pair: by_pair[pair] for pair in pairs}
        for one, other in pairs:
            kept = order[counts[[one, other]][:, order].all(axis=0)]
            if len(kept):
                both = values[[one, other]][:, kept]
                comparisons[one, other] = pairwise_randomization(both, seed=self.seed)[0]
        return comparisons

    def _summary(self, run: int, measure: int, estimate: "Estimate | None") -> Summary:
        is_sum = _kind(self.measures[measure]) == "sum"
        value = self._whole(run, measure)
        bounds = (None, None) if is_sum or estimate is None else _around(value, estimate)
        return Summary(
            self.runs[run],
            self.names[measure],
            value,
            *bounds,
            int(self._counts(run, measure).sum()),
            self.n_undefined(run, measure),
        )

    def n_undefined(self, run: int, measure: int) -> int:
        """How many of the run's queries have no value of the measure."""
        return int((self.is_undefined[run, measure] & self.is_counted[run]).sum())

    def _whole(self, run: int, measure: int) -> float | None:
        counts = self._counts(run, measure)
        # In the order of names, so that no digit depends on that of the judgements.
        total = (self._scored(run, measure) * counts)[self.by_name].sum()
        sums = np.array([[total, counts.sum()]], np.float64)
        value = float(AGGREGATES[_kind(self.measures[measure])](sums)[0])
        return value if np.isfinite(value) else None

    def _parts(self, run: int, measure: int) -> Floats:
        """What each query adds to the sums that make the whole, (queries, 2)."""
        counts = self._counts(run, measure)
        return np.stack([self._scored(run, measure) * counts, counts.astype(np.float64)], axis=1)

    def _scored(self, run: int, measure: int) -> Floats:
        """Each query's value as it is averaged."""
        values = self.values[run, measure]
        if _kind(self.measures[measure]) == "geometric_mean":
            return parts_of(values, "geometric_mean")[:, 0]
        return values

    def _counts(self, run: int, measure: int) -> Bools:
        counted = self.is_counted[run]
        if self.undefined == "zero":
            return counted
        return counted & ~self.is_undefined[run, measure]

    @cached_property
    def _drawn(self) -> Ints:
        """The queries the bootstrap draws from: those that some run has."""
        order = self.by_name
        return order[np.flatnonzero(self.is_counted[:, order].any(axis=0))]

    def _run(self, name: str | None) -> int:
        if name is None and len(self.runs) == 1:
            return 0
        runs = ", ".join(self.runs)
        if name is None:
            raise PlanError([f"there are several runs; name one of them: {runs}"])
        if name not in self.runs:
            raise PlanError([f"there is no run {name!r}; the runs are {runs}"])
        return self.runs.index(name)

    def _measure(self, name: str) -> int:
        if name not in self._places:
            try:
                (asked,) = read_measure(name)
                return self._places[str(asked.label)]
            except (LabelError, ValueError, KeyError):
                there = ", ".join(self.names)
                raise PlanError(
                    [f"measure {name!r} was not asked for; there are {there}"]
                ) from None
        return self._places[name]

    @cached_property
    def _places(self) -> dict[str, int]:
        """Where each measure stands, by its label and by the name it was asked for."""
        labels = {str(one.label): at for at, one in enumerate(self.measures)}
        return {**labels, **{name: at for at, name in enumerate(self.names)}}


def rank(
    qrels: "Source | Judgements",
    runs: "Source | Sequence[Source] | Mapping[str, Source]",
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
    refuse_read_twice([qrels, *(source for _, source in _named(runs))])
    judgements = _judgements(qrels)
    seen = _see(runs, judgements, compat)
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
    runs: "Sequence[Source]",
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


# What reads tables, JSON and samples is imported only where such are given: it takes as long as
# scoring a run of a hundred queries.


def _judgements(qrels: "Source | Judgements") -> Judgements:
    if is_trec(qrels):
        return read_qrels(cast(str, qrels))
    from ragauge.rankings.reading.sources import read_judgements

    return read_judgements(qrels)


def _see_run(source: "Source", judgements: Judgements, compat: Compat) -> JudgedRun:
    if is_trec(source):
        return scan_run(cast(str, source), judgements, compat=compat)
    from ragauge.rankings.reading.sources import match_to_qrels

    return match_to_qrels(source, judgements, compat=compat)


def _samples_in(source: "Source") -> "Samples | None":
    if is_trec(source):
        return None
    from ragauge.rankings.reading.sources import samples_in

    return samples_in(source)


def _see(
    runs: "Source | Sequence[Source] | Mapping[str, Source]", judgements: Judgements, compat: Compat
) -> dict[str, JudgedRun]:
    """Every run seen through the judgements, by its name."""
    named = _named(runs)
    if not named:
        raise PlanError(["there is no run to score; give one"])
    of_samples = [_samples_in(source) for _, source in named]
    if any(samples is not None for samples in of_samples):
        return _see_samples(of_samples, judgements)
    see = partial(_see_run, judgements=judgements, compat=compat)
    if len(named) == 1:
        seen = [see(named[0][1])]
    else:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(min(MAX_THREADS, os.cpu_count() or 1)) as pool:
            seen = list(pool.map(see, [source for _, source in named]))
    names = _told_apart(named, seen)
    _refuse_strangers(judgements, names, [source for _, source in named], seen)
    return dict(zip(names, seen, strict=True))


def _see_samples(
    several: "Sequence[Samples | None]", judgements: Judgements
) -> dict[str, JudgedRun]:
    """Every system of the samples; PlanError when some source is a run, or a system stands twice."""
    from ragauge.rankings.reading.sources import match_samples_to_qrels

    seen: dict[str, JudgedRun] = {}
    for samples in several:
        if samples is None:
            raise PlanError(["samples and runs are given together; score them one after the other"])
        for system, retrieved in match_samples_to_qrels(samples, judgements).items():
            if system in seen:
                raise PlanError([f"system {system!r} stands in two of the files; rename one"])
            seen[system] = retrieved
    systems = list(seen)
    _refuse_strangers(judgements, systems, [None] * len(systems), list(seen.values()))
    return seen


def _named(
    runs: "Source | Sequence[Source] | Mapping[str, Source]",
) -> "list[tuple[str | None, Source]]":
    if isinstance(runs, Mapping):
        if _is_run(cast(Mapping[str, object], runs)):
            return [(None, cast("Source", runs))]
        return list(cast("Mapping[str, Source]", runs).items())
    if isinstance(runs, Sequence) and not isinstance(runs, str):
        return [(None, run) for run in cast("Sequence[Source]", runs)]
    return [(None, cast("Source", runs))]


def _is_run(runs: Mapping[str, object]) -> bool:
    """Whether this is query → document → score, and not name → run."""
    for inner in runs.values():
        if isinstance(inner, Mapping):
            for innermost in cast(Mapping[str, object], inner).values():
                return not isinstance(innermost, Mapping | list | tuple)
        elif inner is not None:
            return isinstance(inner, list | tuple)
    return True


def _told_apart(
    named: "Sequence[tuple[str | None, Source]]", seen: Sequence[JudgedRun]
) -> list[str]:
    """A name for each run: the one given, else its own tag; its file's where two have one tag."""
    names = [str(name or one.tag) for (name, _), one in zip(named, seen, strict=True)]
    paths = [source if isinstance(source, str | Path) else "" for _, source in named]
    for spelled in (_file_name, str):
        names = [
            spelled(path) if path and not given and (not name or names.count(name) > 1) else name
            for name, path, (given, _) in zip(names, paths, named, strict=True)
        ]
    names = [name or f"run {at}" for at, name in enumerate(names, 1)]
    return [
        name if names.count(name) == 1 else f"{name} ({names[: at + 1].count(name)})"
        for at, name in enumerate(names)
    ]


def _file_name(path: str | Path) -> str:
    return Path(path).name


def _refuse_strangers(
    judgements: Judgements,
    names: Sequence[str],
    sources: Sequence[object],
    seen: Sequence[JudgedRun],
) -> None:
    """DataError when a run shares no query with the judgements: most likely they are spelt otherwise."""
    problems = [
        Problem(
            f"run {name!r} has none of the {judgements.n_queries} judged queries; are its query ids "
            f"spelt as in {judgements.source}, such as {judgements.queries[0]!r}?",
            str(source) if isinstance(source, str | Path) else "run",
        )
        for name, source, retrieved in zip(names, sources, seen, strict=True)
        if not retrieved.is_present.any()
    ]
    if problems:
        raise DataError(problems)


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


def _around(value: float | None, estimate: "Estimate") -> tuple[float | None, float | None]:
    """The bounds, which hold the value to its last digit."""
    low, high = estimate.low, estimate.high
    if value is None or low is None or high is None:
        return low, high
    return min(low, value), max(high, value)


def _turned(comparison: "PairedTest") -> "PairedTest":
    """The comparison the other way round."""
    low, high = comparison.low, comparison.high
    return replace(
        comparison,
        difference=0.0 - comparison.difference,
        low=None if high is None else 0.0 - high,
        high=None if low is None else 0.0 - low,
    )


def _kind(asked: AskedMeasure) -> Aggregation:
    return MEASURES[asked.label.name].aggregation
