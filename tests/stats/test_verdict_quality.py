import numpy as np
import pytest
from pytest import approx

from ragauge.stats.agreement import alpha_of, kappa_of, krippendorff_alpha
from ragauge.stats.rank_agreement import auroc_of
from ragauge.stats.resampling import QuestionResamples
from ragauge.stats.thresholds import verdict_estimates

# Both yes 4, only the metric 1, only people 2, both no 3.
SAYS = np.array([1] * 5 + [0] * 5, bool)
IS = np.array([1] * 4 + [0] + [1] * 2 + [0] * 3, bool)


def test_the_three_figures_worked_out_by_hand():
    accuracy, kappa, alpha = verdict_estimates(SAYS, IS, QuestionResamples(np.arange(10)))
    assert accuracy.value == approx((4 / 6 + 3 / 4) / 2)
    chance = 0.5 * 0.6 + 0.5 * 0.4
    assert kappa.value == approx((0.7 - chance) / (1 - chance))
    # 20 ratings, 11 yes and 9 no; 3 answers of unequal ratings.
    assert alpha.value == approx(1 - 19 * 3 / (11 * 9))
    assert alpha.value == approx(krippendorff_alpha([SAYS.tolist(), IS.tolist()]))


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
        assert estimate.value == approx(value)
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
