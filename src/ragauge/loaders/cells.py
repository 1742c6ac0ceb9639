"""Values that cells hold as text, in tables of any format: lists, numbers and nulls."""

import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import cast

from ragauge.errors import Problem
from ragauge.loaders.formats.jsonl import JsonError, JsonReader, repeated_problem
from ragauge.loaders.formats.printed import UnreadableError, printed_list
from ragauge.loaders.table import items_in
from ragauge.samples.fields import NO_ANSWER, STATUS
from ragauge.samples.samples import FIELDS, Row

_PRINTED = ("[", "{", "array([")  # how a cell begins that is read as a list; any other is one text
_TEXT_LISTS = ("references", "contexts", "context_ids", "gold_contexts")
_LISTS = tuple(
    name for name, field in FIELDS.items() if field.kind in ("texts", "numbers", "grades")
)
_NUMBER = re.compile(r"(?=.{1,15}\Z)-?(0|[1-9][0-9]*)(\.[0-9]+)?", re.DOTALL)
_SEPARATED = re.compile(r"[^\s|;,]\s*[|;,]\s*[^\s|;,]")


def is_number(cell: str) -> bool:
    return _NUMBER.fullmatch(cell) is not None


def number_form(cell: str) -> int:
    """How the number is written: its decimals, negative for a negative zero."""
    n_decimals = len(cell.partition(".")[2])
    return -n_decimals - 1 if cell.startswith("-") and float(cell) == 0 else n_decimals


def read_cells(rows: Sequence[Row], problems: list[Problem], numeric: Collection[str]) -> list[Row]:
    """The rows with lists, numbers (in the columns `numeric`) and nulls read from their text.

    An empty cell is empty text in `question` and `answer`, an error in `id` and `system`, and null elsewhere; so is an
    answer whose `status` says that there is none.
    """
    reader = JsonReader()
    read: list[Row] = []
    for row in rows:
        values: dict[str, object] = {}
        status = row.values.get(STATUS)
        has_none = isinstance(status, str) and status in NO_ANSWER
        texts = ("question",) if has_none else ("question", "answer")
        for name, cell in row.values.items():
            value = cell
            if not isinstance(cell, str):  # read from the object that the cell held
                pass
            elif not cell and name not in ("id", "system"):
                value = "" if name in texts else None
            elif name in _LISTS:
                try:
                    value = _read_list(name, cell, reader)
                except JsonError as error:
                    id = cast("str | None", row.values.get("id"))
                    problems.append(Problem(error.problem, row.source, row.line, name, id))
                    continue
            elif name in numeric:
                value = _number(cell)
            values[name] = value
        read.append(Row(values, row.source, row.line))
    return read


def read_printed_lists(rows: Sequence[Row]) -> list[Row]:
    """The rows of a frame with printed lists read, and `relevant` without other rows' ids."""
    read: list[Row] = []
    for row in rows:
        values = dict(row.values)
        for name in _LISTS:
            cell = values.get(name)
            if name == "relevant" and isinstance(cell, dict):
                # A frame gives every row the ids of all rows, with nulls for those of other rows.
                grades = cast(dict[str, object], cell).items()
                values[name] = {id: grade for id, grade in grades if grade is not None}
            elif isinstance(cell, str) and cell.lstrip().startswith(_PRINTED):
                with suppress(JsonError):  # text that begins with a bracket
                    values[name] = _read_list(name, cell, JsonReader())
        read.append(Row(values, row.source, row.line))
    return read


def read_json_lists(rows: Sequence[Row]) -> Sequence[Row]:
    """The rows with lists of texts that are given as JSON text, as tables write them that were CSV before."""
    read: list[Row] = []
    for row in rows:
        found: dict[str, object] = {}
        for name in _TEXT_LISTS:
            cell = row.values.get(name)
            if isinstance(cell, str) and cell.startswith("[") and cell.endswith("]"):
                with suppress(JsonError):
                    items = items_in(JsonReader().read_whole(cell))
                    if items and all(isinstance(text, str) for text in items):
                        found[name] = items
        read.append(Row({**row.values, **found}, row.source, row.line) if found else row)
    return read


def _number(cell: str) -> float:
    return float(cell) if "." in cell else int(cell)


def _read_list(name: str, cell: str, reader: JsonReader) -> object:
    """The list that a cell holds as JSON or as Python prints it, or its text as the only item."""
    bare = cell.strip()
    if name == "context_scores" and _NUMBER.fullmatch(bare):
        return [_number(bare)]
    if not bare.startswith(_PRINTED):
        if name in ("context_ids", "relevant") and _SEPARATED.search(bare):
            raise JsonError('seems to contain several ids; write them as a list: ["…", "…"]', 0)
        return [cell]
    try:
        value = reader.read_whole(bare)
    except JsonError as error:
        reader.take_repeated()
        try:
            return printed_list(bare)
        except UnreadableError as other:
            not_json = error.problem.removeprefix("is not JSON: ")
            raise JsonError(f"is neither JSON ({not_json}) {other}", 0) from None
    if repeated := reader.take_repeated():
        raise JsonError(repeated_problem(repeated), 0)
    return value
