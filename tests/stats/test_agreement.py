import pytest
from pytest import approx

from ragauge.stats.agreement import cohen_kappa

LEFT = [1, 1, 1, 1, 1, 0, 0, 0, 0, 0]
RIGHT = [1, 1, 1, 1, 0, 0, 0, 0, 1, 0]


def test_kappa_is_the_agreement_beyond_chance():
    # They agree on 8 of 10. Both say 1 five times, so chance agrees on 0.5 * 0.5 twice, a half:
    # (0.8 - 0.5) / (1 - 0.5).
    assert cohen_kappa(LEFT, RIGHT) == approx(0.6)


def test_raters_of_unequal_habits_agree_less_by_chance():
    # Agreement on 3 of 4; chance 3/4 * 2/4 + 1/4 * 2/4 = 1/2.
    assert cohen_kappa([1, 1, 1, 0], [1, 1, 0, 0]) == approx(0.5)


def test_three_ratings_count_alike_however_far_apart():
    # Agreement on 2 of 3; chance: 0 has 1/3 * 1/3, 0.5 has 1/3 * 2/3, 1 has 1/3 * 0: 1/3.
    assert cohen_kappa([0, 0.5, 1], [0, 0.5, 0.5]) == approx(0.5)


def test_full_agreement_is_one_and_the_opposite_minus_one():
    assert cohen_kappa([1, 0], [1, 0]) == 1.0
    # Agreement on none; chance 1/2: (0 - 0.5) / (1 - 0.5).
    assert cohen_kappa([1, 0], [0, 1]) == -1.0


def test_it_does_not_matter_who_rates_first():
    assert cohen_kappa(LEFT, RIGHT) == cohen_kappa(RIGHT, LEFT)


@pytest.mark.parametrize("ratings", [[], [1], [0, 0, 0]])
def test_where_chance_alone_agrees_there_is_no_kappa(ratings):
    assert cohen_kappa(ratings, list(ratings)) is None
