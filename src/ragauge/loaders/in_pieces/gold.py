"""Join answers in pieces with gold that fits into memory, in the gold's order and in bounded memory."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from ragauge.errors import Problem
from ragauge.loaders.conflicts import (
    NO_ID_IN_COMMON,
    Conflicts,
    Gold,
    unanswered,
    unanswered_note,
    unknown_note,
)
from ragauge.loaders.in_pieces.differences import ConflictCounts
from ragauge.loaders.in_pieces.piece_files import LINE, PieceFiles
from ragauge.loaders.in_pieces.row_keys import COMPARED_AT_ONCE, NAMED, RowKeys
from ragauge.loaders.table import Table
from ragauge.samples.frame import Numbering, read_values
from ragauge.samples.samples import Row, to_columns

if TYPE_CHECKING:
    Ints = NDArray[np.int64]


@dataclass(slots=True)
class GoldJoin:
    """Answers, each with an id, that get the fields of the gold of their question.

    Kept of each row are its place in the gold and in the new order.
    """

    answers: PieceFiles
    keys: RowKeys
    gold: Gold
    problems: list[Problem] = field(default_factory=list[Problem])
    """First those of the answers' values."""
    notes: list[str] = field(default_factory=list[str])
    joined: PieceFiles = field(init=False)
    joined_keys: RowKeys = field(init=False)
    _conflicts: ConflictCounts = field(init=False)
    _are_unknown_compared: bool = False
    """Whether the answers to questions that the gold does not have were compared apart."""

    @classmethod
    def of(
        cls,
        answers: PieceFiles,
        keys: RowKeys,
        table: Table,
        problems: Sequence[Problem] = (),
    ) -> "GoldJoin":
        answers.settle()
        return cls(answers, keys, Gold(table.rows, keys.prefer), [*problems])

    def __post_init__(self) -> None:
        self.joined = PieceFiles(self.answers.most_bytes)
        self.joined_keys = RowKeys()
        keys, are_turns = self.keys, self.answers.kinds.keys() >= {"conversation", "turn"}
        between, with_gold = (
            Conflicts(keys.prefer, by_place, one_table=keys.one_table, has_gold=True)
            for by_place in (keys.by_place or are_turns, keys.by_place)
        )
        self._conflicts = ConflictCounts(self.keys, between, with_gold)

    def run(self) -> None:
        """Write the joined rows, and find what is wrong with them and what either side lacks."""
        places, systems = self._places(), self.keys.systems_of_rows()
        missing = self._missing(places, systems)
        order, starts = _in_order(places, missing)
        numbering = Numbering()
        for numbers in self._batches(order, places):
            rows = self._rows(numbers, len(places), starts, missing)
            self._conflicts.take()
            values = [read_values(row, self.problems) for row in rows]
            numbering.fill(values)
            if not self.problems:
                frame = self.joined.add(values, [row.line for row in rows])
                self.joined_keys.add(frame, [row.source for row in rows])
        self.problems[:0] = [*self.gold.problems, *self._conflicts.problems()]
        self.problems += self.keys.duplicates(self.answers)
        self.notes += [*self.gold.notes(), *self._conflicts.notes()]
        self.notes += self._counted(places, systems, missing)
        if not self.problems:
            self.notes += self.joined_keys.look_alikes(self.joined)

    def _places(self) -> "NDArray[np.int32]":
        """The place of each row's question in the gold; the number of its questions for others."""
        place = {id: number for number, id in enumerate(self.gold.by_id)}
        n = len(place)
        return np.concatenate(
            [
                np.array([place.get(id, n) for id in cast("list[str]", piece["id"].to_list())])
                for piece in self.answers.pieces(["id"])
            ]
        ).astype(np.int32)

    def _missing(self, places: "NDArray[np.int32]", systems: "NDArray[np.uint32]") -> "list[Ints]":
        """For each system the places of the questions that it did not answer."""
        missing: list[Ints] = []
        for code in self.keys.systems.values():
            is_answered = np.zeros(len(self.gold.by_id) + 1, dtype=np.bool_)
            is_answered[places[systems == code]] = True
            missing.append(np.flatnonzero(~is_answered[:-1]))
        return missing

    def _batches(self, order: "Ints", places: "NDArray[np.int32]") -> "Iterator[Ints]":
        """The rows in their new order, some at a time, those of one question together."""
        unknown = np.flatnonzero(places == len(self.gold.by_id))
        is_apart = len(unknown) > COMPARED_AT_ONCE and len(self.keys.systems) > 1
        # The values of the first source are copied, for which its rows must be in the same batch.
        if is_apart and self.keys.prefer != "first":
            self._compare_apart(unknown)
        n_known = len(order) - len(unknown)
        starts = range(0, n_known, COMPARED_AT_ONCE)
        ends: list[int] = [0]
        for start in starts:
            end = min(start + COMPARED_AT_ONCE, n_known)
            while 0 < end < n_known and self._same_question(order, places, end):
                end += 1
            ends.append(max(end, ends[-1]))
        if self.keys.prefer != "first":
            ends += range(n_known + COMPARED_AT_ONCE, len(order), COMPARED_AT_ONCE)
        for start, end in zip(ends, [*ends[1:], len(order)], strict=True):
            if end > start:
                yield np.asarray(order[start:end])

    def _compare_apart(self, unknown: "Ints") -> None:
        """Compare the rows of questions that the gold does not have, which are written in another order."""
        hashes = self.keys.ids_of_rows()[unknown]
        order = np.argsort(hashes, kind="stable")
        start = 0
        while start < len(order):
            end = min(start + COMPARED_AT_ONCE, len(order))
            while end < len(order) and hashes[order[end]] == hashes[order[end - 1]]:
                end += 1
            numbers = cast("list[int]", np.sort(unknown[order[start:end]]).tolist())
            self._conflicts.between.between_systems(list(self._read(numbers)), {})
            self._conflicts.take()
            start = end
        self._are_unknown_compared = True

    def _same_question(self, order: "Ints", places: "NDArray[np.int32]", at: int) -> bool:
        row, before = int(order[at]), int(order[at - 1])
        # A row without an answer follows those with one, and may be cut off from them.
        return row < len(places) and before < len(places) and places[row] == places[before]

    def _rows(
        self, numbers: "Ints", n_rows: int, starts: "Ints", missing: "Sequence[Ints]"
    ) -> list[Row]:
        """The joined rows with these numbers; those after the answers are of unanswered questions."""
        own = cast("list[int]", np.sort(numbers[numbers < n_rows]).tolist())
        read = dict(zip(own, self._read(own), strict=True))
        answered = [read[number] for number in numbers.tolist() if number < n_rows]
        # A batch has answers to unknown questions only, or none.
        is_compared = self._are_unknown_compared and any(
            row.values["id"] not in self.gold.by_id for row in answered
        )
        if not is_compared:
            answered = self._conflicts.between.between_systems(answered, self.gold.by_id)
        settled = iter(answered)
        gold, names = list(self.gold.by_id.values()), list(self.keys.systems)
        rows: list[Row] = []
        for number in cast("list[int]", numbers.tolist()):
            if number < n_rows:
                row = next(settled)
                id = cast(str, row.values["id"])
                expected = self.gold.by_id.get(id)
                rows.append(
                    row
                    if expected is None
                    else self._conflicts.with_gold.with_gold(row, expected, id)
                )
            else:
                system = int(np.searchsorted(starts, number, side="right")) - 1
                place = int(missing[system][number - starts[system]])
                rows.append(unanswered(gold[place], names[system]))
        return rows

    def _read(self, numbers: Sequence[int]) -> Iterator[Row]:
        if not numbers:
            return
        frame = self.answers.rows(numbers, [*self.answers.kinds, LINE])
        lines = cast("list[int | None]", frame[LINE].to_list())
        columns = to_columns(frame.drop("row", LINE))
        names = list(columns)
        rows = zip(*columns.values(), strict=True)
        for number, line, values in zip(numbers, lines, rows, strict=True):
            yield self.keys.row(number, line, dict(zip(names, values, strict=True)))

    def _counted(
        self,
        places: "NDArray[np.int32]",
        systems: "NDArray[np.uint32]",
        missing: "Sequence[Ints]",
    ) -> list[str]:
        """Notes on questions without an answer, and on answers to other questions."""
        ids, n_questions = list(self.gold.by_id), len(self.gold.by_id)
        notes: list[str] = []
        for (system, code), left_out in zip(self.keys.systems.items(), missing, strict=True):
            unknown = np.flatnonzero((systems == code) & (places == n_questions))
            if len(left_out):
                first = [ids[place] for place in cast("list[int]", left_out[:NAMED].tolist())]
                notes.append(unanswered_note(system, first, len(left_out), n_questions))
            if len(unknown):
                named = self.answers.rows(unknown[:NAMED], ["id"])["id"].to_list()
                notes.append(unknown_note(system, named, len(unknown)))
        if n_questions and (places == n_questions).all():
            notes.append(NO_ID_IN_COMMON)
        return notes


def _in_order(places: "NDArray[np.int32]", missing: "Sequence[Ints]") -> "tuple[Ints, Ints]":
    """The numbers of all rows in the gold's order, unknown questions last.

    The unanswered questions of each system are numbered after the answers, from its start on.
    """
    order = np.argsort(np.concatenate([places, *missing]), kind="stable")
    sizes = [len(places), *map(len, missing)]
    return order, np.cumsum(sizes)[:-1]
