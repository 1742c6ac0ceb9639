"""Rows of the same id: grouped by its hash, compared exactly with the first, their conflicts counted."""

from array import array
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from ragauge.errors import Problem
from ragauge.loaders.conflicts import Conflict, Conflicts, same_value
from ragauge.loaders.pairing import system_of
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


Place = tuple[int, int, int, int]
"""Between systems before those with the gold; then the system if each has its own source, the source, the line."""


@dataclass(slots=True)
class _Group:
    first: Conflict
    place: Place
    n_ids: int = 0

    def add(self, conflict: Conflict, place: Place) -> None:
        if place < self.place:
            self.first, self.place = conflict, place


@dataclass(slots=True)
class ConflictCounts:
    """The conflicts of the rows joined so far, `between` systems and `with_gold`.

    All rows of a question are in one batch.
    """

    keys: "RowKeys"
    between: Conflicts
    with_gold: Conflicts
    _found: dict[Hashable, _Group] = field(default_factory=dict[Hashable, _Group])
    _settled: dict[Hashable, _Group] = field(default_factory=dict[Hashable, _Group])

    def take(self) -> None:
        """Count the conflicts of a batch, and forget them."""
        found_ids: dict[Hashable, set[str]] = {}
        settled_ids: dict[Hashable, set[str]] = {}
        for rank, conflicts in enumerate((self.between, self.with_gold)):
            for each in conflicts.found:
                key = (rank, each.field, each.row.source, each.other.source)
                self._add(self._found, found_ids, key, each, rank)
            for each in conflicts.settled:
                self._add(self._settled, settled_ids, each.field, each, rank)
            conflicts.found.clear()
            conflicts.settled.clear()
        for groups, ids in ((self._found, found_ids), (self._settled, settled_ids)):
            for key, several in ids.items():
                groups[key].n_ids += len(several)

    def _add(
        self,
        groups: dict[Hashable, _Group],
        ids: dict[Hashable, set[str]],
        key: Hashable,
        conflict: Conflict,
        rank: int,
    ) -> None:
        row = conflict.row
        system = 0 if self.keys.one_table else self.keys.systems[system_of(row)]
        place = (rank, system, self.keys.sources.index(row.source), row.line or 0)
        groups.setdefault(key, _Group(conflict, place)).add(conflict, place)
        ids.setdefault(key, set()).add(conflict.id)

    def problems(self) -> list[Problem]:
        """One problem for each field and pair of sources, in the order of the rows."""
        return [self.between.problem(group.first, group.n_ids) for group in _in_order(self._found)]

    def notes(self) -> list[str]:
        """How many conflicts were settled, and how."""
        return [
            self.between.note(group.first.field, group.first.id, group.n_ids)
            for group in _in_order(self._settled)
        ]


def _in_order(groups: dict[Hashable, _Group]) -> list[_Group]:
    return sorted(groups.values(), key=lambda group: group.place)


if TYPE_CHECKING:
    from ragauge.loaders.in_pieces.row_keys import RowKeys

    Ints = NDArray[np.int64]


class IdGroups:
    """Rows by the hash of their id: `order` sorts them, a group begins at each of `starts`.

    Numbers of rows have 4 bytes where that is enough: these arrays are the most that reading holds.
    """

    def __init__(self, order: "Ints", starts: "Ints") -> None:
        self.starts, self.n = starts, len(starts)
        self.order = order.astype(self._dtype(len(order)))

    @staticmethod
    def _dtype(n: int) -> Any:
        return np.int32 if n <= np.iinfo(np.int32).max else np.int64

    def of_rows(self) -> "Ints":
        """The number of each row's group."""
        numbers = np.zeros(len(self.order), dtype=self.order.dtype)
        numbers[self.starts[1:]] = 1
        group = np.empty_like(numbers)
        group[self.order] = np.cumsum(numbers, dtype=numbers.dtype)
        return group

    def repeated(self) -> "tuple[Ints, Ints]":
        """The rows of groups of several, with the number of their group, by group and then by row."""
        ends = np.append(self.starts[1:], len(self.order))
        sizes = ends - self.starts
        group = np.repeat(np.arange(self.n, dtype=self.order.dtype), sizes)
        if (sizes > 1).all():
            return self.order, group
        several = np.repeat(sizes > 1, sizes)
        return self.order[several], group[several]
