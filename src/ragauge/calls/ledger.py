"""Keep every reply on disk as it arrives, so that no question is paid for twice.

The replies are in their own table of the cache's file and are never evicted.
"""

import json
import sqlite3
import threading
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, TypeVar

from ragauge.errors import StoreError
from ragauge.storage.cache import (
    FORMAT,
    KEYS_PER_QUERY,
    LOCK_TIMEOUT_S,
    check_is_database,
    checksum,
    unusable,
    write_ahead,
)

T = TypeVar("T")

TABLE = """
create table if not exists replies (
    key blob primary key,
    judge text not null,
    prompt text not null,
    request blob not null,
    reply blob not null,
    checksum integer not null,
    characters integer not null,
    prompt_tokens integer,
    completion_tokens integer,
    cost_usd real,
    at text not null
)
"""
MAX_COUNTED = 10**12
"""Higher token counts of one call are ignored; sums of lower ones fit SQLite."""
MAX_SUM = 10**18
"""The highest sum of tokens that is shown; only a damaged file has a higher one."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A reply with what was asked, as they are kept.

    `source`: who replied: a judge, a system. `kind`: the prompt, or what else makes calls alike in cost.
    `request`: JSON. `characters`: the length of what was sent.
    """

    key: bytes
    source: str
    kind: str
    request: str
    reply: bytes
    characters: int
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Token usage of one prompt: sums over the `n` replies with known counts."""

    n: int
    characters: int
    prompt_tokens: int
    completion_tokens: int

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        return TokenUsage(
            self.n + other.n,
            self.characters + other.characters,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )


class Ledger(Generic[T]):
    """The replies in a file, which `unpack` reads from their bytes. Safe for several processes. StoreError if the file is unusable or newer.

    A reply that is damaged or in an unknown format counts as missing.
    """

    def __init__(self, path: str | Path, unpack: Callable[[bytes], T]) -> None:
        self.path = Path(path)
        self._unpack = unpack
        self._lock = threading.Lock()
        check_is_database(self.path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(
                self.path, timeout=LOCK_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
            write_ahead(self._database)
            self._database.execute("pragma synchronous = full")
            self._check_format()
            self._database.execute(TABLE)
        except (OSError, sqlite3.Error) as error:
            raise unusable(self.path, error) from error

    @property
    def is_shared(self) -> bool:
        """Whether other processes can use the file."""
        return str(self.path) != ":memory:"

    def find(self, keys: Sequence[bytes]) -> dict[bytes, T]:
        """The undamaged replies with these keys."""
        found: dict[bytes, T] = {}
        for start in range(0, len(keys), KEYS_PER_QUERY):
            some = keys[start : start + KEYS_PER_QUERY]
            marks = ",".join("?" * len(some))
            rows = self._rows(
                f"select key, checksum, reply from replies where key in ({marks})", some
            )
            for key, check, packed in rows:
                reply = self._whole_reply(key, check, packed)
                if reply is not None:
                    found[key] = reply
        return found

    def keep(self, entries: Sequence[Entry]) -> None:
        """Store the replies in one transaction, on disk when this returns."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        rows = [_row(entry, now) for entry in entries]
        with self._lock:
            try:
                self._database.execute("begin immediate")
                self._database.executemany(
                    f"insert or replace into replies values ({','.join('?' * 11)})", rows
                )
                self._database.execute("commit")
            except BaseException as error:
                with suppress(sqlite3.Error):  # report the first error
                    if self._database.in_transaction:  # a full disk has already rolled it back
                        self._database.execute("rollback")
                if isinstance(error, sqlite3.Error):
                    raise unusable(self.path, error) from error
                raise

    def usage(self, source: str) -> dict[str, TokenUsage]:
        """Token usage of this source's replies, by kind."""
        rows = self._rows(
            "select prompt, count(*), sum(characters), sum(prompt_tokens), sum(completion_tokens) "
            "from replies where judge = ? and prompt_tokens is not null "
            "and completion_tokens is not null group by prompt",
            [source],
        )
        return {prompt: TokenUsage(*sums) for prompt, *sums in rows}

    def totals(self) -> list[tuple[str, int, int, int, float | None]]:
        """For each source: replies, prompt tokens, reply tokens, and cost if known."""
        rows = self._rows(
            "select judge, count(*), coalesce(total(prompt_tokens), 0), "
            "coalesce(total(completion_tokens), 0), sum(cost_usd) "
            "from replies group by judge order by judge",
            [],
        )
        return [
            (str(judge), n, int(min(n_in, MAX_SUM)), int(min(n_out, MAX_SUM)), cost)
            for judge, n, n_in, n_out, cost in rows
        ]

    def show(self, key: str) -> list[tuple[str, str, Mapping[str, Any], Mapping[str, Any]]]:
        """Source, kind, request and reply of at most 2 keys with this hexadecimal prefix.

        StoreError if one of them is damaged.
        """
        rows = self._rows(
            "select judge, prompt, key, request, checksum, reply from replies "
            "where substr(hex(key), 1, length(?1)) = ?1 limit 2",
            [key.upper()],
        )
        return [
            (str(judge), str(prompt), *self._call(full_key, request, check, reply))
            for judge, prompt, full_key, request, check, reply in rows
        ]

    def _call(
        self, key: object, request: bytes, check: int, reply: bytes
    ) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        try:
            asked = json.loads(zlib.decompress(request))
        except (zlib.error, ValueError, TypeError, RecursionError):
            asked = None
        if asked is None or self._whole_reply(key, check, reply) is None:
            raise StoreError(
                f"{self.path}: the call {_shown_key(key)} is damaged; run the same command again "
                "to ask it again"
            )
        return asked, json.loads(reply)

    def clear(self) -> None:
        """Remove every reply."""
        self._rows("delete from replies", [])
        self._rows("drop table if exists leases", [])
        self._rows("vacuum", [])

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()

    def _whole_reply(self, key: object, check: object, packed: object) -> T | None:
        if not (isinstance(key, bytes) and isinstance(packed, bytes)):
            return None
        if check != checksum(key, packed):
            return None
        try:
            return self._unpack(packed)
        except (ValueError, TypeError):
            return None

    def _check_format(self) -> None:
        (version,) = self._database.execute("pragma user_version").fetchone()
        if version > FORMAT:
            raise StoreError(
                f"{self.path} was written by a newer ragauge (format {version}, this one reads "
                f"{FORMAT}); upgrade, or name another cache"
            )

    def _rows(self, query: str, values: Sequence[object]) -> list[Any]:
        with self._lock:
            try:
                return self._database.execute(query, values).fetchall()  # pyright: ignore[reportArgumentType]
            except sqlite3.Error as error:
                raise unusable(self.path, error) from error


def _row(entry: Entry, now: str) -> tuple[object, ...]:
    return (
        entry.key,
        entry.source,
        entry.kind,
        zlib.compress(entry.request.encode("utf-8", "surrogatepass"), 1),
        entry.reply,
        checksum(entry.key, entry.reply),
        entry.characters,
        _counted(entry.prompt_tokens),
        _counted(entry.completion_tokens),
        entry.cost_usd,
        now,
    )


def _counted(n: int | None) -> int | None:
    return n if n is not None and n <= MAX_COUNTED else None


def _shown_key(key: object) -> str:
    return key.hex()[:16] if isinstance(key, bytes) else f"{key!r:.16}"
