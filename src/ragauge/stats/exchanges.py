"""The randomization test for metrics that are not means of scores: corpus BLEU, geometric means."""

import numpy as np

from ragauge.stats.intervals import Aggregate, Floats1d, Floats2d
from ragauge.stats.sign_patterns import PERMUTATIONS, PValue, all_sums, can_enumerate, signed_sums

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
    (n_permutations + 1) of random exchanges. 1 if no question differs. Source: Riezler & Maxwell 2005.

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
    count = sum(
        int((_distances(total, sums.T, aggregate) >= least).sum())
        for sums in signed_sums(apart.T, n_permutations, seed)
    )
    return PValue((count + 1) / (n_permutations + 1), "drawn")


def _distances(total: Floats1d, apart: Floats2d, aggregate: Aggregate) -> Floats1d:
    """How far apart the two aggregates are for each row of (candidate's minus base's) sums, (b, p)."""
    return np.abs(aggregate((total + apart) / 2) - aggregate((total - apart) / 2))
