"""One source of answers, read piece by piece: its layout; once more if later rows change what was decided."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ragauge.errors import Problem
from ragauge.loaders import sources
from ragauge.loaders.formats.csv import CsvNotes
from ragauge.loaders.rows import Decisions, learn_columns
from ragauge.loaders.shapes import conversations, layouts
from ragauge.loaders.table import NeedsAllRowsError, Table
from ragauge.samples.fields import Row

if TYPE_CHECKING:
    Layout = tuple[layouts.Groups, layouts.Layout | None]


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
        return (
            (own.table,)
            if own.table is not None
            else sources.file_tables(own.files, sources.PIECE_BYTES)
        )

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
        read = sources.of_other_tools(table, self.decisions.chosen.values(), is_piece=True)
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
        is_new = learn_columns(self._columns, table.rows)
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
