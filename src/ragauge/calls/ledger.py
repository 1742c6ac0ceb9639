"""Keep every reply on disk as it arrives; a lease says that some run is asking now. So no question is paid for twice, not even by two runs at once."""

import json
import os
import secrets
import threading
import time
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from socket import gethostname
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar, cast, get_args

from ragauge.errors import StoreError
from ragauge.storage.cache import CacheTable, checksum

if TYPE_CHECKING:
    import asyncio

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


IDLE_S = 0.05
"""A writer's thread ends after this long without work, and restarts when needed."""
RENEW_S = LEASE_S / 3
POLL_S = 0.2
"""How often a run looks whether another one has the reply."""
Kind = Literal["find", "keep", "release", "renew", "claim"]
IN_ORDER: tuple[Kind, ...] = get_args(Kind)
"""Replies are kept before their leases end, or another run would ask again."""


@dataclass(frozen=True, slots=True)
class _Order:
    """What the thread is asked to do, and who waits for it; None if nobody does."""

    kind: Kind
    subject: Any
    answer: "asyncio.Future[Any] | None" = None


class LedgerWriter(Generic[T]):
    """A ledger for the event loop: a thread handles all waiting orders at once.

    Without a ledger it keeps nothing. The thread ends when idle.
    """

    def __init__(self, ledger: Ledger[T] | None) -> None:
        self.ledger = ledger
        self._leases: Leases | None = None
        self._changed = threading.Condition()
        self._waiting: list[_Order] = []
        self._is_at_work = False
        self._is_renewing = False

    async def find(self, key: bytes) -> T | None:
        """The reply with this key, or None."""
        return None if self.ledger is None else await self._put("find", key)

    async def find_or_lease(self, key: bytes) -> T | None:
        """The reply with this key, or None once this run may ask for it: then `release` it afterwards.

        While another run asks the same question, this waits for its reply.
        """
        import asyncio

        if self.ledger is None or not self.ledger.is_shared:
            return await self.find(key)

        def give_back(answer: "asyncio.Future[Any]") -> None:
            is_done = not answer.cancelled() and answer.exception() is None
            if is_done and answer.result() == "leased":
                self.release(key)

        while True:
            answer = self._put("claim", key)
            try:
                found = await asyncio.shield(answer)
            except asyncio.CancelledError:  # nobody waits for a lease that may still come
                answer.add_done_callback(give_back)
                raise
            if found == "leased":
                self._keep_renewing()
                return None
            if found != "taken":
                return cast(T, found)
            await asyncio.sleep(POLL_S)

    def release(self, key: bytes) -> None:
        """Let other runs ask for this reply; soon after this returns."""
        if self._leases is not None:
            self._hand_over(_Order("release", key))

    async def keep(self, entry: Entry) -> None:
        """Store the reply, on disk when this returns."""
        if self.ledger is not None:
            await self._put("keep", entry)

    def close(self) -> None:
        """Close the ledger's file."""
        if self._leases is not None:
            self._leases.close()
        if self.ledger is not None:
            self.ledger.close()

    def _keep_renewing(self) -> None:
        """Renew the leases from time to time, as long as there are any."""
        import asyncio

        def renew() -> None:
            self._is_renewing = False
            if self._leases is not None and self._leases.held:
                self._hand_over(_Order("renew", None))
                self._keep_renewing()

        if not self._is_renewing:
            self._is_renewing = True
            asyncio.get_running_loop().call_later(RENEW_S, renew)

    def _put(self, kind: Kind, subject: "bytes | Entry") -> "asyncio.Future[Any]":
        import asyncio

        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._hand_over(_Order(kind, subject, answer))
        return answer

    def _hand_over(self, order: _Order) -> None:
        import asyncio

        with self._changed:
            self._waiting.append(order)
            is_first = len(self._waiting) == 1
        if is_first:  # wake the thread once for all orders of this loop iteration
            asyncio.get_running_loop().call_soon(self._wake)

    def _wake(self) -> None:
        with self._changed:
            if not self._is_at_work:
                self._is_at_work = True
                threading.Thread(target=self._work, name="ragauge ledger", daemon=True).start()
            self._changed.notify()

    def _work(self) -> None:
        while True:
            with self._changed:
                if not self._waiting:
                    self._changed.wait(IDLE_S)
                orders, self._waiting = self._waiting, []
                if not orders:
                    self._is_at_work = False
                    return
            for kind in IN_ORDER:
                wanted = [order for order in orders if order.kind == kind]
                if not wanted:
                    continue
                try:
                    done, error = self._done(kind, [order.subject for order in wanted]), None
                except Exception as raised:  # any error goes to the waiting futures
                    done, error = [None] * len(wanted), raised
                answers = [
                    (order.answer, outcome)
                    for order, outcome in zip(wanted, done, strict=True)
                    if order.answer is not None
                ]

                def resolve(answers: Sequence[Any] = answers, error: Any = error) -> None:
                    for answer, outcome in answers:
                        if not answer.done():
                            answer.set_exception(error) if error else answer.set_result(outcome)

                if answers:
                    answers[0][0].get_loop().call_soon_threadsafe(resolve)

    def _done(self, kind: Kind, subjects: Sequence[Any]) -> Sequence[Any]:
        """Handle all orders of a kind; their outcomes."""
        ledger = cast(Ledger[T], self.ledger)
        if kind == "keep":
            ledger.keep(subjects)
        elif kind == "release" and self._leases is not None:
            self._leases.release(subjects)
        elif kind == "renew" and self._leases is not None:
            self._leases.renew()
        if kind not in ("find", "claim"):
            return [None] * len(subjects)
        found = ledger.find(subjects)
        absent = [key for key in subjects if key not in found]
        if kind == "find" or not absent:
            return [found.get(key) for key in subjects]
        leases = self._leases = self._leases or Leases(ledger.path)
        leased = leases.claim(absent)
        # Another run may have kept a reply just before it gave up its lease.
        late = ledger.find(tuple(leased))
        leases.release(late.keys())
        found |= late
        return [found.get(key) or ("leased" if key in leased else "taken") for key in subjects]
