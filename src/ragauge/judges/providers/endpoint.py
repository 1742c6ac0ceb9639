"""A judge behind an endpoint that speaks OpenAI's protocol of chat completions.

When to send a request, whether to send it again, and what came of it are decided here. No request is
sent again without a reason that may pass, none without end, and the key stands in no error.
"""

import asyncio
import json
import os
from collections.abc import Mapping
from concurrent.futures import wait
from dataclasses import dataclass
from importlib.util import find_spec
from typing import NoReturn
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
    retry_after,
    sendable,
)
from ragauge.errors import JudgeError, MissingExtraError
from ragauge.judges.as_json import kept_json
from ragauge.judges.loop import is_running_here, run
from ragauge.judges.protocol import Reply, Request
from ragauge.judges.providers.completions import (
    Body,
    ErrorBody,
    error_of,
    first_choice,
    rejected_parameters,
    reply_of,
)
from ragauge.judges.providers.connections import (
    MAX_BYTES,
    MAX_ERROR_BYTES,
    OPENAI,
    Connections,
    Received,
    connections_to,
    is_transport_error,
)
from ragauge.judges.providers.rate_limit import Permit
from ragauge.judges.providers.settings import Settings

MAX_CLOSE_S = 1.0
CHARACTERS_PER_TOKEN = 4
"""About so many; what a reply says it took corrects the estimate."""
MAX_LOST_AT_START = 4
"""So many connections of a request lost one after the other, before anything was answered, and there
is nobody."""
_OVERLOADED = frozenset((429, 503, 529))
"""Refusals that fewer requests at once may spare; 529 is Anthropic's "overloaded"."""
_BAD_REQUEST = frozenset((400, 413, 422))


class _Refused(Exception):
    """A reply with an error's status, as it came."""

    def __init__(self, status: int, headers: Mapping[str, str], body: str) -> None:
        self.status, self.headers, self.body = status, headers, body
        super().__init__(status)


async def _closed(connections: list[Connections]) -> None:
    while connections:
        await connections.pop().close()


def _let_go(connections: list[Connections], loop: asyncio.AbstractEventLoop) -> None:
    """Close what nobody has closed when the endpoint is gone, or the program ends."""
    if connections and loop.is_running():
        closing = asyncio.run_coroutine_threadsafe(_closed(connections), loop)
        if not is_running_here(loop):
            wait([closing], timeout=MAX_CLOSE_S)


