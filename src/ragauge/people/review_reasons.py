"""Why an answer should be looked at by a person: metrics that contradict each other, or are undecided."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Literal, cast, get_args

from ragauge.engine.judged_scores import DISPUTE, without_judge
from ragauge.errors import LabelError, PlanError, did_you_mean
from ragauge.label import Label
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.scores import collected
from ragauge.score import Flag

if TYPE_CHECKING:
    import polars as pl

ReasonKind = Literal["parts", "judges", "offline", "marked", "threshold", "unscored", "sample"]
KINDS: tuple[ReasonKind, ...] = get_args(ReasonKind)
"""The kinds of reasons, in the order in which people see their answers."""
DISPUTES = KINDS[:4]

N_SAMPLE = 50
MARGIN = 0.1

COMPOSITE = "answer_match"
JUDGED = ("gpt_score", "answer_class", "factual_correctness", "factual_accuracy")
"""Judges' verdicts on whether an answer matches the reference."""
OFFLINE = ("correct", "fuzzy_match", "exact_match", "number_match", "keyword_coverage", "token_f1")
"""The same without a judge: the first that a run has gives the offline verdict."""
PARTS = {"fuzzy_match", "gpt_score"}

Answer = tuple[str, str]
"""The id of a question, and a system."""
ANSWER = ("id", "system")
"""The columns of an answer."""


@dataclass(frozen=True, slots=True)
class ReviewReason:
    """Why an answer is in the review queue, in words that do not reveal any verdict.

    `kind`: "parts" (the parts of `answer_match` disagree), "judges" (two judges disagree), "offline" (a judge
    disagrees with the offline metric), "marked" (a metric marked the score for review), "threshold" (a value
    is near its threshold), "unscored" (a part of `answer_match` has no value), "sample" (drawn at random).
    `distance` is how far the value is from the threshold, as a share of the scale.
    """

    kind: ReasonKind
    says: str
    distance: float = 0.0

    @property
    def is_dispute(self) -> bool:
        return self.kind in DISPUTES


@dataclass(frozen=True)
class ReviewedMetrics:
    """The metrics whose verdicts decide what is reviewed, with the threshold of each.

    `thresholds` are by label; a metric without one, on an open scale, gives no verdict.
    """

    run: ScoredRun
    displays: tuple[MetricDisplay, ...]
    thresholds: Mapping[str, float]
    margin: float

    def reasons(self) -> dict[Answer, list[ReviewReason]]:
        """The reasons by answer: disputes, then values near their threshold."""
        found: dict[Answer, list[ReviewReason]] = {}
        for answer, reason in (
            *self._parts(),
            *self._judges(),
            *self._judge_and_offline(),
            *self._marked(),
            *self._near_threshold(),
        ):
            known = found.setdefault(answer, [])
            if all(reason.says != other.says for other in known):
                known.append(reason)
        return found

    @cached_property
    def scores(self) -> "pl.DataFrame":
        """The values of these metrics: id, system, metric, value, is_marked, is_yes, distance."""
        import polars as pl

        labels = list({display.metric for display in self.displays})
        marked = pl.col("flags").list.contains(str(Flag.NEEDS_REVIEW)).fill_null(value=False)
        rows = self.run.scan().filter(pl.col("metric").is_in(labels))
        frame = self.run.collect(rows.select("id", "system", "metric", "value", is_marked=marked))
        scales = pl.DataFrame(
            [
                (display.metric, threshold, _width(display), display.lower_is_better)
                for display in {each.metric: each for each in self.displays}.values()
                if (threshold := self.thresholds.get(display.metric)) is not None
            ],
            schema={
                "metric": pl.String,
                "threshold": pl.Float64,
                "width": pl.Float64,
                "is_low": pl.Boolean,
            },
            orient="row",
        )
        return frame.join(scales, on="metric", how="left").select(
            "id",
            "system",
            "metric",
            "value",
            "is_marked",
            is_yes=pl.when("is_low")
            .then(pl.col("value") <= pl.col("threshold"))
            .otherwise(pl.col("value") >= pl.col("threshold")),
            distance=(pl.col("value") - pl.col("threshold")).abs() / pl.col("width"),
        )

    @cached_property
    def _names(self) -> dict[str, str]:
        return {display.metric: display.name for display in self.displays}

    def _of(self, *names: str) -> list[str]:
        """The labels of the metrics with these bare names."""
        return [each.metric for each in self.displays if bare_name(each.metric) in names]

    def _parts(self) -> Iterator[tuple[Answer, ReviewReason]]:
        """Seed rule: the fuzzy match and the judge's verdict differ, or one could not be scored."""
        import polars as pl

        for label in self._of(COMPOSITE):
            rows = self.scores.filter((pl.col("metric") == label) & pl.col("is_marked"))
            ids = rows["id"].unique().to_list()
            wanted = (pl.col("metric") == label) & pl.col("id").is_in(ids)
            stored = collected(
                self.run.source.scan_evidence().filter(wanted), self.run.folder
            ).select("id", "system", "evidence")
            both = rows.join(stored, on=ANSWER, how="left", maintain_order="left")
            for id, system, evidence in both.select("id", "system", "evidence").iter_rows():
                if missing := _left_out(evidence):
                    reason = ReviewReason("unscored", f"{missing[0]} could not be scored")
                else:
                    reason = ReviewReason("parts", "fuzzy_match and gpt_score disagree")
                yield (id, system), reason

    def _judges(self) -> Iterator[tuple[Answer, ReviewReason]]:
        """Several judges of one metric whose values are far apart."""
        import polars as pl

        judged = [each.metric for each in self.displays if "judge=" in each.metric]
        plain = {label: without_judge(label) for label in judged}
        apart = (
            self.scores.filter(pl.col("metric").is_in(judged) & pl.col("value").is_not_null())
            .with_columns(pl.col("metric").replace(plain))
            .group_by("id", "system", "metric")
            .agg(range=pl.col("value").max() - pl.col("value").min())
            .filter(pl.col("range") >= DISPUTE)
            .sort("metric", "id", "system")
        )
        for id, system, metric in apart.select(*ANSWER, "metric").iter_rows():
            yield (id, system), ReviewReason("judges", f"the judges of {metric} disagree")

    def _judge_and_offline(self) -> Iterator[tuple[Answer, ReviewReason]]:
        """A judge whose verdict is not that of the offline metric."""
        import polars as pl

        offline = self.offline
        if offline is None:
            return
        composed = self._of(COMPOSITE)
        own = self.scores.filter(pl.col("metric") == offline).select(
            "id", "system", offline="is_yes"
        )
        for label in self._of(*JUDGED):
            if composed and {bare_name(label), bare_name(offline)} == PARTS:
                continue  # `answer_match` says so
            both = self.scores.filter(pl.col("metric") == label).join(own, on=ANSWER)
            differ = both.filter(pl.col("is_yes") != pl.col("offline")).sort("id", "system")
            for id, system in differ.select(*ANSWER).iter_rows():
                says = f"{self._names[label]} and {self._names[offline]} disagree"
                yield (id, system), ReviewReason("offline", says)

    @cached_property
    def offline(self) -> str | None:
        """The metric that gives the verdict without a judge; None if the run has none."""
        return next((label for name in OFFLINE for label in self._of(name)), None)

    def _marked(self) -> Iterator[tuple[Answer, ReviewReason]]:
        """Scores that their metric marks for a reason of its own, such as a quote that is in no context."""
        import polars as pl

        explained = {answer for answer, _ in (*self._parts(), *self._judges())}
        rows = self.scores.filter(pl.col("is_marked")).sort("metric", "id", "system")
        for id, system, metric in rows.select(*ANSWER, "metric").iter_rows():
            if (id, system) not in explained:
                yield (
                    (id, system),
                    ReviewReason("marked", f"{self._names[metric]} is marked for review"),
                )

    def _near_threshold(self) -> Iterator[tuple[Answer, ReviewReason]]:
        import polars as pl

        # Rounded, or 0.6 would be farther than 0.1 from 0.5 and 0.4 nearer.
        distance = pl.col("distance").round(9)
        near = self.scores.filter(distance <= self.margin).sort("distance", "id", "system")
        for id, system, metric, apart in near.select(*ANSWER, "metric", "distance").iter_rows():
            says = f"{self._names[metric]} is near its threshold"
            yield (id, system), ReviewReason("threshold", says, cast(float, apart))


