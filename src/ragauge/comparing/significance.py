"""Tests of pairs of systems; pairs of one slice share their random numbers."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from ragauge.comparing.comparison import TestName
from ragauge.comparing.pair import Pair
from ragauge.runs.aggregates import aggregate_of
from ragauge.stats.distributions import t_p_value
from ragauge.stats.intervals import Floats2d
from ragauge.stats.paired_tests import mcnemar_test, paired_t_test, swap_test, wilcoxon_test
from ragauge.stats.sign_patterns import PValue, randomization_p_values
from ragauge.stats.tests import pairwise_p_values

CELLS_AT_ONCE = 8_000_000
"""Differences tested at once; bounds memory and does not change the result."""
MANY_PAIRS = 16
"""From more pairs with the same questions on, the systems' sums are shared between the pairs."""
HOW = {"exact": "exact", "drawn": "{n:,} draws", "normal": "normal approximation"}
NOTHING_DIFFERS = "no question differs"


class PairTest(NamedTuple):
    """The p value and the name of the test; without one `note` says why, otherwise what to mind."""

    p_value: float | None
    test: str = ""
    note: str = ""


def pair_tests(
    pairs: Sequence[Pair], *, test: TestName, n_permutations: int, seed: int
) -> Sequence[PairTest]:
    """The test of each pair. All pairs have the same questions and clusters."""
    found: dict[int, PairTest] = {}
    groups: dict[object, list[int]] = {}
    for at, pair in enumerate(pairs):
        if pair.problem:
            found[at] = PairTest(None, note=pair.problem)
        elif len(pair.units) < 2:
            unit = "question" if pair.clusters is None else "cluster"
            found[at] = PairTest(None, note=f"only 1 common {unit}: no interval and no test")
        elif not pair.is_mean and test != "randomization":
            why = f"the test {test} is of means; {pair.metric.name} is not one, use randomization"
            found[at] = PairTest(None, note=why)
        elif not pair.is_mean:
            (base, candidate), aggregate = pair.parts, aggregate_of(pair.metric)
            p = swap_test(base, candidate, aggregate, n_permutations=n_permutations, seed=seed)
            found[at] = _of_randomization(p, pair, n_permutations)
        elif test != "randomization":
            found[at] = _classical(pair, test)
        else:
            # Pairs of one metric with the same questions can share their sums, but not those of logarithms.
            is_alone = pair.has_ratio or pair.clusters is not None
            key = at if is_alone else (id(pair.scores), pair.common.tobytes())
            groups.setdefault(key, []).append(at)
    large = [group for group in groups.values() if len(group) > MANY_PAIRS]
    small = [group for group in groups.values() if len(group) <= MANY_PAIRS]
    shared = (_of_systems([pairs[at] for at in group], n_permutations, seed) for group in large)
    others = _of_units([pairs[at].tested_units for at in chain(*small)], n_permutations, seed)
    for at, p in zip(chain(*large, *small), chain(*shared, others), strict=True):
        found[at] = _of_randomization(p, pairs[at], n_permutations)
    return [found[at] for at in range(len(pairs))]


def _of_systems(pairs: Sequence[Pair], n_permutations: int, seed: int) -> Iterable[PValue]:
    """The p of pairs of one metric with the same questions; as `_of_units`, but faster."""
    first = pairs[0]
    used = sorted({side for pair in pairs for side in (pair.base, pair.candidate)})
    row = {side: at for at, side in enumerate(used)}
    return pairwise_p_values(
        first.scores.values[used][:, first.common],
        [(row[pair.base], row[pair.candidate]) for pair in pairs],
        n_permutations=n_permutations,
        seed=seed,
    )


def _of_units(units: Sequence[Floats2d], n_permutations: int, seed: int) -> Iterator[PValue]:
    """The p of each pair. A question's rank among the common ones decides its signs.

    So p depends on the pair alone, whatever other systems and questions are compared with it.
    """
    longest = max(map(len, units), default=1)
    at_once = max(1, CELLS_AT_ONCE // longest)
    for start in range(0, len(units), at_once):
        some = units[start : start + at_once]
        rows = np.zeros((len(some), longest))
        for row, of_pair in zip(rows, some, strict=True):
            row[: len(of_pair)] = of_pair[:, 0]
        yield from randomization_p_values(rows, n_permutations=n_permutations, seed=seed)


def _of_randomization(p: PValue, pair: Pair, n_permutations: int) -> PairTest:
    note = "" if pair.differences.any() else NOTHING_DIFFERS
    return PairTest(p.value, f"randomization ({HOW[p.how].format(n=n_permutations)})", note)


def _classical(pair: Pair, test: TestName) -> PairTest:
    if test == "mcnemar":
        if not pair.is_binary:
            return PairTest(None, note="McNemar's test needs scores of 0 and 1; use randomization")
        note = "" if pair.differences.any() else NOTHING_DIFFERS
        return PairTest(mcnemar_test(pair.differences), "McNemar (exact)", note)
    if not pair.differences.any():
        return PairTest(None, note=f"{NOTHING_DIFFERS}; the test {test} is undefined")
    if test == "wilcoxon":
        return PairTest(wilcoxon_test(pair.tested_differences), "Wilcoxon signed rank")
    sums, counts = pair.tested_units.T
    p = None
    if (counts == 1).all():
        p = paired_t_test(sums)
    elif (mean := pair.tested_estimate) is not None and mean.standard_error:
        p = t_p_value(mean.value / mean.standard_error, len(sums) - 1)
    if p is None:
        return PairTest(None, note="all differences are equal; the test t is undefined")
    return PairTest(p, "paired t")
