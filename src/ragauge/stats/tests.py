"""The paired randomization test of two or more systems: sums of differences under random signs; corrections of p values."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from ragauge.errors import PlanError
from ragauge.stats.distributions import normal_p_value, sign_test_p_value
from ragauge.stats.intervals import Floats1d, Floats2d, ends_of, interval, mean_of_parts, parts_of
from ragauge.stats.resampling import floats

Words1d = NDArray[np.uint64]
How = Literal["exact", "drawn", "normal"]
"""How a p value was computed: from all sign patterns, from random ones, or by a normal distribution."""
PERMUTATIONS = 10_000
SIGNS_OF_A_STREAM = 16_384
"""Sign patterns from one random stream; part of the result, as another number gives other signs."""
SIGNED_AT_ONCE = 32
"""Questions signed at once; bounds memory and does not change the result."""
ROWS_AT_ONCE = 512
"""Rows of differences tested at once; bounds memory and does not change the result."""
NORMAL_FROM = 50_000
"""From this number of nonzero differences on, the sum under random signs counts as normal …"""
MAX_ERROR = 0.01
"""… if it is so to within this probability by the theorem of Berry and Esseen (Shevtsova 2011)."""
BERRY_ESSEEN = 0.56
ROUNDING = 1e-12
"""Numbers that are closer than this share of the largest difference are equal."""


@dataclass(frozen=True, slots=True)
class PValue:
    """A two-sided p value, and how it was computed."""

    value: float
    how: How

    @property
    def is_exact(self) -> bool:
        return self.how == "exact"


def randomization_p_values(
    differences: Floats2d, *, n_permutations: int = PERMUTATIONS, seed: int = 0
) -> list[PValue]:
    """The p of each row of paired differences (rows, n); all rows share the signs drawn.

    p is the share of sign patterns whose sum is at least as far from 0 as the observed one. It is exact
    if 2^m is at most `n_permutations` for m nonzero differences, and for any m if these are equally
    large, as those of binary scores: it is then McNemar's exact test. From 50,000 on it is normal;
    otherwise it is (count + 1) / (n_permutations + 1) of random patterns. 1 if all differences are 0.

    >>> randomization_p_values(np.array([[1.0, 2.0, 3.0], [0.0, 1.0, 1.0]]))[0].value
    0.25
    """
    differences = np.asarray(differences, np.float64)
    found: list[PValue] = []
    for start in range(0, len(differences), ROWS_AT_ONCE):
        units = whole_units_of_rows(differences[start : start + ROWS_AT_ONCE])
        known = [known_p_value(row, n_permutations) for row in units]
        drawn = [row for row, p in zip(units, known, strict=True) if p is None]
        groups = [np.array(drawn)] if drawn else []
        if units.shape[1] > NORMAL_FROM:
            # Of many questions few differ, or the sum would be normal: the others need no signs.
            groups = [row[None, row != 0] for row in drawn]
        sampled: list[float] = []
        for group in groups:
            least = np.array([counted_from(row) for row in group])
            count = np.zeros(len(group))
            for sums in signed_sums(group, n_permutations, seed):
                count += (np.abs(sums) >= least[:, None]).sum(axis=1)
            sampled += ((count + 1) / (n_permutations + 1)).tolist()
        left = iter(sampled)
        found += [PValue(next(left), "drawn") if p is None else p for p in known]
    return found


def known_p_value(difference: Floats1d, n_permutations: int) -> PValue | None:
    """The p of a row in units, if it needs no random signs."""
    nonzero = difference[difference != 0]
    m = len(nonzero)
    if m == 0:
        return PValue(1.0, "exact")
    size = np.abs(nonzero)
    if size.max() - size.min() <= 2:  # equal but for rounding
        n_plus = int((nonzero > 0).sum())
        return PValue(sign_test_p_value(n_plus, m - n_plus), "exact")
    if can_enumerate(m, n_permutations):
        return PValue(exact_p_value(difference), "exact")
    scaled = nonzero / size.max()
    deviation = float(np.sqrt((scaled**2).sum()))
    error = BERRY_ESSEEN * float((np.abs(scaled) ** 3).sum()) / deviation**3
    if m >= NORMAL_FROM and error <= MAX_ERROR:
        return PValue(normal_p_value(float(scaled.sum()) / deviation), "normal")
    return None


def can_enumerate(m: int, n_permutations: int) -> bool:
    """Whether all 2^m patterns are no more than those to draw."""
    return m < 64 and 2**m <= n_permutations


def whole_units_of_rows(differences: Floats2d) -> Floats2d:
    """Each row as whole numbers of a small unit of its own, so that its sums are exact."""
    _, exponent = np.frexp(np.abs(differences).max(axis=1, initial=0.0, keepdims=True))
    return np.rint(np.ldexp(differences, 51 - differences.shape[1].bit_length() - exponent))


def whole_units(values: Floats2d) -> Floats2d:
    """The scores of each question above its lowest, as whole numbers of one small unit.

    Sums and differences of sums of these stay below 2^53 and so are exact: in any order, in any
    matrix product. The unit is the largest that keeps them so, a power of two.
    """
    above = values - values.min(axis=0)
    _, exponent = np.frexp(above.max())
    return np.rint(np.ldexp(above, 51 - values.shape[1].bit_length() - int(exponent)))


def counted_from(difference: Floats1d) -> float:
    """How far from 0, in units, the sum of a sign pattern counts as at least as far as that seen.

    Each difference is off by at most one unit from rounding, so each of two sums by n.
    """
    return abs(float(difference.sum())) - 2 * len(difference)


def exact_p_value(difference: Floats1d) -> float:
    """The share of all sign patterns, (n,) units, whose sum is at least as far from 0.

    The sums of one half of the differences meet the sorted ones of the other half.
    """
    least = counted_from(difference)
    if least <= 0:
        return 1.0
    nonzero = difference[difference != 0]
    left = all_sums(nonzero[::2])
    right = np.sort(all_sums(nonzero[1::2]))
    n_above = len(right) - np.searchsorted(right, least - left, side="left")
    n_below = np.searchsorted(right, -least - left, side="right")
    return float((n_above + n_below).sum()) / (len(left) * len(right))


def all_sums(difference: Floats1d) -> Floats1d:
    """The sums of every sign pattern, (2^n,)."""
    sums = np.zeros(1)
    for value in difference:
        sums = np.concatenate([sums + value, sums - value])
    return sums


def signed_sums(units: Floats2d, n_permutations: int, seed: int) -> Iterator[Floats2d]:
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


# Tests, and corrections for several of them


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


# Differences that are equal but for the rounding of floats, such as 0.2 - 0.1 and 0.8 - 0.7


def has_spread(differences: Floats1d) -> bool:
    """Whether differences (n,) differ by more than rounding."""
    return bool(len(differences)) and float(np.ptp(differences)) > _limit(differences)


def in_units(differences: Floats1d) -> Floats1d:
    """The differences (n,) over a power of 2, which is exact, so that the largest is near 1.

    Squares of the results neither vanish nor overflow. Differences of which all are 0 stay.
    """
    _, exponent = np.frexp(np.abs(differences).max(initial=0.0))
    return np.ldexp(differences, -int(exponent))


def mean_of(differences: Floats1d) -> float:
    """The mean of differences (n,), n of 1 or more; 0 if only rounding keeps it from that."""
    mean = float(differences.mean())
    return 0.0 if abs(mean) <= _limit(differences) else mean


def with_exact_ties(differences: Floats1d) -> Floats1d:
    """The differences (n,), with equal sizes where only rounding tells them apart, and 0 where it is all."""
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
