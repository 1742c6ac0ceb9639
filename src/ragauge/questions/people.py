"""What people say of a test set: is each question answerable, correct, natural? In a file of labels beside it."""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragauge.errors import DataError, Problem, StoreError
from ragauge.people.review_queue import random_order
from ragauge.questions.question import Question
from ragauge.report.report import Report, Table
from ragauge.storage.regular_file import read_regular

ASPECTS = {
    "answerable": "Do the documents answer it?",
    "correct": "Is the reference correct and complete?",
    "natural": "Could a person who has not read the documents ask it, and is it clear what is meant?",
}
"""What people are asked about each question; it holds up if all are yes."""
NO_ANSWER = "Is it right that the documents have no answer?"
"""What is asked in place of `answerable` about a question that shall have no answer."""
MAX_BYTES = 100 * 2**20


@dataclass(frozen=True, slots=True)
class QuestionLabel:
    """What one person says of a question, None where they are unsure; `digest` is that of its texts."""

    id: str
    rater: str
    digest: str
    says: Mapping[str, bool | None]

    @property
    def holds_up(self) -> bool | None:
        """Whether all is yes; None if somebody is unsure of what is left."""
        values = [self.says.get(name) for name in ASPECTS]
        return False if False in values else None if None in values else True


def sampled(questions: Sequence[Question], n: int, seed: int) -> list[Question]:
    """The first n questions of a random order; a larger sample begins with the smaller one."""
    by_id = {each.id: each for each in questions}
    order = random_order(((each.id, "") for each in questions), seed)
    return [by_id[id] for id, _ in order[:n]]


def digest_of(question: Question) -> str:
    """The digest of the texts that a label is about."""
    texts = [question.whole, question.references, [each["text"] for each in question.gold_contexts]]
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:16]


def save_label(path: Path, label: QuestionLabel) -> None:
    """Append a label to the file and flush it to disk; StoreError if it cannot be written."""
    row = {"id": label.id, "rater": label.rater, "digest": label.digest, **label.says}
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(row, ensure_ascii=False)}\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise StoreError(f"{path}: the label cannot be saved: {error.strerror}") from error


def read_labels(path: Path) -> list[QuestionLabel]:
    """The labels of a file, in order; DataError, with the line, for what is none."""
    try:
        lines = read_regular(path, MAX_BYTES).decode().splitlines()
    except (OSError, UnicodeError) as error:
        raise DataError([Problem(f"cannot be read as labels: {error}", str(path))]) from error
    labels: list[QuestionLabel] = []
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
            says = {name: row.get(name) for name in ASPECTS}
            if not {*says.values()} <= {True, False, None}:
                raise ValueError
            id, rater, digest = (str(row[name]) for name in ("id", "rater", "digest"))
            labels.append(QuestionLabel(id, rater, digest, says))
        except (ValueError, KeyError, AttributeError, TypeError):
            fields = f"it has id, rater, digest and {', '.join(ASPECTS)}"
            problem = f"is no label: {line[:60]!r}; {fields}"
            raise DataError([Problem(problem, f"{path}, line {number}")]) from None
    return labels


def people_report(questions: Sequence[Question], labels: Sequence[QuestionLabel]) -> Report:
    """How many of the labelled questions hold up, with 95 % intervals; by what is asked, and by type.

    Each person's last label of a question counts, if its texts are still the same. What people say of one
    question is yes if most of those who are sure say so; where they are as many, it does not count.
    """
    from ragauge.stats.intervals import share_interval

    digests = {each.id: digest_of(each) for each in questions}
    last = {(each.id, each.rater): each for each in labels if digests.get(each.id) == each.digest}
    by_id: dict[str, list[QuestionLabel]] = {}
    for (id, _), label in last.items():
        by_id.setdefault(id, []).append(label)

    def most(id: str, name: str | None) -> bool | None:
        says = [each.holds_up if name is None else each.says[name] for each in by_id[id]]
        n_yes, n_no = says.count(True), says.count(False)
        return None if n_yes == n_no else n_yes > n_no

    def row(
        title: str, ids: Sequence[str], name: str | None = None
    ) -> tuple[str, int, int, float | None, float | None, float | None]:
        said = [found for id in ids if (found := most(id, name)) is not None]
        n_yes, n = said.count(True), len(said)
        if not n:
            return title, 0, 0, None, None, None
        return title, n_yes, n, n_yes / n, *share_interval(n_yes / n, n)

    ids = list(by_id)
    stale = len({each.id for each in labels}) - len(by_id)
    notes = [f"{stale:,} labelled questions are not here, or have other texts now"] if stale else []
    if not ids:
        return Report("nobody has labelled these questions", notes=notes)
    types = dict.fromkeys(each.question_type for each in questions if each.id in by_id)
    kinds = {each.id: each.question_type for each in questions}
    rows = [row("hold up", ids), *(row(name, ids, name) for name in ASPECTS)]
    for kind in types if len(types) > 1 else ():
        of_kind = [id for id in ids if kinds[id] == kind]
        rows.append(row(f"hold up: {kind or 'no type'}", of_kind))
    shown = [
        (
            title,
            f"{n_yes:,} of {n:,}",
            "–" if share is None else f"{share:.0%} ({low:.0%}–{high:.0%})",
        )
        for title, n_yes, n, share, low, high in rows
    ]
    _, counts, share = shown[0]
    n = len({rater for _, rater in last})
    people = f"{n:,} {'person' if n == 1 else 'people'}"
    header = ("people say yes", "questions", "share (95 % interval)")
    headline = f"{counts} questions hold up, by {people}: {share}"
    names = ("people say yes", "yes", "questions", "share", "low", "high")
    return Report(
        headline, tables=[Table(header, shown)], notes=notes, records=lambda: (names, rows)
    )


def labels_beside(path: Path) -> Path:
    """Where the labels of a file of questions are kept: `questions.labels.jsonl`."""
    return path.with_name(f"{path.stem}.labels.jsonl")
