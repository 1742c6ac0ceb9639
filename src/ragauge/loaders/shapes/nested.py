"""Unpack objects: those in which tools keep what was asked, answered and expected, and the results of pipelines."""

import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain, product
from typing import Literal, NamedTuple, cast

from ragauge.errors import Problem
from ragauge.loaders.documents import is_list, parts_of
from ragauge.loaders.mapping import ALIASES, ALIASES_IN_GOLD, WHOLE_PROMPT, field_of, folded
from ragauge.loaders.table import (
    ANSWERING,
    ASKING,
    Table,
    items_in,
    last_text,
    listed,
    mapping_in,
    named_values,
    text_of,
    value_of,
)
from ragauge.samples.fields import Row

Role = Literal["question", "answer", "references"]
Values = Mapping[str, object]

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
GOLD_HOLDERS = frozenset(  # of a test case: an answer in them is the expected one
    {"vars", "doc", "example", "datasource_item", "dataset_item", "dataset_item_data"}
)
_NAMES_IN_ANSWERS = {
    "answer": "answer output result text content response value generation",
    "contexts": "documents docs sources source_documents retrieval_result",
}
IN_ANSWERS = ALIASES | {
    name: field for field, names in _NAMES_IN_ANSWERS.items() for name in names.split()
}
MAX_DEPTH = 3  # most wrappers inside each other that are unpacked
MAX_OBJECT_TEXT = 10_000_000  # longest text that is read as an object, in characters


class _Part(NamedTuple):
    """A value of an object, the wrapper it was in, and its field if it has one."""

    key: str
    wrapper: str
    value: object
    field: str | None


def unwrapped(table: Table, keep: Collection[str] = ()) -> Table:
    """The table with the values of wrappers as columns, under the names of their fields, but for columns in `keep`.

    A wrapper is a column of objects, or of JSON texts of objects, in which at least one key is a field's. A field that
    the row has beside its wrappers keeps its value. Other texts and numbers become extra fields.
    """
    columns = table.columns
    rows: Sequence[Values] = [row.values for row in table.rows]
    if dotted := _dotted([name for name in columns if name not in keep]):
        gathered: list[Values] = []
        for row in rows:  # the values of dotted columns in objects
            values: dict[str, object] = {}
            for name, value in row.items():
                wrapper, key = dotted.get(name, (name, ""))
                inner = cast("dict[str, object]", values.setdefault(wrapper, {}) if key else values)
                inner[key or name] = value
            gathered.append(values)
        rows = gathered
        columns = tuple(dict.fromkeys(name for values in rows for name in values))
    names = [name for name in columns if folded(name) in WRAPPERS and name not in keep]
    found = {name: _parts_of_rows(rows, name) for name in names}
    parts = {name: of_rows for name, of_rows in found.items() if of_rows is not None}
    if not parts:
        return table
    others = (folded(name) for name in columns if name not in parts)
    given = {ALIASES[name] for name in others if name in ALIASES and name != WHOLE_PROMPT}
    read, left_out = dict[str, None](), dict[str, None]()
    unpacked: list[Values] = []
    for at, row in enumerate(rows):
        values = {name: value for name, value in row.items() if name not in parts}
        taken = set(given)
        for key, wrapper, value, ours in chain.from_iterable(each[at] for each in parts.values()):
            if ours is not None and ours not in taken:
                values[ours] = value
                taken.add(ours)
                read[f"{key!r} of {wrapper!r} as {ours}"] = None
            elif ours is None and key not in values and isinstance(value, str | int | float):
                values[key] = value
            elif value is not None and value not in ("", [], {}):
                why = "not a text or a number" if ours is None else f"the row has other {ours}"
                left_out[f"{key!r} of {wrapper!r} ({why})"] = None
        unpacked.append(values)
    notes = {"read": read, "left out": left_out}
    return table.with_values(
        unpacked, *(f"{what} {listed(list(names))}" for what, names in notes.items() if names)
    )


def _aliases(wrapper: str) -> Mapping[str, str]:
    role = WRAPPERS[folded(wrapper)]
    if role == "references" or folded(wrapper) in GOLD_HOLDERS:
        return ALIASES_IN_GOLD
    return IN_ANSWERS if role == "answer" else ALIASES | {"messages": "question"}


