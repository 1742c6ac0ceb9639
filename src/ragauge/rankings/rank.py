"""`rank`: runs scored against judgements with trec_eval's numbers, and the result: values per query, means with intervals, comparisons of runs."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from itertools import combinations, product
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

import ragauge.rankings.measures  # noqa: F401  # pyright: ignore[reportUnusedImport]  # declares them
from ragauge.errors import LabelError, PlanError
from ragauge.label import SettingValue, outside_brackets
from ragauge.rankings.hits import MEASURES, Bools, Compat, Floats, Ints
from ragauge.rankings.names import AskedMeasure, read_measure
from ragauge.rankings.reading.fields import by_bytes
from ragauge.rankings.reading.judgements import Judgements
from ragauge.rankings.reading.sources import judged_runs, named_runs, read_judgements
from ragauge.rankings.reading.streams import refuse_read_twice
from ragauge.score import Aggregation
from ragauge.stats.intervals import AGGREGATES, ends_of, parts_of

if TYPE_CHECKING:
    import polars as pl

    from ragauge.rankings.reading.sources import RankingSource
    from ragauge.stats.tests import PairedTest

Undefined = Literal["zero", "leave_out"]
"""How an undefined query counts in a mean: as 0, as in trec_eval, or not at all."""


@dataclass(frozen=True)
class Summary:
    """One measure of one run, aggregated over its queries.

    `value` is the mean, the sum of a count, or the geometric mean; None if no query has a value.
    `low` and `high` are the 95 % interval over queries (`ragauge.stats.interval`); None for sums and for fewer than
    two queries. `n` counts the queries. `n_undefined` of them are undefined: they are part of n and
    count as 0, or are left out of it, as `RankingResult.undefined` says.
    """

    run: str
    measure: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    n_undefined: int


@dataclass(frozen=True)
class RunComparison:
    """The comparison of two runs on one measure; differences are `run` minus `baseline`.

    `p_holm` is the p value, corrected for all pairs of runs that differ on the measure.
    """

    measure: str
    run: str
    baseline: str
    comparison: "PairedTest"
    p_holm: float

    def reversed(self) -> "RunComparison":
        """The comparison with the two runs exchanged."""
        test = self.comparison
        low = None if test.high is None else 0.0 - test.high
        high = None if test.low is None else 0.0 - test.low
        test = replace(test, difference=0.0 - test.difference, low=low, high=high)
        return replace(self, run=self.baseline, baseline=self.run, comparison=test)


@dataclass(frozen=True, eq=False)
class RankingResult:
    """The values of all measures for every run and judged query.

    `values` is (runs, measures, queries) with 0 where undefined; `is_undefined` has the same shape.
    `is_counted` (runs, queries) marks the queries of a run's means: those with results, or all with
    `complete`. `is_present` marks those with results. `n_unjudged_queries` counts each run's queries
    without judgements. `notes` say how the runs were read.
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

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the measures, as they were given to `rank`."""
        return tuple(measure.shown for measure in self.measures)

    def __repr__(self) -> str:
        n = int(self.is_counted.any(axis=0).sum())
        return f"RankingResult({len(self.runs)} runs, {len(self.measures)} measures, {n} queries)"

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()  # pyright: ignore[reportPrivateUsage]

    def summary(self) -> "pl.DataFrame":
        """`summaries` as a frame: run, measure, value, low, high, n, n_undefined."""
        import polars as pl

        return pl.DataFrame([asdict(summary) for summary in self.summaries])

    @cached_property
    def scores(self) -> "pl.DataFrame":
        """A frame with one row per run, query and measure; `value` is null where undefined."""
        import polars as pl

        return pl.DataFrame(
            [
                (run, query, measure, value)
                for run in self.runs
                for measure in self.names
                if not self.is_whole_only(measure)
                for query, value in self.per_query(measure, run).items()
            ],
            schema=dict.fromkeys(("run", "query", "measure"), pl.String) | {"value": pl.Float64},
            orient="row",
        )

    def mean(self, measure: str, run: str | None = None) -> float | None:
        """The mean of one measure of one run; `run` may be omitted if there is only one.

        For a count it is the sum, for gmap the geometric mean. None if no query has a value.
        """
        at, of = self._run(run), self._measure(measure)
        values, counts = self._averaged(of)
        # Summed in the order of names, so that no digit depends on the order of the judgements.
        total = (values[at] * counts[at])[self.by_name].sum()
        sums = np.array([[total, counts[at].sum()]], np.float64)
        mean = float(AGGREGATES[_kind(self.measures[of])](sums)[0])
        return mean if np.isfinite(mean) else None

    def per_query(self, measure: str, run: str | None = None) -> dict[str, float | None]:
        """Each query's value, None where undefined, ordered by the names of the queries."""
        at, of = self._run(run), self._measure(measure)
        values, is_undefined = self.values[at, of], self.is_undefined[at, of]
        return {
            self.judgements.queries[query]: None if is_undefined[query] else float(values[query])
            for query in self.queries_of(at)
        }

    def is_count(self, measure: str) -> bool:
        """Whether the measure is a count, which is summed over queries."""
        return _kind(self.measures[self._measure(measure)]) == "sum"

    def is_whole_only(self, measure: str) -> bool:
        """Whether the measure has no values per query, as in trec_eval."""
        asked = self.measures[self._measure(measure)]
        return _kind(asked) == "geometric_mean" or asked.label.name == "num_q"

    def queries_of(self, run: int) -> list[int]:
        """The numbers of the queries of a run's means, ordered by name."""
        return self.by_name[self.is_counted[run][self.by_name]].tolist()

    @cached_property
    def by_name(self) -> Ints:
        """The numbers of the queries, ordered by the bytes of their names."""
        return by_bytes(self.judgements.query_names)

    def n_undefined(self, run: int, measure: int) -> int:
        """How many of the run's queries are undefined for the measure."""
        return int((self.is_undefined[run, measure] & self.is_counted[run]).sum())

    @cached_property
    def summaries(self) -> tuple[Summary, ...]:
        """The summary of every run and measure."""
        from ragauge.stats.intervals import interval

        found: list[Summary] = []
        for (run, name), (measure, shown) in product(enumerate(self.runs), enumerate(self.names)):
            kind, (values, counts) = _kind(self.measures[measure]), self._averaged(measure)
            value, low, high = self.mean(shown, name), None, None
            if kind != "sum":
                # Each query's share of the sums that the aggregate is computed from.
                parts = [values[run] * counts[run], counts[run].astype(np.float64)]
                ends = ends_of(kind, *self._scale(measure))
                rows = np.column_stack(parts)[self.by_name]
                estimate = interval(rows, AGGREGATES[kind], ends=ends)
                low, high = (estimate.low, estimate.high) if estimate else (None, None)
                if value is not None and low is not None and high is not None:
                    # Widened so that rounding never puts the value outside.
                    low, high = min(low, value), max(high, value)
            n = int(counts[run].sum())
            found.append(Summary(name, shown, value, low, high, n, self.n_undefined(run, measure)))
        return tuple(found)

    def compare(self, baseline: str | None = None) -> tuple[RunComparison, ...]:
        """Compare every pair of runs, or each run with the baseline, by paired randomization tests.

        A test uses the queries that count for both runs; a pair without any is left out. Counts and
        geometric means are not compared. Raises PlanError for fewer than two runs.
        """
        if len(self.runs) < 2:
            raise PlanError("compare needs at least two runs; give another run")
        from ragauge.stats.tests import holm, of_family, pairwise_randomization

        every = list(combinations(range(len(self.runs)), 2))
        at = None if baseline is None else self._run(baseline)
        pairs = [pair for pair in every if at is None or at in pair]
        found: list[RunComparison] = []
        for measure, asked in enumerate(self.measures):
            if _kind(asked) != "mean":
                continue
            scored, counted = self._averaged(measure)
            values, counts = scored[:, self.by_name], counted[:, self.by_name]
            test_pairs = partial(pairwise_randomization, seed=self.seed, scale=self._scale(measure))
            tests: dict[tuple[int, int], PairedTest] = {}
            if counts.any() and (counts == counts[0]).all():
                by_pair = dict(zip(every, test_pairs(values[:, counts[0]]), strict=True))
                tests = {pair: by_pair[pair] for pair in pairs}
            else:
                for pair in pairs:
                    if (kept := counts[[*pair]].all(axis=0)).any():
                        (tests[pair],) = test_pairs(values[[*pair]][:, kept])
            p_values = [test.p_value for test in tests.values()]
            corrected = of_family(holm, p_values, [test.n_nonzero > 0 for test in tests.values()])
            for ((one, other), test), p in zip(tests.items(), corrected, strict=True):
                run, base = self.runs[one], self.runs[other]
                compared = RunComparison(self.names[measure], run, base, test, p)
                found.append(compared if base == baseline else compared.reversed())
        return tuple(found)

    def common_means(self, measure: str, one: str, other: str) -> tuple[float, float]:
        """The means of two runs over the queries that count for both, which `compare` compares.

        Raises PlanError for a run or measure that the result does not have.
        """
        values, counts = self._averaged(self._measure(measure))
        pair = [self._run(one), self._run(other)]
        kept = counts[pair].all(axis=0)
        first: Floats = values[pair[0]][kept]
        second: Floats = values[pair[1]][kept]
        return float(np.mean(first)), float(np.mean(second))

    def _averaged(self, measure: int) -> tuple[Floats, Bools]:
        """The values in the form that is averaged, and which of them count, both (runs, queries)."""
        values, counts = self.values[:, measure], self.is_counted
        if _kind(self.measures[measure]) == "geometric_mean":
            values = parts_of(values.ravel(), "geometric_mean")[:, 0].reshape(values.shape)
        if self.undefined != "zero":
            counts = counts & ~self.is_undefined[:, measure]
        return values, counts

    def _scale(self, measure: int) -> tuple[float | None, float | None]:
        found = MEASURES[self.measures[measure].label.name]
        return found.low, found.high

    def _run(self, name: str | None) -> int:
        if name is None and len(self.runs) == 1:
            return 0
        runs = ", ".join(self.runs)
        if name is None:
            raise PlanError(f"there are several runs; choose one of {runs}")
        if name not in self.runs:
            raise PlanError(f"no run {name!r}; the runs are {runs}")
        return self.runs.index(name)

    def _measure(self, name: str) -> int:
        """The position of a measure by its given name, or by its label."""
        if name in self.names:
            return self.names.index(name)
        try:
            (asked,) = read_measure(name)
            return [str(measure.label) for measure in self.measures].index(str(asked.label))
        except (LabelError, ValueError):
            what = f"measure {name!r} was not computed; the measures are {', '.join(self.names)}"
            raise PlanError(what) from None


