"""The rows of a table as those of samples: columns under their fields' names, cells of text read, contexts as texts, extra columns that are understood."""

import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ragauge.errors import Problem
from ragauge.loaders.documents import ContextParts, parts_of
from ragauge.loaders.formats.jsonl import JsonError, JsonReader, repeated_problem
from ragauge.loaders.mapping import Naming, is_negated, learn_columns, name_columns
from ragauge.loaders.table import (
    NeedsAllRowsError,
    Table,
    UnreadableError,
    items_in,
    listed,
    mapping_in,
    printed_list,
)
from ragauge.samples.fields import (
    FIELDS,
    NO_ANSWER,
    STATUS,
    FieldError,
    Row,
    read_value,
    short_value,
)

_PRINTED = ("[", "{", "array([")  # how a cell begins that is read as a list; any other is one text
_TEXT_LISTS = ("references", "contexts", "context_ids", "gold_contexts")
_LISTS = tuple(
    name for name, field in FIELDS.items() if field.kind in ("texts", "numbers", "grades")
)
_NUMBER = re.compile(r"(?=.{1,15}\Z)-?(0|[1-9][0-9]*)(\.[0-9]+)?", re.DOTALL)
_SEPARATED = re.compile(r"[^\s|;,]\s*[|;,]\s*[^\s|;,]")
MAX_PENDING = 500_000  # cells whose distinct values are found at once
MAX_NUMBERS = 50  # the longest list of numbers that is not a vector


class NumberColumns:
    """The extra columns of CSV with numbers only, different cells of which are different: distinct cells by value and form."""

    def __init__(self, texts: Collection[str] = ()) -> None:
        self.texts = set(texts)  # with a cell that is no number, or two that are the same number
        self.has_changed = False  # a column is text after cells of it were read as numbers
        self._cells: dict[str, list[NDArray[np.complex128]]] = {}

    def read(self, rows: Sequence[Row], *, is_whole: bool) -> set[str]:
        """The columns of numbers that have a filled cell in these rows."""
        found: set[str] = set()
        for name in {name for row in rows for name in row.values} - FIELDS.keys() - self.texts:
            values = (row.values.get(name) for row in rows)
            cells = {cell for cell in values if isinstance(cell, str) and cell}  # not of an object
            if not all(map(is_number, cells)):
                self._forget(name)
            elif cells:
                found.add(name)
                kept = self._cells.setdefault(name, [])
                kept.append(np.array([complex(float(cell), number_form(cell)) for cell in cells]))
                if is_whole or sum(map(len, kept)) > 2 * len(kept[0]) + MAX_PENDING:
                    self._merge(name)
        return found - self.texts

    def _forget(self, name: str) -> None:
        self.texts.add(name)
        self.has_changed |= self._cells.pop(name, None) is not None

    def _merge(self, name: str) -> None:
        """Keep the distinct cells; the column is text if two of them are the same number."""
        self._cells[name] = [distinct := np.unique(np.concatenate(self._cells[name]))]
        if len(np.unique(distinct.real)) < len(distinct):
            self._forget(name)

    def finish(self) -> None:
        """Compare the cells of all rows."""
        for name in list(self._cells):
            self._merge(name)


