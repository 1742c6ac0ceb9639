"""What is decided from all rows of a source: its layout, the fields of its columns, what is left out."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from ragauge.errors import Problem
from ragauge.loaders.formats.csv import read_cells, read_json_lists, read_printed_lists
from ragauge.loaders.in_pieces.number_columns import NumberColumns
from ragauge.loaders.in_pieces.tables import NeedsAllRowsError
from ragauge.loaders.mapping import MAX_COLUMNS, ExtraColumns, Naming, name_columns, renamed_rows
from ragauge.loaders.passages import ContextParts
from ragauge.loaders.shapes import layouts
from ragauge.loaders.table import Table
from ragauge.samples.samples import FIELDS, Row

MAX_NAMES = 20 * MAX_COLUMNS
"""The collection of names stops here: a source with more than MAX_COLUMNS is refused."""


@dataclass(frozen=True, slots=True)
class _Column:
    """A decision about one column."""

    what: Literal["is numeric", "is left out"]
    name: str


@dataclass(slots=True)
class Decisions:
    """The decisions by now, and `used`: those that rows were read by.

    Rows that were read by a decision which has changed since must be read again.
    """

    chosen: Mapping[str, str]
    settled: Sequence[str] = ()
    has_gold: bool = False
    has_all_rows: bool = False
    """Whether all rows are read at once."""
    aliases: Mapping[str, str] | None = None
    """Other names of fields than those of answers."""
    columns: dict[str, None] = field(default_factory=dict[str, None])
    numbers: NumberColumns = field(default_factory=NumberColumns)
    contexts: ContextParts = field(default_factory=ContextParts)
    extra: ExtraColumns = field(default_factory=ExtraColumns)
    used: dict[Hashable, set[object]] = field(default_factory=dict[Hashable, set[object]])
    _naming: Naming | None = None

    def read(self, table: Table, problems: list[Problem]) -> Sequence[Row]:
        """The rows of a piece with fields as names, and cells and contexts read."""
        naming = self._named(table)
        if naming.problems:
            return ()
        rows = renamed_rows(table.rows, naming)
        if table.all_text:
            names = self.numbers.add(rows)
            if self.has_all_rows:
                self.numbers.finish()
            numeric = names - self.numbers.texts
            for name in names:
                self._use(_Column("is numeric", name), name in numeric)
            rows = read_cells(rows, problems, numeric)
        elif table.may_print_lists:
            rows = read_printed_lists(rows)
        else:
            rows = read_json_lists(rows)
        rows = self.contexts.read(rows, problems)
        if len(self.contexts.keys) > 1:
            raise NeedsAllRowsError("the documents in contexts have different kinds of ids")
        if any(row.values.get("contexts") == [] for row in rows):
            self._use("filled", frozenset(self.contexts.filled))
        rows = self.extra.read(rows)
        for name in {name for row in rows for name in row.values if name not in FIELDS}:
            self._use(_Column("is left out", name), value=False)
        return rows

    def naming(self) -> Naming:
        """The fields of all columns read so far."""
        if self._naming is None:
            chosen = {
                name: column for name, column in self.chosen.items() if column in self.columns
            }
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

    def _named(self, table: Table) -> Naming:
        n_before = len(self.columns)
        if n_before < MAX_NAMES:
            for row in table.rows:
                self.columns.update(dict.fromkeys(row.values))
        if len(self.columns) > n_before:
            self._naming = None
        naming = self.naming()
        self._use("naming", _essence(naming))
        return naming

    def _use(self, decision: Hashable, value: object) -> None:
        self.used.setdefault(decision, set()).add(value)

    @property
    def is_settled(self) -> bool:
        """Whether all rows were read by the decisions as they are now."""
        self.numbers.finish()
        return not self.numbers.is_incomplete and all(
            values == {self._now(decision)} for decision, values in self.used.items()
        )

    def _now(self, decision: Hashable) -> object:
        if isinstance(decision, _Column):
            if decision.what == "is numeric":
                return decision.name not in self.numbers.texts
            return decision.name in self.extra.left_out
        if decision == "filled":
            return frozenset(self.contexts.filled)
        return _essence(self.naming())

    def restarted(self) -> "Decisions":
        """No decision yet, for the same source."""
        return Decisions(self.chosen, self.settled, self.has_gold, self.has_all_rows)

    def for_next_pass(self) -> "Decisions":
        """The same decisions, to read all rows by them from the beginning."""
        again = Decisions(
            self.chosen, self.settled, self.has_gold, columns=dict(self.columns), extra=self.extra
        )
        again.numbers.texts |= self.numbers.texts
        again.numbers.kept |= self.numbers.kept
        again.contexts.filled |= self.contexts.filled
        return again


def _essence(naming: Naming) -> object:
    """What of a naming changes rows."""
    if naming.problems:
        return naming.problems
    renamed = frozenset((a, b) for a, b in naming.fields.items() if a != b)
    return renamed, naming.left_out, naming.spare


@dataclass(slots=True)
class Layouts:
    """The layout by the rows read so far, and `used`: the layouts by which rows were read.

    `has_system`: the source's system was given, so that its answers are those of one system.
    """

    chosen: Mapping[str, str]
    has_system: bool
    columns: dict[str, None] = field(default_factory=dict[str, None])
    with_words: set[str] = field(default_factory=set[str])
    """The columns that may be a system's answers and hold words."""
    used: list[object] = field(default_factory=list[object])
    _now: "tuple[layouts.Groups, layouts.Layout | None] | None" = None

    def read(self, table: Table) -> Table:
        """The table of a piece with lists, and with a row for each system."""
        self._learn(table)
        groups, layout = self.now()
        if (groups, layout) not in self.used:
            self.used.append((groups, layout))
        if groups:
            table = layouts.gathered(table, groups)
        if layouts.with_passages(table, keep=tuple(self.chosen.values())) is not table:
            raise NeedsAllRowsError("its rows are the passages of questions")
        if self.has_system:
            return table
        if layouts.spread(table) is not table:
            raise NeedsAllRowsError("a column holds the answers of several systems")
        return table if layout is None else layouts.by_system(table, layout)

    def _learn(self, table: Table) -> None:
        n_before = len(self.columns)
        if n_before < MAX_NAMES:
            for row in table.rows:
                self.columns.update(dict.fromkeys(row.values))
        is_new = len(self.columns) > n_before
        if not self.has_system:
            for name in filter(layouts.may_be_answers, self.columns):
                if name not in self.with_words and any(
                    layouts.is_words(row.values.get(name)) for row in table.rows
                ):
                    self.with_words.add(name)
                    is_new = True
        if is_new:
            self._now = None

    def now(self) -> "tuple[layouts.Groups, layouts.Layout | None]":
        """The layout of all rows read so far."""
        if self._now is None:
            groups = layouts.numbered_groups(tuple(self.columns), tuple(self.chosen.values()))
            layout = None
            if not self.has_system:
                columns, answer = self._gathered(groups), self.chosen.get("answer")
                layout = layouts.layout_of(columns, answer, self.with_words.__contains__)
            self._now = (groups, layout)
        return self._now

    def _gathered(self, groups: layouts.Groups) -> list[str]:
        """The columns with lists for the numbered ones."""
        taken = {column.name for group in groups.values() for column in group}
        return [*(name for name in self.columns if name not in taken), *groups]

    @property
    def may_be_passages(self) -> bool:
        """Whether each row may be a passage of a question, which has other rows far from it."""
        columns = self._gathered(self.now()[0])
        free = [name for name in columns if name not in self.chosen.values()]
        return layouts.passage_columns(free) is not None

    @property
    def is_settled(self) -> bool:
        """Whether all rows were read by the layout as it is now."""
        return all(layout == self.now() for layout in self.used)

    def for_next_pass(self) -> "Layouts":
        """The same layout, to read all rows by it from the beginning."""
        return replace(self, used=[])

    def notes(self) -> list[str]:
        """Which columns were read together."""
        groups, layout = self.now()
        notes = [layouts.note_of_groups(groups)] if groups else []
        return notes if layout is None else [*notes, layouts.note_of_systems(layout)]
