"""What one pair of systems did question by question: wins, fixed and broken questions, bounds, the interval."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ragauge.comparing.comparison import Change, QuestionCounts, Unpaired
from ragauge.comparing.scores import LOST, NOT_APPLICABLE, OK, STATUSES, MetricScores
from ragauge.runs.manifest import CUSTOM, MetricDisplay, aggregate_of, aggregate_problem
from ragauge.score import LARGEST
from ragauge.stats.intervals import (
    Estimate,
    Floats1d,
    Floats2d,
    by_question,
    difference_of,
    ends_of,
    exponential,
    interval,
    mean_of_parts,
)
from ragauge.stats.tests import ROUNDING

if TYPE_CHECKING:
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

SKEWED = ("latency_s", "first_token_s", "cost_usd")
"""Metrics without an upper end whose values differ by factors: a few are many times the others."""
MANY_QUESTIONS = 50_000
MAX_LISTED = 10_000
"""Of pairs with more questions than the former, each list has at most the latter."""


@dataclass(frozen=True)
class Pair:
    """One metric of a base and a candidate, by their places in `scores`, on some questions.

    `questions` (m,) are the places of the slice's questions; `clusters` numbers the cluster of each question
    of the comparison.
    """

    metric: MetricDisplay
    scores: MetricScores
    questions: "Ints"
    base: int
    candidate: int
    clusters: "Ints | None" = None

    @cached_property
    def problem(self) -> str:
        """Why the pair has no numbers; empty if it has some."""
        without = "" if self.n else "no question has a score on both sides"
        return aggregate_problem(self.metric) or without

    @property
    def is_mean(self) -> bool:
        return self.metric.aggregate.kind == "mean"

    @cached_property
    def is_paired(self) -> "Bools":
        """Which of the questions both have scored, (m,)."""
        return (self._statuses == OK).all(axis=0)

    @cached_property
    def _statuses(self) -> "NDArray[np.int8]":
        """The status of each question, (2, m): the base's and the candidate's."""
        return self.scores.status[[self.base, self.candidate]][:, self.questions]

    @cached_property
    def common(self) -> "Ints":
        """The places of the questions that both have scored."""
        return self.questions[self.is_paired]

    @property
    def n(self) -> int:
        return len(self.common)

    @cached_property
    def before(self) -> Floats1d:
        return self.scores.values[self.base, self.common]

    @cached_property
    def after(self) -> Floats1d:
        return self.scores.values[self.candidate, self.common]

    @cached_property
    def differences(self) -> Floats1d:
        """Candidate minus base, (n,); 0 where only rounding keeps them apart."""
        apart = self.after - self.before
        size = np.maximum(np.abs(self.after), np.abs(self.before))
        return np.where(np.abs(apart) <= ROUNDING * size, 0.0, apart)

    @cached_property
    def has_ratio(self) -> bool:
        """Whether candidate and base are compared by their ratio: times and costs, all well above 0."""
        is_skewed = self.metric.metric in SKEWED and self.n > 0
        return is_skewed and bool(min(self.before.min(), self.after.min()) >= 1 / LARGEST)

    @cached_property
    def tested_differences(self) -> Floats1d:
        """What is tested, (n,): the differences, of logarithms where there is a ratio."""
        if not self.has_ratio:
            return self.differences
        return np.where(self.differences == 0, 0.0, np.log(self.after) - np.log(self.before))

    @cached_property
    def gains(self) -> Floats1d:
        """The differences, positive where the candidate is better."""
        return 0.0 - self.differences if self.metric.lower_is_better else self.differences

    @property
    def is_binary(self) -> bool:
        """Whether all scores of both are 0 or 1."""
        return bool(np.isin(self.before, (0, 1)).all() and np.isin(self.after, (0, 1)).all())

    @property
    def repeat_share(self) -> float | None:
        """The share of the variance of the differences that comes from a judge that does not repeat itself.

        In [0, 1]; None without repeats, and if no question differs.
        """
        variance = self.scores.repeat_variance
        if variance is None or not self.differences.any() or self.n < 2:
            return None
        total = float(self.differences.var(ddof=1))
        sides = variance[[self.base, self.candidate]][:, self.common]
        own = float(sides.sum()) / self.n
        return min(own / total, 1.0) if total else None

    # What is resampled and tested: questions, or clusters of them

    @cached_property
    def own_clusters(self) -> "Ints | None":
        """The number of the cluster of each common question."""
        return None if self.clusters is None else self.clusters[self.common]

    @cached_property
    def _table(self) -> Floats2d:
        """The units' sums of: the differences, 1, and unless it is a mean the parts of the base and the candidate."""
        sides = () if self.is_mean else (self.base, self.candidate)
        parts = [self.scores.parts_on(self.metric, side, self.common) for side in sides]
        columns = [self.differences[:, None], np.ones((self.n, 1)), *parts]
        return _summed(np.hstack(columns), self.own_clusters)

    @property
    def units(self) -> Floats2d:
        """The sum of the differences of each unit, and how many these are; (k, 2)."""
        return self._table[:, :2]

    @property
    def parts(self) -> Sequence[Floats2d]:
        """What each unit adds to the sums of the aggregate of the base and of the candidate; (k, p) each."""
        return np.split(self._table[:, 2:], 2, axis=1)

    @cached_property
    def tested_units(self) -> Floats2d:
        """The same of what is tested."""
        if not self.has_ratio:
            return self.units
        return mean_units(self.tested_differences, self.own_clusters)

    @cached_property
    def estimate(self) -> Estimate | None:
        """The difference with its interval, within the differences that the metric's scale allows.

        None if an aggregate has no value.
        """
        if self.is_mean:
            return mean_estimate(self.metric, self.units)
        kind, ends = self.metric.aggregate.kind, None
        if kind != CUSTOM:
            of_one = ends_of(kind, self.metric.low, self.metric.high)
            ends = np.hstack([of_one[::-1], of_one])
        aggregate = difference_of(aggregate_of(self.metric), self.parts[0].shape[1])
        found = interval(np.hstack(self.parts), aggregate, ends=ends)
        most = _largest_difference(self.metric)
        return found if found is None or kind == "sum" else found.within(-most, most)

    @property
    def tested_estimate(self) -> Estimate | None:
        """The mean of what is tested, with its interval."""
        return mean_estimate(self.metric, self.tested_units)

    # Which questions changed, and which a side lacks

    @cached_property
    def wins_ties_losses(self) -> tuple[int, int, int]:
        wins, losses = int((self.gains > 0).sum()), int((self.gains < 0).sum())
        return wins, self.n - wins - losses, losses

    def lists(self, ids: "pl.Series") -> dict[str, Any]:
        """The questions fixed, broken and unpaired, and how many there are; `ids` names all questions."""
        fixed = broken = np.zeros(self.n, bool)
        low, high = self.metric.low, self.metric.high
        if low is not None and high is not None and self.metric.is_ranked:
            # They crossed the middle of the scale, which itself counts as the better half.
            middle = (low + high) / 2
            at_least = np.less_equal if self.metric.lower_is_better else np.greater_equal
            was_good, is_good = at_least(self.before, middle), at_least(self.after, middle)
            fixed, broken = ~was_good & is_good, was_good & ~is_good
        base, candidate = self._statuses[:, self.is_open]
        is_lost = (base == OK) & np.isin(candidate, LOST)
        counts = QuestionCounts(
            fixed=int(fixed.sum()),
            broken=int(broken.sum()),
            unpaired=len(base),
            base=int((base != OK).sum()),
            candidate=int((candidate != OK).sum()),
            lost=int(is_lost.sum()),
            dropped=int(((base == OK) & (candidate != OK) & ~is_lost).sum()),
        )
        most = MAX_LISTED if len(self.questions) > MANY_QUESTIONS else None
        names = cast("list[str]", ids.gather(self.questions[self.is_open][:most]).to_list())
        pairs = zip(names, base[:most].tolist(), candidate[:most].tolist(), strict=True)
        unpaired = tuple(Unpaired(id, STATUSES[one], STATUSES[two]) for id, one, two in pairs)
        changed = {
            "fixed": self._listed(fixed, ids, most),
            "broken": self._listed(broken, ids, most),
        }
        return {**changed, "unpaired": unpaired, "counts": counts}

    def _listed(self, chosen: "Bools", ids: "pl.Series", most: int | None) -> tuple[Change, ...]:
        """The chosen common questions, largest change first."""
        before, after = self.before[chosen], self.after[chosen]
        # The questions are sorted by id, which orders equal changes.
        order = np.argsort(-np.abs(after - before), kind="stable")[:most]
        names = cast("list[str]", ids.gather(self.common[chosen][order]).to_list())
        rows = zip(names, before[order].tolist(), after[order].tolist(), strict=True)
        return tuple(Change(*row) for row in rows)

    @cached_property
    def is_open(self) -> "Bools":
        """Which of the questions a side lacks or could not score, (m,); not where neither applies."""
        return ~self.is_paired & ~np.isin(self._statuses, NOT_APPLICABLE).all(axis=0)

    def bounds(self) -> tuple[float | None, float | None]:
        """The mean difference if all open questions went against, and for, the candidate."""
        low, high = self.metric.low, self.metric.high
        places = self.questions[self.is_open]
        total = self.n + len(places)
        if low is None or high is None or not self.is_mean or not total:
            return None, None
        before, after = (self.scores.values[side, places] for side in (self.base, self.candidate))
        seen = float(self.differences.sum())
        lowest = np.nan_to_num(after, nan=low) - np.nan_to_num(before, nan=high)
        highest = np.nan_to_num(after, nan=high) - np.nan_to_num(before, nan=low)
        ends = (seen + float(lowest.sum())) / total, (seen + float(highest.sum())) / total
        return (ends[1], ends[0]) if self.metric.lower_is_better else ends


