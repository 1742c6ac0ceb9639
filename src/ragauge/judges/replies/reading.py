"""Strict reading of what a judge says: the one JSON object of a reply, or its one word.

What can be read in two ways is not read at all: a verdict that an answer forged, and that the judge
only quotes, must not pass for the judge's own.
"""

import json
import marshal
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple, cast

from ragauge.judges.as_json import PLAIN
from ragauge.judges.protocol import Schema

MAX_LENGTH = 1_000_000
MAX_DEPTH = 64
MAX_DIGITS = 100
MAX_VALUES = 1_000
"""So many pieces that look like JSON are gone through at most."""
N_LISTED = 5
"""Problems, and numbers within one problem, that a message lists."""
N_QUOTED = 80

# In prose [1] cites: an array of numbers or truth values counts only on lines of its own.
START = re.compile(
    r"""
    \{ (?= \s*+ (?: ["}] | \Z ) )
  | \[ (?= \s*+ ["{\[\]] )
  | ^\[ (?= [^\[\]{}"]*+ (?: \][ \t\r]*+$ | \Z ) )
    """,
    re.VERBOSE | re.MULTILINE,
)
CUT = re.compile(r"\s*(?:t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?|-|\.|[eE][+-]?)?")
"""All that is left after the last whole token of JSON that stops in the middle."""
HALF_ESCAPE = re.compile(r"u[0-9a-fA-F]{0,4}")
SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?", re.ASCII)
WORD_CHARACTER = re.compile(r"[^\W_]")
TAG = re.compile(r"<[^<>]*+>")
WORD_EDGES = " \"'`“”‘«»„‚*_.。"
MAX_WORD_LENGTH = 200
TRUTH = {"true": True, "false": False}
NUMBERS = (int, float)

Json = Any
"""A value that JSON has; not `object`, for casts are calls, and each value of each reply comes by."""
Rules = Mapping[str, Any]
"""A Schema."""
Object = dict[str, Json]
Array = list[Json]
Problems = list[str]


class ReplyError(Exception):
    """What is wrong with a reply, in words for the judge, who may mend it, and for people.

    `is_cut`: the reply stops in the middle, as when its delivery broke off.
    """

    def __init__(self, message: str, *, is_cut: bool = False) -> None:
        self.is_cut = is_cut
        super().__init__(message)


class _Found(NamedTuple):
    """A JSON object or array, and where it stands in the reply."""

    value: Object | Array
    start: int
    end: int


def read_json(text: str, schema: Schema) -> dict[str, object]:
    """The one JSON object of a reply, with what `check` returns of it.

    Prose and fences may stand around it, a closed <think> block before it. The reply may be a bare
    array where one property is required and is an array. ReplyError for two objects that differ, for
    other braces that could be a second or an outer object, for an object amid a sentence, and for
    duplicate keys, NaN, infinities, lone surrogates, more than 64 levels or a million characters.

    >>> schema = {"type": "object", "properties": {"score": {"type": "integer"}}}
    >>> read_json('Here it is: {"score": 4, "why": "…"}', schema)
    {'score': 4}
    """
    value = _sole_value(_spoken(text), schema)
    instead = _array_property(schema) if isinstance(value, list) else None
    return check({instead: value} if instead else value, schema)


def read_word(text: str, menu: Sequence[str]) -> str:
    """The word of the menu that the whole reply is, as the menu spells it; ReplyError otherwise.

    Case does not matter, nor white space, quotation marks, full stops and emphasis around it.

    >>> read_word("**Correct**.", ["CORRECT", "WRONG"])
    'CORRECT'
    """
    text = _spoken(text)
    word = cast(str | None, _on_menu(text, menu))
    if word is None:
        problem = f"must be one of {', '.join(menu)}, and nothing else"
        raise ReplyError(f"the reply {problem}, got {_shown(text)}")
    return word


def read_numbered(
    items: Sequence[Mapping[str, object]], key: str, n: int, place: str = "the reply"
) -> list[Mapping[str, object]]:
    """The items in the order of the whole numbers under `key`, which must be 1 to n, each once.

    ReplyError says which are missing, stand twice, or were not asked for.

    >>> read_numbered([{"claim": 2}, {"claim": 1}], "claim", 2, "verdicts")
    [{'claim': 1}, {'claim': 2}]
    """
    by_number = {cast(int, item[key]): item for item in items}
    asked = range(1, n + 1)
    if len(items) == n and all(number in by_number for number in asked):
        return [by_number[number] for number in asked]
    times = Counter(cast(int, item[key]) for item in items)
    faults = [
        _said_of([one for one in asked if one not in times], "missing"),
        _said_of([one for one in asked if times[one] > 1], "there more than once"),
        _said_of([one for one in times if one not in asked], "not asked for"),
    ]
    what = f"one entry for each {key} from 1 to {n}" if n else "no entry"
    raise ReplyError(f"{place} must have {what}; {', '.join(filter(None, faults))}")


