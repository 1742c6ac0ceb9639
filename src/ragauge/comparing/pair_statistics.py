"""Intervals and tests of pairs of systems; pairs of one slice share their random numbers."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragauge.comparing.comparison import TestName
from ragauge.comparing.pair import Pair
from ragauge.comparing.paired_scores import MetricScores
from ragauge.runs.aggregates import CUSTOM, aggregate_of, aggregate_problem
from ragauge.runs.manifest import MetricDisplay
from ragauge.stats.aggregates import difference_of, ends_of, mean_of_parts, parts_of
from ragauge.stats.distributions import t_p_value
from ragauge.stats.intervals import Estimate, Floats1d, Floats2d, by_question, interval
from ragauge.stats.paired_tests import (
    detectable_difference,
    effect_size,
    mcnemar_test,
    paired_t_test,
    swap_test,
    wilcoxon_test,
)
from ragauge.stats.rounding import mean_of
from ragauge.stats.sign_patterns import PValue, randomization_p_values
from ragauge.stats.tests import pairwise_p_values

if TYPE_CHECKING:
    Ints = NDArray[np.int64]

CELLS_AT_ONCE = 8_000_000
"""Differences tested at once; bounds memory and does not change the result."""
MANY_PAIRS = 16
"""From more pairs with the same questions on, the systems' sums are shared between the pairs."""
HOW = {"exact": "exact", "drawn": "{n:,} draws", "normal": "normal approximation"}


@dataclass(frozen=True, slots=True)
class PairStatistics:
    """The numbers of a pair; those that have no meaning are None, and `note` says why."""

    base_mean: float | None = None
    candidate_mean: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    interval_method: str | None = None
    p_value: float | None = None
    test: str = ""
    effect_size: float | None = None
    detectable: float | None = None
    n_clusters: int | None = None
    note: str = ""
    ratio: float | None = None
    ratio_low: float | None = None
    ratio_high: float | None = None


@dataclass(frozen=True)
class _Units:
    """What is resampled and tested of a pair: its questions, or its clusters.

    `sums` (k,) are the sums of the differences of each; `counts` (k,) how many these are.
    """

    sums: "Floats1d"
    counts: "Floats1d"
    base_parts: "Floats2d | None" = None
    candidate_parts: "Floats2d | None" = None


def pair_statistics(
    pairs: Sequence[Pair],
    clusters: "Ints | None",
    *,
    test: TestName,
    n_permutations: int,
    seed: int,
) -> list[PairStatistics]:
    """The statistics of each pair. All pairs have the same questions; `clusters` numbers all of these."""
    notes = [_why_not(pair) for pair in pairs]
    sound = [at for at, note in enumerate(notes) if not note]
    units = {at: _units(pairs[at], clusters) for at in sound}
    intervals = {at: _interval(pairs[at], units[at]) for at in sound}
    logs = {
        at: _mean_units(
            pairs[at].tested_differences, None if clusters is None else clusters[pairs[at].common]
        )
        for at in sound
        if pairs[at].has_ratio
    }
    p_values = _p_values(pairs, units | logs, clusters, test, n_permutations, seed)
    found = [
        PairStatistics(note=note)
        if note
        else _statistics(pair, units[at], intervals[at], p_values[at], clusters is not None)
        for at, (pair, note) in enumerate(zip(pairs, notes, strict=True))
    ]
    for at, of_ratio in logs.items():
        found[at] = _with_ratio(found[at], pairs[at], of_ratio)
    return found


def _why_not(pair: Pair) -> str:
    if aggregate_problem(pair.metric):
        return aggregate_problem(pair.metric)
    if pair.n == 0:
        return "no question has a score on both sides"
    return ""


def parts_on(
    metric: MetricDisplay, scores: MetricScores, side: int, questions: "Ints"
) -> "Floats2d":
    """What each of the questions adds to the sums of the metric's aggregate, (m, p)."""
    kind = metric.aggregate.kind
    if kind != CUSTOM:
        return parts_of(scores.values[side, questions], kind)
    if scores.parts is None:
        return np.zeros((len(questions), 0))
    return scores.parts[side, questions]


def _is_mean(pair: Pair) -> bool:
    return pair.metric.aggregate.kind == "mean"


def ratio_of(logs: "Estimate | None") -> tuple[float | None, float | None, float | None]:
    """The geometric mean of the questions' ratios with its interval, by that of their logarithms."""
    assert logs is not None
    value, low, high = (
        None if end is None else math.exp(end) for end in (logs.value, logs.low, logs.high)
    )
    return value, low, high


def _with_ratio(found: PairStatistics, pair: Pair, logs: _Units) -> PairStatistics:
    ratio, low, high = ratio_of(_interval(pair, logs))
    return replace(found, detectable=None, ratio=ratio, ratio_low=low, ratio_high=high)


