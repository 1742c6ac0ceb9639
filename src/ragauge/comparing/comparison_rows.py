"""The rows of a comparison: the numbers of each metric and pair of systems on a slice of the questions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations

import polars as pl

from ragauge.comparing.comparison import (
    PERMUTATIONS,
    CorrectionName,
    MetricComparison,
    Pairs,
    SystemMean,
    TestName,
)
from ragauge.comparing.pair import MANY_QUESTIONS, Pair, QuestionLists
from ragauge.comparing.pair_statistics import PairStatistics, aggregate_on, pair_statistics
from ragauge.comparing.paired_scores import OK, MetricScores
from ragauge.comparing.questions import Questions, Slice
from ragauge.comparing.systems import ComparedSystem
from ragauge.runs.manifest import MetricDisplay
from ragauge.stats.corrections import benjamini_hochberg, holm, of_family


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


def rows_and_means(
    sides: Sequence[ComparedSystem],
    metrics: Sequence[MetricDisplay],
    scores: Mapping[str, MetricScores],
    each: Slice,
    questions: Questions,
    options: CompareOptions,
) -> tuple[list[MetricComparison], list[SystemMean]]:
    """A row for each metric and pair on a slice, and each system's mean of each metric.

    Many questions need no random numbers, which the pairs would share: then one pair is handled at a time,
    so that what it needs beside the scores is in memory once.
    """
    pairs = list(combinations(range(len(sides)), 2))
    pairs = pairs if options.pairs == "all" else [pair for pair in pairs if pair[0] == 0]
    names = [side.name for side in sides]
    ids = questions.ids if options.has_lists else None
    rows: list[MetricComparison] = []
    everything = [(metric, pair) for metric in metrics for pair in pairs]
    is_small = len(each.questions) <= MANY_QUESTIONS
    for some in [everything] if is_small else ([single] for single in everything):
        facts = [
            Pair(metric, scores[metric.name], each.questions, base, candidate)
            for metric, (base, candidate) in some
        ]
        statistics = pair_statistics(
            facts,
            questions.clusters,
            test=options.test,
            n_permutations=options.n_permutations,
            seed=options.seed,
        )
        both = zip(facts, statistics, strict=True)
        rows += [_row(pair, found, each, ids, names) for pair, found in both]
    return rows, list(_means(metrics, scores, each, names))


def _row(
    pair: Pair,
    found: PairStatistics,
    each: Slice,
    ids: "pl.Series | None",
    names: Sequence[str],
) -> MetricComparison:
    """A row; without `ids` it has no lists of questions."""
    fixed, broken, unpaired, counts = pair.lists(ids) if ids is not None else QuestionLists()
    worst, best = pair.bounds()
    wins, ties, losses = pair.wins_ties_losses
    return MetricComparison(
        field=each.field,
        value=each.value,
        metric=pair.metric.metric,
        name=pair.metric.name,
        base=names[pair.base],
        candidate=names[pair.candidate],
        n=pair.n,
        p_corrected=None,
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
        **asdict(found),
    )


def corrected(
    rows: Sequence[MetricComparison], correction: CorrectionName
) -> Iterable[MetricComparison]:
    """The rows with their p values corrected for all pairs that differ."""
    tested = [(row.p_value, row.is_tested) for row in rows if row.p_value is not None]
    correct = {"holm": holm, "bh": benjamini_hochberg}.get(correction, list)
    following = iter(of_family(correct, [p for p, _ in tested], [counts for _, counts in tested]))
    for row in rows:
        yield row if row.p_value is None else replace(row, p_corrected=next(following))


def _means(
    metrics: Sequence[MetricDisplay],
    scores: Mapping[str, MetricScores],
    each: Slice,
    names: Sequence[str],
) -> Iterator[SystemMean]:
    """Each system's aggregate on the questions of the slice that all systems have scored."""
    for metric in metrics:
        of_metric = scores[metric.name]
        common = each.questions[(of_metric.status[:, each.questions] == OK).all(axis=0)]
        for at, name in enumerate(names):
            value = aggregate_on(metric, of_metric, at, common)
            yield SystemMean(each.field, each.value, metric.metric, name, value, len(common))