def _dotted(columns: Sequence[str]) -> Mapping[str, tuple[str, str]]:
    """For each column like inputs.query, its wrapper and key; none if a column has the wrapper's name."""
    parts: dict[str, tuple[str, str]] = {}
    for column, mark in product(columns, "/."):
        wrapper, _, key = column.partition(mark)
        if key and folded(wrapper) in WRAPPERS and wrapper not in columns:
            parts[column] = (wrapper, key)
    useful = {wrapper for wrapper, key in parts.values() if folded(key) in _aliases(wrapper)}
    return {column: named for column, named in parts.items() if named[0] in useful}


def _parts_of_rows(rows: Sequence[Values], name: str) -> list[list[_Part]] | None:
    """The parts of each row's object; None if some value is no object, or no part is a field."""
    parts: list[list[_Part]] = []
    for values in rows:
        value = values.get(name)
        if isinstance(value, str) and len(value) <= MAX_OBJECT_TEXT and value.lstrip()[:1] == "{":
            with suppress(ValueError, RecursionError):
                value = json.loads(value)
        if not isinstance(value, Mapping) and value is not None and value != "":
            return None
        parts.append(_parts(mapping_in(cast("object", value)), name, name))
    return parts if any(part.field for each in parts for part in each) else None


def _parts(given: Values, name: str, wrapper: str, depth: int = MAX_DEPTH) -> list[_Part]:
    """The values of an object, and in place of a wrapper in it that wrapper's values; the first key of a field counts."""
    role, aliases = WRAPPERS[folded(name)], _aliases(name)
    fields: dict[str, str] = {}
    for key, value in given.items():
        ours = aliases.get(folded(key))
        if ours is not None and value is not None and ours not in fields.values():
            fields[key] = ours
    if not fields and len(given) == 1:
        fields = {key: role for key, value in given.items() if isinstance(value, str)}
    if role == "answer" and "answer" not in fields.values() and "choices" in given:
        given = {**given, "choices": text_of(given)}  # a completion of a chat
        fields["choices"] = "answer"
    parts: list[_Part] = []
    for key, value in given.items():
        inner: list[_Part] = []
        if depth and isinstance(value, Mapping) and folded(key) in WRAPPERS:
            inner = _parts(cast("Values", value), key, f"{wrapper}.{key}", depth - 1)
        is_read = any(part.field for part in inner)
        parts += inner if is_read else [_Part(key, wrapper, value, fields.get(key))]
    return parts


RESULTS: tuple[Mapping[str, str], ...] = (  # the names that a result must have, and their fields
    {"response": "answer", "source_nodes": "contexts"},
    {"response_txt": "answer", "source_nodes": "contexts"},
    {"data": "answer", "query": "question", "documents": "contexts"},
    {"data": "answer", "query": "question", "document": "contexts"},
    {"result": "answer", "query": "question", "source_documents": "contexts"},
)
OUTPUTS = ("answers", "replies", "documents")  # what components of a Haystack pipeline return
MESSAGE_KEYS = {"role", "choices"}  # a mapping is a message only with one of these


