"""One source of answers, read piece by piece: its layout, its fields; once more if later rows change what was decided."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragauge.errors import Problem
from ragauge.loaders.cells import (
    is_number,
    number_form,
    read_cells,
    read_json_lists,
    read_printed_lists,
)
from ragauge.loaders.documents import ContextParts
from ragauge.loaders.formats.csv import CsvNotes
from ragauge.loaders.mapping import MAX_COLUMNS, ExtraColumns, Naming, name_columns, renamed_rows
from ragauge.loaders.shapes import conversations, layouts
from ragauge.loaders.sources import file_tables, of_other_tools
from ragauge.loaders.table import NeedsAllRowsError, Table
from ragauge.samples.samples import FIELDS, Row

if TYPE_CHECKING:
    Layout = tuple[layouts.Groups, layouts.Layout | None]

MAX_NAMES = 20 * MAX_COLUMNS  # no more are collected: a source with over MAX_COLUMNS is refused
MAX_PENDING = 500_000  # cells whose distinct values are found at once
PIECE_BYTES = 8 * 2**20  # about what of a file is rows in memory at the same time


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


def _learn_columns(columns: dict[str, None], rows: Iterable[Row]) -> bool:
    """Add the names of the rows' columns; whether there are new ones."""
    n_before = len(columns)
    if n_before < MAX_NAMES:
        for row in rows:
            if row.values.keys() - columns.keys():
                columns |= dict.fromkeys(row.values)
    return len(columns) > n_before


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
        if _learn_columns(self.columns, table.rows):
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


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """Files of answers, or one table with a row for each answer. `system` gave all of them, if it is known."""

    name: str
    system: str | None = None
    files: Sequence[Path] = ()
    table: Table | None = None


