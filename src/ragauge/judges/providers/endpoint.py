"""A judge behind an endpoint that speaks OpenAI's protocol of chat completions.

Decides when to send a request and whether to retry it. Only transient failures are retried, a limited
number of times. Errors never contain the key.
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

from ragauge.calls.connections import (
    MAX_BYTES,
    MAX_ERROR_BYTES,
    OPENAI,
    Connections,
    Received,
    connections_to,
    is_transport_error,
)
from ragauge.calls.loop import is_running_here, run
from ragauge.calls.rate_limit import Permit
from ragauge.errors import JudgeError, MissingExtraError
from ragauge.judges.protocol import Reply, Request, kept_json
from ragauge.judges.providers.completions import (
    Body,
    ErrorBody,
    error_of,
    first_choice,
    json_schema_of,
    rejected_parameters,
    reply_of,
)
from ragauge.judges.providers.settings import Settings
from ragauge.network.endpoints import (
    IS_A_PAGE,
    OVERLOADED,
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

MAX_CLOSE_S = 1.0
CHARACTERS_PER_TOKEN = 4
"""An estimate, corrected by the counts in the replies."""
MAX_LOST_AT_START = 4
"""A request that loses this many connections in a row, before any answer, finds the judge down."""
_BAD_REQUEST = frozenset((400, 413, 422))


class _Refused(Exception):
    """A response with an error status."""

    def __init__(self, status: int, headers: Mapping[str, str], body: str) -> None:
        self.status, self.headers, self.body = status, headers, body
        super().__init__(status)


async def _closed(connections: list[Connections]) -> None:
    while connections:
        await connections.pop().close()


def _let_go(connections: list[Connections], loop: asyncio.AbstractEventLoop) -> None:
    """Close open connections when the endpoint is deleted or the program ends."""
    if connections and loop.is_running():
        closing = asyncio.run_coroutine_threadsafe(_closed(connections), loop)
        if not is_running_here(loop):
            wait([closing], timeout=MAX_CLOSE_S)


@dataclass(eq=False, repr=False, kw_only=True)
class ChatEndpoint(Settings):
    """A model behind an endpoint, `POST {base_url}/chat/completions`: a Judge.

    `base_url`: default is the environment's OPENAI_BASE_URL, or else OpenAI. `api_key_env`: the
    environment variable that holds the key; an endpoint on this machine needs none. `temperature`,
    `max_tokens`, `seed`: None means the server's default. `rpm`, `tpm`: maximum requests and tokens
    per minute. `concurrency`: maximum concurrent requests, default MAX_CONCURRENCY; below it,
    concurrency adapts to what the server accepts (`RateLimiter`).

    A request is sent at most `max_attempts` times within `deadline_s`. It is retried after 408, 409,
    429, 5xx, a lost connection, a truncated or empty reply, and `timeout_s` without a complete one.
    Pauses double from `first_wait_s` to `max_wait_s`, each shortened by up to half at random, or
    follow Retry-After, at most `max_wait_s`.

    A parameter that the model rejects is dropped from then on; `dropped` has the server's reasons. If
    the model rejects JSON schemas, any JSON is requested, then plain text. `max_tokens` is renamed
    `max_completion_tokens` before it is dropped.

    JudgeError without `is_down` if the server refuses one request. With `is_down` if it refuses key or
    model, the quota is used up, or all attempts fail and no other request succeeds meanwhile.
    MissingExtraError without openai.
    """

    api_key_env: str = "OPENAI_API_KEY"

    def __post_init__(self) -> None:
        super().__post_init__()
        if find_spec("openai") is None:
            raise MissingExtraError(
                f"the endpoint of {self.model!r} needs the package openai", "openai"
            )
        if self.base_url is None:  # an empty one is wrong, and must not send the texts to OpenAI
            self.base_url = os.environ.get("OPENAI_BASE_URL", "").strip() or OPENAI
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
        """Raise JudgeError if a key is needed and missing."""
        self.address.key()

    def __repr__(self) -> str:
        return str(self.address)

    def __getstate__(self) -> dict[str, object]:
        """Without connections and key; a copy in another process opens its own."""
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
        elif self._loop is not None and self._loop.is_running():  # the loop of another thread
            closing = asyncio.run_coroutine_threadsafe(_closed(self._connections), self._loop)
            await asyncio.wrap_future(closing)
        else:
            self._connections.clear()

    async def reply(self, request: Request) -> Reply:
        """The judge's reply to one request, with retries."""
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
            f"time: {reason}; check the server and base_url, then run the same command again",
            is_down=n_answered in (None, self._n_answered),
        )

    def _settle(self) -> None:
        """Reset on a new event loop: connections and waits belong to one loop."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._pace = self.new_rate_limiter()
            self._loop, self._connections = loop, []
            finalize(self, _let_go, self._connections, loop)
            self._connected()  # blocks the loop for a moment the first time

    def _estimate(self, request: Request) -> float:
        """Estimated tokens of a request and its reply, if tokens are limited."""
        if self.tpm is None:
            return 0.0
        n_characters = sum(len(message.content) for message in request.messages)
        return (n_characters + len(request.stand_in)) / CHARACTERS_PER_TOKEN

    def _pause(self, n_attempts: int, unanswered: Unanswered) -> float:
        pause_s = self.pause_s(n_attempts, unanswered.wait_s)
        # Retry soon after the first refusal: the rate limiter has lowered the concurrency.
        is_soon = n_attempts == 1 and unanswered.is_overload and unanswered.wait_s is None
        return pause_s / 8 if is_soon else pause_s

    # Attempts -------------------------------------------------------------------------------------

    async def _attempt(self, request: Request, permit: Permit) -> Reply | Unanswered:
        """The outcome of one attempt, reported to the rate limiter."""
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
        """The outcome of a request, without parameters that the model rejects. JudgeError if refused."""
        while True:
            body = self._body(request)
            try:
                return self._read(await self._exchanged(_encoded(request, body)))
            except Unanswered as unanswered:
                return unanswered
            except _Refused as error:
                refused = error
            # Outside the except, so that the error does not reference the request and its key.
            error = error_of(refused.body)
            if not self._drops(error, body, refused.status):
                return self._unanswered(error, refused)

    def _body(self, request: Request) -> Body:
        """The request without its messages."""
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
        return json_schema_of(request.prompt, request.schema)

    def _drops(self, error: ErrorBody, body: Body, status: int) -> bool:
        """Drop the parameters that the server rejects. Returns whether any was dropped."""
        rejected = list(rejected_parameters(error, body)) if status in (400, 422) else []
        for name in rejected:
            kind = f"={body[name]['type']}" if name == "response_format" else ""
            self.dropped.setdefault(name + kind, self.address.shown(error.message))
        return bool(rejected)

    def _unanswered(self, error: ErrorBody, refused: _Refused) -> Unanswered:
        """JudgeError if a retry would not help."""
        status = refused.status
        reason = f"{status}: {self.address.shown(error.message) or 'no message'}"
        if status == 429 and "insufficient_quota" in (error.code, error.type):
            self._refuse(f"the quota is used up ({reason})", is_down=True)
        # Gateways also answer 403 to a single text that they consider harmful.
        is_of_one = status in _BAD_REQUEST or (status == 403 and self._n_answered > 0)
        if not may_pass(status):
            self._refuse(f"the request was refused with {reason}", is_down=not is_of_one)
        is_overload = status in OVERLOADED
        return Unanswered(reason, retry_after(refused.headers), is_overload=is_overload)

    def _refuse(self, reason: str, *, is_down: bool = False) -> NoReturn:
        raise JudgeError(f"{self}: {reason}", is_down=is_down)

    # Replies --------------------------------------------------------------------------------------

    def _read(self, content: bytes) -> Reply:
        """The reply in a body. Unanswered if it is truncated, empty or not a reply."""
        envelope = fields_of(self._parsed(content))
        self._check_error(envelope)
        choice = first_choice(envelope)
        if not isinstance(choice.get("message"), dict):
            excerpt = self.address.shown(content[:MAX_ERROR_BYTES].decode("utf-8", "replace"))
            raise Unanswered(f"the reply has no message: {excerpt}")
        self._check_error(choice)
        return reply_of(envelope, choice)

    def _parsed(self, content: bytes) -> object:
        if not self._n_answered and is_page(content):
            self._refuse(IS_A_PAGE, is_down=True)
        return json_of(content)

    def _check_error(self, fields: Fields) -> None:
        """_Refused if a gateway reports its provider's error with status 200."""
        error = fields_of(fields.get("error"))
        if error:
            code = error.get("code")
            status = code if type(code) is int and 400 <= code < 600 else 502
            raise _Refused(status, {}, json.dumps({"error": error}))

    # Connections ----------------------------------------------------------------------------------

    async def _exchanged(self, body: bytes) -> bytes:
        """The reply's body. _Refused at an error status, Unanswered if there is no reply."""
        connections = self._connected()
        try:
            async with asyncio.timeout(self.timeout_s):
                received = await connections.post(body)
        except TimeoutError:
            unanswered = Unanswered(f"no whole reply came within {self.timeout_s:g} s")
        except Exception as error:
            if not is_transport_error(error):
                raise
            message = f"{type(error).__name__}: {error}".removesuffix(": ")
            why = f"the connection was lost ({self.address.shown(message)})"
            unanswered = Unanswered(why, is_lost=True)
        else:
            return self._checked(received)
        # Outside the except, so that the error does not reference the request and its key.
        raise unanswered

    def _checked(self, received: Received) -> bytes:
        if received.is_error:
            words = received.content.decode("utf-8", "replace")
            raise _Refused(received.status, received.headers, words)
        if len(received.content) > MAX_BYTES:
            self._refuse(f"its reply has more than {MAX_BYTES} bytes, and was not read")
        return received.content

    def _connected(self) -> Connections:
        """The connections, opened at first use."""
        problem = ""
        if not self._connections:
            try:
                self._connections.append(connections_to(self.address, self.most))
            except JudgeError:
                raise
            except Exception as error:
                problem = self.address.shown(f"{type(error).__name__}: {error}")
        if problem:
            self._refuse(f"it cannot be connected to: {problem}", is_down=True)
        return self._connections[0]


def _encoded(request: Request, body: Body) -> bytes:
    messages = ",".join(
        [f'{{"role":"{message.role}","content":{message.as_json}}}' for message in request.messages]
    )
    others = kept_json(body, is_sorted=False)  # the order of a schema's fields matters
    text = f'{{"messages":[{messages}],{others[1:]}'
    try:
        return text.encode()
    except UnicodeEncodeError:  # a lone surrogate, which cannot be sent
        return sendable(text).encode()


def _n_tokens(reply: Reply) -> int | None:
    """Tokens of a reply and its prompt; None if only a part is known."""
    if reply.prompt_tokens is None or reply.completion_tokens is None:
        return None
    return reply.prompt_tokens + reply.completion_tokens
