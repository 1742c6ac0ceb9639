"""What changes a judge's scores besides the answer: asking again, the order of contexts, length; and the report of it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import inf
from statistics import NormalDist
from typing import TYPE_CHECKING, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ragauge.comparing.pair import mean_units
from ragauge.people.calibration import shown_estimate
from ragauge.report.plain import counted, for_terminal, shortened
from ragauge.report.report import Cell, Items, Report, Table, figure
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.scored_run import ScoredRun
from ragauge.stats.agreement import share_estimate, spearman_of
from ragauge.stats.intervals import (
    CONFIDENCE,
    NORMAL_QUANTILE,
    Estimate,
    Floats1d,
    Floats2d,
    ends_of,
    interval,
    mean_of_parts,
)
from ragauge.stats.resampling import QuestionResamples, Statistic, mean_by_size, mean_of, numbered

if TYPE_CHECKING:
    Bools = NDArray[np.bool_]

Key = tuple[str, str]
"""Id and system."""
LEAST_ANSWERS = 10
"""Fewest answers for a correlation with length."""
UNSTEADY = 0.05
"""Chance of contradicting itself from which asking several times is advised."""
NAME_WIDTH = 28
HELD = {
    "label": "among answers with the same label",
    "correct": "with the offline metric `correct` held constant, since there are no labels",
}
ADVICE = {
    "self-consistency": "run with --repeat 3 or more: scores are then means, and the interval holds the rest",
    "order of contexts": "keep the retriever's order the same for all systems, show the judge fewer contexts, "
    "or average runs with both orders",
    "answer length": "compare systems whose answers are of similar length, or correct their rates with "
    "labels (ragauge calibrate)",
    "order of answers": "compare each pair in both orders and count a change as a tie",
}
"""What is measured, and what to do about it."""
HEADER = ("what", "of", "measured", "n", "finding")


@dataclass(frozen=True, slots=True)
class Consistency:
    """How often a judge contradicts itself on the same question.

    `flips` is the chance that two calls give different verdicts (on either side of the middle of the
    scale); `spread` is the mean standard deviation of an answer's scores.
    """

    metric: str
    n: int
    repeats: int
    flips: Estimate | None
    spread: float


@dataclass(frozen=True, slots=True)
class ContextOrder:
    """What reversing the contexts does to a metric's scores.

    `difference` is the mean score with reversed contexts minus that with the given order. `excess` is by
    how much more often verdicts differ between the orders than between two calls in the same order;
    None without repeats.
    """

    metric: str
    n: int
    difference: Estimate | None
    excess: Estimate | None


@dataclass(frozen=True, slots=True)
class LengthEffect:
    """The rank correlation of a metric's scores with the length of answers that are equally good.

    `held` says what "equally good" means: the same label, or the offline metric that is partialled out.
    """

    metric: str
    n: int
    correlation: Estimate | None
    held: str
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class AnswerOrder:
    """What a judge does with the order of two answers that it compares.

    `first` is the share of comparisons that the answer shown first wins, a tie counting half: 0.5 if the
    order does not matter, since every pair is shown in both orders. `changed` is the share of pairs whose
    winner depends on the order.
    """

    judge: str
    n: int
    first: Estimate | None
    changed: Estimate | None


@dataclass(frozen=True, slots=True)
class JudgeBias:
    """What was measured about judges; `notes` say what could not be measured, and why."""

    n_questions: int
    n_answers: int
    consistency: tuple[Consistency, ...]
    contexts: tuple[ContextOrder, ...]
    lengths: tuple[LengthEffect, ...]
    answers: tuple[AnswerOrder, ...]
    notes: tuple[str, ...] = ()


def repeats_of(run: ScoredRun, metric: MetricDisplay) -> dict[Key, list[float]]:
    """Each answer's scores over the repeats; one score if the judge was asked once."""
    wanted = pl.col("metric") == metric.metric
    scores = run.collect(run.scan().filter(wanted).select("id", "system", "value"))
    kept = run.collect(run.source.scan_evidence().filter(wanted).select("evidence"))
    found: dict[Key, list[float]] = {}
    for (id, system, value), (evidence,) in zip(scores.iter_rows(), kept.iter_rows(), strict=True):
        if value is None:
            continue
        data = cast("Mapping[str, object]", json.loads(evidence) if evidence else {})
        values = data.get("repeats")
        repeats = cast("Sequence[object]", values if isinstance(values, list) else [value])
        found[id, system] = [float(each) for each in repeats if isinstance(each, int | float)]
    return found


def consistency(run: ScoredRun, metric: MetricDisplay, *, seed: int) -> Consistency:
    """How often the judge behind a metric contradicts itself, from a run with repeats."""
    repeats = {key: values for key, values in repeats_of(run, metric).items() if len(values) > 1}
    if not repeats:
        return Consistency(metric.name, 0, 1, None, 0.0)
    flips = np.array([_flips(_is_yes(values, metric)) for values in repeats.values()])
    spread = float(np.mean([np.std(values) for values in repeats.values()]))
    estimate = share_estimate(mean_of(flips), len(flips), _resamples(repeats, seed))
    return Consistency(metric.name, len(flips), max(map(len, repeats.values())), estimate, spread)


