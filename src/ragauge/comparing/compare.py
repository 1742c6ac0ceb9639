"""Compare systems question by question: differences, intervals, tests, and what changed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

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
from ragauge.comparing.comparison_rows import (
    CompareOptions,
    corrected,
    rows_and_means,
)
from ragauge.comparing.effects import SettingChange, setting_changes, setting_effects
from ragauge.comparing.mismatches import notes_on, other_precisions, other_versions, refuse
from ragauge.comparing.pair import Pair
from ragauge.comparing.paired_scores import OK, MetricScores, question_ids, read_scores
from ragauge.comparing.questions import Questions, Slice
from ragauge.comparing.systems import ComparedSystem, SystemLike, compared_systems
from ragauge.errors import PlanError, did_you_mean
from ragauge.label import without_precision
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.scored_run import ScoredRun
from ragauge.samples.samples import CLUSTERS

MAX_CELLS = 24_000_000
"""Scores that a comparison has in memory at the same time, of 9 bytes each; at least those of one metric."""


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
    _check(options)
    chosen = [metrics] if isinstance(metrics, str) else metrics
    shared, notes = _shared_metrics(sides, chosen)
    names = [metric.name for metric in shared]
    if allow_mismatch:
        notes += notes_on(sides, names)
    else:
        refuse(sides, names)
    return _compared(sides, shared, [by] if isinstance(by, str) else by, options, notes)


def compare_systems(run: ScoredRun, systems: Sequence[str], pairs: Pairs) -> Comparison:
    """`compare` of systems of one run by all metrics, as what shows a whole run needs it.

    Its numbers are those of `compare`. The lists of fixed, broken and unpaired questions are empty: for
    many systems they would be most of the work.
    """
    sides = compared_systems(systems, run)
    options = CompareOptions(pairs=pairs, seed=run.manifest.seed, has_lists=False)
    shared, notes = _shared_metrics(sides, None)
    return _compared(sides, shared, (), options, notes)


def _compared(
    sides: Sequence[ComparedSystem],
    shared: Sequence[MetricDisplay],
    fields: Sequence[str],
    options: CompareOptions,
    notes: Sequence[str],
) -> Comparison:
    if options.cluster is None and options.test not in ("mcnemar", "wilcoxon"):
        own = (name for name in CLUSTERS if all(name in side.run.samples.columns for side in sides))
        options = replace(options, cluster=next(own, None))
    questions = Questions.of(sides, question_ids(sides), fields, options.cluster)
    changes = setting_changes(sides) if options.has_lists else []
    made = [
        _of_metrics(sides, some, questions, options, changes)
        for some in _at_once(shared, len(sides) * len(questions.ids))
    ]
    slices = range(len(questions.slices))
    rows = [row for at in slices for each in made for row in each.rows[at]]
    means = [mean for at in slices for each in made for mean in each.means[at]]
    scored = [metric for each in made for metric in each.scored]
    about = (
        *questions.notes,
        *_without_scores(shared, scored),
        *(note for each in made for note in each.notes),
        *_other_repeats(sides),
        *other_precisions([side.run for side in sides]),
        *other_versions([side.run for side in sides]),
    )
    return Comparison(
        systems=tuple(side.name for side in sides),
        rows=tuple(corrected(rows, options.correction)),
        means=tuple(means),
        metrics=tuple(scored),
        n_questions=len(questions.ids),
        folders=tuple(side.run.place for side in sides),
        fields=questions.fields,
        cluster=options.cluster,
        n_clusters=questions.n_clusters,
        test=options.test,
        correction=options.correction,
        n_permutations=options.n_permutations,
        seed=options.seed,
        notes=(*notes, *about),
        effects=tuple(
            sorted(
                (effect for each in made for effect in each.effects),
                key=lambda effect: [each.setting for each in changes].index(effect.setting),
            )
        ),
    )


@dataclass(frozen=True, slots=True)
class _OfMetrics:
    """What was found by some metrics, by slice; and the metrics that have a score."""

    scored: Sequence[MetricDisplay]
    rows: Sequence[Sequence[MetricComparison]]
    means: Sequence[Sequence[SystemMean]]
    notes: Sequence[str]
    effects: Sequence[SettingEffect]


def _of_metrics(
    sides: Sequence[ComparedSystem],
    metrics: Sequence[MetricDisplay],
    questions: Questions,
    options: CompareOptions,
    changes: Sequence[SettingChange],
) -> _OfMetrics:
    """The rows of some metrics, whose scores are in memory only until then."""
    names = [metric.name for metric in metrics]
    labels = [
        {metric.name: metric.metric for metric in side.run.metrics if metric.name in names}
        for side in sides
    ]
    scores = read_scores(sides, questions.ids, labels)
    scored = [metric for metric in metrics if (scores[metric.name].status == OK).any()]
    made = [
        rows_and_means(sides, scored, scores, each, questions, options) for each in questions.slices
    ]
    notes = tuple(_about_repeats(sides, scored, scores))
    effects = list(setting_effects(changes, scored, scores, questions.clusters))
    return _OfMetrics(
        scored, [rows for rows, _ in made], [means for _, means in made], notes, effects
    )


def _at_once(metrics: Sequence[MetricDisplay], n_cells: int) -> Iterator[Sequence[MetricDisplay]]:
    """Metrics whose scores are in memory at the same time; each has `n_cells` of them."""
    size = max(1, MAX_CELLS // max(n_cells, 1))
    for start in range(0, max(len(metrics), 1), size):
        yield metrics[start : start + size]


def _check(options: CompareOptions) -> None:
    problems = [
        f"{name} is {value!r}; it takes {', '.join(known)}"
        for name, value, known in (
            ("test", options.test, TESTS),
            ("correction", options.correction, CORRECTIONS),
            ("pairs", options.pairs, ("base", "all")),
        )
        if value not in known
    ]
    if options.n_permutations < 1:
        problems.append(f"n_permutations is {options.n_permutations!r}; give 1 or more")
    if options.seed < 0:
        problems.append(f"seed is {options.seed!r}; give 0 or more")
    if options.cluster is not None and options.test in ("mcnemar", "wilcoxon"):
        problems.append(
            f"the test {options.test} takes questions as independent; use randomization or t with clusters"
        )
    if problems:
        raise PlanError(problems)


def _shared_metrics(
    sides: Sequence[ComparedSystem], chosen: Sequence[str] | None
) -> tuple[list[MetricDisplay], list[str]]:
    """The metrics that all sides have, by name, in the base's order; what else there is, as notes."""
    of_sides = [_by_name(side.run.metrics) for side in sides]
    shared = [
        metric
        for name, metric in of_sides[0].items()
        if all(name in of_side for of_side in of_sides)
    ]
    if chosen is not None:
        shared = _chosen(chosen, shared, sides)
    shared, notes = _without_unavailable(shared, sides)
    if chosen is not None:
        return shared, notes
    names = {name for name in of_sides[0] if all(name in of_side for of_side in of_sides)}
    notes += [
        f"not compared, because not every side has it: {name}"
        for name in dict.fromkeys(name for of_side in of_sides for name in of_side)
        if name not in names
    ]
    if not names:
        own = "; ".join(
            f"{side.name}: {', '.join(list(of_side)[:5])}"
            for side, of_side in zip(sides, of_sides, strict=True)
        )
        raise PlanError([f"the sides share no metric ({own}); evaluate them with the same metrics"])
    return shared, notes


