"""A judge behind an endpoint that speaks OpenAI's protocol of chat completions.

Requests go by the connections of the package openai; when to send one, whether to send it again, and
what came of it are decided here. No request is sent again without a reason that may pass, none
without end, and the key stands in no error.
"""

import asyncio
import json
import os
import ssl
from collections.abc import Mapping, Sequence
from concurrent.futures import wait
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, NoReturn, cast
from urllib.parse import urlunsplit
from weakref import finalize

from ragauge.endpoints import (
    IS_A_PAGE,
    Address,
    Fields,
    Unanswered,
    fields_of,
    is_page,
    json_of,
    may_pass,
    sendable,
    told_wait,
)
from ragauge.errors import JudgeError, MissingExtraError
from ragauge.judges.completions import (
    Body,
    ErrorSaid,
    error_of,
    first_choice,
    rejected_parameters,
    reply_of,
)
from ragauge.judges.loop import is_running_here
from ragauge.judges.pace import Turn
from ragauge.judges.protocol import Reply, Request
from ragauge.judges.settings import Settings

OPENAI = "https://api.openai.com/v1"
MOST_BYTES = 8_000_000
"""A reply of more is none, and is not read to its end."""
LONGEST_FAREWELL_S = 1.0
CHARACTERS_A_TOKEN = 4
"""About so many; what a reply says it took corrects the estimate."""
_MOST_ERROR_BYTES = 65_536
_TOO_MUCH = frozenset((429, 503, 529))
"""Refusals that fewer requests at once may spare; 529 is Anthropic's "overloaded"."""
_OF_ONE_REQUEST = frozenset((400, 413, 422))
_CONNECTIONS_A_POOL = 16
"""httpx looks at every connection of a pool for every request: with a hundred, that takes longer than
all the rest."""
_CARRIERS = frozenset(
    ("openai", "httpx", "httpx2", "httpcore", "httpcore2", "aiohttp", "anyio", "h11", "zlib")
)


class _Refused(Exception):
    """A reply with an error's status, as it came."""

    def __init__(self, status: int, headers: Mapping[str, str], body: str) -> None:
        self.status, self.headers, self.body = status, headers, body
        super().__init__(status)


@dataclass(slots=True, eq=False)
class _Pool:
    """A client with connections of its own, and how many requests are under way on them."""

    http_client: Any
    room: int
    n_busy: int = 0


async def _closed(pools: list[_Pool]) -> None:
    while pools:
        await pools.pop().http_client.aclose()


def _let_go(pools: list[_Pool], loop: asyncio.AbstractEventLoop) -> None:
    """Close what nobody has closed when the endpoint is gone, or the program ends."""
    if pools and loop.is_running():
        closing = asyncio.run_coroutine_threadsafe(_closed(pools), loop)
        if not is_running_here(loop):
            wait([closing], timeout=LONGEST_FAREWELL_S)


