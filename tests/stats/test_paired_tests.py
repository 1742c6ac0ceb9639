import numpy as np
import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from scipy import stats as scipy_stats

from ragauge.errors import PlanError
from ragauge.stats.distributions import (
    normal_p_value,
    sign_test_p_value,
    t_p_value,
    t_quantile,
)
from ragauge.stats.intervals import AGGREGATES, mean_of_parts, parts_of
from ragauge.stats.paired_tests import (
    detectable_difference,
    effect_size,
    has_spread,
    mcnemar_test,
    mean_of,
    paired_t_test,
    swap_test,
    wilcoxon_test,
    with_exact_ties,
)
from ragauge.stats.tests import randomization_p_values, randomization_test

TENTHS = st.lists(st.integers(-9, 9).map(lambda tenths: tenths / 8), min_size=2, max_size=60)
SIGNS = st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=1, max_size=60)


@given(SIGNS)
def test_mcnemars_test_is_the_randomization_test_of_binary_scores(signs):
    values = np.array(signs)
    assert mcnemar_test(values) == randomization_test(values).p_value


@given(TENTHS)
def test_the_t_test_agrees_with_scipy(tenths):
    values = np.array(tenths)
    if np.ptp(values) == 0:
        assert paired_t_test(values) is None
    else:
        assert paired_t_test(values) == approx(scipy_stats.ttest_1samp(values, 0).pvalue, rel=1e-8)


@given(TENTHS)
def test_wilcoxon_agrees_with_scipy_with_ties_and_zeros(tenths):
    values = np.array(tenths)
    if not values.any():
        assert wilcoxon_test(values) is None
    else:
        assert wilcoxon_test(values) == approx(scipy_stats.wilcoxon(values).pvalue)


@pytest.mark.parametrize("n", [5, 13, 14, 49, 50, 51, 200])
def test_wilcoxon_agrees_with_scipy_without_ties(n):
    values = np.random.default_rng(n).normal(0.1, 1, n)
    assert wilcoxon_test(values) == approx(scipy_stats.wilcoxon(values).pvalue, rel=1e-9)


def test_a_difference_that_is_no_number_is_refused():
    for test in (mcnemar_test, paired_t_test, wilcoxon_test):
        with pytest.raises(PlanError, match=r"differences\[0\] is nan"):
            test(np.array([np.nan, 1.0]))
    with pytest.raises(PlanError, match=r"differences\[1\] is 0.5; McNemar's test is of scores 0"):
        mcnemar_test(np.array([1.0, 0.5]))


def test_the_effect_is_the_mean_over_the_standard_deviation():
    # Mean 2, standard deviation 1.
    assert effect_size(np.array([1.0, 2.0, 3.0])) == 2.0
    assert effect_size(np.array([0.5, 0.5])) is None
    assert effect_size(np.array([0.5])) is None is paired_t_test(np.array([0.5]))
    assert detectable_difference(0.0, 10) is None is detectable_difference(0.1, 1)


@pytest.mark.parametrize("n", [5, 10, 50, 500])
def test_a_difference_of_that_size_is_found_with_power_of_four_fifths(n):
    # The power of the paired t test at the difference, by the noncentral t distribution.
    detectable = detectable_difference(1 / np.sqrt(n), n)
    critical = scipy_stats.t.ppf(0.975, n - 1)
    away = detectable * np.sqrt(n)
    power = scipy_stats.nct.sf(critical, n - 1, away) + scipy_stats.nct.cdf(-critical, n - 1, away)
    assert power == approx(0.8, abs=0.015)


def test_rare_changes_are_found_from_eight_on():
    # 2 of 30 are changed: by their spread .14 would do, which are four changes, with p = 2 / 2⁴.
    error = np.sqrt(2 / 30 / 29)
    assert detectable_difference(error, 30) == approx(0.139, abs=1e-3)
    changed = np.array([1.0, -1.0])
    assert detectable_difference(error, 30, changed=changed) == approx(8 / 30)
    assert detectable_difference(error, 7, changed=changed) == approx(1)
    assert detectable_difference(error, 5, changed=changed) is None  # five of five have p = 2 / 2⁵
    assert scipy_stats.binom.sf(5, 30, 8 / 30) > 0.8  # six changes or more have p = 2 / 2⁶
    assert mcnemar_test(np.ones(6)) < 0.05 < mcnemar_test(np.ones(5))


@pytest.mark.parametrize("size", [5e-324, 1e-310, 1e-200, 1e200, 4e307])
def test_differences_of_any_size_have_an_effect_and_a_p(size):
    # As of 1, 2, 3: mean 2, standard deviation 1.
    values = np.array([1.0, 2.0, 3.0]) * size
    assert effect_size(values) == approx(2)
    assert paired_t_test(values) == approx(0.07418, abs=1e-5)


