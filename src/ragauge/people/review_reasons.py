"""Why an answer should be looked at by a person: metrics that contradict each other, or are undecided."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, cast, get_args

from ragauge.engine.batch import DISPUTE, without_judge
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


Reasoned = tuple[Answer, ReviewReason]


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
        import polars as pl

        parts, judges, names = [*self._parts()], [*self._judges()], self._names
        # Scores that their metric marks for a reason of its own, such as a quote that is in no context.
        explained = {answer for answer, _ in (*parts, *judges)}
        rows = self.scores.filter("is_marked")
        marked = _reasons(rows, "marked", lambda metric: f"{names[metric]} is marked for review")
        reasons = [*parts, *judges, *self._judge_and_offline()]
        reasons += [each for each in marked if each[0] not in explained]
        # Rounded, or 0.6 would be farther than 0.1 from 0.5 and 0.4 nearer.
        near = self.scores.filter(pl.col("distance").round(9) <= self.margin)
        near = near.sort("distance", *ANSWER).select(*ANSWER, "metric", "distance")
        for id, system, metric, apart in near.iter_rows():
            says = f"{names[metric]} is near its threshold"
            reasons.append(((id, system), ReviewReason("threshold", says, cast(float, apart))))
        found: dict[Answer, list[ReviewReason]] = {}
        for answer, reason in reasons:
            known = found.setdefault(answer, [])
            if all(reason.says != other.says for other in known):
                known.append(reason)
        return found

    @cached_property
    def scores(self) -> "pl.DataFrame":
        """The values of these metrics: id, system, metric, value, is_marked, is_yes, distance."""
        import polars as pl

        marked = pl.col("flags").list.contains(str(Flag.NEEDS_REVIEW)).fill_null(value=False)
        rows = self.run.scan().filter(pl.col("metric").is_in(list(self._names)))
        frame = self.run.collect(rows.select("id", "system", "metric", "value", is_marked=marked))
        scales = [
            (each.metric, self.thresholds[each.metric], each.low, each.high, each.lower_is_better)
            for each in {each.metric: each for each in self.displays}.values()
            if each.metric in self.thresholds
        ]
        numbers = dict.fromkeys(("threshold", "low", "high"), pl.Float64) | {"is_low": pl.Boolean}
        known = pl.DataFrame(scales, schema={"metric": pl.String, **numbers}, orient="row")
        value, threshold = pl.col("value"), pl.col("threshold")
        is_yes = pl.when("is_low").then(value <= threshold).otherwise(value >= threshold)
        width = pl.col("high") - pl.col("low")  # null if the scale is open
        distance = (value - threshold).abs() / pl.when(width > 0).then(width)
        return (
            frame.join(known, on="metric", how="left")
            .with_columns(is_yes=is_yes, distance=distance)
            .drop(numbers)
        )

    @cached_property
    def _names(self) -> dict[str, str]:
        return {display.metric: display.name for display in self.displays}

    def _of(self, *names: str) -> list[str]:
        """The labels of the metrics with these bare names."""
        return [each.metric for each in self.displays if bare_name(each.metric) in names]

    def _parts(self) -> Iterator[Reasoned]:
        """Seed rule: the fuzzy match and the judge's verdict differ, or one could not be scored."""
        import polars as pl

        for label in self._of(COMPOSITE):
            rows = self.scores.filter((pl.col("metric") == label) & pl.col("is_marked"))
            wanted = (pl.col("metric") == label) & pl.col("id").is_in(rows["id"].unique().to_list())
            evidence = self.run.source.scan_evidence().filter(wanted)
            stored = collected(evidence, self.run.folder).select(*ANSWER, "evidence")
            both = rows.join(stored, on=ANSWER, how="left", maintain_order="left")
            for id, system, text in both.select(*ANSWER, "evidence").iter_rows():
                found = cast("dict[str, object]", json.loads(text)) if text else {}
                left_out = found.get("left_out")
                if left_out and isinstance(left_out, dict):
                    missing = next(iter(cast("dict[str, str]", left_out)))
                    reason = ReviewReason("unscored", f"{missing} could not be scored")
                else:
                    reason = ReviewReason("parts", "fuzzy_match and gpt_score disagree")
                yield (id, system), reason

    def _judges(self) -> Iterator[Reasoned]:
        """Several judges of one metric whose values are far apart."""
        import polars as pl

        plain = {label: without_judge(label) for label in self._names if "judge=" in label}
        value = pl.col("value")
        apart = (
            self.scores.filter(pl.col("metric").is_in(list(plain)) & value.is_not_null())
            .with_columns(pl.col("metric").replace(plain))
            .group_by("metric", *ANSWER)
            .agg(range=value.max() - value.min())
            .filter(pl.col("range") >= DISPUTE)
        )
        yield from _reasons(apart, "judges", lambda metric: f"the judges of {metric} disagree")

    def _judge_and_offline(self) -> Iterator[Reasoned]:
        """A judge whose verdict is not that of the offline metric."""
        import polars as pl

        # The metric that gives the verdict without a judge.
        offline = next((label for name in OFFLINE for label in self._of(name)), None)
        if offline is None:
            return
        own = self.scores.filter(pl.col("metric") == offline).select(*ANSWER, offline="is_yes")
        for label in self._of(*JUDGED):
            if self._of(COMPOSITE) and {bare_name(label), bare_name(offline)} == PARTS:
                continue  # `answer_match` says so
            both = self.scores.filter(pl.col("metric") == label).join(own, on=ANSWER)
            differ = both.filter(pl.col("is_yes") != pl.col("offline"))
            says = f"{self._names[label]} and {self._names[offline]} disagree"
            yield from _reasons(differ, "offline", lambda _, says=says: says)


def _reasons(
    rows: "pl.DataFrame", kind: ReasonKind, says: Callable[[str], str]
) -> Iterator[Reasoned]:
    """A reason for each row, in the order of metrics and answers; its text follows from the metric."""
    for metric, id, system in rows.select("metric", *ANSWER).sort("metric", *ANSWER).iter_rows():
        yield (id, system), ReviewReason(kind, says(metric))


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
        # The judges' verdicts on the answer, and the first offline metric that the run has.
        metrics = [(bare_name(each.metric), each) for each in run.metrics]
        judged = [each for name, each in metrics if name in (COMPOSITE, *JUDGED)]
        offline = [each for wanted in OFFLINE for name, each in metrics if name == wanted]
        shown = tuple(each for each in (*judged, *offline[:1]) if not each.unavailable)
    own = {run.metric(name).metric: value for name, value in thresholds.items()}
    middles = {each.metric: each.middle for each in shown if each.middle is not None}
    return ReviewedMetrics(run, shown, {**middles, **own}, margin)


def metrics_about(run: ScoredRun, about: str) -> tuple[MetricDisplay, ...]:
    """The metrics that a name means: a label, a shown name, or the bare name of several variants."""
    found = tuple(
        each for each in run.metrics if about in (each.metric, each.name, bare_name(each.metric))
    )
    if not found:
        known = list(dict.fromkeys(bare_name(each.metric) for each in run.metrics))
        hint = did_you_mean(about, known) or f"; it has {', '.join(known)}"
        raise PlanError(f"the run has no metric {about!r}{hint}")
    return found


def bare_name(metric: str) -> str:
    """The name of a metric without its settings; a check's name as it is."""
    try:
        return Label.parse(metric).name
    except LabelError:
        return metric
