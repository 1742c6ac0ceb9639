"""Review by file: write the queue for people who label elsewhere, and read their labels back."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from ragauge.errors import DataError, Problem, did_you_mean
from ragauge.loaders.labels import LabelValueError, label_value
from ragauge.people.review import Review, automatic_verdicts
from ragauge.people.review_labels import (
    MAX_BYTES,
    LabelLog,
    Retraction,
    ReviewLabel,
    SamplePlace,
    Value,
    label_of,
    label_problems,
    note_problems,
    rater_problems,
    read_line,
)
from ragauge.people.review_queue import ReviewItem, ReviewQueue, random_order
from ragauge.storage.atomic_files import write_text
from ragauge.storage.regular_file import read_regular

NOBODY = "\0"
"""No rater's name: what is pending for it needs anybody's label."""
TEXTS = ("conversation_before", "question", "references", "answer", "contexts")
UNSURE = ("unsure", "u", "?", "skip", "unknown")
MATCH, CONTRADICT = ("match", "matches", "m"), ("contradict", "contradicts", "c")


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did: labels and retractions written, and lines that changed nothing.

    `n_empty` lines have no label yet. `n_stale` of the labels do not apply, because the texts have changed.
    """

    n_labels: int
    n_retracted: int
    n_known: int
    n_empty: int
    n_stale: int


def texts_of(queue: ReviewQueue, item: ReviewItem) -> dict[str, object]:
    """What a person reads about an item: question, references, answer, contexts, as far as they are given."""
    frame = queue.run.samples.frame
    known = [name for name in TEXTS if name in frame.columns]
    rows = frame.filter((frame["id"] == item.id) & (frame["system"] == item.system)).select(known)
    found = cast("dict[str, object]", next(rows.iter_rows(named=True)))
    return {name: value for name, value in found.items() if value is not None}


def export_queue(
    review: Review, path: Path, *, rater: str | None = None, with_verdicts: bool = False
) -> int:
    """Write what still needs a label as JSON lines, and return how many.

    With `rater`, what this person can label; otherwise every answer that needs anybody's. Each line has an
    empty `value` to be filled in. The automatic verdicts are left out unless `with_verdicts`.
    """
    items = review.pending(NOBODY if rater is None else rater)
    lines = [
        json.dumps(_exported(review.queue, item, rater or "", with_verdicts), ensure_ascii=False)
        for item in items
    ]
    write_text(path, "".join(f"{line}\n" for line in lines))
    return len(items)


def _exported(
    queue: ReviewQueue, item: ReviewItem, rater: str, with_verdicts: bool
) -> dict[str, object]:
    row: dict[str, object] = {"id": item.id, "system": item.system}
    if queue.about is not None:
        row["metric"] = queue.about
    row |= {"asks": queue.question, "why": [reason.says for reason in item.reasons]}
    row |= texts_of(queue, item)
    if with_verdicts:
        found = automatic_verdicts(queue, item.id).get(item.system, [])
        row["scores"] = {each.metric.name: each.value for each in found}
    return {**row, "digest": item.digest, "rater": rater, "value": "", "note": ""}


def import_labels(review: Review, path: Path, *, rater: str | None = None) -> Imported:
    """Append the labels of a file: one that `export_queue` wrote and people filled in, or another labels.jsonl.

    `rater` is the person of lines that name none. What is already there is not written again, so the same
    file can be imported twice. Raises DataError with every problem and its line; then nothing is written.
    """
    log = review.log()
    reader = _LabelReader(review.queue, log, str(path), rater)
    try:
        lines = read_regular(path, MAX_BYTES).split(b"\n")
    except OSError as error:
        problem = Problem(f"cannot be read: {error.strerror or error}", str(path))
        raise DataError([problem]) from None
    for number, line in enumerate(lines, 1):
        reader.read(number, line)
    if reader.problems:
        raise DataError(reader.problems)
    entries = [*reader.labels, *reader.retractions]
    if entries:
        review.stored.append(*entries)
    digests = review.queue.digests
    n_stale = sum(digests[label.id, label.system] != label.digest for label in reader.labels)
    return Imported(
        len(reader.labels), len(reader.retractions), reader.n_known, reader.n_empty, n_stale
    )


