"""An HTTP endpoint as a target: a JSON template is sent, and JSON pointers say where the answer is."""

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from urllib.parse import quote

from ragauge.asking.returned import usage_of
from ragauge.asking.target import OpenTarget, Response
from ragauge.asking.wire import (
    at_pointer,
    check_place,
    fields_in,
    filled,
    filled_text,
    is_stream,
    read_stream,
    read_template,
)
from ragauge.calls.connections import (
    MAX_BYTES,
    OPENAI,
    Connections,
    Destination,
    Received,
)
from ragauge.calls.rate_limit import MAX_CONCURRENCY
from ragauge.errors import JudgeError, MissingExtraError, PlanError
from ragauge.network.endpoints import (
    OVERLOADED,
    Address,
    Unanswered,
    is_page,
    is_variable,
    may_pass,
    message_of,
    retry_after,
    secrets_of,
    sendable,
)

BODY = '{"question": "{question}"}'
CHAT_ANSWER = {"answer": "/choices/0/message/content"}
METHODS = ("POST", "GET", "PUT")


@dataclass(frozen=True, slots=True)
class EndpointOptions:
    """How endpoints are asked.

    `headers`: the environment variable of each header's value. `body`: a JSON template. `read`: a JSON pointer into
    the reply for each field. `version`: a label of what is deployed; with another label everything is asked again. `base_url`,
    `key` (an environment variable), `prompt` (the text of a prompt) and `stream` (whether the reply is to come in parts) are of chat models.
    """

    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: str = BODY
    read: Mapping[str, str] = field(default_factory=dict[str, str])
    version: str = ""
    base_url: str | None = None
    key: str = "OPENAI_API_KEY"
    prompt: str = "{question}"
    stream: bool = False


def open_url(url: str, options: EndpointOptions) -> OpenTarget:
    """An endpoint as a target; PlanError for a wrong address, template, pointer or header."""
    if options.method not in METHODS:
        raise PlanError(f"the method is {options.method!r:.20}; it must be {', '.join(METHODS)}")
    template = None if options.method == "GET" else read_template(options.body)
    if template is None:
        check_place(url, "the URL of a GET")
    for name, pointer in options.read.items():
        if not pointer.startswith("/"):
            problem = f"the pointer of {name} is {pointer!r:.60}; a JSON pointer begins with /, as /answer"
            raise PlanError(problem)
    headers = {name: _from_environment(name, it) for name, it in options.headers.items()}
    return _opened(url, options.method, headers, template, options)


def open_chat(model: str, options: EndpointOptions) -> OpenTarget:
    """A model behind an OpenAI-compatible endpoint as a target."""
    base_url = options.base_url or os.environ.get("OPENAI_BASE_URL", "").strip() or OPENAI
    check_place(options.prompt, "the prompt")
    address = _address(base_url, options.key)
    try:
        key = address.key()
    except JudgeError as error:
        raise PlanError(str(error)) from None
    message = {"role": "user", "content": options.prompt}
    template: dict[str, object] = {"model": model, "messages": [message]}
    if options.stream:
        template |= {"stream": True, "stream_options": {"include_usage": True}}
    headers = {"authorization": f"Bearer {key or 'none'}"}
    url = f"{base_url.rstrip('/')}/chat/completions"
    return _opened(url, "POST", headers, template, options, model=model)


def _opened(
    url: str,
    method: str,
    headers: Mapping[str, str],
    template: object,
    options: EndpointOptions,
    *,
    model: str | None = None,
) -> OpenTarget:
    if find_spec("openai") is None:
        raise MissingExtraError("an endpoint needs the HTTP client of the package openai", "openai")
    address = _address(filled_text(url, {}), "")
    read = options.read or (CHAT_ANSWER if model else {})
    fields = frozenset(fields_in([template, url]))
    secrets = (*secrets_of(url, options.key), *headers.values())
    shown = json.dumps([address.host, address.parts.path, method, template, dict(read)])
    target = HttpTarget(address, url, method, headers, template, read)
    identity, name = f"http {shown} {options.version}", model or address.host
    known = tuple(secret for secret in secrets if len(secret) >= 4)
    return OpenTarget(target, identity, name, fields, fields - {"question"}, fields, known, model)


