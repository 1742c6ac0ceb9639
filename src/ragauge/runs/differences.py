"""Which systems of a run differ beyond chance: paired tests of each metric, corrected."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.paired_scores import question_ids, read_scores
from ragauge.runs.run import Run
from ragauge.runs.sides import Side

ALPHA = 0.05
"""A corrected p value below this is called a difference beyond chance."""
PERMUTATIONS = 10_000


@dataclass(frozen=True, slots=True)
class Difference:
    """How far the mean of `system` is from that of `best`, on the `n` questions that both have scored.

    `difference` is best minus system. `p_value` is that of the paired randomization test, with Holm's
    correction over all pairs of systems for this metric.
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
    import numpy as np

    from ragauge.stats import holm, pairwise_randomization

    if metric.aggregate.kind != "mean" or len(run.samples.systems) < 2:
        return {}
    sides = [Side(run, system, system) for system in run.samples.systems]
    labels = [{metric.name: metric.metric}] * len(sides)
    values = read_scores(sides, question_ids(sides), labels)[metric.name].values
    scored = np.flatnonzero(np.isfinite(values).any(axis=1))
    systems = [sides[at].system for at in scored]
    values = values[scored]
    values = values[:, np.isfinite(values).all(axis=0)]
    if len(systems) < 2 or values.shape[1] == 0:
        return {}
    means = values.mean(axis=1)
    order = -means if not metric.lower_is_better else means
    best = int(np.argmin(order))
    tests = pairwise_randomization(values, n_permutations=PERMUTATIONS, seed=run.manifest.seed)
    corrected = holm([test.p_value for test in tests])
    pairs = combinations(range(len(systems)), 2)
    p_values = dict(zip(pairs, corrected, strict=True))
    return {
        system: Difference(
            systems[best],
            system,
            float(means[best] - means[at]),
            float(p_values[min(at, best), max(at, best)]),
            values.shape[1],
        )
        for at, system in enumerate(systems)
        if at != best
    }
