"""Sums of differences under random signs: the null distribution of paired randomization tests."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from ragauge.stats.distributions import normal_p_value, sign_test_p_value
from ragauge.stats.intervals import Floats1d, Floats2d

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
