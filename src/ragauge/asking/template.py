"""Templates of what is sent, and JSON pointers into what comes back."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from ragauge.errors import PlanError
from ragauge.network.endpoints import Unanswered

PLACE = re.compile(r"\{([A-Za-z_][\w.]*)\}")
"""Where a field goes: `{question}`. Other braces stay."""


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
        if isinstance(at, Mapping) and part in at:
            at = cast("Mapping[str, object]", at)[part]
        elif isinstance(at, list) and part == "*":
            rest = "".join(f"/{each}" for each in parts[place + 1 :])
            return [at_pointer(item, rest) for item in cast("Sequence[object]", at)]
        elif (
            isinstance(at, list) and part.isdecimal() and int(part) < len(cast("list[object]", at))
        ):
            at = cast("list[object]", at)[int(part)]
        else:
            raise Unanswered(
                f"the reply has nothing at {pointer}: {json.dumps(value)[:120]}", is_final=True
            )
    return at
