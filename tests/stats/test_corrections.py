import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from scipy.stats import false_discovery_control

from ragauge.errors import PlanError
from ragauge.stats.tests import benjamini_hochberg, holm


def test_holm_multiplies_by_the_number_of_tests_not_yet_done():
    # In rising order .005 · 4 = .02, .01 · 3 = .03, .03 · 2 = .06, and .04 · 1 is below .06.
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == approx([0.03, 0.06, 0.06, 0.02])
    # Equal p values alike, and at most one.
    assert holm([0.02, 0.5, 0.02]).tolist() == approx([0.06, 0.5, 0.06])
    assert holm([0.6, 0.4]).tolist() == approx([0.8, 0.8])
    assert holm([0.6, 0.6]).tolist() == [1.0, 1.0]
    assert holm([]).tolist() == []


@given(st.lists(st.floats(0, 1), min_size=1), st.randoms(use_true_random=False))
def test_holm_keeps_the_order_of_p_values_and_lowers_none(p_values, random):
    adjusted = holm(p_values).tolist()
    assert all(p <= after <= 1 for p, after in zip(p_values, adjusted, strict=True))
    ranked = sorted(zip(p_values, adjusted, strict=True))
    assert [after for _, after in ranked] == sorted(adjusted)
    shuffled = list(p_values)
    random.shuffle(shuffled)
    assert sorted(zip(shuffled, holm(shuffled).tolist(), strict=True)) == ranked


def test_benjamini_hochberg_takes_the_least_of_what_stands_above():
    # In rising order .005 · 4 / 1 = .02, .01 · 4 / 2 = .02, .03 · 4 / 3 = .04, .04 · 4 / 4 = .04.
    p_values = [0.01, 0.04, 0.03, 0.005]
    assert benjamini_hochberg(p_values).tolist() == approx([0.02, 0.04, 0.04, 0.02])
    assert benjamini_hochberg([]).tolist() == []


@given(st.lists(st.floats(0, 1), min_size=1))
def test_benjamini_hochberg_agrees_with_scipy_and_is_never_above_holm(p_values):
    adjusted = benjamini_hochberg(p_values).tolist()
    assert adjusted == approx(false_discovery_control(p_values).tolist())  # scipy 1.17.1
    pairs = zip(p_values, adjusted, holm(p_values).tolist(), strict=True)
    assert all(p <= bh + 1e-12 and bh <= strict + 1e-12 for p, bh, strict in pairs)


def test_what_is_no_p_value_is_refused():
    for correct in (holm, benjamini_hochberg):
        for bad in (float("nan"), 1.5, -0.1):
            with pytest.raises(PlanError, match=r"p_values\[1\] is"):
                correct([0.01, bad])
