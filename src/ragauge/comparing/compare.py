"""Compare systems question by question: differences, intervals, tests, and what changed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from ragauge.comparing import mismatches
from ragauge.comparing.comparison import (
    CORRECTIONS,
    PERMUTATIONS,
    TESTS,
    Comparison,
    CorrectionName,
    MetricComparison,
    Pairs,
    SettingEffect,
    SystemMean,
    TestName,
)
from ragauge.comparing.pair import Pair
from ragauge.comparing.rows import (
    CompareOptions,
    corrected,
    means_of,
    rows_of,
    setting_changes,
    setting_effects,
)
from ragauge.comparing.scores import OK, MetricScores, questions_of, read_scores
from ragauge.comparing.systems import ComparedSystem, SystemLike, compared_systems
from ragauge.errors import PlanError, did_you_mean
from ragauge.label import without_precision
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.scored_run import ScoredRun
from ragauge.samples.fields import CLUSTERS

MAX_CELLS = 24_000_000
"""Scores that a comparison has in memory at the same time, of 9 bytes each; at least those of one metric."""

INDEPENDENT = ("mcnemar", "wilcoxon")
"""Tests that take questions as independent."""


def compare(
    base: SystemLike,
    *candidates: SystemLike,
    run: ScoredRun | None = None,
    metrics: Sequence[str] | str | None = None,
    by: Sequence[str] | str = (),
    cluster: str | None = None,
    pairs: Pairs = "base",
    test: TestName = "randomization",
    correction: CorrectionName = "holm",
    allow_mismatch: bool = False,
    n_permutations: int = PERMUTATIONS,
    seed: int | None = None,
) -> Comparison:
    """Compare candidates with a base, question by question, on every metric that they share.

    A side is a run with one system, a pair (run, system), or a system's name in `run`. `metrics`
    chooses some by name or label. `by` also compares within each value of these fields. `cluster` names
    a field whose values are drawn together, for questions that are not independent: several about one
    document, or repeats of one. `pairs="all"` compares every pair. `test` is "randomization", "mcnemar"
    (binary metrics only), "t" or "wilcoxon"; `correction` is "holm", "bh" or "none", over all p values.
    `seed` is by default that of the base's run.

    Raises DataError if the sides have other questions or gold, PlanError for other metrics, settings,
    models or prompts, unless `allow_mismatch`; and PlanError for invalid arguments.

    >>> import ragauge as rg
    >>> rows = [
    ...     {"id": f"q{at}", "system": system, "answer": answer, "reference": "Rome"}
    ...     for at in range(8)
    ...     for system, answer in (("old", "Oslo"), ("new", "Rome"))
    ... ]
    >>> found = rg.evaluate(rows, "exact_match").compare("old", "new").row("exact_match")
    >>> found.difference, found.p_value, found.wins, found.verdict
    (1.0, 0.0078125, 8, 'better')
    """
    sides = compared_systems((base, *candidates), run)
    seed = sides[0].run.manifest.seed if seed is None else seed
    options = CompareOptions(test, correction, cluster, pairs, n_permutations, seed)
    problems = [
        f"{name} is {value!r}; it takes {', '.join(known)}"
        for name, value, known in (
            ("test", test, TESTS),
            ("correction", correction, CORRECTIONS),
            ("pairs", pairs, ("base", "all")),
        )
        if value not in known
    ]
    if n_permutations < 1:
        problems.append(f"n_permutations is {n_permutations!r}; give 1 or more")
    if seed < 0:
        problems.append(f"seed is {seed!r}; give 0 or more")
    if cluster is not None and test in INDEPENDENT:
        how = "use randomization or t with clusters"
        problems.append(f"the test {test} takes questions as independent; {how}")
    if problems:
        raise PlanError(problems)
    shared, notes = _shared_metrics(sides, [metrics] if isinstance(metrics, str) else metrics)
    names = [metric.name for metric in shared]
    notes += mismatches.notes_on_mismatches(sides, names, is_allowed=allow_mismatch)
    return _compared(sides, shared, notes, [by] if isinstance(by, str) else by, options=options)


def compare_systems(run: ScoredRun, systems: Sequence[str], pairs: Pairs) -> Comparison:
    """`compare` of systems of one run by all metrics, as what shows a whole run needs it.

    Its numbers are those of `compare`. The lists of fixed, broken and unpaired questions are empty: for
    many systems they would be most of the work.
    """
    sides = compared_systems(systems, run)
    options = CompareOptions(pairs=pairs, seed=run.manifest.seed, has_lists=False)
    return _compared(sides, *_shared_metrics(sides, None), options=options)


def _compared(
    sides: Sequence[ComparedSystem],
    shared: Sequence[MetricDisplay],
    notes: Sequence[str],
    fields: Sequence[str] = (),
    *,
    options: CompareOptions,
) -> Comparison:
    runs = [side.run for side in sides]
    if options.cluster is None and options.test not in INDEPENDENT:
        own = (name for name in CLUSTERS if all(name in run.samples.columns for run in runs))
        options = replace(options, cluster=next(own, None))
    questions = questions_of(sides, fields, options.cluster)
    changes = setting_changes(sides) if options.has_lists else []
    names = [side.name for side in sides]
    n, slices = len(questions.ids), questions.slices
    rows: list[list[MetricComparison]] = [[] for _ in slices]
    means: list[list[SystemMean]] = [[] for _ in slices]
    scored: list[MetricDisplay] = []
    absent: dict[str, list[str]] = {}
    repeats: list[str] = []
    effects: list[SettingEffect] = []
    size = max(1, MAX_CELLS // max(len(sides) * n, 1))
    for start in range(0, len(shared), size):
        some = {metric.name: metric for metric in shared[start : start + size]}
        labels = [
            {each.name: each.metric for each in run.metrics if each.name in some} for run in runs
        ]
        scores = read_scores(sides, questions.ids, labels)
        known = [each for name, each in some.items() if (scores[name].status == OK).any()]
        for each in (each for each in some.values() if each not in known):
            reason = each.unavailable or "no question has a score"
            absent.setdefault(reason, []).append(each.name)
        scored += known
        for at, part in enumerate(slices):
            rows[at] += rows_of(names, known, scores, part, questions, options)
            means[at] += means_of(names, known, scores, part)
        repeats += [note for each in known if (note := _about_repeats(each, scores[each.name]))]
        effects += setting_effects(changes, known, scores, questions.clusters)
    settings = [each.setting for each in changes]
    without = [f"not compared, {reason}: {', '.join(own)}" for reason, own in absent.items()]
    return Comparison(
        systems=tuple(names),
        rows=tuple(corrected([row for of_slice in rows for row in of_slice], options.correction)),
        means=tuple(mean for of_slice in means for mean in of_slice),
        metrics=tuple(scored),
        n_questions=n,
        folders=tuple(run.place for run in runs),
        fields=questions.fields,
        cluster=options.cluster,
        n_clusters=questions.n_clusters,
        test=options.test,
        correction=options.correction,
        n_permutations=options.n_permutations,
        seed=options.seed,
        notes=(
            *(*notes, *questions.notes, *without, *repeats),
            *(
                *mismatches.other_repeats(runs),
                *mismatches.other_precisions(runs),
                *mismatches.other_versions(runs),
            ),
        ),
        effects=tuple(sorted(effects, key=lambda effect: settings.index(effect.setting))),
    )


def _shared_metrics(
    sides: Sequence[ComparedSystem], chosen: Sequence[str] | None
) -> tuple[list[MetricDisplay], list[str]]:
    """The metrics that all sides have, by name, in the base's order; what else there is, as notes."""
    of_sides: list[Mapping[str, MetricDisplay]] = []
    for side in sides:
        # Of several names for one label, the first.
        by_label = {each.metric: each for each in reversed(side.run.metrics)}
        own = [each for each in side.run.metrics if by_label[each.metric] is each]
        of_sides.append({each.name: each for each in own})
    names = [name for name in of_sides[0] if all(name in own for own in of_sides)]
    shared = [of_sides[0][name] for name in names]
    kept: list[MetricDisplay] = []
    notes: list[str] = []
    for metric in shared if chosen is None else _chosen(chosen, shared, sides):
        reasons = {
            side.name: own[metric.name].unavailable
            for side, own in zip(sides, of_sides, strict=True)
            if own[metric.name].unavailable
        }
        if 0 < len(reasons) < len(sides):
            where, why = ", ".join(reasons), next(iter(reasons.values()))
            notes.append(f"not compared, not scored in {where} ({why}): {metric.name}")
        else:
            kept.append(metric)
    if chosen is None and not names:
        each = zip(sides, of_sides, strict=True)
        found = "; ".join(f"{side.name}: {', '.join(list(own)[:5])}" for side, own in each)
        raise PlanError(f"the sides share no metric ({found}); evaluate them with the same metrics")
    others = dict.fromkeys(name for own in of_sides for name in own if name not in names)
    why = "not compared, because not every side has it"
    return kept, [*notes, *(f"{why}: {name}" for name in others if chosen is None)]


