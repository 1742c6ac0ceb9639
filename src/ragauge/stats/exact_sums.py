"""Sums of many numbers without any rounding, so that neither their order nor their pieces matter."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats1d = NDArray[np.float64]

_MANTISSA, _HALF = 53, 27


class ExactSum:
    """The exact sum of all values added so far.

    A double is a whole number times a power of 2. The whole numbers are added separately for each
    power, which is exact; only `value` rounds, once. The result is that of math.fsum.

    >>> total = ExactSum()
    >>> total.add(np.array([1e16, 1.0, -1e16]))
    >>> total.add(np.array([0.1]))
    >>> total.value
    1.1
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


def exact_sums(columns: Sequence[Floats1d]) -> list[float]:
    """The exact sum of each column."""
    totals: list[float] = []
    for column in columns:
        total = ExactSum()
        total.add(column)
        totals.append(total.value)
    return totals
