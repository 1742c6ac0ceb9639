from math import e, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from scipy import stats as scipy_stats

from ragauge.stats.intervals import (
    AGGREGATES,
    LEAST_FACTOR,
    Estimate,
    by_question,
    difference_of,
    ends_of,
    geometric_mean_of_parts,
    interval,
    mean_interval,
    mean_of_parts,
    parts_of,
)


def of_clusters(sums, counts, low=0.0, high=1.0) -> Estimate:
    parts = np.column_stack([sums, counts]).astype(float)
    found = interval(parts, mean_of_parts, ends=ends_of("mean", low, high))
    assert found is not None
    return found


def ends_near(found, low, high, **tolerance) -> bool:
    return (found.low, found.high) == approx((low, high), **tolerance)


def skewed(n=40, seed=0):
    return np.random.default_rng(seed).exponential(1, n) - 0.7


def wilson(k: int, n: int) -> tuple[float, float]:
    """The ends of Wilson's interval of k of n, by scipy."""
    theirs = scipy_stats.binomtest(k, n).proportion_ci(method="wilson")
    return theirs.low, theirs.high


def students(values) -> tuple[float, float]:
    """The ends of Student's t interval, by scipy."""
    reach = scipy_stats.t.ppf(0.975, len(values) - 1) * scipy_stats.sem(values)
    return float(np.mean(values) - reach), float(np.mean(values) + reach)


def test_the_value_is_the_mean_over_all_scores_and_not_over_questions():
    # Two scores of 1 and 0 for the first question, one of 1 for the second: 2 / 3.
    assert of_clusters([1, 1], [2, 1]).value == approx(2 / 3)


