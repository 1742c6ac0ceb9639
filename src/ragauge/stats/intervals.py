"""Bootstrap confidence intervals of aggregated scores.

Questions are resampled, not scores, so systems and metrics that share questions share the resamples.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats1d = NDArray[np.float64]
Floats2d = NDArray[np.float64]
Ints1d = NDArray[np.int64]
Aggregate = Callable[[Floats2d], Floats1d]
RESAMPLES = 1_000
CONFIDENCE = 0.95
DRAWN_AT_ONCE = 4_000_000
"""Most questions drawn at once; bounds memory and does not change the result."""
MAX_KEPT_DRAWS = 64_000_000
"""Most questions of draws that are kept for the next call, a byte each."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and its interval; `low` and `high` are None for fewer than two questions."""

    value: float
    low: float | None
    high: float | None


def bootstrap(
    totals: Sequence[Floats2d],
    aggregates: Sequence[Aggregate],
    *,
    seed: int = 0,
    n_resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> list[Estimate | None]:
    """The aggregate of each column of totals, with its percentile interval over questions.

    Each of `totals` is (n, p) with one row per question, in the same order in all: the question's share
    of the sums that the aggregate is computed from. For a mean these are the sum of its scores and
    their number; zeros if it has no score. None if no question has a score. Source: Efron &
    Tibshirani 1993, chapter 13.
    """
    values = [
        _value(total.sum(axis=0), make) for total, make in zip(totals, aggregates, strict=True)
    ]
    if not totals or len(totals[0]) < 2:
        return [None if value is None else Estimate(value, None, None) for value in values]
    sums = _sums_of_draws(np.hstack(totals), n_resamples, seed)
    estimates: list[Estimate | None] = []
    start = 0
    for total, value, make in zip(totals, values, aggregates, strict=True):
        stop = start + total.shape[1]
        if value is None:
            estimates.append(None)
        elif (total != 0).any(axis=1).sum() < 2:
            estimates.append(Estimate(value, None, None))
        else:
            estimates.append(_interval(value, make(sums[:, start:stop]), confidence))
        start = stop
    return estimates


def by_question(parts: Floats2d, question: Ints1d, n_questions: int) -> Floats2d:
    """The sums of parts (m, p) by question, (n_questions, p).

    `question` (m,) numbers each row's question. The order of the rows does not matter.

    >>> by_question(np.array([[0.5, 1], [1, 1]]), np.array([1, 1]), 2).tolist()
    [[0.0, 0.0], [1.5, 2.0]]
    """
    # Summed in the order of the values, so that the order of the rows cannot change a last digit.
    order = np.lexsort((*parts.T[::-1], question))
    total = np.zeros((n_questions, parts.shape[1]))
    np.add.at(total, question[order], parts[order])
    return total


def _value(total: Floats1d, make: Aggregate) -> float | None:
    value = float(make(total[None, :])[0])
    return value if np.isfinite(value) else None


def _sums_of_draws(total: Floats2d, n_resamples: int, seed: int) -> Floats2d:
    """As `resampled_sums`, with draws that are kept for the next call: groups often have equally many questions."""
    n = len(total)
    if n * n_resamples > MAX_KEPT_DRAWS:
        return resampled_sums(total, n_resamples, np.random.default_rng(seed))
    at_once = max(1, DRAWN_AT_ONCE // n)
    counts = _kept_counts(n, n_resamples, seed)
    pieces = [
        counts[start : start + at_once].astype(np.float64) @ total
        for start in range(0, n_resamples, at_once)
    ]
    return np.vstack(pieces)


@lru_cache(maxsize=1)
def _kept_counts(n: int, n_resamples: int, seed: int) -> NDArray[np.uint8]:
    """How often each resample draws each question, (b, n)."""
    random = np.random.default_rng(seed)
    pieces = [counts.astype(np.uint8) for counts in _drawn_counts(n, n_resamples, random)]
    return np.vstack(pieces)


def _drawn_counts(
    n: int, n_resamples: int, random: "np.random.Generator"
) -> Iterator[NDArray[np.int64]]:
    """How often each resample draws each question, some resamples at a time."""
    at_once = max(1, DRAWN_AT_ONCE // n)
    for start in range(0, n_resamples, at_once):
        size = min(at_once, n_resamples - start)
        drawn = random.integers(0, n, size=(size, n))
        flat = drawn + np.arange(size)[:, None] * n
        yield np.bincount(flat.ravel(), minlength=size * n).reshape(size, n)


def resampled_sums(total: Floats2d, n_resamples: int, random: "np.random.Generator") -> Floats2d:
    """Sums over questions drawn with replacement, (b, columns)."""
    counts = _drawn_counts(len(total), n_resamples, random)
    return np.vstack([each.astype(np.float64) @ total for each in counts])


def _interval(value: float, resampled: Floats1d, confidence: float) -> Estimate:
    finite = resampled[np.isfinite(resampled)]
    if len(finite) == 0:
        return Estimate(value, None, None)
    tail = (1 - confidence) / 2
    low, high = np.quantile(finite, [tail, 1 - tail])
    # A mean of equal values can differ from them in the last digit: keep the value in its interval.
    return Estimate(value, min(rounded_bound(low), value), max(rounded_bound(high), value))


def rounded_bound(bound: float) -> float:
    """The bound without its last digits, which differ between machines."""
    return round(float(bound), 10)
