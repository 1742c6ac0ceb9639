"""Read files piece by piece into a file of samples."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from ragauge.errors import DataError, Problem
from ragauge.loaders.in_pieces.by_question import Questions
from ragauge.loaders.in_pieces.decisions import Decisions
from ragauge.loaders.in_pieces.gold import GoldJoin
from ragauge.loaders.in_pieces.piece_files import PieceFiles
from ragauge.loaders.in_pieces.row_keys import KeyFindings, RowKeys
from ragauge.loaders.in_pieces.side import Side, Source
from ragauge.loaders.in_pieces.tables import PIECE_BYTES, FileTables, NeedsAllRowsError
from ragauge.loaders.mapping import absent
from ragauge.loaders.shared_gold import SHARED
from ragauge.loaders.table import Table
from ragauge.memory import gc_paused
from ragauge.sample import Row, Samples
from ragauge.sample_frame import Numbering, read_values
from ragauge.temporary_file import TemporaryFolder

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
    piece_bytes: int = PIECE_BYTES,
) -> Samples:
    """The samples of the files, kept in a temporary file; DataError with every problem in the data.

    What the rows of `gold` say is added to the answers of their questions. Raises NeedsAllRowsError for
    data that must be read at once.
    """
    decisions = [
        Decisions(chosen, () if source.system is None else ("system",), gold is not None)
        for source in sources
    ]
    for _ in range(MAX_PASSES):
        one_pass = _Pass(
            [
                Side(FileTables(source.files, piece_bytes), source, decided)
                for source, decided in zip(sources, decisions, strict=True)
            ],
            chosen,
        )
        with gc_paused():
            one_pass.read()
        if one_pass.has_too_many_problems or all(decided.is_settled for decided in decisions):
            return one_pass.samples() if gold is None else one_pass.joined(gold)
        decisions = [decided.for_next_pass() for decided in decisions]
    raise NeedsAllRowsError("its columns change too often")


@dataclass(slots=True)
class _Pass:
    """One reading of all sources."""

    sides: Sequence[Side]
    chosen: Mapping[str, str]
    numbering: Numbering = field(default_factory=Numbering)
    value_problems: list[Problem] = field(default_factory=list[Problem])
    questions: Questions = field(default_factory=Questions)
    keys: RowKeys = field(init=False)
    pieces: PieceFiles = field(init=False)

    def __post_init__(self) -> None:
        files = [str(file) for side in self.sides for file in side.source.files]
        self.keys = RowKeys(files, one_table=len(self.sides) == 1)
        self.pieces = PieceFiles(TemporaryFolder())

    def read(self) -> None:
        for side in self.sides:
            for table in side.tables:
                self._keep(side, side.read(table), table.source)
                if self.has_too_many_problems:
                    return
            side.csv.finish()

    @property
    def has_too_many_problems(self) -> bool:
        return sum(map(len, self._problems_of_sides())) + len(self.value_problems) > MAX_PROBLEMS

    def _problems_of_sides(self) -> list[list[Problem]]:
        return [side.problems for side in self.sides]

    def _keep(self, side: Side, rows: Sequence[Row], source: str) -> None:
        self.questions.add(rows)
        values = [read_values(row, self.value_problems) for row in rows]
        if not values or self.value_problems or any(self._problems_of_sides()):
            return  # only further problems are of interest
        side.note_shared(values)
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
        self._check_gold()
        problems = self._problems()
        found, numbered = KeyFindings(), self.numbering.notes()
        paired: list[str] = []
        if not problems:
            if any(side.shared != self.sides[0].shared for side in self.sides):
                raise NeedsAllRowsError(
                    "what one system's file says of the questions is used for others"
                )
            if self.questions.n_unnamed and len(self.keys.systems) > 1:
                self.keys, _, note = self.questions.pair(self.pieces, self.keys)
                paired, numbered = [note], []
            found = self.keys.check(self.pieces)
            problems += [*found.conflicts, *found.duplicates]
        if problems:
            raise DataError(problems)
        notes = (
            *self._notes(are_named=len(self.sides) > 1),
            *paired,
            *found.differing,
            *found.gaps,
            *numbered,
            *found.alike,
        )
        return Samples(self.pieces.as_file(), ", ".join(self._names()), notes)

    def _check_gold(self) -> None:
        """Raise NeedsAllRowsError if gold of one system counts for another, whose file has none."""
        given = [set(side.decisions.naming().fields.values()) for side in self.sides if side.n_rows]
        if any(0 < sum(name in fields for fields in given) < len(given) for name in SHARED):
            raise NeedsAllRowsError("the gold in the file of one system counts for the others")

    def joined(self, given: GoldTable) -> Samples:
        """The samples with the gold of their questions; DataError with every problem found."""
        gold = given.table
        problems = [*self._problems(given.given), *gold.problems]
        if not gold.rows and not gold.problems:
            problems.append(Problem("holds no samples; is it the right file?", gold.source))
        if problems:
            raise DataError(problems)
        paired: list[str] = []
        if self.questions.n_unnamed:
            self.keys, named, note = self.questions.pair(self.pieces, self.keys, gold)
            gold, paired = named or gold, [note]
        join = GoldJoin.of(self.pieces, self.keys, gold)
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
        """What is wrong with columns and values."""
        problems = self._absent(columns_of_gold)
        of_sides = [side.column_problems() for side in self.sides]
        problems += [problem for several in of_sides for problem in several]
        problems += [
            Problem("holds no samples; is it the right file?", side.source.name)
            for side, several in zip(self.sides, of_sides, strict=True)
            if not side.n_rows and not several
        ]
        return problems + self.value_problems

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
