import numpy as np
import pytest
from pytest import approx
from scipy import stats as scipy_stats

from ragauge.stats.paired_tests import detectable_difference, effect_size, paired_t_test


def test_the_effect_is_the_mean_over_the_standard_deviation():
    # Mean 2, standard deviation 1.
    assert effect_size(np.array([1.0, 2.0, 3.0])) == 2.0
    assert effect_size(np.array([0.5, 0.5])) is None
    assert effect_size(np.array([0.5])) is None


def test_without_spread_nothing_says_what_could_be_detected():
    assert detectable_difference(0.0, 10) is None
    assert detectable_difference(0.1, 1) is None


@pytest.mark.parametrize("n", [5, 10, 50, 500])
def test_a_difference_of_that_size_is_found_with_power_of_four_fifths(n):
    # The power of the paired t test at the difference, by the noncentral t distribution.
    detectable = detectable_difference(1 / np.sqrt(n), n)
    critical = scipy_stats.t.ppf(0.975, n - 1)
    away = detectable * np.sqrt(n)
    power = scipy_stats.nct.sf(critical, n - 1, away) + scipy_stats.nct.cdf(-critical, n - 1, away)
    assert power == approx(0.8, abs=0.015)


@pytest.mark.parametrize("n", [5, 20, 250])
def test_it_agrees_with_statsmodels_power(n):
    power = pytest.importorskip("statsmodels.stats.power")
    expected = power.TTestPower().solve_power(nobs=n, alpha=0.05, power=0.8)
    assert detectable_difference(1 / np.sqrt(n), n) == approx(expected, rel=0.02)


@pytest.mark.parametrize("size", [5e-324, 1e-310, 1e-200, 1e200, 4e307])
def test_differences_of_any_size_have_an_effect_and_a_p(size):
    # As of 1, 2, 3: mean 2, standard deviation 1.
    values = np.array([1.0, 2.0, 3.0]) * size
    assert effect_size(values) == approx(2)
    assert paired_t_test(values) == approx(0.07418, abs=1e-5)
