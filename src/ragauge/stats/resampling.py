"""Bootstrap intervals of statistics that are no function of sums: areas, rank correlations, agreement.

Rows of one question depend on each other, so questions are drawn, and a row counts as often as its question.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ragauge.errors import PlanError
from ragauge.stats.intervals import (
    CONFIDENCE,
    ROUNDING,
    Estimate,
    Floats1d,
    Floats2d,
    Ints1d,
    by_question,
    rounded_bound,
    share_interval,
)

Statistic = Callable[[Floats2d], Floats1d]
"""A statistic of weighted rows: weights (b, rows) to values (b,), NaN where it has none."""
RESAMPLES = 1_000
WEIGHTS_AT_ONCE = 2_000_000
"""Most weights in memory at once; bounds memory and does not change the result."""


def numbered(names: Sequence[str]) -> Ints1d:
    """The number of each name among the distinct names in order: (n,)."""
    _, numbers = np.unique(np.asarray(names, dtype=str), return_inverse=True)
    return numbers.astype(np.int64).reshape(-1)


def floats(values: Sequence[float] | Floats1d, name: str, *, may_be_nan: bool = False) -> Floats1d:
    """The values as an array (n,); PlanError for one that is not finite, or no number."""
    try:
        found = np.asarray(values, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError):
        raise PlanError(f"{name} must be numbers, got {values!r:.60}") from None
    bad = np.flatnonzero(np.isinf(found) if may_be_nan else ~np.isfinite(found))
    if len(bad):
        raise PlanError([f"{name}[{bad[0]}] is {found[bad[0]]}; leave out rows without a value"])
    return found


def check_lengths(**arrays: Floats1d) -> None:
    """PlanError if the arrays have different lengths."""
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        counts = ", ".join(f"{n:,} {name}" for name, n in lengths.items())
        raise PlanError([f"got {counts}; give one of each for every row"])


def plain_value(statistic: Statistic, n_rows: int) -> float | None:
    """The statistic when each row counts once; None where it has no value."""
    value = float(statistic(np.ones((1, n_rows)))[0])
    return value if np.isfinite(value) else None


def mean_of(values: Floats1d) -> Statistic:
    """The mean of the rows' values."""
    return lambda weights: weights @ values / weights.sum(axis=1)


def mean_by_size(values: Floats2d, sizes: Floats2d) -> Floats1d:
    """The mean of each column, weighted by sizes; NaN does not count, and a column of NaN has none.

    >>> mean_by_size(np.array([[1.0, np.nan], [4.0, 2.0]]), np.array([[2.0], [1.0]])).tolist()
    [2.0, 2.0]
    """
    sizes = np.where(np.isnan(values), 0.0, sizes)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.nansum(values * sizes, axis=0) / sizes.sum(axis=0)


@dataclass(frozen=True, slots=True)
class QuestionResamples:
    """Resamples of rows by question; `questions` (rows,) numbers each row's question from 0.

    All statistics of one object see the same resamples.
    """

    questions: Ints1d
    seed: int = 0
    n_resamples: int = RESAMPLES

    @property
    def n_questions(self) -> int:
        return len(np.unique(self.questions))

    @property
    def _numbers(self) -> Ints1d:
        return np.unique(self.questions, return_inverse=True)[1].reshape(-1)

    def draws(self, statistics: Sequence[Statistic]) -> list[tuple[float, Floats1d] | None]:
        """Each statistic's value and its values in the resamples; None for one without a value.

        Resamples in which it has no value (such as only one class) are left out; none are drawn from
        fewer than two questions.
        """
        n = len(self.questions)
        values = [plain_value(statistic, n) if n else None for statistic in statistics]
        drawn: list[list[Floats1d]] = [[np.zeros(0)] for _ in statistics]
        numbers = self._numbers
        for counts in self._counts():
            weights = counts[:, numbers]
            for place, statistic in enumerate(statistics):
                if values[place] is not None:
                    drawn[place].append(statistic(weights))
        found: list[tuple[float, Floats1d] | None] = []
        for value, pieces in zip(values, drawn, strict=True):
            of_one = np.concatenate(pieces)
            found.append(None if value is None else (value, of_one[np.isfinite(of_one)]))
        return found

    def estimates(self, statistics: Sequence[Statistic]) -> list[Estimate | None]:
        """Each statistic, in [-1, 1], with its percentile interval; None for one without a value.

        `low` and `high` are None for fewer than two questions, and where most resamples have no value. Where all
        have one, a share of other questions may differ unseen, Wilson's end for 0 of n, as `interval` has it.
        """
        estimates: list[Estimate | None] = []
        for found in self.draws(statistics):
            value, finite = found or (None, np.zeros(0))
            if value is None or len(finite) < self.n_resamples / 2:
                # Mostly without a value: no honest interval.
                estimates.append(None if value is None else Estimate(value, None, None))
                continue
            tail = (1 - CONFIDENCE) / 2
            low, high = np.quantile(finite, [tail, 1 - tail])
            if np.ptp(finite) <= ROUNDING:
                _, unseen = share_interval(0.0, self.n_questions)
                low, high = ((1 - unseen) * value + unseen * end for end in (-1, 1))
            low, high = map(rounded_bound, (low, high))
            estimates.append(Estimate(value, min(low, value), max(high, value)))
        return estimates

    def sums(self, parts: Floats2d) -> Floats2d:
        """The sums of parts (rows, k) in each resample, (b, k); from the same draws as all statistics.

        None are drawn from fewer than two questions.
        """
        totals = by_question(parts, self._numbers, self.n_questions)
        none = np.zeros((0, parts.shape[1]))
        return np.concatenate([none, *(counts @ totals for counts in self._counts())])

    def estimate(self, statistic: Statistic) -> Estimate | None:
        """One statistic with its interval."""
        return self.estimates([statistic])[0]

    def _counts(self) -> Iterator[Floats2d]:
        """How often each question is drawn in each resample, (b, questions) at a time; none of fewer than two."""
        n = self.n_questions
        random = np.random.default_rng(self.seed)
        at_once = max(1, WEIGHTS_AT_ONCE // max(len(self.questions), 1))
        for start in range(0, self.n_resamples if n > 1 else 0, at_once):
            size = min(at_once, self.n_resamples - start)
            drawn = random.integers(0, n, size=(size, n))
            flat = drawn + np.arange(size)[:, None] * n
            yield np.bincount(flat.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)
