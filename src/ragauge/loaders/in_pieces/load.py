"""Read sources piece by piece into samples."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ragauge.errors import DataError, Problem
from ragauge.loaders.conflicts import Prefer
from ragauge.loaders.in_pieces.gold import GoldJoin
from ragauge.loaders.in_pieces.pairs import QuestionPairs, are_repeated, paired_by_place
from ragauge.loaders.in_pieces.piece_files import PieceFiles
from ragauge.loaders.in_pieces.row_keys import SHARED, KeyFindings, RowKeys
from ragauge.loaders.in_pieces.side import GoldTable, Side, Source
from ragauge.loaders.in_pieces.tables import NeedsAllRowsError
from ragauge.loaders.mapping import absent
from ragauge.loaders.pairing import is_unnamed
from ragauge.loaders.table import Table
from ragauge.samples.frame import Numbering, read_values
from ragauge.samples.samples import Row, Samples
from ragauge.storage.memory import gc_paused

if TYPE_CHECKING:
    Flags = NDArray[np.bool_]

MAX_PASSES = 20
MAX_PROBLEMS = 100_000
"""Reading stops after this many problems of the data."""


def load_sources(
    sources: Sequence[Source],
    chosen: Mapping[str, str],
    gold: GoldTable | None = None,
    *,
    prefer: Prefer | None = None,
    by_place: bool = False,
    as_file: bool | None = None,
) -> Samples:
    """The samples of the sources; DataError with every problem in the data.

    What the rows of `gold` say is added to the answers of their questions. `prefer` and `by_place` are those of `load`.
    The samples are a temporary file with `as_file`, or if None by their size. Raises NeedsAllRowsError for files
    that must be read at once.
    """
    sides = [Side.of(source, chosen, has_gold=gold is not None) for source in sources]
    for _ in range(MAX_PASSES):
        one_pass = _Pass(sides, chosen, prefer, by_place, as_file)
        with gc_paused():
            one_pass.read()
        if one_pass.has_too_many_problems or all(side.is_settled for side in sides):
            return one_pass.samples() if gold is None else one_pass.joined(gold)
        sides = [side.for_next_pass() for side in sides]
    raise NeedsAllRowsError("its columns change too often")


@dataclass(slots=True)
class _Pass:
    """One reading of all sources."""

    sides: Sequence[Side]
    chosen: Mapping[str, str]
    prefer: Prefer | None = None
    by_place: bool = False
    as_file: bool | None = None
    numbering: Numbering = field(default_factory=Numbering)
    value_problems: list[Problem] = field(default_factory=list[Problem])
    unnamed: "list[Flags]" = field(default_factory=list[Any])
    """For each piece which of its rows had no id in their source."""
    keys: RowKeys = field(init=False)
    pieces: PieceFiles = field(init=False)

    def __post_init__(self) -> None:
        self.keys = RowKeys(len(self.sides) == 1, self.prefer, self.by_place)
        self.pieces = PieceFiles.of(as_file=self.as_file)

    def read(self) -> None:
        for side in self.sides:
            for table in side.tables:
                self._keep(side.read(table))
                if self.has_too_many_problems:
                    return
            side.csv.finish()

    @property
    def has_too_many_problems(self) -> bool:
        return sum(map(len, self._problems_of_sides())) + len(self.value_problems) > MAX_PROBLEMS

    def _problems_of_sides(self) -> list[list[Problem]]:
        return [side.problems for side in self.sides]

    def _keep(self, rows: Sequence[Row]) -> None:
        if not rows:
            return
        self.unnamed.append(np.fromiter(map(is_unnamed, rows), dtype=np.bool_, count=len(rows)))
        values = [read_values(row, self.value_problems) for row in rows]
        self.numbering.fill(values)
        frame = self.pieces.add(values, [row.line for row in rows])
        self.keys.add(frame, [row.source for row in rows])

    def samples(self) -> Samples:
        """The samples of all rows; DataError with every problem found."""
        problems, found = self._problems(), KeyFindings()
        notes = self._notes(are_named=len(self.sides) > 1)
        _, paired = (None, None) if problems else self._paired(None)
        if self.pieces.n_rows:
            found = self.keys.check(self.pieces, self._systems_without_gold())
            self._check_passages(found.duplicates)
            # Sources that cannot be read are not compared.
            problems += [] if problems else found.conflicts
        problems += [*self.value_problems, *found.duplicates]
        if problems:
            raise DataError(problems)
        notes += [*(paired or ()), *found.differing, *found.shared, *found.gaps]
        notes += [*(self.numbering.notes() if paired is None else ()), *found.alike]
        return Samples(self.pieces.as_rows(), ", ".join(self._names()), tuple(notes))

    def _paired(self, gold: Table | None) -> tuple[Table | None, list[str] | None]:
        """Give rows of the same question the same id: the gold with ids, and notes if there is anything to pair."""
        if gold is None and len(self.keys.systems) < 2:
            return gold, None
        if self.by_place:
            if self._may_be_passages:
                raise NeedsAllRowsError(
                    "rows that are paired by place may be passages of questions"
                )
            placed = paired_by_place(self.pieces, self.keys, self.unnamed, gold)
            self._check_paired(placed.problems)
            return placed.gold, placed.notes
        gold_rows = () if gold is None else gold.rows
        if not any(own.any() for own in self.unnamed) and not any(map(is_unnamed, gold_rows)):
            return gold, None
        pairs = QuestionPairs(self.pieces, self.keys, self.unnamed, gold_rows)
        self._check_paired(pairs.problems)
        pairs.rename()
        return None if gold is None else replace(gold, rows=tuple(pairs.gold)), [pairs.note]

    def _check_paired(self, problems: Sequence[Problem]) -> None:
        if problems:
            duplicates = self.keys.duplicates(self.pieces)
            self._check_passages(duplicates)
            raise DataError([*problems, *self.value_problems, *duplicates])

    def _systems_without_gold(self) -> dict[str, list[str]]:
        """The systems whose file has no field of the gold that the file of another one has."""
        fields = {
            system: set(side.decisions.naming().fields.values())
            for side in self.sides
            if side.n_rows and (system := side.source.system) is not None
        }
        without = {
            name: [system for system, own in fields.items() if name not in own] for name in SHARED
        }
        return {
            name: systems for name, systems in without.items() if 0 < len(systems) < len(fields)
        }

    @property
    def _may_be_passages(self) -> bool:
        return any(side.layouts and side.layouts.may_be_passages for side in self.sides)

    def _check_passages(self, duplicates: Sequence[Problem]) -> None:
        """Raise NeedsAllRowsError if rows of one question may be its passages, which become one sample."""
        if self._may_be_passages and (
            duplicates or are_repeated(self.pieces, self.keys, self.unnamed)
        ):
            raise NeedsAllRowsError("rows of the same question may be its passages")

    def joined(self, given: GoldTable) -> Samples:
        """The samples with the gold of their questions; DataError with every problem found."""
        gold = given.table
        problems = [*self._problems(given.given), *gold.problems]
        if not gold.rows and not gold.problems:
            problems.append(Problem("holds no samples; is it the right file?", gold.source))
        duplicates: list[Problem] = []
        if self.pieces.n_rows and (problems or self._may_be_passages):
            duplicates = self.keys.duplicates(self.pieces)
            self._check_passages(duplicates)
        if problems:
            raise DataError([*problems, *self.value_problems, *duplicates])
        named, paired = self._paired(gold)
        gold = named or gold
        join = GoldJoin.of(self.pieces, self.keys, gold, self.value_problems)
        join.run()
        if join.problems:
            raise DataError(join.problems)
        notes = self._notes(are_named=True)
        notes += [f"{gold.source}: {note}" for note in gold.notes]
        source = ", ".join(dict.fromkeys((*self._names(), gold.source)))
        return Samples(join.joined.as_rows(), source, (*notes, *(paired or ()), *join.notes))

    def _names(self) -> list[str]:
        return list(dict.fromkeys(side.source.name for side in self.sides))

    def _problems(self, columns_of_gold: Collection[str] = ()) -> list[Problem]:
        """What is wrong with files and columns; not with values."""
        problems = self._absent(columns_of_gold)
        of_sides = [side.column_problems() for side in self.sides]
        problems += [problem for several in of_sides for problem in several]
        problems += [
            Problem("holds no samples; is it the right file?", side.source.name)
            for side, several in zip(self.sides, of_sides, strict=True)
            if not side.n_rows and not several
        ]
        return problems

    def _notes(self, *, are_named: bool) -> list[str]:
        """How columns and values were read. `are_named`: each note begins with its source."""
        return [
            f"{side.source.name}: {note}" if are_named else note
            for side in self.sides
            for note in side.notes()
        ]

    def _absent(self, columns_of_gold: Collection[str]) -> list[Problem]:
        """Problems for chosen columns that a source does not have.

        A column that only the gold has belongs to the gold.
        """
        problems: list[Problem] = []
        for name, column in self.chosen.items():
            without = [side for side in self.sides if side.lacks(column)]
            if column in columns_of_gold and len(without) == len(self.sides):
                continue
            problems += [
                Problem(
                    absent(name, column, tuple(side.decisions.columns)),
                    side.source.name,
                )
                for side in without
            ]
        return problems
