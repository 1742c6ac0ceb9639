"""Calibrate a run's metrics against people's labels: agreement, thresholds, corrected rates."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import polars as pl

from ragauge.comparing.scores import clusters_of
from ragauge.errors import PlanError
from ragauge.loaders.formats.frames import rows_table
from ragauge.loaders.labels import Kind, Verdicts, load_verdicts
from ragauge.people.metric_agreement import (
    LabelledScores,
    MetricAgreement,
    SystemRates,
    metric_agreement,
    system_rates,
)
from ragauge.people.rater_agreement import Ceiling, RaterAgreement, ceiling, rater_agreement
from ragauge.people.review_verdicts import is_label_log
from ragauge.people.verdicts import MatchedLabels, matched, verdicts_of_labels
from ragauge.report.report import Report
from ragauge.report.writing import to_html, to_terminal
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.scored_run import ScoredRun
from ragauge.stats.corrected_rates import LabelNeed, labels_needed
from ragauge.stats.intervals import Estimate
from ragauge.storage.regular_file import exists

MARGINS = (0.02, 0.03, 0.05, 0.1)
LABELLED = ("id", "system", "other", "value", "target", "n_raters")


@dataclass(frozen=True, repr=False)
class Calibration:
    """How far each metric of a run agrees with people, and the rates that follow.

    `metrics` has every metric of the run that has values, the best first; one without figures says why
    in `why_not`. `raters` is the agreement of the raters with each other, None for a single rater.
    `unscored` names the metrics without any value.
    """

    run: ScoredRun
    labels: MatchedLabels
    metrics: tuple[MetricAgreement, ...]
    raters: RaterAgreement | None
    seed: int
    unscored: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return to_terminal(self.report)

    def _repr_html_(self) -> str:
        return to_html(self.report)

    @property
    def report(self) -> Report:
        """The first screen of `ragauge calibrate`."""
        from ragauge.people.calibration import calibration_report

        return calibration_report(self)

    @property
    def kind(self) -> Kind:
        return self.labels.kind

    @property
    def notes(self) -> tuple[str, ...]:
        """What was read how, and which labels do not count."""
        more = () if self.raters is None else self.raters.notes
        unscored = [f"no answer has a value of {', '.join(self.unscored)}"] if self.unscored else []
        return (*self.labels.notes, *more, *unscored)

    @property
    def best(self) -> MetricAgreement | None:
        """The metric that agrees best; None if none has figures."""
        return next((each for each in self.metrics if not each.why_not), None)

    def metric(self, name: str) -> MetricAgreement:
        """The agreement of the metric with this label or shown name; PlanError if there is none."""
        display = self.run.metric(name)
        for each in self.metrics:
            if each.metric.metric == display.metric:
                return each
        raise PlanError(f"{name!r} was not calibrated: it has no values, or was not selected")

    def ceiling(self, name: str) -> Ceiling | None:
        """A metric's agreement with one person beside that of two people; None for a single rater."""
        return ceiling(self.metric(name), self.labels, seed=self.seed)

    def rates(self, name: str) -> SystemRates:
        """Each system's rate: as the metric reports it, and corrected."""
        return system_rates(self.run, self.metric(name))

    def label_plan(
        self, name: str, margins: Sequence[float] = MARGINS
    ) -> "Mapping[str, tuple[LabelNeed, ...]]":
        """The labels that each system needs for a rate within ± each margin, with this metric's quality.

        Answers count as independent, also where `cluster` was given: clusters need more labels.
        """
        rates = self.rates(name)
        if self.kind != "binary":
            raise PlanError("a label plan is for labels of yes and no")
        plans: dict[str, tuple[LabelNeed, ...]] = {}
        for each in rates.systems:
            estimate, least = each.corrected or each.from_errors, 0.5 / max(each.n_labels, 1)
            rate = 0.5 if estimate is None else min(max(estimate.value, least), 1 - least)
            assumed = {"rate": rate, "correlation": rates.correlation_at(rate)}
            needs = (labels_needed(margin, **assumed, n_rows=each.n_rows) for margin in margins)
            plans[each.system] = tuple(needs)
        return plans

    def disagreements(self, name: str, n: int = 10) -> "pl.DataFrame":
        """The labelled answers on which a metric and people differ most: id, system, people, value, apart.

        `apart` in [0, 1] is the distance of the answer's rank by the metric from its label (or from its
        rank by the grades). Yes-or-no labels: only answers whose verdict is wrong at the threshold. For
        preferences `system` is preferred to `other`, and `value` is how much worse the metric scores it.
        """
        agreement, target = self.metric(name), pl.col("target")
        scores = agreement.scores
        frame = scores.frame.with_columns(better=pl.Series(scores.better, dtype=pl.Float64))
        if scores.kind == "preference":
            # The preferred system first, whichever the label named first.
            system, other = (
                pl.when(target > 0).then(first).otherwise(second)
                for first, second in (("system", "other"), ("other", "system"))
            )
            value, apart = target * pl.col("value"), pl.col("better").abs()
            found = frame.filter(pl.col("better") * target < 0).select(
                "id", system=system, other=other, value=value, apart=apart
            )
        else:
            rank, rank_of_target = (
                (pl.col(name).rank("average") - 0.5) / pl.len() for name in ("better", "target")
            )
            apart = (rank - (rank_of_target if scores.kind == "graded" else target)).abs()
            found = frame.select(
                "id", "system", "better", people=target, value="value", apart=apart
            )
            if scores.kind == "binary" and (threshold := agreement.threshold) is not None:
                says_yes = pl.col("better") >= scores.sign * threshold
                found = found.filter(says_yes != (pl.col("people") > 0.5))
            found = found.drop("better")
        return found.sort("apart", "id", "system", descending=[True, False, False]).head(n)

    @cached_property
    def frame(self) -> "pl.DataFrame":
        """One row for each metric: its figures with `_low` and `_high`, thresholds, counts, `why_not`."""
        return pl.DataFrame([*map(_row, self.metrics)], infer_schema_length=None, strict=False)


