"""How well one metric agrees with people's labels."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ragauge.loaders.verdicts import Kind
from ragauge.runs.manifest import MetricDisplay
from ragauge.stats.intervals import Estimate, Floats1d
from ragauge.stats.rank_agreement import kendall_of, spearman_of
from ragauge.stats.resampling import QuestionResamples, mean_of, numbered
from ragauge.stats.score_intervals import area_estimate, share_estimate
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
        """The figure by which metrics are ordered: AUROC, Spearman's correlation or pairwise agreement."""
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
