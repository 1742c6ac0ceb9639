"""Two-sided tests and sizes of paired differences (n,), one per question; PlanError for one that is not finite."""

import math

import numpy as np

from ragauge.errors import PlanError
from ragauge.stats.distributions import normal_p_value, sign_test_p_value, t_p_value, t_quantile
from ragauge.stats.intervals import Aggregate, Floats1d, Floats2d, derivative
from ragauge.stats.resampling import floats
from ragauge.stats.tests import (
    BERRY_ESSEEN,
    MAX_ERROR,
    NORMAL_FROM,
    PERMUTATIONS,
    ROUNDING,
    PValue,
    all_sums,
    can_enumerate,
    has_spread,
    in_units,
    mean_of,
    signed_sums,
    with_exact_ties,
)

LEVEL, POWER, LEAST_CHANGED, LEAST_FOUND = 0.05, 0.8, 8, 6
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
        first = f"differences[{graded[0]}] is {values[graded[0]]}"
        raise PlanError(f"{first}; McNemar's test is of scores 0 and 1")
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
    _, place, n_equal = np.unique(np.abs(nonzero), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(n_equal) - (n_equal - 1) / 2)[place]  # equal sizes share their mean
    above = float(ranks[nonzero > 0].sum())
    is_plain = len(nonzero) == len(values) and n_equal.max() == 1
    if len(values) <= (EXACT_RANKS_UP_TO if is_plain else EXACT_TIES_UP_TO):
        # Twice the smaller tail of the sum of ranks over all sign patterns.
        doubled, seen = np.rint(2 * ranks).astype(np.int64), round(2 * above)
        patterns = np.zeros(int(doubled.sum()) + 1)
        patterns[0] = 1
        for rank in doubled.tolist():
            patterns[rank:] = patterns[rank:] + patterns[:-rank]
        tail = float(min(patterns[: seen + 1].sum(), patterns[seen:].sum()))
        return min(1.0, 2 * tail / 2 ** len(ranks))
    n = len(nonzero)
    ties = float((n_equal.astype(np.float64) ** 3 - n_equal).sum())
    variance = (n * (n + 1) * (2 * n + 1) - ties / 2) / 24
    return normal_p_value((above - n * (n + 1) / 4) / math.sqrt(variance))


def effect_size(differences: Floats1d) -> float | None:
    """Cohen's d_z: the mean of paired differences (n,) over their standard deviation.

    Any real number; about 0.2 is small, 0.5 medium, 0.8 large. None for fewer than two differences,
    and if all are equal but for rounding; PlanError for one that is not finite. Source: Cohen 1988, section 2.3.5.

    >>> import numpy as np
    >>> effect_size(np.array([1.0, 2.0, 3.0]))
    2.0
    """
    values = floats(differences, "differences")
    if len(values) < 2 or not has_spread(values):
        return None
    values = in_units(values)
    return mean_of(values) / float(values.std(ddof=1))


def detectable_difference(
    standard_error: float, n: int, *, changed: Floats1d | None = None
) -> float | None:
    """The smallest difference that a test at level 0.05 finds with power 0.8.

    `standard_error` is that of the mean difference, from n questions or clusters:
    (t(0.975) + t(0.8)) times it, with n - 1 degrees of freedom. It differs from the exact value, by the
    noncentral t distribution, by less than 2 % from n = 5 on. Where fewer than eight differences are not 0
    (`changed`), it is that of eight of their mean size (of all, where n is 6 or 7): five have p > 0.05, and eight expected
    ones are six or more with probability 0.8; None where n is less than six. None for fewer than two questions and for no spread.
    Source: Bloom 1995.

    >>> round(detectable_difference(0.02, 250), 4)  # about 2.8 standard errors
    0.0563
    """
    if n < 2 or not standard_error > 0:
        return None
    reach = t_quantile(1 - LEVEL / 2, n - 1) + t_quantile(POWER, n - 1)
    least, needed = 0.0, min(LEAST_CHANGED, n)
    if changed is not None and 0 < len(changed) < needed:
        if n < LEAST_FOUND:
            return None
        least = needed * float(np.abs(changed).mean()) / n
    return max(reach * standard_error, least)


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

    >>> from ragauge.stats.intervals import mean_of_parts
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
    if not deviation or not np.isfinite(deviation):
        return None
    scaled = np.abs(moves) / float(np.abs(moves).max())
    error = BERRY_ESSEEN * float((scaled**3).sum()) / float((scaled**2).sum()) ** 1.5
    if error > MAX_ERROR:
        return None
    ends = aggregate(np.vstack([(total + seen) / 2, (total - seen) / 2]))
    return normal_p_value(float(ends[0] - ends[1]) / deviation)


def _distances(total: Floats1d, apart: Floats2d, aggregate: Aggregate) -> Floats1d:
    """How far apart the two aggregates are for each row of (candidate's minus base's) sums, (b, p)."""
    return np.abs(aggregate((total + apart) / 2) - aggregate((total - apart) / 2))
