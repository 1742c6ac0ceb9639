"""Each system's rate: as the metric reports it, and corrected with people's labels."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ragauge.people.metric_agreement import LabelledScores, MetricAgreement
from ragauge.runs.scored_run import ScoredRun
from ragauge.stats.corrected_rates import CorrectedRate, prediction_powered, rogan_gladen
from ragauge.stats.intervals import Estimate, Floats1d, share_interval
from ragauge.stats.resampling import QuestionResamples, mean_of
from ragauge.stats.score_intervals import share_estimate

if TYPE_CHECKING:
    Bools = NDArray[np.bool_]
    Ints = NDArray[np.int64]

LEAST_LABELS = 10
"""Fewest labels of a system for its corrected rate."""
LEAST_OF_EACH_CLASS = 10
"""Fewest labels of each class for a system's own errors; with fewer, those of all systems are used."""
NOT_RANDOM = 3.0
"""Standard errors from which labelled rows are said to differ from the others."""


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
    arrays = (frame[name].to_numpy().astype(float) for name in ("value", "target", "centred"))
    rows = _Rows(own, frame["system"].to_numpy(), own.drawn(frame), *arrays)
    threshold = agreement.threshold if own.kind == "binary" else None
    systems = tuple(
        _system_rate(rows, name, threshold)
        for name in run.samples.systems
        if (rows.systems == name).any()
    )
    return SystemRates(agreement, threshold, systems, _is_random(rows))


@dataclass(frozen=True)
class _Rows:
    """All rows with a value, (n,) each: `values` higher where better, `targets` NaN without a label, `centred` by system."""

    scores: LabelledScores
    systems: "NDArray[np.object_]"
    questions: "Ints"
    values: Floats1d
    targets: Floats1d
    centred: Floats1d


def _system_rate(rows: _Rows, system: str, threshold: float | None) -> SystemRate:
    of_system = rows.systems == system
    values, targets = rows.values[of_system], rows.targets[of_system]
    n, n_labels = len(values), int((~np.isnan(targets)).sum())
    n_least = int(min((targets == 1).sum(), (targets == 0).sum()))
    notes: list[str] = []
    reported = from_errors = alone = corrected = None
    own_errors = False
    if n_labels >= LEAST_LABELS:
        drawn = rows.questions[of_system]
        alone = prediction_powered(values, targets, questions=drawn, tuning=0.0)
        corrected = prediction_powered(values, targets, questions=drawn)
    else:
        notes.append(f"{n_labels} labels; a corrected rate needs {LEAST_LABELS}")
    if threshold is not None:
        said = rows.values >= rows.scores.sign * threshold
        yes = said[of_system].astype(float)
        share = float(yes.mean())
        reported = Estimate(share, *(share_interval(share, n) if n > 1 else (None, None)))
        if rows.scores.clusters is not None:  # by resampling, if questions are drawn in clusters
            resamples = QuestionResamples(rows.questions[of_system])
            reported = share_estimate(mean_of(yes), n, resamples)
        # The labels of a single system are those of all systems.
        own_errors = bool(of_system.all()) or n_least >= LEAST_OF_EACH_CLASS
        known = np.where(of_system, rows.targets, np.nan) if own_errors else rows.targets
        from_errors = rogan_gladen(said, known, questions=rows.questions, in_rate=of_system)
        if from_errors is None:
            why = "the metric is no better than chance on the labels, so its errors correct nothing"
            notes.append(why)
        elif not own_errors:
            few = f"{n_least} labels of a class, fewer than {LEAST_OF_EACH_CLASS}"
            how = "errors measured on all systems, as if it erred equally often on each"
            notes.append(f"{few}: {how}")
    return SystemRate(
        system,
        n,
        n_labels,
        reported=reported,
        corrected=corrected,
        labels_alone=alone,
        from_errors=from_errors,
        own_errors=own_errors,
        notes=tuple(notes),
    )


def _is_random(rows: _Rows) -> bool:
    """Whether the metric's mean on labelled rows is within chance of that on the others, by system."""
    labelled = ~np.isnan(rows.targets)
    if labelled.all() or not labelled.any():
        return True
    values = rows.centred
    n = int(labelled.sum()), int((~labelled).sum())
    moves = (values - values.mean()) * np.where(labelled, 1 / n[0], -1 / n[1])
    by_question = np.bincount(rows.questions, weights=moves)
    # At least as if rows were independent: a few rows that happen to be equal show no spread.
    alone = float(values.var()) * (1 / n[0] + 1 / n[1])
    error = max(float((by_question**2).sum()), alone) ** 0.5
    difference = abs(values[labelled].mean() - values[~labelled].mean())
    return bool(error == 0 or difference <= NOT_RANDOM * error)