def _units(pair: Pair, clusters: "Ints | None") -> _Units:
    own = None if clusters is None else clusters[pair.common]
    if _is_mean(pair):
        return _mean_units(pair.differences, own)
    columns = [pair.differences[:, None], np.ones((pair.n, 1))]
    sides = (pair.base, pair.candidate)
    columns += [parts_on(pair.metric, pair.scores, side, pair.common) for side in sides]
    table = _summed(np.hstack(columns), own)
    p = (table.shape[1] - 2) // 2
    return _Units(table[:, 0], table[:, 1], table[:, 2 : 2 + p], table[:, 2 + p :])


def _mean_units(differences: "Floats1d", clusters: "Ints | None") -> _Units:
    """The questions of a mean, or their clusters; `clusters` (n,) numbers that of each."""
    table = _summed(np.column_stack([differences, np.ones(len(differences))]), clusters)
    return _Units(table[:, 0], table[:, 1])


def _summed(table: "Floats2d", clusters: "Ints | None") -> "Floats2d":
    """The rows summed by cluster."""
    if clusters is None:
        return table
    own, number = np.unique(clusters, return_inverse=True)
    return by_question(table, number.astype(np.int64), len(own))


def _interval(pair: Pair, units: _Units) -> "Estimate | None":
    """The difference with its interval, within the differences that the metric's scale allows.

    None if an aggregate has no value.
    """
    if units.base_parts is None or units.candidate_parts is None:
        return _mean_interval(pair.metric, units)
    low, high = pair.metric.low, pair.metric.high
    kind, p = pair.metric.aggregate.kind, units.base_parts.shape[1]
    of_one = None if kind == CUSTOM else ends_of(kind, low, high)
    found = interval(
        np.hstack([units.base_parts, units.candidate_parts]),
        difference_of(aggregate_of(pair.metric), p),
        ends=None if of_one is None else np.hstack([of_one[::-1], of_one]),
    )
    most = _largest_difference(pair.metric)
    return found if found is None or kind == "sum" else found.within(-most, most)


def _mean_interval(metric: MetricDisplay, units: _Units) -> "Estimate | None":
    most = _largest_difference(metric)
    parts, ends = np.column_stack([units.sums, units.counts]), ends_of("mean", -most, most)
    return interval(parts, mean_of_parts, ends=ends)


def _largest_difference(metric: MetricDisplay) -> float:
    low, high = metric.low, metric.high
    return math.inf if low is None or high is None else high - low


def mean_estimate(
    metric: MetricDisplay, differences: "Floats1d", clusters: "Ints | None"
) -> "Estimate | None":
    """The mean of questions' differences with its interval; `clusters` (n,) numbers the cluster of each."""
    return _mean_interval(metric, _mean_units(differences, clusters))


@dataclass(frozen=True, slots=True)
class _Tested:
    p_value: float | None
    test: str
    note: str = ""


def _p_values(
    pairs: Sequence[Pair],
    units: dict[int, _Units],
    clusters: "Ints | None",
    test: TestName,
    n_permutations: int,
    seed: int,
) -> dict[int, _Tested]:
    tested: dict[int, _Tested] = {}
    together: list[int] = []
    for at, of_pair in units.items():
        if len(of_pair.sums) < 2:
            unit = "question" if clusters is None else "cluster"
            tested[at] = _Tested(None, "", f"only 1 common {unit}: no interval and no test")
        elif not _is_mean(pairs[at]):
            tested[at] = _swapped(pairs[at], of_pair, test, n_permutations, seed)
        elif test == "randomization":
            together.append(at)
        else:
            tested[at] = _classical(pairs[at], of_pair, test)
    dense, others = _with_same_questions(pairs, together if clusters is None else ())
    others = others if clusters is None else together
    for same in dense:
        found = _randomized_systems([pairs[at] for at in same], n_permutations, seed)
        tested.update(_tested_by_randomization(pairs, same, found, n_permutations))
    found = _randomized([units[at] for at in others], n_permutations, seed)
    tested.update(_tested_by_randomization(pairs, others, found, n_permutations))
    return tested


def _with_same_questions(
    pairs: Sequence[Pair], places: Sequence[int]
) -> tuple[list[list[int]], list[int]]:
    """Large groups of pairs of one metric that have the same questions, and all other pairs."""
    groups: dict[tuple[int, bytes], list[int]] = {}
    for at in places:
        # A ratio stays alone: pairs that share their sums are tested by differences.
        own = at if pairs[at].has_ratio else id(pairs[at].scores)
        key = (own, pairs[at].common.tobytes())
        groups.setdefault(key, []).append(at)
    large = [group for group in groups.values() if len(group) > MANY_PAIRS]
    return large, [at for group in groups.values() if len(group) <= MANY_PAIRS for at in group]


