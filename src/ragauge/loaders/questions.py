"""What must hold over all rows: unique (id, system), one question per id, ids that do not look alike."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ragauge.errors import Problem
from ragauge.loaders.conflicts import (
    NOTHING_IN_COMMON,
    OF_QUESTION,
    Conflicts,
    unanswered_note,
)
from ragauge.loaders.piece_files import LINE, ROW, SOURCE, PieceFiles
from ragauge.samples.frame import duplicate_problem, look_alike_notes, look_of
from ragauge.samples.samples import DEFAULT_SYSTEM, Row

if TYPE_CHECKING:
    Flags = NDArray[np.bool_]
    Hashes = NDArray[np.uint64]
    Ints = NDArray[np.int64]

MAX_DUPLICATES = 10_000  # most that are reported; the others are counted
COMPARED_AT_ONCE = 20_000
NAMED = 10


class Questions:
    """The rows of all pieces by question: `group` is the number of each row's question, `first` its first row."""

    def __init__(self, pieces: PieceFiles) -> None:
        self.pieces = pieces
        ids: Hashes = np.concatenate(
            [each["id"].hash().to_numpy() for each in pieces.pieces(["id"])]
        )
        self.n_rows = len(ids)
        dtype: Any = np.int32 if self.n_rows <= np.iinfo(np.int32).max else np.int64
        ordered = np.sort(ids)
        self.is_unique = bool((ordered[1:] != ordered[:-1]).all())
        del ordered
        if self.is_unique:
            self.group = self.first = np.arange(self.n_rows, dtype=dtype)
        else:
            _, first, group = np.unique(ids, return_index=True, return_inverse=True)
            self.first, self.group = first, group.astype(dtype)

    def systems(self) -> "NDArray[np.uint32]":
        """The number of each row's system."""
        given = (each["system"] for each in self.pieces.pieces(["system"]))
        codes = (each.replace_strict(self.pieces.systems, return_dtype=pl.UInt32) for each in given)
        return np.concatenate([each.to_numpy() for each in codes])

    def _first_with(self, given: "Flags") -> "Ints":
        """The first of these rows of each question, -1 without."""
        found = np.full(len(self.first), -1, dtype=self.group.dtype)
        rows = np.flatnonzero(given)[::-1]
        found[self.group[rows]] = rows
        return found

    def duplicates(self) -> list[Problem]:
        """The problems of rows with the id and system of an earlier one."""
        if self.is_unique:
            return []
        pairs = self.group.astype(np.int64) * len(self.pieces.systems) + self.systems()
        suspects = np.flatnonzero(pl.Series(pairs).is_duplicated().to_numpy())
        first: dict[tuple[str, str], Row] = {}
        problems: list[Problem] = []
        n_more = 0
        for row in self._read(suspects, ["id", "system"]):
            id, system = (cast(str, row.values[name]) for name in ("id", "system"))
            before = first.setdefault((id, system), row)
            if before is row:
                continue
            if len(problems) < MAX_DUPLICATES:
                problems.append(duplicate_problem(row, before, id, system))
            elif (n_more := n_more + 1) > MAX_DUPLICATES:
                break
        if n_more:
            text = f"more than {MAX_DUPLICATES:,} other rows are duplicates"
            problems.append(Problem(text, next(iter(self.pieces.sources))))
        return problems

    def _read(self, rows: "Ints", columns: "list[str]") -> Iterator[Row]:
        """Rows in ascending order, some at a time."""
        for start in range(0, len(rows), COMPARED_AT_ONCE):
            some = rows[start : start + COMPARED_AT_ONCE]
            frame = self.pieces.rows(some, [*columns, LINE, SOURCE])
            yield from self.pieces.as_rows(frame.drop(ROW))

    def compare(
        self, conflicts: Conflicts, is_left_out: "Callable[[str], Flags] | None" = None
    ) -> None:
        """Compare the fields of each question with those of its first row that has them, except rows left out; a first
        row that the user prefers gives its values to the others.
        """
        if self.is_unique:
            return
        asks_other = np.zeros(self.n_rows, dtype=np.bool_)
        for name in OF_QUESTION:
            if name not in self.pieces.kinds:
                continue
            hashes = self._hashes(name)
            given = hashes != 0
            if is_left_out is not None:
                given &= ~is_left_out(name)
            first = self._first_with(given)[self.group]
            rows = np.flatnonzero(given & (hashes != hashes[first]) & ~asks_other)
            may_differ = conflicts.one_table
            if name == "question":
                may_differ = conflicts.is_by_place or conflicts.are_turns
            differing = [
                number
                for number, row, other in self._pairs(name, rows, first[rows])
                if row.values["id"] == other.values["id"]
                and conflicts.differs(name, row, other, number, may_differ=may_differ)
            ]
            if name == "question" and conflicts.prefer is None:
                asks_other[differing] = True  # another question has other gold
            if differing and conflicts.prefer == "first":
                self.pieces.copy_values(name, differing, first[differing])

    def _hashes(self, name: str) -> "Hashes":
        """The hash of each row's value of a field; 0 if it has none."""
        parts: list[Hashes] = []
        for frame in self.pieces.pieces(["id", name]):
            if name in frame.columns:
                hashes = frame[name].hash().to_numpy().copy()
                hashes[frame[name].is_null().to_numpy()] = 0
            else:
                hashes = np.zeros(frame.height, dtype=np.uint64)
            parts.append(hashes)
        return np.concatenate(parts)

    def _pairs(self, name: str, rows: "Ints", others: "Ints") -> Iterator[tuple[int, Row, Row]]:
        """Each row and the other one, with the field and what a message names."""
        for start in range(0, len(rows), COMPARED_AT_ONCE):
            own, before = (some[start : start + COMPARED_AT_ONCE] for some in (rows, others))
            frame = self.pieces.rows(np.union1d(own, before), ["id", "system", name, LINE, SOURCE])
            frame = frame.with_columns(
                pl.when(pl.col("system") != DEFAULT_SYSTEM).then(pl.col("system"))
            )
            numbers = cast("list[int]", frame[ROW].to_list())
            read = dict(zip(numbers, self.pieces.as_rows(frame.drop(ROW)), strict=True))
            for at, first in zip(own.tolist(), before.tolist(), strict=True):
                yield at, read[at], read[first]

    def share(self, without: Mapping[str, Collection[str]]) -> list[str]:
        """Give the systems without gold the values of the first row of each question that has one; notes.

        `without`: by field, the systems whose file does not have it though others' files do.
        """
        systems, names = self.systems(), list(self.pieces.systems)
        used: list[tuple[int, str]] = []
        for name, systems_without in without.items():
            donor = self._first_with(self._hashes(name) != 0)
            for system in systems_without:
                rows = np.flatnonzero(systems == self.pieces.systems[system])
                donors = donor[self.group[rows]]
                rows, donors = rows[donors >= 0], donors[donors >= 0]
                self.pieces.copy_values(name, rows, donors)
                owners = systems[donors]
                for owner in cast("list[int]", np.unique(owners).tolist()):
                    own = rows[owners == owner]
                    note = f"{name} of {names[owner]!r} used for {len(own):,} answers of {system!r}, which has none"
                    used.append((int(own[0]), note))
        return [note for _, note in sorted(used, key=lambda each: each[0])]

    def gaps(self) -> list[str]:
        """Notes on questions that one system answers and another does not."""
        if len(self.pieces.systems) < 2:
            return []
        systems, n_questions = self.systems(), len(self.first)
        notes: list[str] = []
        n_answered = 0
        for system, code in self.pieces.systems.items():
            is_answered = np.zeros(n_questions, dtype=np.bool_)
            is_answered[self.group[systems == code]] = True
            n_answered += int(is_answered.sum())
            missing = np.sort(self.first[~is_answered])
            if len(missing):
                ids = self.pieces.rows(missing[:NAMED], ["id"])["id"].to_list()
                notes.append(unanswered_note(system, ids, len(missing), n_questions))
        return [*notes, NOTHING_IN_COMMON] if n_answered == n_questions else notes

    def look_alikes(self) -> list[str]:
        """Notes on different ids that look alike."""
        ids = (each["id"].to_list() for each in self.pieces.pieces(["id"]))
        series = (pl.Series(list(map(look_of, some)), dtype=pl.String) for some in ids)
        looks: Hashes = np.concatenate([each.hash().to_numpy() for each in series])
        ordered = np.sort(looks if self.is_unique else looks[self.first])
        shared = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
        del ordered
        if not len(shared):
            return []
        alike = np.flatnonzero(np.isin(looks, shared))
        return look_alike_notes({cast(str, row.values["id"]) for row in self._read(alike, ["id"])})
