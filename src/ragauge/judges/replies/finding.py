"""Find the JSON object, or the word, that is a judge's reply, readable in one way only, and check it against the schema of its question."""

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple, cast

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


MAX_LENGTH = 1_000_000
MAX_DEPTH = 64
MAX_DIGITS = 100
MAX_VALUES = 1_000
# In prose, [1] is a citation: an array of numbers or booleans counts only on its own lines.
START = re.compile(
    r"""
    \{ (?= \s*+ (?: ["}] | \Z ) )
  | \[ (?= \s*+ ["{\[\]] )
  | ^\[ (?= [^\[\]{}"]*+ (?: \][ \t\r]*+$ | \Z ) )
    """,
    re.VERBOSE | re.MULTILINE,
)
CUT = re.compile(r"\s*(?:t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?|-|\.|[eE][+-]?)?")
"""What can follow the last complete token of truncated JSON."""
HALF_ESCAPE = re.compile(r"u[0-9a-fA-F]{0,4}")
SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
WORD_CHARACTER = re.compile(r"[^\W_]")
TAG = re.compile(r"<[^<>]*+>")


class _Found(NamedTuple):
    """A JSON object or array, and its position in the reply."""

    value: Object | Array
    start: int
    end: int


def read_json(text: str, schema: Schema) -> dict[str, object]:
    """The one JSON object of a reply, checked by `check`.

    Prose and code fences may surround it, and a closed <think> block may precede it. If the only
    required property is an array, the reply may be a bare array. ReplyError for two different objects,
    braces that could be a second or outer object, an object within a sentence, duplicate keys, NaN,
    infinities, lone surrogates, more than 64 levels or a million characters.

    >>> schema = {"type": "object", "properties": {"score": {"type": "integer"}}}
    >>> read_json('Here it is: {"score": 4, "why": "…"}', schema)
    {'score': 4}
    """
    text = _spoken(text)
    found = _values(text)
    required: Sequence[str] = schema.get("required", ())  # pyright: ignore[reportAssignmentType]
    known: Mapping[str, Rules] = schema.get("properties", {})  # pyright: ignore[reportAssignmentType]
    # The property that a bare array may replace: the only required one, if it is an array.
    instead = ""
    if len(required) == 1 and known.get(required[0], {}).get("type") == "array":
        instead = required[0]
    else:  # an array such as ["a", "b"] beside an object is prose
        found = [
            each
            for each in found
            if isinstance(each.value, dict)
            or any(isinstance(item, dict | list) for item in each.value)
        ] or found
    value = found[0].value
    if any(other.value != value for other in found[1:]):
        raise ReplyError("the reply holds two different objects; it must hold one")
    if isinstance(value, list) and not instead:
        raise ReplyError("the reply must be a JSON object, got an array")
    _check_prose(text, found, tuple(known))
    return check({instead: value} if isinstance(value, list) else value, schema)


def read_word(text: str, menu: Sequence[str]) -> str:
    """The menu entry that the whole reply equals, in the menu's spelling; ReplyError otherwise.

    Ignores case, and surrounding white space, quotation marks, full stops and emphasis.

    >>> read_word("**Correct**.", ["CORRECT", "WRONG"])
    'CORRECT'
    """
    text = _spoken(text)
    word = on_menu(text, menu)
    if word is None:
        problem = f"must be one of {', '.join(menu)}, and nothing else"
        raise ReplyError(f"the reply {problem}, got {shown(text)}")
    return word


def _spoken(text: str) -> str:
    """The reply without byte-order mark and <think> block."""
    if len(text) > MAX_LENGTH:
        problem = f"at most {MAX_LENGTH:,} characters, got {len(text):,}"
        raise ReplyError(f"the reply must have {problem}")
    if not text.isascii():
        _check_characters(text)
    text = text.strip().removeprefix("\ufeff").strip()
    if text.startswith("<think>"):
        _, closing, text = text.partition("</think>")
        if not closing:
            raise ReplyError("the reply stops within <think>", is_cut=True)
        text = text.strip()
    if not text:
        raise ReplyError("the reply is empty")
    return text


