"""What must hold over all rows: unique (id, system), one question per id, ids that do not look alike.

Kept of each row are two hashes of 8 bytes, the number of its system and that of its file. Rows whose
hashes are equal are read again and compared exactly, so a collision of hashes changes nothing.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ragauge.errors import Problem
from ragauge.loaders.conflicts import (
    NOTHING_IN_COMMON,
    OF_QUESTION,
    Conflicts,
    Prefer,
    unanswered_note,
)
from ragauge.loaders.in_pieces.differences import Differences, IdGroups
from ragauge.loaders.in_pieces.piece_files import LINE, PieceFiles
from ragauge.samples.frame import duplicate_problem, look_alike_notes, look_of
from ragauge.samples.samples import DEFAULT_SYSTEM, Row

if TYPE_CHECKING:
    Hashes = NDArray[np.uint64]
    Ints = NDArray[np.int64]

MAX_DUPLICATES = 10_000
"""Most duplicates that are reported; the others are counted."""
COMPARED_AT_ONCE = 20_000
SORTED_AT_ONCE = 500_000
"""Neighbours in an order that are compared at once."""
NAMED = 10
SHARED = ("references", "gold_contexts", "relevant", "answerable")
"""Fields that belong to a question, whoever answers it."""


@dataclass(slots=True)
class RowKeys:
    """The keys of the rows read so far.

    `one_table`: the author of all answers wrote their gold, so that it may differ between systems.
    `prefer` and `by_place` are those of `join`.
    """

    one_table: bool = True
    prefer: Prefer | None = None
    by_place: bool = False
    systems: dict[str, int] = field(default_factory=dict[str, int])
    _ids: "list[Hashes]" = field(default_factory=list[Any])
    _looks: "list[Hashes]" = field(default_factory=list[Any])
    _systems: "list[NDArray[np.uint32]]" = field(default_factory=list[Any])
    sources: list[str] = field(default_factory=list[str])
    _ends: list[int] = field(default_factory=list[int])
    """The source of each run of rows, and the number of the first row after it."""

    def add(self, frame: "pl.DataFrame", sources: Iterable[str]) -> None:
        """Keep the keys of a piece of samples, and the source of each row."""
        self._add_ids(frame)
        systems = cast("list[str]", frame["system"].to_list())
        for system in dict.fromkeys(systems):
            self.systems.setdefault(system, len(self.systems))
        self._systems.append(np.array([self.systems[system] for system in systems], np.uint32))
        for source, several in groupby(sources):
            end = (self._ends[-1] if self._ends else 0) + sum(1 for _ in several)
            if self.sources[-1:] == [source]:
                self._ends[-1] = end
            else:
                self.sources.append(source)
                self._ends.append(end)

    def _add_ids(self, frame: "pl.DataFrame") -> None:
        ids = frame["id"]
        self._ids.append(ids.hash().to_numpy())
        looks = pl.Series([look_of(id) for id in cast("list[str]", ids.to_list())], dtype=pl.String)
        self._looks.append(looks.hash().to_numpy())

    def rename(self, pieces: PieceFiles, ids: Iterable[Sequence[str]]) -> None:
        """Give the rows of all pieces other ids."""
        self._ids.clear()
        self._looks.clear()
        for number, own in enumerate(ids):
            self._add_ids(pieces.rename(number, own))

    def check(
        self, pieces: PieceFiles, without_gold: "Mapping[str, Collection[str]] | None" = None
    ) -> "KeyFindings":
        """The problems and notes of all rows.

        `without_gold`: by field of the gold, the systems without it if others have it; they get the others' values.
        So do rows that differ from the first of their question, if the user prefers that.
        """
        found = KeyFindings()
        ids = np.concatenate(self._ids)
        self._ids.clear()
        order = np.argsort(ids, kind="stable")
        is_new = np.ones(len(ids), dtype=np.bool_)
        for start, some in _overlapping(order):
            is_new[start + 1 : start + len(some)] = ids[some[1:]] != ids[some[:-1]]
        if not is_new.all():
            systems = self.systems_of_rows()
            groups = IdGroups(order, np.flatnonzero(is_new))
            order = groups.order
            self._duplicates(groups, systems, pieces, found)
            self._conflicts(groups, pieces, found)
            if without_gold:
                self._share(without_gold, groups, systems, pieces, found)
            self._gaps(groups, systems, pieces, found)
        elif len(self.systems) > 1:
            systems = self.systems_of_rows()
            self._gaps(IdGroups(order, np.flatnonzero(is_new)), systems, pieces, found)
        del order, is_new
        self._look_alikes(ids, pieces, found)
        return found

    def systems_of_rows(self) -> "NDArray[np.uint32]":
        """The number of each row's system."""
        return np.concatenate(self._systems)

    def ids_of_rows(self) -> "Hashes":
        """The hash of each row's id; only before `check`, which forgets them."""
        return np.concatenate(self._ids)

    def duplicates(self, pieces: PieceFiles) -> list[Problem]:
        """The problems of rows with the id and system of an earlier one."""
        found = KeyFindings()
        ids = np.concatenate(self._ids)
        order = np.argsort(ids, kind="stable")
        is_new = np.ones(len(ids), dtype=np.bool_)
        for start, some in _overlapping(order):
            is_new[start + 1 : start + len(some)] = ids[some[1:]] != ids[some[:-1]]
        groups = IdGroups(order, np.flatnonzero(is_new))
        self._duplicates(groups, self.systems_of_rows(), pieces, found)
        return found.duplicates

    def look_alikes(self, pieces: PieceFiles) -> list[str]:
        """Notes on different ids that look alike."""
        found = KeyFindings()
        self._look_alikes(np.concatenate(self._ids), pieces, found)
        return found.alike

    def row(self, number: int, line: object, values: "dict[str, object]") -> Row:
        """A row with its place: that of the row with this number, and the line."""
        source = self.sources[bisect_right(self._ends, number)]
        return Row(values, source, cast("int | None", line))

    def _duplicates(
        self,
        groups: "IdGroups",
        systems: "NDArray[np.uint32]",
        pieces: PieceFiles,
        found: "KeyFindings",
    ) -> None:
        """Rows with the id and the system of an earlier one."""
        rows, group = groups.repeated()
        own = systems[rows]
        pairs = group.astype(np.int64) * len(self.systems) + own
        pairs.sort()
        is_unique = not (pairs[1:] == pairs[:-1]).any()
        del pairs
        if is_unique:
            return
        order = np.lexsort((rows, own, group))
        rows, group, own = rows[order], group[order], own[order]
        same = (group[1:] == group[:-1]) & (own[1:] == own[:-1])
        suspects = np.union1d(rows[1:][same], rows[:-1][same])
        first: dict[tuple[str, str], Row] = {}
        n_more = 0
        for start in range(0, len(suspects), COMPARED_AT_ONCE):
            at = suspects[start : start + COMPARED_AT_ONCE]
            for number, line, id, system in (
                pieces.rows(at, ["id", "system", LINE])
                .select("row", LINE, "id", "system")
                .iter_rows()
            ):
                row = self.row(number, line, {})
                before = first.setdefault((id, system), row)
                if before is row:
                    continue
                if len(found.duplicates) < MAX_DUPLICATES:
                    found.duplicates.append(duplicate_problem(row, before, id, system))
                else:
                    n_more += 1
            if n_more > MAX_DUPLICATES:
                break
        if n_more:
            found.duplicates.append(
                Problem(f"more than {MAX_DUPLICATES:,} other rows are duplicates", self.sources[0])
            )

    def _conflicts(self, groups: "IdGroups", pieces: PieceFiles, found: "KeyFindings") -> None:
        """Fields of a question that differ between its rows."""
        several = np.zeros(0, dtype=np.int64)
        settled: list[tuple[int, str]] = []
        may_ask_others = self.by_place or pieces.kinds.keys() >= {"conversation", "turn"}
        for name in OF_QUESTION:
            if name not in pieces.kinds:
                continue
            rows, others = self._differing(name, groups, pieces)
            skip = np.isin(rows, several)
            conflicts = Conflicts(self.prefer, may_ask_others, one_table=self.one_table)
            exact = Differences(name, conflicts)
            for row, other in self._pairs(name, rows[~skip], others[~skip], pieces):
                exact.add(row, other)
            if not exact.rows:
                continue
            if name == "question" and self.prefer is None:
                several = np.array(exact.rows, dtype=np.int64)
            if exact.is_settled:
                settled.append((exact.rows[0], exact.note()))
            else:
                found.conflicts += exact.problems()
            if self.prefer == "first":
                pieces.copy_values(name, exact.rows, exact.others)
        found.differing += [note for _, note in sorted(settled, key=lambda each: each[0])]

    def _share(
        self,
        without_gold: "Mapping[str, Collection[str]]",
        groups: "IdGroups",
        systems: "NDArray[np.uint32]",
        pieces: PieceFiles,
        found: "KeyFindings",
    ) -> None:
        """Give the systems without gold the values of the first row of each question that has one."""
        group, names = groups.of_rows(), list(self.systems)
        used: list[tuple[int, str]] = []
        for name, systems_without in without_gold.items():
            given = _filled(name, pieces)[groups.order]
            with_value, of_group = groups.order[given], group[groups.order[given]]
            is_first = np.ones(len(with_value), dtype=np.bool_)
            is_first[1:] = of_group[1:] != of_group[:-1]
            donor = np.full(groups.n, -1, dtype=groups.order.dtype)
            donor[of_group[is_first]] = with_value[is_first]
            for system in systems_without:
                rows = np.flatnonzero(systems == self.systems[system])
                donors = donor[group[rows]]
                rows, donors = rows[donors >= 0], donors[donors >= 0]
                pieces.copy_values(name, rows, donors)
                owners = systems[donors]
                for owner in cast("list[int]", np.unique(owners).tolist()):
                    own = rows[owners == owner]
                    note = (
                        f"{name} of {names[owner]!r} used for {len(own):,} answers of {system!r}, "
                        "which has none"
                    )
                    used.append((int(own[0]), note))
        found.shared += [note for _, note in sorted(used, key=lambda each: each[0])]

    def _differing(self, name: str, groups: "IdGroups", pieces: PieceFiles) -> "tuple[Ints, Ints]":
        """Rows whose value of a field has another hash than the first of their id, and that row."""
        parts: list[Hashes] = []
        for number in range(len(pieces.starts)):
            frame = pieces.piece(number, ["id", name])
            if name in frame.columns:
                hashes = frame[name].hash().to_numpy().copy()
                hashes[frame[name].is_null().to_numpy()] = 0
            else:
                hashes = np.zeros(frame.height, dtype=np.uint64)
            parts.append(hashes)
        rows, group = groups.repeated()
        hashes = np.concatenate(parts)
        parts.clear()
        hashes = hashes[rows]
        given = hashes != 0
        if not given.all():
            rows, group, hashes = rows[given], group[given], hashes[given]
        if not len(rows):
            return rows, rows
        is_first = np.concatenate(([True], group[1:] != group[:-1]))
        del group
        sizes = np.diff(np.append(np.flatnonzero(is_first), len(rows)))
        first = np.repeat(np.flatnonzero(is_first).astype(rows.dtype), sizes)
        differs = hashes != hashes[first]
        order = np.argsort(rows[differs])
        return rows[differs][order], rows[first][differs][order]

    def _pairs(
        self, name: str, rows: "Ints", others: "Ints", pieces: PieceFiles
    ) -> "Iterator[tuple[tuple[int, Row], tuple[int, Row]]]":
        """Each row and the first row of its id, with the field, in the order of the rows."""
        columns = ["id", "system", name, LINE]
        for start in range(0, len(rows), COMPARED_AT_ONCE):
            own = rows[start : start + COMPARED_AT_ONCE].tolist()
            first = others[start : start + COMPARED_AT_ONCE].tolist()
            read = {
                cast(int, values.pop("row")): values
                for values in pieces.rows([*own, *first], columns).iter_rows(named=True)
            }
            for at, before in zip(own, first, strict=True):
                pair = [
                    self.row(number, read[number][LINE], _given(read[number], name))
                    for number in (at, before)
                ]
                yield (at, pair[0]), (before, pair[1])

    def _gaps(
        self,
        groups: "IdGroups",
        systems: "NDArray[np.uint32]",
        pieces: PieceFiles,
        found: "KeyFindings",
    ) -> None:
        """Notes on questions that one system answers and another does not."""
        if len(self.systems) < 2:
            return
        group = groups.of_rows()
        first_row = groups.order[groups.starts]  # the order is stable
        n_answered = 0
        for system, code in self.systems.items():
            answered = np.zeros(groups.n, dtype=np.bool_)
            answered[group[systems == code]] = True
            n_answered += int(answered.sum())
            missing = np.sort(first_row[~answered])
            if len(missing):
                ids = pieces.rows(missing[:NAMED], ["id"])["id"].to_list()
                found.gaps.append(unanswered_note(system, ids, len(missing), groups.n))
        if n_answered == groups.n:
            found.gaps.append(NOTHING_IN_COMMON)

    def _look_alikes(self, ids: "Hashes", pieces: PieceFiles, found: "KeyFindings") -> None:
        looks = np.concatenate(self._looks)
        self._looks.clear()
        order = np.argsort(looks, kind="stable")
        of_several: list[Hashes] = []
        for _, some in _overlapping(order):
            look, id = looks[some], ids[some]
            of_several.append(look[1:][(look[1:] == look[:-1]) & (id[1:] != id[:-1])])
        del order
        shared = np.unique(np.concatenate(of_several))
        if not len(shared):
            return
        alike = np.isin(looks, shared)
        given: set[str] = set()
        suspects = np.flatnonzero(alike)
        for start in range(0, len(suspects), COMPARED_AT_ONCE):
            rows = pieces.rows(suspects[start : start + COMPARED_AT_ONCE], ["id"])
            given.update(cast("list[str]", rows["id"].to_list()))
        found.alike += look_alike_notes(given)


