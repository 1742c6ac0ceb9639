"""Corrections of p values for the number of tests; PlanError for one that is not in [0, 1]."""

from collections.abc import Callable, Sequence

import numpy as np

from ragauge.errors import PlanError
from ragauge.stats.intervals import Floats1d
from ragauge.stats.resampling import floats


def holm(p_values: Sequence[float] | Floats1d) -> Floats1d:
    """Correct p values (m,) for m tests by Holm's step-down method; returns them in the given order.

    The probability of any false positive is at most the level, however the tests depend on each
    other. Corrected values are at most 1, and equal p values stay equal. Source: Holm 1979.

    >>> holm([0.03, 0.01, 0.035]).tolist()  # 0.01 · 3; 0.03 · 2; 0.035, but not below 0.06
    [0.06, 0.03, 0.06]
    """
    p = _checked(p_values)
    rising = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    steps = p[rising] * np.arange(len(p), 0, -1)
    adjusted[rising] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def benjamini_hochberg(p_values: Sequence[float] | Floats1d) -> Floats1d:
    """Correct p values (m,) by Benjamini and Hochberg's step-up method; returns them in the given order.

    Of the differences called at the level, the expected share of false ones is at most the level, for
    independent or positively dependent tests. Less strict than `holm`. Source: Benjamini & Hochberg
    1995.

    >>> benjamini_hochberg([0.03, 0.01, 0.04]).tolist()  # 0.04 · 3 / 3; 0.03 · 3 / 2, but not above
    [0.04, 0.03, 0.04]
    """
    p = _checked(p_values)
    falling = np.argsort(-p, kind="stable")
    m = len(p)
    adjusted = np.empty_like(p)
    steps = p[falling] * m / np.arange(m, 0, -1)
    adjusted[falling] = np.minimum(np.minimum.accumulate(steps), 1.0)
    return adjusted


def of_family(
    correct: Callable[[Sequence[float]], Sequence[float] | Floats1d],
    p_values: Sequence[float],
    in_family: Sequence[bool],
) -> list[float]:
    """The p values with those of the family corrected, the others as they are.

    Where two systems never differ there is no hypothesis to test: its p of 1 is not one of the family.

    >>> of_family(holm, [0.02, 1.0, 0.04], [True, False, True])
    [0.04, 1.0, 0.04]
    """
    family = [p for p, counts in zip(p_values, in_family, strict=True) if counts]
    corrected = iter(correct(family))
    return [
        float(next(corrected)) if counts else p
        for p, counts in zip(p_values, in_family, strict=True)
    ]


def _checked(p_values: Sequence[float] | Floats1d) -> Floats1d:
    p = floats(p_values, "p_values")
    outside = np.flatnonzero((p < 0) | (p > 1))
    if len(outside):
        raise PlanError([f"p_values[{outside[0]}] is {p[outside[0]]}; a p value is in [0, 1]"])
    return p