def _randomized_systems(
    pairs: Sequence[Pair], n_permutations: int, seed: int
) -> "Iterable[PValue]":
    """The p of pairs of one metric with the same questions; as `_randomized`, but faster."""
    first = pairs[0]
    used = sorted({side for pair in pairs for side in (pair.base, pair.candidate)})
    row = {side: at for at, side in enumerate(used)}
    return pairwise_p_values(
        first.scores.values[used][:, first.common],
        [(row[pair.base], row[pair.candidate]) for pair in pairs],
        n_permutations=n_permutations,
        seed=seed,
    )


def _randomized(units: Sequence[_Units], n_permutations: int, seed: int) -> "Iterable[PValue]":
    """The p of each pair. A question's rank among the common ones decides its signs.

    So p depends on the pair alone, whatever other systems and questions are compared with it.
    """
    longest = max((len(of_pair.sums) for of_pair in units), default=1)
    at_once = max(1, CELLS_AT_ONCE // longest)
    for start in range(0, len(units), at_once):
        some = units[start : start + at_once]
        rows = np.zeros((len(some), longest))
        for row, of_pair in zip(rows, some, strict=True):
            row[: len(of_pair.sums)] = of_pair.sums
        yield from randomization_p_values(rows, n_permutations=n_permutations, seed=seed)


def _tested_by_randomization(
    pairs: Sequence[Pair], places: Sequence[int], found: "Iterable[PValue]", n_permutations: int
) -> dict[int, _Tested]:
    return {
        at: _of_randomization(p, pairs[at], n_permutations)
        for at, p in zip(places, found, strict=True)
    }


def _of_randomization(p: "PValue", pair: Pair, n_permutations: int) -> _Tested:
    note = "" if pair.differences.any() else "no question differs"
    return _Tested(p.value, f"randomization ({HOW[p.how].format(n=n_permutations)})", note)


def _swapped(pair: Pair, units: _Units, test: TestName, n_permutations: int, seed: int) -> _Tested:
    """The randomization test of a metric with an aggregate of its own, whatever test was chosen."""
    assert units.base_parts is not None and units.candidate_parts is not None
    if test != "randomization":
        return _Tested(
            None,
            "",
            f"the test {test} is of means; {pair.metric.name} is not one, use randomization",
        )
    p = swap_test(
        units.base_parts,
        units.candidate_parts,
        aggregate_of(pair.metric),
        n_permutations=n_permutations,
        seed=seed,
    )
    return _of_randomization(p, pair, n_permutations)


def _classical(pair: Pair, units: _Units, test: TestName) -> _Tested:
    if test == "mcnemar":
        if not pair.is_binary:
            return _Tested(None, "", "McNemar's test needs scores of 0 and 1; use randomization")
        return _Tested(
            mcnemar_test(pair.differences),
            "McNemar (exact)",
            "" if pair.differences.any() else "no question differs",
        )
    if not pair.differences.any():
        return _Tested(None, "", f"no question differs; the test {test} is undefined")
    if test == "wilcoxon":
        return _Tested(wilcoxon_test(pair.tested_differences), "Wilcoxon signed rank")
    is_plain = bool((units.counts == 1).all())
    p = paired_t_test(units.sums) if is_plain else _clustered_t(pair, units)
    if p is None:
        return _Tested(None, "", "all differences are equal; the test t is undefined")
    return _Tested(p, "paired t")


def _clustered_t(pair: Pair, units: _Units) -> float | None:
    """The t test of the mean difference with its standard error over clusters."""
    found = _interval(pair, units)
    if found is None or not found.standard_error:
        return None
    return t_p_value(found.value / found.standard_error, len(units.sums) - 1)


def _statistics(
    pair: Pair, units: _Units, found: "Estimate | None", tested: _Tested, has_clusters: bool
) -> PairStatistics:
    interval = found or Estimate(math.nan, None, None)
    difference = interval.value if found else None
    if _is_mean(pair) and mean_of(pair.differences) == 0:
        difference = 0.0
    base, candidate = (
        aggregate_on(pair.metric, pair.scores, side, pair.common)
        for side in (pair.base, pair.candidate)
    )
    without = "all differences are equal: no interval"
    return PairStatistics(
        base,
        candidate,
        difference,
        interval.low,
        interval.high,
        interval.method,
        tested.p_value,
        tested.test,
        effect_size(pair.tested_differences) if _is_mean(pair) else None,
        detectable_difference(interval.standard_error or 0.0, len(units.sums)),
        len(units.sums) if has_clusters else None,
        tested.note or (without if interval.low is None and pair.n > 1 else ""),
    )


def aggregate_on(
    metric: MetricDisplay, scores: MetricScores, side: int, questions: "Ints"
) -> float | None:
    """A metric's aggregate of one side on some questions, all scored; None if it cannot be computed."""
    if not len(questions) or aggregate_problem(metric):
        return None
    parts = parts_on(metric, scores, side, questions)
    value = float(np.asarray(aggregate_of(metric)(parts.sum(axis=0)[None, :]))[0])
    return value if np.isfinite(value) else None