def check(value: Json, schema: Schema, place: str = "") -> Json:
    """The value as the schema has it: known keys only, menus in their spelling, numbers as numbers.

    Knows type (also a list of types), properties, required, items, minItems, maxItems, enum,
    minimum, maximum and minLength (of the stripped text). Where a truth value is wanted, 1, 0,
    "true" and "false" will do; where a number is wanted, a text that is a plain decimal number. A
    property that is not required may be null, and is left out. ReplyError lists up to five problems
    with their places below `place`; ValueError for a schema without a type or enum.

    >>> check({"grade": "“pass”.", "more": 1}, {"type": "object", "properties": {"grade": {
    ...     "type": "string", "enum": ["PASS", "FAIL"]}}})
    {'grade': 'PASS'}
    """
    if _fits(schema)(value):
        return value
    problems: Problems = []
    fitted = _fitted(value, schema, place, problems)
    if problems:
        if len(problems) > N_LISTED:
            problems[N_LISTED:] = [f"and {len(problems) - N_LISTED:,} more"]
        raise ReplyError("; ".join(problems))
    return fitted


def _spoken(text: str) -> str:
    """The reply without a byte-order mark and what the model only thought."""
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
    """The object that the reply holds, or the array that stands for it."""
    found = _values(text)
    if _array_property(schema) is None:  # then ["a", "b"] beside an object is prose
        found = [one for one in found if _holds_object(one.value)] or found
    first = found[0]
    if any(other.value != first.value for other in found[1:]):
        raise ReplyError("the reply holds two different objects; it must hold one")
    if isinstance(first.value, list) and _array_property(schema) is None:
        raise ReplyError("the reply must be a JSON object, got an array")
    _check_prose(text, found, schema)
    return first.value


def _values(text: str) -> list[_Found]:
    """The objects and arrays that stand one after the other in the text: at least one."""
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
    """What stands directly in an object or array; an empty one holds a place too."""
    if not isinstance(value, dict | list):
        return ()
    inside = cast(Object, value).values() if isinstance(value, dict) else cast(Array, value)
    return inside or (None,)


def _too_deep() -> ReplyError:
    return ReplyError(f"the reply's JSON is nested deeper than {MAX_DEPTH} levels")


def _no_json(text: str, broken: json.JSONDecodeError | None) -> ReplyError:
    if broken is None:
        return ReplyError(f"the reply holds no JSON object; it begins {_shown(text)}")
    where = f"at character {broken.pos + 1}, {_shown(text[broken.pos : broken.pos + 30])}"
    return ReplyError(f"the reply is not valid JSON: {broken.msg} {where}")


def _holds_object(value: Json) -> bool:
    return isinstance(value, dict) or any(isinstance(item, dict | list) for item in value)


def _array_property(schema: Rules) -> str | None:
    """The property for which a bare array may stand: the only required one, if it is an array."""
    required: Sequence[str] = schema.get("required", ())
    known: Mapping[str, Rules] = schema.get("properties", {})
    if len(required) != 1 or known.get(required[0], {}).get("type") != "array":
        return None
    return required[0]


def _check_prose(text: str, found: Sequence[_Found], schema: Rules) -> None:
    """That nothing around the object looks like an outer object or another one that is broken."""
    if len(found) == 1 and found[0].start == 0 and found[0].end == len(text):
        return
    before, after = text[: found[0].start], text[found[-1].end :]
    is_in_brackets = _excess("[", "]", before) > 0 > _excess("[", "]", after)
    if _excess("{", "}", before) > 0 or _excess("{", "}", after) < 0 or is_in_brackets:
        raise ReplyError("the reply's JSON object stands within braces or brackets, not by itself")
    between = [text[left.end : right.start] for left, right in pairwise(found)]
    prose = " ".join((before, *between, after))
    if prose and all(_is_in_sentence(text, one) for one in found):
        raise ReplyError("the reply's JSON object stands in the middle of a sentence, like a quote")
    if "{" not in prose:
        return
    keys: tuple[str, ...] = tuple(schema.get("properties", ()))
    if keys and (named := _naming(keys).search(prose, prose.index("{"))):
        problem = f"something else in braces that gives {named[1]!r}, and is not JSON"
        raise ReplyError(f"beside its JSON object the reply holds {problem}")


