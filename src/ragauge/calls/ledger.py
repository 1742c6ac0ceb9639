"""Keep every reply on disk as it arrives; a lease says that some run is asking now. So no question is paid for twice, not even by two runs at once."""

import json
import os
import secrets
import time
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from socket import gethostname
from typing import Any, Generic, NamedTuple, TypeVar

from ragauge.errors import StoreError
from ragauge.storage.cache import CacheTable, checksum

T = TypeVar("T")

REPLIES = """
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
LEASES = """
create table if not exists leases (
    key blob primary key,
    owner text not null,
    until real not null
) without rowid
"""
LEASE_S = 30.0
"""A lease ends when its owner gives it up or dies, and at the latest this long after it was renewed."""
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


class TokenUsage(NamedTuple):
    """Token usage of one prompt: sums over the `n` replies with known counts."""

    n: int
    characters: int
    prompt_tokens: int
    completion_tokens: int


class Ledger(CacheTable, Generic[T]):
    """The replies in a file, which `unpack` reads from their bytes. A reply that is damaged or in an unknown
    format counts as missing. StoreError if the file is unusable or newer."""

    def __init__(self, path: str | Path, unpack: Callable[[bytes], T]) -> None:
        super().__init__(path, REPLIES, "full")
        self._unpack = unpack

    @property
    def is_shared(self) -> bool:
        """Whether other processes can use the file."""
        return str(self.path) != ":memory:"

    def find(self, keys: Sequence[bytes]) -> dict[bytes, T]:
        """The undamaged replies with these keys."""
        found = {
            key: self._whole_reply(key, check, packed)
            for key, check, packed in self._kept("reply from replies", keys)
        }
        return {key: reply for key, reply in found.items() if reply is not None}

    def keep(self, entries: Sequence[Entry]) -> None:
        """Store the replies in one transaction, on disk when this returns."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        rows = [
            (
                entry.key,
                entry.source,
                entry.kind,
                zlib.compress(entry.request.encode("utf-8", "surrogatepass"), 1),
                entry.reply,
                checksum(entry.key, entry.reply),
                entry.characters,
                *(
                    n if n is not None and n <= MAX_COUNTED else None
                    for n in (entry.prompt_tokens, entry.completion_tokens)
                ),
                entry.cost_usd,
                now,
            )
            for entry in entries
        ]
        with self._transaction() as database:
            marks = ",".join("?" * 11)
            database.executemany(f"insert or replace into replies values ({marks})", rows)

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
            "from replies group by judge order by judge"
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
        found: list[tuple[str, str, Mapping[str, Any], Mapping[str, Any]]] = []
        for judge, prompt, full_key, request, check, reply in rows:
            try:
                asked = json.loads(zlib.decompress(request))
            except (zlib.error, ValueError, TypeError, RecursionError):
                asked = None
            if asked is None or self._whole_reply(full_key, check, reply) is None:
                name = full_key.hex()[:16] if isinstance(full_key, bytes) else f"{full_key!r:.16}"
                advice = "run the same command again to ask it again"
                raise StoreError(f"{self.path}: the call {name} is damaged; {advice}")
            found.append((str(judge), str(prompt), asked, json.loads(reply)))
        return found

    def clear(self) -> None:
        """Remove every reply."""
        for query in ("delete from replies", "drop table if exists leases", "vacuum"):
            self._rows(query)

    def _whole_reply(self, key: object, check: object, packed: object) -> T | None:
        if not (isinstance(key, bytes) and isinstance(packed, bytes)):
            return None
        if check != checksum(key, packed):
            return None
        try:
            return self._unpack(packed)
        except (ValueError, TypeError):
            return None


class Leases(CacheTable):
    """The leases of one owner in a file, so that two runs on one cache ask each question once."""

    def __init__(self, path: str | Path) -> None:
        # A lease that a power failure loses costs a call at most, so no commit waits for the disk.
        super().__init__(path, LEASES, "normal")
        self.owner = f"{gethostname()} {os.getpid()} {secrets.token_hex(8)}"
        self.held: set[bytes] = set()

    def claim(self, keys: Sequence[bytes]) -> set[bytes]:
        """Lease the keys that nobody else has leased; returns these."""
        now = time.time()
        granted = set(keys)
        with self._transaction() as database:
            for key in keys:
                query = "select owner, until from leases where key = ?"
                owner, until = database.execute(query, (key,)).fetchone() or (self.owner, None)
                # The clock may have been set back since: no lease is longer than LEASE_S.
                is_valid = isinstance(until, float) and now < until <= now + LEASE_S
                if owner != self.owner and is_valid and not _is_dead(owner):
                    granted.discard(key)
            database.executemany(
                "insert or replace into leases values (?, ?, ?)",
                [(key, self.owner, now + LEASE_S) for key in granted],
            )
        self.held |= granted
        return granted

    def renew(self) -> None:
        """Let the leases of this owner begin again."""
        until = time.time() + LEASE_S
        self._rows("update leases set until = ? where owner = ?", (until, self.owner))

    def release(self, keys: Collection[bytes]) -> None:
        """Give up leases; those of other owners stay."""
        own = [(key, self.owner) for key in keys if key in self.held]
        if own:
            with self._transaction() as database:
                database.executemany("delete from leases where key = ? and owner = ?", own)
            self.held.difference_update(keys)

    def close(self) -> None:
        """Give up all leases and close the file."""
        self.release(tuple(self.held))
        super().close()


def _is_dead(owner: object) -> bool:
    """Whether the owner was a process on this machine that has ended; False if that cannot be known."""
    host, process, *_ = (*str(owner).split(" "), "")
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
