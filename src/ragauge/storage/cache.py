"""Cache of computed vectors and paid replies: one SQLite file for several processes."""

import sqlite3
import time
import zlib
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from ragauge.errors import StoreError
from ragauge.storage.regular_file import NotReadableError, check_regular

FORMAT = 1
MAX_BYTES = 2 * 2**30
ENTRIES_SHARE = 0.9
"""Minimum share of values in a file with entries only; the rest are keys."""
KEYS_PER_QUERY = 500
HEAD = b"SQLite format 3\0"
LOCK_TIMEOUT_S = 60

TABLE = """
create table if not exists entries (
    number integer primary key,
    key blob not null unique,
    kind text not null,
    checksum integer not null,
    value blob not null
)
"""


def digest(*parts: str | bytes) -> bytes:
    """One key from several parts; the boundaries of the parts count."""
    made = sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        made.update(len(data).to_bytes(8, "little"))
        made.update(data)
    return made.digest()


class CacheTable:
    """A table in the cache's file, for threads and several processes. StoreError if the file is unusable or newer."""

    def __init__(
        self, path: str | Path, table: str, synchronous: Literal["full", "normal"]
    ) -> None:
        self.path = Path(path)
        self._lock = Lock()
        check_is_database(self.path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(
                self.path, timeout=LOCK_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
            write_ahead(self._database)
            self._database.execute(f"pragma synchronous = {synchronous}")
            (version,) = self._database.execute("pragma user_version").fetchone()
            if version > FORMAT:
                formats = f"(format {version}, this one reads {FORMAT})"
                what = f"{self.path} was written by a newer ragauge {formats}"
                raise StoreError(f"{what}; upgrade, or name another file")
            self._database.execute(table)
        except (OSError, sqlite3.Error) as error:
            raise unusable(self.path, error) from error

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._lock:
            try:
                return self._database.execute(query, values).fetchall()
            except sqlite3.Error as error:
                raise unusable(self.path, error) from error

    def _kept(self, value: str, keys: Sequence[bytes]) -> Iterator[tuple[Any, Any, Any]]:
        """Key, checksum and value of each of these keys that is kept."""
        for start in range(0, len(keys), KEYS_PER_QUERY):
            some = keys[start : start + KEYS_PER_QUERY]
            marks = ",".join("?" * len(some))
            yield from self._rows(f"select key, checksum, {value} where key in ({marks})", some)

    @contextmanager
    def _transaction(self) -> Generator[sqlite3.Connection]:
        with self._lock:
            try:
                self._database.execute("begin immediate")
                yield self._database
                self._database.execute("commit")
            except sqlite3.Error as error:
                raise unusable(self.path, error) from error
            finally:
                with suppress(sqlite3.Error):  # report the first error
                    if self._database.in_transaction:  # a full disk has already rolled it back
                        self._database.execute("rollback")


class Cache(CacheTable):
    """Entries by key in a file, the oldest removed beyond `most_bytes`; StoreError if unusable."""

    def __init__(self, path: str | Path, *, most_bytes: int = MAX_BYTES) -> None:
        super().__init__(path, TABLE, "normal")
        self._rows(f"pragma user_version = {FORMAT}")
        self.most_bytes = most_bytes
        self._full_from = 0
        """Pages that the file must have before its entries are counted again."""

    def find(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The undamaged values of these keys."""
        return {
            key: value
            for key, check, value in self._kept("value from entries", keys)
            if isinstance(value, bytes) and check == checksum(key, value)
        }

    def keep(self, kind: str, entries: Mapping[bytes, bytes]) -> None:
        """Store the entries in one transaction; existing ones are replaced."""
        rows = [(key, kind, checksum(key, value), value) for key, value in entries.items()]
        columns = "(key, kind, checksum, value) values (?, ?, ?, ?)"
        with self._transaction() as database:
            database.executemany(f"insert or replace into entries {columns}", rows)
            self._make_room(database)

    def counts(self) -> dict[str, tuple[int, int]]:
        """Number and bytes of entries, by kind."""
        query = "select kind, count(*), sum(length(value)) from entries group by kind order by kind"
        return {str(kind): (count, int(size or 0)) for kind, count, size in self._rows(query)}

    def clear(self) -> None:
        """Remove every entry."""
        for query in ("delete from entries", "vacuum"):
            self._rows(query)

    def _make_room(self, database: sqlite3.Connection) -> None:
        counts = ("page_count", "freelist_count", "page_size")
        pages, free, size = (database.execute(f"pragma {name}").fetchone()[0] for name in counts)
        # Judges' replies are in the same file and are never removed.
        if (pages - free) * size <= self.most_bytes or pages < self._full_from:
            return
        (own,) = database.execute("select coalesce(sum(length(value)), 0) from entries").fetchone()
        if own <= self.most_bytes * ENTRIES_SHARE:
            self._full_from = pages + pages // 50
            return
        # Remove half of the entries at once, so that this happens rarely.
        database.execute(
            "delete from entries where number <= "
            "(select number from entries order by number limit 1 offset "
            "(select count(*) / 2 from entries))"
        )


def check_is_database(path: Path) -> None:
    """Raise StoreError for a file with other content: SQLite would overwrite one of a few bytes."""
    try:
        check_regular(path)
        with path.open("rb") as file:
            head = file.read(len(HEAD))
    except NotReadableError as error:
        raise StoreError(f"{path} cannot be used: {error.strerror}") from None
    except OSError:  # absent, or SQLite says why it cannot be opened
        return
    if head and head != HEAD:
        raise StoreError(f"{path} is not a file of ragauge; name another")


def unusable(path: Path, error: Exception) -> StoreError:
    """The error for a cache file that SQLite or the disk refuses."""
    name = getattr(error, "sqlite_errorname", "")
    if name == "SQLITE_NOTADB":
        return StoreError(f"{path} is not a file of ragauge; name another")
    way_out = "name another place, or none, as the cache"
    if name.startswith("SQLITE_FULL"):
        way_out = f"make room there, or {way_out}"
    if name.startswith("SQLITE_CORRUPT"):
        way_out = f"remove it if it is ragauge's (what it held is computed or asked for again), or {way_out}"
    why = getattr(error, "strerror", None) or error
    return StoreError(f"{path} cannot be used: {why}; {way_out}")


def write_ahead(database: sqlite3.Connection) -> None:
    """Switch to write-ahead logging; unlike SQLite, wait while another process does the same."""
    end = time.monotonic() + LOCK_TIMEOUT_S
    while True:
        try:
            database.execute("pragma journal_mode = wal")
            return
        except sqlite3.OperationalError as error:
            is_busy = getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY")
            if not is_busy or time.monotonic() > end:
                raise
            time.sleep(0.01)


def checksum(key: bytes, value: bytes) -> int:
    """A checksum that detects a damaged entry, or one under another's key."""
    return zlib.crc32(value, zlib.crc32(key))
