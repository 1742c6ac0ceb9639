"""What one person says of one answer, and the files of a run's labels: lines that are appended and never changed.

    labels.jsonl            one JSON object per line, in the run's folder
    labels/SESSION.jsonl    labels that one process put at the run's URL, a file for each process

A line is a label, the retraction of one (`undo`), or a mark that an earlier line is incomplete because its
writer was stopped. Each line is on disk before the label counts as saved. Object stores cannot append to a
file, so a label is put there by writing the whole file of its process again: whoever labels at the same
time, nobody overwrites the labels of others.
"""

import json
import os
import re
import secrets
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from ragauge.errors import PlanError, StoreError
from ragauge.loaders.formats.jsonl import JsonError, JsonReader, repeated_problem
from ragauge.runs.manifest import LABELS, SESSIONS
from ragauge.runs.working_copy import WorkingCopy
from ragauge.storage.atomic_files import store_errors, sync_folder, write_bytes
from ragauge.storage.regular_file import read_regular

if TYPE_CHECKING:
    from ragauge.runs.scored_run import ScoredRun

MAX_BYTES = 1_000_000_000
MAX_NOTE = 4_000
MAX_NAME = 80
SESSION = re.compile(r"[0-9]{19}-[0-9a-f]{16}\.jsonl")
"""The names of the files in the folder of sessions: when they began, in nanoseconds, and a random number."""
MAX_BYTES_TO_PUT = 250_000
"""Once a session's file has this many bytes, further labels go to a new one."""
REFRESHED_EVERY_S = 5.0
LONG_AGO = datetime.min.replace(tzinfo=UTC)
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


def label_of(row: Mapping[str, object]) -> ReviewLabel | list[str]:
    """The label that a row of a file is, or what is wrong with its fields."""
    problems = [
        f"{name} must be text, got {row.get(name)!r:.40}"
        for name in ("label", "id", "system", "rater", "digest", "time")
        if not isinstance(row.get(name), str)
    ]
    problems += [] if problems else rater_problems(cast(str, row["rater"]))
    problems += [*value_problems(row.get("value", "")), *note_problems(row.get("note", ""))]
    stored = row.get("sample")
    sample = cast("dict[str, object]", stored if isinstance(stored, dict) else {})
    seed, place = sample.get("seed"), sample.get("place")
    is_place = type(seed) is int and type(place) is int and place >= 0
    for name, is_sound, wanted in (
        ("metric", isinstance(row.get("metric"), str | None), "be text or null"),
        ("round", row.get("round", "first") in ROUNDS, f"be one of {', '.join(ROUNDS)}"),
        ("is_blind", isinstance(row.get("is_blind", True), bool), "be true or false"),
        ("sample", stored is None or is_place, "have a seed and a place"),
    ):
        if not is_sound:
            problems.append(f"{name} must {wanted}, got {row.get(name)!r:.40}")
    if problems:
        return problems
    known: dict[str, Any] = {
        each.name: row[each.name] for each in fields(ReviewLabel) if each.name in row
    }
    known["value"] = None if row["value"] is None else 1 if row["value"] == 1 else 0
    known["sample"] = None if stored is None else SamplePlace(cast(int, seed), cast(int, place))
    return ReviewLabel(**known)


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
    if any("\ud800" <= char <= "\udfff" for char in note):
        return ["note has half of a surrogate pair, which is no character"]
    return []


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
                label = label_of(row)
                if isinstance(label, list):
                    raise StoreError(f"{self.path}:{number}: {'; '.join(label)}")
                labels.append(label)
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
                os.lseek(handle, max(size - 1, 0), os.SEEK_SET)
                if os.read(handle, 1) not in (b"", b"\n"):  # a writer was stopped within this line
                    *others, rest = self._content().split(b"\n")
                    is_torn = isinstance(read_line(rest), str)
                    mark = _line({"ignores_line": len(others) + 1}) if is_torn else b""
                    content = b"\n" + mark + content
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


