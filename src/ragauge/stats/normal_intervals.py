"""Intervals of aggregates of many questions from sums over them, so that no question is kept."""

from itertools import combinations_with_replacement

import numpy as np

from ragauge.stats.intervals import (
    Aggregate,
    Estimate,
    Floats1d,
    Floats2d,
    Spread,
    derivative,
    value_of,
    with_interval,
)

CANCELLED = 1e-7
"""A spread below this share of the values is lost when their squares are subtracted."""
_MANTISSA, _HALF = 53, 27
"""Bits of a double's whole number, and of its lower half."""


class ExactSum:
    """The exact sum of all values added so far.

    A double is a whole number times a power of 2. The whole numbers are added separately for each
    power, which is exact; only `value` rounds, once. The result is that of math.fsum.
    """

    def __init__(self) -> None:
        self._by_power: dict[int, int] = {}
        self._n_ones = 0

    def add(self, values: Floats1d) -> None:
        """Add finite values (n,)."""
        ones = np.count_nonzero(values == 1.0)
        self._n_ones += int(ones)
        if ones + np.count_nonzero(values == 0.0) == len(values):
            return
        values = values[(values != 0.0) & (values != 1.0)]
        fractions, powers = np.frexp(values)
        order = np.argsort(powers, kind="stable")
        whole = np.ldexp(fractions[order], _MANTISSA).astype(np.int64)
        powers = powers[order]
        starts = np.flatnonzero(np.concatenate(([True], powers[1:] != powers[:-1])))
        # In halves: 53 bits times more than 1,000 values would not fit into 64.
        high = np.add.reduceat(whole >> _HALF, starts).tolist()
        low = np.add.reduceat(whole & ((1 << _HALF) - 1), starts).tolist()
        for power, upper, lower in zip(powers[starts].tolist(), high, low, strict=True):
            before = self._by_power.get(power, 0)
            self._by_power[power] = before + (int(upper) << _HALF) + int(lower)

    @property
    def value(self) -> float:
        """The sum, rounded once."""
        least = min(self._by_power, default=_MANTISSA) - _MANTISSA
        shift = max(0, -least)
        total = sum(whole << (power - _MANTISSA + shift) for power, whole in self._by_power.items())
        return ((self._n_ones << shift) + total) / (1 << shift)


class QuestionSums:
    """The exact sums of the `n_scored` questions' parts, and of the products of each two parts, of all rows added."""

    def __init__(self, n_parts: int) -> None:
        self.n_scored = 0
        self._sums = [ExactSum() for _ in range(n_parts)]
        pairs = combinations_with_replacement(range(n_parts), 2)
        self._products = {pair: ExactSum() for pair in pairs}

    def add(self, parts: Floats2d) -> None:
        """Add rows (n, p), one for each question with a score."""
        self.n_scored += len(parts)
        for total, column in zip(self._sums, parts.T, strict=True):
            total.add(column)
        for (i, j), total in self._products.items():
            total.add(parts[:, i] * parts[:, j])

    @property
    def sums(self) -> Floats1d:
        """The sum of each part, (p,)."""
        return np.array([total.value for total in self._sums], dtype=np.float64)

    @property
    def products(self) -> Floats2d:
        """The sums of products, (p, p)."""
        found = np.zeros((len(self._sums), len(self._sums)))
        for (i, j), total in self._products.items():
            found[i, j] = found[j, i] = total.value
        return found


def normal_estimate(
    given: QuestionSums, aggregate: Aggregate, *, ends: Floats2d | None = None
) -> Estimate | None:
    """The aggregate of the sums, with its interval as `interval` makes it, but without its correction.

    That correction, for skewness, needs the questions again; from 50,000 on it is below a hundredth of
    the width. None without a value. The sums of n questions have the covariance P - s s' / n, with P the
    products and s the sums (delta method; Cochran 1977, section 6.4).
    """
    total, n = given.sums, given.n_scored
    value = value_of(total, aggregate)
    if value is None or n < 2:
        return Estimate(value, None, None) if value is not None and n else None
    covariance = given.products - np.outer(total, total) / n
    deviations = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    is_varied = deviations > CANCELLED * np.sqrt(np.diag(given.products))
    slope = derivative(aggregate, total, np.where(is_varied, deviations, 0.0))
    direction = covariance @ slope
    squares = max(float(slope @ direction), 0.0)
    n_at_ends = None
    if ends is not None and ends.shape[1] == 2 and np.isfinite(ends).all():
        # At one of the ends each: the sum of (value - low) (high - value) is 0, and no cluster has several.
        (low, _), (high, _) = ends.tolist()
        at_ends = (low + high) * total[0] - given.products[0, 0] - low * high * total[1]
        n_at_ends = n if at_ends == 0 and given.products[1, 1] == total[1] else None
    spread = Spread(n, n - 1, squares, 0.0, direction, n_at_ends)
    return with_interval(value, total, aggregate, spread, ends, "normal")