@dataclass(eq=False, repr=False, kw_only=True)
class ChatEndpoint(Settings):
    """A model behind an endpoint, `POST {base_url}/chat/completions`: a Judge.

    `base_url`: None for what the environment has as OPENAI_BASE_URL, or else OpenAI. `api_key_env`:
    the environment variable that holds the key; an endpoint on this machine needs none.
    `temperature`, `max_tokens`, `seed`: None leaves them to the server. `rpm`, `tpm`: at most so many
    requests and tokens a minute. `concurrency`: at most so many requests at once, None for MOST; how
    many the server bears is found out (`Pace`).

    A request is sent at most `max_attempts` times within `deadline_s` of its first turn: again after
    408, 409, 429, 5xx, a lost connection, a reply that is cut short or empty, or `timeout_s` without
    a whole one. The pauses double from `first_wait_s` to `longest_wait_s`, each shortened by up to
    half at random, or are what the server says, at most `longest_wait_s`.

    A parameter that the model rejects is left out from then on; `dropped` says which, and why in the
    server's words. Where replies by JSON schema are rejected, JSON of any shape is asked for, then
    none. `max_tokens` is tried under its later name, `max_completion_tokens`, before it is left out.

    JudgeError without `is_down` for what the server refuses of one request. With it when key or model
    are refused, the quota is used up, or a request's attempts are and no other was answered since the
    first of them failed. MissingExtraError without openai.
    """

    api_key_env: str = "OPENAI_API_KEY"

    def __post_init__(self) -> None:
        super().__post_init__()
        if find_spec("openai") is None:
            raise MissingExtraError(
                f"the endpoint of {self.model!r} needs the package openai", "openai"
            )
        self.base_url = self.base_url or os.environ.get("OPENAI_BASE_URL", "").strip() or OPENAI
        self.address = Address(self.model, self.base_url, self.api_key_env, JudgeError)
        self.dropped: dict[str, str] = {}
        self._n_answered = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pools: list[_Pool] = []

    @property
    def host(self) -> str:
        """Host and port of the endpoint."""
        return self.address.host

    def check_key(self) -> None:
        """JudgeError when there is no key and one is needed: before anything is asked."""
        self.address.key()

    def __repr__(self) -> str:
        return str(self.address)

    def __getstate__(self) -> dict[str, object]:
        """Without connections and key: a copy in another process has its own."""
        own = ("_pace", "_http", "_ssl", "_url", "_headers")
        state = {name: value for name, value in self.__dict__.items() if name not in own}
        return {**state, "_loop": None, "_pools": []}

    async def close(self) -> None:
        """Close the connections; a later request opens others."""
        if self._loop is asyncio.get_running_loop():
            await _closed(self._pools)
        else:
            self._pools.clear()

    async def reply(self, request: Request) -> Reply:
        """The judge's reply to one request, asked for until it comes or hope is lost."""
        self._settle()
        loop, pace = asyncio.get_running_loop(), self._pace
        ticket, n_tokens = pace.ticket(), self._estimate(request)
        turn = await pace.turn(ticket, n_tokens)
        start, n_attempts = loop.time(), 0
        n_answered, reason = None, f"no whole reply came within {self.deadline_s:g} s"
        try:
            async with asyncio.timeout(self.deadline_s):
                while True:
                    n_attempts += 1
                    outcome = await self._attempt(request, turn)
                    if isinstance(outcome, Reply):
                        return outcome
                    reason = outcome.reason
                    n_answered = self._n_answered if n_answered is None else n_answered
                    pause = self._pause(n_attempts, outcome)
                    is_late = loop.time() + pause >= start + self.deadline_s
                    if n_attempts == self.max_attempts or is_late:
                        break
                    await asyncio.sleep(pause)
                    turn = await pace.turn(ticket, n_tokens)
        except TimeoutError:
            pass
        raise JudgeError(
            f"{self}: no answer in {n_attempts} attempts and {loop.time() - start:.0f} s, the last "
            f"time: {reason}; look after the server and base_url, then run it again",
            is_down=n_answered in (None, self._n_answered),
        )

    def _settle(self) -> None:
        """Begin anew on another event loop than the last: connections and waits belong to one."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._pace = self.new_pace()
            self._loop, self._pools = loop, []
            finalize(self, _let_go, self._pools, loop)
            self._pool()  # takes a moment the first time, in which the pace would hear nothing

    def _estimate(self, request: Request) -> float:
        """About how many tokens a request and its reply take, where that is limited."""
        if self.tpm is None:
            return 0.0
        n_characters = sum(len(message.content) for message in request.messages)
        return (n_characters + len(request.stand_in)) / CHARACTERS_A_TOKEN

    def _pause(self, n_attempts: int, unanswered: Unanswered) -> float:
        pause_s = self.pause_s(n_attempts, unanswered.wait_s)
        # What was one too many at once may soon be sent: the pace has fewer in flight from now on.
        is_soon = n_attempts == 1 and unanswered.is_too_much and unanswered.wait_s is None
        return pause_s / 8 if is_soon else pause_s

    # Attempts -------------------------------------------------------------------------------------

    async def _attempt(self, request: Request, turn: Turn) -> Reply | Unanswered:
        """What one turn came to, which the pace is told."""
        try:
            outcome = await self._asked(request)
        except BaseException:
            self._pace.given_up(turn)
            raise
        if isinstance(outcome, Reply):
            self._n_answered += 1
            self._pace.answered(turn, _n_tokens(outcome))
        elif outcome.is_too_much:
            told_s = outcome.wait_s
            self._pace.refused(turn, None if told_s is None else min(told_s, self.longest_wait_s))
        else:
            self._pace.lost(turn)
        return outcome

    async def _asked(self, request: Request) -> Reply | Unanswered:
        """What a request came to, without what the model rejects of it. JudgeError at a refusal."""
        while True:
            body = self._body(request)
            try:
                return self._read(await self._exchanged(body))
            except Unanswered as unanswered:
                return unanswered
            except _Refused as error:
                refused = error
            # Not within the except: what is raised is to hold no request and no key with it.
            said = error_of(refused.body)
            if not self._drops(said, body, refused.status):
                return self._unanswered(said, refused)

    def _body(self, request: Request) -> Body:
        limit = "max_completion_tokens" if "max_tokens" in self.dropped else "max_tokens"
        body: Body = {
            "model": self.name,
            "messages": [
                {"role": message.role, "content": message.content} for message in request.messages
            ],
            "temperature": self.temperature,
            limit: self.max_tokens,
            "seed": self.seed,
            "response_format": self._format(request),
        }
        if request.wants_logprobs and "logprobs" not in self.dropped:
            body |= {"logprobs": True, "top_logprobs": 20}
        left_out = self.dropped
        return {name: it for name, it in body.items() if it is not None and name not in left_out}

    def _format(self, request: Request) -> Body | None:
        if request.schema is None or "response_format=json_object" in self.dropped:
            return None
        if "response_format=json_schema" in self.dropped:
            return {"type": "json_object"}
        schema = {"name": request.prompt, "schema": dict(request.schema), "strict": True}
        return {"type": "json_schema", "json_schema": schema}

    def _drops(self, said: ErrorSaid, body: Body, status: int) -> bool:
        """Leave out what the server named. Whether the request is now another than was sent."""
        rejected = list(rejected_parameters(said, body)) if status in (400, 422) else []
        for name in rejected:
            kind = f"={body[name]['type']}" if name == "response_format" else ""
            self.dropped.setdefault(name + kind, self.address.shown(said.message))
        return bool(rejected)

    def _unanswered(self, said: ErrorSaid, refused: _Refused) -> Unanswered:
        """JudgeError where sending it again would not help."""
        status = refused.status
        reason = f"{status}: {self.address.shown(said.message) or 'without a word'}"
        if status == 429 and "insufficient_quota" in (said.code, said.type):
            self._refuse(f"the quota is used up ({reason})", is_down=True)
        # Gateways answer 403, too, for one text that they hold to be harmful.
        is_of_one = status in _OF_ONE_REQUEST or (status == 403 and self._n_answered > 0)
        if not may_pass(status):
            self._refuse(f"the request was refused with {reason}", is_down=not is_of_one)
        is_too_much = status in _TOO_MUCH
        return Unanswered(reason, told_wait(refused.headers), is_too_much=is_too_much)

    def _refuse(self, reason: str, *, is_down: bool = False) -> NoReturn:
        raise JudgeError(f"{self}: {reason}", is_down=is_down)

    # Replies --------------------------------------------------------------------------------------

    def _read(self, content: bytes) -> Reply:
        """The reply in a body. Unanswered when it is cut short, empty or something else."""
        envelope = fields_of(self._parsed(content))
        self._check_error(envelope)
        choice = first_choice(envelope)
        if not isinstance(choice.get("message"), dict):
            said = self.address.shown(content[:_MOST_ERROR_BYTES].decode("utf-8", "replace"))
            raise Unanswered(f"the reply has no message: {said}")
        self._check_error(choice)
        return reply_of(envelope, choice)

    def _parsed(self, content: bytes) -> object:
        if not self._n_answered and is_page(content):
            self._refuse(IS_A_PAGE, is_down=True)
        return json_of(content)

    def _check_error(self, fields: Fields) -> None:
        """_Refused where a gateway reports its provider's error with status 200."""
        error = fields_of(fields.get("error"))
        if error:
            code = error.get("code")
            status = code if type(code) is int and 400 <= code < 600 else 502
            raise _Refused(status, {}, json.dumps({"error": error}))

    # Connections ----------------------------------------------------------------------------------

    async def _exchanged(self, body: Body) -> bytes:
        """The reply's body. _Refused at an error's status, Unanswered when none came."""
        pool = self._pool()
        pool.n_busy += 1
        try:
            async with asyncio.timeout(self.timeout_s):
                return await self._content(pool.http_client, body)
        except TimeoutError:
            why = f"no whole reply came within {self.timeout_s:g} s"
        except Exception as error:
            if not _is_of_carriers(error):
                raise
            said = f"{type(error).__name__}: {error}".removesuffix(": ")
            why = f"the connection was lost ({self.address.shown(said)})"
        finally:
            pool.n_busy -= 1
        raise Unanswered(why)

    async def _content(self, http_client: Any, body: Body) -> bytes:
        # With openai's headers and connections, but not by its `create` or `post`: what these do to a
        # request takes longer than sending it.
        request = self._http.Request(
            "POST", self._url, headers=self._headers, content=_encoded(body)
        )
        reply = await http_client.send(request, stream=True)
        is_error = reply.status_code >= 300
        try:
            content = await _read_up_to(_MOST_ERROR_BYTES if is_error else MOST_BYTES, reply)
        finally:
            await reply.aclose()
        if is_error:
            words = bytes(content[:_MOST_ERROR_BYTES]).decode("utf-8", "replace")
            raise _Refused(reply.status_code, dict(reply.headers), words)
        if len(content) > MOST_BYTES:
            self._refuse(f"its reply has more than {MOST_BYTES} bytes, and was not read")
        return bytes(content)

    def _pool(self) -> _Pool:
        """The first that has room for a request more, or a new one."""
        for pool in self._pools:
            if pool.n_busy < pool.room:
                return pool
        said = ""
        try:
            self._pools.append(self._opened())
        except Exception as error:
            said = self.address.shown(f"{type(error).__name__}: {error}")
        if said:
            self._refuse(f"it cannot be connected to: {said}", is_down=True)
        return self._pools[-1]

    def _opened(self) -> _Pool:
        """Connections more; at the first, what they all share."""
        openai = cast(Any, import_module("openai"))
        is_first = not self._pools
        if is_first:
            self._http = _package_below(openai)
            self._ssl = self._ssl_context()
        is_fast = _is_fast(openai)
        room = self.most if is_fast else min(_CONNECTIONS_A_POOL, self.most)
        kind = openai.DefaultAioHttpClient if is_fast else openai.DefaultAsyncHttpxClient
        http_client = kind(
            # More than there is room for: connections that are given up take a moment to close.
            limits=self._http.Limits(max_connections=2 * room, max_keepalive_connections=room),
            timeout=None,
            trust_env=not self.address.is_local,
            verify=self._ssl,
        )
        if is_first:
            self._url, self._headers = self._target(openai, http_client)
        return _Pool(http_client, room)

    def _ssl_context(self) -> ssl.SSLContext:
        """What TLS needs; where there can be none, a context that trusts nobody.

        The other takes a tenth of a second to make, in which nothing is asked.
        """
        if self.address.is_local and self.address.parts.scheme == "http":
            return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        return self._http.create_ssl_context()

    def _target(self, openai: Any, http_client: Any) -> tuple[Any, dict[str, str]]:
        """The URL that requests go to, and the headers they have, as openai has them."""
        # openai wants a key where the server needs none.
        key = self.address.key() or "none"
        client = openai.AsyncOpenAI(
            api_key=key, base_url=OPENAI, max_retries=0, http_client=http_client
        )
        headers: dict[str, str] = {}
        for name, value in (*http_client.headers.items(), *client.default_headers.items()):
            if isinstance(value, str):
                headers[name.lower()] = value
        login, parts = self.address.login, self.address.parts
        headers["authorization"] = f"Basic {login}" if login else f"Bearer {key}"
        path = f"{parts.path.rstrip('/')}/chat/completions"
        url = urlunsplit((parts.scheme, self.host, path, parts.query, ""))
        return self._http.URL(url), headers


