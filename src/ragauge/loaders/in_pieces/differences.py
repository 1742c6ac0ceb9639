"""Rows whose field differs from the first row of their question, compared exactly."""

from array import array
from dataclasses import dataclass, field
from typing import cast

from ragauge.errors import Problem
from ragauge.loaders.conflicts import Conflict, Conflicts, same_value
from ragauge.samples.samples import Row


@dataclass(slots=True)
class Differences:
    """The exact differences of one field; for messages they are counted by the sources of the two rows."""

    name: str
    conflicts: Conflicts
    rows: "array[int]" = field(default_factory=lambda: array("q"))
    """The numbers of the rows that differ."""
    others: "array[int]" = field(default_factory=lambda: array("q"))
    """For each of them the first row of its question with a value."""
    first: dict[tuple[str, str], Conflict] = field(default_factory=dict[tuple[str, str], Conflict])
    questions: dict[tuple[str, str], set[int]] = field(
        default_factory=dict[tuple[str, str], set[int]]
    )

    def add(self, pair: tuple[int, Row], before: tuple[int, Row]) -> None:
        """Compare a row with the first one of its id."""
        (number, row), (first, other) = pair, before
        name = self.name
        id = cast(str, row.values["id"])
        is_duplicate = row.source == other.source and (
            row.values.get("system") == other.values.get("system")
        )
        if id != other.values["id"] or is_duplicate:
            return
        if same_value(name, row.values[name], other.values[name]):
            return
        self.rows.append(number)
        self.others.append(first)
        key = (row.source, other.source)
        self.first.setdefault(key, Conflict(name, id, row, other))
        self.questions.setdefault(key, set()).add(first)

    @property
    def is_settled(self) -> bool:
        """Whether such rows may differ."""
        own = self.conflicts
        return own.prefer is not None or (
            own.by_place if self.name == "question" else own.one_table
        )

    def problems(self) -> list[Problem]:
        """One problem for each pair of sources, naming the first difference."""
        return [
            self.conflicts.problem(conflict, len(self.questions[key]))
            for key, conflict in self.first.items()
        ]

    def note(self) -> str:
        """How many questions differ, and which value is used."""
        first = next(iter(self.first.values()))
        return self.conflicts.note(self.name, first.id, len(set(self.others)))
