"""The rows of a comparison: the numbers of each metric and pair of systems on a slice of the questions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import polars as pl

from ragauge.comparing.comparison import (
    PERMUTATIONS,
    CorrectionName,
    MetricComparison,
    Pairs,
    QuestionCounts,
    SystemMean,
    TestName,
)
from ragauge.comparing.pair import MANY_QUESTIONS, Pair, ratio_of
from ragauge.comparing.paired_scores import OK, MetricScores
from ragauge.comparing.questions import Questions, Slice
from ragauge.comparing.significance import PairTest, pair_tests
from ragauge.runs.manifest import MetricDisplay
from ragauge.stats.corrections import benjamini_hochberg, holm, of_family
from ragauge.stats.paired_tests import detectable_difference, effect_size
from ragauge.stats.rounding import mean_of


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """How systems are compared; without `has_lists` no questions are listed."""

    test: TestName = "randomization"
    correction: CorrectionName = "holm"
    cluster: str | None = None
    pairs: Pairs = "base"
    n_permutations: int = PERMUTATIONS
    seed: int = 0
    has_lists: bool = True


def rows_of(
    names: Sequence[str],
    metrics: Sequence[MetricDisplay],
    scores: Mapping[str, MetricScores],
    each: Slice,
    questions: Questions,
    options: CompareOptions,
) -> Iterator[MetricComparison]:
    """A row for each metric and pair of the named systems on a slice.

    Many questions need no random numbers, which the pairs would share: then one pair is handled at a time,
    so that what it needs beside the scores is in memory once.
    """
    places = list(combinations(range(len(names)), 2))
    places = places if options.pairs == "all" else [place for place in places if place[0] == 0]
    pairs = (
        Pair(metric, scores[metric.name], each.questions, base, candidate, questions.clusters)
        for metric in metrics
        for base, candidate in places
    )
    ids = questions.ids if options.has_lists else None
    is_small = len(each.questions) <= MANY_QUESTIONS
    for some in [list(pairs)] if is_small else ([pair] for pair in pairs):
        tests = pair_tests(
            some, test=options.test, n_permutations=options.n_permutations, seed=options.seed
        )
        for pair, test in zip(some, tests, strict=True):
            yield _row(pair, test, each, ids, names)


def _row(
    pair: Pair, test: PairTest, each: Slice, ids: "pl.Series | None", names: Sequence[str]
) -> MetricComparison:
    """A row; without `ids` it has no lists of questions."""
    lists = ((), (), (), QuestionCounts()) if ids is None else pair.lists(ids)
    fixed, broken, unpaired, counts = lists
    worst, best = pair.bounds()
    wins, ties, losses = pair.wins_ties_losses
    row = MetricComparison(
        field=each.field,
        value=each.value,
        metric=pair.metric.metric,
        name=pair.metric.name,
        base=names[pair.base],
        candidate=names[pair.candidate],
        n=pair.n,
        wins=wins,
        ties=ties,
        losses=losses,
        fixed=fixed,
        broken=broken,
        unpaired=unpaired,
        worst=worst,
        best=best,
        lower_is_better=pair.metric.lower_is_better,
        is_ranked=pair.metric.is_ranked,
        counts=counts,
        note=test.note,
    )
    if pair.problem:
        return row
    found, n_units = pair.estimate, len(pair.units)
    low, high = (None, None) if found is None else (found.low, found.high)
    is_zero = pair.is_mean and mean_of(pair.differences) == 0
    without = "all differences are equal: no interval" if low is None and pair.n > 1 else ""
    error = 0.0 if found is None else found.standard_error or 0.0
    ratio = ratio_of(pair.tested_estimate) if pair.has_ratio else (None, None, None)
    return replace(
        row,
        base_mean=pair.scores.aggregate_on(pair.metric, pair.base, pair.common),
        candidate_mean=pair.scores.aggregate_on(pair.metric, pair.candidate, pair.common),
        difference=0.0 if is_zero else None if found is None else found.value,
        low=low,
        high=high,
        interval_method=None if found is None else found.method,
        p_value=test.p_value,
        test=test.test,
        effect_size=effect_size(pair.tested_differences) if pair.is_mean else None,
        detectable=None if pair.has_ratio else detectable_difference(error, n_units),
        n_clusters=None if pair.clusters is None else n_units,
        note=test.note or without,
        **dict(zip(("ratio", "ratio_low", "ratio_high"), ratio, strict=True)),
    )


def means_of(
    names: Sequence[str],
    metrics: Sequence[MetricDisplay],
    scores: Mapping[str, MetricScores],
    each: Slice,
) -> Iterator[SystemMean]:
    """Each system's aggregate of each metric, on the questions of the slice that all systems have scored."""
    for metric in metrics:
        of_metric = scores[metric.name]
        common = each.questions[(of_metric.status[:, each.questions] == OK).all(axis=0)]
        for at, name in enumerate(names):
            value = of_metric.aggregate_on(metric, at, common)
            yield SystemMean(each.field, each.value, metric.metric, name, value, len(common))


def corrected(
    rows: Sequence[MetricComparison], correction: CorrectionName
) -> Iterator[MetricComparison]:
    """The rows with their p values corrected for all pairs that differ."""
    tested = [(row.p_value, row.is_tested) for row in rows if row.p_value is not None]
    correct = {"holm": holm, "bh": benjamini_hochberg}.get(correction, list)
    following = iter(of_family(correct, [p for p, _ in tested], [counts for _, counts in tested]))
    for row in rows:
        yield row if row.p_value is None else replace(row, p_corrected=next(following))
