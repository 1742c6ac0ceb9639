from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from scipy import stats as scipy_stats
from scipy.stats import false_discovery_control

from ragauge.errors import PlanError
from ragauge.stats import tests as sign_patterns
from ragauge.stats.intervals import mean_interval
from ragauge.stats.tests import (
    PairedTest,
    benjamini_hochberg,
    holm,
    pairwise_randomization,
    randomization_p_values,
    randomization_test,
)

DIFFERENCES = st.lists(st.integers(-20, 20).map(lambda tenths: tenths / 10), min_size=1)


def p_of(differences, **options) -> float:
    return randomization_test(np.array(differences, dtype=float), **options).p_value


def systems(n_systems=4, n=30, seed=0):
    """Scores of systems that differ a little."""
    random = np.random.default_rng(seed)
    return random.random(n) + random.normal(0, 0.2, (n_systems, n))


def test_three_differences_of_one_sign_have_p_of_a_quarter():
    # Of the 8 patterns of ±1 ±2 ±3 only 6 and -6 are as far from 0 as 6: 2 / 8.
    # The mean is 2, its standard error 1 / √3, and t at 0.975 with 2 degrees of freedom 4.30265.
    reach = 4.30265 / 3**0.5
    assert randomization_test(np.array([1.0, 2.0, 3.0])) == PairedTest(
        difference=2.0,
        low=approx(2 - reach, abs=1e-5),
        high=approx(2 + reach, abs=1e-5),
        p_value=0.25,
        n=3,
        n_nonzero=3,
        is_exact=True,
    )


def test_sums_equal_on_paper_count_as_equal_whatever_their_last_digit():
    # 0.1 + 0.2 - 0.3 is 0 on paper, so every pattern is at least as far: 1. In floats it is 3e-17.
    assert p_of([0.1, 0.2, -0.3]) == 1.0
    # Tenths 3 1 2 5, the sum seen 3 - 1 - 2 + 5 = 5. With the tenths of negative sign adding up to
    # x a pattern's sum is 11 - 2x, as far as 5 where x <= 3 or x >= 8. The 16 subsets have
    # x = 0 1 2 3 3 | 4 5 5 6 6 7 | 8 8 9 10 11, so 5 + 5 of 16.
    assert p_of([0.3, -0.1, -0.2, 0.5]) == 10 / 16
    # One difference has either sign, and systems that never differ have p one.
    assert randomization_test(np.array([0.4])) == PairedTest(0.4, None, None, 1.0, 1, 1, True)
    assert randomization_test(np.zeros(30)) == PairedTest(0.0, None, None, 1.0, 30, 0, True)


def test_p_is_exact_where_all_patterns_are_no_more_than_those_to_draw_or_all_sizes_are_one():
    # 60 equal signs: no pattern drawn is as far (one in 2^59 would be), so (0 + 1) / (99 + 1).
    found = randomization_test(np.linspace(1, 1.5, 60), n_permutations=99)
    assert (found.p_value, found.is_exact) == (0.01, False)
    # 2^5 = 32 patterns.
    differences = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    assert randomization_test(differences, n_permutations=32).is_exact
    assert not randomization_test(differences, n_permutations=31).is_exact
    # 60 signs that are all plus: 2 of 2^60 patterns are as far from 0.
    found = randomization_test(np.full(60, 0.1))
    assert (found.p_value, found.is_exact) == (2 / 2**60, True)


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=9))
def test_the_exact_p_agrees_with_scipy(tenths):
    # scipy 1.17.1; its p of one side, doubled, is that of two sides: the patterns are symmetric.
    # It gets whole numbers: of 0.3 - 0.1 - 0.2 it would see that the sum is not quite 0.
    theirs = scipy_stats.permutation_test(
        (np.array([0, *tenths]),),  # it wants two observations or more
        np.sum,
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )
    assert p_of([one / 10 for one in tenths]) == approx(theirs.pvalue)


@given(DIFFERENCES, st.integers(0, 5), st.randoms(use_true_random=False))
def test_p_does_not_change_with_sign_scale_order_or_zeros(differences, n_zeros, random):
    p = p_of(differences, n_permutations=100)
    assert 0 < p <= 1
    assert p_of([-one for one in differences], n_permutations=100) == p
    assert p_of([one * 0.37 for one in differences], n_permutations=100) == p
    assert p_of([*differences, *[0.0] * n_zeros], n_permutations=100) == p
    few = differences[:9]  # exact, so that zeros may stand anywhere
    assert p_of(random.sample([*few, 0.0, 0.0], len(few) + 2)) == p_of(few)


def test_every_pair_is_compared_as_if_it_stood_alone():
    values = systems(n_systems=5)
    values[4] = values[0]
    values[3, 6:] = values[0, 6:]  # six differences: 64 patterns, counted exactly
    found = dict(zip(combinations(range(5), 2), pairwise_randomization(values), strict=True))
    for (i, j), comparison in found.items():
        assert comparison == randomization_test(values[i] - values[j])
    assert [pair for pair, one in found.items() if one.is_exact] == [(0, 3), (0, 4), (3, 4)]


