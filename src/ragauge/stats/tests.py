"""The paired randomization test of two or more systems, all pairs with the same random signs; corrections of p values."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ragauge.errors import PlanError
from ragauge.stats.intervals import Floats1d, Floats2d, ends_of, interval, mean_of_parts, parts_of
from ragauge.stats.paired_tests import mean_of
from ragauge.stats.resampling import floats
from ragauge.stats.sign_patterns import (
    PERMUTATIONS,
    PValue,
    counted_from,
    known_p_value,
    signed_sums,
    whole_units,
)


@dataclass(frozen=True, slots=True)
class PairedTest:
    """The mean difference of two systems on the same questions, with its interval and p value.

    `low` and `high` are its interval, as `interval` makes it; None for fewer than two questions, and if
    all differences are equal on an open scale. `p_value` is two-sided, from all sign patterns if
    `is_exact`, otherwise as `randomization_p_values` says. `n` counts the questions, `n_nonzero` those on
    which the systems differ.
    """

    difference: float
    low: float | None
    high: float | None
    p_value: float
    n: int
    n_nonzero: int
    is_exact: bool


def randomization_test(
    differences: Floats1d, *, n_permutations: int = PERMUTATIONS, seed: int = 0
) -> PairedTest:
    """Test whether the mean of paired differences (n,) differs from 0.

    If the systems were equally good, each difference could as well have the opposite sign. p is the
    share of sign patterns whose mean is at least as far from 0 as the observed one: of all 2^m
    patterns of the m nonzero differences if these are at most `n_permutations`, or if the nonzero
    differences are equally large, as those of binary scores (McNemar's exact test); by the normal
    distribution for 50,000 of them or more; otherwise of that many random patterns and the observed
    one, (count + 1) / (n_permutations + 1). If all differences are 0, p is 1.

    Means that differ by no more than rounding are equal (some 1e-15 n of the largest difference),
    so p depends neither on the order of adding nor on the machine. A difference's position decides
    which signs are drawn for it: give the questions in one order, and zeros at the end change
    nothing. Raises PlanError when there is no difference, or one that is not finite. Source: Fisher
    1935, section 21; Phipson & Smyth 2010 for the one seen.

    >>> randomization_test(np.array([1.0, 2.0, 3.0])).p_value  # +++ and --- of the 8 patterns
    0.25
    """
    both = np.vstack([differences, np.zeros_like(differences)])
    (comparison,) = pairwise_randomization(both, n_permutations=n_permutations, seed=seed)
    return comparison


def pairwise_randomization(
    values: Floats2d,
    *,
    n_permutations: int = PERMUTATIONS,
    seed: int = 0,
    scale: tuple[float | None, float | None] = (None, None),
) -> list[PairedTest]:
    """The randomization test of every pair of systems, in the order of itertools.combinations.

    `values` (systems, n) holds each system's score of each question; a comparison is of the earlier
    system minus the later, as `randomization_test` makes it. All pairs share the signs drawn. The p
    values are not corrected for their number: see `holm`. `scale` has the lowest and the highest score
    that there can be, for the intervals; None if it is open. Raises PlanError as it does.

    >>> values = np.array([[0.9, 0.8, 0.7, 0.6], [0.5, 0.6, 0.4, 0.5], [0.5, 0.6, 0.4, 0.5]])
    >>> [comparison.p_value for comparison in pairwise_randomization(values)]
    [0.125, 0.125, 1.0]
    """
    values = np.asarray(values, np.float64)
    if n_permutations < 1:
        raise PlanError(f"n_permutations is {n_permutations!r}; give 1 or more")
    if values.size == 0:
        raise PlanError("no question has a score in every system; nothing can be compared")
    if len(bad := np.argwhere(~np.isfinite(values))):
        system, question = map(int, bad[0])
        what = f"system {system} has the score {float(values[system, question])!r} for question {question}"
        why = "compare only questions with a score in every system"
        raise PlanError(f"{what} (both from 0); {why}")
    pairs = list(combinations(range(len(values)), 2))
    p_values = pairwise_p_values(values, pairs, n_permutations=n_permutations, seed=seed)
    low, high = scale
    most = None if low is None or high is None else high - low
    ends = ends_of("mean", None if most is None else -most, most)
    found: list[PairedTest] = []
    for (i, j), p in zip(pairs, p_values, strict=True):
        differences = values[i] - values[j]
        mean = interval(parts_of(differences, "mean"), mean_of_parts, ends=ends)
        assert mean is not None  # there are questions, and their scores are finite
        difference = 0.0 if mean_of(differences) == 0 else mean.value
        counts = values.shape[1], int(np.count_nonzero(differences))
        found.append(PairedTest(difference, mean.low, mean.high, p.value, *counts, p.is_exact))
    return found


def pairwise_p_values(
    values: Floats2d,
    pairs: Sequence[tuple[int, int]],
    *,
    n_permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> list[PValue]:
    """The p of pairs of the rows of values (systems, n), all finite; see `randomization_p_values`.

    For many pairs this is faster than a row of differences for each: the signed sum of a difference is
    the difference of the systems' signed sums.
    """
    units = whole_units(values)
    known = {(i, j): known_p_value(units[i] - units[j], n_permutations) for i, j in pairs}
    unknown = [pair for pair, p in known.items() if p is None]
    least = {(i, j): counted_from(units[i] - units[j]) for i, j in unknown}
    count = dict.fromkeys(unknown, 0)
    # The same signs for all pairs.
    for sums in signed_sums(units, n_permutations, seed) if unknown else ():
        for i, j in unknown:
            count[i, j] += int(np.count_nonzero(np.abs(sums[i] - sums[j]) >= least[i, j]))
    drawn = {pair: PValue((n + 1) / (n_permutations + 1), "drawn") for pair, n in count.items()}
    return [known[pair] or drawn[pair] for pair in pairs]


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
