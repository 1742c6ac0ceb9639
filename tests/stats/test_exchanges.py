import numpy as np
from pytest import approx

from ragauge.stats.aggregates import AGGREGATES, mean_of_parts, parts_of
from ragauge.stats.paired_tests import swap_test
from ragauge.stats.sign_patterns import randomization_p_values


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
    base, candidate = (
        parts_of(np.array(values), "geometric_mean") for values in ([1.0, 4.0], [4.0, 9.0])
    )
    found = swap_test(base, candidate, AGGREGATES["geometric_mean"])
    assert (found.value, found.how) == (0.5, "exact")


def test_equal_parts_have_p_one():
    parts = parts_of(np.array([0.2, 0.4]), "mean")
    assert swap_test(parts, parts, mean_of_parts).value == 1.0


def test_sides_exchanged_have_the_same_p():
    base, candidate = (parts_of(values, "geometric_mean") for values in scores(60))
    one = swap_test(base, candidate, AGGREGATES["geometric_mean"])
    other = swap_test(candidate, base, AGGREGATES["geometric_mean"])
    assert one.value == approx(other.value)
