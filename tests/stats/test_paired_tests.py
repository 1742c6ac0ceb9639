import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from scipy import stats as scipy_stats

from ragauge.errors import PlanError
from ragauge.stats.paired_tests import mcnemar_test, paired_t_test, wilcoxon_test
from ragauge.stats.tests import randomization_test

TENTHS = st.lists(st.integers(-9, 9).map(lambda tenths: tenths / 8), min_size=2, max_size=60)
SIGNS = st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=1, max_size=60)


def test_mcnemar_counts_the_questions_that_changed():
    # 5 better, 1 worse: P(at most 1 of 6) twice = 2 (1 + 6) / 64.
    assert mcnemar_test(np.array([1, 1, 1, 1, 1, -1, 0, 0, 0])) == 14 / 64
    assert mcnemar_test(np.zeros(4)) == 1.0
    assert mcnemar_test(np.array([1.0, -1.0])) == 1.0


@given(SIGNS)
def test_mcnemars_test_is_the_randomization_test_of_binary_scores(signs):
    values = np.array(signs)
    assert mcnemar_test(values) == randomization_test(values).p_value


@given(SIGNS)
def test_mcnemars_test_agrees_with_statsmodels(signs):
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    better, worse = signs.count(1.0), signs.count(-1.0)
    expected = tables.mcnemar([[3, better], [worse, 4]], exact=True).pvalue
    assert mcnemar_test(np.array(signs)) == approx(expected)


@given(TENTHS)
def test_the_t_test_agrees_with_scipy(tenths):
    values = np.array(tenths)
    if np.ptp(values) == 0:
        assert paired_t_test(values) is None
    else:
        assert paired_t_test(values) == approx(scipy_stats.ttest_1samp(values, 0).pvalue, rel=1e-8)


def test_one_difference_has_no_t_test():
    assert paired_t_test(np.array([0.5])) is None


def test_wilcoxon_of_ranks_one_to_four():
    # Rank sums 1 + 2 + 3 = 6 and 4. Of 16 patterns 7 have at most 4: 0 1 2 3 3 4 4; twice 7 / 16.
    assert wilcoxon_test(np.array([1.0, 2.0, 3.0, -4.0])) == 14 / 16
    assert wilcoxon_test(np.zeros(9)) is None


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


@pytest.mark.parametrize("test", [mcnemar_test, paired_t_test, wilcoxon_test])
def test_a_difference_that_is_no_number_is_refused(test):
    with pytest.raises(PlanError, match=r"differences\[0\] is nan"):
        test(np.array([np.nan, 1.0]))


def test_mcnemars_test_refuses_grades():
    with pytest.raises(
        PlanError, match=r"differences\[1\] is 0.5; McNemar's test is of scores 0 and 1"
    ):
        mcnemar_test(np.array([1.0, 0.5]))
