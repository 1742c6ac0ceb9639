"""Classical tests of paired differences: McNemar's, the paired t test and Wilcoxon's signed ranks.

All are two-sided. They take the differences (n,) of two systems, one per question, and raise PlanError
for one that is not finite.
"""

import math

import numpy as np

from ragauge.errors import PlanError
from ragauge.stats.distributions import normal_p_value, sign_test_p_value, t_p_value
from ragauge.stats.intervals import Floats1d
from ragauge.stats.resampling import floats
from ragauge.stats.rounding import has_spread, in_units, mean_of, with_exact_ties

EXACT_RANKS_UP_TO = 50
"""Up to this n Wilcoxon's test is exact, if no two differences are equally large and none is 0 …"""
EXACT_TIES_UP_TO = 13
"""… and up to this n in any case. Both as in scipy."""


def mcnemar_test(differences: Floats1d) -> float:
    """McNemar's exact test of two binary scores.

    Of the questions on which the systems differ, each is as likely to be better in the one as in the
    other. It equals the randomization test. 1 if the systems never differ. PlanError for a difference
    other than -1, 0 and 1. Source: McNemar 1947.

    >>> mcnemar_test(np.array([1.0, 1.0, 1.0, 1.0, 1.0, -1.0, 0.0]))  # 5 against 1: 2 (1 + 6) / 64
    0.21875
    """
    values = floats(differences, "differences")
    graded = np.flatnonzero(~np.isin(values, (-1, 0, 1)))
    if len(graded):
        raise PlanError(
            [
                f"differences[{graded[0]}] is {values[graded[0]]}; McNemar's test is of scores 0 and 1"
            ]
        )
    return sign_test_p_value(int((values > 0).sum()), int((values < 0).sum()))


def paired_t_test(differences: Floats1d) -> float | None:
    """Student's t test of paired differences; it assumes that their mean is about normal.

    None for fewer than two differences, and if all are equal but for rounding. Source: Student 1908.

    >>> p = paired_t_test(np.array([1.0, 2.0, 3.0]))  # t = 2 √3 with 2 degrees of freedom
    >>> p is not None and round(p, 6)
    0.07418
    """
    values = floats(differences, "differences")
    if len(values) < 2 or not has_spread(values):
        return None
    values = in_units(values)
    error = float(values.std(ddof=1)) / math.sqrt(len(values))
    return t_p_value(mean_of(values) / error, len(values) - 1)


def wilcoxon_test(differences: Floats1d) -> float | None:
    """Wilcoxon's signed rank test: whether the differences are symmetric about 0.

    Zeros are removed and sizes that are equal but for rounding share their mean rank. As in scipy's `wilcoxon` (method "auto"),
    p is exact for n up to 50 without zeros and ties, and for n up to 13 with them; otherwise by the
    normal distribution with its variance corrected for ties, without a continuity correction. None if
    all differences are 0. Source: Wilcoxon 1945.

    >>> wilcoxon_test(np.array([1.0, 2.0, 3.0, -4.0]))  # rank sums 6 and 4: 14 of 16 patterns
    0.875
    """
    values = with_exact_ties(floats(differences, "differences"))
    nonzero = values[values != 0]
    if not len(nonzero):
        return None
    ranks, n_equal = _mean_ranks(np.abs(nonzero))
    above = float(ranks[nonzero > 0].sum())
    is_plain = len(nonzero) == len(values) and n_equal.max() == 1
    if len(values) <= (EXACT_RANKS_UP_TO if is_plain else EXACT_TIES_UP_TO):
        return _exact_rank_p_value(ranks, above)
    n = len(nonzero)
    ties = float((n_equal**3 - n_equal).sum())
    variance = (n * (n + 1) * (2 * n + 1) - ties / 2) / 24
    return normal_p_value((above - n * (n + 1) / 4) / math.sqrt(variance))


def _mean_ranks(sizes: Floats1d) -> tuple[Floats1d, Floats1d]:
    """The rank of each size, equal ones sharing their mean, and the number of each distinct size."""
    _, place, count = np.unique(sizes, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return (last - (count - 1) / 2)[place], count.astype(np.float64)


def _exact_rank_p_value(ranks: Floats1d, above: float) -> float:
    """Twice the smaller tail of the sum of ranks over all sign patterns; at most 1."""
    doubled = np.rint(2 * ranks).astype(np.int64)
    patterns = np.zeros(int(doubled.sum()) + 1)
    patterns[0] = 1
    for rank in doubled.tolist():
        patterns[rank:] = patterns[rank:] + patterns[:-rank]
    seen = round(2 * above)
    tails = patterns[: seen + 1].sum(), patterns[seen:].sum()
    return min(1.0, 2 * float(min(tails)) / 2 ** len(ranks))
