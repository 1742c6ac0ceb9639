"""Figures of a review and their report: what is done, how people agree, how verdicts compare."""

from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass
from functools import cached_property
from shlex import quote

import polars as pl

from ragauge.errors import DataError
from ragauge.people.calibration_words import shown_estimate
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
from ragauge.report.plain import counted
from ragauge.report.report import Report, Table
from ragauge.runs.manifest import MetricDisplay
from ragauge.stats.thresholds import Confusion, confusion


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


REASONS: Mapping[ReasonKind, str] = {
    "parts": "fuzzy_match and gpt_score disagree",
    "judges": "judges disagree",
    "offline": "judge and offline metric disagree",
    "marked": "marked by its metric",
    "threshold": "near a threshold",
    "unscored": "a part of answer_match has no score",
    "sample": "random sample",
}


@dataclass(frozen=True)
class StatsScreen:
    """The figures of a review as people read them. Every text is plain; the writers escape it."""

    stats: ReviewStats

    @property
    def headline(self) -> str:
        states = self.stats.states
        n_done = states.get("labelled", 0) + states.get("settled", 0)
        n = len(self.stats.queue)
        parts = [f"{n_done:,} of {counted(n, 'answer')} labelled"]
        parts += [f"{n:,} {name}" for name in ("open", "unsure") if (n := states.get(name))]
        parts += [counted(states["conflict"], "conflict")] if "conflict" in states else []
        return f"{', '.join(parts)}."

    @property
    def report(self) -> Report:
        """What is labelled, how far people agree, and how the automatic verdicts compare."""
        tables = (
            (("reason", "answers", "labelled", "unsure", "conflicts"), self.reasons),
            (("person", "match", "contradict", "unsure", "settled", "not blind"), self.raters),
            (
                ("metric", "both yes", "metric only", "people only", "both no", "agree"),
                self.automatic,
            ),
        )
        return Report(
            self.headline,
            tables=[Table(header, rows, wraps=True) for header, rows in tables if rows],
            notes=[*self.notes, *([self.agreement] if self.agreement else [])],
            commands=self.commands,
            data=lambda: stats_json(self.stats),
        )

    @property
    def notes(self) -> list[str]:
        labels, queue = self.stats.labels, self.stats.queue
        notes = list(labels.notes)
        if labels.n_stale:
            n = counted(labels.n_stale, "label")
            notes.append(f"{n} not applied: question, answer or references have changed since")
        if labels.n_unknown:
            notes.append(
                f"{counted(labels.n_unknown, 'label')} for answers that the run does not have"
            )
        if queue.n_left_out:
            n = counted(queue.n_left_out, "answer")
            notes.append(f"{n} without a text or a reference cannot be reviewed")
        return notes

    @property
    def reasons(self) -> list[tuple[str, ...]]:
        rows = (astuple(each) for each in self.stats.reasons)
        return [(REASONS[kind], *map(_count, counts)) for kind, *counts in rows]

    @property
    def raters(self) -> list[tuple[str, ...]]:
        rows = (astuple(each) for each in self.stats.raters)
        return [(name, *map(_count, counts)) for name, *counts in rows]

    @property
    def automatic(self) -> list[tuple[str, ...]]:
        return [
            (
                f"{each.metric.name} {'≤' if each.metric.lower_is_better else '≥'} {each.threshold:g}",
                *map(_count, astuple(each.table)),
                f"{each.table.accuracy or 0:.0%}",
            )
            for each in self.stats.automatic
        ]

    @cached_property
    def agreement(self) -> str:
        """How far the people agree; empty for a single one."""
        found = self.stats.agreement
        if found is None:
            return ""
        if not found.n:
            return "No answer has two labels, so it is unknown how far people agree."
        alpha = found.alpha.get("nominal")
        text = f"People agree with kappa {shown_estimate(found.between)}"
        text += f", Krippendorff's alpha {shown_estimate(alpha)}"
        return f"{text}, on {counted(found.n, 'answer')} with two labels or more."

    @property
    def commands(self) -> list[str]:
        place = self.stats.queue.run.place
        if place is None:
            return []
        run = quote(place)
        states = self.stats.states
        commands: list[str] = []
        if states.get("open") or states.get("unsure"):
            commands.append(f"ragauge review next {run}")
        if states.get("conflict"):
            commands.append(f"ragauge review next {run} --settle")
        if self.stats.automatic:
            commands.append(f"ragauge calibrate {run}")
        return commands


def _count(n: int) -> str:
    return f"{n:,}"


def stats_json(stats: ReviewStats) -> dict[str, object]:
    """The figures for programs."""
    agreement = stats.agreement
    alpha = agreement and agreement.alpha.get("nominal")
    return {
        "about": stats.queue.about,
        "n_queue": len(stats.queue),
        "states": dict(stats.states),
        "n_stale": stats.labels.n_stale,
        "n_unknown": stats.labels.n_unknown,
        "reasons": [asdict(each) for each in stats.reasons],
        "raters": [asdict(each) for each in stats.raters],
        "agreement": None
        if agreement is None
        else {
            "n": agreement.n,
            "kappa": None if agreement.between is None else agreement.between.value,
            "alpha": alpha.value if alpha else None,
            "pairs": [asdict(pair) for pair in agreement.pairs],
        },
        "automatic": [
            {"metric": each.metric.metric, "threshold": each.threshold, **asdict(each.table)}
            for each in stats.automatic
        ],
        "notes": list(stats.labels.notes),
    }
