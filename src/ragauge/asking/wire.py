"""What is sent and comes back: templates, JSON pointers, and replies in parts, as server-sent events or JSON line by line."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import cast

from ragauge.asking.returned import usage_of
from ragauge.errors import PlanError
from ragauge.network.endpoints import Unanswered

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


def at_pointer(value: object, pointer: str) -> object:
    """The value at a JSON pointer (RFC 6901); `*` is each item of a list. Unanswered where there is nothing.

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
            return [at_pointer(item, rest) for item in items]
        elif items is not None and part.isdecimal() and int(part) < len(items):
            at = items[int(part)]
        else:
            shown = json.dumps(value)[:120]
            raise Unanswered(f"the reply has nothing at {pointer}: {shown}", is_final=True)
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