def _chosen(
    names: Sequence[str], shared: Sequence[MetricDisplay], sides: Sequence[ComparedSystem]
) -> list[MetricDisplay]:
    """The shared metrics with these names or labels; PlanError lists all that there are not."""
    named = {text: metric for metric in shared for text in (metric.name, metric.metric)}
    named |= {without_precision(text): metric for text, metric in named.items()}
    names = [name if name in named else without_precision(name) for name in names]
    of_sides = {
        side.name: {name for metric in side.run.metrics for name in (metric.name, metric.metric)}
        for side in sides
    }
    problems: list[str] = []
    for name in (name for name in names if name not in named):
        without = ", ".join(side for side, own in of_sides.items() if name not in own) or "common"
        hint = (
            did_you_mean(name, named) or f"; shared are {', '.join(each.name for each in shared)}"
        )
        problems.append(f"no metric {name!r} in {without}{hint}")
    if problems:
        raise PlanError(problems)
    return list(dict.fromkeys(named[name] for name in names))


def _about_repeats(metric: MetricDisplay, scores: MetricScores) -> str:
    """How much of the spread comes from the judges; empty without repeats."""
    if scores.repeat_variance is None:
        return ""
    everything, places = np.arange(len(scores.values[0])), range(len(scores.values))
    # One at a time, since each keeps arrays.
    pairs = (Pair(metric, scores, everything, *each) for each in combinations(places, 2))
    shares = [share for pair in pairs if (share := pair.repeat_share) is not None]
    if not shares:
        return ""
    return (
        f"{metric.name}: {max(shares):.0%} of the variance of the differences comes from the judge, whose "
        "repeats differ; the interval and p, which are of the means over the repeats, include it"
    )
