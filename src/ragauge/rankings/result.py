"""The result of `rank`: values per query, means with intervals, and comparisons of runs."""

from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from itertools import combinations, product
from typing import TYPE_CHECKING, Literal

import numpy as np

from ragauge.errors import LabelError, PlanError
from ragauge.rankings.hits import Bools, Floats, Ints
from ragauge.rankings.judgements import Judgements
from ragauge.rankings.measure import MEASURES
from ragauge.rankings.names import AskedMeasure, read_measure
from ragauge.rankings.reading.lookup import by_bytes
from ragauge.score import Aggregation
from ragauge.stats.intervals import AGGREGATES, ends_of, parts_of

if TYPE_CHECKING:
    import polars as pl

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
