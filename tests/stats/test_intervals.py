import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from scipy import stats as scipy_stats

from ragauge.stats.aggregates import mean_of_parts
from ragauge.stats.intervals import Estimate, bootstrap, by_question


def totals(values):
    """One score a question."""
    values = np.asarray(values, dtype=float)
    return np.column_stack([values, np.ones(len(values))])


def interval(values, **options) -> Estimate | None:
    return bootstrap([totals(values)], [mean_of_parts], **options)[0]


def test_the_value_is_the_mean_over_all_scores_and_not_over_questions():
    # Two scores of 1 and 0 for the first question, one of 1 for the second: 2 / 3.
    (found,) = bootstrap([np.array([[1.0, 2.0], [1.0, 1.0]])], [mean_of_parts])
    assert found.value == approx(2 / 3)


def test_the_interval_agrees_with_scipys_percentile_bootstrap():
    values = np.random.default_rng(7).beta(2, 5, 80)
    ours = interval(values, n_resamples=20_000)
    theirs = scipy_stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", random_state=1
    ).confidence_interval
    # Two standard errors of a 2.5 % quantile from 20,000 normal draws:
    # 2 · sqrt(.025 · .975 / 20000) / density(z = 1.96) · s.e. = 0.038 · s.e., once for each side.
    error = 0.08 * values.std() / np.sqrt(len(values))
    assert ours.value == approx(values.mean())
    assert ours.low == approx(theirs.low, abs=error)
    assert ours.high == approx(theirs.high, abs=error)


def test_the_interval_holds_the_truth_about_as_often_as_it_says():
    random = np.random.default_rng(11)
    n_held = 0
    for seed in range(300):
        found = interval(random.random(60) < 0.3, seed=seed, n_resamples=300)
        n_held += found.low <= 0.3 <= found.high
    # 95 % of 300 is 285; the percentile bootstrap of 60 questions holds a little less.
    assert 267 <= n_held <= 299


def test_a_wider_confidence_gives_a_wider_interval():
    values = np.random.default_rng(1).random(50)
    narrow, wide = interval(values, confidence=0.5), interval(values, confidence=0.99)
    assert wide.low < narrow.low < values.mean() < narrow.high < wide.high


def test_one_question_has_a_value_and_no_interval():
    assert interval([0.5]) == Estimate(0.5, None, None)


def test_one_question_with_a_score_among_many_has_no_interval():
    parts = np.array([[0.5, 1.0], [0.0, 0.0], [0.0, 0.0]])
    assert bootstrap([parts], [mean_of_parts]) == [Estimate(0.5, None, None)]


def test_no_score_gives_no_value():
    assert bootstrap([np.zeros((3, 2))], [mean_of_parts]) == [None]
    assert bootstrap([np.zeros((0, 2))], [mean_of_parts]) == [None]


def test_equal_scores_have_an_interval_of_no_width():
    assert interval([0.1] * 7) == Estimate(approx(0.1), approx(0.1), approx(0.1))
    assert interval([0.0, 0.0]) == Estimate(0.0, 0.0, 0.0)


def test_the_seed_fixes_the_interval_and_another_moves_it():
    values = np.random.default_rng(3).random(30)
    assert interval(values, seed=5) == interval(values, seed=5)
    assert interval(values, seed=5) != interval(values, seed=6)


def test_what_stands_beside_a_column_does_not_move_its_interval():
    left, right = np.random.default_rng(3).random((2, 30))
    alone = interval(left)
    both = bootstrap([totals(left), totals(right)], [mean_of_parts] * 2)
    assert both[0] == alone


def test_columns_of_one_group_are_resampled_together():
    values = np.random.default_rng(3).random(30)
    first, second = bootstrap([totals(values), totals(1 - values)], [mean_of_parts] * 2)
    # The same questions are drawn for both, so one interval mirrors the other.
    assert first.low == approx(1 - second.high)
    assert first.high == approx(1 - second.low)


def test_an_aggregate_of_its_own_is_resampled_as_such():
    # A geometric mean of sums of logarithms: of 1, 4 and 16 it is 4.
    parts = np.column_stack([np.log([1.0, 4.0, 16.0]), np.ones(3)])

    def geometric(sums):
        return np.exp(sums[:, 0] / sums[:, 1])

    (found,) = bootstrap([parts], [geometric])
    assert found.value == approx(4)
    assert 1 <= found.low < 4 < found.high <= 16


def test_many_questions_are_drawn_in_pieces_of_bounded_size():
    values = np.arange(50_000) % 2
    found = interval(values, n_resamples=200)
    # The standard error is 0.5 / sqrt(50,000) = 0.0022.
    assert found.high - found.low == approx(4 * 0.0022, rel=0.3)


def test_rows_are_summed_by_question():
    # Question 0 has 0.5 and 0.25, question 1 none, question 2 has 1.
    parts = np.array([[0.5, 1.0], [1.0, 1.0], [0.25, 1.0]])
    summed = by_question(parts, np.array([0, 2, 0]), 3)
    assert summed.tolist() == [[0.75, 2.0], [0.0, 0.0], [1.0, 1.0]]


@given(
    st.lists(st.tuples(st.integers(0, 4), st.floats(0, 1)), min_size=1, max_size=40),
    st.randoms(use_true_random=False),
)
def test_the_order_of_rows_does_not_change_a_digit_of_the_sums(rows, random):
    def summed(rows):
        parts = np.array([[value, 1.0] for _, value in rows])
        return by_question(parts, np.array([at for at, _ in rows]), 5).tolist()

    shuffled = list(rows)
    random.shuffle(shuffled)
    assert summed(shuffled) == summed(rows)


@pytest.mark.parametrize("n", [2, 3, 10])
def test_the_value_lies_in_its_interval(n):
    for seed in range(20):
        values = np.random.default_rng(seed).random(n)
        found = interval(values, n_resamples=50)
        assert found.low <= found.value <= found.high
