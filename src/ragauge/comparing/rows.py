"""The rows of a comparison: tests of pairs of systems, the numbers of each, and what each varied setting does."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ragauge.comparing.comparison import (
    PERMUTATIONS,
    CorrectionName,
    MetricComparison,
    Pairs,
    SettingEffect,
    SystemMean,
    TestName,
)
from ragauge.comparing.pair import MANY_QUESTIONS, Pair, mean_estimate, mean_units, ratio_of
from ragauge.comparing.scores import OK, MetricScores, Questions, Slice
from ragauge.comparing.systems import ComparedSystem
from ragauge.runs.manifest import MetricDisplay, aggregate_of
from ragauge.stats import paired_tests
from ragauge.stats.distributions import t_p_value
from ragauge.stats.tests import (
    PValue,
    benjamini_hochberg,
    holm,
    mean_of,
    of_family,
    pairwise_p_values,
    randomization_p_values,
)

if TYPE_CHECKING:
    Ints = NDArray[np.int64]

CELLS_AT_ONCE = 8_000_000
"""Differences tested at once; bounds memory and does not change the result."""
MANY_PAIRS = 16
"""From more pairs with the same questions on, the systems' sums are shared between the pairs."""
HOW = {"exact": "exact", "drawn": "{n:,} draws", "normal": "normal approximation"}
NOTHING_DIFFERS = "no question differs"
VARIANT = "variant."
"""How the fields begin that say which settings a system was asked with."""


class PairTest(NamedTuple):
    """The p value and the name of the test; without one `note` says why, otherwise what to mind."""

    p_value: float | None
    test: str = ""
    note: str = ""