def _summed(table: Floats2d, clusters: "Ints | None") -> Floats2d:
    """The rows summed by cluster."""
    if clusters is None:
        return table
    own, number = np.unique(clusters, return_inverse=True)
    return by_question(table, number.astype(np.int64), len(own))


def mean_units(differences: Floats1d, clusters: "Ints | None") -> Floats2d:
    """The sum of the differences of each cluster, and how many these are; (k, 2)."""
    return _summed(np.column_stack([differences, np.ones(len(differences))]), clusters)


def mean_estimate(metric: MetricDisplay, units: Floats2d) -> Estimate | None:
    """The mean of questions' differences with its interval, of such units."""
    most = _largest_difference(metric)
    is_single = bool((units[:, 1] == 1).all())
    return interval(units, mean_of_parts, ends=ends_of("mean", -most, most), are_shares=is_single)


def _largest_difference(metric: MetricDisplay) -> float:
    return inf if metric.low is None or metric.high is None else metric.high - metric.low


def ratio_of(logs: Estimate | None) -> tuple[float | None, float | None, float | None]:
    """The geometric mean of the questions' ratios with its interval, by that of their logarithms."""
    assert logs is not None
    ends = [exponential(end) for end in (logs.low, logs.high) if end is not None]
    low, high = ends if ends and isfinite(max(ends)) else (None, None)
    return exponential(logs.value), low, high