@pytest.mark.parametrize("n", [2, 9, 10, 200])
def test_scores_of_0_and_1_have_wilsons_interval(n):
    for k in {0, 1, n // 2, n - 1, n}:
        found = mean_interval(np.array([1.0] * k + [0.0] * (n - k)))
        assert ends_near(found, *wilson(k, n))
        assert found.method == "wilson"
    # Two right answers of two: 1 / (1 + 1.96² / 2) = 2 / 5.8415.
    assert mean_interval(np.ones(2)).low == approx(2 / 5.8415, abs=1e-5)


def test_clusters_of_0_and_1_count_as_their_effective_number():
    # Twenty documents with five questions each that all score alike, 12 of them 1: the share varies by
    # .6 · .4 / 19, which are 19 questions, and 17 with Student's t; but never fewer than the clusters.
    alike = of_clusters([5] * 12 + [0] * 8, [5] * 20)
    assert ends_near(alike, *wilson(12, 20))
    assert of_clusters([5] * 20, [5] * 20).low == approx(20 / (20 + 3.8415), abs=1e-5)
    # Ten documents with 2 and ten with 4 of 5: variance 20/19 · 20 · 1² / 100² = 1/475, so
    # .6 · .4 · 475 = 114 questions, times (1.9842 / 2.0930)² = 102.5: no more than there are, 100.
    even = of_clusters([2, 4] * 10, [5] * 20)
    assert ends_near(even, *wilson(60, 100))


def test_symmetric_values_have_students_t_interval():
    # Mean .5, standard deviation .1, t at .975 with 2 degrees of freedom 4.30265.
    found = mean_interval(np.array([0.4, 0.5, 0.6]))
    half = 4.30265 * 0.1 / np.sqrt(3)
    assert ends_near(found, 0.5 - half, 0.5 + half, abs=1e-5)
    assert (found.method, found.standard_error) == ("abc", approx(0.1 / np.sqrt(3)))


def test_no_end_is_nearer_than_that_of_students_t():
    for n in (3, 5, 12, 80, 1_000):
        values = np.random.default_rng(n).standard_t(2, n)
        low, high = students(values)
        found = mean_interval(values, low=None, high=None)
        assert found.low <= low + 1e-9
        assert found.high >= high - 1e-9


def test_the_long_tail_is_that_of_abc_and_the_short_one_students():
    # 0, 0, 0, 1: mean 1/4, standard error 1/4, t 3.18245. The cubes (27 - 3) / 64 over (3/4) to the
    # 3/2 are .57735, so a = .096225; w = a + t = 3.278671, and w / (1 - a w)² = 7.0 standard errors.
    found = mean_interval(np.array([0, 0, 0, 1.0]), low=-4, high=4)
    a, t = 0.57735 / 6, 3.182446
    long = (a + t) / (1 - a * (a + t)) ** 2
    assert found.low == approx(0.25 - t / 4, abs=1e-5)
    assert found.high == approx(0.25 + long / 4, abs=1e-4)


def test_ties_are_no_degrees_of_freedom_of_differences_of_several_sizes():
    # Squares .2 / (9 · 10) = .04714²; four differ: t with 4 degrees of freedom is 2.7764, times .04714.
    found = mean_interval(np.array([0.0] * 6 + [-0.3, -0.1, 0.1, 0.3]), low=-1, high=1)
    assert ends_near(found, -0.13089, 0.13089, abs=1e-5)
    # Of two differences at least 3: the end on the short side is that of t with 3.
    few = np.array([0.0] * 8 + [-0.1, 0.2])
    found = mean_interval(few, low=-1, high=1)
    assert found.low == approx(few.mean() - scipy_stats.t.ppf(0.975, 3) * scipy_stats.sem(few))
    # One size, as of right and wrong: what a question can add is known, so all ten count.
    right_or_wrong = np.array([0.0] * 8 + [1, -1])
    found = mean_interval(right_or_wrong, low=-1, high=1)
    assert ends_near(found, *students(right_or_wrong))
    # Zeros among scores are values like any other.
    scores = np.array([0.0, 0, 0, 0.4, 0.6, 1, 1, 1])
    assert mean_interval(scores).high == approx(students(scores)[1])


def test_equal_scores_have_no_interval_on_an_open_scale():
    for low, high in ((None, None), (0, None), (None, 1)):
        for value in (0.0, 0.7, 1.0):
            found = mean_interval(np.full(10, value), low=low, high=high)
            assert found == Estimate(approx(value), None, None)
    # But one of zeros and ones has Wilson's.
    assert ends_near(mean_interval(np.array([1.0, 1.0, 0.0]), high=None), *wilson(2, 3))


def test_equal_scores_have_the_interval_of_the_share_that_may_differ_unseen():
    # Wilson's upper end of 0 of 10 is 3.84146 / 13.84146 = .27753; these could be 0, or 1.
    found = mean_interval(np.full(10, 0.7))
    assert ends_near(found, 0.7 - 0.27753 * 0.7, 0.7 + 0.27753 * 0.3, abs=1e-5)
    # No question differs: of others at most this share does, all to the same side.
    none = mean_interval(np.zeros(10), low=-1, high=1)
    assert ends_near(none, -0.27753, 0.27753, abs=1e-5)
    # Equal but for rounding.
    rounded = mean_interval(np.array([0.2 - 0.1, 0.8 - 0.7] * 5), low=-1, high=1)
    assert rounded.method == "equal"


def test_scores_that_hardly_differ_have_at_least_that_interval():
    found, equal = (
        mean_interval([0.997, 0.998], low=0, high=1),
        mean_interval([0.9975] * 2, low=0, high=1),
    )
    assert found.low == approx(equal.low)  # 0.34, not 0.99
    assert found.high >= equal.high
    # Small differences of two systems may all be real.
    assert mean_interval([0.002, 0.003, 0.002], low=-1, high=1).high < 0.01


def test_values_of_any_size_are_no_error():
    for size in (1e-310, 1e-150, 1e-100, 1e100, 1e150):
        found = mean_interval(size * np.array([1.0, 2.0, 4.0]), low=None, high=None)
        assert found.value == approx(7 / 3 * size)


def test_one_question_has_no_interval_and_those_without_a_score_do_not_count():
    assert mean_interval(np.array([0.5])) == Estimate(0.5, None, None)
    among_others = np.array([[0.5, 1.0], [0.0, 0.0], [0.0, 0.0]])
    assert interval(among_others, mean_of_parts) == Estimate(0.5, None, None)
    assert interval(np.zeros((3, 2)), mean_of_parts) is None is mean_interval(np.zeros(0))
    parts = parts_of(np.random.default_rng(2).random(12), "mean")
    padded = np.vstack([np.zeros((5, 2)), parts, np.zeros((30, 2))])
    assert interval(padded, mean_of_parts) == interval(parts, mean_of_parts)


def test_a_geometric_mean_has_the_interval_of_its_logarithms_and_a_sum_n_times_that_of_the_mean():
    values = np.random.default_rng(4).uniform(0.2, 1, 30)
    of_logs = mean_interval(np.log(values), low=None, high=None)
    kind = "geometric_mean"
    geometric = interval(parts_of(values, kind), AGGREGATES[kind], ends=ends_of(kind, 0, 1))
    assert ends_near(geometric, np.exp(of_logs.low), np.exp(of_logs.high))
    of_mean = mean_interval(values)
    of_sum = interval(parts_of(values, "sum"), AGGREGATES["sum"], ends=ends_of("sum", 0, 1))
    assert ends_near(of_sum, 30 * of_mean.low, 30 * of_mean.high)


def test_the_interval_of_a_difference_of_aggregates_agrees_with_scipys_bca():
    random = np.random.default_rng(3)
    base, candidate = random.uniform(0.1, 1, 60), random.uniform(0.2, 1, 60)
    parts = np.hstack([parts_of(values, "geometric_mean") for values in (base, candidate)])
    ours = interval(parts, difference_of(AGGREGATES["geometric_mean"], 2))

    def difference(one, other, axis=-1):
        return scipy_stats.gmean(other, axis=axis) - scipy_stats.gmean(one, axis=axis)

    how = {"paired": True, "vectorized": True, "n_resamples": 20_000}
    rng = np.random.default_rng(1)
    theirs = scipy_stats.bootstrap(
        (base, candidate), difference, **how, rng=rng
    ).confidence_interval
    assert ours.value == approx(difference(base, candidate))
    assert ends_near(ours, theirs.low, theirs.high, abs=0.01)


def test_clusters_count_as_one_each():
    # Twenty documents with five questions each that all score alike: the spread is that of twenty.
    of_document = np.random.default_rng(5).normal(0, 1, 20)
    found = of_clusters(5 * of_document, np.full(20, 5), None, None)
    alone = mean_interval(of_document, low=None, high=None)
    assert found.value == approx(alone.value) and ends_near(found, alone.low, alone.high)
    apart = mean_interval(np.repeat(of_document, 5), low=None, high=None)
    assert found.high - found.low > 2 * (apart.high - apart.low)


def test_no_end_of_a_mean_of_unequal_clusters_is_nearer_than_that_of_students_t():
    # Six clusters, 10.1 / 20 = .505. Apart from .505 times their counts: .395, .295, .395, .49, -.03, -1.545;
    # squares 3.0271, so the standard error is (6 / 5 · 3.0271)^.5 / 20 = .095296, times t of 2.5706 .24497.
    found = of_clusters([0.9, 0.8, 0.9, 1.5, 3.0, 3.0], [1, 1, 1, 2, 6, 9])
    assert found.standard_error == approx(0.095296, abs=1e-6)
    assert found.low == approx(0.505 - 0.24497, abs=1e-4) and found.high > 0.505 + 0.24497


def test_two_clusters_of_unequal_size_have_an_end_that_a_reader_can_use():
    # Sums .5 of 1 and 3 of 9: the mean .35, influences ± .015, the error .03, t with one degree of freedom 12.7062.
    found = interval(np.array([[0.5, 1], [3, 9]]), mean_of_parts, ends=ends_of("mean", None, None))
    step = 12.7062 * 0.03
    # The end for which the count would fall below 0 is e times as far, not 9,900.
    assert (found.low, found.high) == approx((0.35 - step, 0.35 + e * step), abs=1e-4)


def test_a_difference_of_means_of_parts_is_the_mean_of_differences():
    base, candidate = skewed(30, 1), skewed(30, 2)
    parts = np.hstack([parts_of(values, "mean") for values in (base, candidate)])
    one = interval(parts, difference_of(mean_of_parts, 2))
    other = mean_interval(candidate - base, low=None, high=None)
    assert one.value == approx(other.value) and ends_near(one, other.low, other.high)


@given(st.lists(st.floats(0, 1, width=16), min_size=2, max_size=30), st.randoms())
def test_an_interval_has_width_holds_the_mean_and_stays_on_the_scale(values, random):
    found = mean_interval(np.array(values))
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.low < found.high
    mirrored = mean_interval(1 - np.array(values))
    assert ends_near(mirrored, 1 - found.high, 1 - found.low, abs=1e-7)
    random.shuffle(values)
    shuffled = mean_interval(np.array(values))
    assert ends_near(shuffled, found.low, found.high)


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


VALUES = np.array([0.5, 1.0, 0.25])


def aggregate(values, aggregation):
    """The aggregate of the values, from the sums of their parts."""
    sums = parts_of(np.array(values, dtype=float), aggregation).sum(axis=0, keepdims=True)
    return AGGREGATES[aggregation](sums)[0]


def test_aggregates_of_sums_worked_out_by_hand():
    assert aggregate(VALUES, "mean") == approx(1.75 / 3)
    assert aggregate(VALUES, "sum") == 1.75
    # 0.5 * 1 * 0.25 = 1 / 8, and its third root is a half.
    assert aggregate(VALUES, "geometric_mean") == approx(0.5)
    sums = np.array([[3.0, 4.0], [1.0, 2.0]])
    assert AGGREGATES["mean"](sums).tolist() == [0.75, 0.5]
    assert AGGREGATES["sum"](sums).tolist() == [3.0, 1.0]
    sums = np.array([[log(16), 2.0], [log(27), 3.0]])
    assert geometric_mean_of_parts(sums).tolist() == [approx(4), approx(3)]


@pytest.mark.parametrize("tiny", [0.0, 1e-9, LEAST_FACTOR])
def test_a_zero_counts_as_the_least_factor_in_a_geometric_mean(tiny):
    # The square root of 0.00001 * 0.1 is a thousandth.
    assert aggregate([tiny, 0.1], "geometric_mean") == approx(0.001)


@pytest.mark.parametrize("aggregation", ["mean", "geometric_mean"])
def test_of_no_values_there_is_a_sum_and_no_mean(aggregation):
    assert np.isnan(AGGREGATES[aggregation](np.array([[0.0, 0.0]]))).all()
    assert AGGREGATES["sum"](np.array([[0.0, 0.0]])).tolist() == [0.0]


def test_parts_summed_by_question_give_the_aggregate_of_all_values():
    # Question 0 has 0.5 and 0.25, question 1 has 1; together again the third root of 1 / 8.
    summed = by_question(parts_of(VALUES, "geometric_mean"), np.array([0, 1, 0]), 2)
    whole = summed.sum(axis=0, keepdims=True)
    assert geometric_mean_of_parts(whole).tolist() == [approx(0.5)]