def _overlapping(order: "Ints") -> "Iterator[tuple[int, Ints]]":
    """Some rows of an order at a time, each time from the last one on: what is compared stays small."""
    for start in range(0, max(len(order) - 1, 1), SORTED_AT_ONCE):
        yield start, order[start : start + SORTED_AT_ONCE + 1]


def _given(values: "dict[str, object]", name: str) -> "dict[str, object]":
    """The values that a message names: the system unless it is the usual one."""
    own = {"id": values["id"], name: values[name]}
    if values["system"] != DEFAULT_SYSTEM:
        own["system"] = values["system"]
    return own


def _filled(name: str, pieces: PieceFiles) -> "NDArray[np.bool_]":
    """For each row whether it has a value of a field."""
    return np.concatenate(
        [
            frame[name].is_not_null().to_numpy()
            if name in frame.columns
            else np.zeros(frame.height, dtype=np.bool_)
            for frame in pieces.pieces(["id", name])
        ]
    )


@dataclass(slots=True)
class KeyFindings:
    """Problems and notes in the order in which reading in memory gives them."""

    conflicts: list[Problem] = field(default_factory=list[Problem])
    duplicates: list[Problem] = field(default_factory=list[Problem])
    differing: list[str] = field(default_factory=list[str])
    shared: list[str] = field(default_factory=list[str])
    gaps: list[str] = field(default_factory=list[str])
    alike: list[str] = field(default_factory=list[str])
