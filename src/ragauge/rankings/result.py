"""The result of `rank`: values per query, means with intervals, and comparisons of runs."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np

from ragauge.errors import LabelError, PlanError
from ragauge.rankings.arrays import Bools, Floats, Ints
from ragauge.rankings.judgements import Judgements
from ragauge.rankings.measure import MEASURES
from ragauge.rankings.names import AskedMeasure, read_measure
from ragauge.rankings.reading.ordering import by_bytes
from ragauge.stats.aggregates import AGGREGATES, parts_of
from ragauge.stats.aggregation import Aggregation

if TYPE_CHECKING:
    import polars as pl

    from ragauge.stats.intervals import Estimate
    from ragauge.stats.tests import PairedTest

Undefined = Literal["zero", "leave_out"]
"""What a query without a value adds to a mean: 0, as in trec_eval, or nothing."""


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
