"""Columns that are read together: numbered ones as lists, and answers side by side as a row for each system.

Which columns these are depends on all columns of the source, and on whether some cell holds words.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ragauge.loaders.in_pieces.decisions import MAX_NAMES
from ragauge.loaders.in_pieces.tables import NeedsAllRowsError
from ragauge.loaders.shapes import numbered, side_by_side
from ragauge.loaders.shapes.passage_rows import may_be_passages
from ragauge.loaders.shapes.passage_rows import recognised as recognised_passage_rows
from ragauge.loaders.table import Table


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
    _now: "tuple[numbered.Groups, side_by_side.Layout | None] | None" = None

    def read(self, table: Table) -> Table:
        """The table of a piece with lists, and with a row for each system."""
        self._learn(table)
        groups, layout = self.now()
        if (groups, layout) not in self.used:
            self.used.append((groups, layout))
        if groups:
            table = numbered.gathered(table, groups)
        if recognised_passage_rows(table, keep=tuple(self.chosen.values())) is not table:
            raise NeedsAllRowsError("its rows are the passages of questions")
        if self.has_system:
            return table
        if side_by_side.spread(table) is not table:
            raise NeedsAllRowsError("a column holds the answers of several systems")
        return table if layout is None else side_by_side.by_system(table, layout)

    def _learn(self, table: Table) -> None:
        n_before = len(self.columns)
        if n_before < MAX_NAMES:
            for row in table.rows:
                self.columns.update(dict.fromkeys(row.values))
        is_new = len(self.columns) > n_before
        if not self.has_system:
            for name in filter(side_by_side.may_be_answers, self.columns):
                if name not in self.with_words and any(
                    side_by_side.is_words(row.values.get(name)) for row in table.rows
                ):
                    self.with_words.add(name)
                    is_new = True
        if is_new:
            self._now = None

    def now(self) -> "tuple[numbered.Groups, side_by_side.Layout | None]":
        """The layout of all rows read so far."""
        if self._now is None:
            groups = numbered.groups_of(tuple(self.columns), tuple(self.chosen.values()))
            layout = None
            if not self.has_system:
                columns, answer = self._gathered(groups), self.chosen.get("answer")
                layout = side_by_side.layout_of(columns, answer, self.with_words.__contains__)
            self._now = (groups, layout)
        return self._now

    def _gathered(self, groups: numbered.Groups) -> list[str]:
        """The columns with lists for the numbered ones."""
        taken = {one.column for group in groups.values() for one in group}
        return [*(name for name in self.columns if name not in taken), *groups]

    @property
    def may_be_passages(self) -> bool:
        """Whether each row may be a passage of a question, which has other rows far from it."""
        columns = self._gathered(self.now()[0])
        return may_be_passages([name for name in columns if name not in self.chosen.values()])

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
        notes = [numbered.note_of(groups)] if groups else []
        return notes if layout is None else [*notes, side_by_side.note_of(layout)]
