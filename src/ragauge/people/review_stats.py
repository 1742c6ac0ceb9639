"""Figures of a review: what is done, whether people agree, and how the automatic verdicts compare."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ragauge.errors import DataError
from ragauge.people.rater_agreement import RaterAgreement, rater_agreement
from ragauge.people.review_queue import ReviewQueue
from ragauge.people.review_reasons import KINDS, ReasonKind
from ragauge.people.review_verdicts import (
    STATES,
    ReviewLabels,
    State,
    labels_of_queue,
    verdicts_of_labels,
)
from ragauge.people.verdicts import matched
from ragauge.runs.manifest import MetricDisplay

if TYPE_CHECKING:
    import polars as pl

    from ragauge.stats.thresholds import Confusion


@dataclass(frozen=True, slots=True)
class ReasonCount:
    """Answers of the queue with one kind of reason, and how many of them are in which state."""

    kind: ReasonKind
    n: int
    n_labelled: int
    n_unsure: int
    n_conflicts: int


@dataclass(frozen=True, slots=True)
class RaterCount:
    """The labels of one person. `n_settled` conflicts count apart; `n_seen` labels were not blind."""

    rater: str
    n_match: int
    n_contradict: int
    n_unsure: int
    n_settled: int
    n_seen: int

    @property
    def n(self) -> int:
        return self.n_match + self.n_contradict + self.n_unsure


@dataclass(frozen=True, slots=True)
class VerdictCount:
    """A metric's verdicts beside people's, on the answers that have both."""

    metric: MetricDisplay
    threshold: float
    table: "Confusion"


@dataclass(frozen=True)
class ReviewStats:
    """The figures of a queue and its labels.

    Labels count wherever they are in the run, also on answers that are not in the queue.
    """

    queue: ReviewQueue
    labels: ReviewLabels

    @cached_property
    def states(self) -> Mapping[State, int]:
        """How many answers of the queue are in which state."""
        found = [self.labels.of((item.id, item.system)).state for item in self.queue.items]
        return {state: found.count(state) for state in STATES if state in found}

    @cached_property
    def reasons(self) -> tuple[ReasonCount, ...]:
        """By kind of reason; an answer with several reasons counts for each."""
        counts: list[ReasonCount] = []
        for kind in KINDS:
            states = [
                self.labels.of((item.id, item.system)).state
                for item in self.queue.items
                if kind in item.kinds
            ]
            if states:
                n_labelled = states.count("labelled") + states.count("settled")
                counts.append(
                    ReasonCount(
                        kind,
                        len(states),
                        n_labelled,
                        states.count("unsure"),
                        states.count("conflict"),
                    )
                )
        return tuple(counts)

    @cached_property
    def raters(self) -> tuple[RaterCount, ...]:
        counts: list[RaterCount] = []
        for name in self.labels.raters:
            own = [
                label
                for each in self.labels.answers.values()
                for label in each.labels
                if label.rater == name
            ]
            settled = [
                each.adjudication
                for each in self.labels.answers.values()
                if each.adjudication is not None and each.adjudication.rater == name
            ]
            values = [label.value for label in own]
            counts.append(
                RaterCount(
                    name,
                    values.count(1),
                    values.count(0),
                    values.count(None),
                    len(settled),
                    sum(not label.is_blind for label in (*own, *settled)),
                )
            )
        return tuple(counts)

    @cached_property
    def agreement(self) -> RaterAgreement | None:
        """How well the people agree with each other; None for a single one, or without labels."""
        try:
            verdicts = verdicts_of_labels(self.queue.run, subjects=[self.queue.about])
        except DataError:
            return None
        return rater_agreement(matched(verdicts, self.queue.run), seed=self.queue.seed)

    @cached_property
    def automatic(self) -> tuple[VerdictCount, ...]:
        """The verdicts of each metric with a threshold beside people's, in the order of the queue's metrics."""
        import polars as pl

        rows = [
            (*answer, each.value == 1)
            for answer, each in self.labels.answers.items()
            if each.value is not None
        ]
        types = {"id": pl.String, "system": pl.String, "people": pl.Boolean}
        people = pl.DataFrame(rows, schema=types, orient="row")
        thresholds = self.queue.thresholds
        counts = [
            self._compared(metric, thresholds[metric.metric], people)
            for metric in self.queue.metrics
            if metric.metric in thresholds
        ]
        return tuple(count for count in counts if count.table.n)

    def _compared(
        self, metric: MetricDisplay, threshold: float, people: "pl.DataFrame"
    ) -> VerdictCount:
        import polars as pl

        from ragauge.stats.thresholds import confusion

        value = pl.col("value")
        is_yes = value <= threshold if metric.lower_is_better else value >= threshold
        run = self.queue.run
        scores = run.collect(
            run.scan()
            .filter((pl.col("metric") == metric.metric) & value.is_not_null())
            .select("id", "system", is_yes=is_yes)
        )
        both = people.join(scores, on=["id", "system"])
        table = confusion(both["is_yes"].to_numpy(), both["people"].to_numpy())
        return VerdictCount(metric, threshold, table)


def review_stats(queue: ReviewQueue) -> ReviewStats:
    """The figures of a queue and the labels that its run has now."""
    return ReviewStats(queue, labels_of_queue(queue))
