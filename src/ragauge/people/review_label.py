"""What one person says of one answer: a label, and what a stored one must look like."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, cast

MAX_NOTE = 4_000
MAX_NAME = 80
Round = Literal["first", "second", "adjudication"]
ROUNDS: tuple[Round, ...] = ("first", "second", "adjudication")
Value = Literal[0, 1] | None


def now() -> str:
    """The time as labels have it; labels of several files are put in order by it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@dataclass(frozen=True, slots=True)
class SamplePlace:
    """Where a label's answer is in the random order of all answers that a seed gives, from 0 on."""

    seed: int
    place: int


@dataclass(frozen=True, slots=True)
class ReviewLabel:
    """What one person says of one answer.

    `value` is 1 for a match, 0 for a contradiction, None for unsure. `metric` is None for "does the answer
    match the reference". `digest` is that of the texts that were read. `round`: "first" if nobody had
    labelled the answer, "second" if others had, "adjudication" if the label settles a conflict. `is_blind`
    is False if the person had seen the automatic verdicts before. `label` names the label.
    """

    id: str
    system: str
    rater: str
    value: Value
    digest: str
    metric: str | None = None
    note: str = ""
    time: str = field(default_factory=now)
    round: Round = "first"
    sample: SamplePlace | None = None
    is_blind: bool = True
    label: str = field(default_factory=lambda: secrets.token_hex(8))

    @property
    def item(self) -> tuple[str, str, str | None]:
        """What it is about: id, system, metric."""
        return self.id, self.system, self.metric


@dataclass(frozen=True, slots=True)
class Retraction:
    """Takes a label back, by its name."""

    retracts: str
    rater: str
    time: str = field(default_factory=now)


def label_problems(row: Mapping[str, object]) -> list[str]:
    """What is wrong with the fields of a stored label; empty if nothing is."""
    texts = {"label": 64, "id": None, "system": None, "rater": MAX_NAME, "digest": 64, "time": 64}
    problems = [
        f"{name} must be text, got {row.get(name)!r:.40}"
        for name in texts
        if not isinstance(row.get(name), str)
    ]
    if not problems:
        problems += rater_problems(cast(str, row["rater"]))
    problems += value_problems(row.get("value", ""))
    problems += note_problems(row.get("note", ""))
    if not isinstance(row.get("metric"), str | None):
        problems.append(f"metric must be text or null, got {row.get('metric')!r:.40}")
    if row.get("round", "first") not in ROUNDS:
        problems.append(f"round must be one of {', '.join(ROUNDS)}, got {row.get('round')!r:.40}")
    if not isinstance(row.get("is_blind", True), bool):
        problems.append(f"is_blind must be true or false, got {row.get('is_blind')!r:.40}")
    if row.get("sample") is not None and _sample(row["sample"]) is None:
        problems.append(f"sample must have a seed and a place, got {row['sample']!r:.40}")
    return problems


def rater_problems(name: str) -> list[str]:
    """What is wrong with the name of a rater: it is shown in tables, so it is one short line."""
    if not name or name != name.strip() or len(name) > MAX_NAME or not name.isprintable():
        return [f"rater must be a name of 1 to {MAX_NAME} printable characters, got {name!r:.90}"]
    return []


def value_problems(value: object) -> list[str]:
    if value is None or (not isinstance(value, bool) and value in (0, 1)):
        return []
    return [f"value must be 1 (match), 0 (contradict) or null (unsure), got {value!r:.40}"]


def note_problems(note: object) -> list[str]:
    if not isinstance(note, str):
        return [f"note must be text, got {note!r:.40}"]
    if len(note) > MAX_NOTE:
        return [f"note has {len(note):,} characters; at most {MAX_NOTE:,} are stored"]
    try:
        note.encode()
    except UnicodeEncodeError:
        return ["note has half of a surrogate pair, which is no character"]
    return []


def label_of(row: Mapping[str, object]) -> ReviewLabel:
    """The label of a row without problems."""
    value = row["value"]
    return ReviewLabel(
        id=cast(str, row["id"]),
        system=cast(str, row["system"]),
        rater=cast(str, row["rater"]),
        value=None if value is None else (1 if value == 1 else 0),
        digest=cast(str, row["digest"]),
        metric=cast("str | None", row.get("metric")),
        note=cast(str, row.get("note", "")),
        time=cast(str, row["time"]),
        round=cast(Round, row.get("round", "first")),
        sample=_sample(row.get("sample")),
        is_blind=cast(bool, row.get("is_blind", True)),
        label=cast(str, row["label"]),
    )


def _sample(value: object) -> SamplePlace | None:
    if not isinstance(value, dict):
        return None
    given = cast("dict[str, object]", value)
    seed, place = given.get("seed"), given.get("place")
    if type(seed) is not int or type(place) is not int or place < 0:
        return None
    return SamplePlace(seed, place)
