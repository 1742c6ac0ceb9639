"""Reviewing: what is next for a person, and saving what they say."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, cast

from ragauge.errors import PlanError
from ragauge.people.review_labels import (
    LabelLog,
    Retraction,
    ReviewLabel,
    Round,
    RunLabels,
    SamplePlace,
    Value,
    note_problems,
    rater_problems,
    says,
    value_problems,
)
from ragauge.people.review_queue import ReviewItem, ReviewQueue
from ragauge.people.review_verdicts import AnswerLabels, ReviewLabels, applied
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.numbers import number

Task = Literal["label", "settle", "done"]
YES_NO = {True: "yes", False: "no", None: ""}
MAX_MORE_DIGITS = 4
"""Decimals that a score near its threshold may have beyond those of its metric."""


@dataclass(frozen=True, slots=True)
class AutomaticVerdict:
    """A metric's score of an answer, and whether it is a yes; None without a value or a threshold."""

    metric: MetricDisplay
    value: float | None
    is_yes: bool | None
    why_not: str = ""
    threshold: float | None = None

    @property
    def value_text(self) -> str:
        """The score with enough decimals to differ from its threshold: 0.4996, not 0.500."""
        value, threshold = self.value, self.threshold
        for more in range(MAX_MORE_DIGITS):
            metric = replace(self.metric, digits=self.metric.digits + more)
            text = number(metric, value)
            if (
                None in (value, threshold)
                or value == threshold
                or text != number(metric, threshold)
            ):
                return text
        return repr(cast(float, value) * self.metric.scale)

    @property
    def text(self) -> str:
        """A metric's score and verdict: "correct 0.94 (yes)"."""
        if self.value is None:
            return f"{self.metric.name} – ({self.why_not})"
        verdict = "" if self.is_yes is None else f" ({YES_NO[self.is_yes]})"
        return f"{self.metric.name} {self.value_text}{verdict}"


@dataclass(frozen=True, slots=True)
class Saved:
    """A label that is stored, and all that people say of the answer now.

    `others` are the labels of other people, which the rater had not seen if `round` is not "adjudication".
    """

    label: ReviewLabel
    answer: AnswerLabels

    @property
    def others(self) -> tuple[ReviewLabel, ...]:
        return tuple(each for each in self.answer.labels if each.rater != self.label.rater)

    def lines(self, automatic: Sequence[AutomaticVerdict]) -> list[str]:
        """What was saved, what others say, and the automatic verdicts, which are shown only now."""
        note = f" – {self.label.note}" if self.label.note else ""
        lines = [f"saved: {says(self.label.value)} · {self.label.rater}{note}"]
        lines += [each.text for each in self.others]
        if self.answer.state == "conflict":
            lines.append("conflict: both labels are kept, and somebody else settles it")
        elif self.answer.state == "settled":
            lines.append(f"settled: {self.answer.verdict}")
        shown = ", ".join(each.text for each in automatic) or "no metric has a score"
        return [*lines, f"automatic: {shown} · answer of {self.label.system}"]