class _LabelReader:
    """Reads a file's lines into labels and retractions that the log does not have, and collects problems."""

    def __init__(self, queue: ReviewQueue, log: LabelLog, source: str, rater: str | None) -> None:
        self.queue, self.log, self.source, self.rater = queue, log, source, rater
        self.places = {a: at for at, a in enumerate(random_order(queue.digests, queue.seed))}
        self.names = {label.label for label in log.labels}
        self.labels: list[ReviewLabel] = []
        self.retractions: list[Retraction] = []
        self.problems: list[Problem] = []
        self.n_known = self.n_empty = 0
        self.current = {(label.item, label.rater): label for label in log.valid}

    def read(self, number: int, line: bytes) -> None:
        if not line.strip():
            return
        row = read_line(line)
        if isinstance(row, str):
            self.problems.append(Problem(row, self.source, number))
        elif "retracts" in row:
            self._retract(row)
        elif "ignores_line" not in row:
            self._label(number, row)

    def _retract(self, row: Mapping[str, object]) -> None:
        name, rater = str(row.get("retracts")), str(row.get("rater", ""))
        if name in self.log.retracted:
            self.n_known += 1
        elif name in self.names:
            self.retractions.append(Retraction(name, rater))

    def _label(self, number: int, row: Mapping[str, object]) -> None:
        is_stored = "label" in row
        problems = label_problems(row) if is_stored else []
        value, problem = _value(row.get("value", ""))
        if not is_stored and problem == EMPTY and not row.get("note"):
            self.n_empty += 1
            return
        given = {**row, "rater": row.get("rater") or self.rater or ""}
        if not is_stored:
            problems += [problem] if problem else []
            problems += self._field_problems(given)
        problems += self._place_problems(given)
        if problems:
            id = row.get("id")
            self.problems += [
                Problem(text, self.source, number, id=str(id) if id is not None else None)
                for text in problems
            ]
            return
        self._keep(label_of(row) if is_stored else self._new(given, value))

    def _keep(self, label: ReviewLabel) -> None:
        before = self.current.get((label.item, label.rater))
        is_same = before is not None and (before.value, before.note, before.digest) == (
            label.value, label.note, label.digest,
        )  # fmt: skip
        if label.label in self.names or (is_same and label.round != "adjudication"):
            self.n_known += 1
            return
        self.names.add(label.label)
        self.current[label.item, label.rater] = label
        self.labels.append(label)

    def _new(self, row: Mapping[str, object], value: Value) -> ReviewLabel:
        answer = str(row["id"]), self._system(row)
        new = ReviewLabel(
            id=answer[0],
            system=answer[1],
            rater=cast(str, row["rater"]),
            value=value,
            digest=cast(str, row.get("digest") or self.queue.digests[answer]),
            metric=self.queue.about,
            note=cast(str, row.get("note") or ""),
            sample=SamplePlace(self.queue.seed, self.places[answer]),
            is_blind="scores" not in row,
        )
        others = any(item == new.item and name != new.rater for item, name in self.current)
        return replace(new, round="second") if others else new

    def _system(self, row: Mapping[str, object]) -> str:
        """The named system, or the run's only one."""
        systems = self.queue.run.samples.systems
        given = row.get("system")
        return systems[0] if given is None and len(systems) == 1 else str(given)

    def _field_problems(self, row: Mapping[str, object]) -> list[str]:
        rater, digest, metric = row["rater"], row.get("digest") or "", row.get("metric")
        problems = [*note_problems(row.get("note") or "")]
        if not rater:
            problems.append("has a label but no rater; add one, or give --rater NAME")
        elif not isinstance(rater, str):
            problems.append(f"rater must be text, got {rater!r:.40}")
        else:
            problems += rater_problems(rater)
        if not isinstance(digest, str):
            problems.append(f"digest must be text, got {digest!r:.40}")
        if metric != self.queue.about:
            asked = "no metric" if self.queue.about is None else repr(self.queue.about)
            problems.append(
                f"is about {'no metric' if metric is None else repr(metric)}, but the labels are about "
                f"{asked}; give --about METRIC"
            )
        return problems

    def _place_problems(self, row: Mapping[str, object]) -> list[str]:
        """Whether the run has this answer."""
        id = row.get("id")
        if not isinstance(id, str):
            return [f"id must be text, got {id!r:.40}"]
        if row.get("system") is None and len(self.queue.run.samples.systems) > 1:
            return ["has no system, but the run has several"]
        answer = id, self._system(row)
        if answer in self.queue.digests:
            return []
        ids = {known for known, _ in self.queue.digests}
        if id not in ids:
            return [f"the run has no answer to review with this id{did_you_mean(id, ids)}"]
        systems = [system for known, system in self.queue.digests if known == id]
        return [
            f"the run has no answer of system {answer[1]!r} to review"
            f"{did_you_mean(answer[1], systems) or '; it has ' + ', '.join(systems[:5])}"
        ]


EMPTY = "has no value; give match, contradict or unsure"


def _value(given: object) -> tuple[Value, str]:
    """The value of a line that a person filled in, and what is wrong with it."""
    if given is None:
        return None, ""
    if isinstance(given, str) and not given.strip():
        return None, EMPTY
    word = str(given).strip().casefold()
    if word in UNSURE:
        return None, ""
    if word in MATCH or word in CONTRADICT:
        return (1 if word in MATCH else 0), ""
    try:
        number, _ = label_value(given)
    except LabelValueError as error:
        return None, f"value: {error}; give match, contradict or unsure"
    if number in (0.0, 1.0):
        return (1 if number else 0), ""
    return None, f"value must be match (1), contradict (0) or unsure, got {given!r:.40}"
