"""All labels of a run: those that were given in its folder, and those that were given at its URL.

    labels.jsonl            labels given in the folder
    labels/SESSION.jsonl    labels that one process put at the URL, a file for each process

Object stores cannot append to a file, so a label is put there by writing its whole file again. Each process
has a file of its own: whoever labels at the same time, on this machine or another one, nobody overwrites
the labels of others.
"""

import re
import secrets
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ragauge.errors import StoreError
from ragauge.people.review_labels import LabelFile, LabelLog, Retraction, ReviewLabel, lines_of
from ragauge.runs.manifest import LABELS, SESSIONS
from ragauge.runs.working_copy import WorkingCopy
from ragauge.storage.atomic_files import write_bytes

if TYPE_CHECKING:
    from ragauge.runs.scored_run import ScoredRun

SESSION = re.compile(r"[0-9]{19}-[0-9a-f]{16}\.jsonl")
"""The names of the files in the folder of sessions: when they began, in nanoseconds, and a random number."""
MAX_BYTES_TO_PUT = 250_000
"""Once a session's file has this many bytes, further labels go to a new one."""
REFRESHED_EVERY_S = 5.0
LONG_AGO = datetime.min.replace(tzinfo=UTC)


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
        return cls(LabelFile.of(run.folder).path.parent, run.url)

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
        if self.url is None:
            return
        now = time.monotonic()
        if self._refreshed is not None and now - self._refreshed < REFRESHED_EVERY_S:
            return
        copy = WorkingCopy(self.url, self.folder)
        copy.fetch(copy.listed(SESSIONS), folder=SESSIONS)
        self._refreshed = now

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
