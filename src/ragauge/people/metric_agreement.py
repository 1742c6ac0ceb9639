"""How well one metric agrees with people's labels, and each system's rate by it, as reported and corrected."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ragauge.loaders.labels import Kind
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.scored_run import ScoredRun
from ragauge.stats.agreement import area_estimate, kendall_of, share_estimate, spearman_of
from ragauge.stats.corrected_rates import CorrectedRate, prediction_powered, rogan_gladen
from ragauge.stats.intervals import Estimate, Floats1d, share_interval
from ragauge.stats.resampling import QuestionResamples, mean_of, numbered
from ragauge.stats.thresholds import (
    Confusion,
    best_threshold,
    confusion,
    held_out_verdicts,
    verdict_estimates,
)

if TYPE_CHECKING:
    Bools = NDArray[np.bool_]
    Ints = NDArray[np.int64]

LEAST_OF_EACH = 2
"""Fewest labels of each class for a figure of agreement."""
FEW_OF_EACH = 10
"""Fewer labels of a class than this are said to be few."""
LEAST_LABELS = 10
"""Fewest labels of a system for its corrected rate."""
LEAST_OF_EACH_CLASS = 10
"""Fewest labels of each class for a system's own errors; with fewer, those of all systems are used."""
NOT_RANDOM = 3.0
"""Standard errors from which labelled rows are said to differ from the others."""


@dataclass(frozen=True, slots=True)
class VerdictQuality:
    """How well yes-or-no verdicts agree with people's.

    `table` counts the rows. Balanced accuracy is the mean of sensitivity and specificity; kappa and alpha
    are corrected for chance agreement.
    """

    table: Confusion
    balanced_accuracy: Estimate | None
    kappa: Estimate | None
    alpha: Estimate | None


@dataclass(frozen=True)
class LabelledScores:
    """The labelled rows of one metric: id, system, other, value, target, n_raters, in order.

    `value` is the metric's; for preferences it is the difference of the two systems. `frame` has the rows
    with a target and a value, `tied` those with a value on which the raters are tied. `n_unscored` counts
    the labelled rows without a value. `clusters` are of questions that are drawn together, by id; without
    them each question is drawn by itself.
    """

    metric: MetricDisplay
    kind: Kind
    frame: "pl.DataFrame"
    tied: "pl.DataFrame"
    n_unscored: int = 0
    clusters: Mapping[str, str] | None = None

    @property
    def n_tied(self) -> int:
        return self.tied.height

    @cached_property
    def better(self) -> Floats1d:
        """The values of `frame`, higher is better."""
        return self.oriented(self.frame)

    @property
    def sign(self) -> float:
        """What values and thresholds are multiplied with, so that higher is better: 1 or -1."""
        return -1.0 if self.metric.lower_is_better else 1.0

    def oriented(self, frame: "pl.DataFrame") -> Floats1d:
        """The values of a frame's rows, higher is better."""
        return self.sign * frame["value"].to_numpy().astype(float)

    @cached_property
    def targets(self) -> Floats1d:
        return self.frame["target"].to_numpy().astype(float)

    @cached_property
    def is_yes(self) -> "Bools":
        return self.targets > 0.5

    def drawn(self, frame: "pl.DataFrame") -> "Ints":
        """The number of what each row is drawn with: its question, or the cluster of this."""
        ids = frame["id"].to_list()
        return numbered(ids if self.clusters is None else [self.clusters[id] for id in ids])


@dataclass(frozen=True)
class MetricAgreement:
    """How well a metric agrees with people's labels.

    `auroc`, `at_set` and `at_best` are of yes-or-no labels: how often a yes scores above a no, and the
    metric's verdicts at the threshold that was set (the middle of the scale by default) and at the best
    one. `best_threshold` is chosen on all labels; `at_best` judges each row by a threshold chosen on
    other questions, as does `held_out`, with a verdict for the rows of `scores.frame` and then for those of
    `scores.tied`. `spearman` and `kendall` are of grades; `pairwise` is the share of preferences with
    which the sign of the difference agrees, a difference of 0 counting half. `why_not` says why there are
    no figures. Thresholds are on the metric's own scale; if lower is better, yes is up to the threshold.
    """

    scores: LabelledScores
    set_threshold: float | None = None
    best_threshold: float | None = None
    auroc: Estimate | None = None
    at_set: VerdictQuality | None = None
    at_best: VerdictQuality | None = None
    held_out: "Bools | None" = field(default=None, repr=False)
    spearman: Estimate | None = None
    kendall: Estimate | None = None
    pairwise: Estimate | None = None
    why_not: str = ""
    notes: tuple[str, ...] = ()

    @property
    def metric(self) -> MetricDisplay:
        return self.scores.metric

    @property
    def name(self) -> str:
        return self.metric.name

    @property
    def n(self) -> int:
        """The labelled answers that have a value."""
        return self.scores.frame.height

    @property
    def main(self) -> Estimate | None:
        """The figure by which metrics are ordered, by the lower end of its interval: AUROC, Spearman's correlation or pairwise agreement."""
        return self.auroc or self.spearman or self.pairwise

    @property
    def threshold(self) -> float | None:
        """The threshold of the verdicts that rates are made from: the set one, else the best one."""
        return self.best_threshold if self.set_threshold is None else self.set_threshold