@dataclass(eq=False, repr=False, kw_only=True)
class ChatEndpoint(Settings):
    """A model behind an endpoint, `POST {base_url}/chat/completions`: a Judge.

    `base_url`: None for what the environment has as OPENAI_BASE_URL, or else OpenAI. `api_key_env`:
    the environment variable that holds the key; an endpoint on this machine needs none.
    `temperature`, `max_tokens`, `seed`: None leaves them to the server. `rpm`, `tpm`: at most so many
    requests and tokens a minute. `concurrency`: at most so many requests at once, None for MOST; how
    many the server bears is found out (`RateLimiter`).

    A request is sent at most `max_attempts` times within `deadline_s` of its first turn: again after
    408, 409, 429, 5xx, a lost connection, a reply that is cut short or empty, or `timeout_s` without
    a whole one. The pauses double from `first_wait_s` to `max_wait_s`, each shortened by up to
    half at random, or are what the server says, at most `max_wait_s`.

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
        self._connections: list[Connections] = []

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
        state = {name: value for name, value in self.__dict__.items() if name != "_pace"}
        return {**state, "_loop": None, "_connections": []}

    def details(self) -> Mapping[str, object]:
        return {**super().details(), "dropped": dict(self.dropped), "address": self.host}

    def close_connections(self) -> None:
        run(self.close())

    async def close(self) -> None:
        """Close the connections; a later request opens new ones."""
        if self._loop is asyncio.get_running_loop():
            await _closed(self._connections)
        elif self._loop is not None and self._loop.is_running():  # that of another thread
            closing = asyncio.run_coroutine_threadsafe(_closed(self._connections), self._loop)
            await asyncio.wrap_future(closing)
        else:
            self._connections.clear()

    async def reply(self, request: Request) -> Reply:
        """The judge's reply to one request, asked for until it comes or hope is lost."""
        self._settle()
        loop, rate_limiter = asyncio.get_running_loop(), self._pace
        ticket, n_tokens = rate_limiter.ticket(), self._estimate(request)
        permit = await rate_limiter.permit(ticket, n_tokens)
        start, n_attempts, n_lost = loop.time(), 0, 0
        n_answered, reason = None, f"no whole reply came within {self.deadline_s:g} s"
        try:
            async with asyncio.timeout(self.deadline_s):
                while True:
                    n_attempts += 1
                    outcome = await self._attempt(request, permit)
                    if isinstance(outcome, Reply):
                        return outcome
                    reason = outcome.reason
                    n_answered = self._n_answered if n_answered is None else n_answered
                    pause = self._pause(n_attempts, outcome)
                    is_late = loop.time() + pause >= start + self.deadline_s
                    n_lost = n_lost + 1 if outcome.is_lost else 0
                    is_nobody = n_lost == MAX_LOST_AT_START and not self._n_answered
                    if n_attempts == self.max_attempts or is_late or is_nobody:
                        break
                    await asyncio.sleep(pause)
                    permit = await rate_limiter.permit(ticket, n_tokens)
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
            self._pace = self.new_rate_limiter()
            self._loop, self._connections = loop, []
            finalize(self, _let_go, self._connections, loop)
            self._connected()  # takes a moment the first time, in which the pace would hear nothing

    def _estimate(self, request: Request) -> float:
        """About how many tokens a request and its reply take, where that is limited."""
        if self.tpm is None:
            return 0.0
        n_characters = sum(len(message.content) for message in request.messages)
        return (n_characters + len(request.stand_in)) / CHARACTERS_PER_TOKEN

    def _pause(self, n_attempts: int, unanswered: Unanswered) -> float:
        pause_s = self.pause_s(n_attempts, unanswered.wait_s)
        # What was one too many at once may soon be sent: the pace has fewer in flight from now on.
        is_soon = n_attempts == 1 and unanswered.is_overload and unanswered.wait_s is None
        return pause_s / 8 if is_soon else pause_s

    # Attempts -------------------------------------------------------------------------------------

    async def _attempt(self, request: Request, permit: Permit) -> Reply | Unanswered:
        """What one turn came to, which the pace is told."""
        try:
            outcome = await self._asked(request)
        except BaseException:
            self._pace.given_up(permit)
            raise
        if isinstance(outcome, Reply):
            self._n_answered += 1
            self._pace.answered(permit, _n_tokens(outcome))
        elif outcome.is_overload:
            server_wait_s = outcome.wait_s
            self._pace.refused(
                permit, None if server_wait_s is None else min(server_wait_s, self.max_wait_s)
            )
        else:
            self._pace.lost(permit)
        return outcome

    async def _asked(self, request: Request) -> Reply | Unanswered:
        """What a request came to, without what the model rejects of it. JudgeError at a refusal."""
        while True:
            body = self._body(request)
            try:
                return self._read(await self._exchanged(_encoded(request, body)))
            except Unanswered as unanswered:
                return unanswered
            except _Refused as error:
                refused = error
            # Not within the except: what is raised is to hold no request and no key with it.
            said = error_of(refused.body)
            if not self._drops(said, body, refused.status):
                return self._unanswered(said, refused)

    def _body(self, request: Request) -> Body:
        """What is sent beside the messages."""
        limit = "max_completion_tokens" if "max_tokens" in self.dropped else "max_tokens"
        body: Body = {
            "model": self.name,
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

    def _drops(self, said: ErrorBody, body: Body, status: int) -> bool:
        """Leave out what the server named. Whether the request is now another than was sent."""
        rejected = list(rejected_parameters(said, body)) if status in (400, 422) else []
        for name in rejected:
            kind = f"={body[name]['type']}" if name == "response_format" else ""
            self.dropped.setdefault(name + kind, self.address.shown(said.message))
        return bool(rejected)

    def _unanswered(self, said: ErrorBody, refused: _Refused) -> Unanswered:
        """JudgeError where sending it again would not help."""
        status = refused.status
        reason = f"{status}: {self.address.shown(said.message) or 'without a word'}"
        if status == 429 and "insufficient_quota" in (said.code, said.type):
            self._refuse(f"the quota is used up ({reason})", is_down=True)
        # Gateways answer 403, too, for one text that they hold to be harmful.
        is_of_one = status in _BAD_REQUEST or (status == 403 and self._n_answered > 0)
        if not may_pass(status):
            self._refuse(f"the request was refused with {reason}", is_down=not is_of_one)
        is_overload = status in _OVERLOADED
        return Unanswered(reason, retry_after(refused.headers), is_overload=is_overload)

    def _refuse(self, reason: str, *, is_down: bool = False) -> NoReturn:
        raise JudgeError(f"{self}: {reason}", is_down=is_down)

    # Replies --------------------------------------------------------------------------------------

    def _read(self, content: bytes) -> Reply:
        """The reply in a body. Unanswered when it is cut short, empty or something else."""
        envelope = fields_of(self._parsed(content))
        self._check_error(envelope)
        choice = first_choice(envelope)
        if not isinstance(choice.get("message"), dict):
            said = self.address.shown(content[:MAX_ERROR_BYTES].decode("utf-8", "replace"))
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

    async def _exchanged(self, body: bytes) -> bytes:
        """The reply's body. _Refused at an error's status, Unanswered when none came."""
        connections = self._connected()
        try:
            async with asyncio.timeout(self.timeout_s):
                received = await connections.post(body)
        except TimeoutError:
            unanswered = Unanswered(f"no whole reply came within {self.timeout_s:g} s")
        except Exception as error:
            if not is_transport_error(error):
                raise
            said = f"{type(error).__name__}: {error}".removesuffix(": ")
            why = f"the connection was lost ({self.address.shown(said)})"
            unanswered = Unanswered(why, is_lost=True)
        else:
            return self._checked(received)
        # Not within the except: what is raised is to hold no request and no key with it.
        raise unanswered

    def _checked(self, received: Received) -> bytes:
        if received.is_error:
            words = received.content.decode("utf-8", "replace")
            raise _Refused(received.status, received.headers, words)
        if len(received.content) > MAX_BYTES:
            self._refuse(f"its reply has more than {MAX_BYTES} bytes, and was not read")
        return received.content

    def _connected(self) -> Connections:
        """The connections, opened when they are first wanted."""
        said = ""
        if not self._connections:
            try:
                self._connections.append(connections_to(self.address, self.most))
            except JudgeError:
                raise
            except Exception as error:
                said = self.address.shown(f"{type(error).__name__}: {error}")
        if said:
            self._refuse(f"it cannot be connected to: {said}", is_down=True)
        return self._connections[0]


def _encoded(request: Request, body: Body) -> bytes:
    messages = ",".join(
        [f'{{"role":"{one.role}","content":{one.as_json}}}' for one in request.messages]
    )
    others = kept_json(body, is_sorted=False)  # a schema tells in which order to say things
    text = f'{{"messages":[{messages}],{others[1:]}'
    try:
        return text.encode()
    except UnicodeEncodeError:  # a lone surrogate, which cannot be sent
        return sendable(text).encode()


def _n_tokens(reply: Reply) -> int | None:
    """What a reply and its prompt took; None where only a part of it is told."""
    if reply.prompt_tokens is None or reply.completion_tokens is None:
        return None
    return reply.prompt_tokens + reply.completion_tokens
