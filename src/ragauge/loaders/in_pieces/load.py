"""Read files piece by piece into a file of samples."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from ragauge.errors import DataError, Problem
from ragauge.loaders.conflicts import Prefer
from ragauge.loaders.in_pieces.by_place import Paired, Places
from ragauge.loaders.in_pieces.by_question import Questions
from ragauge.loaders.in_pieces.gold import GoldJoin
from ragauge.loaders.in_pieces.piece_files import PieceFiles
from ragauge.loaders.in_pieces.row_keys import KeyFindings, RowKeys
from ragauge.loaders.in_pieces.side import Side, Source
from ragauge.loaders.in_pieces.tables import PIECE_BYTES, FileTables, NeedsAllRowsError
from ragauge.loaders.mapping import absent
from ragauge.loaders.shared_gold import SHARED
from ragauge.loaders.table import Table
from ragauge.samples.frame import Numbering, read_values
from ragauge.samples.samples import Row, Samples
from ragauge.samples.temporary_file import TemporaryFolder
from ragauge.storage.memory import gc_paused

MAX_PASSES = 20
MAX_PROBLEMS = 100_000
"""Reading stops after this many problems of the data."""


@dataclass(frozen=True, slots=True)
class GoldTable:
    """Gold in memory, with fields as columns. `given`: the names of its columns in its file."""

    table: Table
    given: Collection[str] = ()


def load_in_pieces(
    sources: Sequence[Source],
    chosen: Mapping[str, str],
    gold: GoldTable | None = None,
    *,
    prefer: Prefer | None = None,
    by_place: bool = False,
    piece_bytes: int = PIECE_BYTES,
) -> Samples:
    """The samples of the files, kept in a temporary file; DataError with every problem in the data.

    What the rows of `gold` say is added to the answers of their questions. `prefer` and `by_place` are those of `join`. Raises NeedsAllRowsError for
    data that must be read at once.
    """
    sides = [
        Side.of(FileTables(source.files, piece_bytes), source, chosen, has_gold=gold is not None)
        for source in sources
    ]
    for _ in range(MAX_PASSES):
        one_pass = _Pass(sides, chosen, prefer, Places() if by_place else None)
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
    places: Places | None = None
    """For rows that are paired by place."""
    numbering: Numbering = field(default_factory=Numbering)
    value_problems: list[Problem] = field(default_factory=list[Problem])
    questions: Questions = field(default_factory=Questions)
    keys: RowKeys = field(init=False)
    pieces: PieceFiles = field(init=False)

    def __post_init__(self) -> None:
        files = [str(file) for side in self.sides for file in side.source.files]
        self.keys = RowKeys(files, one_table=len(self.sides) == 1, prefer=self.prefer)
        self.pieces = PieceFiles(TemporaryFolder())

    def read(self) -> None:
        for side in self.sides:
            for table in side.tables:
                self._keep(side.read(table), table.source)
                if self.has_too_many_problems:
                    return
            side.csv.finish()

    @property
    def has_too_many_problems(self) -> bool:
        return sum(map(len, self._problems_of_sides())) + len(self.value_problems) > MAX_PROBLEMS

    def _problems_of_sides(self) -> list[list[Problem]]:
        return [side.problems for side in self.sides]

    def _keep(self, rows: Sequence[Row], source: str) -> None:
        if not rows:
            return
        if self.places is None:
            self.questions.add(rows)
        else:
            self.places.add(rows, source)
        values = [read_values(row, self.value_problems) for row in rows]
        self.numbering.fill(values)
        frame = self.pieces.add(values, [row.line for row in rows])
        self.keys.add(frame, source)
        self.questions.sources.append(source)
        if (
            self.questions.n_unnamed
            and len(self.keys.systems) > 1
            and not self.questions.are_paired
        ):
            raise NeedsAllRowsError("some rows have ids, others are paired by their texts")

    def samples(self) -> Samples:
        """The samples of all rows; DataError with every problem found."""
        problems = self._problems()
        found, numbered = KeyFindings(), self.numbering.notes()
        paired: list[str] = []
        if not problems and self.questions.n_unnamed and len(self.keys.systems) > 1:
            self.keys, _, note = self.questions.pair(self.pieces, self.keys)
            paired, numbered = [note], []
        if not problems and self.places is not None:
            given = self._by_place(self.places, None)
            problems += given.problems
            paired = given.notes
            numbered = [] if paired else numbered
        if self.pieces.n_rows:
            found = self.keys.check(self.pieces, self._systems_without_gold())
            self._check_passages(found.duplicates)
            # Sources that cannot be read are not compared.
            problems += [] if problems else found.conflicts
        problems += [*self.value_problems, *found.duplicates]
        if problems:
            raise DataError(problems)
        notes = (
            *self._notes(are_named=len(self.sides) > 1),
            *paired,
            *found.differing,
            *found.shared,
            *found.gaps,
            *numbered,
            *found.alike,
        )
        return Samples(self.pieces.as_file(), ", ".join(self._names()), notes)

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

    def _by_place(self, places: Places, gold: Table | None) -> Paired:
        """The rows paired by place."""
        if self._may_be_passages:
            raise NeedsAllRowsError("rows that are paired by place may be passages of questions")
        paired = places.pair(self.pieces, self.keys, gold)
        self.keys = paired.keys
        return paired

    @property
    def _may_be_passages(self) -> bool:
        return any(side.layouts.may_be_passages for side in self.sides)

    def _check_passages(self, duplicates: Sequence[Problem]) -> None:
        """Raise NeedsAllRowsError if rows of one question may be its passages, which become one sample."""
        if self._may_be_passages and (duplicates or self.questions.are_repeated):
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
        paired: list[str] = []
        if self.questions.n_unnamed:
            self.keys, named, note = self.questions.pair(self.pieces, self.keys, gold)
            gold, paired = named or gold, [note]
        if self.places is not None:
            by_place = self._by_place(self.places, gold)
            if by_place.problems:
                duplicates = self.keys.duplicates(self.pieces)
                raise DataError([*by_place.problems, *self.value_problems, *duplicates])
            gold, paired = by_place.gold or gold, by_place.notes
        join = GoldJoin.of(self.pieces, self.keys, gold, self.value_problems)
        join.run()
        if join.problems:
            raise DataError(join.problems)
        notes = self._notes(are_named=True)
        notes += [f"{gold.source}: {note}" for note in gold.notes]
        source = ", ".join(dict.fromkeys((*self._names(), gold.source)))
        return Samples(join.joined.as_file(), source, (*notes, *paired, *join.notes))

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
