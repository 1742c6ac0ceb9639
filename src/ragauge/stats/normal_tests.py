"""Paired tests of many questions, by the normal approximation of the randomization test."""

from itertools import combinations
from math import erfc, sqrt
from statistics import NormalDist

import numpy as np

from ragauge.stats.exact_sums import exact_sums
from ragauge.stats.intervals import CONFIDENCE, Floats2d, rounded_bound
from ragauge.stats.tests import PairedTest


def exact_means(values: Floats2d) -> list[float]:
    """The mean of each row of (systems, n), whatever the order of the questions.

    >>> exact_means(np.array([[0.0, 1.0], [0.25, 0.25]]))
    [0.5, 0.25]
    """
    return [total / values.shape[1] for total in exact_sums(list(values))]


def pairwise_normal(values: Floats2d, *, confidence: float = CONFIDENCE) -> list[PairedTest]:
    """The test of every pair of systems, in the order of itertools.combinations.

    `values` (systems, n) holds each system's score of each question, n at least 2. Under random signs
    the sum of the differences d has mean 0 and variance Σd²; the p value is two-sided, from the normal
    distribution, which many questions approach. The interval is that of the mean difference. The sums
    are exact, so the order of the questions changes no digit.

    >>> (test,) = pairwise_normal(np.array([[1.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]))
    >>> round(test.p_value, 4)  # z = 2 / √4
    0.3173
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    found: list[PairedTest] = []
    for i, j in combinations(range(len(values)), 2):
        differences = values[i] - values[j]
        n = len(differences)
        total, squares = exact_sums([differences, differences * differences])
        mean = total / n
        half = z * sqrt(max(squares - n * mean * mean, 0.0) / (n * (n - 1)))
        p_value = erfc(abs(total) / sqrt(2 * squares)) if squares else 1.0
        found.append(
            PairedTest(
                mean,
                min(rounded_bound(mean - half), mean),
                max(rounded_bound(mean + half), mean),
                p_value=p_value,
                n=n,
                n_nonzero=int(np.count_nonzero(differences)),
                is_exact=False,
            )
        )
    return found