def pair_tests(
    pairs: Sequence[Pair], *, test: TestName, n_permutations: int, seed: int
) -> Sequence[PairTest]:
    """The test of each pair. All pairs have the same questions and clusters.

    A question's rank among the common ones decides its signs, so p depends on the pair alone, whatever other
    systems and questions are compared with it.
    """

    def randomization(p: PValue, pair: Pair) -> PairTest:
        how = HOW[p.how].format(n=n_permutations)
        note = "" if pair.differences.any() else NOTHING_DIFFERS
        return PairTest(p.value, f"randomization ({how})", note)

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
            p = paired_tests.swap_test(
                base, candidate, aggregate, n_permutations=n_permutations, seed=seed
            )
            found[at] = randomization(p, pair)
        elif test != "randomization":
            found[at] = _classical(pair, test)
        else:
            # Pairs of one metric with the same questions can share their sums, but not those of logarithms.
            is_alone = pair.has_ratio or pair.clusters is not None
            key = at if is_alone else (id(pair.scores), pair.common.tobytes())
            groups.setdefault(key, []).append(at)
    draws = {"n_permutations": n_permutations, "seed": seed}
    small: list[int] = []
    for group in groups.values():
        if len(group) <= MANY_PAIRS:
            small += group
            continue
        # The same p, but faster.
        some = [pairs[at] for at in group]
        used = sorted({side for pair in some for side in (pair.base, pair.candidate)})
        values = some[0].scores.values[used][:, some[0].common]
        places = [(used.index(pair.base), used.index(pair.candidate)) for pair in some]
        ps = pairwise_p_values(values, places, **draws)
        found |= {at: randomization(p, pairs[at]) for at, p in zip(group, ps, strict=True)}
    longest = max((len(pairs[at].tested_units) for at in small), default=1)
    at_once = max(1, CELLS_AT_ONCE // longest)
    for start in range(0, len(small), at_once):
        chosen = small[start : start + at_once]
        rows = np.zeros((len(chosen), longest))
        for row, at in zip(rows, chosen, strict=True):
            row[: len(pairs[at].tested_units)] = pairs[at].tested_units[:, 0]
        ps = randomization_p_values(rows, **draws)
        found |= {at: randomization(p, pairs[at]) for at, p in zip(chosen, ps, strict=True)}
    return [found[at] for at in range(len(pairs))]


def _classical(pair: Pair, test: TestName) -> PairTest:
    if test == "mcnemar":
        if not pair.is_binary:
            return PairTest(None, note="McNemar's test needs scores of 0 and 1; use randomization")
        note = "" if pair.differences.any() else NOTHING_DIFFERS
        return PairTest(paired_tests.mcnemar_test(pair.differences), "McNemar (exact)", note)
    if not pair.differences.any():
        return PairTest(None, note=f"{NOTHING_DIFFERS}; the test {test} is undefined")
    if test == "wilcoxon":
        return PairTest(paired_tests.wilcoxon_test(pair.tested_differences), "Wilcoxon signed rank")
    sums, counts = pair.tested_units.T
    p = None
    if (counts == 1).all():
        p = paired_tests.paired_t_test(sums)
    elif (mean := pair.tested_estimate) is not None and mean.standard_error:
        p = t_p_value(mean.value / mean.standard_error, len(sums) - 1)
    if p is None:
        return PairTest(None, note="all differences are equal; the test t is undefined")
    return PairTest(p, "paired t")


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
    metric = pair.metric
    known: dict[str, Any] = {
        **({} if ids is None else pair.lists(ids)),
        **dict(zip(("worst", "best"), pair.bounds(), strict=True)),
        **dict(zip(("wins", "ties", "losses"), pair.wins_ties_losses, strict=True)),
    }
    row = MetricComparison(
        field=each.field,
        value=each.value,
        metric=metric.metric,
        name=metric.name,
        base=names[pair.base],
        candidate=names[pair.candidate],
        n=pair.n,
        lower_is_better=metric.lower_is_better,
        is_ranked=metric.is_ranked,
        note=test.note,
        **known,
    )
    if pair.problem:
        return row
    found, n_units, known = pair.estimate, len(pair.units), dict[str, Any]()
    if found is not None:
        known = {"difference": found.value, "low": found.low, "high": found.high}
        known["interval_method"] = found.method
    if pair.is_mean and mean_of(pair.differences) == 0:
        known["difference"] = 0.0
    if pair.has_ratio:
        ratio = ratio_of(pair.tested_estimate)
        known |= zip(("ratio", "ratio_low", "ratio_high"), ratio, strict=True)
    no_interval = known.get("low") is None and pair.n > 1
    error, detectable = 0.0 if found is None else found.standard_error or 0.0, None
    if not pair.has_ratio:
        changed = pair.units[pair.units[:, 0] != 0, 0] * n_units / pair.n if pair.is_mean else None
        detectable = paired_tests.detectable_difference(error, n_units, changed=changed)
    return replace(
        row,
        **known,
        base_mean=pair.scores.aggregate_on(metric, pair.base, pair.common),
        candidate_mean=pair.scores.aggregate_on(metric, pair.candidate, pair.common),
        p_value=test.p_value,
        test=test.test,
        effect_size=paired_tests.effect_size(pair.tested_differences) if pair.is_mean else None,
        detectable=detectable,
        n_clusters=None if pair.clusters is None else n_units,
        note=test.note or ("all differences are equal: no interval" if no_interval else ""),
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


@dataclass(frozen=True, slots=True)
class SettingChange:
    """A change of one setting, and the pairs of systems (by place) that differ in it alone."""

    setting: str
    before: str
    after: str
    pairs: tuple[tuple[int, int], ...]


def setting_changes(systems: Sequence[ComparedSystem]) -> list[SettingChange]:
    """Each setting's changes from its first value to every other one; none for fewer than three systems.

    The first is the least number, or that of the first system where not all are numbers.

    Systems without fields `variant.*` take no part. Where two systems have the same settings and the same
    name before them, nothing tells which pairs with which, and there are no changes.
    """
    keys: list[tuple[str, dict[str, str]]] = []
    for each in systems:
        # The settings that the system was asked with, as text; none if its rows name none.
        fields = [name for name in each.run.samples.columns if name.startswith(VARIANT)]
        own: dict[str, str] = {}
        if fields:
            rows = each.run.samples.scan().filter(pl.col("system") == each.system).select(fields)
            first = rows.select(pl.all().drop_nulls().first()).collect().row(0, named=True)
            settings = {name.removeprefix(VARIANT): value for name, value in first.items()}
            own = {name: str(value) for name, value in settings.items() if value is not None}
        # Before its settings: `small` of `small top_k=3`.
        places = [at for name in own if (at := each.system.find(f"{name}=")) >= 0]
        keys.append((each.system[: min(places)].strip() if places else "", own))
    if len(systems) < 3 or any(own and keys.count((name, own)) > 1 for name, own in keys):
        return []
    found: list[SettingChange] = []
    for setting in dict.fromkeys(name for _, own in keys for name in own):
        values = list(dict.fromkeys(own[setting] for _, own in keys if setting in own))
        with suppress(ValueError):
            values = sorted(values, key=float)
        for value in values[1:]:
            changed = [
                (at, keys.index(goal))
                for at, (name, own) in enumerate(keys)
                if own.get(setting) == values[0]
                and (goal := (name, {**own, setting: value})) in keys
            ]
            if changed:
                found.append(SettingChange(setting, values[0], value, tuple(changed)))
    return found


def setting_effects(
    changes: Sequence[SettingChange],
    metrics: Sequence[MetricDisplay],
    scores: Mapping[str, MetricScores],
    clusters: "Ints | None",
) -> Iterator[SettingEffect]:
    """The effect of each change on each metric that is a mean, on the questions that all its pairs have scored.

    It is the mean over questions of each one's mean difference over the pairs.
    """
    for change, metric in product(changes, metrics):
        of_metric = scores[metric.name]
        questions = np.arange(len(of_metric.values[0]))
        for places in change.pairs:  # each leaves those that it has scored
            questions = Pair(metric, of_metric, questions, *places).common
        if metric.aggregate.kind != "mean" or not len(questions):
            continue
        pairs = [Pair(metric, of_metric, questions, *places) for places in change.pairs]
        own = None if clusters is None else clusters[questions]
        means = np.mean([pair.differences for pair in pairs], axis=0)
        found = mean_estimate(metric, mean_units(means, own))
        assert found is not None
        ratio: tuple[float | None, ...] = ()
        if all(pair.has_ratio for pair in pairs):
            logs = np.mean([pair.tested_differences for pair in pairs], axis=0)
            ratio = ratio_of(mean_estimate(metric, mean_units(logs, own)))
        yield SettingEffect(
            *(change.setting, change.before, change.after, metric.metric),
            *(found.value, found.low, found.high, len(questions), len(pairs)),
            *ratio,
        )
