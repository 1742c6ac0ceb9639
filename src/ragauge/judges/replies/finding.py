"""Find the JSON object, or the word, that is a judge's reply; it must be readable in one way."""

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, cast

from ragauge.judges.protocol import Schema
from ragauge.judges.replies.checking import (
    Array,
    Json,
    Object,
    ReplyError,
    Rules,
    check,
    on_menu,
    shown,
)

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