def calibrate(
    run: ScoredRun,
    labels: object = None,
    *,
    metrics: Sequence[str] = (),
    thresholds: Mapping[str, float] | None = None,
    map: Mapping[str, str | Sequence[str]] | None = None,
    yes: Collection[str] = (),
    yes_from: float | None = None,
    skip: Collection[str] = (),
    kind: Kind | None = None,
    sample_only: bool = False,
    cluster: str | None = None,
    seed: int | None = None,
) -> Calibration:
    """Compare the metrics of a run with people's labels; see `Run.calibrate`."""
    is_own = labels is None or is_label_log(labels, run.folder)
    if is_own and any((map, yes, yes_from, skip, kind)):
        raise PlanError(
            "the labels of a run need no map, yes, yes_from, skip or kind: they are yes and no"
        )
    if sample_only and not is_own:
        raise PlanError(
            "only the labels of the run's own review queue say which answers were drawn at random"
        )
    if not is_own and is_label_log(labels, None):
        how = "copy those that still apply with: ragauge review import"
        raise PlanError(f"{labels} has the labels of another run; {how}")
    if is_own:
        verdicts = verdicts_of_labels(run, is_sample_only=sample_only)
    elif isinstance(labels, Verdicts):
        verdicts = labels
    else:
        is_field = isinstance(labels, str | Path) and str(labels) in run.samples.slice_fields
        if is_field and not exists(str(labels)):  # a field of the samples, and no file
            rows = run.samples.frame.select("id", "system", value=str(labels))
            labels = rows_table(rows.to_dicts(), f"field {str(labels)!r}")
        verdicts = load_verdicts(labels, map=map, yes=yes, yes_from=yes_from, skip=skip, kind=kind)
    seed = run.manifest.seed if seed is None else seed
    if metrics:
        chosen = [run.metric(name) for name in dict.fromkeys(metrics)]
    else:
        has_value = run.scan().filter(pl.col("value").is_not_null())
        known = {*run.collect(has_value.select("metric").unique())["metric"]}
        chosen = [*{each.metric: each for each in run.metrics if each.metric in known}.values()]
    if not chosen:
        raise PlanError("no metric of the run has a value, so there is nothing to compare")
    at: dict[str, float] = {}
    problems: list[str] = []
    for name, value in (thresholds or {}).items():
        metric = run.metric(name)
        low = -math.inf if metric.low is None else metric.low
        high = math.inf if metric.high is None else metric.high
        if not math.isfinite(value) or not low <= value <= high:
            scale = f"the scale of {name}, {low:g} to {high:g}"
            problems.append(f"the threshold {value:g} is not on {scale}")
        at[metric.metric] = value
    if problems:
        raise PlanError(problems)
    clusters = None if cluster is None else clusters_of(run, cluster)
    found = matched(verdicts, run)
    if clusters is not None:
        n = len({clusters[id] for id in found.frame["id"]})
        note = f"questions of one {cluster} are drawn together: {n:,} clusters"
        found = replace(found, notes=(*found.notes, note))
    agreements = [
        metric_agreement(
            _labelled(run, found, metric, clusters),
            set_threshold=at.get(metric.metric, metric.middle),
            seed=seed,
        )
        for metric in chosen
    ]
    agreements.sort(key=surest_first)
    known = {metric.metric for metric in chosen}
    unscored = () if metrics else [each.name for each in run.metrics if each.metric not in known]
    raters = rater_agreement(found, seed=seed, clusters=clusters)
    names = tuple(dict.fromkeys(unscored))
    return Calibration(run, found, tuple(agreements), raters, seed, names)


