import pytest
from pytest import approx
from scipy import stats as scipy_stats

from ragauge.stats.distributions import (
    normal_p_value,
    sign_test_p_value,
    t_p_value,
    t_quantile,
)


@pytest.mark.parametrize("z", [0.0, 0.3, -1.96, 5.0, 37.0])
def test_the_normal_tails_are_scipys(z):
    assert normal_p_value(z) == approx(2 * scipy_stats.norm.sf(abs(z)), rel=1e-12)


@pytest.mark.parametrize("degrees", [1, 2, 4, 29, 499, 100_000])
def test_the_tails_and_quantiles_of_t_are_scipys(degrees):
    for t in (0.0, 0.01, 1.0, -2.5, 12.0, 200.0):
        expected = 2 * scipy_stats.t.sf(abs(t), degrees)
        assert t_p_value(t, degrees) == approx(expected, rel=1e-8)
    for probability in (0.6, 0.8, 0.975, 0.999):
        expected = scipy_stats.t.ppf(probability, degrees)
        assert t_quantile(probability, degrees) == approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *((0, 0), (0, 1), (5, 1), (3, 3), (40, 60), (400, 600), (499, 502), (700, 500)),
        (49_000, 51_000),
    ],
)
def test_the_sign_test_is_scipys_binomial_test(one, other):
    n = one + other
    expected = scipy_stats.binomtest(one, n).pvalue if n else 1.0
    assert sign_test_p_value(one, other) == approx(expected, rel=1e-8)
    assert sign_test_p_value(other, one) == sign_test_p_value(one, other)
