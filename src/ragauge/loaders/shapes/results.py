"""Read the results of question-answering pipelines in rows: answers with the documents behind them.

LlamaIndex returns a Response (response, source_nodes), Haystack a GeneratedAnswer (data, query,
documents) or a dict of its components' outputs, LangChain's chains a dict (result,
source_documents). A row may be such a result, or have one as its answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from ragauge.errors import Problem
from ragauge.loaders.attributes import items_in, mapping_in, named_values, value_of
from ragauge.loaders.documents import is_list, parts_of
from ragauge.loaders.mapping import field_of
from ragauge.loaders.messages import ANSWERING, ASKING, last_text, text_of
from ragauge.loaders.table import Table, listed
from ragauge.samples.samples import Row

RESULTS: tuple[Mapping[str, str], ...] = (
    {"response": "answer", "source_nodes": "contexts"},
    {"response_txt": "answer", "source_nodes": "contexts"},
    {"data": "answer", "query": "question", "documents": "contexts"},
    {"data": "answer", "query": "question", "document": "contexts"},
    {"result": "answer", "query": "question", "source_documents": "contexts"},
)
"""The names that a result must have, and their fields."""
OUTPUTS = ("answers", "replies", "documents")
"""What components of a Haystack pipeline return."""
TEXT_FIELDS = ("question", "answer")
MESSAGE_KEYS = {"role", "choices"}
"""A mapping is a message only with one of these; any other mapping is an error."""


@dataclass(slots=True)
class _Reading:
    """What was read on the way, for notes and problems."""

    renamed: dict[str, None] = field(default_factory=dict[str, None])
    unread: dict[str, None] = field(default_factory=dict[str, None])
    problems: list[Problem] = field(default_factory=list[Problem])


def recognised(table: Table) -> Table:
    """The table with results unpacked into question, answer and contexts."""
    reading = _Reading()
    rows = tuple(_unpacked(row, reading) for row in table.rows)
    notes = table.notes
    if reading.renamed:
        notes = (*notes, f"read {listed(list(reading.renamed))}")
    if reading.unread:
        notes = (*notes, f"left out of the results: {listed(list(reading.unread))}")
    if rows == table.rows and not reading.problems:
        return table
    problems = (*table.problems, *reading.problems)
    return replace(table, rows=rows, notes=notes, problems=problems)


def _unpacked(row: Row, reading: _Reading) -> Row:
    if not any(_may_hold_result(value) for value in row.values.values()):
        return row
    values = dict(row.values)
    whole = _names_of_result(values)
    if whole is not None:
        parts = {ours: values.pop(theirs) for theirs, ours in whole.items()}
        values = {**parts, **values}
        reading.renamed |= {f"{a!r} as {b}": None for a, b in whole.items() if a != b}
    for name, value in row.values.items():
        if name in values and _may_hold_result(value):
            values = _with_result(values, name, row, reading)
    return row if values == row.values else Row(values, row.source, row.line)


def _may_hold_result(value: object) -> bool:
    """Quick: most values of most rows are texts and numbers."""
    return value is not None and not isinstance(value, str | int | float)


def _names_of_result(values: Mapping[str, object]) -> Mapping[str, str] | None:
    """The names of a result among these, if their fields are not given by others."""
    for names in RESULTS:
        if names.keys() <= values.keys():
            others = {field_of(name) for name in values if name not in names}
            if not others & set(names.values()):
                return names
    return None


def _with_result(
    values: Mapping[str, object], name: str, row: Row, reading: _Reading
) -> dict[str, object]:
    """The values, with the result under this name unpacked if there is one."""
    value, known = values[name], field_of(name)
    parts = _parts(value, reading, name)
    if parts is not None and (known in (None, "answer")):
        fields = {field_of(other) for other in values if other != name}
        new = {ours: part for ours, part in parts.items() if ours not in fields}
        reading.renamed[f"{' and '.join(new) or 'nothing'} from {name!r}"] = None
        kept = {other: given for other, given in values.items() if other != name}
        return {**kept, **new}
    if known not in TEXT_FIELDS:
        return dict(values)
    text = last_text(value, ASKING if known == "question" else ANSWERING)
    if text is not None:
        reading.renamed[f"the last message of {name!r} as {known}"] = None
    elif not is_list(value) and (not isinstance(value, Mapping) or MESSAGE_KEYS & value.keys()):
        text = text_of(cast(object, value))
    if text is None:
        reading.problems.append(_unreadable(cast(object, value), name, known, row))
    return {**values, name: text}


def _unreadable(value: object, name: str, known: str, row: Row) -> Problem:
    kind = type(value).__name__
    names = listed([repr(key) for key in named_values(value) or mapping_in(value)])
    has = f" with {names}" if names else ""
    hint = "; read its text first" if value_of(value, "response_gen") is not None else ""
    message = f"must be text, got a {kind}{has}{hint}; give the text of the {known}"
    id = row.values.get("id")
    return Problem(message, row.source, row.line, name, id if isinstance(id, str) else None)


def _parts(value: object, reading: _Reading, name: str, depth: int = 1) -> dict[str, object] | None:
    """Question, answer and contexts of a result; None if the value is not one."""
    named = cast(Mapping[str, object], value) if isinstance(value, Mapping) else named_values(value)
    if named is None:
        return None
    if (written := named.get("init_parameters")) is not None:
        return _parts(written, reading, name, depth)
    for names in RESULTS:
        if names.keys() <= named.keys() and named[next(iter(names))] is not None:
            left = [
                key
                for key, part in named.items()
                if key not in names and part not in (None, "", [], {})
            ]
            reading.unread |= {f"{key!r} of {name!r}": None for key in left}
            return _present({ours: named[theirs] for theirs, ours in names.items()})
    if not isinstance(value, Mapping):
        return None
    if depth and not any(key in named for key in OUTPUTS) and is_result(named):
        parts: dict[str, object] = {}
        for key, output in named.items():
            parts |= _parts(output, reading, f"{name}.{key}", depth - 1) or {}
        return parts
    return _component_parts(named, reading, name)


def _component_parts(
    outputs: Mapping[str, object], reading: _Reading, name: str
) -> dict[str, object] | None:
    """What a Haystack component returned: answers, replies or documents."""
    if not any(_is_output(key, outputs.get(key)) for key in OUTPUTS):
        return None
    parts: dict[str, object] = {}
    answers, replies, documents = (items_in(outputs.get(key)) for key in OUTPUTS)
    if answers:
        parts |= _parts(answers[0], reading, f"{name}.answers") or {}
    elif replies:
        parts["answer"] = text_of(replies[0])
    if outputs.get("documents") is not None:
        parts["contexts"] = documents
    for key, several in (("answers", answers), ("replies", replies)):
        if len(several) > 1:
            reading.unread[f"all {name}.{key} but the first"] = None
    left = [
        key for key, part in outputs.items() if key not in OUTPUTS and part not in (None, [], {})
    ]
    reading.unread |= {f"{key!r} of {name!r}": None for key in left}
    return _present(parts)


def _is_output(key: str, value: object) -> bool:
    items = items_in(value)
    if not items:
        return False
    match key:
        case "documents":
            return parts_of(items[0]) is not None
        case "answers":
            # Haystack's to_dict writes an object inside init_parameters.
            built = value_of(items[0], "init_parameters") or items[0]
            return value_of(built, "data") is not None
        case _:
            return text_of(items[0]) is not None


def _present(parts: Mapping[str, object]) -> dict[str, object]:
    return {name: part for name, part in parts.items() if part is not None}


def is_result(values: Mapping[str, object]) -> bool:
    """Whether a mapping by itself is a result: its own names, or those of a pipeline's components."""
    if any(names.keys() <= values.keys() for names in RESULTS):
        return True
    return any(
        isinstance(value, Mapping)
        and any(_is_output(key, value_of(cast(object, value), key)) for key in OUTPUTS)
        for value in values.values()
    )
