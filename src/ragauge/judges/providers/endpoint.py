"""A judge behind an endpoint that speaks OpenAI's protocol of chat completions."""

import asyncio
import json
import os
from collections.abc import Mapping
from concurrent.futures import wait
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import NoReturn
from weakref import finalize

from ragauge.calls.connections import MAX_BYTES, MAX_ERROR_BYTES, OPENAI, Connections
from ragauge.calls.loop import is_running_here, run
from ragauge.errors import JudgeError, MissingExtraError
from ragauge.judges.protocol import Reply, Request, kept_json
from ragauge.judges.providers import completions
from ragauge.judges.providers.completions import Body
from ragauge.judges.providers.provider import Provider
from ragauge.network import endpoints
from ragauge.network.endpoints import Address, Fields, Unanswered

MAX_CLOSE_S = 1.0
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
class ChatEndpoint(Provider):
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
        return {**super().__getstate__(), "_connections": []}

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

    def on_new_loop(self, loop: asyncio.AbstractEventLoop) -> None:
        self._connections = []
        finalize(self, _let_go, self._connections, loop)
        self._connected()  # blocks the loop for a moment the first time

    async def answer(self, request: Request) -> Reply:
        """The reply to a request, without parameters that the model rejects."""
        messages = ",".join(
            f'{{"role":"{message.role}","content":{message.as_json}}}'
            for message in request.messages
        )
        while True:
            body = self._body(request)
            others = kept_json(body, is_sorted=False)  # the order of a schema's fields matters
            text = f'{{"messages":[{messages}],{others[1:]}'
            try:
                try:
                    encoded = text.encode()
                except UnicodeEncodeError:  # a lone surrogate, which cannot be sent
                    encoded = endpoints.sendable(text).encode()
                return self._read(await self._exchanged(encoded))
            except _Refused as error:
                refused = error
            # Outside the except, so that the error does not reference the request and its key.
            status, error = refused.status, completions.error_of(refused.body)
            shown = self.address.shown(error.message)
            rejected = (
                list(completions.rejected_parameters(error, body)) if status in (400, 422) else []
            )
            for name in rejected:
                kind = f"={body[name]['type']}" if name == "response_format" else ""
                self.dropped.setdefault(name + kind, shown)
            if rejected:
                continue
            reason = f"{status}: {shown or 'no message'}"
            if status == 429 and "insufficient_quota" in (error.code, error.type):
                self._refuse(f"the quota is used up ({reason})", is_down=True)
            # Gateways also answer 403 to a single text that they consider harmful.
            is_of_one = status in _BAD_REQUEST or (status == 403 and self._n_answered > 0)
            if not endpoints.may_pass(status):
                self._refuse(f"the request was refused with {reason}", is_down=not is_of_one)
            wait_s = endpoints.retry_after(refused.headers)
            raise Unanswered(reason, wait_s, is_overload=status in endpoints.OVERLOADED)

    def _body(self, request: Request) -> Body:
        """The request without its messages."""
        limit = "max_completion_tokens" if "max_tokens" in self.dropped else "max_tokens"
        form: Body | None = None
        if request.schema is not None and "response_format=json_object" not in self.dropped:
            form = completions.json_schema_of(request.prompt, request.schema)
            if "response_format=json_schema" in self.dropped:
                form = {"type": "json_object"}
        body: Body = {
            "model": self.name,
            "temperature": self.temperature,
            limit: self.max_tokens,
            "seed": self.seed,
            "response_format": form,
        }
        if request.wants_logprobs and "logprobs" not in self.dropped:
            body |= {"logprobs": True, "top_logprobs": 20}
        left_out = self.dropped
        return {name: it for name, it in body.items() if it is not None and name not in left_out}

    def _read(self, content: bytes) -> Reply:
        """The reply in a body. Unanswered if it is truncated, empty or not a reply."""
        if not self._n_answered and endpoints.is_page(content):
            self._refuse(endpoints.IS_A_PAGE, is_down=True)
        envelope = endpoints.fields_of(endpoints.json_of(content))
        _check_error(envelope)
        choice = completions.first_choice(envelope)
        if not isinstance(choice.get("message"), dict):
            excerpt = self.address.shown(content[:MAX_ERROR_BYTES].decode("utf-8", "replace"))
            raise Unanswered(f"the reply has no message: {excerpt}")
        _check_error(choice)
        return completions.reply_of(envelope, choice)

    async def _exchanged(self, body: bytes) -> bytes:
        """The reply's body. _Refused at an error status, Unanswered if there is no reply."""
        connections, received = self._connected(), None
        with suppress(TimeoutError):
            async with asyncio.timeout(self.timeout_s):
                received = await connections.post(body)
        if received is None:
            raise Unanswered(f"no whole reply came within {self.timeout_s:g} s")
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
                self._connections.append(Connections(self.address, self.most))
            except JudgeError:
                raise
            except Exception as error:
                problem = self.address.shown(f"{type(error).__name__}: {error}")
        if problem:
            self._refuse(f"it cannot be connected to: {problem}", is_down=True)
        return self._connections[0]

    def _refuse(self, reason: str, *, is_down: bool = False) -> NoReturn:
        raise JudgeError(f"{self}: {reason}", is_down=is_down)


def _check_error(fields: Fields) -> None:
    """_Refused if a gateway reports its provider's error with status 200."""
    error = endpoints.fields_of(fields.get("error"))
    if error:
        code = error.get("code")
        status = code if type(code) is int and 400 <= code < 600 else 502
        raise _Refused(status, {}, json.dumps({"error": error}))