def _encoded(body: Body) -> bytes:
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:  # a lone surrogate, which cannot be sent
        return sendable(text).encode()


def _n_tokens(reply: Reply) -> int | None:
    """What a reply and its prompt took; None where only a part of it is told."""
    if reply.prompt_tokens is None or reply.completion_tokens is None:
        return None
    return reply.prompt_tokens + reply.completion_tokens


async def _read_up_to(most: int, reply: Any) -> bytearray:
    """A reply's content; of a longer one a little more than `most`, of a broken error what came."""
    content = bytearray()
    try:
        async for chunk in reply.aiter_bytes():
            content += chunk
            if len(content) > most:
                break
    except Exception as error:
        if reply.status_code < 300 or not _is_of_carriers(error):
            raise
    return content


def _is_of_carriers(error: Exception) -> bool:
    """Whether an exception comes from what carries requests."""
    return isinstance(error, OSError) or type(error).__module__.partition(".")[0] in _CARRIERS


def _is_fast(openai: Any) -> bool:
    """Whether aiohttp is there, and what openai needs to use it."""
    if find_spec("aiohttp") is None or not hasattr(openai, "DefaultAioHttpClient"):
        return False
    return _package_below(openai).__name__ == "httpx2" or find_spec("httpx_aiohttp") is not None


def _package_below(openai: Any) -> ModuleType:
    """The package by which openai sends requests: httpx, or httpx2."""
    kinds: Sequence[type] = openai.DefaultAsyncHttpxClient.__mro__
    names = (kind.__module__.partition(".")[0] for kind in kinds)
    return import_module(next(name for name in names if name.startswith("httpx")))
