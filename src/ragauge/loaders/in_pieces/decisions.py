"""What is decided from all rows of a source: the fields of its columns, and what is left out."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ragauge.errors import Problem
from ragauge.loaders.contents import ExtraColumns
from ragauge.loaders.formats.csv import read_cells, read_json_lists, read_printed_lists
from ragauge.loaders.in_pieces.number_columns import NumberColumns
from ragauge.loaders.in_pieces.tables import NeedsAllRowsError
from ragauge.loaders.mapping import MAX_COLUMNS, Naming, name_columns, renamed_rows
from ragauge.loaders.passages import ContextParts
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
        if table.all_text and self.has_all_rows:
            rows = read_cells(rows, problems)
        elif table.all_text:
            numeric = self.numbers.add(rows)
            for name, is_numeric in numeric.items():
                self._use(_Column("is numeric", name), is_numeric)
            rows = read_cells(rows, problems, [name for name in numeric if numeric[name]])
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
