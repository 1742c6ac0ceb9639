"""Figures of a review and their report: what is done, how people agree, how verdicts compare."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, astuple, dataclass
from functools import cached_property
from shlex import quote

import polars as pl

from ragauge.errors import DataError
from ragauge.people.calibration_words import shown_estimate
from ragauge.people.label_verdicts import verdicts_of_labels
from ragauge.people.rater_agreement import RaterAgreement, rater_agreement
from ragauge.people.review_queue import ReviewQueue
from ragauge.people.review_reasons import KINDS, ReasonKind
from ragauge.people.review_verdicts import STATES, ReviewLabels, State, labels_of_queue
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
        found = [self.labels.of(item.answer).state for item in self.queue.items]
        return {state: found.count(state) for state in STATES if state in found}

    @cached_property
    def reasons(self) -> tuple[ReasonCount, ...]:
        """By kind of reason; an answer with several reasons counts for each."""
        counts: list[ReasonCount] = []
        for kind in KINDS:
            items = [item for item in self.queue.items if kind in item.kinds]
            states = [self.labels.of(item.answer).state for item in items]
            n_labelled = states.count("labelled") + states.count("settled")
            others = states.count("unsure"), states.count("conflict")
            counts += [ReasonCount(kind, len(states), n_labelled, *others)] if states else []
        return tuple(counts)

    @cached_property
    def raters(self) -> tuple[RaterCount, ...]:
        answers = self.labels.answers.values()
        counts: list[RaterCount] = []
        for name in self.labels.raters:
            own = [label for each in answers for label in each.labels if label.rater == name]
            decisions = [each.adjudication for each in answers if each.adjudication]
            settled = [label for label in decisions if label.rater == name]
            values = [label.value for label in own]
            n_seen = sum(not label.is_blind for label in (*own, *settled))
            n = (values.count(1), values.count(0), values.count(None))
            counts.append(RaterCount(name, *n, len(settled), n_seen))
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
        run, value = self.queue.run, pl.col("value")
        counts: list[VerdictCount] = []
        for metric in self.queue.metrics:
            threshold = self.queue.thresholds.get(metric.metric)
            if threshold is None:
                continue
            is_yes = value <= threshold if metric.lower_is_better else value >= threshold
            wanted = (pl.col("metric") == metric.metric) & value.is_not_null()
            scores = run.collect(run.scan().filter(wanted).select("id", "system", is_yes=is_yes))
            both = people.join(scores, on=["id", "system"])
            table = confusion(both["is_yes"].to_numpy(), both["people"].to_numpy())
            counts += [VerdictCount(metric, threshold, table)] if table.n else []
        return tuple(counts)


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


def stats_report(stats: ReviewStats) -> Report:
    """What is labelled, how far people agree, and how the automatic verdicts compare."""
    automatic = [
        (
            f"{each.metric.name} {'≤' if each.metric.lower_is_better else '≥'} {each.threshold:g}",
            *map(_count, astuple(each.table)),
            f"{each.table.accuracy or 0:.0%}",
        )
        for each in stats.automatic
    ]
    reasons = [(REASONS[each.kind], *map(_count, astuple(each)[1:])) for each in stats.reasons]
    raters = [(each.rater, *map(_count, astuple(each)[1:])) for each in stats.raters]
    tables = (
        (("reason", "answers", "labelled", "unsure", "conflicts"), reasons),
        (("person", "match", "contradict", "unsure", "settled", "not blind"), raters),
        (("metric", "both yes", "metric only", "people only", "both no", "agree"), automatic),
    )
    return Report(
        _headline(stats),
        tables=[Table(header, rows, wraps=True) for header, rows in tables if rows],
        notes=list(_notes(stats)),
        commands=list(_commands(stats)),
        data=lambda: stats_json(stats),
    )


def _headline(stats: ReviewStats) -> str:
    states = stats.states
    n_done = states.get("labelled", 0) + states.get("settled", 0)
    parts = [f"{n_done:,} of {counted(len(stats.queue), 'answer')} labelled"]
    parts += [f"{n:,} {name}" for name in ("open", "unsure") if (n := states.get(name))]
    parts += [counted(states["conflict"], "conflict")] if "conflict" in states else []
    return f"{', '.join(parts)}."


def _notes(stats: ReviewStats) -> Iterator[str]:
    """What does not count, and how far the people agree."""
    labels, found = stats.labels, stats.agreement
    yield from labels.notes
    if labels.n_stale:
        n = counted(labels.n_stale, "label")
        yield f"{n} not applied: question, answer or references have changed since"
    if labels.n_unknown:
        yield f"{counted(labels.n_unknown, 'label')} for answers that the run does not have"
    if stats.queue.n_left_out:
        n = counted(stats.queue.n_left_out, "answer")
        yield f"{n} without a text or a reference cannot be reviewed"
    if found is not None and not found.n:
        yield "No answer has two labels, so it is unknown how far people agree."
    elif found is not None:
        kappa, alpha = shown_estimate(found.between), shown_estimate(found.alpha.get("nominal"))
        n = counted(found.n, "answer")
        yield f"People agree with kappa {kappa}, Krippendorff's alpha {alpha}, on {n} with two labels or more."


def _commands(stats: ReviewStats) -> Iterator[str]:
    """What to type next."""
    if stats.queue.run.place is None:
        return
    run = quote(stats.queue.run.place)
    if stats.states.get("open") or stats.states.get("unsure"):
        yield f"ragauge review next {run}"
    if stats.states.get("conflict"):
        yield f"ragauge review next {run} --settle"
    if stats.automatic:
        yield f"ragauge calibrate {run}"


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
