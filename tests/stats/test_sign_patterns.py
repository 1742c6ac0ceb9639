import numpy as np
import pytest
from pytest import approx
from scipy import stats as scipy_stats

from ragauge.stats import sign_patterns
from ragauge.stats.sign_patterns import randomization_p_values
from ragauge.stats.tests import randomization_test


def rows(n_rows=6, n=40, seed=0):
    return np.random.default_rng(seed).normal(0.2, 1, (n_rows, n))


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
    assert found[1].value == 2 / 2**30
    assert found[3].value == 1.0


def test_no_rows_give_no_p():
    assert randomization_p_values(np.zeros((0, 5))) == []


def test_very_many_differences_are_normal():
    differences = np.random.default_rng(1).normal(0.005, 1, (1, 60_000))
    (found,) = randomization_p_values(differences)
    assert found.how == "normal"
    assert found.value == approx(scipy_stats.ttest_1samp(differences[0], 0).pvalue, abs=1e-3)


@pytest.mark.slow
def test_the_normal_p_is_that_of_the_draws(monkeypatch):
    differences = np.random.default_rng(1).exponential(1, (1, 50_000)) - 0.993
    (normal,) = randomization_p_values(differences)
    monkeypatch.setattr(sign_patterns, "NORMAL_FROM", 10**9)
    (drawn,) = randomization_p_values(differences)
    assert (normal.how, drawn.how) == ("normal", "drawn")
    # Four standard errors of a share of 10,000.
    assert normal.value == approx(drawn.value, abs=4 * 0.5 / 100)


def test_a_few_huge_differences_among_many_are_not_normal():
    differences = np.full((1, 60_000), 1e-6)
    differences[0, ::2] = -1.1e-6
    differences[0, :20] = [1.0, 2.0, 3.0, 4.0] * 5
    (found,) = randomization_p_values(differences, n_permutations=100)
    assert found.how == "drawn"
