"""Find the question in the input of a span, the answer in its output, and documents in either.

Inputs and outputs are texts, chat messages, or objects with one of many keys, often as JSON text.
"""

import ast
import json
from collections.abc import Mapping, Sequence
from typing import cast

from ragauge.loaders.documents import parts_of
from ragauge.loaders.formats.printed import parsed_expression
from ragauge.loaders.mapping import field_of
from ragauge.loaders.messages import ANSWERING, ASKING, last_text, text_of

MAX_DEPTH = 5
ASKED_KEYS = ("messages", "text", "content", "value", "args", "kwargs", "inputs")
ANSWERED_KEYS = (
    "messages", "result", "output_text", "text", "content", "replies", "choices", "message",
    "generations", "value", "outputs",
)  # fmt: skip
DOCUMENT_KEYS = (
    "documents", "source_documents", "source_nodes", "contexts", "context", "retrieved_contexts",
    "nodes", "chunks", "matches", "results", "hits", "docs", "passages", "output",
)  # fmt: skip


def question_in(value: object) -> str | None:
    """The question in a span's input; None if there is none.

    >>> question_in('{"query": "Where?", "k": 3}')
    'Where?'
    """
    return _text_in(value, "question", ASKED_KEYS, ASKING, MAX_DEPTH)


def answer_in(value: object) -> str | None:
    """The answer in a span's output; None if there is none.

    >>> answer_in([{"role": "user", "content": "Where?"}, {"role": "assistant", "content": "Here."}])
    'Here.'
    """
    return _text_in(value, "answer", ANSWERED_KEYS, ANSWERING, MAX_DEPTH)


def documents_in(value: object, *, texts: bool = False, depth: int = 3) -> list[object] | None:
    """The documents in a span's output; with `texts`, a list of texts counts. None if there are none."""
    value = parsed(value)
    if isinstance(value, list):
        items = cast(list[object], value)
        if items and all(
            parts_of(item) is not None or (texts and isinstance(item, str)) for item in items
        ):
            return items
        return [] if texts and not items else None
    if not isinstance(value, Mapping) or depth == 0:
        return None
    named = cast(Mapping[str, object], value)
    for key in DOCUMENT_KEYS:
        if key in named:
            found = documents_in(named[key], texts=True, depth=depth - 1)
            if found is not None:
                return found
    return None


def first_of(values: Mapping[str, object], names: Sequence[str]) -> object:
    """The value under the first of these names that has one; None if none has."""
    return next((values[name] for name in names if values.get(name) not in (None, "")), None)


def parsed(value: object) -> object:
    """The value of a JSON text, or of an object that pandas printed; other values unchanged."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "[", '"'):
        return value
    try:
        return cast(object, json.loads(value))
    except (ValueError, RecursionError):
        if value.lstrip().startswith('"'):
            return value
    try:
        return cast(object, ast.literal_eval(parsed_expression(value)))
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return value


def keys_of(value: object) -> list[str]:
    """The keys of an object, also of one in JSON text."""
    value = parsed(value)
    return [*map(str, cast(Mapping[object, object], value))] if isinstance(value, Mapping) else []


def _text_in(
    value: object, field: str, keys: Sequence[str], roles: Sequence[str], depth: int
) -> str | None:
    value = parsed(value)
    if isinstance(value, str):
        return value
    if depth == 0 or value is None:
        return None
    if isinstance(value, bool | int | float):
        return str(value)
    if isinstance(value, list):
        items = cast(list[object], value)
        text = last_text(items, roles)
        if text is not None or len(items) != 1:
            return text if text is not None else text_of(items)
        return _text_in(items[0], field, keys, roles, depth - 1)
    if not isinstance(value, Mapping):
        return None
    named = cast(Mapping[str, object], value)
    fields = [key for key in named if field_of(str(key)) == field]
    for key in dict.fromkeys((*fields, *keys)):
        text = _text_in(named.get(key), field, keys, roles, depth - 1)
        if text is not None:
            return text
    if len(named) == 1:
        return _text_in(next(iter(named.values())), field, keys, roles, depth - 1)
    return None
