"""One source of answers, of a system or of all, and how its rows are read; the gold of a file of its own."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ragauge.errors import Problem
from ragauge.loaders.in_pieces.decisions import Decisions, Layouts
from ragauge.loaders.in_pieces.tables import CsvNotes, FileTables, NeedsAllRowsError
from ragauge.loaders.names import ALIASES_IN_GOLD, GIVEN_BY_ANSWERS
from ragauge.loaders.shapes import benchmarks, conversations
from ragauge.loaders.sources import with_turns
from ragauge.loaders.table import Table
from ragauge.samples.frame import problems_of
from ragauge.samples.samples import Row


@dataclass(frozen=True, slots=True)
class Source:
    """Files of answers, or one table. `name` is theirs in messages; `system` gave all of them, if it is known."""

    files: Sequence[Path]
    name: str
    system: str | None = None
    table: Table | None = None


@dataclass(slots=True)
class Side:
    """One reading of a source. Without `layouts`, its table has a row for each answer."""

    tables: FileTables | Sequence[Table]
    source: Source
    layouts: Layouts | None
    decisions: Decisions
    csv: CsvNotes = field(default_factory=CsvNotes)
    problems: list[Problem] = field(default_factory=list[Problem])
    n_rows: int = 0
    _turns: dict[str, int] = field(default_factory=dict[str, int])
    _other_systems: set[str] = field(default_factory=set[str])

    @classmethod
    def of(cls, source: Source, chosen: Mapping[str, str], *, has_gold: bool) -> "Side":
        """A first reading. `chosen`: the user's choice of columns; `has_gold`: gold is in another file."""
        has_system = source.system is not None
        settled = ("system",) if has_system else ()
        decisions = Decisions(chosen, settled, has_gold, source.table is not None)
        if source.table is not None:
            return cls([source.table], source, None, decisions)
        return cls(FileTables(source.files), source, Layouts(chosen, has_system), decisions)

    def read(self, given: Table) -> Sequence[Row]:
        """The rows of a piece with fields as names."""
        table = given
        if self.layouts is not None:
            table = self.csv.read(given) if given.all_text else given
            read = with_turns(table, self.layouts.chosen.values())
            if read is None or benchmarks.as_legalbench(read) is not read:
                raise NeedsAllRowsError("its rows have the shape of another tool's")
            if read is not table:
                name = next(each for each in conversations.CHATS if each in table.columns())
                n_turns = sum("conversation" in row.values for row in read.rows)
                self._turns[name] = self._turns.get(name, 0) + n_turns
            table = self.layouts.read(read)
        self.problems += table.problems
        self.n_rows += len(table.rows)
        return self._of_system(self.decisions.read(table, self.problems))

    def _of_system(self, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows as answers of the given system; a conflicting `system` column is a problem."""
        system = self.source.system
        if system is None:
            return rows
        for row in rows:
            name = row.values.get("system")
            if name is not None and name != system and repr(name) not in self._other_systems:
                self._other_systems.add(repr(name))
                problem = (
                    f"is {name!r}, but the answers were given as system {system!r}; "
                    "remove one of the two"
                )
                self.problems.append(Problem(problem, row.source, row.line, "system"))
        return [Row({**row.values, "system": system}, row.source, row.line) for row in rows]

    def column_problems(self) -> list[Problem]:
        """What is wrong with the source's rows and columns; not with their values."""
        names = self.decisions.naming().problems if self.n_rows else ()
        return [*self.problems, *(Problem(text, self.source.name) for text in names)]

    def notes(self) -> list[str]:
        """How columns and values were read."""
        of_table = () if self.source.table is None else self.source.table.notes
        return [
            *of_table,
            *dict.fromkeys(self.csv.notes()),
            *conversations.notes_on(self._turns),
            *(() if self.layouts is None else self.layouts.notes()),
            *self.decisions.notes(),
        ]

    @property
    def is_settled(self) -> bool:
        """Whether all rows were read by what is decided now."""
        return self.layouts is None or (self.layouts.is_settled and self.decisions.is_settled)

    def for_next_pass(self) -> "Side":
        """The same source, to be read from the beginning by what is decided now."""
        own = self.decisions
        if self.layouts is None:
            return Side(self.tables, self.source, None, own.restarted())
        # In another layout the columns are others.
        decisions = own.for_next_pass() if self.layouts.is_settled else own.restarted()
        return Side(self.tables, self.source, self.layouts.for_next_pass(), decisions)

    def lacks(self, column: str) -> bool:
        return self.n_rows > 0 and column not in self.decisions.columns


@dataclass(frozen=True, slots=True)
class GoldTable:
    """Gold in memory, with fields as columns. `given`: the names of its columns in its file."""

    table: Table
    given: Collection[str] = ()

    @classmethod
    def of(cls, gold: Table, chosen: Mapping[str, str]) -> "GoldTable":
        """The gold with fields as names, and with the problems of its values."""
        columns = gold.columns()
        if not gold.rows:
            return cls(gold, columns)
        here = {
            field: column
            for field, column in chosen.items()
            if column in columns and field not in GIVEN_BY_ANSWERS
        }
        decisions = Decisions(here, has_all_rows=True, aliases=ALIASES_IN_GOLD)
        of_values: list[Problem] = []
        rows = tuple(decisions.read(gold, of_values))
        names = (Problem(text, gold.source) for text in decisions.naming().problems)
        problems = [*gold.problems, *names, *of_values]
        if rows and not problems:
            problems = problems_of(rows)
        notes = (*gold.notes, *decisions.notes())
        return cls(Table(rows, gold.source, notes, tuple(problems)), columns)