def scores(n, seed=0):
    random = np.random.default_rng(seed)
    return random.random(n), random.random(n) + 0.2


def test_of_means_it_is_the_randomization_test():
    for n in (10, 40):
        base, candidate = scores(n)
        parts = [parts_of(values, "mean") for values in (base, candidate)]
        (expected,) = randomization_p_values((candidate - base)[None, :])
        assert swap_test(parts[0], parts[1], mean_of_parts) == expected


def test_all_exchanges_of_a_geometric_mean_are_counted():
    # Geometric means √(1 · 4) = 2 and √(4 · 9) = 6: 4 apart. With one question exchanged √(4 · 4) and
    # √(1 · 9): 1 apart. So 2 of 4 exchanges are as far.
    kind = "geometric_mean"
    base, candidate = (parts_of(np.array(values), kind) for values in ([1.0, 4.0], [4.0, 9.0]))
    found = swap_test(base, candidate, AGGREGATES[kind])
    assert (found.value, found.how) == (0.5, "exact")


def test_equal_parts_have_p_one_and_sides_exchanged_the_same_p():
    parts = parts_of(np.array([0.2, 0.4]), "mean")
    assert swap_test(parts, parts, mean_of_parts).value == 1.0
    base, candidate = (parts_of(values, "geometric_mean") for values in scores(60))
    one = swap_test(base, candidate, AGGREGATES["geometric_mean"])
    other = swap_test(candidate, base, AGGREGATES["geometric_mean"])
    assert one.value == approx(other.value)


STEPS = np.arange(1, 10) / 10
GAINS = (STEPS[1:] - STEPS[:-1])[np.arange(20) % 8]
"""0.2 - 0.1, 0.3 - 0.2, … 0.9 - 0.8: twenty times 0.1, in several roundings."""


def test_wilcoxon_sees_ties_through_rounding():
    signs = np.where(np.arange(20) % 5 == 0, -1.0, 1.0)  # 4 negative, 16 positive
    expected = scipy_stats.wilcoxon(signs / 10).pvalue  # all sizes exactly equal
    assert round(expected, 5) == 0.00729
    assert wilcoxon_test(signs * GAINS) == approx(expected)
    assert wilcoxon_test(signs * GAINS) == wilcoxon_test(-signs * GAINS)


def test_differences_that_are_equal_but_for_rounding_have_no_effect_size_and_no_t_test():
    assert not has_spread(GAINS)
    assert effect_size(GAINS) is None is paired_t_test(GAINS)
    # A small spread that is no rounding is kept.
    values = np.array([0.1, 0.1 + 1e-9, 0.1 - 1e-9])
    assert has_spread(values)
    assert effect_size(values) is not None and len(set(with_exact_ties(values))) == 3
    # Equal means differ by 0.
    values = np.concatenate([GAINS, -GAINS[::-1], [0.9 - 0.8, 0.1 - 0.2]])
    assert mean_of(values) == randomization_test(values).difference == effect_size(values) == 0.0


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=30))
def test_exact_numbers_stay_as_they_are(numbers):
    values = np.array(numbers, float)
    assert with_exact_ties(values).tolist() == values.tolist()


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


@cases(
    *((0, 0), (0, 1), (5, 1), (3, 3), (40, 60), (400, 600), (499, 502), (700, 500)),
    (49_000, 51_000),
)
def test_the_sign_test_is_scipys_binomial_test(one, other):
    n = one + other
    expected = scipy_stats.binomtest(one, n).pvalue if n else 1.0
    assert sign_test_p_value(one, other) == approx(expected, rel=1e-8)
    assert sign_test_p_value(other, one) == sign_test_p_value(one, other)


def test_mcnemar_counts_the_questions_that_changed():
    # 5 better, 1 worse: P(at most 1 of 6) twice = 2 (1 + 6) / 64.
    assert mcnemar_test(np.array([1, 1, 1, 1, 1, -1, 0, 0, 0])) == 14 / 64
    assert mcnemar_test(np.zeros(4)) == 1.0
    assert mcnemar_test(np.array([1.0, -1.0])) == 1.0


def test_wilcoxon_of_ranks_one_to_four():
    # Rank sums 1 + 2 + 3 = 6 and 4. Of 16 patterns 7 have at most 4: 0 1 2 3 3 4 4; twice 7 / 16.
    assert wilcoxon_test(np.array([1.0, 2.0, 3.0, -4.0])) == 14 / 16
    assert wilcoxon_test(np.zeros(9)) is None
