"""Figures of a review and their report: what is done, how people agree, how verdicts compare."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, astuple, dataclass
from functools import cached_property
from shlex import quote

import polars as pl

from ragauge.errors import DataError
from ragauge.people.calibration import shown_estimate
from ragauge.people.rater_agreement import RaterAgreement, rater_agreement
from ragauge.people.review_queue import ReviewQueue
from ragauge.people.review_verdicts import STATES, ReviewLabels, State, labels_of
from ragauge.people.verdicts import matched, verdicts_of_labels
from ragauge.report.plain import counted
from ragauge.report.report import Cell, Report, Table, figure
from ragauge.runs.manifest import MetricDisplay
from ragauge.stats.thresholds import Confusion, confusion

REASONS: Mapping[str, str] = {
    "parts": "fuzzy_match and gpt_score disagree",
    "judges": "judges disagree",
    "offline": "judge and offline metric disagree",
    "marked": "marked by its metric",
    "threshold": "near a threshold",
    "unscored": "a part of answer_match has no score",
    "sample": "random sample",
}


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
    def reasons(self) -> list[dict[str, str | int]]:
        """By kind of reason, the answers and their states; an answer with several reasons counts for each."""
        counts: list[dict[str, str | int]] = []
        for kind in REASONS:
            items = [item for item in self.queue.items if kind in item.kinds]
            states = [self.labels.of(item.answer).state for item in items]
            n_labelled = states.count("labelled") + states.count("settled")
            row = {"kind": kind, "n": len(states), "n_labelled": n_labelled}
            row |= {"n_unsure": states.count("unsure"), "n_conflicts": states.count("conflict")}
            counts += [row] if states else []
        return counts

    @cached_property
    def raters(self) -> list[dict[str, str | int]]:
        """The labels of each person. Conflicts that they settled count apart; `n_seen` labels were not blind."""
        answers = self.labels.answers.values()
        counts: list[dict[str, str | int]] = []
        for name in self.labels.raters:
            own = [label for each in answers for label in each.labels if label.rater == name]
            decisions = [each.adjudication for each in answers if each.adjudication]
            settled = [label for label in decisions if label.rater == name]
            said = [label.value for label in own]
            row = {"rater": name, "n_match": said.count(1), "n_contradict": said.count(0)}
            row |= {"n_unsure": said.count(None), "n_settled": len(settled)}
            counts.append(row | {"n_seen": sum(not each.is_blind for each in (*own, *settled))})
        return counts

    @cached_property
    def agreement(self) -> RaterAgreement | None:
        """How well the people agree with each other; None for a single one, or without labels."""
        try:
            verdicts = verdicts_of_labels(self.queue.run, subjects=[self.queue.about])
        except DataError:
            return None
        return rater_agreement(matched(verdicts, self.queue.run), seed=self.queue.seed)

    @cached_property
    def automatic(self) -> list[tuple[MetricDisplay, float, Confusion]]:
        """Each metric with its threshold and its verdicts beside people's, on the answers that have both."""
        rows = [
            (*answer, each.value == 1)
            for answer, each in self.labels.answers.items()
            if each.value is not None
        ]
        types = {"id": pl.String, "system": pl.String, "people": pl.Boolean}
        people = pl.DataFrame(rows, schema=types, orient="row")
        run, value = self.queue.run, pl.col("value")
        counts: list[tuple[MetricDisplay, float, Confusion]] = []
        for metric in self.queue.metrics:
            if (threshold := self.queue.thresholds.get(metric.metric)) is None:
                continue
            is_yes = value <= threshold if metric.lower_is_better else value >= threshold
            wanted = (pl.col("metric") == metric.metric) & value.is_not_null()
            scores = run.collect(run.scan().filter(wanted).select("id", "system", is_yes=is_yes))
            both = people.join(scores, on=["id", "system"])
            table = confusion(both["is_yes"].to_numpy(), both["people"].to_numpy())
            counts += [(metric, threshold, table)] if table.n else []
        return counts


def review_stats(queue: ReviewQueue) -> ReviewStats:
    """The figures of a queue and the labels that its run has now."""
    return ReviewStats(queue, labels_of(queue.run, queue.about))


def stats_report(stats: ReviewStats) -> Report:
    """What is labelled, how far people agree, and how the automatic verdicts compare."""
    automatic: list[tuple[str | Cell, ...]] = []
    for metric, threshold, table in stats.automatic:
        sign, agree = "≤" if metric.lower_is_better else "≥", figure(table.accuracy, ".0%")
        automatic.append(
            (f"{metric.name} {sign} {threshold:g}", *map(figure, astuple(table)), agree)
        )
    reasons, raters = (
        [
            tuple(
                REASONS[str(n)] if name == "kind" else n if isinstance(n, str) else figure(n)
                for name, n in row.items()
            )
            for row in rows
        ]
        for rows in (stats.reasons, stats.raters)
    )
    tables = (
        (("reason", "answers", "labelled", "unsure", "conflicts"), reasons),
        (("person", "match", "contradict", "unsure", "settled", "not blind"), raters),
        (("metric", "both yes", "metric only", "people only", "both no", "agree"), automatic),
    )
    queue, labels, states = stats.queue, stats.labels, stats.states
    n_done = states.get("labelled", 0) + states.get("settled", 0)
    parts = [f"{n_done:,} of {counted(len(queue), 'answer')} labelled"]
    parts += [f"{n:,} {name}" for name in ("open", "unsure") if (n := states.get(name))]
    parts += [counted(states["conflict"], "conflict")] if "conflict" in states else []
    commands: list[str] = []
    if queue.run.place is not None:
        run = quote(queue.run.place)
        is_left = states.get("open") or states.get("unsure")
        commands += [f"ragauge review next {run}"] if is_left else []
        commands += [f"ragauge review next {run} --settle"] if states.get("conflict") else []
        commands += [f"ragauge calibrate {run}"] if stats.automatic else []
    agreement: dict[str, object] | None = None
    if (found := stats.agreement) is not None:
        alpha = found.alpha.get("nominal")
        agreement = {"n": found.n, "kappa": found.between and found.between.value}
        agreement |= {"alpha": alpha and alpha.value, "pairs": [*map(asdict, found.pairs)]}
        agreement["notes"] = list(found.notes)
    return Report(
        f"{', '.join(parts)}.",
        tables=[Table(header, rows, wraps=True) for header, rows in tables if rows],
        notes=list(_notes(stats)),
        commands=commands,
        data=lambda: {
            "about": queue.about,
            "n_queue": len(queue),
            "states": dict(states),
            "n_stale": labels.n_stale,
            "n_unknown": labels.n_unknown,
            "reasons": stats.reasons,
            "raters": stats.raters,
            "agreement": agreement,
            "automatic": [
                {"metric": metric.metric, "threshold": threshold, **asdict(table)}
                for metric, threshold, table in stats.automatic
            ],
            "notes": list(labels.notes),
        },
    )


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
