"""What one pair of systems did question by question: wins, fixed and broken questions, bounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, cast

from ragauge.runs.comparison import Change, Unpaired
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.paired_scores import NOT_APPLICABLE, OK, STATUSES, MetricScores

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]


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
        """Candidate minus base, (n,)."""
        return self.after - self.before

    @cached_property
    def gains(self) -> "Floats":
        """The differences, positive where the candidate is better."""
        return 0.0 - self.differences if self.metric.lower_is_better else self.differences

    @cached_property
    def is_binary(self) -> bool:
        """Whether all scores of both are 0 or 1."""
        import numpy as np

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

    def changes(self, ids: Sequence[str]) -> tuple[tuple[Change, ...], tuple[Change, ...]]:
        """The questions fixed and broken: those that crossed the middle of the scale."""
        low, high = self.metric.low, self.metric.high
        if low is None or high is None or not self.metric.is_ranked:
            return (), ()
        middle = (low + high) / 2
        if self.metric.lower_is_better:  # the middle itself counts as the better half
            was_good, is_good = self.before <= middle, self.after <= middle
        else:
            was_good, is_good = self.before >= middle, self.after >= middle
        return self._listed(~was_good & is_good, ids), self._listed(was_good & ~is_good, ids)

    def _listed(self, chosen: "Bools", ids: Sequence[str]) -> tuple[Change, ...]:
        places = cast("list[int]", self.common[chosen].tolist())
        before, after = self.before[chosen].tolist(), self.after[chosen].tolist()
        changes = [
            Change(ids[at], one, other)
            for at, one, other in zip(places, before, after, strict=True)
        ]
        return tuple(sorted(changes, key=lambda each: (-abs(each.after - each.before), each.id)))

    @cached_property
    def is_open(self) -> "Bools":
        """Which of the questions a side lacks or could not score, (m,); not where neither applies."""
        import numpy as np

        sides = self.scores.status[[self.base, self.candidate]][:, self.questions]
        return ~self.is_paired & ~np.isin(sides, NOT_APPLICABLE).all(axis=0)

    def unpaired(self, ids: Sequence[str]) -> tuple[Unpaired, ...]:
        places = self.questions[self.is_open]
        base, candidate = (
            cast("list[int]", self.scores.status[side, places].tolist())
            for side in (self.base, self.candidate)
        )
        at_once = zip(cast("list[int]", places.tolist()), base, candidate, strict=True)
        return tuple(Unpaired(ids[at], STATUSES[one], STATUSES[two]) for at, one, two in at_once)

    def bounds(self) -> tuple[float | None, float | None]:
        """The mean difference if all open questions went against, and for, the candidate."""
        import numpy as np

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