@dataclass(slots=True)
class RunLabels:
    """The labels of the run in `folder`, which is the working copy of a run at a `url`."""

    folder: Path
    url: str | None = None
    _session: str = ""
    """The name of this process's file; empty until it has one."""
    _content: bytes = b""
    """What that file has at the URL."""
    _refreshed: float | None = None

    @classmethod
    def of(cls, run: "ScoredRun") -> "RunLabels":
        """The labels of a run; PlanError for a run in memory."""
        if run.folder is None:
            where = "evaluate with folder=…, or ragauge run"
            raise PlanError(f"labels are stored in the run's folder: {where}")
        return cls(run.folder, run.url)

    @property
    def path(self) -> Path:
        """The file of the labels that are given in the folder."""
        return self.folder / LABELS

    def exist(self) -> bool:
        """Whether anybody has labelled the run."""
        return self.path.exists() or (self.folder / SESSIONS).is_dir()

    def read(self) -> LabelLog:
        """All labels; StoreError names a damaged line."""
        folder = self.folder / SESSIONS
        with self._named_errors():
            if folder.is_symlink():
                raise StoreError(f"{folder}: is a link; labels are stored in the run's own folder")
            files = folder.iterdir() if folder.is_dir() else ()
            sessions = sorted(path for path in files if SESSION.fullmatch(path.name))
            logs = {path.name: LabelFile(path).read() for path in (self.path, *sessions)}
        if len(logs) == 1:
            return logs[self.path.name]
        # In the order of their times; those of one file stay in its order.
        timed: list[tuple[datetime, ReviewLabel]] = []
        for log in logs.values():
            latest = LONG_AGO
            for label in log.labels:
                with suppress(ValueError):  # of a time that cannot be read
                    at = datetime.fromisoformat(label.time)
                    # Or that of an earlier label if it is later: a clock may be set back.
                    latest = max(latest, at if at.tzinfo else at.replace(tzinfo=UTC))
                timed.append((latest, label))
        labels = [label for _, label in sorted(timed, key=lambda each: each[0])]
        retracted = frozenset[str]().union(*(log.retracted for log in logs.values()))
        notes = [f"{name}: {note}" for name, log in logs.items() for note in log.notes]
        return LabelLog(tuple(labels), retracted, tuple(notes))

    def refresh(self) -> None:
        """Fetch what others have put at the URL in the meantime, unless that was done just now."""
        at = time.monotonic()
        is_fresh = self._refreshed is not None and at - self._refreshed < REFRESHED_EVERY_S
        if self.url is None or is_fresh:
            return
        copy = WorkingCopy(self.url, self.folder)
        copy.fetch(copy.listed(SESSIONS), folder=SESSIONS)
        self._refreshed = at

    def append(self, *entries: ReviewLabel | Retraction) -> None:
        """Store the entries in the folder, or at the URL; StoreError if that fails, and none is there."""
        if self.url is None:
            LabelFile(self.path).append(*entries)
            return
        if not self._session or len(self._content) > MAX_BYTES_TO_PUT:
            self._session = f"{time.time_ns():019}-{secrets.token_hex(8)}.jsonl"
            self._content = b""
        content = self._content + lines_of(entries)
        path = self.folder / SESSIONS / self._session
        with self._named_errors():
            write_bytes(path, content)
            try:
                WorkingCopy(self.url, self.folder).put(path)
            except BaseException:
                # What could not be put at the URL does not stay in the working copy.
                if self._content:
                    write_bytes(path, self._content)
                else:
                    path.unlink(missing_ok=True)
                raise
        self._content = content

    @contextmanager
    def _named_errors(self) -> Generator[None]:
        try:
            yield
        except StoreError as error:
            if self.url is None:
                raise
            raise StoreError(str(error).replace(str(self.folder), self.url)) from error
