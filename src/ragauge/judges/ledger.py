"""Keep every reply of a judge on disk as it arrives, so that no question is paid for twice.

The replies are in their own table of the cache's file and are never evicted.
"""

import json
import math
import sqlite3
import threading
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from ragauge.errors import StoreError
from ragauge.judges.protocol import Identity, Reply, Request, TokenChoice, kept_json
from ragauge.storage.cache import (
    FORMAT,
    KEYS_PER_QUERY,
    LOCK_TIMEOUT_S,
    check_is_database,
    checksum,
    digest,
    unusable,
    write_ahead,
)

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
    """A reply with its request."""

    key: bytes
    judge: str
    request: Request
    reply: Reply


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


def key_of(identity: Identity, request: Request) -> bytes:
    """The key of a reply: model and parameters, messages, schema, repeat, attempt."""
    messages = ",".join([f'["{message.role}",{message.as_json}]' for message in request.messages])
    wants_logprobs = "true" if request.wants_logprobs else "false"
    others = f"{kept_json(request.schema)},{request.sample},{request.attempt},{wants_logprobs}"
    return digest("reply 1", kept_json(dict(identity)), f"[[{messages}],{others}]")


def characters(request: Request) -> int:
    """The length of a request's messages."""
    return sum(len(message.content) for message in request.messages)


class Ledger:
    """The replies in a file. Safe for several processes. StoreError if the file is unusable or newer.

    A reply that is damaged or in an unknown format counts as missing.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
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

    def find(self, keys: Sequence[bytes]) -> dict[bytes, Reply]:
        """The undamaged replies with these keys."""
        found: dict[bytes, Reply] = {}
        for start in range(0, len(keys), KEYS_PER_QUERY):
            some = keys[start : start + KEYS_PER_QUERY]
            marks = ",".join("?" * len(some))
            rows = self._rows(
                f"select key, checksum, reply from replies where key in ({marks})", some
            )
            for key, check, packed in rows:
                reply = _whole_reply(key, check, packed)
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

    def usage(self, judge: str) -> dict[str, TokenUsage]:
        """Token usage of this judge's replies, by prompt."""
        rows = self._rows(
            "select prompt, count(*), sum(characters), sum(prompt_tokens), sum(completion_tokens) "
            "from replies where judge = ? and prompt_tokens is not null "
            "and completion_tokens is not null group by prompt",
            [judge],
        )
        return {prompt: TokenUsage(*sums) for prompt, *sums in rows}

    def totals(self) -> list[tuple[str, int, int, int, float | None]]:
        """For each judge: replies, prompt tokens, reply tokens, and cost if known."""
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
        """Judge, prompt, request and reply of at most 2 keys with this hexadecimal prefix.

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
        if asked is None or _whole_reply(key, check, reply) is None:
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
    request, reply = entry.request, entry.reply
    packed = packed_reply(reply)
    return (
        entry.key,
        entry.judge,
        request.prompt,
        zlib.compress(_asked(request).encode("utf-8", "surrogatepass"), 1),
        packed,
        checksum(entry.key, packed),
        characters(request),
        _counted(reply.prompt_tokens),
        _counted(reply.completion_tokens),
        reply.cost_usd,
        now,
    )


def _asked(request: Request) -> str:
    """The request as a JSON object."""
    messages = ",".join(
        [f'{{"content":{message.as_json},"role":"{message.role}"}}' for message in request.messages]
    )
    return (
        f'{{"attempt":{request.attempt},"messages":[{messages}],"sample":{request.sample},'
        f'"schema":{kept_json(request.schema)}}}'
    )


def _counted(n: int | None) -> int | None:
    return n if n is not None and n <= MAX_COUNTED else None


def packed_reply(reply: Reply) -> bytes:
    """The reply as JSON, which `unpacked_reply` reads."""
    fields = {
        name: getattr(reply, name)
        for name in Reply.__dataclass_fields__
        if name != "logprobs" and getattr(reply, name) is not None
    }
    if reply.logprobs is not None:
        fields["logprobs"] = [[choice.token, choice.alternatives] for choice in reply.logprobs]
    return json.dumps(fields).encode()


def _shown_key(key: object) -> str:
    return key.hex()[:16] if isinstance(key, bytes) else f"{key!r:.16}"


def _whole_reply(key: object, check: object, packed: object) -> Reply | None:
    if not (isinstance(key, bytes) and isinstance(packed, bytes)) or check != checksum(key, packed):
        return None
    try:
        return unpacked_reply(packed.decode())
    except (ValueError, TypeError):
        return None


def unpacked_reply(packed: bytes | str) -> Reply:
    """The reply from `packed_reply`. ValueError or TypeError for anything else."""
    try:
        fields = cast(dict[str, Any], json.loads(packed))
    except RecursionError:
        raise ValueError("a reply that is nested too deep") from None
    if not isinstance(fields, dict) or not isinstance(fields.get("text"), str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError("a reply without text")
    if "logprobs" in fields:
        fields["logprobs"] = tuple(
            TokenChoice(token, tuple((word, _finite(number)) for word, number in others))
            for token, others in fields["logprobs"]
        )
    for name, kinds in _KINDS.items():
        value = fields.get(name)
        if name in fields and type(value) not in kinds:
            raise TypeError(f"a reply whose {name} is {value!r:.40}")
    return Reply(**fields)


def _finite(number: object) -> float:
    read = float(cast(float, number))
    if not math.isfinite(read):
        raise ValueError(f"a probability of a token is {number!r:.40}")
    return read


_KINDS: Mapping[str, tuple[type, ...]] = {
    "text": (str,),
    "prompt_tokens": (int,),
    "completion_tokens": (int,),
    "cached_tokens": (int,),
    "cost_usd": (int, float),
    "finish_reason": (str,),
    "model": (str,),
}
"""The types of a packed reply's fields; `packed_reply` leaves out those that are None."""
