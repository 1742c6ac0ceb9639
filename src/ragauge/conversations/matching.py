"""Compare calls and states exactly: values by type and schema, calls one to one, sequences by their edits."""

import json
import math
import unicodedata
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from typing import Any, cast

from ragauge.conversations.tool_calls import Call, is_object, list_of, mapping_of

Schema = Mapping[str, object]
SCHEMA_KEYS = ("parameters", "input_schema", "inputSchema", "args_schema", "schema")
_TOOL_KEYS, _TOOL_LISTS = (
    ("function", "toolSpec"),
    ("functionDeclarations", "function_declarations"),
)
OMITTED = ""  # among the allowed values of an argument: it may be left out (in BFCL)


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two values differ; `expected` or `found` is None with `missing` or `extra` set."""

    path: str
    expected: object = None
    found: object = None
    kind: str = "differs"

    def as_data(self) -> dict[str, object]:
        """The difference as JSON data, for evidence."""
        data: dict[str, object] = {"path": self.path, "kind": self.kind}
        if self.kind != "extra":
            data["expected"] = self.expected
        if self.kind != "missing":
            data["found"] = self.found
        return data


@dataclass(frozen=True, slots=True)
class ValueRules:
    """How values are compared.

    `rtol`, `atol`: tolerances of numbers. `ignore`: patterns of paths that do not count (`orders.*.updated_at`).
    `alternatives`: a list where the found value is none lists allowed values, the empty text among them if it may be left out.
    """

    rtol: float = 0.0
    atol: float = 0.0
    ignore: tuple[str, ...] = ()
    alternatives: bool = False

    def differences(
        self, expected: object, found: object, schema: Schema | None = None, path: str = ""
    ) -> list[Difference]:
        """Where `found` is not the expected value; empty if it is.

        Numbers by value (1 = 1.0, and true is not 1), text in NFC, objects without order, lists in order unless
        the schema says that they are sets. What is left out has the default of the schema.

        >>> ValueRules().differences({"a": 1, "b": [2]}, {"a": 1.0, "b": [3]})[0].path
        'b.0'
        """
        if self._is_ignored(path):
            return []
        if is_object(expected) and is_object(found):
            return self._objects(mapping_of(expected), mapping_of(found), schema or {}, path)
        wanted, given = list_of(expected), list_of(found)
        if wanted is None:
            return [] if self._equal(expected, found) else [Difference(path, expected, found)]
        kind = (schema or {}).get("type") if self.alternatives else None
        # A list that the argument would not be is one of choices.
        kind = kind.lower() if isinstance(kind, str) else None
        is_choice = kind not in (None, "array", "tuple", "any")
        differ = [Difference(path, expected, found)]
        if given is not None and not is_choice:
            differ = self._lists(wanted, given, schema or {}, path)
        if not differ or not self.alternatives or (given is None and kind == "array"):
            return differ
        allowed = (value for value in wanted if (list_of(value) is None) == (given is None))
        equal = any(not self.differences(value, found, schema, path) for value in allowed)
        return [] if equal else differ

    def _is_ignored(self, path: str) -> bool:
        return any(fnmatchcase(path, pattern) for pattern in self.ignore)

    def _objects(
        self, expected: Schema, found: Schema, schema: Schema, path: str
    ) -> list[Difference]:
        differ: list[Difference] = []
        properties = mapping_of(schema.get("properties"))
        for name in {**expected, **found}:
            inner, at = mapping_of(properties.get(name)), _at(path, name)
            wanted, given = expected.get(name), found.get(name)
            if name in expected and name in found:
                differ += self.differences(wanted, given, inner, at)
                continue
            default = inner.get("default")
            pair = (wanted, default) if name in expected else (default, given)
            has_default = "default" in inner and not self.differences(*pair, inner, at)
            if has_default or self._is_ignored(at):
                continue
            if name in found:
                differ.append(Difference(at, None, given, "extra"))
            elif not (self.alternatives and OMITTED in (list_of(wanted) or ())):
                differ.append(Difference(at, wanted, None, "missing"))
        return differ

    def _lists(
        self, expected: list[object], found: list[object], schema: Schema, path: str
    ) -> list[Difference]:
        items = mapping_of(schema.get("items"))
        differ: list[Difference] = []
        if schema.get("uniqueItems") is True:
            equal = [
                [at for at, value in enumerate(found) if not self.differences(wanted, value, items)]
                for wanted in expected
            ]
            pairs = matched_pairs(len(equal), equal.__getitem__)
        else:
            pairs = {at: at for at in range(min(len(expected), len(found)))}
            for at in pairs:
                differ += self.differences(expected[at], found[at], items, _at(path, at))
        missing = sorted(set(range(len(expected))) - pairs.keys())
        extra = sorted(set(range(len(found))) - set(pairs.values()))
        differ += [Difference(_at(path, at), expected[at], None, "missing") for at in missing]
        differ += [Difference(_at(path, at), None, found[at], "extra") for at in extra]
        return [each for each in differ if not self._is_ignored(each.path)]

    def _equal(self, expected: object, found: object) -> bool:
        if isinstance(expected, bool) or isinstance(found, bool):
            return expected is found
        if isinstance(expected, int | float) and isinstance(found, int | float):
            if expected == found or not (self.rtol or self.atol):
                return expected == found
            return math.isclose(expected, found, rel_tol=self.rtol, abs_tol=self.atol)
        if isinstance(expected, str) and isinstance(found, str):
            return expected == found or _nfc(expected) == _nfc(found)
        return expected is None and found is None

    def call_differences(self, expected: Call, made: Call, tool: Schema | None) -> list[Difference]:
        """Where a call is not the expected one: its name, then its arguments."""
        if _nfc(expected.name) != _nfc(made.name):
            return [Difference("name", expected.name, made.name)]
        if made.arguments is None or made.invalid:
            return [Difference("arguments", expected.arguments, made.invalid, "invalid")]
        if expected.arguments is None:
            return []
        return self.differences(expected.arguments, made.arguments, tool)

    def match(
        self, expected: Sequence[Call], made: Sequence[Call], tools: Mapping[str, Schema]
    ) -> dict[int, int]:
        """The largest one-to-one pairing of expected calls with equal calls that were made, by position."""
        positions: dict[str, deque[int]] = {}
        by_name: dict[str, list[int]] = {}
        for at, call in enumerate(made):
            positions.setdefault(call.key, deque()).append(at)
            by_name.setdefault(_nfc(call.name), []).append(at)

        def equal(place: int) -> list[int]:
            call = expected[place]
            near, tool = by_name.get(_nfc(call.name), ()), tools.get(call.name)
            return [at for at in near if not self.call_differences(call, made[at], tool)]

        # Calls that are literally equal first: the others look through all calls of their name.
        pairs: dict[int, int] = {}
        for place, call in enumerate(expected):
            same = positions.get(call.key)
            if same and not self.call_differences(call, made[same[0]], tools.get(call.name)):
                pairs[place] = same.popleft()
        return matched_pairs(len(expected), equal, pairs)


def matched_pairs(
    n: int, equal: Callable[[int], Sequence[int]], known: Mapping[int, int] | None = None
) -> dict[int, int]:
    """A largest matching: for each of `n` left nodes with `equal` right nodes that gets one, its right node (Kuhn 1955)."""
    equal = cache(equal)
    pairs = dict(known or {})
    owner = {right: left for left, right in pairs.items()}
    for start in range(n):
        if start in pairs:
            continue
        came: dict[int, int] = {}
        waiting = deque([start])
        while waiting:
            left = waiting.popleft()
            new = [right for right in equal(left) if right not in came]
            came.update(dict.fromkeys(new, left))
            free = next((right for right in new if right not in owner), None)
            if free is None:
                waiting.extend(owner[right] for right in new)
                continue
            right: int | None = free
            while right is not None:
                left = came[right]
                owner[right] = left
                right, pairs[left] = pairs.get(left), right
            break
    return dict(sorted(pairs.items()))


def tool_schemas(tools: object) -> dict[str, Schema]:
    """By tool name, the JSON schema of its arguments; the spellings of OpenAI, Anthropic, Gemini, Bedrock, MCP and plain ones, or schemas by name.

    A tool of OpenAI's own has its type as name, and no schema.
    """
    found: dict[str, Schema] = {}
    given = mapping_of(tools)
    listed = (
        [tools] if {"name", *_TOOL_KEYS, *_TOOL_LISTS} & {*given} else given.get("tools", tools)
    )
    by_name = [{"schema": each, **mapping_of(each), "name": name} for name, each in given.items()]
    for each in list_of(listed) or by_name:
        values = mapping_of(each)
        for key in _TOOL_LISTS:
            found |= tool_schemas(list_of(values.get(key)) or [])
        values = next(
            (inner for key in _TOOL_KEYS if (inner := mapping_of(values.get(key)))), values
        )
        schemas = [mapping_of(values[key]) for key in SCHEMA_KEYS if key in values]
        name = values.get("name", str(values.get("type", "")).removesuffix("_preview"))
        if isinstance(name, str) and name:
            found[name] = mapping_of(schemas[0].get("json")) or schemas[0] if schemas else {}
    return found


def schema_problem(arguments: object, schema: Schema) -> str | None:
    """What in the arguments breaks the tool's JSON schema; empty if nothing does, None if the schema cannot be used.

    References are followed inside the schema only: nothing is read from a file or the network.
    """
    from jsonschema import SchemaError, exceptions
    from referencing.exceptions import Unresolvable

    try:
        errors = _validator(json.dumps(schema)).iter_errors(arguments)
        error = cast("Any", exceptions).best_match(errors)
    except (SchemaError, Unresolvable, RecursionError):
        return None
    path = error.json_path.removeprefix("$").removeprefix(".") if error else ""
    return f"{path}: {error.message:.200}".removeprefix(": ") if error else ""


@lru_cache(maxsize=256)
def _validator(schema_text: str) -> Any:  # takes a millisecond, and calls share their tools
    from jsonschema import Draft202012Validator, validators
    from referencing import Registry

    schema = mapping_of(_json_types(json.loads(schema_text)))
    kind = cast("Any", validators.validator_for(schema, default=Draft202012Validator))
    kind.check_schema(schema)
    kind = cast("Any", validators).extend(kind, {"pattern": _pattern_problems})
    registry: Any = cast("Any", Registry)()  # holds nothing and retrieves nothing
    return kind(schema, registry=registry)


def _pattern_problems(_: object, pattern: str, value: object, __: object) -> Iterator[Exception]:
    """Searches in linear time, whatever the pattern; one that needs more, as with a lookahead, says nothing."""
    import polars as pl
    from jsonschema import ValidationError

    if not isinstance(value, str):
        return
    try:
        is_found = bool(pl.Series([value]).str.contains(pattern).item())
    except pl.exceptions.ComputeError:
        return
    if not is_found:
        yield cast("Any", ValidationError)(f"{value!r:.60} does not match {pattern!r:.60}")


JSON_TYPES = ("object", "array", "string", "number", "boolean", "null")
TYPES = {  # of BFCL, and of Gemini in capitals
    "dict": "object", "float": "number", "tuple": "array", "any": [*JSON_TYPES],
    **{name.upper(): name for name in (*JSON_TYPES, "integer")},
}  # fmt: skip


def _json_types(value: object) -> object:
    if (items := list_of(value)) is not None:
        return [_json_types(item) for item in items]
    values = {name: _json_types(item) for name, item in mapping_of(value).items()}
    if not str(values.get("$ref", "#")).startswith("#"):
        del values["$ref"]  # outside the schema: it says nothing
    kind = values.get("type")
    if isinstance(kind, str) and kind in TYPES:
        values["type"] = TYPES[kind]
    return values if is_object(value) else value


def _at(path: str, place: object) -> str:
    return f"{path}.{place}" if path else str(place)


def _nfc(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def edit_distance(
    expected: Sequence[Call],
    made: Sequence[Call],
    rules: ValueRules,
    tools: Mapping[str, Schema],
) -> int:
    """How many calls must be inserted, removed or changed to turn one sequence into the other (Levenshtein 1966)."""
    before = list(range(len(made) + 1))
    for at, wanted in enumerate(expected, 1):
        row = [at]
        for place, call in enumerate(made, 1):
            differs = bool(rules.call_differences(wanted, call, tools.get(wanted.name)))
            row.append(min(before[place] + 1, row[-1] + 1, before[place - 1] + differs))
        before = row
    return before[-1]
