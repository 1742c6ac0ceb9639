import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from scipy import stats as scipy_stats

from ragauge.stats.paired_tests import effect_size, paired_t_test, wilcoxon_test
from ragauge.stats.rounding import has_spread, mean_of, with_exact_ties
from ragauge.stats.tests import randomization_test

TENTHS = np.arange(1, 10) / 10
GAINS = (TENTHS[1:] - TENTHS[:-1])[np.arange(20) % 8]
"""0.2 - 0.1, 0.3 - 0.2, … 0.9 - 0.8: twenty times 0.1, in several roundings."""


def test_wilcoxon_sees_ties_through_rounding():
    signs = np.where(np.arange(20) % 5 == 0, -1.0, 1.0)  # 4 negative, 16 positive
    expected = scipy_stats.wilcoxon(signs / 10).pvalue  # all sizes exactly equal
    assert round(expected, 5) == 0.00729
    assert wilcoxon_test(signs * GAINS) == approx(expected)
    assert wilcoxon_test(signs * GAINS) == wilcoxon_test(-signs * GAINS)


def test_differences_that_are_equal_but_for_rounding_have_no_effect_size_and_no_t_test():
    assert not has_spread(GAINS)
    assert effect_size(GAINS) is None
    assert paired_t_test(GAINS) is None


def test_a_small_spread_that_is_no_rounding_is_kept():
    values = np.array([0.1, 0.1 + 1e-9, 0.1 - 1e-9])
    assert has_spread(values)
    assert effect_size(values) is not None and len(set(with_exact_ties(values))) == 3


def test_equal_means_differ_by_0():
    values = np.concatenate([GAINS, -GAINS[::-1], [0.9 - 0.8, 0.1 - 0.2]])
    assert mean_of(values) == 0.0
    assert randomization_test(values).difference == 0.0
    assert effect_size(values) == 0.0


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=30))
def test_exact_numbers_stay_as_they_are(numbers):
    values = np.array(numbers, float)
    assert with_exact_ties(values).tolist() == values.tolist()