@dataclass(slots=True)
class _Reading:
    """Reads results, and keeps what was read and left out on the way, and the problems."""

    renamed: dict[str, None] = field(default_factory=dict[str, None])
    unread: dict[str, None] = field(default_factory=dict[str, None])
    problems: list[Problem] = field(default_factory=list[Problem])

    def unpacked(self, row: Row) -> Row:
        """The row with its results as question, answer and contexts."""
        # Most values of most rows are texts and numbers.
        names = [
            name
            for name, value in row.values.items()
            if value is not None and not isinstance(value, str | int | float)
        ]
        if not names:
            return row
        values = dict(row.values)
        for result in RESULTS:
            if not result.keys() <= values.keys():
                continue
            others = {field_of(name) for name in values if name not in result}
            if not others & {*result.values()}:
                values = {ours: values.pop(theirs) for theirs, ours in result.items()} | values
                self.renamed |= {f"{a!r} as {b}": None for a, b in result.items() if a != b}
                break
        for name in names:
            if name in values:
                values = self._with_result(values, name, row)
        return row if values == row.values else Row(values, row.source, row.line)

    def _with_result(self, values: dict[str, object], name: str, row: Row) -> dict[str, object]:
        """The values, with the result or the message under this name unpacked if there is one."""
        value, known = values[name], field_of(name)
        parts = self._result_in(value, name)
        if parts is not None and known in (None, "answer"):
            kept = {other: given for other, given in values.items() if other != name}
            fields = {field_of(other) for other in kept}
            new = {ours: part for ours, part in parts.items() if ours not in fields}
            self.renamed[f"{' and '.join(new) or 'nothing'} from {name!r}"] = None
            return kept | new
        if known not in ("question", "answer"):
            return values
        text = last_text(value, ASKING if known == "question" else ANSWERING)
        is_message = not isinstance(value, Mapping) or MESSAGE_KEYS & value.keys()
        if text is not None:
            self.renamed[f"the last message of {name!r} as {known}"] = None
        elif not is_list(cast("object", value)) and is_message:
            text = text_of(cast("object", value))
        if text is None:
            value = values[name]
            names = listed([repr(key) for key in named_values(value) or mapping_in(value)])
            has = f" with {names}" if names else ""
            hint = "; read its text first" if value_of(value, "response_gen") is not None else ""
            kind, id = type(value).__name__, row.values.get("id")
            message = f"must be text, got a {kind}{has}{hint}; give the text of the {known}"
            own = id if isinstance(id, str) else None
            self.problems.append(Problem(message, row.source, row.line, name, own))
        return {**values, name: text}

    def _result_in(self, value: object, name: str, depth: int = 1) -> dict[str, object] | None:
        """Question, answer and contexts of a result; None if the value is not one."""
        named = cast("Values", value) if isinstance(value, Mapping) else named_values(value) or {}
        if (written := named.get("init_parameters")) is not None:
            return self._result_in(written, name, depth)
        for result in RESULTS:
            if result.keys() <= named.keys() and named[next(iter(result))] is not None:
                self._leave_out(named, result, name)
                parts = {ours: named[theirs] for theirs, ours in result.items()}
                return {ours: part for ours, part in parts.items() if part is not None}
        found: dict[str, object] = {}
        is_mapping = isinstance(value, Mapping)
        if is_mapping and depth and not named.keys() & {*OUTPUTS} and is_result(named):
            for key, output in named.items():
                found |= self._result_in(output, f"{name}.{key}", depth - 1) or {}
            return found
        if not is_mapping or not _is_output(named):
            return None
        # What a Haystack component returned: answers, replies or documents.
        answers, replies, documents = (items_in(named.get(key)) for key in OUTPUTS)
        if answers:
            found |= self._result_in(answers[0], f"{name}.answers") or {}
        elif replies:
            found["answer"] = text_of(replies[0])
        if named.get("documents") is not None:
            found["contexts"] = documents
        for key, several in (("answers", answers), ("replies", replies)):
            if len(several) > 1:
                self.unread[f"all {name}.{key} but the first"] = None
        self._leave_out(named, OUTPUTS, name)
        return {ours: part for ours, part in found.items() if part is not None}

    def _leave_out(self, named: Values, taken: Collection[str], name: str) -> None:
        left = (key for key in named if key not in taken and named[key] not in (None, "", [], {}))
        self.unread |= {f"{key!r} of {name!r}": None for key in left}


def with_results(table: Table) -> Table:
    """The table with results unpacked into question, answer and contexts."""
    reading = _Reading()
    rows = tuple(map(reading.unpacked, table.rows))
    if rows == table.rows and not reading.problems:
        return table
    notes = {"read": reading.renamed, "left out of the results:": reading.unread}
    shown = (f"{what} {listed(list(names))}" for what, names in notes.items() if names)
    problems = (*table.problems, *reading.problems)
    return replace(table, rows=rows, notes=(*table.notes, *shown), problems=problems)


def _is_output(outputs: object) -> bool:
    """Whether a component of Haystack returned these: answers, replies or documents."""
    answers, replies, documents = (items_in(value_of(outputs, key)) for key in OUTPUTS)
    if documents and parts_of(documents[0]) is not None:
        return True
    if replies and text_of(replies[0]) is not None:
        return True
    # Haystack's to_dict writes an object inside init_parameters.
    built = (value_of(answers[0], "init_parameters") or answers[0]) if answers else None
    return value_of(built, "data") is not None


def is_result(values: Values) -> bool:
    """Whether a mapping by itself is a result: its own names, or those of a pipeline's components."""
    return any(result.keys() <= values.keys() for result in RESULTS) or any(
        isinstance(value, Mapping) and _is_output(cast("Values", value))
        for value in values.values()
    )