@dataclass(frozen=True)
class Review:
    """The queue of a run and the people who work on it.

    Each answer needs the labels of `opinions` people who are sure. If they contradict each other, somebody
    else settles it. With `settles_only` there is nothing but conflicts, also for those who are part of them.

    >>> import ragauge as rg, tempfile
    >>> rows = [{"id": "q1", "answer": "Rome", "reference": "Rome"}]
    >>> run = rg.evaluate(rows, "exact_match", folder=f"{tempfile.mkdtemp()}/run")
    >>> review = Review(run.review_queue(), opinions=2)
    >>> (item,) = review.pending("ann")
    >>> review.save(item, "ann", 1).answer.verdict, review.pending("ann"), len(review.pending("ben"))
    ('match · ann', [], 1)
    >>> review.save(item, "ben", 0).answer.state
    'conflict'
    >>> review.save(item, "cleo", 1, settles=True).answer.verdict
    'match · cleo, who settled a conflict of ann and ben'
    """

    queue: ReviewQueue
    opinions: int = 1
    settles_only: bool = False

    def __post_init__(self) -> None:
        if self.opinions < 1:
            raise PlanError(f"at least one opinion is needed for each answer, got {self.opinions}")

    def check_rater(self, name: str) -> None:
        """Raise PlanError for a name that no label can have."""
        if problems := rater_problems(name):
            raise PlanError(problems)

    @cached_property
    def stored(self) -> RunLabels:
        """The run's labels on disk, or at its URL."""
        return RunLabels.of(self.queue.run)

    def log(self) -> LabelLog:
        """All labels as they are stored now, also those of other people on other machines."""
        self.stored.refresh()
        return self.stored.read()

    def labels(self, log: LabelLog | None = None) -> ReviewLabels:
        """The labels that hold as they are stored now."""
        log = self.log() if log is None else log
        return applied(log, self.queue.digests, self.queue.about)

    def task(self, answer: AnswerLabels, rater: str) -> Task:
        """What this person can do about an answer."""
        if answer.state == "conflict":
            return "settle" if self.settles_only or rater not in answer.raters else "done"
        if self.settles_only:
            return "done"
        is_done = answer.state == "settled" or rater in answer.raters
        return "done" if is_done or len(answer.sure) >= self.opinions else "label"

    def pending(self, rater: str, labels: ReviewLabels | None = None) -> list[ReviewItem]:
        """The answers that this person can label or settle, conflicts first, otherwise in order."""
        labels = self.labels() if labels is None else labels
        tasks = [(self.task(labels.of(item.answer), rater), item) for item in self.queue.items]
        return [item for wanted in ("settle", "label") for task, item in tasks if task == wanted]

    def save(
        self,
        item: ReviewItem,
        rater: str,
        value: Value,
        note: str = "",
        *,
        settles: bool = False,
        has_seen: bool = False,
    ) -> Saved:
        """Store a label; raises PlanError for an unusable one, StoreError if it cannot be written.

        With `settles` the person has seen what others said, and decides. Without a conflict it is a label
        like any other. With `has_seen` they knew the automatic scores, so the label is not blind. The same
        label again is not stored twice.
        """
        problems = [*rater_problems(rater), *value_problems(value), *note_problems(note)]
        if problems:
            raise PlanError(problems)
        log = self.log()
        answer = self.labels(log).of(item.answer)
        known: tuple[ReviewLabel | None, ...] = answer.labels
        round_: Round = "second" if any(name != rater for name in answer.raters) else "first"
        if settles and answer.is_conflict:
            known, round_ = (answer.adjudication,), "adjudication"
        for each in known:
            if each and (each.rater, each.value, each.note) == (rater, value, note):
                return Saved(each, answer)
        # Who has labelled the answer before, taken back or not, has seen the verdicts.
        own = ((item.id, item.system, self.queue.about), rater, item.digest)
        has_seen = has_seen or any(
            (each.item, each.rater, each.digest) == own for each in log.labels
        )
        label = ReviewLabel(
            *(item.id, item.system, rater, value, item.digest, self.queue.about, note),
            round=round_,
            sample=SamplePlace(self.queue.seed, item.place),
            is_blind=not has_seen,
        )
        self.stored.append(label)
        return Saved(label, self.labels().of(item.answer))

    def undo(self, label: str, rater: str) -> ReviewLabel:
        """Take a label back; it stays in the file. PlanError unless it is this person's and still valid."""
        for each in self.log().valid:
            if each.label == label and each.rater == rater:
                self.stored.append(Retraction(label, rater))
                return each
        raise PlanError(f"{rater!r} has no label {label!r} to take back")

    def automatic(self, item: ReviewItem) -> list[AutomaticVerdict]:
        """The scores that a label is compared with, in the order of the queue's metrics."""
        import polars as pl

        queue = self.queue
        wanted = (pl.col("id") == item.id) & (pl.col("system") == item.system)
        scores = queue.run.scan().filter(wanted).select("metric", "value", "status", "reason")
        rows = {metric: row for metric, *row in queue.run.collect(scores).iter_rows()}
        found: list[AutomaticVerdict] = []
        for metric in {each.metric: each for each in queue.metrics}.values():
            if metric.metric in rows:
                value, status, reason = rows[metric.metric]
                threshold, is_yes = queue.thresholds.get(metric.metric), None
                if value is not None and threshold is not None:
                    is_yes = value <= threshold if metric.lower_is_better else value >= threshold
                why_not = "" if value is not None else (reason or status)
                found.append(AutomaticVerdict(metric, value, is_yes, why_not, threshold))
        return found

    def progress(self, rater: str, labels: ReviewLabels | None = None) -> tuple[int, int]:
        """How many answers of the queue need nothing more of this person, and how many there are."""
        return len(self.queue) - len(self.pending(rater, labels)), len(self.queue)
