"""Which systems of a run differ beyond chance: paired tests of each metric, corrected."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, cast

from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.paired_scores import question_ids, read_scores
from ragauge.runs.run import Run
from ragauge.runs.score_pieces import score_pieces
from ragauge.runs.sides import Side
from ragauge.runs.summary import MAX_RESAMPLED

if TYPE_CHECKING:
    import numpy as np

    from ragauge.stats import PairedTest

ALPHA = 0.05
"""A corrected p value below this is called a difference beyond chance."""
PERMUTATIONS = 10_000


@dataclass(frozen=True, slots=True)
class Difference:
    """How far the mean of `system` is from that of `best`, on the `n` questions that both have scored.

    `difference` is best minus system. `p_value` is that of the paired randomization test, with Holm's
    correction over all pairs of systems for this metric; for more than 50,000 questions by its normal
    approximation.
    """

    best: str
    system: str
    difference: float
    p_value: float
    n: int

    @property
    def is_significant(self) -> bool:
        return self.p_value < ALPHA


def differences(run: Run, metric: MetricDisplay) -> Mapping[str, Difference]:
    """Each system's difference from the best one, by system; the best has none.

    Compared are the questions that all systems with scores have a score for. Empty for fewer than two
    such systems, no common question, or a metric that is not aggregated by the mean.

    >>> import ragauge as rg
    >>> rows = [
    ...     {"id": str(at), "system": system, "answer": answer, "reference": "Rome"}
    ...     for at in range(8)
    ...     for system, answer in (("a", "Rome"), ("b", "Oslo"))
    ... ]
    >>> run = rg.evaluate(rows, "exact_match")
    >>> found = differences(run, run.metrics[0])["b"]
    >>> found.best, found.difference, found.p_value, found.is_significant
    ('a', 1.0, 0.0078125, True)
    """
    tests = system_tests(run, metric)
    means: dict[str, float] = {}
    for test in tests:
        means[test.first], means[test.second] = test.means
    if not means:
        return {}
    best = min(means, key=lambda system: means[system] * (1 if metric.lower_is_better else -1))
    return {
        other: Difference(best, other, means[best] - means[other], test.p_value, test.test.n)
        for test in tests
        if best in (test.first, test.second)
        for other in (test.second if test.first == best else test.first,)
    }


@dataclass(frozen=True, slots=True)
class SystemTest:
    """The paired test of two systems by one metric: `first` minus `second`.

    `means` are theirs on the questions of the test. `p_value` has Holm's correction over all pairs of
    systems for this metric.
    """

    first: str
    second: str
    means: tuple[float, float]
    test: "PairedTest"
    p_value: float


def system_tests(run: Run, metric: MetricDisplay) -> tuple[SystemTest, ...]:
    """The tests of all pairs of systems by this metric, on the questions that `differences` compares.

    In the order of the samples' systems. Computed once for a run. Empty where `differences` is empty.
    """
    from ragauge.stats import holm, pairwise_randomization
    from ragauge.stats.normal_tests import exact_means, pairwise_normal

    if metric.metric in run.system_tests:
        return cast("tuple[SystemTest, ...]", run.system_tests[metric.metric])
    systems, values = _paired(run, metric)
    found: tuple[SystemTest, ...] = ()
    if len(systems) > 1 and values.shape[1]:
        if values.shape[1] > MAX_RESAMPLED:
            means = exact_means(values)
            tests = pairwise_normal(values)
        else:
            means = values.mean(axis=1).tolist()
            tests = pairwise_randomization(
                values, n_permutations=PERMUTATIONS, seed=run.manifest.seed
            )
        corrected = holm([test.p_value for test in tests])
        pairs = combinations(range(len(systems)), 2)
        found = tuple(
            SystemTest(systems[i], systems[j], (means[i], means[j]), test, float(p_value))
            for (i, j), test, p_value in zip(pairs, tests, corrected, strict=True)
        )
    run.system_tests[metric.metric] = found
    return found


def _paired(run: Run, metric: MetricDisplay) -> tuple[Sequence[str], "np.ndarray[Any, Any]"]:
    """The systems with scores, and their values for the questions that all of them have (s, n)."""
    import numpy as np

    if metric.aggregate.kind != "mean" or len(run.samples.systems) < 2:
        return [], np.zeros((0, 0))
    if max(run.samples.n_by_system.values()) > MAX_RESAMPLED:
        return _paired_by_hash(run, metric)
    sides = [Side(run, system, system) for system in run.samples.systems]
    labels = [{metric.name: metric.metric}] * len(sides)
    values = read_scores(sides, question_ids(sides), labels)[metric.name].values
    scored = np.flatnonzero(np.isfinite(values).any(axis=1))
    values = values[scored]
    return [sides[at].system for at in scored], values[:, np.isfinite(values).all(axis=0)]


def _paired_by_hash(
    run: Run, metric: MetricDisplay
) -> tuple[Sequence[str], "np.ndarray[Any, Any]"]:
    """The same for a large run: of each score, its value and a hash of its question are in memory."""
    import numpy as np
    import polars as pl

    kept: dict[str, list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]] = {}
    for piece in score_pieces(run, ("id", "system", "metric", "value")):
        own = piece.filter((pl.col("metric") == metric.metric) & pl.col("value").is_not_null())
        for (system,), part in own.partition_by("system", as_dict=True).items():
            pair = (part["id"].hash().to_numpy(), part["value"].to_numpy())
            kept.setdefault(cast(str, system), []).append(pair)
    systems = [system for system in run.samples.systems if system in kept]
    hashes = [np.concatenate([ids for ids, _ in kept[system]]) for system in systems]
    values = [np.concatenate([found for _, found in kept.pop(system)]) for system in systems]
    orders = [np.argsort(ids, kind="stable") for ids in hashes]
    common = hashes[0][orders[0]] if systems else np.zeros(0, dtype=np.uint64)
    for ids in hashes[1:]:
        common = common[np.isin(common, ids)]
    paired = np.empty((len(systems), len(common)))
    for at, (ids, order) in enumerate(zip(hashes, orders, strict=True)):
        places = np.searchsorted(ids, common, sorter=order)
        paired[at] = values[at][order[places]]
    return systems, paired
