"""An HTTP endpoint as a target: a JSON template is sent, and JSON pointers say where in the reply, whole or in parts, the answer is."""

import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import cast
from urllib.parse import quote

from ragauge.asking.target import OpenTarget, Response, usage_of
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

PLACE = re.compile(r"\{([A-Za-z_][\w.]*)\}")
EVENTS = (b"data:", b"event:", b"id:", b"retry:", b":")
"""How a line of server-sent events begins; no JSON does."""
DELTA = "/choices/0/delta/content"
"""Where the chunks of an OpenAI-compatible stream have their text."""
DONE = b"[DONE]"


def fields_in(template: object) -> set[str]:
    """The fields that the texts of a template name.

    >>> sorted(fields_in({"q": "{question}", "n": ["{top_k}", 5]}))
    ['question', 'top_k']
    """
    if isinstance(template, str):
        return {*PLACE.findall(template)}
    inner: Iterable[object] = ()
    if isinstance(template, Mapping):
        inner = cast("Mapping[str, object]", template).values()
    elif isinstance(template, list):
        inner = cast("Sequence[object]", template)
    return {name for each in inner for name in fields_in(each)}


def filled(template: object, inputs: Mapping[str, object]) -> object:
    """The template with the fields in their places; a text that is one place takes the value as it is.

    >>> filled({"q": "Q: {question}", "k": "{top_k}"}, {"question": 'a "b"', "top_k": 3})
    {'q': 'Q: a "b"', 'k': 3}
    """
    if isinstance(template, str):
        whole = PLACE.fullmatch(template)
        if whole and not isinstance(inputs.get(whole[1]), list):
            return inputs.get(whole[1])
        return filled_text(template, inputs)
    if isinstance(template, Mapping):
        given = cast("Mapping[str, object]", template)
        return {name: filled(each, inputs) for name, each in given.items()}
    if isinstance(template, list):
        return [filled(each, inputs) for each in cast("Sequence[object]", template)]
    return template


def filled_text(template: str, inputs: Mapping[str, object]) -> str:
    """The text with the fields in their places; lists, such as contexts, with numbers before their items."""

    def of(found: re.Match[str]) -> str:
        value = inputs.get(found[1], "")
        if isinstance(value, list):
            items = enumerate(cast("Sequence[object]", value), 1)
            return "\n\n".join(f"[{place}] {item}" for place, item in items)
        return str(value)

    return PLACE.sub(of, template)


def read_template(text: str) -> object:
    """A JSON template; PlanError if it is none, or has no place for the question."""
    try:
        template: object = json.loads(text)
    except ValueError as error:
        raise PlanError(f"the body {text!r:.100} is not JSON: {error}") from None
    check_place(template, "the body")
    return template


def check_place(template: object, what: str) -> None:
    """PlanError for a template without `{question}`: every question would be the same."""
    if "question" not in fields_in(template):
        raise PlanError(f"{what} has no {{question}}, so every question would be the same")


def at_pointer(value: object, pointer: str, whole: str = "") -> object:
    """The value at a JSON pointer (RFC 6901); `*` is each item of a list. Unanswered where there is nothing.

    An error names the `whole` pointer, if this is the rest of one.

    >>> at_pointer({"docs": [{"text": "a"}, {"text": "b"}]}, "/docs/*/text")
    ['a', 'b']
    """
    at = value
    parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    for place, part in enumerate(parts):
        items = cast("list[object]", at) if isinstance(at, list) else None
        if isinstance(at, Mapping) and part in at:
            at = cast("Mapping[str, object]", at)[part]
        elif items is not None and part == "*":
            rest = "".join(f"/{each}" for each in parts[place + 1 :])
            return [at_pointer(item, rest, whole or pointer) for item in items]
        elif items is not None and part.isdecimal() and int(part) < len(items):
            at = items[int(part)]
        else:
            shown = json.dumps(value)[:120]
            raise Unanswered(f"the reply has nothing at {whole or pointer}: {shown}", is_final=True)
    return at


def is_stream(content: bytes) -> bool:
    """Whether a reply is server-sent events, or more than one line of JSON.

    >>> is_stream(b"data: hi"), is_stream(b'{"a": 1}\\n{"a": 2}'), is_stream(b'{"a":\\n 1}')
    (True, True, False)
    """
    if content.lstrip().startswith(EVENTS):
        return True
    first, _, others = content.strip().partition(b"\n")
    return first.startswith(b"{") and first.rstrip().endswith(b"}") and others.startswith(b"{")


def read_stream(content: bytes, read: Mapping[str, str]) -> tuple[dict[str, object], int]:
    """The fields of a stream, and after how many bytes its first text is complete.

    Texts of the answer are joined; of any other field the last value counts. `read` has a JSON pointer into an event for
    each field; without it events are texts, mappings in our names, or chunks of an OpenAI-compatible stream.
    Unanswered for an error in the stream, and where no event has a text.
    """
    fields: dict[str, object] = {}
    texts: list[str] = []
    begun_at, first = 0, b""
    for end, data in _events(content):
        first = first or data
        found = _fields(data, read)
        text = found.pop("answer", None)
        fields |= found
        if isinstance(text, str) and text:
            begun_at = begun_at or end
            texts.append(text)
    if not texts:
        shown = first[:120].decode("utf-8", "replace")
        raise Unanswered(
            f"the stream has no text of an answer; --read answer=/POINTER says where an event has it: {shown}",
            is_final=True,
        )
    return fields | {"answer": "".join(texts)}, begun_at


def _events(content: bytes) -> Iterator[tuple[int, bytes]]:
    """The data of each event, and where the event ends."""
    at = 0
    data: list[bytes] = []
    for line in content.splitlines(keepends=True):
        at += len(line)
        text = line.rstrip(b"\r\n")
        if text.startswith(b"data:"):
            data.append(text.removeprefix(b"data:").removeprefix(b" "))
        elif text.startswith(b"{"):
            yield at, text
        elif not text and data:
            yield at, b"\n".join(data)
            data = []
    if data:
        yield at, b"\n".join(data)


def _fields(data: bytes, read: Mapping[str, str]) -> dict[str, object]:
    """What one event says, by our names."""
    if data.strip() == DONE:
        return {}
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise Unanswered(f"the stream is not UTF-8 ({error.reason})", is_final=True) from None
    try:
        event: object = json.loads(text)
    except RecursionError:
        raise Unanswered("the stream has JSON that is nested too deep", is_final=True) from None
    except ValueError:
        event = text
    if not isinstance(event, Mapping):  # a part of the text may look like a number
        return {"answer": event if isinstance(event, str) else text}
    own = cast("Mapping[str, object]", event)
    if own.get("error"):
        raise Unanswered(f"the stream has an error: {json.dumps(own['error'])[:300]}")
    found = {name: _found(own, pointer) for name, pointer in read.items()} if read else dict(own)
    if not isinstance(found.get("answer"), str):
        found["answer"] = _found(own, DELTA)
    if "choices" in found:  # the rest of a chunk says nothing of the answer
        found = {"answer": found["answer"]}
    return {name: it for name, it in found.items() if it is not None} | usage_of(own)


def _found(event: object, pointer: str) -> object:
    try:
        return at_pointer(event, pointer)
    except Unanswered:
        return None


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
