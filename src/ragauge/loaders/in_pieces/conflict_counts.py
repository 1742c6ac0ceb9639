"""Count the conflicts that are found batch by batch: kept are the first of a kind and how many ids there are."""

from collections.abc import Hashable
from dataclasses import dataclass, field

from ragauge.errors import Problem
from ragauge.loaders.conflicts import Conflict, Conflicts
from ragauge.loaders.in_pieces.row_keys import RowKeys
from ragauge.loaders.pairing import system_of

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

    keys: RowKeys
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