@dataclass(slots=True)
class Reading:
    """One reading of a source, whose layout is that of the rows read so far: numbered columns, systems side by side."""

    source: AnswerSource
    decisions: Decisions
    csv: CsvNotes = field(default_factory=CsvNotes)
    problems: list[Problem] = field(default_factory=list[Problem])
    n_rows: int = 0
    _columns: dict[str, None] = field(default_factory=dict[str, None])
    _with_words: set[str] = field(default_factory=set[str])  # columns that may be answers
    _layout: "Layout | None" = None
    _used_layout: "Layout | None" = None
    _has_one_layout: bool = True
    _turns: dict[str, int] = field(default_factory=dict[str, int])
    _of_chats: dict[str, None] = field(default_factory=dict[str, None])
    _other_systems: set[str] = field(default_factory=set[str])

    @classmethod
    def first(cls, source: AnswerSource, chosen: Mapping[str, str], *, has_gold: bool) -> "Reading":
        """`chosen`: the user's choice of columns; `has_gold`: gold is in another file."""
        settled = () if source.system is None else ("system",)
        return cls(source, Decisions(chosen, settled, has_gold, source.table is not None))

    def tables(self) -> Iterable[Table]:
        """All rows, some at a time."""
        own = self.source
        return (own.table,) if own.table is not None else file_tables(own.files, PIECE_BYTES)

    def read(self, table: Table) -> Sequence[Row]:
        """The rows of a piece with fields as names."""
        if self.source.table is None:
            table = self._unpacked(self.csv.read(table) if table.all_text else table)
        table = self._laid_out(table)
        self.problems += table.problems
        self.n_rows += len(table.rows)
        rows = self.decisions.read(table, self.problems)
        system = self.source.system
        if system is None:
            return rows
        for row in rows:
            name = row.values.get("system")
            if name not in (None, system) and repr(name) not in self._other_systems:
                self._other_systems.add(repr(name))
                given = f"the answers were given as system {system!r}; remove one of the two"
                self.problems.append(
                    Problem(f"is {name!r}, but {given}", row.source, row.line, "system")
                )
        return [Row({**row.values, "system": system}, row.source, row.line) for row in rows]

    def _unpacked(self, table: Table) -> Table:
        """A piece with conversations as their turns, whose notes are counted over all pieces."""
        read = of_other_tools(table, self.decisions.chosen.values(), is_piece=True)
        if read is not table:
            new = read.notes[len(table.notes) :]
            self._of_chats |= {note: None for note in new if conversations.BY_TURN not in note}
            said, by_turn = " ".join(new), conversations.BY_TURN
            names = (each for each in conversations.CHATS if f"read {each!r} {by_turn}" in said)
            name = next(names, "")
            n_turns = sum({"conversation", "messages"} <= {*row.values} for row in read.rows)
            if n_turns:
                self._turns[name] = self._turns.get(name, 0) + n_turns
        return read

    def _laid_out(self, table: Table) -> Table:
        """The table with lists, and with a row for each system, unless the source's system is known."""
        is_whole, has_system = self.source.table is not None, self.source.system is not None
        if not has_system:
            one_column = layouts.spread(table)
            if one_column is not table and not is_whole:
                raise NeedsAllRowsError("a column holds the answers of several systems")
            table = one_column
        is_new = _learn_columns(self._columns, table.rows)
        for name in () if has_system else filter(layouts.may_be_answers, self._columns):
            cells = (row.values.get(name) for row in table.rows)
            if name not in self._with_words and any(map(layouts.is_words, cells)):
                self._with_words.add(name)
                is_new = True
        chosen = self.decisions.chosen
        if is_new or self._layout is None:
            groups = layouts.numbered_groups(tuple(self._columns), tuple(chosen.values()))
            layout = None
            if not has_system:
                has_words = self._with_words.__contains__
                layout = layouts.layout_of(self._gathered(groups), chosen.get("answer"), has_words)
            self._layout = groups, layout
        self._has_one_layout &= self._used_layout in (None, self._layout)
        groups, layout = self._used_layout = self._layout
        table = layouts.gathered(table, groups) if groups else table
        if not is_whole and layouts.with_passages(table, tuple(chosen.values())) is not table:
            raise NeedsAllRowsError("its rows are the passages of questions")
        return table if layout is None else layouts.by_system(table, layout)

    def _gathered(self, groups: layouts.Groups) -> list[str]:
        """The columns with lists for the numbered ones."""
        taken = {column.name for group in groups.values() for column in group}
        return [*(name for name in self._columns if name not in taken), *groups]

    @property
    def may_be_passages(self) -> bool:
        """Whether each row may be a passage of a question, which has other rows far from it."""
        if self._layout is None or self.source.table is not None:
            return False
        chosen = self.decisions.chosen.values()
        free = [name for name in self._gathered(self._layout[0]) if name not in chosen]
        return layouts.passage_columns(free) is not None

    def column_problems(self) -> list[Problem]:
        """What is wrong with the source's rows and columns; not with their values."""
        names = self.decisions.naming().problems if self.n_rows else ()
        problems = [*self.problems, *(Problem(text, self.source.name) for text in names)]
        if not self.n_rows and not problems:
            return [Problem("holds no samples; is it the right file?", self.source.name)]
        return problems

    def notes(self) -> list[str]:
        """How columns and values were read."""
        groups, layout = self._layout or ({}, None)
        return [
            *(() if self.source.table is None else self.source.table.notes),
            *dict.fromkeys(self.csv.notes()),
            *conversations.notes_on(self._turns),
            *self._of_chats,
            *([layouts.note_of_groups(groups)] if groups else ()),
            *([] if layout is None else [layouts.note_of_systems(layout)]),
            *self.decisions.notes(),
        ]

    @property
    def is_settled(self) -> bool:
        """Whether all rows were read by what is decided now."""
        is_settled = self._has_one_layout and self.decisions.is_settled
        return self.source.table is not None or is_settled

    def again(self) -> "Reading":
        """The same source, to be read from the beginning by what is decided now."""
        # In another layout the columns are others.
        from_nothing = self.source.table is not None or not self._has_one_layout
        new = Reading(self.source, self.decisions.again(from_nothing=from_nothing))
        new._columns, new._with_words, new._layout = self._columns, self._with_words, self._layout
        return new

    def lacks(self, column: str) -> bool:
        return self.n_rows > 0 and column not in self.decisions.columns
