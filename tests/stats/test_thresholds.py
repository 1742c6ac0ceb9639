import numpy as np
import pytest

from ragauge.stats.agreement import alpha_of, auroc_of, kappa_of, krippendorff_alpha
from ragauge.stats.resampling import QuestionResamples
from ragauge.stats.thresholds import (
    Confusion,
    best_threshold,
    confusion,
    held_out_verdicts,
    verdict_estimates,
)


def test_the_table_and_its_shares_worked_out_by_hand():
    says, is_yes = np.array([1, 1, 0, 0, 1], bool), np.array([1, 1, 1, 0, 0], bool)
    table = confusion(says, is_yes)
    assert table == Confusion(both_yes=2, only_metric=1, only_people=1, both_no=1)
    assert (table.sensitivity, table.specificity, table.accuracy) == (2 / 3, 1 / 2, 3 / 5)
    assert table.balanced_accuracy == (2 / 3 + 1 / 2) / 2
    one_class = confusion(np.array([True]), np.array([True]))
    assert one_class.specificity is None and one_class.balanced_accuracy is None


def test_the_best_threshold_is_midway_between_values():
    # From 0.5 on: both yes (2/2), 2 of 3 no. From 0.3 on: 2/2 and 1/3. From 0.9 on: 1/2 and 3/3.
    values, is_yes = np.array([0.1, 0.3, 0.5, 0.7, 0.9]), np.array([0, 0, 1, 0, 1], bool)
    assert best_threshold(values, is_yes) == pytest.approx(0.4)
    # Of equally good ones the nearest is taken: cutting below or above the pair (0.3 yes, 0.5 no).
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
    assert (held_out == held_out_verdicts(values, is_yes, np.arange(60), seed=seed)).all()
    own, held_out = np.mean(gains, axis=0)
    assert own > 0.57 and abs(held_out - 0.5) < 0.03


# Both yes 4, only the metric 1, only people 2, both no 3.
SAYS = np.array([1] * 5 + [0] * 5, bool)
IS = np.array([1] * 4 + [0] + [1] * 2 + [0] * 3, bool)


def test_the_three_figures_worked_out_by_hand():
    accuracy, kappa, alpha = verdict_estimates(SAYS, IS, QuestionResamples(np.arange(10)))
    assert accuracy.value == pytest.approx((4 / 6 + 3 / 4) / 2)
    chance = 0.5 * 0.6 + 0.5 * 0.4
    assert kappa.value == pytest.approx((0.7 - chance) / (1 - chance))
    # 20 ratings, 11 yes and 9 no; 3 answers of unequal ratings.
    assert alpha.value == pytest.approx(1 - 19 * 3 / (11 * 9))
    assert alpha.value == pytest.approx(krippendorff_alpha([SAYS.tolist(), IS.tolist()]))


def test_resamples_are_those_of_the_row_by_row_statistics():
    random = np.random.default_rng(0)
    is_yes = random.random(60) < 0.6
    says = np.where(random.random(60) < 0.8, is_yes, ~is_yes)
    questions = np.repeat(np.arange(20), 3)
    resamples = QuestionResamples(questions)
    found = verdict_estimates(says, is_yes, resamples)
    one, other = says.astype(float), is_yes.astype(float)
    by_rows = resamples.draws([auroc_of(one, is_yes), kappa_of(one, other)])
    twice = QuestionResamples(np.tile(questions, 2))
    by_rows += twice.draws([alpha_of(np.tile(np.arange(60), 2), np.r_[one, other], "nominal")])
    for estimate, (value, _) in zip(found, by_rows, strict=True):
        assert estimate.value == pytest.approx(value)
        assert estimate.low < value < estimate.high
    cells = np.stack([says & is_yes, says & ~is_yes], axis=1).astype(float)
    rows = resamples.draws([lambda weights: weights @ cells[:, 0]])[0][1]
    assert (resamples.sums(cells)[:, 0] == rows).all()


@pytest.mark.parametrize("says", [[1, 1, 1], [0, 0, 0]])
def test_constant_verdicts_have_chance_accuracy_and_no_kappa_with_constant_labels(says):
    says = np.array(says, bool)
    accuracy, kappa, _ = verdict_estimates(
        says, np.array([1, 0, 1], bool), QuestionResamples(np.arange(3))
    )
    assert (accuracy.value, kappa.value) == (0.5, 0.0)
    assert verdict_estimates(says, says, QuestionResamples(np.arange(3))) == (None, None, None)
