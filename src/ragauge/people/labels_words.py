"""What people say of a run's answers, beside the scores: one line for the run, and one for each answer."""

from typing import TYPE_CHECKING

from ragauge.errors import StoreError
from ragauge.people.review_reasons import Answer
from ragauge.people.review_verdicts import ReviewLabels, labels_of
from ragauge.people.run_labels import RunLabels
from ragauge.report.plain import counted

if TYPE_CHECKING:
    from ragauge.runs.scored_run import ScoredRun

PEOPLE = "people say"
"""The name under which what people say of an answer is shown among its fields."""


def labels_line(run: "ScoredRun") -> str | None:
    """How many answers people labelled, who, and what is open; None without labels.

    What makes the labels unreadable is said here: the scores can be shown without them.
    """
    if not has_labels(run):
        return None
    try:
        return labels_in_words(labels_of(run), len(run.samples)) or None
    except StoreError as error:
        return f"labels: {error}"


def people_say(run: "ScoredRun") -> dict[Answer, str]:
    """What people say of each labelled answer, and who; empty if the labels cannot be read."""
    if not has_labels(run):
        return {}
    try:
        return {answer: each.verdict for answer, each in labels_of(run).answers.items()}
    except StoreError:
        return {}


def has_labels(run: "ScoredRun") -> bool:
    return run.folder is not None and RunLabels.of(run).exist()


def labels_in_words(labels: ReviewLabels, n_answers: int) -> str:
    """As in "labels: 12 of 90 answers by ann and ben, 2 conflicts"; empty without labels."""
    parts = [f"{len(labels):,} of {counted(n_answers, 'answer')} by {', '.join(labels.raters)}"]
    states = labels.states
    parts += [counted(n, "conflict") for n in [states.get("conflict", 0)] if n]
    parts += [f"{n:,} unsure" for n in [states.get("unsure", 0)] if n]
    stale = f"{counted(labels.n_stale, 'stale label')} not applied"
    if not labels.answers:
        return f"labels: {stale}" if labels.n_stale else ""
    return f"labels: {', '.join([*parts, *([stale] if labels.n_stale else [])])}"