def _is_in_sentence(text: str, found: _Found) -> bool:
    """Whether there are words before and after it on its lines, not counting <tags>."""
    before = text[text.rfind("\n", 0, found.start) + 1 : found.start]
    after = text[found.end :].partition("\n")[0]
    return all(WORD_CHARACTER.search(TAG.sub("", words)) for words in (before, after))


def _excess(opening: str, closing: str, prose: str) -> int:
    return prose.count(opening) - prose.count(closing)


@lru_cache(maxsize=256)
def _naming(keys: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern for what gives one of these keys a value, in quotation marks or without."""
    marks = r"[\\\"'`“”‘’]*+"
    return re.compile(rf"[{{,]\s*+{marks}({'|'.join(map(re.escape, keys))}){marks}\s*+:")


# What fits as it is: nearly every reply, and in a tenth of the time.

Fits = Callable[[Json], bool]


def _fits(schema: Rules) -> Fits:
    """Whether a value is to the letter what the schema wants, so that it would come out as it is."""
    try:
        return _fits_packed(marshal.dumps(cast(Object, schema), PLAIN))
    except (ValueError, TypeError):  # holds what is not of JSON's own types
        return _never


@lru_cache(maxsize=256)
def _fits_packed(schema: bytes) -> Fits:
    own = marshal.loads(schema)
    json.dumps(own)  # numpy's numbers have come to be bytes
    return _fits_one(own)


def _fits_one(schema: Rules) -> Fits:
    rule = _rule(schema)
    if rule is None:
        return _never
    kind, inner_fits = rule
    return lambda value: type(value) is kind and (inner_fits is None or inner_fits(value))


def _rule(schema: Rules) -> tuple[type, Fits | None] | None:
    """The type that a value must have and what else; None where that is not told here."""
    wanted, menu = schema.get("type"), schema.get("enum")
    if wanted == "object" and "properties" in schema:
        return _object_rule(schema["properties"], schema.get("required", ()))
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


def _object_rule(
    properties: Mapping[str, Rules], required: Sequence[str]
) -> tuple[type, Fits | None] | None:
    rules = {name: _rule(one) for name, one in properties.items()}
    kinds = [one[0] for one in rules.values() if one is not None]
    inner = [(name, one[1]) for name, one in rules.items() if one is not None and one[1]]
    names = list(properties)
    if len(kinds) < len(names) or not set(required) <= set(names):
        return None

    def fits(value: Object) -> bool:
        if list(value) != names or list(map(type, value.values())) != kinds:
            return False
        return all(inner_fits(value[name]) for name, inner_fits in inner)

    return dict, fits


def _never(_: Json) -> bool:
    return False


def _fitted(value: Json, schema: Rules, place: str, problems: Problems) -> Json:
    """The value as the schema has it; what is wrong with it is added to the problems."""
    wanted: str | list[str] | None = schema.get("type")
    if isinstance(wanted, str) and wanted in _FITS:
        return _FITS[wanted](value, schema, place, problems)
    if isinstance(wanted, list):
        return _fitted_any(value, wanted, schema, place, problems)
    if wanted is None and "enum" in schema:
        return _chosen(value, schema, place, problems)
    raise ValueError(f"{_named(place)} cannot be checked for the type {wanted!r}")


def _fitted_any(
    value: Json, kinds: Sequence[str], schema: Rules, place: str, problems: Problems
) -> Json:
    """The value as the first of the types that it fits."""
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
        if name in given and (given[name] is not None or name in required or _takes_null(rules))
    }


def _takes_null(rules: Rules) -> bool:
    wanted = rules.get("type")
    return wanted == "null" or (isinstance(wanted, list) and "null" in wanted)


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


def _string(value: Json, schema: Rules, place: str, problems: Problems) -> Json:
    if "enum" in schema:
        return _chosen(value, schema, place, problems)
    if not isinstance(value, str):
        return _wrong(value, "a text", place, problems)
    least = schema.get("minLength", 0)
    if least and len(value.strip()) < least:
        wanted = "a text that is not blank" if least == 1 else f"a text of {least} or more signs"
        return _wrong(value, wanted, place, problems)
    return value


def _chosen(value: Json, schema: Rules, place: str, problems: Problems) -> Json:
    menu: Sequence[Json] = schema["enum"]
    choice = _on_menu(value, menu)
    if choice is None:
        return _wrong(value, f"one of {', '.join(map(_shown, menu))}", place, problems)
    return choice


def _boolean(value: Json, schema: Rules, place: str, problems: Problems) -> Json:
    if value is True or value is False:
        return value
    if isinstance(value, str) and value in TRUTH:
        return TRUTH[value]
    if isinstance(value, NUMBERS) and value in (0, 1):
        return bool(value)
    return _wrong(value, "true or false", place, problems)


def _null(value: Json, schema: Rules, place: str, problems: Problems) -> Json:
    return value if value is None else _wrong(value, "null", place, problems)


def _number(value: Json, schema: Rules, place: str, problems: Problems) -> Json:
    number = _as_number(value)
    if number is None:
        return _wrong(value, "a number", place, problems)
    return _within(number, value, schema, place, problems)


def _integer(value: Json, schema: Rules, place: str, problems: Problems) -> Json:
    number = value if type(value) is int else _as_number(value)
    if number is None or number % 1:
        return _wrong(value, "a whole number", place, problems)
    return _within(int(number), value, schema, place, problems)


def _as_number(value: Json) -> int | float | None:
    """A number, or the number that a text is and nothing else; truth values are none."""
    if isinstance(value, str) and DECIMAL.fullmatch(value):
        return float(value) if "." in value else int(value)
    if isinstance(value, bool) or not isinstance(value, NUMBERS):
        return None
    return value if math.isfinite(value) else None


def _within(
    number: int | float, value: Json, schema: Rules, place: str, problems: Problems
) -> Json:
    least, most = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
    if not least <= number <= most:
        return _wrong(value, _range(least, most), place, problems)
    menu: Sequence[Json] | None = schema.get("enum")
    if menu is not None and number not in menu:
        return _wrong(value, f"one of {', '.join(map(_shown, menu))}", place, problems)
    return number


Fit = Callable[[Json, Rules, str, Problems], Json]
_FITS: Mapping[str, Fit] = {
    "object": _object,
    "array": _array,
    "string": _string,
    "boolean": _boolean,
    "null": _null,
    "number": _number,
    "integer": _integer,
}


def _on_menu(value: Json, menu: Sequence[object]) -> object | None:
    """The entry of the menu that is meant; None when none is, or more than one."""
    exact = [
        one for one in menu if one == value and isinstance(one, bool) == isinstance(value, bool)
    ]
    if exact:
        return exact[0]
    if not isinstance(value, str) or len(value) > MAX_WORD_LENGTH:
        return None
    word = _word(value)
    meant = [entry for entry in menu if isinstance(entry, str) and _word(entry) == word]
    return meant[0] if len(meant) == 1 else None


def _word(text: str) -> str:
    """The words of a text without what may stand around them."""
    return " ".join(text.replace("’", "'").split()).strip(WORD_EDGES).casefold()


def _wrong(value: Json, wanted: str, place: str, problems: Problems) -> Json:
    problems.append(f"{_named(place)} must be {wanted}, got {_shown(value)}")
    return value


def _named(place: str) -> str:
    return place or "the reply"


def _range(least: float, most: float) -> str:
    if most == math.inf:
        return f"{least} or more"
    if least == -math.inf:
        return f"{most} or less"
    return f"{least}" if least == most else f"{least} to {most}"


def _said_of(numbers: Sequence[int], fault: str) -> str:
    """As in: 2, 5 and 7 are missing."""
    shown = [str(number) for number in numbers[:N_LISTED]]
    if len(numbers) > N_LISTED:
        shown.append(f"{len(numbers) - N_LISTED} more")
    listed = " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))
    return listed and f"{listed} {'is' if len(numbers) == 1 else 'are'} {fault}"


def _shown(value: Json) -> str:
    """A value for a message: the beginning of a text, the kind of an object or array."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"an array of {len(cast(Array, value))}"
    if isinstance(value, str) and len(value) > N_QUOTED:
        value = f"{value[:N_QUOTED]}…"
    return json.dumps(value, ensure_ascii=False).encode(errors="backslashreplace").decode()


def _no_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    table = dict(pairs)
    if len(table) < len(pairs):
        twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise ReplyError(f"the key {_shown(twice)} stands twice in one object")
    return table


def _finite(digits: str) -> float:
    number = float(digits) if len(digits) <= MAX_DIGITS else math.inf
    if not math.isfinite(number):
        raise ReplyError(f"{_shown(digits)} is too large or long for a number")
    return number


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ReplyError(f"{_shown(digits)} is too large or long for a number")
    return int(digits)


def _no_constant(word: str) -> Json:
    raise ReplyError(f"{word} is not a number in JSON")


# Not strict: a line break within a text harms nobody.
_JSON = json.JSONDecoder(
    strict=False,
    parse_constant=_no_constant,
    parse_float=_finite,
    parse_int=_whole,
    object_pairs_hook=_no_duplicates,
)
