"""The figures of a review as people and programs read them."""

from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass
from functools import cached_property
from shlex import quote

from ragauge.people.calibration_words import shown_estimate
from ragauge.people.review_reasons import ReasonKind
from ragauge.people.review_stats import ReviewStats
from ragauge.report.plain import counted
from ragauge.report.report import Report, Table

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
        return [
            (
                REASONS[each.kind],
                *(f"{n:,}" for n in (each.n, each.n_labelled, each.n_unsure, each.n_conflicts)),
            )
            for each in self.stats.reasons
        ]

    @property
    def raters(self) -> list[tuple[str, ...]]:
        return [
            (
                each.rater,
                *(
                    f"{n:,}"
                    for n in (
                        each.n_match, each.n_contradict, each.n_unsure, each.n_settled, each.n_seen,
                    )
                ),
            )
            for each in self.stats.raters
        ]  # fmt: skip

    @property
    def automatic(self) -> list[tuple[str, ...]]:
        return [
            (
                f"{each.metric.name} {'≤' if each.metric.lower_is_better else '≥'} {each.threshold:g}",
                *(f"{n:,}" for n in astuple(each.table)),
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
            {
                "metric": each.metric.metric,
                "threshold": each.threshold,
                **asdict(each.table),
            }
            for each in stats.automatic
        ],
        "notes": list(stats.labels.notes),
    }
