"""A judge behind an endpoint that speaks OpenAI's protocol of chat"""

import asyncio
import json
import math
import os
import re
from collections.abc import Iterator, Mapping
from concurrent.futures import wait
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, NoReturn, cast
from weakref import finalize

from ragauge.calls.connections import MAX_BYTES, MAX_ERROR_BYTES, OPENAI, Connections
from ragauge.calls.loop import is_running_here, run
from ragauge.errors import JudgeError, MissingExtraError
from ragauge.judges.protocol import Reply, Request, Schema, TokenChoice, kept_json
from ragauge.judges.providers.provider import Provider
from ragauge.network import endpoints
from ragauge.network.endpoints import Address, Fields, Unanswered, fields_of, listed, message_of

Body = dict[str, Any]
MAX_CLOSE_S = 1.0
_BAD_REQUEST = frozenset((400, 413, 422))

_OPTIONAL = (
    *("temperature", "max_tokens", "max_completion_tokens", "seed"),
    *("response_format", "logprobs", "top_logprobs"),
)
_FORMAT = r"response[_ ]format|json_schema|json_object|structured[_ ]outputs?"
"""How servers name response_format in errors; other parameters by their names."""
_LENGTH = re.compile(r"context[_ ](length|window)|too (large|long|many)|at most|reduce the length")


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
            status, error = refused.status, error_of(refused.body)
            shown = self.address.shown(error.message)
            rejected = list(rejected_parameters(error, body)) if status in (400, 422) else []
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
            form = json_schema_of(request.prompt, request.schema)
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
        envelope = fields_of(endpoints.json_of(content))
        _check_error(envelope)
        choice = first_choice(envelope)
        if not isinstance(choice.get("message"), dict):
            excerpt = self.address.shown(content[:MAX_ERROR_BYTES].decode("utf-8", "replace"))
            raise Unanswered(f"the reply has no message: {excerpt}")
        _check_error(choice)
        return reply_of(envelope, choice)

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
    error = fields_of(fields.get("error"))
    if error:
        code = error.get("code")
        status = code if type(code) is int and 400 <= code < 600 else 502
        raise _Refused(status, {}, json.dumps({"error": error}))


# Replies and errors; no field of them is trusted


def json_schema_of(prompt: str, schema: Schema) -> Body:
    """The response format that asks for a reply of this schema."""
    named = {"name": prompt, "schema": dict(schema), "strict": True}
    return {"type": "json_schema", "json_schema": named}


def first_choice(envelope: Fields) -> Fields:
    """The first of a reply's choices; empty if it has none."""
    return fields_of(next(iter(listed(envelope.get("choices"))), None))


def reply_of(envelope: Fields, choice: Fields) -> Reply:
    """The reply in a choice. Without a text, it is the refusal's text."""
    message, usage = fields_of(choice.get("message")), fields_of(envelope.get("usage"))
    refusal, finish_reason = message.get("refusal"), choice.get("finish_reason")
    content = message.get("content")  # a text, which may come in parts
    parts = [content] if isinstance(content, str) else listed(content)
    texts = [part if isinstance(part, str) else fields_of(part).get("text") for part in parts]
    text = "".join(text for text in texts if isinstance(text, str))
    if isinstance(refusal, str) and refusal:
        text, finish_reason = text or refusal, "refusal"
    model = envelope.get("model")
    # Each token with its alternatives, each once.
    choices: list[TokenChoice] = []
    for token in map(fields_of, listed(fields_of(choice.get("logprobs")).get("content"))):
        found: dict[str, float] = {}
        for each in (*map(fields_of, listed(token.get("top_logprobs"))), token):
            word, logprob = each.get("token"), _finite(each.get("logprob"), least=-math.inf)
            if isinstance(word, str) and logprob is not None:
                found.setdefault(word, logprob)
        choices.append(TokenChoice(str(token.get("token")), tuple(found.items())))
    has_all = choices and all(each.alternatives for each in choices)
    return Reply(
        text=text,
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        cached_tokens=_count(fields_of(usage.get("prompt_tokens_details")).get("cached_tokens")),
        cost_usd=_finite(usage.get("cost"), least=0.0),
        finish_reason=finish_reason if isinstance(finish_reason, str) else "stop",
        model=model if isinstance(model, str) else None,
        logprobs=tuple(choices) if has_all else None,
    )


def _count(value: object) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _finite(value: object, *, least: float) -> float | None:
    if type(value) not in (int, float):
        return None
    try:
        number = float(cast(float, value))
    except OverflowError:
        return None
    return number if math.isfinite(number) and number >= least else None


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """An error's message, code, type and parameter, as OpenAI-compatible servers send them."""

    message: str
    code: str = ""
    type: str = ""
    param: str = ""


def error_of(body: str) -> ErrorBody:
    """Read the body of an error."""
    try:
        content: object = json.loads(body)
    except (ValueError, RecursionError):
        return ErrorBody(body)
    beside = {**fields_of(content), **fields_of(fields_of(content).get("error"))}
    code, kind, param = (str(beside.get(name) or "") for name in ("code", "type", "param"))
    return ErrorBody(message_of(body), code, kind, param)


def rejected_parameters(error: ErrorBody, sent: Body) -> Iterator[str]:
    """The optional parameters of a request that an error rejects."""
    names = [name for name in _OPTIONAL if name in sent]
    named = [name for name in names if name in error.param.split(".")]
    for name in named or names:
        words = _FORMAT if name == "response_format" else name
        is_named = bool(named) or re.search(rf"(?<!\w)({words})(?!\w)", error.message, re.I)
        # "Prompt and reply are too long together" does not reject max_tokens.
        is_length = name.startswith("max_") and _LENGTH.search(error.message.lower())
        if is_named and not is_length:
            yield name
