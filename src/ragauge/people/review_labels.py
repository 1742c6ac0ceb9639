"""What one person says of one answer, and the file of labels: lines that are appended and never changed.

    labels.jsonl    one JSON object per line, in the run's folder

A line is a label, the retraction of one (`undo`), or a mark that an earlier line is incomplete because its
writer was stopped. Each line is on disk before the label counts as saved.
"""

import json
import os
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any, Literal, cast, get_args

from ragauge.errors import PlanError, StoreError
from ragauge.loaders.formats.jsonl import JsonError, JsonReader, repeated_problem
from ragauge.runs.manifest import LABELS
from ragauge.storage.atomic_files import store_errors, sync_folder
from ragauge.storage.regular_file import read_regular

MAX_BYTES = 1_000_000_000
MAX_NOTE = 4_000
MAX_NAME = 80
Round = Literal["first", "second", "adjudication"]
ROUNDS: tuple[Round, ...] = get_args(Round)
Value = Literal[0, 1] | None

_writing = Lock()
"""Threads of this process write one after the other; other processes are kept out by a lock of the file."""


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

    @property
    def text(self) -> str:
        """Who says what, and their note: "ann: match – a synonym"."""
        return f"{self.rater}: {says(self.value)}" + (f" – {self.note}" if self.note else "")


def says(value: Value) -> str:
    """A label's value in words.

    >>> says(1), says(0), says(None)
    ('match', 'contradict', 'unsure')
    """
    return {1: "match", 0: "contradict", None: "unsure"}[value]


@dataclass(frozen=True, slots=True)
class Retraction:
    """Takes a label back, by its name."""

    retracts: str
    rater: str
    time: str = field(default_factory=now)


def label_problems(row: Mapping[str, object]) -> list[str]:
    """What is wrong with the fields of a stored label; empty if nothing is."""
    texts = ("label", "id", "system", "rater", "digest", "time")
    problems = [
        f"{name} must be text, got {row.get(name)!r:.40}"
        for name in texts
        if not isinstance(row.get(name), str)
    ]
    if not problems:
        problems += rater_problems(cast(str, row["rater"]))
    problems += value_problems(row.get("value", ""))
    problems += note_problems(row.get("note", ""))
    sample = row.get("sample")
    for name, is_sound, wanted in (
        ("metric", isinstance(row.get("metric"), str | None), "be text or null"),
        ("round", row.get("round", "first") in ROUNDS, f"be one of {', '.join(ROUNDS)}"),
        ("is_blind", isinstance(row.get("is_blind", True), bool), "be true or false"),
        ("sample", sample is None or _sample(sample) is not None, "have a seed and a place"),
    ):
        if not is_sound:
            problems.append(f"{name} must {wanted}, got {row.get(name)!r:.40}")
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
    known = {each.name: row[each.name] for each in fields(ReviewLabel) if each.name in row}
    value = None if row["value"] is None else 1 if row["value"] == 1 else 0
    return ReviewLabel(
        **cast("dict[str, Any]", {**known, "value": value, "sample": _sample(row.get("sample"))})
    )


def _sample(value: object) -> SamplePlace | None:
    if not isinstance(value, dict):
        return None
    given = cast("dict[str, object]", value)
    seed, place = given.get("seed"), given.get("place")
    if type(seed) is not int or type(place) is not int or place < 0:
        return None
    return SamplePlace(seed, place)


@dataclass(frozen=True, slots=True)
class LabelLog:
    """All labels of a file in their order, also those that were taken back; `notes` on its lines."""

    labels: tuple[ReviewLabel, ...] = ()
    retracted: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    @property
    def ids(self) -> frozenset[str]:
        """The questions that have labels."""
        return frozenset(label.id for label in self.labels)

    @property
    def valid(self) -> tuple[ReviewLabel, ...]:
        """The labels that were not taken back."""
        return tuple(label for label in self.labels if label.label not in self.retracted)


