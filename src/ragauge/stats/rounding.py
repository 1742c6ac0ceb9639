"""Differences that are equal but for the rounding of floats, such as 0.2 - 0.1 and 0.8 - 0.7."""

import numpy as np

from ragauge.stats.intervals import Floats1d

ROUNDING = 1e-12
"""Numbers that are closer than this share of the largest difference are equal."""


def has_spread(differences: Floats1d) -> bool:
    """Whether differences (n,) differ by more than rounding.

    >>> has_spread(np.array([0.2 - 0.1, 0.8 - 0.7]))
    False
    """
    return bool(len(differences)) and float(np.ptp(differences)) > _limit(differences)


def in_units(differences: Floats1d) -> Floats1d:
    """The differences (n,) over a power of 2, which is exact, so that the largest is near 1.

    Squares of the results neither vanish nor overflow. Differences of which all are 0 stay.

    >>> in_units(np.array([5e-324, 1e-323])).tolist()
    [0.25, 0.5]
    """
    _, exponent = np.frexp(np.abs(differences).max(initial=0.0))
    return np.ldexp(differences, -int(exponent))


def mean_of(differences: Floats1d) -> float:
    """The mean of differences (n,), n of 1 or more; 0 if only rounding keeps it from that.

    >>> mean_of(np.array([0.2 - 0.1, 0.7 - 0.8]))
    0.0
    """
    mean = float(differences.mean())
    return 0.0 if abs(mean) <= _limit(differences) else mean


def with_exact_ties(differences: Floats1d) -> Floats1d:
    """The differences (n,), with equal sizes where only rounding tells them apart, and 0 where it is all.

    >>> with_exact_ties(np.array([0.1, -0.1 - 1e-17, 1e-17])).tolist()
    [0.1, -0.1, 0.0]
    """
    sizes = np.abs(differences)
    limit = _limit(differences)
    order = np.argsort(sizes)
    ordered = sizes[order]
    is_first = np.diff(ordered, prepend=-np.inf) > limit
    tied = np.empty_like(sizes)
    tied[order] = ordered[is_first][np.cumsum(is_first) - 1]
    return np.where(sizes > limit, np.copysign(tied, differences), 0.0)


def _limit(differences: Floats1d) -> float:
    return ROUNDING * float(np.abs(differences).max(initial=0.0))
