"""Read one JSON document: a list of objects, an object that contains such a list, or columns.

The two outer levels are parsed here and not by the json module, so that each sample has its line.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from ragauge.errors import Problem
from ragauge.loaders.formats.files import text_lines
from ragauge.loaders.formats.jsonl import (
    JsonError,
    JsonReader,
    kind_of,
    object_problem,
    read_jsonl,
    repeated_problem,
    skip_blank,
)
from ragauge.loaders.formats.keyed import is_ranking, judged_together, keyed_rows, rows_by_system
from ragauge.loaders.mapping import field_of, folded
from ragauge.loaders.shapes.nested import is_result
from ragauge.loaders.table import Table, listed, unreadable
from ragauge.samples.samples import Row

MAX_DOCUMENT_LINE = 2**30
"""Longest line of a document in bytes; a document is often a single line."""
SAMPLE_LISTS = (
    "samples", "data", "examples", "results", "rows", "records", "items", "questions", "tests",
    "test_cases", "test_results", "predictions", "answers", "dataset",
)  # fmt: skip
"""Usual keys of the samples, for documents with several lists."""


@dataclass(frozen=True, slots=True)
class _Item:
    """A value of the document and its line, if that is known."""

    value: object
    line: int | None


_Members = dict[str, "list[_Item] | object"]
_Object = dict[str, object]


def read_json(path: Path) -> Table:
    """The document's objects with their lines; rows made from columns have none."""
    source = str(path)
    problems: list[Problem] = []
    lines = text_lines(path, problems, longest=MAX_DOCUMENT_LINE)
    text = "".join(line for _, line in lines)
    if problems:
        return Table((), source, problems=tuple(problems))
    if not text or text.isspace():
        return unreadable(source, "holds no samples: the file is empty")
    walk = _Walk(text, source)
    try:
        document = walk.document()
    except JsonError as error:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        are_objects = all(line.startswith("{") and line.endswith("}") for line in lines)
        if "follows the value" in error.problem and are_objects:
            note = "read as JSON Lines: it has one object per line"
            return replace(read_jsonl(path), notes=(note,))
        column = error.position - text.rfind("\n", 0, error.position)
        is_cut = error.position >= len(text.rstrip())
        hint = "; the file seems to be cut off" if is_cut else ""
        problem = f"{error.problem}, at column {column}{hint}"
        return unreadable(source, problem, walk.line_at(error.position))
    if isinstance(document, list):
        return _from_items(cast(list[_Item], document), source, walk.problems)
    if isinstance(document, dict):
        return _from_members(cast(_Members, document), source, walk.problems)
    return unreadable(source, f"is {kind_of(document)}, but must be a list of objects")


class _Walk:
    """Parses the two outer levels of a JSON text and collects duplicate keys."""

    def __init__(self, text: str, source: str) -> None:
        self.problems: list[Problem] = []
        self._text = text
        self._source = source
        self._reader = JsonReader()
        self._place = 0
        self._line, self._counted_to = 1, 0

    def document(self) -> "list[_Item] | _Members | object":
        """The only value of the text; lists, also those in an object, become items."""
        document = self._members() if self._at("{") else self._items_or_value()
        if not self._at(""):
            raise JsonError("is not JSON: something follows the value", self._place)
        return document

    def line_at(self, place: int) -> int:
        """The line of a place. Call it with rising places."""
        self._line += self._text.count("\n", self._counted_to, place)
        self._counted_to = max(place, self._counted_to)
        return self._line

    def _at(self, mark: str) -> bool:
        """Whether the mark comes next; an empty mark means the end of the text."""
        self._place = skip_blank(self._text, self._place)
        return self._text[self._place : self._place + 1] == mark

    def _take(self, mark: str, instead: str = "") -> None:
        if not self._at(mark):
            raise JsonError(f"is not JSON: expecting {instead or repr(mark)}", self._place)
        self._place += 1

    def _members(self) -> _Members:
        members: _Members = {}
        self._take("{")
        while not (self._at("}") and not members):
            if not self._at('"'):
                raise JsonError("is not JSON: expecting a name in double quotes", self._place)
            line = self.line_at(self._place)
            name = cast(str, self._value())
            if name in members:
                self.problems.append(Problem(repeated_problem((name,)), self._source, line))
            self._take(":")
            members[name] = self._items_or_value()
            if not self._at(","):
                break
            self._place = skip_blank(self._text, self._place + 1)
        self._take("}", "',' or '}'")
        return members

    def _items_or_value(self) -> "list[_Item] | object":
        return self._items() if self._at("[") else self._value()

    def _items(self) -> list[_Item]:
        items: list[_Item] = []
        self._take("[")
        while not (self._at("]") and not items):
            line = self.line_at(self._place)
            items.append(_Item(self._value(), line))
            if not self._at(","):
                break
            self._place = skip_blank(self._text, self._place + 1)
        self._take("]", "',' or ']'")
        return items

    def _value(self) -> object:
        start = self._place
        value, self._place = self._reader.read(self._text, start)
        if repeated := self._reader.take_repeated():
            problem = Problem(repeated_problem(repeated), self._source, self.line_at(start))
            self.problems.append(problem)
        return value


def _from_items(
    items: list[_Item], source: str, problems: list[Problem], notes: tuple[str, ...] = ()
) -> Table:
    rows: list[Row] = []
    for item in items:
        if isinstance(item.value, dict):
            fields = cast(dict[str, object], item.value)
            if problem := object_problem(fields):
                problems.append(Problem(problem, source, item.line))
            rows.append(Row(fields, source, item.line))
        else:
            problem = f"is {kind_of(item.value)}, but must be an object"
            problems.append(Problem(problem, source, item.line))
    return Table(tuple(rows), source, notes, tuple(problems))