def reviewed_metrics(
    run: ScoredRun,
    about: str | None,
    names: Sequence[str],
    thresholds: Mapping[str, float],
    margin: float,
) -> ReviewedMetrics:
    """The metrics that are reviewed: the named ones, those of `about`, or the usual verdicts on answers.

    Raises PlanError for a name that the run does not have.
    """
    if names:
        shown = tuple(run.metric(name) for name in dict.fromkeys(names))
    elif about is not None:
        shown = metrics_about(run, about)
    else:
        shown = _usual(run)
    own = {run.metric(name).metric: value for name, value in thresholds.items()}
    middles = {each.metric: each.middle for each in shown if each.middle is not None}
    return ReviewedMetrics(run, shown, {**middles, **own}, margin)


def _usual(run: ScoredRun) -> tuple[MetricDisplay, ...]:
    """The judges' verdicts on the answer, and the first offline metric that the run has."""
    judged = [each for each in run.metrics if bare_name(each.metric) in (COMPOSITE, *JUDGED)]
    offline = (each for name in OFFLINE for each in run.metrics if bare_name(each.metric) == name)
    return tuple(each for each in (*judged, *islice(offline, 1)) if not each.unavailable)


def metrics_about(run: ScoredRun, about: str) -> tuple[MetricDisplay, ...]:
    """The metrics that a name means: a label, a shown name, or the bare name of several variants."""
    found = tuple(
        each for each in run.metrics if about in (each.metric, each.name, bare_name(each.metric))
    )
    if not found:
        known = list(dict.fromkeys(bare_name(each.metric) for each in run.metrics))
        hint = did_you_mean(about, known) or f"; it has {', '.join(known)}"
        raise PlanError([f"the run has no metric {about!r}{hint}"])
    return found


def bare_name(metric: str) -> str:
    """The name of a metric without its settings; a check's name as it is."""
    try:
        return Label.parse(metric).name
    except LabelError:
        return metric


def _left_out(evidence: str | None) -> list[str]:
    """The parts of a composite without a value."""
    found = cast("dict[str, object]", json.loads(evidence)) if evidence else {}
    left_out = found.get("left_out")
    return list(cast("dict[str, str]", left_out)) if isinstance(left_out, dict) else []


def _width(display: MetricDisplay) -> float | None:
    """The length of the scale; None if it is open or empty."""
    if display.low is None or display.high is None or display.high <= display.low:
        return None
    return display.high - display.low
