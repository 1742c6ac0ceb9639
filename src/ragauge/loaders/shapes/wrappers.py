"""Unpack the objects in which tools keep what was asked, answered and expected.

LangSmith writes inputs, outputs and reference_outputs, Braintrust input, output and expected, promptfoo
vars, lm-evaluation-harness doc, DSPy example and prediction, OpenAI's evals datasource_item and sample; Azure writes the same with dots: inputs.query.
Weave nests them: inputs.example and output.output.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, cast

from ragauge.loaders.mapping import ALIASES, ALIASES_IN_GOLD, WHOLE_PROMPT, folded
from ragauge.loaders.messages import text_of
from ragauge.loaders.table import Table, listed
from ragauge.samples.samples import Row

Role = Literal["question", "answer", "references"]

_NAMES: Mapping[Role, str] = {
    "question": "inputs input request vars doc query example source_info datasource_item "
    "dataset_item dataset_item_data",
    "answer": "outputs output response prediction predictions generation result sample "
    "task_output evaluation_task_output",
    "references": "reference_outputs reference_output expected expected_output expected_outputs "
    "expectations reference ground_truth ground_truths target",
}
WRAPPERS: Mapping[str, Role] = {
    name: role for role, names in _NAMES.items() for name in names.split()
}
"""Columns that may hold an object, and the field that its only text is."""
GOLD_HOLDERS = frozenset(
    {"vars", "doc", "example", "datasource_item", "dataset_item", "dataset_item_data"}
)
"""Wrappers of a test case: an answer in them is the expected one."""
SAID = frozenset(
    {"answer", "output", "result", "text", "content", "response", "value", "generation"}
)
RETRIEVED = frozenset({"documents", "docs", "sources", "source_documents", "retrieval_result"})
SEPARATORS = "./"
MAX_DEPTH = 3
"""Most wrappers inside each other that are unpacked."""
MAX_OBJECT_TEXT = 10_000_000
"""Longest text that is read as an object, in characters."""


@dataclass(frozen=True, slots=True)
class _Wrapper:
    column: str
    role: Role
    aliases: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Part:
    """A value of an object, the wrapper it was in, and its field if it has one."""

    key: str
    wrapper: str
    value: object
    field: str | None


@dataclass(slots=True)
class _Notes:
    """What was read and left out on the way, for notes."""

    read: dict[str, None] = field(default_factory=dict[str, None])
    left_out: dict[str, None] = field(default_factory=dict[str, None])


def unwrapped(table: Table, keep: Collection[str] = ()) -> Table:
    """The table with the values of wrappers as columns, under the names of their fields.

    A wrapper is a column of objects, or of JSON texts of objects, in which at least one key is a field's.
    Columns in `keep` stay as they are. A field that the row has beside its wrappers keeps its value. Other texts and numbers become extra fields.
    """
    columns = table.columns()
    dotted = _dotted([name for name in columns if name not in keep])
    rows: Sequence[Row] = table.rows
    if dotted:
        rows = [_gathered(row, dotted) for row in rows]
        columns = tuple(dict.fromkeys(name for row in rows for name in row.values))
    wrappers = [
        _Wrapper(name, role, _aliases(name, role))
        for name in columns
        if (role := WRAPPERS.get(folded(name))) is not None
    ]
    found = [
        wrapper
        for wrapper in wrappers
        if wrapper.column not in keep and _holds_objects(rows, wrapper)
    ]
    if not found:
        return table
    unpacked = {wrapper.column for wrapper in found}
    others = (folded(name) for name in columns if name not in unpacked)
    named = (ALIASES.get(name) for name in others if name != WHOLE_PROMPT)
    top_level = {ours for ours in named if ours is not None}
    reading = _Notes()
    rows = [_unwrapped_row(row, found, top_level, reading) for row in rows]
    notes = [
        f"{what} {listed(list(names))}"
        for what, names in (("read", reading.read), ("left out", reading.left_out))
        if names
    ]
    return replace(table, rows=tuple(rows), notes=(*table.notes, *notes))


def _aliases(name: str, role: Role) -> Mapping[str, str]:
    if role == "references" or folded(name) in GOLD_HOLDERS:
        return ALIASES_IN_GOLD
    if role == "answer":
        return ALIASES | dict.fromkeys(SAID, "answer") | dict.fromkeys(RETRIEVED, "contexts")
    return ALIASES | {"messages": "question"}


def _dotted(columns: Sequence[str]) -> Mapping[str, tuple[str, str]]:
    """For each column like inputs.query, its wrapper and key; none if a column has the wrapper's name."""
    parts: dict[str, tuple[str, str]] = {}
    for column in columns:
        for mark in SEPARATORS:
            wrapper, found, key = column.partition(mark)
            if found and key and folded(wrapper) in WRAPPERS and wrapper not in columns:
                parts[column] = (wrapper, key)
                break
    useful = {
        wrapper
        for wrapper, key in parts.values()
        if folded(key) in _aliases(wrapper, WRAPPERS[folded(wrapper)])
    }
    return {column: named for column, named in parts.items() if named[0] in useful}


