"""A tool call in any chat API's spelling, its result, and the lists of calls that are right."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from math import isfinite
from typing import cast

_ARGUMENT_KEYS = (
    "arguments", "args", "input", "input_parameters", "inputParameters", "kwargs", "parameters",
)  # fmt: skip
MAX_DEPTH = 100
_ERROR = re.compile(  # how a result begins that says that the tool failed
    r"(?i)\s*(?:(?:\w+\.)*\w*(?:error|exception)\s*(?::|\Z)|traceback \(most recent call)"
)


def mapping_of(value: object) -> Mapping[str, object]:
    """The value if it is an object with names, else an empty one."""
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


def is_object(value: object) -> bool:
    """Whether the value is an object with names."""
    return isinstance(value, Mapping)


def list_of(value: object) -> list[object] | None:
    """The value if it is a list."""
    return cast("list[object]", value) if isinstance(value, list) else None


class TranscriptError(ValueError):
    """A transcript that cannot be read; the message says which of its messages, and why."""


@dataclass(slots=True)
class Call:
    """A tool call: `arguments` is None where they are no JSON object, and `invalid` says why."""

    name: str
    arguments: dict[str, object] | None
    invalid: str = ""
    id: str = ""
    result: str | None = None
    is_error: bool = False  # whether the tool said that it failed

    @property
    def key(self) -> str:
        """Equal for calls with the same name and the same arguments."""
        values = [self.name, self.arguments, self.invalid]
        return json.dumps(values, sort_keys=True, default=str)

    def as_data(self) -> dict[str, object]:
        """The call as JSON data, for evidence."""
        data: dict[str, object] = {"name": self.name, "arguments": self.arguments}
        return data | ({"invalid": self.invalid} if self.invalid else {})


def text_of(value: object) -> str:
    """A text as it is, None as an empty one, anything else as its JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)


def says_error(text: str) -> bool:
    """Whether a tool's result says that the tool failed."""
    if not text.startswith("{") or '"error' not in text[:2000] or _ERROR.match(text):
        return _ERROR.match(text) is not None
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return any(bool(values.get(key)) for key in ("error", "errors", "error_code"))


def call_of(value: object) -> Call:
    """A call in any tool's spelling; arguments that are no JSON object make it invalid."""
    values = mapping_of(value)
    named = mapping_of(values.get("function")) or values
    ids = ("call_id", "id", "tool_call_id", "toolUseId", "toolCallId")
    id = next((str(values[key]) for key in ids if values.get(key)), "")
    names = ("name", "toolName", "tool_name", "function")
    name = next((named[key] for key in names if named.get(key)), None)
    given = next((named[key] for key in _ARGUMENT_KEYS if named.get(key) is not None), None)
    arguments, invalid = read_arguments(given)
    if not isinstance(name, str) or not name:
        name, invalid = str(name or ""), "the call names no tool"
    call = Call(name, arguments, invalid, id)
    kept = ("output", "result", "errorText")  # deepeval and Vercel keep the result with the call
    if (
        output := next((values[key] for key in kept if values.get(key) is not None), None)
    ) is not None:
        call.result = text_of(output)
        call.is_error = says_error(call.result) or bool(values.get("errorText"))
    return call


def finite_json(text: str) -> object:
    """The value of a JSON text; ValueError also for NaN, Infinity and numbers too large for a float, as 1e999."""

    def number(digits: str) -> float:
        if not isfinite(value := float(digits)):
            raise ValueError(f"{digits:.20} is no finite number")
        return value

    return json.loads(text, parse_constant=number, parse_float=number)


def read_arguments(given: object) -> tuple[dict[str, object] | None, str]:
    """The arguments of a call as an object, and what is wrong with them; no arguments are an empty object."""
    if given is None or given == "":
        return {}, ""

    try:
        text = given if isinstance(given, str) else json.dumps(given, allow_nan=False)
        # Brackets in strings are counted too: at most a little too much.
        steps = (1 if bracket in "[{" else -1 for bracket in re.findall(r"[\[\]{}]", text))
        is_deep = text.count("[") + text.count("{") > MAX_DEPTH
        if is_deep and max(accumulate(steps)) > MAX_DEPTH:
            return None, f"the arguments are nested more than {MAX_DEPTH} deep"
        value = finite_json(text)
    except (ValueError, TypeError, RecursionError) as error:
        return None, f"the arguments are no JSON: {error!s:.120}"
    if not isinstance(value, dict):
        return None, f"the arguments are no JSON object: {text:.60}"
    return cast("dict[str, object]", value), ""


def n_turns_listed(expected: object) -> int | None:
    """The number of turns that expected calls are given for; None if none are given."""
    items = list_of(expected)
    return (1 if all(map(is_object, items)) else len(items)) if items else None


def read_expected(expected: object, n_turns: int) -> "list[list[list[Call]] | None]":
    """By turn, the lists of calls that are right; None for a turn of which nothing is said.

    `expected` is a list of calls for the only turn, or a list over the turns: each null, a list of calls, or a list of
    such lists where several are right. Calls that are not in lists are those of the whole conversation, as its only
    entry. A call is `{"name", "arguments"}`, or as BFCL writes it `{name: {argument:
    allowed values}}`; without arguments only its name counts.
    """
    if not isinstance(expected, list):
        raise TranscriptError("expected_calls must be a list of calls, or a list over the turns")
    items = cast("list[object]", expected)
    if all(map(is_object, items)):
        is_of_all = bool(items) or n_turns <= 1
        return [[_expected_list(items)]] if is_of_all else [[[]] for _ in range(n_turns)]
    if n_turns == 1 != len(items) and all(isinstance(item, list) for item in items):
        return [[_expected_list(item) for item in items]]
    if len(items) != n_turns:
        raise TranscriptError(f"expected_calls has {len(items)} turns, the conversation {n_turns}")
    turns: list[list[list[Call]] | None] = []
    for number, item in enumerate(items, 1):
        calls = list_of(item)
        if calls is None and item is not None:
            problem = f"expected_calls of turn {number} must be a list of calls or null"
            raise TranscriptError(problem)
        is_choice = bool(calls) and all(isinstance(each, list) for each in calls or ())
        choices = (calls if is_choice else [calls]) or ()
        turns.append(None if calls is None else [_expected_list(each) for each in choices])
    return turns


def _expected_list(calls: object) -> list[Call]:
    expected: list[Call] = []
    for number, given in enumerate(list_of(calls) or (), 1):
        if not is_object(given):
            raise TranscriptError(f"expected call {number} must be an object with a name")
        values = mapping_of(given)
        if len(values) == 1 and not {"name", "function", *_ARGUMENT_KEYS} & values.keys():
            ((name, allowed),) = values.items()
            values = {"name": name, "arguments": allowed}
        call = call_of(values)
        if call.invalid:
            raise TranscriptError(f"expected call {number}: {call.invalid}")
        named = mapping_of(values.get("function")) or values
        if not any(key in named for key in _ARGUMENT_KEYS):
            call.arguments = None
        expected.append(call)
    return expected