def _by_name(metrics: Sequence[MetricDisplay]) -> dict[str, MetricDisplay]:
    """The metrics by shown name; of several names for one label, the first."""
    by_label: dict[str, MetricDisplay] = {}
    for metric in metrics:
        by_label.setdefault(metric.metric, metric)
    return {metric.name: metric for metric in by_label.values()}


def _without_unavailable(
    shared: Sequence[MetricDisplay], sides: Sequence[ComparedSystem]
) -> tuple[list[MetricDisplay], list[str]]:
    """The metrics without those that some sides, but not all, could not be scored by; why, as notes."""
    kept: list[MetricDisplay] = []
    notes: list[str] = []
    for metric in shared:
        reasons = {
            side.name: reason
            for side in sides
            if (reason := _by_name(side.run.metrics)[metric.name].unavailable)
        }
        if 0 < len(reasons) < len(sides):
            where, why = ", ".join(reasons), next(iter(reasons.values()))
            notes.append(f"not compared, not scored in {where} ({why}): {metric.name}")
        else:
            kept.append(metric)
    return kept, notes


def _chosen(
    names: Sequence[str], shared: Sequence[MetricDisplay], sides: Sequence[ComparedSystem]
) -> list[MetricDisplay]:
    """The shared metrics with these names or labels; PlanError lists all that there are not."""
    named = {text: metric for metric in shared for text in (metric.name, metric.metric)}
    named |= {without_precision(text): metric for text, metric in named.items()}
    names = [name if name in named else without_precision(name) for name in names]
    problems: list[str] = []
    for name in names:
        if name not in named:
            without = [
                side.name
                for side in sides
                if all(name not in (metric.name, metric.metric) for metric in side.run.metrics)
            ]
            known = ", ".join(metric.name for metric in shared)
            hint = did_you_mean(name, named) or f"; shared are {known}"
            problems.append(f"no metric {name!r} in {', '.join(without) or 'common'}{hint}")
    if problems:
        raise PlanError(problems)
    return list(dict.fromkeys(named[name] for name in names))


def _without_scores(
    shared: Sequence[MetricDisplay], scored: Sequence[MetricDisplay]
) -> Iterator[str]:
    known = {metric.name for metric in scored}
    by_reason: dict[str, list[str]] = {}
    for metric in shared:
        if metric.name not in known:
            reason = metric.unavailable or "no question has a score"
            by_reason.setdefault(reason, []).append(metric.name)
    for reason, names in by_reason.items():
        yield f"not compared, {reason}: {', '.join(names)}"


def _about_repeats(
    sides: Sequence[ComparedSystem],
    metrics: Sequence[MetricDisplay],
    scores: "dict[str, MetricScores]",
) -> Iterator[str]:
    """How much of the spread comes from the judges."""
    pairs = list(combinations(range(len(sides)), 2))
    for metric in metrics:
        of_metric = scores[metric.name]
        if of_metric.repeat_variance is None:
            continue
        everything = Slice.everything(of_metric.values.shape[1]).questions
        shares = [
            share
            for pair in pairs
            if (share := Pair(metric, of_metric, everything, *pair).repeat_share) is not None
        ]
        if shares:
            yield (
                f"{metric.name}: {max(shares):.0%} of the variance of the differences comes from the judge, whose "
                "repeats differ; the interval and p, which are of the means over the repeats, include it"
            )


def _other_repeats(sides: Sequence[ComparedSystem]) -> Iterator[str]:
    repeats = {str(side.run.manifest.code.get("repeats") or 1) for side in sides}
    if len(repeats) > 1:
        yield f"the judges were asked {' and '.join(sorted(repeats))} times in different runs"