def _from_members(members: _Members, source: str, problems: list[Problem]) -> Table:
    """The samples of an object: its columns, the object as the only row, or the rows under one of its keys."""
    members = _with_inner_list(_in_columns(members))
    lists = {
        name: cast(list[_Item], member)
        for name, member in members.items()
        if isinstance(member, list)
    }
    has_column = any(
        field_of(name) is not None and not _are_objects(items) for name, items in lists.items()
    )
    if has_column and len(lists) == len(members):
        return _from_columns(lists, source, problems)
    if (pairs := _with_predictions(lists)) is not None:
        return _from_items(pairs, source, problems)
    plain = {
        name: [item.value for item in lists[name]] if name in lists else member
        for name, member in members.items()
    }
    if (judged := judged_together(plain)) is not None:
        items = [_Item(values, None) for values in judged]
        note = f"read the results of {listed([repr(name) for name in lists])} together"
        return _from_items(items, source, problems, (note,))
    # One trace as Langfuse exports it.
    is_trace = "observations" in lists and bool({"input", "output", "trace"} & members.keys())
    is_sample = not members.keys() & set(SAMPLE_LISTS) and any(
        isinstance(member, str) and field_of(name) in ("question", "answer")
        for name, member in members.items()
    )
    if is_trace or is_sample or is_result(plain):
        return Table((Row(plain, source, 1),), source, problems=tuple(problems))
    key = _sample_list(lists)
    keyed = keyed_rows(plain) if key is not None else keyed_rows(plain) or rows_by_system(plain)
    if keyed is not None:
        rows = tuple(Row(values, source) for values in keyed.rows)
        return Table(rows, source, (keyed.note,), tuple(problems))
    if key is None:
        has = f"has the keys {listed([repr(name) for name in members])}" if members else "is empty"
        problem = f"{has}, but must be a list of objects, or have such a list under 'samples'"
        if is_ranking(plain):
            problem = (
                f"{has} with a number for each document: score it with 'ragauge rank QRELS RUN'"
            )
        return Table((), source, problems=(*problems, Problem(problem, source)))
    left_out = listed([repr(name) for name in members if name != key])
    notes = (f"read the samples under {key!r}, left out {left_out}",) if left_out else ()
    return _from_items(lists[key], source, problems, notes)


def _in_columns(members: _Members) -> _Members:
    """A frame as pandas, MLflow and W&B write it, as lists by column; other documents as they are.

    Either an object of values by index for each column, or the names under columns and the rows under data.
    """
    names, cells = members.get("columns"), members.get("data")
    if isinstance(names, list) and isinstance(cells, list):
        header = [item.value for item in cast(list[_Item], names)]
        rows = cast(list[_Item], cells)
        if all(isinstance(name, str) for name in header) and all(
            isinstance(row.value, list) and len(cast(list[object], row.value)) == len(header)
            for row in rows
        ):
            return {
                cast(str, name): [
                    _Item(cast(list[object], row.value)[at], row.line) for row in rows
                ]
                for at, name in enumerate(header)
            }
    frames = {
        name: cast(_Object, given) for name, given in members.items() if isinstance(given, dict)
    }
    indexes = {tuple(column) for column in frames.values()}
    if len(frames) < len(members) or len(indexes) != 1 or not any(map(str.isdecimal, *indexes)):
        return members
    return {
        name: [_Item(value, None) for value in column.values()] for name, column in frames.items()
    }


def _with_inner_list(members: _Members) -> _Members:
    """The members, with the samples of an inner object in its place: promptfoo's results.results."""
    if any(isinstance(member, list) for member in members.values()):
        return members
    for name in SAMPLE_LISTS:
        inner = members.get(name)
        held = cast(_Object, inner) if isinstance(inner, dict) else {}
        for key in SAMPLE_LISTS:
            items = held.get(key)
            if isinstance(items, list) and items and isinstance(items[0], dict):
                found = [_Item(item, None) for item in cast(list[object], items)]
                return {**members, name: found}
    return members


def _with_predictions(lists: dict[str, list[_Item]]) -> list[_Item] | None:
    """LlamaIndex's examples with the predictions for them; None for other documents."""
    examples, predictions = lists.get("examples", []), lists.get("predictions", [])
    if len(examples) != len(predictions) or not (
        _are_objects(examples) and _are_objects(predictions)
    ):
        return None
    return [
        _Item({**cast(_Object, example.value), **cast(_Object, other.value)}, example.line)
        if isinstance(example.value, dict) and isinstance(other.value, dict)
        else example
        for example, other in zip(examples, predictions, strict=True)
    ]


def _sample_list(lists: dict[str, list[_Item]]) -> str | None:
    """The key of the only list that can be the samples, or None."""
    names = [name for name, items in lists.items() if _are_objects(items)]
    names = names or [name for name, items in lists.items() if not items]
    if len(names) > 1:
        names = [name for name in names if folded(name) in SAMPLE_LISTS]
    return names[0] if len(names) == 1 else None


def _from_columns(lists: dict[str, list[_Item]], source: str, problems: list[Problem]) -> Table:
    lengths = {name: len(items) for name, items in lists.items()}
    if len(set(lengths.values())) > 1:
        counted = listed([f"{length} of {name!r}" for name, length in lengths.items()])
        problem = f"has columns of different lengths: {counted}"
        return Table((), source, problems=(*problems, Problem(problem, source)))
    n_rows = next(iter(lengths.values()))
    rows = tuple(
        Row({name: items[number].value for name, items in lists.items()}, source)
        for number in range(n_rows)
    )
    return Table(rows, source, problems=tuple(problems))


def _are_objects(items: list[_Item]) -> bool:
    return bool(items) and isinstance(items[0].value, dict)