def context_order(given: ScoredRun, turned: ScoredRun, metric: MetricDisplay) -> ContextOrder:
    """The effect of the order of contexts, from two runs that differ in it."""
    one, other = repeats_of(given, metric), repeats_of(turned, metric)
    both = [key for key in one if key in other]
    if not both:
        return ContextOrder(metric.name, 0, None, None)
    differences = np.array([_mean(other[key]) - _mean(one[key]) for key in both])
    _, question = np.unique([id for id, _ in both], return_inverse=True)

    def mean(values: Floats1d, most: float) -> Estimate | None:
        units, ends = mean_units(values, question), ends_of("mean", -most, most)
        return interval(units, mean_of_parts, ends=ends, are_shares=False)

    low, high, excess = metric.low, metric.high, None
    most = inf if low is None or high is None else high - low
    if all(len(one[key]) > 1 and len(other[key]) > 1 for key in both):
        beyond: list[float] = []
        for key in both:
            # How much more often verdicts differ between two orders than within one; 0 on average by chance.
            first, second = _is_yes(one[key], metric), _is_yes(other[key], metric)
            p, q = float(first.mean()), float(second.mean())
            beyond.append(p * (1 - q) + q * (1 - p) - (_flips(first) + _flips(second)) / 2)
        excess = mean(np.array(beyond), 1.0)
    return ContextOrder(metric.name, len(both), mean(differences, most), excess)


def length_effect(
    run: ScoredRun,
    metric: MetricDisplay,
    *,
    labels: Mapping[Key, float] | None,
    offline: Mapping[Key, float] | None,
    held: str,
    seed: int,
) -> LengthEffect:
    """The correlation of scores with words, within equal labels or with an offline metric held constant."""
    standard = labels if labels is not None else offline
    if standard is None:
        return LengthEffect(metric.name, 0, None, held, "needs labels or references")
    words: dict[Key, float] = {}
    if "answer" in run.samples.columns:
        n_words = pl.col("answer").str.count_matches(r"\S+")
        rows = run.samples.frame.select("id", "system", n_words).iter_rows()
        words = {(id, system): float(n) for id, system, n in rows if n}
    scores = {key: _mean(values) for key, values in repeats_of(run, metric).items()}
    keys = [key for key in scores if key in standard and key in words]
    if len(keys) < LEAST_ANSWERS:
        why_not = f"{len(keys)} answers; at least {LEAST_ANSWERS} are needed"
        return LengthEffect(metric.name, len(keys), None, held, why_not)
    values, lengths, others = (
        np.array([of[key] for key in keys], dtype=float) for of in (scores, words, standard)
    )
    statistic = (_within if labels is not None else _partial)(values, lengths, others)
    estimate = _resamples(keys, seed).estimate(statistic)
    why_not = "" if estimate else "scores or lengths do not vary among equally good answers"
    return LengthEffect(metric.name, len(keys), estimate, held, why_not)


def _within(values: Floats1d, lengths: Floats1d, labels: Floats1d) -> Statistic:
    """The mean of Spearman's correlations within each label, weighted by their answers."""
    groups = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    parts = [(rows, spearman_of(values[rows], lengths[rows])) for rows in groups if len(rows) > 2]

    def correlation(weights: Floats2d) -> Floats1d:
        if not parts:
            return np.full(len(weights), np.nan)
        return mean_by_size(
            np.stack([statistic(weights[:, rows]) for rows, statistic in parts]),
            np.stack([weights[:, rows].sum(axis=1) for rows, _ in parts]),
        )

    return correlation


def _partial(values: Floats1d, lengths: Floats1d, others: Floats1d) -> Statistic:
    """Spearman's partial correlation of values and lengths given the others."""
    pairs = ((values, lengths), (values, others), (lengths, others))
    statistics = [spearman_of(*pair) for pair in pairs]

    def correlation(weights: Floats2d) -> Floats1d:
        direct, *rest = (statistic(weights) for statistic in statistics)
        # A constant standard explains nothing.
        of_values, of_lengths = map(np.nan_to_num, rest)
        left = (1 - of_values**2) * (1 - of_lengths**2)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(left > 1e-12, (direct - of_values * of_lengths) / np.sqrt(left), np.nan)

    return correlation


def answer_order(
    judge: str, pairs: Sequence[tuple[str, float, float]], *, seed: int
) -> AnswerOrder:
    """The effect of the order of two answers.

    `pairs` has the question's id and, for each of the two orders, 1 if the answer shown first won, 0 if
    the second did, 0.5 for a tie.
    """
    if not pairs:
        return AnswerOrder(judge, 0, None, None)
    orders = np.array([pair[1:] for pair in pairs], dtype=float)
    resamples = _resamples([(id, "") for id, _, _ in pairs], seed)
    # The second order shows the same answers the other way round: no change means opposite places won.
    changed = (orders[:, 0] != 1 - orders[:, 1]).astype(float)
    shares = (mean_of(values) for values in (orders.sum(axis=1) / 2, changed))
    found = (share_estimate(share, len(pairs), resamples) for share in shares)
    return AnswerOrder(judge, len(pairs), *found)


