"""The normal, t and binomial distributions, as far as tests need them."""

import math
from functools import cache

import numpy as np

WHOLE_NUMBERS_UP_TO = 1_000
"""Up to this number of trials the binomial tail is a quotient of whole numbers."""
CLOSE = 1e-15
MAX_STEPS = 10_000


def normal_p_value(z: float) -> float:
    """The probability that a standard normal variable is at least |z| from 0."""
    return math.erfc(abs(z) / math.sqrt(2))


def t_p_value(t: float, degrees: float) -> float:
    """The probability that Student's t with these degrees of freedom is at least |t| from 0."""
    # The regularized incomplete beta function I_x(a, b).
    a, b, x = degrees / 2, 0.5, degrees / (degrees + t * t)
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    logs = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(logs + a * math.log(x) + b * math.log1p(-x))
    if x > (a + 1) / (a + b + 2):  # there the fraction of the other tail converges faster
        return 1 - front * _beta_fraction(b, a, 1 - x) / b
    return front * _beta_fraction(a, b, x) / a


@cache  # many pairs have the same number of questions
def t_quantile(probability: float, degrees: float) -> float:
    """The value that Student's t is below with this probability, which is between 0.5 and 1."""
    low, high = 0.0, 1.0
    while t_p_value(high, degrees) / 2 > 1 - probability:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        if middle in {low, high}:
            break
        if t_p_value(middle, degrees) / 2 > 1 - probability:
            low = middle
        else:
            high = middle
    return high


def sign_test_p_value(n_one: int, n_other: int) -> float:
    """The two-sided p of `n_one` against `n_other` signs, if both signs are equally likely.

    It is twice the binomial tail, at most 1; 1 if there is no sign.
    """
    n, fewer = n_one + n_other, min(n_one, n_other)
    if 2 * fewer >= n:
        return 1.0
    if n <= WHOLE_NUMBERS_UP_TO:
        return 2 * sum(math.comb(n, k) for k in range(fewer + 1)) / 2**n
    logs = math.lgamma(n + 1) - math.lgamma(fewer + 1) - math.lgamma(n - fewer + 1)
    largest = math.exp(logs - (n - 1) * math.log(2))
    # Each term of the tail from the one above it: C(n, k - 1) = C(n, k) k / (n - k + 1).
    k = np.arange(fewer, 0, -1, dtype=np.float64)
    return min(1.0, largest * (1 + float(np.cumprod(k / (n - k + 1)).sum())))


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function by Lentz's method."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, MAX_STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d, c = 1 / (1 + term * d), 1 + term / c
            fraction *= d * c
        if abs(d * c - 1) < CLOSE:
            break
    return fraction