def metric_agreement(
    scores: LabelledScores, *, set_threshold: float | None, seed: int
) -> MetricAgreement:
    """The agreement of one metric with the labels."""
    if why_not := _why_not(scores):
        return MetricAgreement(scores, set_threshold, why_not=why_not)
    n = scores.n_unscored
    notes = (f"labelled answers without a value, not counted: {n:,}",) if n else ()
    resamples = QuestionResamples(scores.drawn(scores.frame), seed=seed)
    values, targets = scores.better, scores.targets
    if scores.kind == "preference":
        agrees = (np.sign(values) * targets + 1) / 2
        share = share_estimate(mean_of(agrees), len(agrees), resamples)
        return MetricAgreement(scores, pairwise=share, notes=notes)
    if scores.kind == "graded":
        statistics = [spearman_of(values, targets), kendall_of(values, targets)]
        spearman, kendall = resamples.estimates(statistics)
        return MetricAgreement(scores, spearman=spearman, kendall=kendall, notes=notes)
    is_yes = scores.is_yes

    def quality(says_yes: "Bools") -> VerdictQuality:
        estimates = verdict_estimates(says_yes, is_yes, resamples)
        return VerdictQuality(confusion(says_yes, is_yes), *estimates)

    near = None if set_threshold is None else scores.sign * set_threshold
    best = best_threshold(values, is_yes, near=near)
    # Verdicts by thresholds chosen on other questions, for the rows with a target and the tied ones.
    rows, n_tied = pl.concat([scores.frame, scores.tied]), scores.tied.height
    held_out = held_out_verdicts(
        scores.oriented(rows),
        np.concatenate([is_yes, np.zeros(n_tied, dtype=np.bool_)]),
        scores.drawn(rows),
        near=near,
        has_label=np.arange(rows.height) < scores.frame.height,
        seed=seed,
    )
    auroc = area_estimate(values, is_yes, resamples)
    n_yes = int(is_yes.sum())
    n_least, which = min((n_yes, "yes"), (len(is_yes) - n_yes, "no"))
    if n_least < FEW_OF_EACH:
        notes += (f"only {n_least} labelled {which}, so the figures are uncertain",)
    if auroc is not None and auroc.high is not None and auroc.high < 0.5:
        problem = "its high values go with people's no; if that is wrong, say which labels mean yes (--yes)"
        notes += (problem,)
    return MetricAgreement(
        scores,
        set_threshold,
        None if best is None else scores.sign * best,
        auroc,
        None if near is None else quality(values >= near),
        None if held_out is None else quality(held_out[: len(values)]),
        held_out,
        notes=notes,
    )


def _why_not(scores: LabelledScores) -> str:
    """Why no figure can be given; empty if one can."""
    n = scores.frame.height
    if not n and scores.n_unscored:
        return f"none of the {scores.n_unscored:,} labelled answers has a value"
    if not n:
        return "the raters are tied on every answer" if scores.n_tied else "no label is about it"
    if scores.kind == "preference":
        return ""
    if n == 1:
        return "1 labelled answer; label at least 2"
    if len(set(scores.better.tolist())) < 2:
        return f"it gives all {n:,} labelled answers the same value, {scores.frame['value'][0]:g}"
    n_yes = int(scores.is_yes.sum())
    if scores.kind == "binary" and min(n_yes, n - n_yes) < LEAST_OF_EACH:
        return f"{n_yes:,} yes and {n - n_yes:,} no; label at least {LEAST_OF_EACH} of each"
    if scores.kind == "graded" and len(set(scores.targets.tolist())) < 2:
        return f"all {n:,} labelled answers have the same grade, {scores.targets[0]:g}"
    return ""


@dataclass(frozen=True, slots=True)
class SystemRate:
    """A system's rate of yes (or its mean grade), by metric and by people.

    Raters that are tied count as half a yes. `reported` is the share of the metric's yes verdicts over all `n_rows` answers with a value; None for
    grades. `labels_alone` is the rate of the `n_labels` labelled answers. `corrected` is from
    prediction-powered inference: right if the labelled answers are a random sample. `from_errors` is from
    the metric's sensitivity and specificity (Rogan & Gladen): right if the metric errs equally often on
    labelled and other answers; `own_errors` says whether they were measured on this system's labels only
    or on those of all systems. `notes` say what is missing and why.
    """

    system: str
    n_rows: int
    n_labels: int
    reported: Estimate | None
    corrected: CorrectedRate | None
    labels_alone: CorrectedRate | None
    from_errors: CorrectedRate | None
    own_errors: bool
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SystemRates:
    """The rates of all systems by one metric; `threshold` is that of its verdicts.

    `is_random` is False if the metric's mean on labelled answers differs from that on the others by more
    than chance: then `corrected` is not to be trusted.
    """

    agreement: MetricAgreement
    threshold: float | None
    systems: tuple[SystemRate, ...]
    is_random: bool = True

    @property
    def correlation(self) -> float:
        """The correlation of the metric with the labels, on which the gain from it depends."""
        scores = self.agreement.scores
        if min(scores.better.std(), scores.targets.std()) <= 0:
            return 0.0
        return max(float(np.corrcoef(scores.better, scores.targets)[0, 1]), 0.0)

    def correlation_at(self, rate: float) -> float:
        """That of answers of which this share is yes, if the metric's values among yes and among no are as on the labels.

        Of all systems together it is higher than of each where their rates differ.
        """
        scores = self.agreement.scores
        yes, no = scores.better[scores.is_yes], scores.better[~scores.is_yes]
        between = np.sqrt(rate * (1 - rate)) * (yes.mean() - no.mean())
        spread = np.sqrt(rate * yes.var() + (1 - rate) * no.var() + between**2)
        return max(float(between / spread), 0.0) if spread else 0.0


