from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from ragauge.stats.corrections import holm


def test_holm_multiplies_by_the_number_of_tests_not_yet_done():
    # In rising order .005 · 4 = .02, .01 · 3 = .03, .03 · 2 = .06, and .04 · 1 is below .06.
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == approx([0.03, 0.06, 0.06, 0.02])


def test_holm_treats_equal_p_values_alike_and_stops_at_one():
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