def _is_yes(values: Sequence[float], metric: MetricDisplay) -> "Bools":
    return np.array(values) >= (0.5 if metric.middle is None else metric.middle)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _flips(is_yes: "Bools") -> float:
    """The share of pairs of calls whose verdicts differ."""
    n, n_yes = len(is_yes), int(is_yes.sum())
    return 2 * n_yes * (n - n_yes) / (n * (n - 1))


def _resamples(keys: Iterable[Key], seed: int) -> QuestionResamples:
    return QuestionResamples(numbered([id for id, _ in keys]), seed=seed)


def judge_bias_report(found: JudgeBias) -> Report:
    """What was measured and what to do; in JSON every figure with its interval."""
    rows: list[tuple[str | Cell, ...]] = []
    records: list[tuple[object, ...]] = []
    problems: dict[str, None] = {}
    effects = [each.difference for each in found.contexts] + [
        each.excess for each in found.contexts
    ]
    effects += [each.correlation for each in found.lengths] + [each.first for each in found.answers]
    n_effects = sum(each is not None for each in effects)
    # Bonferroni's correction: an interval so wide that one of all misses its true value in 5 % of cases.
    wider = NormalDist().inv_cdf(1 - (1 - CONFIDENCE) / 2 / max(n_effects, 1)) / NORMAL_QUANTILE

    def add(
        what: str, of: str, estimate: Estimate, unit: str, n: int, finding: str, is_problem: bool
    ) -> None:
        name, shown = shortened(for_terminal(of), NAME_WIDTH), f"{shown_estimate(estimate)} {unit}"
        rows.append((what, name, shown, figure(n), finding))
        records.append((what, of, estimate.value, n, finding, unit, estimate.low, estimate.high))
        problems.update({what: None} if is_problem else {})

    for each in found.consistency:
        if each.flips is not None:
            is_steady = each.flips.value < UNSTEADY
            finding = "steady" if is_steady else "contradicts itself"
            what = "self-consistency"
            add(what, each.metric, each.flips, "flips", each.n, finding, not is_steady)
    for each in found.contexts:
        if each.difference is not None:
            effect, moves = each.difference, _sign(each.difference, wider) != 0
            flips = each.excess is not None and _sign(each.excess, wider) > 0
            finding = "scores move" if moves else "verdicts move" if flips else "no effect shown"
            what = "order of contexts"
            add(what, each.metric, effect, "reversed", each.n, finding, moves or flips)
    notes: list[str] = []
    for each in found.lengths:
        if each.correlation is not None:
            effect, sign = each.correlation, _sign(each.correlation, wider)
            finding = ("no effect shown", "longer scores higher", "shorter scores higher")[sign]
            add("answer length", each.metric, effect, "rank corr.", each.n, finding, sign != 0)
        if each.why_not:
            name = shortened(for_terminal(each.metric), NAME_WIDTH)
            notes.append(f"answer length, {name}: {each.why_not}")
    for each in found.answers:
        if each.first is not None and each.changed is not None:
            effect, sign = each.first, _sign(each.first, wider, 0.5)
            finding = ("no preference shown", "prefers the first", "prefers the second")[sign]
            finding += f"; {each.changed.value:.0%} change"
            add("order of answers", each.judge, effect, "first wins", each.n, finding, sign != 0)
    measured = {row[0] for row in rows}
    missing = [what for what in ADVICE if what not in measured]
    unmeasured = f" Not measured: {', '.join(missing)}." if missing else ""
    headline = f"The judge is not neutral here: {', '.join(problems)}.{unmeasured}"
    if not problems:
        headline = f"No bias beyond chance was found on these answers.{unmeasured}"
    if not rows:
        headline = "Nothing could be measured."
    advice = [f"{what}: {ADVICE[what]}" for what in problems]
    held = {effect.held for effect in found.lengths if effect.correlation is not None}
    how = [f"answer length: {HELD.get(name, name)}" for name in sorted(held)]
    if n_effects > 1:
        how.append(f"findings are corrected for {n_effects} effects looked for, intervals are not")
    return Report(
        headline,
        f"{counted(found.n_answers, 'answer')} to {counted(found.n_questions, 'question')}",
        tables=(Table(HEADER, rows, n_names=3, wraps=True),) if rows else (),
        notes=(*how, *notes, *found.notes),
        items=(Items.of_texts("what to do", advice),) if advice else (),
        records=lambda: ((*HEADER, "unit", "low", "high"), records),
        data=lambda: {"headline": headline, **asdict(found), "what_to_do": advice},
    )


def _sign(estimate: Estimate, wider: float, middle: float = 0.0) -> int:
    """1 if the interval, widened by this factor, is above the middle, -1 if it is below, 0 if the middle is in it."""
    value, low, high = estimate.value, estimate.low, estimate.high
    if low is None or high is None:
        return 0
    is_above = value - wider * (value - low) > middle
    return 1 if is_above else -1 if value + wider * (high - value) < middle else 0
