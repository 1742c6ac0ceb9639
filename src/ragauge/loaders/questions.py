"""What must hold over all rows: numbers for those without id, unique (id, system), one question per id, ids that do not look alike."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from shlex import quote
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ragauge.errors import Problem
from ragauge.language.characters import normal_form
from ragauge.loaders.pairing import NOTHING_IN_COMMON, OF_QUESTION, Conflicts, unanswered_note
from ragauge.loaders.pieces import SamplePieces
from ragauge.samples.fields import DEFAULT_SYSTEM, FIELDS, Row

if TYPE_CHECKING:
    Flags = NDArray[np.bool_]
    Hashes = NDArray[np.uint64]
    Ints = NDArray[np.int64]


MAX_DUPLICATES = 10_000  # most that are reported; the others are counted
MAX_LOOK_ALIKES = 5
COMPARED_AT_ONCE = 20_000
NAMED = 10


class Numbering:
    """Fills in missing systems and ids, row after row."""

    def __init__(self) -> None:
        self._seen: dict[object, int] = {}
        self.n_numbered = 0

    def fill(self, values: list[dict[str, object]]) -> None:
        """Give each row a system, and each without an id its number within the system."""
        for row in values:
            system = row["system"] = row.get("system") or DEFAULT_SYSTEM
            self._seen[system] = self._seen.get(system, 0) + 1
            if row.get("id") is None:
                row["id"] = str(self._seen[system])
                self.n_numbered += 1

    def notes(self) -> list[str]:
        n = self.n_numbered
        have = "1 row has" if n == 1 else f"{n} rows have"
        return [f"{have} no id: numbered by position"] if n else []


def duplicate_problem(row: Row, first: Row, id: str, system: str) -> Problem:
    """The problem of a row whose id and system an earlier row has."""
    where = first.source if first.line is None else f"{first.source}:{first.line}"
    of_system = "" if system == DEFAULT_SYSTEM else f" of system {system!r}"
    problem = f"duplicate id{of_system}, first at {where}; each (id, system) pair must be unique"
    return Problem(problem, row.source, row.line, None, id)


def look_of(id: str) -> str:
    """What an id looks like: a reader confuses ids for which this is equal."""
    return normal_form("NFKC", id).casefold().strip().lstrip("0")


def look_alike_notes(given: Iterable[str]) -> list[str]:
    """Notes on different ids that look alike."""
    by_look: dict[str, set[str]] = {}
    for id in given:
        by_look.setdefault(look_of(id), set()).add(id)
    alike = sorted(sorted(ids) for ids in by_look.values() if len(ids) > 1)
    notes = [
        f"these ids look alike but are different: {', '.join(map(ascii, ids))}"
        for ids in alike[:MAX_LOOK_ALIKES]
    ]
    if len(alike) > len(notes):
        notes.append(f"{len(alike) - len(notes):,} more groups of ids look alike")
    return notes


class Questions:
    """The rows of all pieces by question: `group` is the number of each row's question, `first` its first row."""

    def __init__(self, pieces: SamplePieces) -> None:
        self.pieces = pieces
        ids: Hashes = np.concatenate([each["id"].hash() for each in pieces.pieces(["id"])])
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
        return np.concatenate(list(codes))

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
        own = self.pieces.kinds.keys() - FIELDS.keys() if len(self.pieces.systems) == 1 else ()
        seen: dict[str, set[tuple[str, str]]] = {name: set() for name in sorted(own)}
        first: dict[tuple[str, str], Row] = {}
        problems: list[Problem] = []
        for n_read, row in enumerate(self._read(suspects, ["id", "system", *seen]), 1):
            id, system = (cast(str, row.values[name]) for name in ("id", "system"))
            for name in [*seen]:  # what tells the rows of each id apart may be the system
                seen[name].add((id, str(row.values.get(name))))
                if len(seen[name]) < n_read:
                    del seen[name]
            before = first.setdefault((id, system), row)
            if before is not row and len(problems) == MAX_DUPLICATES:
                text = f"more than {MAX_DUPLICATES:,} other rows are duplicates"
                problems.append(Problem(text, next(iter(self.pieces.sources))))
                break
            problems += [] if before is row else [duplicate_problem(row, before, id, system)]
        n_values = {name: len({value for _, value in pairs}) for name, pairs in seen.items()}
        name = min(n_values, key=n_values.__getitem__, default="")
        if name and n_values[name] <= len(first):
            how = f"if the column {name!r} says which system answered: --map {quote(f'system={name}')}"
            problems.insert(0, Problem(how, next(iter(self.pieces.sources))))
        return problems

    def _read(self, rows: "Ints", columns: "list[str]") -> Iterator[Row]:
        """Rows in ascending order, some at a time."""
        for start in range(0, len(rows), COMPARED_AT_ONCE):
            some = rows[start : start + COMPARED_AT_ONCE]
            yield from self.pieces.read(some, columns).values()

    def compare(
        self, conflicts: Conflicts, is_left_out: "Callable[[str], Flags] | None" = None
    ) -> None:
        """Compare the fields of each question with those of its first row that has them, or copy these if the user prefers the first."""
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
            hashes = np.zeros(frame.height, dtype=np.uint64)
            if name in frame.columns:
                hashes = np.where(frame[name].is_null(), hashes, frame[name].hash())
            parts.append(hashes)
        return np.concatenate(parts)

    def _pairs(self, name: str, rows: "Ints", others: "Ints") -> Iterator[tuple[int, Row, Row]]:
        """Each row and the other one, with the field and what a message names."""
        for start in range(0, len(rows), COMPARED_AT_ONCE):
            own, before = (some[start : start + COMPARED_AT_ONCE] for some in (rows, others))
            read = self.pieces.read(np.union1d(own, before), ["id", "system", name])
            for at, first in zip(own.tolist(), before.tolist(), strict=True):
                yield at, read[at], read[first]

    def share(self, without: Mapping[str, Collection[str]]) -> list[str]:
        """Give the systems `without` a field, by its name, the value of the first row of each question that has one; notes."""
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
