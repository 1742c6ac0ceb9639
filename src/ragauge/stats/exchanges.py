"""The randomization test for metrics that are not means of scores: corpus BLEU, geometric means."""

import numpy as np

from ragauge.stats.distributions import normal_p_value
from ragauge.stats.intervals import Aggregate, Floats1d, Floats2d, derivative
from ragauge.stats.sign_patterns import (
    BERRY_ESSEEN,
    MAX_ERROR,
    NORMAL_FROM,
    PERMUTATIONS,
    PValue,
    all_sums,
    can_enumerate,
    signed_sums,
)

ROUNDING = 1e-12


def swap_test(
    base: Floats2d,
    candidate: Floats2d,
    aggregate: Aggregate,
    *,
    n_permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> PValue:
    """Test whether two aggregates of paired parts (n, p) differ.

    If the systems were equally good, the answers to each question could as well be exchanged. p is the
    share of all exchanges of the m questions with different parts whose aggregates are at least as far
    apart as the observed ones, if 2^m is at most `n_permutations`; otherwise (count + 1) /
    (n_permutations + 1) of random exchanges. With 50,000 different questions or more it is by the normal
    distribution: the difference of the aggregates under random exchanges is near a line in the exchanged
    parts, whose sum is near normal. 1 if no question differs. Source: Riezler & Maxwell 2005.

    >>> from ragauge.stats.aggregates import mean_of_parts
    >>> ones = np.ones(3)
    >>> base, candidate = np.column_stack([np.zeros(3), ones]), np.column_stack([[1, 2, 3], ones])
    >>> swap_test(base, candidate, mean_of_parts).value
    0.25
    """
    apart = candidate - base
    differs = (apart != 0).any(axis=1)
    total = (base + candidate).sum(axis=0)
    seen = _distances(total, apart.sum(axis=0)[None, :], aggregate)[0]
    m = int(differs.sum())
    if m == 0 or not np.isfinite(seen):
        return PValue(1.0, "exact")
    least = seen - ROUNDING * max(1.0, abs(seen))
    if can_enumerate(m, n_permutations):
        patterns = np.column_stack([all_sums(column) for column in apart[differs].T])
        distances = _distances(total, patterns, aggregate)
        return PValue(float((distances >= least).mean()), "exact")
    if m >= NORMAL_FROM and (p := _normal_p_value(total, apart[differs], aggregate)) is not None:
        return PValue(p, "normal")
    count = sum(
        int((_distances(total, sums.T, aggregate) >= least).sum())
        for sums in signed_sums(apart.T, n_permutations, seed)
    )
    return PValue((count + 1) / (n_permutations + 1), "drawn")


def _normal_p_value(total: Floats1d, apart: Floats2d, aggregate: Aggregate) -> float | None:
    """p of the parts' differences (m, p) by the normal distribution; None if they are not near it.

    Exchanging a question changes the sign of its differences, so the sums of p parts have the covariance
    of the products; the difference of the aggregates has the derivative of the aggregate at the middle.
    """
    middle, seen = total / 2, apart.sum(axis=0)
    slope = derivative(aggregate, middle, np.sqrt((apart**2).sum(axis=0)) / 2)
    moves = apart @ slope
    deviation = float(np.sqrt((moves**2).sum()))
    largest = float(np.abs(moves).max())
    if not deviation or not np.isfinite(deviation):
        return None
    scaled = np.abs(moves) / largest
    error = BERRY_ESSEEN * float((scaled**3).sum()) / float((scaled**2).sum()) ** 1.5
    if error > MAX_ERROR:
        return None
    ends = aggregate(np.vstack([(total + seen) / 2, (total - seen) / 2]))
    return normal_p_value(float(ends[0] - ends[1]) / deviation)


def _distances(total: Floats1d, apart: Floats2d, aggregate: Aggregate) -> Floats1d:
    """How far apart the two aggregates are for each row of (candidate's minus base's) sums, (b, p)."""
    return np.abs(aggregate((total + apart) / 2) - aggregate((total - apart) / 2))