def system_rates(run: ScoredRun, agreement: MetricAgreement) -> SystemRates:
    """The rates of every system with scores; none for preferences, or without figures."""
    own = agreement.scores
    if agreement.why_not or own.kind == "preference":
        return SystemRates(agreement, None, ())
    scores = run.collect(
        run.scan()
        .filter((pl.col("metric") == own.metric.metric) & pl.col("value").is_not_null())
        .select("id", "system", pl.col("value") * own.sign)
    )
    # Raters that are tied say half a yes: without these rows the labels were no random sample.
    tied = own.tied.select("id", "system", target=pl.lit(0.5))
    labelled = pl.concat([own.frame.select("id", "system", "target"), tied])
    frame = scores.join(labelled, on=["id", "system"], how="left").sort("id", "system")
    frame = frame.with_columns(centred=pl.col("value") - pl.col("value").mean().over("system"))
    values, targets, centred = (
        frame[name].to_numpy().astype(float) for name in ("value", "target", "centred")
    )
    names, questions = frame["system"].to_numpy(), own.drawn(frame)
    threshold = agreement.threshold if own.kind == "binary" else None
    # A grade that another system got is one that this could have had.
    scale = float(np.nanmin(targets)), float(np.nanmax(targets))
    systems: list[SystemRate] = []
    for system in run.samples.systems:
        of_system = names == system
        if not of_system.any():
            continue
        drawn, known = questions[of_system], targets[of_system]
        n, n_labels = len(drawn), int((~np.isnan(known)).sum())
        reported = from_errors = alone = corrected = None
        own_errors, notes = False, list[str]()
        if n_labels >= LEAST_LABELS:
            pairs = values[of_system], known
            alone = prediction_powered(*pairs, questions=drawn, scale=scale, tuning=0.0)
            corrected = prediction_powered(*pairs, questions=drawn, scale=scale)
        else:
            notes.append(f"{n_labels} labels; a corrected rate needs {LEAST_LABELS}")
        if threshold is not None:
            said = values >= own.sign * threshold
            yes = said[of_system].astype(float)
            share = float(yes.mean())
            reported = Estimate(share, *(share_interval(share, n) if n > 1 else (None, None)))
            if own.clusters is not None:  # by resampling, if questions are drawn in clusters
                reported = share_estimate(mean_of(yes), n, QuestionResamples(drawn))
            # The labels of a single system are those of all systems.
            n_least = int(min((known == 1).sum(), (known == 0).sum()))
            own_errors = bool(of_system.all()) or n_least >= LEAST_OF_EACH_CLASS
            used = np.where(of_system, targets, np.nan) if own_errors else targets
            from_errors = rogan_gladen(said, used, questions=questions, in_rate=of_system)
            if from_errors is None:
                why = "the metric is no better than chance on the labels, so its errors correct nothing"
                notes.append(why)
            elif not own_errors:
                few = f"{n_least} labels of a class, fewer than {LEAST_OF_EACH_CLASS}"
                how = "errors measured on all systems, as if it erred equally often on each"
                notes.append(f"{few}: {how}")
        systems.append(
            SystemRate(
                *(system, n, n_labels, reported, corrected, alone, from_errors, own_errors),
                notes=tuple(notes),
            )
        )
    is_random = _is_random(centred, ~np.isnan(targets), questions)
    return SystemRates(agreement, threshold, tuple(systems), is_random)


def _is_random(values: Floats1d, labelled: "Bools", questions: "Ints") -> bool:
    """Whether the metric's mean on labelled rows is within chance of that on the others; values are centred by system."""
    if labelled.all() or not labelled.any():
        return True
    n = int(labelled.sum()), int((~labelled).sum())
    moves = (values - values.mean()) * np.where(labelled, 1 / n[0], -1 / n[1])
    by_question = np.bincount(questions, weights=moves)
    # At least as if rows were independent: a few rows that happen to be equal show no spread.
    alone = float(values.var()) * (1 / n[0] + 1 / n[1])
    error = max(float((by_question**2).sum()), alone) ** 0.5
    difference = abs(values[labelled].mean() - values[~labelled].mean())
    return bool(error == 0 or difference <= NOT_RANDOM * error)
