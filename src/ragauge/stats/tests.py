"""The paired randomization test of two or more systems.

All pairs of systems share the same random signs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ragauge.errors import PlanError
from ragauge.stats.intervals import (
    CONFIDENCE,
    RESAMPLES,
    Estimate,
    Floats1d,
    Floats2d,
    resampled_sums,
    rounded_bound,
)

Words1d = NDArray[np.uint64]
PERMUTATIONS = 10_000
SIGNS_OF_A_STREAM = 16_384
"""Sign patterns from one random stream; part of the result, as another number gives other signs."""
SIGNED_AT_ONCE = 32
"""Questions signed at once; bounds memory and does not change the result."""


@dataclass(frozen=True, slots=True)
class PairedTest:
    """The mean difference of two systems on the same questions, with its interval and p value.

    `low` and `high` are its bootstrap interval; None for fewer than two questions. `p_value` is
    two-sided, from all sign patterns if `is_exact`, else from random ones. `n` counts the questions,
    `n_nonzero` those on which the systems differ.
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
    patterns of the m nonzero differences if these are at most `n_permutations`; otherwise of that
    many random patterns and the observed one, (count + 1) / (n_permutations + 1). If all differences
    are 0, p is 1.

    Means that differ by no more than rounding are equal (some 1e-15 n of the largest difference),
    so p depends neither on the order of adding nor on the machine. A difference's position decides
    which signs are drawn for it: give the questions in one order, and zeros at the end change
    nothing. Raises PlanError when there is no difference, or one that is not finite. Source: Fisher
    1935, section 21; Phipson & Smyth 2010 for the one seen.

    >>> randomization_test(np.array([1.0, 2.0, 3.0])).p_value  # +++ and --- of the 8 patterns
    0.25
    """
    (comparison,) = pairwise_randomization(
        np.vstack([differences, np.zeros_like(differences)]),
        n_permutations=n_permutations,
        seed=seed,
    )
    return comparison


def pairwise_randomization(
    values: Floats2d, *, n_permutations: int = PERMUTATIONS, seed: int = 0
) -> list[PairedTest]:
    """The randomization test of every pair of systems, in the order of itertools.combinations.

    `values` (systems, n) holds each system's score of each question; a comparison is of the earlier
    system minus the later, as `randomization_test` makes it. All pairs share the signs drawn. The p
    values are not corrected for their number: see `holm`. Raises PlanError as it does.

    >>> values = np.array([[0.9, 0.8, 0.7, 0.6], [0.5, 0.6, 0.4, 0.5], [0.5, 0.6, 0.4, 0.5]])
    >>> [comparison.p_value for comparison in pairwise_randomization(values)]
    [0.125, 0.125, 1.0]
    """
    values = np.asarray(values, np.float64)
    _refuse_uncomparable(values, n_permutations)
    pairs = list(combinations(range(len(values)), 2))
    n_nonzero = [int(np.count_nonzero(values[i] != values[j])) for i, j in pairs]
    is_exact = [2**m <= n_permutations for m in n_nonzero]
    units = _whole_units(values)
    drawn = [pair for pair, exact in zip(pairs, is_exact, strict=True) if not exact]
    p_drawn = _drawn_p_values(units, drawn, n_permutations, seed)
    means = _mean_differences(values, seed)
    return [
        PairedTest(
            mean.value,
            mean.low,
            mean.high,
            p_value=_exact_p_value(units[i] - units[j]) if exact else p_drawn[i, j],
            n=values.shape[1],
            n_nonzero=m,
            is_exact=exact,
        )
        for (i, j), mean, m, exact in zip(pairs, means, n_nonzero, is_exact, strict=True)
    ]


def _refuse_uncomparable(values: Floats2d, n_permutations: int) -> None:
    if n_permutations < 1:
        raise PlanError([f"n_permutations is {n_permutations!r}; give 1 or more"])
    if values.size == 0:
        raise PlanError(["no question has a score in every system; nothing can be compared"])
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        system, question = map(int, bad[0])
        raise PlanError(
            [
                f"system {system} has the score {float(values[system, question])!r} for question "
                f"{question} (both from 0); compare only questions with a score in every system"
            ]
        )


def _whole_units(values: Floats2d) -> Floats2d:
    """The scores of each question above its lowest, as whole numbers of one small unit.

    Sums and differences of sums of these stay below 2^53 and so are exact: in any order, in any
    matrix product. The unit is the largest that keeps them so, a power of two.
    """
    above = values - values.min(axis=0)
    _, exponent = np.frexp(above.max())
    return np.rint(np.ldexp(above, 51 - values.shape[1].bit_length() - int(exponent)))


def _counted_from(difference: Floats1d) -> float:
    """How far from 0, in units, the sum of a sign pattern counts as at least as far as that seen.

    Each difference is off by at most one unit from rounding, so each of two sums by n.
    """
    return abs(float(difference.sum())) - 2 * len(difference)


def _exact_p_value(difference: Floats1d) -> float:
    """The share of all sign patterns, (n,) units, whose sum is at least as far from 0.

    The sums of one half of the differences meet the sorted ones of the other half.
    """
    counted_from = _counted_from(difference)
    if counted_from <= 0:
        return 1.0
    nonzero = difference[difference != 0]
    left = _all_sums(nonzero[::2])
    right = np.sort(_all_sums(nonzero[1::2]))
    n_above = len(right) - np.searchsorted(right, counted_from - left, side="left")
    n_below = np.searchsorted(right, -counted_from - left, side="right")
    return float((n_above + n_below).sum()) / (len(left) * len(right))


def _all_sums(difference: Floats1d) -> Floats1d:
    """The sums of every sign pattern, (2^n,).

    >>> _all_sums(np.array([1.0, 3.0])).tolist()
    [4.0, 2.0, -2.0, -4.0]
    """
    sums = np.zeros(1)
    for value in difference:
        sums = np.concatenate([sums + value, sums - value])
    return sums


def _drawn_p_values(
    units: Floats2d, pairs: Sequence[tuple[int, int]], n_permutations: int, seed: int
) -> dict[tuple[int, int], float]:
    """p of each pair of rows of units from drawn sign patterns, the same for all pairs."""
    if not pairs:
        return {}
    counted_from = {(i, j): _counted_from(units[i] - units[j]) for i, j in pairs}
    count = dict.fromkeys(pairs, 0)
    for sums in _signed_sums(units, n_permutations, seed):
        for i, j in pairs:
            count[i, j] += int(np.count_nonzero(np.abs(sums[i] - sums[j]) >= counted_from[i, j]))
    return {pair: (count[pair] + 1) / (n_permutations + 1) for pair in pairs}


def _signed_sums(units: Floats2d, n_permutations: int, seed: int) -> Iterator[Floats2d]:
    """The sums of each row of units under random signs of its columns, (rows, patterns) in blocks."""
    for stream, start in enumerate(range(0, n_permutations, SIGNS_OF_A_STREAM)):
        size = min(SIGNS_OF_A_STREAM, n_permutations - start)
        n_words = -(-size // 64)
        random = np.random.PCG64([seed, stream])
        sums = np.repeat(-units.sum(axis=1, keepdims=True), size, axis=1)
        for first in range(0, units.shape[1], SIGNED_AT_ONCE):
            some = units[:, first : first + SIGNED_AT_ONCE]
            # Raw words, and question by question: numpy never changes these, and neither the size
            # of a piece nor later questions change an earlier question's signs.
            words = cast(Words1d, random.random_raw(some.shape[1] * n_words)).astype("<u8")
            is_plus = np.unpackbits(words.view(np.uint8)).reshape(some.shape[1], -1)[:, :size]
            sums += (2 * some) @ is_plus.astype(np.float64)
        yield sums


def _mean_differences(values: Floats2d, seed: int) -> list[Estimate]:
    """The mean difference of each pair of rows, as combinations has them, with its interval."""
    n_systems, n = values.shape
    resampled = resampled_sums(values.T, RESAMPLES, np.random.default_rng(seed)).T / n
    tail = (1 - CONFIDENCE) / 2
    estimates: list[Estimate] = []
    for i in range(n_systems - 1):
        means = (values[i] - values[i + 1 :]).mean(axis=1).tolist()
        if n < 2:
            estimates += [Estimate(mean, None, None) for mean in means]
            continue
        bounds = np.quantile(resampled[i] - resampled[i + 1 :], [tail, 1 - tail], axis=1).T
        # As in _interval: the mean is inside its interval.
        estimates += [
            Estimate(mean, min(rounded_bound(low), mean), max(rounded_bound(high), mean))
            for mean, (low, high) in zip(means, bounds, strict=True)
        ]
    return estimates
