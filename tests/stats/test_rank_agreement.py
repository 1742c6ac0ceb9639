import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from ragauge.errors import PlanError
from ragauge.stats.agreement import (
    auroc,
    auroc_of,
    kendall_of,
    kendall_tau_b,
    spearman,
    spearman_of,
)

rows = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40
)


def columns(found):
    values, grades, times = (np.array(column) for column in zip(*found, strict=True))
    return values / 4, grades.astype(float), times


def test_the_area_counts_pairs_and_half_of_ties():
    # Yes: 3 and 1. No: 2, 1. Pairs: 3 > 2, 3 > 1, 1 < 2, 1 = 1: 2.5 of 4.
    assert auroc(np.array([3.0, 1, 2, 1]), np.array([True, True, False, False])) == 2.5 / 4


def test_kendall_leaves_out_ties_worked_out_by_hand():
    # Pairs of (1,1) (2,1) (2,2) (3,2): values and grades are tied in one pair of each kind.
    # Concordant: (1,1)-(2,2), (1,1)-(3,2), (2,1)-(3,2). Discordant: none. Tied in value: (2,1)-(2,2);
    # in grade: (1,1)-(2,1), (2,2)-(3,2). tau = 3 / sqrt((6 - 1) (6 - 2)).
    assert kendall_tau_b(np.array([1.0, 2, 2, 3]), np.array([1.0, 1, 2, 2])) == approx(3 / 20**0.5)


def test_spearman_is_pearsons_of_mean_ranks():
    # Ranks 1, 2.5, 2.5, 4 and 1.5, 1.5, 3.5, 3.5; from 2.5: products 1.5 + 0 + 0 + 1.5 = 3, squares 4.5 and 4.
    assert spearman(np.array([1.0, 2, 2, 3]), np.array([1.0, 1, 2, 2])) == approx(
        3 / (4.5 * 4) ** 0.5
    )


def test_a_constant_side_has_no_rank_correlation_and_one_class_no_area():
    for statistic in (spearman, kendall_tau_b):
        assert statistic(np.array([1.0, 1, 1]), np.array([1.0, 2, 3])) is None
        assert statistic(np.array([1.0, 2, 3]), np.array([1.0, 1, 1])) is None
    assert auroc(np.array([1.0, 2]), np.array([True, True])) is None


@given(rows)
def test_areas_and_correlations_are_those_of_scipy_and_scikit_learn(found):
    metrics = pytest.importorskip("sklearn.metrics")
    stats = pytest.importorskip("scipy.stats")
    values, grades, _ = columns(found)
    is_yes = grades > 1
    if 0 < is_yes.sum() < len(is_yes):
        assert auroc(values, is_yes) == approx(metrics.roc_auc_score(is_yes, values))
    if len(set(values)) > 1 and len(set(grades)) > 1:
        assert spearman(values, grades) == approx(stats.spearmanr(values, grades).statistic)
        assert kendall_tau_b(values, grades) == approx(stats.kendalltau(values, grades).statistic)


@given(rows)
def test_weights_are_repeated_rows(found):
    values, grades, times = columns(found)
    for of_rows, plain, labels in (
        (auroc_of, auroc, grades > 1),
        (spearman_of, spearman, grades),
        (kendall_of, kendall_tau_b, grades),
    ):
        if times.sum() == 0:
            continue
        drawn = of_rows(values, labels)(times[None].astype(float))[0]
        expected = plain(np.repeat(values, times), np.repeat(labels, times))
        assert np.isnan(drawn) if expected is None else drawn == approx(expected)


@pytest.mark.parametrize("statistic", [auroc, spearman, kendall_tau_b])
def test_lists_are_read_and_nan_and_unequal_lengths_are_refused(statistic):
    assert statistic([1.0, 2.0, 3.0], [0, 1, 1]) is not None
    assert statistic([], []) is None
    with pytest.raises(PlanError, match="is nan; leave out rows without a value"):
        statistic([1.0, float("nan")], [0, 1])
    with pytest.raises(PlanError, match="got 2 values, 1"):
        statistic([1.0, 2.0], [0])


def test_kendall_by_all_pairs_is_the_same(monkeypatch):
    random = np.random.default_rng(3)
    values, grades = random.random(80).round(1), random.random(80).round(1)
    times = random.integers(0, 3, (2, 80)).astype(float)
    expected = kendall_of(values, grades)(times)
    monkeypatch.setattr("ragauge.stats.agreement.CELLS_AT_ONCE", 20)
    assert kendall_of(values, grades)(times) == approx(expected)
