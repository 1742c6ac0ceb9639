"""What one pair of systems did question by question: wins, fixed and broken questions, bounds."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ragauge.comparing.comparison import Change, QuestionCounts, Unpaired
from ragauge.comparing.paired_scores import LOST, NOT_APPLICABLE, OK, STATUSES, MetricScores
from ragauge.runs.manifest import MetricDisplay
from ragauge.stats.rounding import ROUNDING

if TYPE_CHECKING:
    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]


SKEWED = ("latency_s", "first_token_s", "cost_usd")
"""Metrics without an upper end whose values differ by factors: a few are many times the others."""
MANY_QUESTIONS = 50_000
MAX_LISTED = 10_000
"""Of pairs with more questions than the former, each list has at most the latter."""


class QuestionLists(NamedTuple):
    """The questions of a pair that changed or that a side has no score for, and how many there are."""

    fixed: tuple[Change, ...] = ()
    broken: tuple[Change, ...] = ()
    unpaired: tuple[Unpaired, ...] = ()
    counts: QuestionCounts = QuestionCounts()


@dataclass(frozen=True)
class Pair:
    """One metric of a base and a candidate, by their places in `scores`, on some questions.

    `questions` (m,) are the places of the slice's questions.
    """

    metric: MetricDisplay
    scores: MetricScores
    questions: "Ints"
    base: int
    candidate: int

    @cached_property
    def is_paired(self) -> "Bools":
        """Which of the questions both have scored, (m,)."""
        status = self.scores.status
        return (status[self.base, self.questions] == OK) & (
            status[self.candidate, self.questions] == OK
        )

    @cached_property
    def common(self) -> "Ints":
        """The places of the questions that both have scored."""
        return self.questions[self.is_paired]

    @property
    def n(self) -> int:
        return len(self.common)

    @cached_property
    def before(self) -> "Floats":
        return self.scores.values[self.base, self.common]

    @cached_property
    def after(self) -> "Floats":
        return self.scores.values[self.candidate, self.common]

    @cached_property
    def differences(self) -> "Floats":
        """Candidate minus base, (n,); 0 where only rounding keeps them apart."""
        apart = self.after - self.before
        size = np.maximum(np.abs(self.after), np.abs(self.before))
        return np.where(np.abs(apart) <= ROUNDING * size, 0.0, apart)

    @cached_property
    def has_ratio(self) -> bool:
        """Whether candidate and base are compared by their ratio: times and costs, all above 0."""
        is_skewed = self.metric.metric in SKEWED and self.n > 0
        return is_skewed and bool((self.before > 0).all() and (self.after > 0).all())

    @cached_property
    def tested_differences(self) -> "Floats":
        """What is tested, (n,): the differences, of logarithms where there is a ratio."""
        if not self.has_ratio:
            return self.differences
        return np.where(self.differences == 0, 0.0, np.log(self.after) - np.log(self.before))

    @cached_property
    def gains(self) -> "Floats":
        """The differences, positive where the candidate is better."""
        return 0.0 - self.differences if self.metric.lower_is_better else self.differences

    @cached_property
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

    @cached_property
    def wins_ties_losses(self) -> tuple[int, int, int]:
        wins, losses = int((self.gains > 0).sum()), int((self.gains < 0).sum())
        return wins, self.n - wins - losses, losses

    def lists(self, ids: "pl.Series") -> "QuestionLists":
        """The questions fixed, broken and unpaired, and how many they are; `ids` names all questions."""
        fixed, broken = self._changed()
        sides = self.scores.status[[self.base, self.candidate]][:, self.questions[self.is_open]]
        no_base, no_candidate = sides[0] != OK, sides[1] != OK
        is_lost = ~no_base & np.isin(sides[1], LOST)
        counts = QuestionCounts(
            fixed=int(fixed.sum()),
            broken=int(broken.sum()),
            unpaired=sides.shape[1],
            base=int(no_base.sum()),
            candidate=int(no_candidate.sum()),
            lost=int(is_lost.sum()),
            dropped=int((~no_base & no_candidate & ~is_lost).sum()),
        )
        return QuestionLists(
            self._listed(fixed, ids), self._listed(broken, ids), self._unpaired(ids), counts
        )

    @property
    def _most_listed(self) -> int | None:
        return MAX_LISTED if len(self.questions) > MANY_QUESTIONS else None

    def _changed(self) -> "tuple[Bools, Bools]":
        """Which of the common questions were fixed, and broken: they crossed the middle of the scale."""
        low, high = self.metric.low, self.metric.high
        if low is None or high is None or not self.metric.is_ranked:
            return np.zeros(self.n, bool), np.zeros(self.n, bool)
        middle = (low + high) / 2
        if self.metric.lower_is_better:  # the middle itself counts as the better half
            was_good, is_good = self.before <= middle, self.after <= middle
        else:
            was_good, is_good = self.before >= middle, self.after >= middle
        return ~was_good & is_good, was_good & ~is_good

    def _listed(self, chosen: "Bools", ids: "pl.Series") -> tuple[Change, ...]:
        """The chosen common questions, largest change first."""
        before, after = self.before[chosen], self.after[chosen]
        # The questions are sorted by id, which orders equal changes.
        order = np.argsort(-np.abs(after - before), kind="stable")[: self._most_listed]
        names = cast("list[str]", ids.gather(self.common[chosen][order]).to_list())
        return tuple(
            Change(*each)
            for each in zip(names, before[order].tolist(), after[order].tolist(), strict=True)
        )

    @cached_property
    def is_open(self) -> "Bools":
        """Which of the questions a side lacks or could not score, (m,); not where neither applies."""
        sides = self.scores.status[[self.base, self.candidate]][:, self.questions]
        return ~self.is_paired & ~np.isin(sides, NOT_APPLICABLE).all(axis=0)

    def _unpaired(self, ids: "pl.Series") -> tuple[Unpaired, ...]:
        places = self.questions[self.is_open][: self._most_listed]
        base, candidate = (
            cast("list[int]", self.scores.status[side, places].tolist())
            for side in (self.base, self.candidate)
        )
        at_once = zip(ids.gather(places).to_list(), base, candidate, strict=True)
        return tuple(Unpaired(id, STATUSES[one], STATUSES[two]) for id, one, two in at_once)

    def bounds(self) -> tuple[float | None, float | None]:
        """The mean difference if all open questions went against, and for, the candidate."""
        low, high = self.metric.low, self.metric.high
        places = self.questions[self.is_open]
        total = self.n + len(places)
        if low is None or high is None or self.metric.aggregate.kind != "mean" or not total:
            return None, None
        before, after = (self.scores.values[side, places] for side in (self.base, self.candidate))
        seen = float(self.differences.sum())
        lowest = np.nan_to_num(after, nan=low) - np.nan_to_num(before, nan=high)
        highest = np.nan_to_num(after, nan=high) - np.nan_to_num(before, nan=low)
        ends = (seen + float(lowest.sum())) / total, (seen + float(highest.sum())) / total
        return (ends[1], ends[0]) if self.metric.lower_is_better else ends