@dataclass(frozen=True, slots=True)
class LabelFile:
    """A file of labels on disk."""

    path: Path

    @classmethod
    def of(cls, folder: Path | None) -> "LabelFile":
        """The file of a run; PlanError for a run in memory."""
        if folder is None:
            problem = (
                "labels are stored in the run's folder: evaluate with folder=…, or ragauge run"
            )
            raise PlanError(problem)
        return cls(folder / LABELS)

    def read(self) -> LabelLog:
        """All labels; none if there is no file. StoreError names a damaged line.

        A last line without an end, which a killed writer leaves, is not read, and a note says so.
        """
        *lines, rest = self._content().split(b"\n")
        is_torn = bool(rest) and isinstance(read_line(rest), str)
        if rest and not is_torn:
            lines.append(rest)
        read = [(n, read_line(line)) for n, line in enumerate(lines, 1) if line.strip()]
        rows = [row for _, row in read if isinstance(row, dict)]
        ignored = {n for row in rows if isinstance(n := row.get("ignores_line"), int)}
        labels: list[ReviewLabel] = []
        retracted: set[str] = set()
        for number, row in read:
            if number in ignored:
                continue
            if isinstance(row, str):
                advice = "restore the file from a copy, or move the line elsewhere"
                raise StoreError(f"{self.path}:{number}: {row}; {advice}")
            if "retracts" in row:
                retracted.add(str(row["retracts"]))
            elif "ignores_line" not in row:
                if problems := label_problems(row):
                    raise StoreError(f"{self.path}:{number}: {'; '.join(problems)}")
                labels.append(label_of(row))
        notes = [f"line {number} was not finished and is not read" for number in sorted(ignored)]
        if is_torn:
            notes.append(f"the last line ({len(lines) + 1}) was not finished and is not read")
        return LabelLog(tuple(labels), frozenset(retracted), tuple(notes))

    def append(self, *entries: ReviewLabel | Retraction) -> None:
        """Write the entries and wait until they are on disk; StoreError if that fails, and none is there."""
        self._refuse_link()
        content = lines_of(entries)
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        with store_errors(self.path), _writing:
            is_new = not self.path.exists()
            handle = os.open(self.path, flags, 0o666)
            try:
                with suppress(ImportError):  # Windows: appended lines are whole there too
                    import fcntl

                    fcntl.flock(handle, fcntl.LOCK_EX)
                size = os.fstat(handle).st_size
                content = self._ending(handle, size) + content
                try:
                    while content:
                        content = content[os.write(handle, content) :]
                    os.fsync(handle)
                except OSError:  # leave the file with its old size
                    with suppress(OSError):
                        os.ftruncate(handle, size)
                    raise
            finally:
                os.close(handle)
            if is_new:
                sync_folder(self.path.parent)

    def _ending(self, handle: int, size: int) -> bytes:
        """What has to be written first, after a writer that was stopped within a line."""
        if not size:
            return b""
        os.lseek(handle, size - 1, os.SEEK_SET)
        if os.read(handle, 1) == b"\n":
            return b""
        *others, rest = self._content().split(b"\n")
        is_torn = isinstance(read_line(rest), str)
        return b"\n" + (_line({"ignores_line": len(others) + 1}) if is_torn else b"")

    def _content(self) -> bytes:
        self._refuse_link()
        try:
            return read_regular(self.path, MAX_BYTES)
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be read: {error.strerror or error}") from None

    def _refuse_link(self) -> None:
        if self.path.is_symlink():
            raise StoreError(f"{self.path}: is a link; labels are stored in the run's own folder")


def read_line(line: bytes) -> dict[str, object] | str:
    """The JSON object of a line, or why it is none."""
    reader = JsonReader()
    try:
        value = reader.read_whole(line.decode())
    except JsonError as error:
        return f"{error.problem}, at column {error.position + 1}"
    except UnicodeDecodeError:
        return "is not UTF-8"
    if repeated := reader.take_repeated():
        return repeated_problem(repeated)
    return cast("dict[str, object]", value) if isinstance(value, dict) else "is not an object"


def lines_of(entries: Sequence[ReviewLabel | Retraction]) -> bytes:
    """The lines that store labels and retractions."""
    return b"".join(_line(asdict(entry)) for entry in entries)


def _line(row: Mapping[str, object]) -> bytes:
    text = json.dumps(row, ensure_ascii=False, allow_nan=False)
    for char in "\x85\u2028\u2029":  # some tools end a line there
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text.encode() + b"\n"
