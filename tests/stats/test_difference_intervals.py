import numpy as np
import pytest
from pytest import approx
from scipy import stats as scipy_stats

from ragauge.stats.aggregates import AGGREGATES, mean_of_parts, parts_of
from ragauge.stats.difference_intervals import (
    PairedInterval,
    PairedParts,
    paired_intervals,
)
from ragauge.stats.intervals import by_question


def interval(values, **options) -> PairedInterval:
    (found,) = paired_intervals([PairedParts.of_means(np.asarray(values, float))], **options)
    return found


def skewed(n=40, seed=0):
    return np.random.default_rng(seed).exponential(1, n) - 0.7


def expanded(n) -> float:
    """The level at which scipy's BCa has the tails of Student's t with n - 1 degrees of freedom."""
    reach = scipy_stats.t.ppf(0.975, n - 1) * np.sqrt(n / (n - 1))
    return 1 - 2 * scipy_stats.norm.sf(reach)


def students(values) -> tuple[float, float]:
    """The ends of Student's t interval, by scipy."""
    reach = scipy_stats.t.ppf(0.975, len(values) - 1) * scipy_stats.sem(values)
    return float(np.mean(values) - reach), float(np.mean(values) + reach)


def test_the_interval_of_few_changes_is_that_of_students_t():
    # The mean is 1/4, the standard deviation 1/2, so the standard error 1/4; t at 0.975 with 3 degrees of
    # freedom is 3.1824. BCa cannot leave [0, 1], where all resampled means are.
    found = interval([0, 0, 0, 1])
    assert found.low == approx(0.25 - 3.1824 / 4, abs=1e-4)
    assert found.high == approx(0.25 + 3.1824 / 4, abs=1e-4)


@pytest.mark.parametrize("n", [2, 5, 12, 80, 1_000])
def test_no_end_is_nearer_than_that_of_students_t(n):
    values = np.random.default_rng(n).standard_t(2, n)
    low, high = students(values)
    found = interval(values)
    assert found.low <= low + 1e-9
    assert found.high >= high - 1e-9


def test_the_long_tail_is_that_of_scipys_bca_at_the_expanded_level_and_the_short_one_students():
    values = skewed()
    theirs = scipy_stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=100_000,
        method="BCa",
        confidence_level=expanded(40),
        rng=np.random.default_rng(1),
    ).confidence_interval
    ours = interval(values)
    # Ends of 10,000 draws have a standard error of about 2.5 % of that of the mean, which is 0.15.
    low, high = students(values)
    assert low < theirs.low
    assert high < theirs.high
    assert (ours.low, ours.high) == (approx(low), approx(theirs.high, abs=0.015))
    assert ours.method == "bca"
    assert ours.value == approx(values.mean())


def test_the_standard_error_of_a_mean_by_the_jackknife_is_the_usual_one():
    values = skewed()
    assert interval(values).standard_error == approx(scipy_stats.sem(values))


def test_the_method_depends_on_the_number_of_questions():
    values = np.random.default_rng(0).normal(0.1, 1, 50_000)
    assert interval(values[:1_000]).method == "bca"
    assert interval(values[:1_001]).method == "percentile"
    large = interval(values)
    assert large.method == "normal"
    # 1.96 standard errors on either side.
    assert large.high - large.low == approx(2 * 1.959964 * scipy_stats.sem(values), rel=1e-6)


@pytest.mark.parametrize("values", [[], [0.3], [0.3, 0.3, 0.3], [0.0, 0.0]])
def test_without_spread_there_is_no_interval(values):
    found = interval(values)
    assert (found.low, found.high, found.standard_error, found.method) == (None,) * 4


def test_the_interval_of_an_aggregate_of_parts_agrees_with_scipy():
    random = np.random.default_rng(3)
    base, candidate = random.uniform(0.1, 1, 60), random.uniform(0.2, 1, 60)
    parts = [parts_of(values, "geometric_mean") for values in (base, candidate)]
    (ours,) = paired_intervals(
        [PairedParts.of_aggregates(parts[0], parts[1], AGGREGATES["geometric_mean"])]
    )

    def difference(one, other, axis=-1):
        return scipy_stats.gmean(other, axis=axis) - scipy_stats.gmean(one, axis=axis)

    theirs = scipy_stats.bootstrap(
        (base, candidate),
        difference,
        paired=True,
        vectorized=True,
        n_resamples=20_000,
        confidence_level=expanded(60),
        rng=np.random.default_rng(1),
    ).confidence_interval
    assert ours.value == approx(difference(base, candidate))
    assert (ours.low, ours.high) == (approx(theirs.low, abs=0.01), approx(theirs.high, abs=0.01))


def test_clusters_are_drawn_together():
    # Twenty documents with five questions each that all score alike: the spread is that of twenty.
    of_document = np.random.default_rng(5).normal(0, 1, 20)
    values, document = np.repeat(of_document, 5), np.repeat(np.arange(20), 5)
    sums = by_question(np.column_stack([values, np.ones(100)]), document, 20)
    (found,) = paired_intervals([PairedParts.of_clusters(sums[:, 0], sums[:, 1])])
    alone = interval(of_document)
    assert found.value == approx(alone.value)
    assert (found.low, found.high) == (approx(alone.low), approx(alone.high))
    apart = interval(values)
    assert found.high - found.low > 2 * (apart.high - apart.low)


def test_an_interval_does_not_depend_on_the_others_beside_it():
    some = [PairedParts.of_means(skewed(n, n)) for n in (30, 50, 30, 400, 50)]
    together = paired_intervals(some)
    for pair, found in zip(some, together, strict=True):
        (alone,) = paired_intervals([pair])
        assert (alone.low, alone.high) == (approx(found.low), approx(found.high))


def test_the_seed_fixes_the_interval():
    assert interval(skewed(), seed=4) == interval(skewed(), seed=4)
    assert interval(skewed(), seed=4) != interval(skewed(), seed=5)


def test_a_difference_of_means_of_parts_is_the_mean_of_differences():
    base, candidate = skewed(30, 1), skewed(30, 2)
    parts = [parts_of(values, "mean") for values in (base, candidate)]
    (one,) = paired_intervals([PairedParts.of_aggregates(parts[0], parts[1], mean_of_parts)])
    other = interval(candidate - base)
    assert (one.value, one.low, one.high) == (
        approx(other.value),
        approx(other.low),
        approx(other.high),
    )
