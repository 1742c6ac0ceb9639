"""Which systems of a run differ beyond chance: `ragauge compare` of all of them, by all metrics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

from ragauge.comparing.comparison import LEVEL, Comparison, MetricComparison
from ragauge.runs.fields import read_dataclass
from ragauge.runs.scored_run import ScoredRun

MOST_TESTS = 250
"""Most tests of all pairs. The smallest p of 10,000 drawn sign patterns, 0.0001, is 0.025 after Holm's
correction for 250 tests; with twice as many nothing could be found."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How far the aggregate of `best` is from that of `system`, on the `n` questions that both have scored.

    `difference` is best minus system. `p_value` is corrected for all tests of the comparison; None if
    the two could not be tested.
    """

    best: str
    system: str
    difference: float
    p_value: float | None
    n: int

    @property
    def is_significant(self) -> bool:
        return self.p_value is not None and self.p_value < LEVEL and self.difference != 0


@dataclass(frozen=True)
class SystemDifferences:
    """A comparison of the systems of a run, looked up by metric and systems.

    `base` is the system that all others are compared with; None if every pair is compared.
    """

    comparison: Comparison
    base: str | None

    @cached_property
    def _rows(self) -> Mapping[tuple[str, frozenset[str]], MetricComparison]:
        return {
            (row.metric, frozenset((row.base, row.candidate))): row for row in self.comparison.rows
        }

    def of(self, metric: str, best: str, system: str) -> Difference | None:
        """The difference of two systems by a metric, given by its label; None if there is none."""
        row = self._rows.get((metric, frozenset((best, system))))
        if row is None or row.difference is None:
            return None
        difference = row.difference if row.candidate == best else 0.0 - row.difference
        return Difference(best, system, difference, row.p_corrected, row.n)


def differences(run: ScoredRun, best: str) -> SystemDifferences | None:
    """All systems of a run compared by all metrics; None for a single system. Computed once for a run.

    Every pair is compared, as by `ragauge compare RUN --all-pairs`. If that makes more than 250 tests,
    each system is compared with `best` only, as by `ragauge compare RUN BEST OTHER…`.

    >>> import ragauge as rg
    >>> rows = [
    ...     {"id": str(at), "system": system, "answer": answer, "reference": "Rome"}
    ...     for at in range(8)
    ...     for system, answer in (("a", "Rome"), ("b", "Oslo"))
    ... ]
    >>> found = differences(rg.evaluate(rows, "exact_match"), "a").of("exact_match", "a", "b")
    >>> found.difference, found.p_value, found.n, found.is_significant
    (1.0, 0.0078125, 8, True)
    """
    n = len(run.samples.systems)
    if n < 2:
        return None
    n_metrics = sum(not metric.unavailable for metric in run.metrics)
    base = None if n_metrics * n * (n - 1) // 2 <= MOST_TESTS else best
    made = comparisons_of(run)
    if base not in made:
        from ragauge.comparing.compare import compare_systems

        first = [] if base is None else [base]
        others = [system for system in run.samples.systems if system != base]
        made[base] = compare_systems(run, [*first, *others], "base" if first else "all")
    return SystemDifferences(made[base], base)


def comparisons_of(run: ScoredRun) -> dict[str | None, Comparison]:
    """The comparisons of all systems that were made so far, by their base; None where every pair is compared.

    Those that the run made when it ended are among them.
    """
    if "comparisons" not in run.computed:
        stored = run.stored_results.get("comparisons", ())
        pairs = cast("Sequence[tuple[str | None, object]]", stored)
        found = {base: read_dataclass(Comparison, made) for base, made in pairs}
        # The folder may have another name now.
        run.computed["comparisons"] = {
            base: replace(each, folders=(run.place,) * len(each.systems))
            for base, each in found.items()
        }
    return cast("dict[str | None, Comparison]", run.computed["comparisons"])
