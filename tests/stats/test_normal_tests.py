import numpy as np
import pytest
from pytest import approx

from ragauge.stats import pairwise_randomization
from ragauge.stats.normal_tests import exact_means, pairwise_normal


@pytest.mark.parametrize("shift", [0.0, 0.004, 0.01])
def test_it_agrees_with_the_randomization_test(shift: float):
    random = np.random.default_rng(4)
    first = random.random(20_000)
    values = np.vstack([first, np.clip(first + random.normal(shift, 0.3, 20_000), 0, 1)])
    (expected,) = pairwise_randomization(values, n_permutations=4_000)
    (found,) = pairwise_normal(values)
    assert found.difference == approx(expected.difference, abs=1e-12)
    assert found.p_value == approx(expected.p_value, abs=0.02)
    width = expected.high - expected.low
    assert found.low == approx(expected.low, abs=0.1 * width)
    assert found.high == approx(expected.high, abs=0.1 * width)
    assert (found.n, found.n_nonzero) == (expected.n, expected.n_nonzero)


def test_equal_systems_do_not_differ():
    (found,) = pairwise_normal(np.full((2, 100), 0.3))
    assert (found.difference, found.low, found.high, found.p_value) == (0, 0, 0, 1)


def test_the_order_of_questions_changes_no_digit():
    values = np.random.default_rng(1).random((3, 5_000))
    order = np.random.default_rng(2).permutation(5_000)
    assert pairwise_normal(values) == pairwise_normal(values[:, order])
    assert exact_means(values) == exact_means(values[:, order])