def _values(text: str) -> list[_Found]:
    """The top-level objects and arrays in the text, at least one."""
    found: list[_Found] = []
    broken: json.JSONDecodeError | None = None
    may_be_deep = text.count("{") + text.count("[") > MAX_DEPTH
    may_be_half = "\\u" in text and SURROGATE_ESCAPE.search(text)
    at = 0
    for _ in range(MAX_VALUES):
        start = START.search(text, at)
        if start is None:
            break
        try:
            value, at = _JSON.raw_decode(text, start.start())
        except json.JSONDecodeError as error:
            cut = HALF_ESCAPE if error.msg.startswith("Invalid \\u") else CUT
            if error.msg.startswith("Unterminated string") or cut.fullmatch(text, error.pos):
                raise ReplyError("the reply stops in the middle of its JSON", is_cut=True) from None
            broken = broken or error
            at = max(error.pos, start.end())
            continue
        except RecursionError:
            value = None
        if value is None or (may_be_deep and _is_deep(value)):
            raise ReplyError(f"the reply's JSON is nested deeper than {MAX_DEPTH} levels")
        if may_be_half:
            _check_characters(json.dumps(value, ensure_ascii=False))
        found.append(_Found(value, start.start(), at))
    else:
        raise ReplyError(f"the reply holds more than {MAX_VALUES:,} objects or pieces of such")
    if broken is not None and not found:
        where = f"at character {broken.pos + 1}, {shown(text[broken.pos : broken.pos + 30])}"
        raise ReplyError(f"the reply is not valid JSON: {broken.msg} {where}")
    if not found:
        raise ReplyError(f"the reply holds no JSON object; it begins {shown(text)}")
    return found


def _check_characters(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ReplyError("the reply holds half a character (a lone surrogate)") from None


def _is_deep(value: Json) -> bool:
    level: list[Json] = [value]
    for _ in range(MAX_DEPTH + 1):
        objects = [cast(Object, it).values() for it in level if isinstance(it, dict)]
        arrays = [cast(Array, it) for it in level if isinstance(it, list)]
        if not objects and not arrays:
            return False
        level = [inner for inside in (*objects, *arrays) for inner in inside]
    return True


def _check_prose(text: str, found: Sequence[_Found], keys: tuple[str, ...]) -> None:
    """ReplyError if text around the object looks like an outer object or a second, broken one."""
    if len(found) == 1 and found[0].start == 0 and found[0].end == len(text):
        return
    before, after = text[: found[0].start], text[found[-1].end :]

    braces, brackets = (
        [prose.count(opening) - prose.count(closing) for prose in (before, after)]
        for opening, closing in ("{}", "[]")
    )
    if braces[0] > 0 or braces[1] < 0 or brackets[0] > 0 > brackets[1]:
        raise ReplyError("the reply's JSON object stands within braces or brackets, not by itself")
    between = [text[left.end : right.start] for left, right in pairwise(found)]
    prose = " ".join((before, *between, after))
    # Words precede and follow each on its lines, ignoring <tags>.
    sides = [
        (
            text[text.rfind("\n", 0, each.start) + 1 : each.start],
            text[each.end :].partition("\n")[0],
        )
        for each in found
    ]
    if prose and all(WORD_CHARACTER.search(TAG.sub("", side)) for each in sides for side in each):
        raise ReplyError("the reply's JSON object stands in the middle of a sentence, like a quote")
    if "{" in prose and keys and (named := _naming(keys).search(prose, prose.index("{"))):
        problem = f"something else in braces that gives {named[1]!r}, and is not JSON"
        raise ReplyError(f"beside its JSON object the reply holds {problem}")


@lru_cache(maxsize=256)
def _naming(keys: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern for one of these keys with a value, quoted or not."""
    marks = r"[\\\"'`“”‘’]*+"
    return re.compile(rf"[{{,]\s*+{marks}({'|'.join(map(re.escape, keys))}){marks}\s*+:")


def _no_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    table = dict(pairs)
    if len(table) < len(pairs):
        twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise ReplyError(f"the key {shown(twice)} stands twice in one object")
    return table


def _number(digits: str) -> int | float:
    if len(digits) > MAX_DIGITS or not math.isfinite(float(digits)):
        raise ReplyError(f"{shown(digits)} is too large or long for a number")
    return int(digits) if digits.lstrip("-").isdecimal() else float(digits)


def _no_constant(word: str) -> Json:
    raise ReplyError(f"{word} is not a number in JSON")


# Not strict: accept line breaks within texts.
_JSON = json.JSONDecoder(
    strict=False,
    parse_constant=_no_constant,
    parse_float=_number,
    parse_int=_number,
    object_pairs_hook=_no_duplicates,
)
