"""Review by file: write the queue for people who label elsewhere, and read their labels back."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from ragauge.errors import DataError, Problem, did_you_mean
from ragauge.loaders.labels import LabelValueError, label_value
from ragauge.people.review import Review
from ragauge.people.review_labels import (
    MAX_BYTES,
    Retraction,
    ReviewLabel,
    SamplePlace,
    Value,
    label_of,
    note_problems,
    rater_problems,
    read_line,
)
from ragauge.people.review_queue import ReviewQueue, random_order
from ragauge.storage.atomic_files import write_text
from ragauge.storage.regular_file import read_regular

NOBODY = "\0"
"""No rater's name: what is pending for it needs anybody's label."""
WORDS: dict[str, Value] = {
    **dict.fromkeys(("match", "matches", "m"), 1),
    **dict.fromkeys(("contradict", "contradicts", "c"), 0),
    **dict.fromkeys(("unsure", "u", "?", "skip", "unknown"), None),
}
EMPTY = "has no value; give match, contradict or unsure"


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
    log, queue, source = review.log(), review.queue, str(path)
    try:
        lines = read_regular(path, MAX_BYTES).split(b"\n")
    except OSError as error:
        problem = Problem(f"cannot be read: {error.strerror or error}", source)
        raise DataError([problem]) from None
    systems = queue.run.samples.systems
    places = {answer: at for at, answer in enumerate(random_order(queue.digests, queue.seed))}
    names = {label.label for label in log.labels}
    current = {(label.item, label.rater): label for label in log.valid}
    labels: list[ReviewLabel] = []
    retractions: list[Retraction] = []
    problems: list[Problem] = []
    n_known = n_empty = 0
    for number, line in enumerate(lines, 1):
        row = read_line(line) if line.strip() else {"ignores_line": number}
        if isinstance(row, str):
            problems.append(Problem(row, source, number))
        elif "retracts" in row:
            name = str(row["retracts"])
            if name in log.retracted:
                n_known += 1
            elif name in names:
                retractions.append(Retraction(name, str(row.get("rater", ""))))
        elif "ignores_line" not in row:
            named = row.get("system")
            is_only = named is None and len(systems) == 1
            answer = str(row.get("id")), systems[0] if is_only else str(named)
            label = label_of(row) if "label" in row else _filled_in(row, answer, queue, rater)
            if label is None:
                n_empty += 1
                continue
            wrong = [
                *(label if isinstance(label, list) else ()),
                *_place_problems(row, answer, queue),
            ]
            if wrong or isinstance(label, list):
                id = None if row.get("id") is None else str(row["id"])
                problems += [Problem(text, source, number, id=id) for text in wrong]
                continue
            if "label" not in row:
                others = any(each == label.item and who != label.rater for each, who in current)
                label = replace(
                    label,
                    digest=label.digest or queue.digests[answer],
                    round="second" if others else "first",
                    sample=SamplePlace(queue.seed, places[answer]),
                )
            before = current.get((label.item, label.rater))
            said = (label.value, label.note, label.digest)
            is_same = before is not None and (before.value, before.note, before.digest) == said
            if label.label in names or (is_same and label.round != "adjudication"):
                n_known += 1
                continue
            names.add(label.label)
            current[label.item, label.rater] = label
            labels.append(label)
    if problems:
        raise DataError(problems)
    if labels or retractions:
        review.stored.append(*labels, *retractions)
    n_stale = sum(queue.digests[label.id, label.system] != label.digest for label in labels)
    return Imported(len(labels), len(retractions), n_known, n_empty, n_stale)


def _filled_in(
    row: Mapping[str, object], answer: tuple[str, str], queue: ReviewQueue, rater: str | None
) -> ReviewLabel | list[str] | None:
    """The label of a line that a person filled in, or what is wrong with it; None for an empty line."""
    value, problem = _value(row.get("value", ""))
    if problem == EMPTY and not row.get("note"):
        return None
    who, note = row.get("rater") or rater or "", row.get("note") or ""
    digest, metric = row.get("digest") or "", row.get("metric")
    problems = [*([problem] if problem else []), *note_problems(note)]
    if not who:
        problems.append("has a label but no rater; add one, or give --rater NAME")
    elif not isinstance(who, str):
        problems.append(f"rater must be text, got {who!r:.40}")
    else:
        problems += rater_problems(who)
    if not isinstance(digest, str):
        problems.append(f"digest must be text, got {digest!r:.40}")
    if metric != queue.about:
        own, about = ("no metric" if each is None else repr(each) for each in (metric, queue.about))
        problems.append(f"is about {own}, but the labels are about {about}; give --about METRIC")
    texts = cast(str, who), cast(str, digest), cast(str, note)
    return problems or ReviewLabel(
        *(*answer, texts[0], value, texts[1], queue.about, texts[2]), is_blind="scores" not in row
    )


def _place_problems(
    row: Mapping[str, object], answer: tuple[str, str], queue: ReviewQueue
) -> list[str]:
    """Whether the run has this answer."""
    id, system = answer
    if not isinstance(row.get("id"), str):
        return [f"id must be text, got {row.get('id')!r:.40}"]
    if row.get("system") is None and len(queue.run.samples.systems) > 1:
        return ["has no system, but the run has several"]
    if answer in queue.digests:
        return []
    systems = [other for known, other in queue.digests if known == id]
    if not systems:
        hint = did_you_mean(id, {known for known, _ in queue.digests})
        return [f"the run has no answer to review with this id{hint}"]
    hint = did_you_mean(system, systems) or f"; it has {', '.join(systems[:5])}"
    return [f"the run has no answer of system {system!r} to review{hint}"]


def _value(given: object) -> tuple[Value, str]:
    """The value of a line that a person filled in, and what is wrong with it."""
    word = "" if given is None else str(given).strip().casefold()
    if given is None or word in WORDS:
        return WORDS.get(word), ""
    if not word:
        return None, EMPTY
    try:
        number, _ = label_value(given)
    except LabelValueError as error:
        return None, f"value: {error}; give match, contradict or unsure"
    if number in (0.0, 1.0):
        return (1 if number else 0), ""
    return None, f"value must be match (1), contradict (0) or unsure, got {given!r:.40}"
