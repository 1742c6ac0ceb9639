"""Check a reply's value against the schema of its question, and list what is wrong with it."""

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ragauge.judges.protocol import Schema

N_LISTED = 5
N_QUOTED = 80

DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?", re.ASCII)
WORD_EDGES = " \"'`“”‘«»„‚*_.。"
MAX_WORD_LENGTH = 200
TRUTH = {"true": True, "false": False}

Json = Any
"""A JSON value; not `object`, because casts are slow calls."""
Rules = Mapping[str, Any]
Object = dict[str, Json]
Array = list[Json]
Place = str | tuple["Place", str | int]
"""Where a value is in the reply: the place of what holds it, and its key there. Most are never shown."""


class ReplyError(Exception):
    """What is wrong with a reply, for the repair message; `is_cut`: it is truncated."""

    # The message is part of the repair prompt, and so of the keys of kept replies: rewording it makes
    # recordings and caches miss.

    def __init__(self, message: str, *, is_cut: bool = False) -> None:
        self.is_cut = is_cut
        super().__init__(message)


def read_numbered(
    items: Sequence[Mapping[str, object]], key: str, n: int, place: str = "the reply"
) -> list[Mapping[str, object]]:
    """The items in the order of their numbers under `key`, which must be 1 to n, each once.

    ReplyError lists missing, duplicate and unexpected numbers.

    >>> read_numbered([{"claim": 2}, {"claim": 1}], "claim", 2, "verdicts")
    [{'claim': 1}, {'claim': 2}]
    """
    by_number = {cast(int, item[key]): item for item in items}
    asked = range(1, n + 1)
    if len(items) == n and all(number in by_number for number in asked):
        return [by_number[number] for number in asked]
    times = Counter(cast(int, item[key]) for item in items)
    faults = [
        _listed([number for number in asked if number not in times], "missing"),
        _listed([number for number in asked if times[number] > 1], "there more than once"),
        _listed([number for number in times if number not in asked], "not asked for"),
    ]
    what = f"one entry for each {key} from 1 to {n}" if n else "no entry"
    raise ReplyError(f"{place} must have {what}; {', '.join(filter(None, faults))}")


def check(value: Json, schema: Schema, place: str = "") -> Json:
    """Check a value against a schema and normalize it: known keys only, enum spelling, numbers.

    Supports the types object (properties, required), array (items), string (enum), number, integer and boolean. For a
    boolean, 1, 0, "true" and "false" are accepted; for a number, a plain decimal text. An optional property may
    be null and is then dropped. ReplyError lists up to five problems with their places below `place`; ValueError for
    another type.

    >>> check({"grade": "“pass”.", "more": 1}, {"type": "object", "properties": {"grade": {
    ...     "type": "string", "enum": ["PASS", "FAIL"]}}})
    {'grade': 'PASS'}
    """
    problems: list[str] = []
    fitted = _fitted(value, schema, place, problems)
    if problems:
        if len(problems) > N_LISTED:
            problems[N_LISTED:] = [f"and {len(problems) - N_LISTED:,} more"]
        raise ReplyError("; ".join(problems))
    return fitted


def _fitted(value: Json, schema: Rules, place: Place, problems: list[str]) -> Json:
    """The normalized value; adds what is wrong with it to `problems`."""
    kind, menu = schema.get("type"), schema.get("enum")
    if kind == "object":
        if isinstance(value, dict):
            return _object(cast(Object, value), schema, place, problems)
        wanted = "an object"
    elif kind == "array":
        if isinstance(value, list):
            items, rules = cast(Array, value), schema["items"]
            return [_fitted(item, rules, (place, at), problems) for at, item in enumerate(items)]
        wanted = "an array"
    elif kind == "boolean":
        if value is True or value is False:
            return value
        if isinstance(value, int | float) and value in (0, 1):
            return bool(value)
        if isinstance(value, str) and value in TRUTH:
            return TRUTH[value]
        wanted = "true or false"
    elif kind in ("number", "integer"):
        number, is_whole = None, kind == "integer"
        if type(value) is int or (isinstance(value, float) and math.isfinite(value)):
            number = value
        elif isinstance(value, str) and DECIMAL.fullmatch(value):
            number = float(value) if "." in value else int(value)
        if number is not None and not (is_whole and number % 1):
            return int(number) if is_whole else number
        wanted = "a whole number" if is_whole else "a number"
    elif kind == "string" and menu is not None:
        choice = on_menu(value, menu)
        if choice is not None:
            return choice
        wanted = f"one of {', '.join(map(shown, menu))}"
    elif kind == "string":
        if isinstance(value, str):
            return value
        wanted = "a text"
    else:
        raise ValueError(f"{_shown_place(place)} cannot be checked for the type {kind!r}")
    problems.append(f"{_shown_place(place)} must be {wanted}, got {shown(value)}")
    return value


def _object(given: Object, schema: Rules, place: Place, problems: list[str]) -> Json:
    required: Sequence[str] = schema.get("required", ())
    absent = (name for name in required if name not in given)
    problems += (f"{_shown_place((place, name))} is missing" for name in absent)
    if "properties" not in schema:
        return given
    return {
        name: _fitted(given[name], rules, (place, name), problems)
        for name, rules in cast(Mapping[str, Rules], schema["properties"]).items()
        if name in given and (given[name] is not None or name in required)
    }


def _shown_place(place: Place) -> str:
    if not isinstance(place, tuple):
        return place or "the reply"
    outer, key = place
    before = _shown_place(outer) if outer else ""
    if isinstance(key, int):
        return f"{before}[{key}]"
    return f"{before}.{key}" if before else key


def on_menu(value: Json, menu: Sequence[str]) -> str | None:
    """The matching menu entry; None if there is none or more than one."""
    if not isinstance(value, str) or len(value) > MAX_WORD_LENGTH:
        return None
    meant = [entry for entry in menu if _word(entry) == _word(value)]
    return value if value in menu else meant[0] if len(meant) == 1 else None


def _word(text: str) -> str:
    """The text without surrounding punctuation, case-folded."""
    return " ".join(text.replace("’", "'").split()).strip(WORD_EDGES).casefold()


def _listed(numbers: Sequence[int], fault: str) -> str:
    """As in "2, 5 and 7 are missing"."""
    shown = [str(number) for number in numbers[:N_LISTED]]
    if len(numbers) > N_LISTED:
        shown.append(f"{len(numbers) - N_LISTED} more")
    listed = " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))
    return listed and f"{listed} {'is' if len(numbers) == 1 else 'are'} {fault}"


def shown(value: Json) -> str:
    """A value in a message: the start of a text, or the kind of an object or array."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"an array of {len(cast(Array, value))}"
    if isinstance(value, str) and len(value) > N_QUOTED:
        value = f"{value[:N_QUOTED]}…"
    return json.dumps(value, ensure_ascii=False).encode(errors="backslashreplace").decode()
