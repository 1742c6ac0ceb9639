"""Which questions some run is asking now, so that two runs on one cache ask each question once.

A lease is a row in the cache's file. It ends when its owner gives it up or dies, and at the latest
LEASE_S after the owner last renewed it.
"""

import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from socket import gethostname

from ragauge.storage.cache import LOCK_TIMEOUT_S, unusable, write_ahead

LEASE_S = 30.0
RENEW_S = LEASE_S / 3
"""How often an owner renews its leases."""
POLL_S = 0.2
"""How often a run looks whether another one has the reply."""

TABLE = """
create table if not exists leases (
    key blob primary key,
    owner text not null,
    until real not null
) without rowid
"""


class Leases:
    """The leases of one owner in a file. Safe for threads and several processes."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.owner = f"{gethostname()} {os.getpid()} {secrets.token_hex(8)}"
        self._lock = threading.Lock()
        self._held: set[bytes] = set()
        try:
            self._database = sqlite3.connect(
                self.path, timeout=LOCK_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
            write_ahead(self._database)
            # A lease that a power failure loses costs a call at most, so no commit waits for the disk.
            self._database.execute("pragma synchronous = normal")
            self._database.execute(TABLE)
        except (OSError, sqlite3.Error) as error:
            raise unusable(self.path, error) from error

    @property
    def any_held(self) -> bool:
        return bool(self._held)

    def claim(self, keys: Sequence[bytes]) -> set[bytes]:
        """Lease the keys that nobody else has leased; returns these."""
        now = time.time()
        with self._transaction() as database:
            taken = {key for key in keys if self._is_taken(database, key, now)}
            granted = set(keys) - taken
            database.executemany(
                "insert or replace into leases values (?, ?, ?)",
                [(key, self.owner, now + LEASE_S) for key in granted],
            )
        self._held |= granted
        return granted

    def renew(self) -> None:
        """Let the leases of this owner begin again."""
        with self._transaction() as database:
            database.execute(
                "update leases set until = ? where owner = ?", (time.time() + LEASE_S, self.owner)
            )

    def release(self, keys: Collection[bytes]) -> None:
        """Give up leases; those of other owners stay."""
        own = [(key, self.owner) for key in keys if key in self._held]
        if own:
            with self._transaction() as database:
                database.executemany("delete from leases where key = ? and owner = ?", own)
            self._held.difference_update(keys)

    def close(self) -> None:
        """Give up all leases and close the file."""
        self.release(tuple(self._held))
        with self._lock:
            self._database.close()

    def _is_taken(self, database: sqlite3.Connection, key: bytes, now: float) -> bool:
        row = database.execute("select owner, until from leases where key = ?", (key,)).fetchone()
        if row is None or row[0] == self.owner or not isinstance(row[1], float):
            return False
        # The clock may have been set back since: no lease is longer than LEASE_S.
        return now < row[1] <= now + LEASE_S and not _is_dead(row[0])

    @contextmanager
    def _transaction(self) -> Generator[sqlite3.Connection]:
        with self._lock:
            database = self._database
            try:
                database.execute("begin immediate")
                yield database
                database.execute("commit")
            except sqlite3.Error as error:
                raise unusable(self.path, error) from error
            finally:
                if database.in_transaction:
                    database.execute("rollback")


def _is_dead(owner: object) -> bool:
    """Whether the owner was a process on this machine that has ended; False if that cannot be known."""
    host, _, rest = str(owner).partition(" ")
    process = rest.partition(" ")[0]
    # On Windows, os.kill would end the process.
    if os.name != "posix" or host != gethostname() or not process.isdecimal():
        return False
    try:
        os.kill(int(process), 0)
    except (ProcessLookupError, OverflowError):
        return True
    except OSError:  # it belongs to somebody else
        return False
    return False
