"""What people say of each answer together: their labels, conflicts between them, and how these are settled."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from ragauge.errors import StoreError
from ragauge.people.review_labels import LabelLog, ReviewLabel, RunLabels, Value, says
from ragauge.people.review_queue import Answer, answer_digests
from ragauge.report.plain import counted
from ragauge.runs.manifest import LABELS, MANIFEST
from ragauge.runs.scored_run import ScoredRun

if TYPE_CHECKING:
    import polars as pl

State = Literal["open", "labelled", "unsure", "conflict", "settled"]
STATES: tuple[State, ...] = get_args(State)


@dataclass(frozen=True, slots=True)
class AnswerLabels:
    """The labels of one answer: the last one of each rater, and the adjudication if there is one.

    >>> def says(rater, value):
    ...     return ReviewLabel("q1", "a", rater, value, "digest")
    >>> both = AnswerLabels((says("ann", 1), says("ben", 0)))
    >>> both.state, both.value
    ('conflict', None)
    >>> AnswerLabels(both.labels, says("cleo", 1)).verdict
    'match · cleo, who settled a conflict of ann and ben'
    """

    labels: tuple[ReviewLabel, ...] = ()
    adjudication: ReviewLabel | None = None

    @property
    def sure(self) -> tuple[ReviewLabel, ...]:
        """The labels that say yes or no."""
        return tuple(label for label in self.labels if label.value is not None)

    @property
    def is_conflict(self) -> bool:
        """Whether the raters contradict each other, settled or not."""
        return len({label.value for label in self.sure}) > 1

    @property
    def state(self) -> State:
        """ "open" without labels, "unsure" if nobody is sure, "conflict" until somebody settles it."""
        if self.adjudication is not None and self.adjudication.value is not None:
            return "settled"
        if self.is_conflict:
            return "conflict"
        return "labelled" if self.sure else "unsure" if self.labels else "open"

    @property
    def value(self) -> Value:
        """1 for a match, 0 for a contradiction; None unless the answer is labelled or settled."""
        if self.adjudication is not None and self.adjudication.value is not None:
            return self.adjudication.value
        return self.sure[0].value if self.sure and not self.is_conflict else None

    @property
    def raters(self) -> tuple[str, ...]:
        return tuple(label.rater for label in self.labels)

    @property
    def verdict(self) -> str:
        """The verdict and whose it is, in words."""
        if self.state == "settled" and self.adjudication is not None:
            by = self.adjudication.rater
            whose = f", who settled a conflict of {_and(self.raters)}" if self.is_conflict else ""
            return f"{says(self.value)} · {by}{whose}"
        if self.state == "conflict":
            each = ", ".join(f"{label.rater} {says(label.value)}" for label in self.sure)
            return f"conflict · {each}"
        whose = [label.rater for label in self.sure] or self.raters
        return f"{says(self.value)} · {_and(whose)}" if whose else ""


@dataclass(frozen=True)
class ReviewLabels:
    """The labels of a run that hold for its answers as they are now.

    `answers` has an entry for each labelled answer and `about`. `n_stale` labels are not applied, because
    question, answer or references have changed since; `n_unknown`, because the run has no such answer.
    """

    about: str | None
    answers: Mapping[Answer, AnswerLabels]
    n_stale: int
    n_unknown: int
    notes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.answers)

    def __repr__(self) -> str:
        return f"<ReviewLabels of {len(self):,} answers by {', '.join(self.raters) or 'nobody'}>"

    def of(self, answer: Answer) -> AnswerLabels:
        return self.answers.get(answer, AnswerLabels())

    @cached_property
    def raters(self) -> tuple[str, ...]:
        """Everybody who labelled or settled something, sorted."""
        names = {label.rater for each in self.answers.values() for label in each.labels}
        names |= {each.adjudication.rater for each in self.answers.values() if each.adjudication}
        return tuple(sorted(names))

    @cached_property
    def states(self) -> Mapping[State, int]:
        """How many answers are in which state, without those that nobody labelled."""
        found = [each.state for each in self.answers.values()]
        return {state: n for state in STATES if (n := found.count(state))}

    @cached_property
    def frame(self) -> "pl.DataFrame":
        """A row for each labelled answer: id, system, state, value, verdict (with names), raters, notes."""
        import polars as pl

        rows = [
            (
                *(*answer, each.state, each.value, each.verdict, list(each.raters)),
                [label.note for label in (*each.labels, each.adjudication) if label and label.note],
            )
            for answer, each in self.answers.items()
        ]
        types = dict.fromkeys(("id", "system", "state"), pl.String())
        types |= {"value": pl.Int64(), "verdict": pl.String()}
        types |= dict.fromkeys(("raters", "notes"), pl.List(pl.String))
        return pl.DataFrame(rows, schema=types, orient="row")


def labels_of(run: ScoredRun, about: str | None = None) -> ReviewLabels:
    """The labels of a run; see `Run.labels`."""
    if run.folder is None or not RunLabels.of(run).exist():
        return ReviewLabels(about, {}, 0, 0, ())
    log = RunLabels.of(run).read()
    return applied(log, answer_digests(run, about, log.ids), about)


def applied(log: LabelLog, digests: Mapping[Answer, str], about: str | None) -> ReviewLabels:
    """The labels of a file that hold for answers with these digests."""
    current: dict[Answer, dict[str, ReviewLabel]] = {}
    settled: dict[Answer, ReviewLabel] = {}
    n_stale = n_unknown = 0
    for label in log.valid:
        answer = label.id, label.system
        if label.metric != about:
            continue
        if answer not in digests:
            n_unknown += 1
        elif digests[answer] != label.digest:
            n_stale += 1
        elif label.round == "adjudication":
            settled[answer] = label
        else:
            current.setdefault(answer, {})[label.rater] = label
    found = {
        answer: AnswerLabels(tuple(current.get(answer, {}).values()), settled.get(answer))
        for answer in {**current, **settled}
    }
    return ReviewLabels(about, found, n_stale, n_unknown, log.notes)


def is_label_log(source: object, folder: Path | None) -> bool:
    """Whether this names the labels in the folder of a run: that one, or any if `folder` is None."""
    if not isinstance(source, str | Path):
        return False
    path = Path(source)
    if path.name != LABELS or not path.exists():
        return False
    is_any = folder is None and (path.parent / MANIFEST).exists()
    return is_any or (folder is not None and path.parent.resolve() == folder.resolve())


def _and(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


PEOPLE = "people say"
"""The name under which what people say of an answer is shown among its fields."""


def labels_line(run: ScoredRun) -> str | None:
    """How many answers people labelled, who, and what is open; None without labels.

    As in "labels: 12 of 90 answers by ann and ben, 2 conflicts". What makes the labels unreadable is said
    here: the scores can be shown without them.
    """
    try:
        labels = labels_of(run)
    except StoreError as error:
        return f"labels: {error}"
    n, states = counted(len(run.samples), "answer"), labels.states
    parts = [f"{len(labels):,} of {n} by {', '.join(labels.raters)}"] if labels.answers else []
    parts += [counted(states["conflict"], "conflict")] if "conflict" in states else []
    parts += [f"{states['unsure']:,} unsure"] if "unsure" in states else []
    if labels.n_stale:
        parts.append(f"{counted(labels.n_stale, 'stale label')} not applied")
    return f"labels: {', '.join(parts)}" if parts else None


def people_say(run: ScoredRun) -> dict[Answer, str]:
    """What people say of each labelled answer, and who; empty if the labels cannot be read."""
    try:
        return {answer: each.verdict for answer, each in labels_of(run).answers.items()}
    except StoreError:
        return {}