def test_the_size_of_the_pieces_does_not_change_p(monkeypatch):
    values = systems()
    expected = pairwise_randomization(values)
    for n_at_once in (1, 7, 1000):
        monkeypatch.setattr(sign_patterns, "SIGNED_AT_ONCE", n_at_once)
        assert pairwise_randomization(values) == expected


def test_more_patterns_than_one_stream_gives_are_drawn_from_further_streams(monkeypatch):
    differences = np.random.default_rng(2).normal(0.4, 1, 14)
    exact = p_of(differences, n_permutations=2**14)
    monkeypatch.setattr(sign_patterns, "SIGNS_OF_A_STREAM", 1000)
    # 16 streams; four standard errors as above. Were they alike, 1,000 patterns would count.
    p = p_of(differences, n_permutations=2**14 - 1)
    assert p == approx(exact, abs=4 * np.sqrt(exact * (1 - exact)) / 128)


def test_the_signs_drawn_stay_the_same_from_version_to_version():
    # Worked out once; a change moves every p that was ever reported.
    (found,) = pairwise_randomization(systems(n_systems=2))
    assert found.p_value == 6939 / 10_001
    assert pairwise_randomization(systems(n_systems=2), seed=6) != [found]


def test_a_comparison_has_the_interval_of_its_differences_and_the_order_changes_the_sign_only():
    values = systems(n_systems=2)
    (found,) = pairwise_randomization(values, scale=(0, 1))
    expected = mean_interval(values[0] - values[1], low=-1, high=1)
    ends = (expected.value, expected.low, expected.high)
    assert (found.difference, found.low, found.high) == ends
    (back,) = pairwise_randomization(values[::-1], scale=(0, 1))
    assert back.p_value == found.p_value
    assert (back.difference, back.low, back.high) == (-found.difference, -found.high, -found.low)


def test_what_cannot_be_compared_is_refused():
    for values, said in (
        ([[1.0, 2.0], [1.0, np.nan]], r"system 1 has the score nan for question 1 \(both from 0\)"),
        ([[np.inf], [1.0]], "system 0 has the score inf for question 0"),
        ([[], []], "no question has a score in every system"),
    ):
        with pytest.raises(PlanError, match=said):
            pairwise_randomization(np.array(values))
    with pytest.raises(PlanError, match="n_permutations is 0; give 1 or more"):
        randomization_test(np.ones(3), n_permutations=0)


def rows(n_rows=6, n=40):
    return np.random.default_rng(0).normal(0.2, 1, (n_rows, n))


def test_rows_together_are_tested_as_each_is_alone(monkeypatch):
    differences = rows()
    expected = [randomization_test(row).p_value for row in differences]
    assert [found.value for found in randomization_p_values(differences)] == expected
    monkeypatch.setattr(sign_patterns, "ROWS_AT_ONCE", 4)
    assert [found.value for found in randomization_p_values(differences)] == expected


def test_how_p_is_computed_is_said():
    few, binary = np.zeros(40), np.zeros(40)
    few[:5], binary[:30] = [0.5, 0.25, 0.75, -0.5, 1.0], 0.5
    found = randomization_p_values(np.vstack([few, binary, rows(1)[0], np.zeros(40)]))
    assert [p.how for p in found] == ["exact", "exact", "drawn", "exact"]
    assert randomization_p_values(np.zeros((0, 5))) == []
    assert found[1].value == 2 / 2**30
    assert found[3].value == 1.0


@pytest.mark.slow
def test_the_normal_p_is_that_of_the_draws(monkeypatch):
    differences = np.random.default_rng(1).exponential(1, (1, 50_000)) - 0.993
    (normal,) = randomization_p_values(differences)
    monkeypatch.setattr(sign_patterns, "NORMAL_FROM", 10**9)
    (drawn,) = randomization_p_values(differences)
    assert (normal.how, drawn.how) == ("normal", "drawn")
    # Four standard errors of a share of 10,000.
    assert normal.value == approx(drawn.value, abs=4 * 0.5 / 100)


def test_very_many_differences_are_normal_but_where_a_few_are_huge():
    differences = np.random.default_rng(1).normal(0.005, 1, (1, 60_000))
    (found,) = randomization_p_values(differences)
    assert found.how == "normal"
    assert found.value == approx(scipy_stats.ttest_1samp(differences[0], 0).pvalue, abs=1e-3)
    differences = np.full((1, 60_000), 1e-6)
    differences[0, ::2] = -1.1e-6
    differences[0, :20] = [1.0, 2.0, 3.0, 4.0] * 5
    (found,) = randomization_p_values(differences, n_permutations=100)
    assert found.how == "drawn"


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


def test_p_is_uniform_where_chance_alone_makes_the_differences():
    random = np.random.default_rng(12)
    rows = random.normal(size=(500, 25))
    p = [found.value for found in randomization_p_values(rows, n_permutations=499)]
    assert scipy_stats.kstest(p, "uniform").pvalue > 0.05
    # 25 of 500 are expected at or below 0.05, with a standard deviation of 4.9.
    assert 12 <= sum(one <= 0.05 for one in p) <= 38
