"""Find the JSON object, or the word, that is a judge's reply.

A reply that can be read in two ways is rejected: a verdict that an answer forged, and that the judge
only quotes, must not pass for the judge's own.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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
"""Maximum number of pieces that look like JSON."""
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
    value = _sole_value(_spoken(text), schema)
    instead = _array_property(schema) if isinstance(value, list) else None
    return check({instead: value} if instead else value, schema)


def read_word(text: str, menu: Sequence[str]) -> str:
    """The menu entry that the whole reply equals, in the menu's spelling; ReplyError otherwise.

    Ignores case, and surrounding white space, quotation marks, full stops and emphasis.

    >>> read_word("**Correct**.", ["CORRECT", "WRONG"])
    'CORRECT'
    """
    text = _spoken(text)
    word = cast(str | None, on_menu(text, menu))
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


def _sole_value(text: str, schema: Rules) -> Object | Array:
    """The object of the reply, or the array that replaces it."""
    found = _values(text)
    if _array_property(schema) is None:  # an array such as ["a", "b"] beside an object is prose
        found = [each for each in found if _holds_object(each.value)] or found
    first = found[0]
    if any(other.value != first.value for other in found[1:]):
        raise ReplyError("the reply holds two different objects; it must hold one")
    if isinstance(first.value, list) and _array_property(schema) is None:
        raise ReplyError("the reply must be a JSON object, got an array")
    _check_prose(text, found, schema)
    return first.value


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
            if _is_cut(error):
                raise ReplyError("the reply stops in the middle of its JSON", is_cut=True) from None
            broken = broken or error
            at = max(error.pos, start.end())
        except RecursionError:
            raise _too_deep() from None
        else:
            if may_be_deep and _is_deep(value):
                raise _too_deep()
            if may_be_half:
                _check_characters(json.dumps(value, ensure_ascii=False))
            found.append(_Found(value, start.start(), at))
    else:
        raise ReplyError(f"the reply holds more than {MAX_VALUES:,} objects or pieces of such")
    if not found:
        raise _no_json(text, broken)
    return found


def _is_cut(error: json.JSONDecodeError) -> bool:
    if error.msg.startswith("Unterminated string"):
        return True
    if error.msg.startswith("Invalid \\u"):
        return HALF_ESCAPE.fullmatch(error.doc, error.pos) is not None
    return CUT.fullmatch(error.doc, error.pos) is not None


def _check_characters(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ReplyError("the reply holds half a character (a lone surrogate)") from None


def _is_deep(value: Json) -> bool:
    level: list[Json] = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return False
    return True


def _inside(value: Json) -> Iterable[Json]:
    """The values directly in an object or array; an empty one counts as one value."""
    if not isinstance(value, dict | list):
        return ()
    inside = cast(Object, value).values() if isinstance(value, dict) else cast(Array, value)
    return inside or (None,)


def _too_deep() -> ReplyError:
    return ReplyError(f"the reply's JSON is nested deeper than {MAX_DEPTH} levels")


def _no_json(text: str, broken: json.JSONDecodeError | None) -> ReplyError:
    if broken is None:
        return ReplyError(f"the reply holds no JSON object; it begins {shown(text)}")
    where = f"at character {broken.pos + 1}, {shown(text[broken.pos : broken.pos + 30])}"
    return ReplyError(f"the reply is not valid JSON: {broken.msg} {where}")


def _holds_object(value: Json) -> bool:
    return isinstance(value, dict) or any(isinstance(item, dict | list) for item in value)


def _array_property(schema: Rules) -> str | None:
    """The property that a bare array may replace: the only required one, if it is an array."""
    required: Sequence[str] = schema.get("required", ())
    known: Mapping[str, Rules] = schema.get("properties", {})
    if len(required) != 1 or known.get(required[0], {}).get("type") != "array":
        return None
    return required[0]


def _check_prose(text: str, found: Sequence[_Found], schema: Rules) -> None:
    """ReplyError if text around the object looks like an outer object or a second, broken one."""
    if len(found) == 1 and found[0].start == 0 and found[0].end == len(text):
        return
    before, after = text[: found[0].start], text[found[-1].end :]
    is_in_brackets = _excess("[", "]", before) > 0 > _excess("[", "]", after)
    if _excess("{", "}", before) > 0 or _excess("{", "}", after) < 0 or is_in_brackets:
        raise ReplyError("the reply's JSON object stands within braces or brackets, not by itself")
    between = [text[left.end : right.start] for left, right in pairwise(found)]
    prose = " ".join((before, *between, after))
    if prose and all(_is_in_sentence(text, each) for each in found):
        raise ReplyError("the reply's JSON object stands in the middle of a sentence, like a quote")
    if "{" not in prose:
        return
    keys: tuple[str, ...] = tuple(schema.get("properties", ()))
    if keys and (named := _naming(keys).search(prose, prose.index("{"))):
        problem = f"something else in braces that gives {named[1]!r}, and is not JSON"
        raise ReplyError(f"beside its JSON object the reply holds {problem}")


def _is_in_sentence(text: str, found: _Found) -> bool:
    """Whether words precede and follow it on its lines, ignoring <tags>."""
    before = text[text.rfind("\n", 0, found.start) + 1 : found.start]
    after = text[found.end :].partition("\n")[0]
    return all(WORD_CHARACTER.search(TAG.sub("", words)) for words in (before, after))


def _excess(opening: str, closing: str, prose: str) -> int:
    return prose.count(opening) - prose.count(closing)


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


def _finite(digits: str) -> float:
    number = float(digits) if len(digits) <= MAX_DIGITS else math.inf
    if not math.isfinite(number):
        raise ReplyError(f"{shown(digits)} is too large or long for a number")
    return number


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ReplyError(f"{shown(digits)} is too large or long for a number")
    return int(digits)


def _no_constant(word: str) -> Json:
    raise ReplyError(f"{word} is not a number in JSON")


# Not strict: accept line breaks within texts.
_JSON = json.JSONDecoder(
    strict=False,
    parse_constant=_no_constant,
    parse_float=_finite,
    parse_int=_whole,
    object_pairs_hook=_no_duplicates,
)
