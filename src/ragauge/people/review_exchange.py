"""Review by file: write the queue for people who label elsewhere, and read their labels back."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from ragauge.errors import DataError, Problem, did_you_mean
from ragauge.loaders.labels import LabelValueError, label_value
from ragauge.people.review import Review
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
from ragauge.people.review_queue import ReviewQueue, random_order
from ragauge.storage.atomic_files import write_text
from ragauge.storage.regular_file import read_regular

NOBODY = "\0"
"""No rater's name: what is pending for it needs anybody's label."""
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


def export_queue(
    review: Review, path: Path, *, rater: str | None = None, with_verdicts: bool = False
) -> int:
    """Write what still needs a label as JSON lines, and return how many.

    With `rater`, what this person can label; otherwise every answer that needs anybody's. Each line has an
    empty `value` to be filled in. The automatic verdicts are left out unless `with_verdicts`.
    """
    items = review.pending(NOBODY if rater is None else rater)
    queue = review.queue
    lines: list[str] = []
    for item in items:
        row: dict[str, object] = {"id": item.id, "system": item.system}
        if queue.about is not None:
            row["metric"] = queue.about
        row |= {"asks": queue.question, "why": [reason.says for reason in item.reasons]}
        row |= queue.texts(item)
        if with_verdicts:
            row["scores"] = {each.metric.name: each.value for each in review.automatic(item)}
        row |= {"digest": item.digest, "rater": rater or "", "value": "", "note": ""}
        lines.append(json.dumps(row, ensure_ascii=False) + "\n")
    write_text(path, "".join(lines))
    return len(items)


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
    written = len(reader.labels), len(reader.retractions)
    return Imported(*written, reader.n_known, reader.n_empty, n_stale)


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
            name = str(row["retracts"])
            if name in self.log.retracted:
                self.n_known += 1
            elif name in self.names:
                self.retractions.append(Retraction(name, str(row.get("rater", ""))))
        elif "ignores_line" not in row:
            self._label(number, row)

    def _label(self, number: int, row: dict[str, object]) -> None:
        is_stored = "label" in row
        value, problem = _value(row.get("value", ""))
        if not is_stored and problem == EMPTY and not row.get("note"):
            self.n_empty += 1
            return
        if is_stored:
            problems = label_problems(row)
        else:
            row["rater"] = row.get("rater") or self.rater or ""
            problems = [*([problem] if problem else []), *self._field_problems(row)]
        problems += self._place_problems(row)
        if problems:
            id = None if row.get("id") is None else str(row["id"])
            self.problems += [Problem(text, self.source, number, id=id) for text in problems]
            return
        if is_stored:
            label = label_of(row)
        else:
            answer, rater = (str(row["id"]), self._system(row)), cast(str, row["rater"])
            item = (*answer, self.queue.about)
            others = any(other == item and name != rater for other, name in self.current)
            digest, note = row.get("digest") or self.queue.digests[answer], row.get("note") or ""
            label = ReviewLabel(
                *(*answer, rater, value, cast(str, digest), self.queue.about, cast(str, note)),
                round="second" if others else "first",
                sample=SamplePlace(self.queue.seed, self.places[answer]),
                is_blind="scores" not in row,
            )
        key, said = (label.item, label.rater), (label.value, label.note, label.digest)
        before = self.current.get(key)
        is_same = before is not None and (before.value, before.note, before.digest) == said
        if label.label in self.names or (is_same and label.round != "adjudication"):
            self.n_known += 1
            return
        self.names.add(label.label)
        self.current[key] = label
        self.labels.append(label)

    def _system(self, row: Mapping[str, object]) -> str:
        """The named system, or the run's only one."""
        systems = self.queue.run.samples.systems
        given = row.get("system")
        return systems[0] if given is None and len(systems) == 1 else str(given)

    def _field_problems(self, row: Mapping[str, object]) -> list[str]:
        """What is wrong with a line that a person filled in, besides its value."""
        rater, digest, metric = row["rater"], row.get("digest") or "", row.get("metric")
        problems = note_problems(row.get("note") or "")
        if not rater:
            problems.append("has a label but no rater; add one, or give --rater NAME")
        elif not isinstance(rater, str):
            problems.append(f"rater must be text, got {rater!r:.40}")
        else:
            problems += rater_problems(rater)
        if not isinstance(digest, str):
            problems.append(f"digest must be text, got {digest!r:.40}")
        if metric != self.queue.about:
            names = (
                "no metric" if each is None else repr(each) for each in (metric, self.queue.about)
            )
            problems.append(
                "is about {}, but the labels are about {}; give --about METRIC".format(*names)
            )
        return problems

    def _place_problems(self, row: Mapping[str, object]) -> list[str]:
        """Whether the run has this answer."""
        id = row.get("id")
        if not isinstance(id, str):
            return [f"id must be text, got {id!r:.40}"]
        if row.get("system") is None and len(self.queue.run.samples.systems) > 1:
            return ["has no system, but the run has several"]
        system = self._system(row)
        if (id, system) in self.queue.digests:
            return []
        systems = [other for known, other in self.queue.digests if known == id]
        if not systems:
            hint = did_you_mean(id, {known for known, _ in self.queue.digests})
            return [f"the run has no answer to review with this id{hint}"]
        hint = did_you_mean(system, systems) or f"; it has {', '.join(systems[:5])}"
        return [f"the run has no answer of system {system!r} to review{hint}"]


EMPTY = "has no value; give match, contradict or unsure"


def _value(given: object) -> tuple[Value, str]:
    """The value of a line that a person filled in, and what is wrong with it."""
    word = "" if given is None else str(given).strip().casefold()
    if given is None or word in UNSURE:
        return None, ""
    if not word:
        return None, EMPTY
    if word in MATCH or word in CONTRADICT:
        return (1 if word in MATCH else 0), ""
    try:
        number, _ = label_value(given)
    except LabelValueError as error:
        return None, f"value: {error}; give match, contradict or unsure"
    if number in (0.0, 1.0):
        return (1 if number else 0), ""
    return None, f"value must be match (1), contradict (0) or unsure, got {given!r:.40}"
