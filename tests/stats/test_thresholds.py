import numpy as np
import pytest

from ragauge.stats.thresholds import Confusion, best_threshold, confusion, held_out_verdicts


def test_the_table_and_its_shares_worked_out_by_hand():
    says, is_yes = np.array([1, 1, 0, 0, 1], bool), np.array([1, 1, 1, 0, 0], bool)
    table = confusion(says, is_yes)
    assert table == Confusion(both_yes=2, only_metric=1, only_people=1, both_no=1)
    assert (table.sensitivity, table.specificity, table.accuracy) == (2 / 3, 1 / 2, 3 / 5)
    assert table.balanced_accuracy == (2 / 3 + 1 / 2) / 2


def test_a_class_without_rows_has_no_share():
    table = confusion(np.array([True]), np.array([True]))
    assert table.specificity is None and table.balanced_accuracy is None


def test_the_best_threshold_is_midway_between_values():
    # From 0.5 on: both yes (2/2), 2 of 3 no. From 0.3 on: 2/2 and 1/3. From 0.9 on: 1/2 and 3/3.
    values, is_yes = np.array([0.1, 0.3, 0.5, 0.7, 0.9]), np.array([0, 0, 1, 0, 1], bool)
    assert best_threshold(values, is_yes) == pytest.approx(0.4)


def test_of_equally_good_thresholds_the_nearest_is_taken():
    # Midpoints 0.2, 0.4 …: cutting below or above the pair (0.3 yes, 0.5 no) is equally good.
    values, is_yes = np.array([0.1, 0.3, 0.5, 0.7]), np.array([0, 1, 0, 1], bool)
    assert best_threshold(values, is_yes, near=0.1) == pytest.approx(0.2)
    assert best_threshold(values, is_yes, near=0.9) == pytest.approx(0.6)


@pytest.mark.parametrize(("values", "labels"), [([1, 1], [0, 1]), ([1, 2], [1, 1])])
def test_constant_values_and_one_class_have_no_threshold(values, labels):
    values, is_yes = np.array(values, float), np.array(labels, bool)
    assert best_threshold(values, is_yes) is None
    assert held_out_verdicts(values, is_yes, np.arange(2)) is None


def test_a_threshold_never_sees_the_question_it_judges():
    # One answer of question 0 is the only yes above 0.5: where it is held out, the others cut lower.
    values = np.array([0.9, 0.2, 0.2, 0.1, 0.1, 0.2, 0.1, 0.2, 0.1, 0.2])
    is_yes = np.array([0, 1, 1, 0, 0, 1, 0, 1, 0, 1], bool)
    held_out = held_out_verdicts(values, is_yes, np.arange(10), folds=10)
    assert held_out[0]  # by 0.15, the others' threshold, although its own label is no
    assert held_out_verdicts(values, is_yes, np.zeros(10, dtype=np.int64)) is None


def test_chance_scores_look_no_better_held_out():
    # On their own labels the best threshold always looks better than chance; held out it does not.
    random = np.random.default_rng(0)
    gains = []
    for seed in range(40):
        values, is_yes = random.random(60), random.random(60) < 0.5
        held_out = held_out_verdicts(values, is_yes, np.arange(60), seed=seed)
        own = values >= best_threshold(values, is_yes)
        gains.append([confusion(says, is_yes).balanced_accuracy for says in (own, held_out)])
    own, held_out = np.mean(gains, axis=0)
    assert own > 0.57 and abs(held_out - 0.5) < 0.03


def test_the_split_is_the_same_for_the_same_seed():
    random = np.random.default_rng(1)
    values, is_yes = random.random(50), random.random(50) < 0.5
    first, second = (held_out_verdicts(values, is_yes, np.arange(50), seed=3) for _ in range(2))
    assert (first == second).all()
