"""A lease on a run at a URL: the machine that writes it says so there, and renews it as long as it lives.

    .lease.json     who writes the run, and until when that holds if it is not renewed

It keeps two machines from doing the same work at the same time. If both begin within the same moment, the
one that was overwritten notices when it renews, and ends.
"""

import json
import platform
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Event, Thread
from typing import Any

from ragauge.errors import StoreError
from ragauge.storage.object_store import store_at

LEASE = ".lease.json"
LEASE_S = 90.0
"""Without a renewal for this long, the writer is dead, and another machine may resume the run."""
RENEWED_EVERY_S = 20.0
ENDS_WITHIN_S = 10.0
"""A renewal that is on its way when the run ends is waited for, if the network answers."""
MAX_MACHINE = 80


@dataclass(frozen=True, slots=True)
class _Entry:
    """What is in a lease."""

    holder: str
    machine: str
    until: datetime


class Lease:
    """The lease of one writer, `holder`, on the run at a URL."""

    def __init__(self, url: str, holder: str) -> None:
        self.url, self.holder = url, holder
        self._ended = Event()
        self._taken_by = ""
        """The machine that has taken the lease over from this one."""

    @contextmanager
    def held(self) -> Generator[None]:
        """Take the lease and renew it until the end; StoreError if another writer has it."""
        self._take()
        thread = Thread(target=self._renew, name="ragauge-lease", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._ended.set()
            thread.join(ENDS_WITHIN_S)
            with suppress(StoreError):  # it ends by itself
                self._release()

    def check(self) -> None:
        """Raise StoreError if another machine has taken the lease over."""
        if self._taken_by:
            raise StoreError(
                f"{self.url}: {self._taken_by} now writes this run; run the same command again when it has ended"
            )

    def _take(self) -> None:
        self._refuse(self._read())
        self._write()
        self._refuse(self._read())

    def _refuse(self, found: _Entry | None) -> None:
        if found is None or found.holder == self.holder or found.until <= datetime.now(UTC):
            return
        raise StoreError(
            f"{self.url}: a process on {found.machine} writes this run; wait until it has ended, or if it was "
            f"killed, run the same command again after {found.until:%H:%M:%S} UTC"
        )

    def _renew(self) -> None:
        while not self._ended.wait(RENEWED_EVERY_S):
            with suppress(StoreError):  # whoever writes a part next has the same error and says it
                found = self._read()
                if found is not None and found.holder != self.holder:
                    self._taken_by = found.machine
                    return
                self._write()

    def _release(self) -> None:
        found = self._read()
        if found is not None and found.holder == self.holder:
            with store_at(self.url, "written") as files:
                files.rm_file(self._place)

    @property
    def _place(self) -> str:
        return f"{self.url}/{LEASE}"

    def _read(self) -> _Entry | None:
        """The lease that is there; None if there is none, or one that cannot be read."""
        with store_at(self.url, "read") as files:
            files.invalidate_cache()
            try:
                content: bytes = files.cat_file(self._place)
            except FileNotFoundError:
                return None
        return _entry(content)

    def _write(self) -> None:
        until = datetime.now(UTC) + timedelta(seconds=LEASE_S)
        entry = {"holder": self.holder, "machine": platform.node(), "until": until.isoformat()}
        with store_at(self.url, "written") as files:
            files.pipe_file(self._place, json.dumps(entry).encode())


def _entry(content: bytes) -> _Entry | None:
    try:
        table: Any = json.loads(content)
        until = datetime.fromisoformat(table["until"])
        if until.tzinfo is None:
            return None
        return _Entry(str(table["holder"]), str(table["machine"])[:MAX_MACHINE], until)
    except (ValueError, TypeError, LookupError, RecursionError):
        return None
