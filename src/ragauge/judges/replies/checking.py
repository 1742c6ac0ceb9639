"""Check a reply's value against the schema of its question, and list what is wrong with it."""

import json
import marshal
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

from ragauge.judges.protocol import PLAIN, Schema

N_LISTED = 5
"""Maximum number of problems in a message, and of numbers in a problem."""
N_QUOTED = 80

DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?", re.ASCII)
WORD_EDGES = " \"'`“”‘«»„‚*_.。"
MAX_WORD_LENGTH = 200
TRUTH = {"true": True, "false": False}

Json = Any
"""A JSON value; not `object`, because casts are slow calls."""
Rules = Mapping[str, Any]
"""A Schema."""
Object = dict[str, Json]
Array = list[Json]
Problems = list[str]


class ReplyError(Exception):
    """What is wrong with a reply, for the repair message and for people.

    `is_cut`: the reply is truncated.
    """

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

    Supports type (also a list of types), properties, required, items, minItems, maxItems, enum,
    minimum, maximum and minLength (of the stripped text). For a boolean, 1, 0, "true" and "false" are
    accepted; for a number, a plain decimal text. An optional property may be null and is then dropped.
    ReplyError lists up to five problems with their places below `place`; ValueError for a schema
    without a type or enum.

    >>> check({"grade": "“pass”.", "more": 1}, {"type": "object", "properties": {"grade": {
    ...     "type": "string", "enum": ["PASS", "FAIL"]}}})
    {'grade': 'PASS'}
    """
    try:
        fits = _fits_packed(marshal.dumps(cast(Object, schema), PLAIN))
    except (ValueError, TypeError):  # has types that are not JSON's
        fits = _never
    if fits(value):
        return value
    problems: Problems = []
    fitted = _fitted(value, schema, place, problems)
    if problems:
        if len(problems) > N_LISTED:
            problems[N_LISTED:] = [f"and {len(problems) - N_LISTED:,} more"]
        raise ReplyError("; ".join(problems))
    return fitted


# Fast path: nearly every reply needs no change, which is checked in a tenth of the time.

Fits = Callable[[Json], bool]


@lru_cache(maxsize=256)
def _fits_packed(schema: bytes) -> Fits:
    """A check whether a value matches the schema exactly and needs no change."""
    own = marshal.loads(schema)
    json.dumps(own)  # fails where marshal turned numpy's numbers into bytes
    return _fits_one(own)


def _fits_one(schema: Rules) -> Fits:
    rule = _rule(schema)
    if rule is None:
        return _never
    kind, inner_fits = rule
    return lambda value: type(value) is kind and (inner_fits is None or inner_fits(value))


def _rule(schema: Rules) -> tuple[type, Fits | None] | None:
    """The required type and further check; None if the fast path does not support the schema."""
    wanted, menu = schema.get("type"), schema.get("enum")
    if wanted == "object" and "properties" in schema:
        properties: Mapping[str, Rules] = schema["properties"]
        rules = {name: _rule(rule) for name, rule in properties.items()}
        kinds = [rule[0] for rule in rules.values() if rule is not None]
        inner = [(name, rule[1]) for name, rule in rules.items() if rule is not None and rule[1]]
        names = list(properties)
        if len(kinds) < len(names) or not set(schema.get("required", ())) <= set(names):
            return None

        def fits(value: Object) -> bool:
            if list(value) != names or list(map(type, value.values())) != kinds:
                return False
            return all(inner_fits(value[name]) for name, inner_fits in inner)

        return dict, fits
    if wanted == "array" and "items" in schema:
        item_fits = _fits_one(schema["items"])
        least, most = schema.get("minItems", 0), schema.get("maxItems", math.inf)
        return list, lambda value: least <= len(value) <= most and all(map(item_fits, value))
    if wanted == "string" and not schema.get("minLength", 0):
        return str, None if menu is None else menu.__contains__
    if wanted == "boolean":
        return bool, None
    if wanted in ("integer", "number") and menu is None:
        least, most = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
        is_free = (least, most) == (-math.inf, math.inf)
        return int, None if is_free else lambda value: least <= value <= most
    return None


def _never(_: Json) -> bool:
    return False


def _fitted(value: Json, schema: Rules, place: str, problems: Problems) -> Json:
    """The normalized value; adds what is wrong with it to `problems`."""
    wanted: str | list[str] | None = schema.get("type")
    if isinstance(wanted, list):
        return _fitted_any(value, wanted, schema, place, problems)
    if wanted == "object":
        return _object(value, schema, place, problems)
    if wanted == "array":
        return _array(value, schema, place, problems)
    if wanted == "string" and "enum" not in schema:
        least = schema.get("minLength", 0)
        if not isinstance(value, str):
            return _wrong(value, "a text", place, problems)
        if least and len(value.strip()) < least:
            text = "a text that is not blank" if least == 1 else f"a text of {least} or more signs"
            return _wrong(value, text, place, problems)
        return value
    if wanted == "boolean":
        if isinstance(value, str) and value in TRUTH:
            return TRUTH[value]
        if isinstance(value, int | float) and value in (0, 1):
            return bool(value)
        return _wrong(value, "true or false", place, problems)
    if wanted == "null":
        return value if value is None else _wrong(value, "null", place, problems)
    if wanted in ("number", "integer"):
        return _number(value, schema, place, problems)
    if wanted == "string" or (wanted is None and "enum" in schema):
        choice = on_menu(value, schema["enum"])
        return _not_on_menu(value, schema, place, problems) if choice is None else choice
    raise ValueError(f"{_named(place)} cannot be checked for the type {wanted!r}")


def _fitted_any(
    value: Json, kinds: Sequence[str], schema: Rules, place: str, problems: Problems
) -> Json:
    """The value as the first type that it matches."""
    if value is None and "null" in kinds:
        return None
    first: Problems = []
    for kind in kinds:
        faults: Problems = []
        fitted = _fitted(value, {**schema, "type": kind}, place, faults)
        if not faults:
            return fitted
        first = first or faults
    problems += first
    return value


def _object(value: Json, schema: Rules, place: str, problems: Problems) -> Json:
    if not isinstance(value, dict):
        return _wrong(value, "an object", place, problems)
    given = cast(Object, value)
    known: Mapping[str, Rules] | None = schema.get("properties")
    required: Sequence[str] = schema.get("required", ())
    prefix = f"{place}." if place else ""
    problems += [f"{prefix}{name} is missing" for name in required if name not in given]
    if known is None:
        return given
    return {
        name: _fitted(given[name], rules, prefix + name, problems)
        for name, rules in known.items()
        if name in given
        and (given[name] is not None or name in required or "null" in (rules.get("type") or ()))
    }


def _array(value: Json, schema: Rules, place: str, problems: Problems) -> Json:
    if not isinstance(value, list):
        return _wrong(value, "an array", place, problems)
    given = cast(Array, value)
    least, most = schema.get("minItems", 0), schema.get("maxItems", math.inf)
    if not least <= len(given) <= most:
        problems.append(f"{_named(place)} must have length {_range(least, most)}, got {len(given)}")
    rules: Rules | None = schema.get("items")
    if rules is None:
        return given
    return [_fitted(item, rules, f"{place}[{index}]", problems) for index, item in enumerate(given)]


def _number(value: Json, schema: Rules, place: str, problems: Problems) -> Json:
    """A number, or a text that is a plain decimal number; booleans are not numbers."""
    number = None
    if isinstance(value, str) and DECIMAL.fullmatch(value):
        number = float(value) if "." in value else int(value)
    elif type(value) is int or (isinstance(value, float) and math.isfinite(value)):
        number = value
    is_whole = schema["type"] == "integer"
    if number is None or (is_whole and number % 1):
        return _wrong(value, "a whole number" if is_whole else "a number", place, problems)
    least, most = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
    if not least <= number <= most:
        return _wrong(value, _range(least, most), place, problems)
    if "enum" in schema and number not in schema["enum"]:
        return _not_on_menu(value, schema, place, problems)
    return int(number) if is_whole else number


def _not_on_menu(value: Json, schema: Rules, place: str, problems: Problems) -> Json:
    return _wrong(value, f"one of {', '.join(map(shown, schema['enum']))}", place, problems)


def on_menu(value: Json, menu: Sequence[object]) -> object | None:
    """The matching menu entry; None if there is none or more than one."""
    exact = [
        entry
        for entry in menu
        if entry == value and isinstance(entry, bool) == isinstance(value, bool)
    ]
    if exact:
        return exact[0]
    if not isinstance(value, str) or len(value) > MAX_WORD_LENGTH:
        return None
    word = _word(value)
    meant = [entry for entry in menu if isinstance(entry, str) and _word(entry) == word]
    return meant[0] if len(meant) == 1 else None


def _word(text: str) -> str:
    """The text without surrounding punctuation, case-folded."""
    return " ".join(text.replace("’", "'").split()).strip(WORD_EDGES).casefold()


def _wrong(value: Json, wanted: str, place: str, problems: Problems) -> Json:
    problems.append(f"{_named(place)} must be {wanted}, got {shown(value)}")
    return value


def _named(place: str) -> str:
    return place or "the reply"


def _range(least: float, most: float) -> str:
    if most == math.inf:
        return f"{least} or more"
    if least == -math.inf:
        return f"{most} or less"
    return f"{least}" if least == most else f"{least} to {most}"


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