def _kind(asked: AskedMeasure) -> Aggregation:
    return MEASURES[asked.label.name].aggregation


DEFAULT_MEASURES = ("ndcg@10", "map", "mrr@10", "recall@100", "precision@10")

LARGEST_DEPTH = 1 << 62
COUNTED_WITHOUT_RESULTS = ("num_q", "num_rel")
"""Counts that include queries for which the run has no results."""


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

    `qrels` and each run are a file (TREC text, also gzip or zstd; Parquet, CSV, JSON), a BEIR folder,
    a mapping query → document → grade or score as in pytrec_eval, a frame, or samples. Pass several
    runs as a list, or as a mapping of names to runs. Measures have ragauge's or trec_eval's names.

    Means are over the queries that are in both the judgements and the run; with `complete`
    (trec_eval's -c) over all judged queries, where a query without results scores 0. A query without
    a relevant judged document is undefined: `undefined="zero"` counts it as 0, as trec_eval does,
    `"leave_out"` leaves it out. `min_grade` (-l) is the lowest grade that counts as relevant; nDCG
    and other gain measures ignore it. `depth` (-M) truncates every ranking, `judged_only` (-J)
    removes unjudged documents. Ties are ordered by document name, descending by bytes; scores are
    compared as 32-bit floats as in trec_eval 9 and pytrec_eval, or as 64-bit floats with
    `compat="trec10"`.

    Raises DataError when a source cannot be read or shares no query with the judgements, LabelError
    for an unknown measure, PlanError for invalid settings.

    >>> ranked = rank({"q1": {"d1": 1}}, {"q1": {"d1": 0.5, "d2": 0.9}}, ["mrr"])
    >>> ranked.mean("mrr")
    0.5
    """
    counts = [("min_grade", min_grade, 1), ("seed", seed, 0)]
    counts += [] if depth is None else [("depth", depth, 1)]
    problems = [
        f"{name} must be a whole number of at least {least}, got {value!r}"
        for name, value, least in counts
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
    asked = _measures([measures] if isinstance(measures, str) else measures)
    declared = [MEASURES[measure.label.name] for measure in asked]
    settings: list[dict[str, SettingValue]] = []
    for own, measure in zip(declared, asked, strict=True):
        # A label's settings go before the common ones.
        common: dict[str, SettingValue] = {"min_grade": min_grade, "compat": compat}
        common = {name: value for name, value in common.items() if name in own.setting_names}
        settings.append(own.read_settings({**common, **measure.label.settings}))
    refuse_read_twice([qrels, *(source for _, source in named_runs(runs))])
    judgements = read_judgements(qrels)
    by_name = judged_runs(runs, judgements, compat)
    values: list[list[Floats]] = []
    is_undefined: list[list[Bools]] = []
    for run in by_name.values():
        hits = run.hits if depth is None else run.hits.up_to(min(depth, LARGEST_DEPTH))
        hits = hits.judged_only() if judged_only else hits
        values.append([])
        is_undefined.append([])
        for own, given in zip(declared, settings, strict=True):
            found = own.values(hits, given)
            # Queries without results score 0, with `complete` too.
            is_all = own.name in COUNTED_WITHOUT_RESULTS
            values[-1].append(found.value if is_all else np.where(run.is_present, found.value, 0.0))
            is_undefined[-1].append(found.undefined)
    present = np.array([run.is_present for run in by_name.values()])
    return RankingResult(
        judgements,
        tuple(by_name),
        asked,
        np.array(values),
        np.array(is_undefined),
        np.ones_like(present) if complete else present,
        present,
        tuple(run.n_unjudged_queries for run in by_name.values()),
        undefined,
        seed,
        tuple(f"{name}: {note}" for name, run in by_name.items() for note in run.notes),
    )


def _measures(names: Sequence[str]) -> tuple[AskedMeasure, ...]:
    """The measures of these names, or of several in one, separated by commas or blanks.

    LabelError lists every unknown name.
    """
    measures: list[AskedMeasure] = []
    problems: list[str] = []
    for name in names:
        try:
            try:
                measures += read_measure(name)
            except LabelError:
                parts = outside_brackets(r"[,\s]+", name.strip())
                if len(parts) == 1:
                    raise
                measures += [measure for part in parts for measure in read_measure(part)]
        except LabelError as error:
            problems.append(str(error))
    if problems:
        raise LabelError("\n".join(problems))
    if not measures:
        raise PlanError("no measure given; give one such as ndcg@10")
    return tuple(measures)