def _gathered(row: Row, dotted: Mapping[str, tuple[str, str]]) -> Row:
    """The row with its dotted columns gathered in objects."""
    values: dict[str, object] = {}
    for name, value in row.values.items():
        if name in dotted:
            wrapper, key = dotted[name]
            cast(dict[str, object], values.setdefault(wrapper, {}))[key] = value
        else:
            values[name] = value
    return Row(values, row.source, row.line)


def _holds_objects(rows: Sequence[Row], wrapper: _Wrapper) -> bool:
    """Whether every value of the column is an object, and some object says something of a field."""
    is_useful = False
    for row in rows:
        value = row.values.get(wrapper.column)
        if value is None or value == "":
            continue
        given = _object(value)
        if given is None:
            return False
        is_useful = is_useful or any(part.field for part in _parts(given, wrapper))
    return is_useful


def _object(value: object) -> Mapping[str, object] | None:
    if isinstance(value, Mapping):
        return cast(Mapping[str, object], value)
    if not isinstance(value, str) or len(value) > MAX_OBJECT_TEXT:
        return None
    if not value.lstrip().startswith("{"):
        return None
    try:
        read: object = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return cast(Mapping[str, object], read) if isinstance(read, Mapping) else None


def _fields(given: Mapping[str, object], wrapper: _Wrapper) -> dict[str, str]:
    """The field of each key that has one; a field that several keys could be goes to the first."""
    fields: dict[str, str] = {}
    for key, value in given.items():
        ours = wrapper.aliases.get(folded(key))
        if ours is not None and value is not None and ours not in fields.values():
            fields[key] = ours
    if not fields and len(given) == 1:
        [(key, value)] = given.items()
        if isinstance(value, str):
            fields[key] = wrapper.role
    return fields


def _parts(
    given: Mapping[str, object], wrapper: _Wrapper, depth: int = MAX_DEPTH
) -> Iterator[_Part]:
    """The values of an object, and in place of a wrapper in it that wrapper's values."""
    fields = _fields(given, wrapper)
    if wrapper.role == "answer" and "answer" not in fields.values() and "choices" in given:
        given = {**given, "choices": text_of(given)}  # a completion of a chat
        fields["choices"] = "answer"
    for key, value in given.items():
        found = _inner_parts(key, value, wrapper, depth)
        if any(part.field for part in found):
            yield from found
        else:
            yield _Part(key, wrapper.column, value, fields.get(key))


def _inner_parts(key: str, value: object, outer: _Wrapper, depth: int) -> Sequence[_Part]:
    """The parts of a value that is a wrapper itself, by its key; none of another."""
    role = WRAPPERS.get(folded(key))
    if role is None or not depth or not isinstance(value, Mapping):
        return ()
    inner = _Wrapper(f"{outer.column}.{key}", role, _aliases(key, role))
    return list(_parts(cast(Mapping[str, object], value), inner, depth - 1))


def _unwrapped_row(
    row: Row, wrappers: Sequence[_Wrapper], top_level: set[str], reading: _Notes
) -> Row:
    holders = {wrapper.column: wrapper for wrapper in wrappers}
    values = {name: value for name, value in row.values.items() if name not in holders}
    taken = set(top_level)
    for name, wrapper in holders.items():
        for part in _parts(_object(row.values.get(name)) or {}, wrapper):
            key, value, ours = part.key, part.value, part.field
            if ours is not None and ours not in taken:
                values[ours] = value
                taken.add(ours)
                reading.read[f"{key!r} of {part.wrapper!r} as {ours}"] = None
            elif ours is None and key not in values and isinstance(value, str | int | float):
                values[key] = value
            elif value is not None and value not in ("", [], {}):
                why = "not a text or a number" if ours is None else f"the row has other {ours}"
                reading.left_out[f"{key!r} of {part.wrapper!r} ({why})"] = None
    return Row(values, row.source, row.line)