def _address(url: str, key: str) -> Address:
    try:
        return Address("the target", url, key, JudgeError)
    except JudgeError as error:
        raise PlanError(str(error).replace("base_url", "the URL")) from None


def _from_environment(name: str, variable: str) -> str:
    """The value of a header; PlanError, without it, if a value is given in place of a variable."""
    if not is_variable(variable):
        raise PlanError(
            f"the header {name} takes the name of an environment variable, such as MY_API_KEY; what was given "
            "is not printed, since it may be the key itself"
        )
    value = os.environ.get(variable, "").strip()
    if not value:
        raise PlanError(f"the header {name}: the environment variable {variable} is not set")
    is_bare = name.lower() == "authorization" and " " not in value
    return f"Bearer {value}" if is_bare else value


@dataclass(slots=True, repr=False)
class HttpTarget:
    """Sends a filled template, and reads the reply; follows no redirects, which would take the key along."""

    address: Address
    url: str
    method: str
    headers: Mapping[str, str]
    template: object
    read: Mapping[str, str]
    _connections: Connections | None = None

    async def answer(self, inputs: Mapping[str, object]) -> Response:
        quoted = {name: quote(str(value), safe="") for name, value in inputs.items()}
        destination = Destination(filled_text(self.url, quoted), self.headers, self.method)
        body = b""
        if self.template is not None:
            body = sendable(json.dumps(filled(self.template, inputs), ensure_ascii=False)).encode()
        arrivals: list[tuple[int, float]] = []
        start = time.perf_counter()

        def arrived(n_bytes: int) -> None:
            arrivals.append((n_bytes, time.perf_counter() - start))

        received = await self.open().send(destination, body, arrived)
        latency_s = time.perf_counter() - start
        content = received.content
        if received.is_error:
            raise _refusal(received)
        if len(content) > MAX_BYTES:
            raise Unanswered(f"the reply is longer than {MAX_BYTES:,} bytes", is_final=True)
        if is_page(content):
            problem = "the reply is a page of HTML and not JSON; look at the URL"
            raise Unanswered(problem, is_final=True)
        if is_stream(content):
            fields, begun_at = read_stream(content, self.read)
            return Response(fields, latency_s, next(s for n, s in arrivals if n >= begun_at))
        try:
            reply: object = json.loads(content)
        except (ValueError, RecursionError) as error:
            beginning = content[:80].decode("utf-8", "replace")
            raise Unanswered(f"the reply is not JSON ({error!s:.80}): {beginning!r}") from None
        if self.read:
            found = {name: at_pointer(reply, pointer) for name, pointer in self.read.items()}
            reply = {**found, **usage_of(reply)}
        return Response(reply, latency_s)

    def open(self) -> Connections:
        """The connections; the first call takes a moment, which is not the endpoint's."""
        self._connections = self._connections or Connections(self.address, MAX_CONCURRENCY)
        return self._connections

    async def close(self) -> None:
        """Close the connections; a later question opens new ones."""
        connections, self._connections = self._connections, None
        if connections is not None:
            await connections.close()


def _refusal(received: Received) -> Unanswered:
    """What an error status says of another attempt."""
    status = received.status
    if status < 400:
        place = received.headers.get("location", "another address")
        return Unanswered(f"{status}: redirects to {place}, which is not followed", is_final=True)
    message = message_of(received.content.decode("utf-8", "replace"))[:300] or "no message"
    return Unanswered(
        f"{status}: {message}",
        retry_after(received.headers),
        is_overload=status in OVERLOADED,
        is_final=not may_pass(status),
    )
