"""Replies that come in parts: server-sent events, or JSON line by line."""

import json
from collections.abc import Iterator, Mapping
from typing import cast

from ragauge.asking.returned import usage_of
from ragauge.asking.template import at_pointer
from ragauge.network.endpoints import Unanswered

EVENTS = (b"data:", b"event:", b"id:", b"retry:", b":")
"""How a line of server-sent events begins; no JSON does."""
DELTA = "/choices/0/delta/content"
"""Where the chunks of an OpenAI-compatible stream have their text."""
DONE = b"[DONE]"


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