@dataclass(slots=True)
class ExtraColumns:
    """What the extra columns of all rows read so far hold: one that is not understood is left out."""

    left_out: dict[str, str] = field(default_factory=dict[str, str])
    as_json: dict[str, None] = field(default_factory=dict[str, None])

    def read(self, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows without the columns that are left out by now."""
        for row in rows:
            for name, value in row.values.items():
                if value is None or isinstance(value, str | int | float):
                    continue
                if name not in FIELDS and name not in self.left_out:
                    if (kind := _unknown(value)) is not None:
                        self.left_out[name] = kind
                    if isinstance(value, Mapping):
                        self.as_json[name] = None
        if not self.left_out:
            return rows
        return [
            Row(
                {n: v for n, v in row.values.items() if n not in self.left_out},
                row.source,
                row.line,
            )
            for row in rows
        ]

    def notes(self) -> list[str]:
        notes: list[str] = []
        if kept := listed([repr(name) for name in self.as_json if name not in self.left_out]):
            notes.append(f"kept as JSON text: {kept}")
        if self.left_out:
            named = listed([f"{name!r} ({kind})" for name, kind in self.left_out.items()])
            notes.append(f"left out {named}: not a text, a number or a short list of them")
        documents = (name for name, kind in self.left_out.items() if kind == "lists of documents")
        if (name := next(documents, None)) is not None:
            notes.append(f"if {name!r} holds the contexts: --map contexts={name}")
        return notes


def _unknown(value: object, depth: int = 2) -> str | None:
    """What kind of value cannot be an extra field; None for one that can."""
    if value is None or isinstance(value, str | int | float):
        return None
    if isinstance(value, Mapping):
        parts = cast("Mapping[str, object]", value).values()
        is_flat = all(part is None or isinstance(part, str | int | float) for part in parts)
        return None if is_flat else "nested objects"
    if not isinstance(value, list | tuple):
        return f"{type(value).__name__} values"
    items = items_in(cast("object", value))
    if len(items) > MAX_NUMBERS and all(isinstance(item, int | float) for item in items):
        return f"lists of {len(items):,} numbers"
    if any(isinstance(item, Mapping) for item in items):
        # A message has a text and a role.
        are_documents = all(
            parts_of(item) is not None and "role" not in mapping_in(item) for item in items
        )
        return "lists of documents" if are_documents else "lists of objects"
    kinds = [_unknown(item, depth - 1) for item in items] if depth else ["nested lists"]
    return next((kind for kind in kinds if kind is not None), None)


@dataclass(slots=True)
class Decisions:
    """What is decided by now of columns and values. `aliases`: other names of fields than those of answers."""

    chosen: Mapping[str, str]
    settled: Sequence[str] = ()
    has_gold: bool = False
    is_whole: bool = False  # all rows are read at once
    aliases: Mapping[str, str] | None = None
    columns: dict[str, None] = field(default_factory=dict[str, None])
    numbers: NumberColumns = field(default_factory=NumberColumns)
    contexts: ContextParts = field(default_factory=ContextParts)
    extra: ExtraColumns = field(default_factory=ExtraColumns)
    _naming: Naming | None = None
    _used: object = None  # what of the naming the rows were read by
    _has_changed: bool = False
    _filled: frozenset[str] | None = None  # the fields by which the first empty contexts were read
    _kept: set[str] = field(default_factory=set[str])  # extra columns of the rows read so far

    def read(self, table: Table, problems: list[Problem]) -> Sequence[Row]:
        """The rows of a piece with fields as names, and cells and contexts read."""
        if learn_columns(self.columns, table.rows):
            self._naming = None
        naming = self.naming()
        renamed = frozenset((a, b) for a, b in naming.fields.items() if a != b)
        used = naming.problems or (renamed, naming.left_out, naming.spare)
        self._has_changed |= self._used not in (None, used)
        self._used = used
        if naming.problems:
            return ()
        rows = renamed_rows(table.rows, naming, problems)
        if table.all_text:
            rows = read_cells(rows, problems, self.numbers.read(rows, is_whole=self.is_whole))
        else:
            rows = (read_printed_lists if table.may_print_lists else read_json_lists)(rows)
        rows = self.contexts.read(rows, problems)
        if len(self.contexts.keys) > 1:
            raise NeedsAllRowsError("the documents in contexts have different kinds of ids")
        if self._filled is None and any(row.values.get("contexts") == [] for row in rows):
            self._filled = frozenset(self.contexts.filled)
        rows = self.extra.read(rows)
        self._kept |= {name for row in rows for name in row.values} - FIELDS.keys()
        return rows

    def naming(self) -> Naming:
        """The fields of all columns read so far."""
        if self._naming is None:
            chosen = {name: each for name, each in self.chosen.items() if each in self.columns}
            self._naming = name_columns(
                tuple(self.columns),
                chosen,
                settled=self.settled,
                has_gold=self.has_gold,
                aliases=self.aliases,
            )
        return self._naming

    def notes(self) -> list[str]:
        """How columns and values were read."""
        return [*self.naming().notes, *self.contexts.notes(), *self.extra.notes()]

    @property
    def is_settled(self) -> bool:
        """Whether all rows were read by the decisions as they are now."""
        self.numbers.finish()
        return not (
            self._has_changed
            or self.numbers.has_changed
            or self._kept & self.extra.left_out.keys()
            or self._filled not in (None, frozenset(self.contexts.filled))
        )

    def again(self, *, from_nothing: bool) -> "Decisions":
        """For another reading of the same source: the same decisions, or none yet."""
        new = Decisions(self.chosen, self.settled, self.has_gold, self.is_whole)
        if not from_nothing:
            new.columns, new.extra = dict(self.columns), self.extra
            new.numbers = NumberColumns(self.numbers.texts)
            new.contexts.filled |= self.contexts.filled
        return new


def renamed_rows(rows: Sequence[Row], naming: Naming, problems: list[Problem]) -> Sequence[Row]:
    """The rows with columns renamed to fields, and without those left out; the same rows if nothing changes."""
    is_renamed = any(column != name for column, name in naming.fields.items())
    if not (any(naming.spare.values()) or naming.left_out or is_renamed):
        return rows
    flags = [column for column, name in naming.fields.items() if name == "answerable"]
    flags += naming.spare.get("answerable", ())
    renamed: list[Row] = []
    for row in rows:
        values = {
            naming.fields.get(name, name): value
            for name, value in row.values.items()
            if name not in naming.left_out
        }
        if not row.values.keys().isdisjoint(flags):
            values["answerable"] = _answerable(row, flags, values.get("id"), problems)
        if values.get("references") is None and (spare := naming.spare.get("references")):
            given = (row.values.get(name) for name in spare)
            values["references"] = next((value for value in given if value is not None), None)
        renamed.append(Row(values, row.source, row.line))
    return renamed


def _answerable(
    row: Row, columns: Sequence[str], id: object, problems: list[Problem]
) -> bool | None:
    """Whether the question has an answer, by all columns that say so; contradictions are a problem."""
    said: dict[bool, str] = {}
    own = id if id is None or isinstance(id, str) else short_value(id)
    for column in columns:
        try:
            value = cast("bool | None", read_value("answerable", row.values.get(column)))
        except FieldError as error:
            problems.append(Problem(str(error), row.source, row.line, column, own))
            continue
        if value is not None:
            said.setdefault(value != is_negated(column, "answerable"), column)
    if len(said) > 1:
        given = [f"{name!r} is {short_value(row.values[name])}" for name in said.values()]
        text = f"{' and '.join(given)}: they contradict each other; correct one, or choose with --map answerable=COLUMN"
        problems.append(Problem(text, row.source, row.line, None, own))
    return next(iter(said), None)


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


def is_number(cell: str) -> bool:
    return _NUMBER.fullmatch(cell) is not None


def number_form(cell: str) -> int:
    """How the number is written: its decimals, negative for a negative zero."""
    n_decimals = len(cell.partition(".")[2])
    return -n_decimals - 1 if cell.startswith("-") and float(cell) == 0 else n_decimals