def surest_first(agreement: MetricAgreement) -> tuple[int, float, float]:
    """The order by the lower end of the interval: an area of 1 on six labels may be chance. Without interval or figures last."""
    if (found := agreement.main) is None:
        return 2, 0.0, 0.0
    return (1, 0.0, -found.value) if found.low is None else (0, -found.low, -found.value)


def _labelled(
    run: ScoredRun, labels: MatchedLabels, metric: MetricDisplay, clusters: Mapping[str, str] | None
) -> LabelledScores:
    """The labelled answers of a metric with their values and targets."""
    values = run.collect(
        run.scan()
        .filter((pl.col("metric") == metric.metric) & pl.col("value").is_not_null())
        .select("id", "system", "value")
    )
    frame = labels.targets(metric).join(values, on=["id", "system"], how="left")
    if labels.kind == "preference":
        others = values.rename({"system": "other", "value": "of_other"})
        difference = pl.col("value") - pl.col("of_other")
        frame = frame.join(others, on=["id", "other"], how="left").with_columns(difference)
    scored = frame.drop_nulls("value").sort("id", "system", "other").select(LABELLED)
    untied, tied = (scored.filter(pl.col("target").is_null() == each) for each in (False, True))
    n_unscored = frame.height - scored.height
    return LabelledScores(metric, labels.kind, untied, tied, n_unscored, clusters)


def _row(agreement: MetricAgreement) -> dict[str, object]:
    """The figures of a metric as a row of the frame."""
    scores = agreement.scores
    row: dict[str, object] = {"metric": agreement.metric.metric, "name": agreement.name}
    row |= {"n": agreement.n, "n_questions": scores.frame["id"].n_unique()}

    def add(name: str, found: Estimate | None) -> None:
        row[name] = None if found is None else found.value
        row[f"{name}_low"] = None if found is None else found.low
        row[f"{name}_high"] = None if found is None else found.high

    if scores.kind == "binary":
        n_yes = int(scores.is_yes.sum())
        row |= {"n_yes": n_yes, "n_no": agreement.n - n_yes}
        add("auroc", agreement.auroc)
        for where, threshold, quality in (
            ("set", agreement.set_threshold, agreement.at_set),
            ("best", agreement.best_threshold, agreement.at_best),
        ):
            row[f"{where}_threshold"] = threshold
            for name in ("balanced_accuracy", "kappa", "alpha"):
                add(f"{name}_at_{where}", quality and getattr(quality, name))
            for name in ("both_yes", "only_metric", "only_people", "both_no"):
                row[f"{name}_at_{where}"] = quality and getattr(quality.table, name)
    for name in {"graded": ("spearman", "kendall"), "preference": ("pairwise",)}.get(
        scores.kind, ()
    ):
        add(name, getattr(agreement, name))
    row |= {"n_tied": scores.n_tied, "n_unscored": scores.n_unscored}
    return row | {"why_not": agreement.why_not or None}
