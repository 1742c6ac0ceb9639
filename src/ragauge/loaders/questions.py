"""What must hold over all rows: unique (id, system), one question per id, ids that do not look alike; and the join with gold."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ragauge.errors import Problem
from ragauge.loaders.conflicts import (
    NO_ID_IN_COMMON,
    NOTHING_IN_COMMON,
    OF_QUESTION,
    Conflicts,
    excerpt,
    name_of,
    question_of,
    same_value,
    unanswered_note,
)
from ragauge.loaders.piece_files import LINE, ROW, SOURCE, PieceFiles
from ragauge.loaders.table import Table, listed
from ragauge.samples.frame import (
    Numbering,
    duplicate_problem,
    look_alike_notes,
    look_of,
    read_values,
)
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
        first: dict[tuple[str, str], Row] = {}
        problems: list[Problem] = []
        for row in self._read(suspects, ["id", "system"]):
            id, system = (cast(str, row.values[name]) for name in ("id", "system"))
            before = first.setdefault((id, system), row)
            if before is not row and len(problems) == MAX_DUPLICATES:
                text = f"more than {MAX_DUPLICATES:,} other rows are duplicates"
                return [*problems, Problem(text, next(iter(self.pieces.sources)))]
            problems += [] if before is row else [duplicate_problem(row, before, id, system)]
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
            frame = self.pieces.rows(np.union1d(own, before), ["id", "system", name, LINE, SOURCE])
            frame = frame.with_columns(
                pl.when(pl.col("system") != DEFAULT_SYSTEM).then(pl.col("system"))
            )
            numbers = cast("list[int]", frame[ROW].to_list())
            read = dict(zip(numbers, self.pieces.as_rows(frame.drop(ROW)), strict=True))
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


@dataclass(slots=True)
class GoldJoin:
    """Answers, each with an id, that get the fields of the gold of their question; first in `problems`: of the answers."""

    answers: PieceFiles
    questions: Questions
    table: Table
    conflicts: Conflicts
    problems: list[Problem]
    notes: list[str] = field(default_factory=list[str])
    joined: PieceFiles = field(init=False)
    _gold: dict[str, Row] = field(default_factory=dict[str, Row])  # by id, each question once

    def run(self) -> None:
        """Write the joined rows, and find what is wrong with them and what either side lacks."""
        of_gold, of_values = self._read_gold(), list(self.problems)
        place_of, n = {id: number for number, id in enumerate(self._gold)}, len(self._gold)
        ids = (cast("list[str]", piece["id"].to_list()) for piece in self.answers.pieces(["id"]))
        # The place of each row's question in the gold; the number of its questions for others.
        of_ids = (np.array([place_of.get(id, n) for id in some], dtype=np.int32) for some in ids)
        places = np.concatenate(list(of_ids))

        def is_in_gold(name: str) -> "Flags":
            given = [row.values.get(name) is not None for row in self._gold.values()]
            return np.array([*given, False])[places]

        # Fields that the gold has are compared with it, unless the first source counts.
        is_first = self.conflicts.prefer == "first"
        self.questions.compare(self.conflicts, None if is_first else is_in_gold)
        systems = self.questions.systems()
        missing: list[Ints] = []  # by system the places of the questions that it did not answer
        for code in self.answers.systems.values():
            is_answered = np.zeros(n + 1, dtype=np.bool_)
            is_answered[places[systems == code]] = True
            missing.append(np.flatnonzero(~is_answered[:-1]))
        texts: frozenset[str] = frozenset()
        mixed: set[str] | None = None
        while mixed is None or mixed:
            texts |= mixed or set[str]()
            self.problems = list(of_values)
            self.joined = PieceFiles(self.answers.most_bytes, texts)
            self._write(places, missing)
            mixed = self.joined.mixed()
        self.problems[:0] = [*of_gold, *self.conflicts.problems()]
        self.problems += self.questions.duplicates()
        self.notes += [*self.conflicts.notes(), *self._counted(places, systems, missing)]
        if not self.problems:
            self.notes += Questions(self.joined).look_alikes()

    def _read_gold(self) -> list[Problem]:
        """Keep the first row of each question; later ones must say the same, unless the user prefers one."""
        n_repeated = 0
        different: list[tuple[Row, Row]] = []
        for row in self.table.rows:
            id = name_of(row, "id")
            if id is None or (first := self._gold.setdefault(id, row)) is row:
                continue
            n_repeated += 1
            names = {*row.values, *first.values} - {"id", "question"}
            given = ((name, first.values.get(name), row.values.get(name)) for name in names)
            if self.conflicts.prefer is None and not all(same_value(*each) for each in given):
                different.append((first, row))
        if n_repeated:
            counted = "1 row repeats" if n_repeated == 1 else f"{n_repeated:,} rows repeat"
            self.notes.append(f"{counted} a question of the gold; the first of each is used")
        if not different:
            return []
        first, row = different[0]
        n = len({question_of(row) for _, row in different})
        many = f" ({n:,} questions are like this)" if n > 1 else ""
        place = "" if first.line is None else f", first in line {first.line}"
        text = (
            f"{excerpt(row)} is in the gold twice, with different gold{place}{many}; keep one of the two, list all "
            "references in one row, or use the first: --prefer first (in Python prefer=)"
        )
        return [Problem(text, row.source, row.line, "question", name_of(row, "id"))]

    def _write(self, places: "NDArray[np.int32]", missing: "Sequence[Ints]") -> None:
        """Write all rows in the gold's order, those of unknown questions last; unanswered ones are numbered behind."""
        n_rows, gold = len(places), list(self._gold.values())
        order = np.argsort(np.concatenate([places, *missing]), kind="stable")
        starts = np.cumsum([n_rows, *map(len, missing)])
        names = list(self.answers.systems)
        numbering = Numbering()
        for start in range(0, len(order), COMPARED_AT_ONCE):
            numbers = order[start : start + COMPARED_AT_ONCE]
            own = np.sort(numbers[numbers < n_rows])
            read: dict[int, Row] = {}
            if len(own):
                frame = self.answers.rows(own, [*self.answers.kinds, LINE, SOURCE]).drop(ROW)
                read = dict(zip(own.tolist(), self.answers.as_rows(frame), strict=True))
            rows: list[Row] = []
            for number in cast("list[int]", numbers.tolist()):
                if number < n_rows:
                    expected = self._gold.get(cast(str, read[number].values["id"]))
                    row = read[number]
                    rows.append(row if expected is None else self._with_gold(row, expected, number))
                    continue
                system = int(np.searchsorted(starts, number, side="right")) - 1
                asked = gold[int(missing[system][number - starts[system]])]
                named = {"system": names[system]} if names[system] != DEFAULT_SYSTEM else {}
                values = {**asked.values, **named, "answer": None}
                rows.append(Row(values, asked.source, asked.line))
            columns = [read_values(row, self.problems) for row in rows]
            numbering.fill(columns)
            if not self.problems:
                self.joined.add(columns, rows)

    def _with_gold(self, row: Row, gold: Row, number: int) -> Row:
        """The answer's row with the gold's fields."""
        prefer = self.conflicts.prefer
        names = [
            name
            for name, value in row.values.items()
            if name != "id" and value is not None and gold.values.get(name) is not None
        ]
        if self.joined.texts and prefer != "gold":
            names = []  # differences were counted when the rows were first written
        differing: set[str] = set()
        for name in sorted(names, key=lambda name: name != "question"):
            may_differ = name == "question" and self.conflicts.is_by_place
            if self.conflicts.differs(name, row, gold, number, may_differ=may_differ, is_gold=True):
                differing.add(name)
                if name == "question" and prefer is None:
                    break  # another question has other gold, so there is one cause
        own = {
            name: value
            for name, value in row.values.items()
            if value is not None and not (prefer == "gold" and name in differing)
        }
        return Row({**row.values, **gold.values, **own}, row.source, row.line)

    def _counted(
        self, places: "NDArray[np.int32]", systems: "NDArray[np.uint32]", missing: "Sequence[Ints]"
    ) -> list[str]:
        """Notes on questions without an answer, and on answers to other questions."""
        ids, n_questions = list(self._gold), len(self._gold)
        notes: list[str] = []
        for (system, code), left_out in zip(self.answers.systems.items(), missing, strict=True):
            unknown = np.flatnonzero((systems == code) & (places == n_questions))
            if len(left_out):
                first = [ids[place] for place in cast("list[int]", left_out[:NAMED].tolist())]
                notes.append(unanswered_note(system, first, len(left_out), n_questions))
            if n := len(unknown):
                named = self.answers.rows(unknown[:NAMED], ["id"])["id"].to_list()
                counted = f"{n} question{'s' * (n > 1)} not in the gold"
                notes.append(f"system {system!r} answers {counted}; kept: {listed(named, n_all=n)}")
        if n_questions and (places == n_questions).all():
            notes.append(NO_ID_IN_COMMON)
        return notes
