"""Read files piece by piece into a file of samples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ragauge.errors import DataError, Problem
from ragauge.loaders import legalbench
from ragauge.loaders.assembly import other_system_problem
from ragauge.loaders.benchmark_logs import recognised as recognised_logs
from ragauge.loaders.citations import recognised as recognised_citations
from ragauge.loaders.in_pieces.decisions import Decisions
from ragauge.loaders.in_pieces.gold import GoldJoin
from ragauge.loaders.in_pieces.piece_files import PieceFiles
from ragauge.loaders.in_pieces.row_keys import KeyFindings, RowKeys
from ragauge.loaders.in_pieces.tables import (
    PIECE_BYTES,
    CsvNotes,
    FileTables,
    NeedsAllRowsError,
)
from ragauge.loaders.joined_texts import recognised as recognised_joined
from ragauge.loaders.mapping import absent
from ragauge.loaders.numbered import recognised as recognised_numbered
from ragauge.loaders.passage_rows import recognised as recognised_passage_rows
from ragauge.loaders.promptfoo import recognised as recognised_promptfoo
from ragauge.loaders.published import recognised as recognised_published
from ragauge.loaders.results import recognised as recognised_results
from ragauge.loaders.side_by_side import recognised as recognised_side_by_side
from ragauge.loaders.squad import recognised as recognised_squad
from ragauge.loaders.table import Table
from ragauge.loaders.traces import recognised as recognised_traces
from ragauge.loaders.wrappers import unwrapped
from ragauge.memory import gc_paused
from ragauge.sample import Row, Samples
from ragauge.sample_frame import Numbering, read_values
from ragauge.temporary_file import TemporaryFolder

MAX_PASSES = 20
RECOGNISED = (
    recognised_traces,
    recognised_promptfoo,
    recognised_logs,
    recognised_squad,
    unwrapped,
    recognised_citations,
    recognised_published,
    recognised_results,
    recognised_joined,
    recognised_numbered,
    recognised_passage_rows,
    recognised_side_by_side,
    legalbench.recognised,
)
"""Read the rows of other tools, which needs all of them; each returns other tables as they are."""
MAX_PROBLEMS = 100_000
"""Reading stops after this many problems of the data."""


def load_in_pieces(
    files: Sequence[Path],
    source: str,
    chosen: Mapping[str, str],
    system: str | None,
    gold: Table | None = None,
    *,
    piece_bytes: int = PIECE_BYTES,
) -> Samples:
    """The samples of the files, kept in a temporary file; DataError with every problem in the data.

    `gold` has fields as columns; what its rows say is added to the answers of their questions.
    `source` names the files in messages. Raises NeedsAllRowsError for data that must be read at once.
    """
    settled = () if system is None else ("system",)
    decisions = Decisions(chosen, settled, gold is not None)
    for _ in range(MAX_PASSES):
        one_pass = _Pass(FileTables(files, piece_bytes), source, system, decisions)
        with gc_paused():
            one_pass.read()
        if decisions.is_settled or one_pass.has_too_many_problems:
            return one_pass.samples() if gold is None else one_pass.joined(gold)
        decisions = decisions.for_next_pass()
    raise NeedsAllRowsError("its columns change too often")


@dataclass(slots=True)
class _Pass:
    """One reading of all files."""

    tables: FileTables
    source: str
    system: str | None
    decisions: Decisions
    csv: CsvNotes = field(default_factory=CsvNotes)
    numbering: Numbering = field(default_factory=Numbering)
    table_problems: list[Problem] = field(default_factory=list[Problem])
    value_problems: list[Problem] = field(default_factory=list[Problem])
    other_systems: set[str] = field(default_factory=set[str])
    n_rows: int = 0
    n_unnamed: int = 0
    keys: RowKeys = field(init=False)
    pieces: PieceFiles = field(init=False)

    def __post_init__(self) -> None:
        self.keys = RowKeys([str(file) for file in self.tables.files])
        self.pieces = PieceFiles(TemporaryFolder())

    def read(self) -> None:
        for table in self.tables:
            self._add(table)
            if self.has_too_many_problems:
                return

    @property
    def has_too_many_problems(self) -> bool:
        return len(self.table_problems) + len(self.value_problems) > MAX_PROBLEMS

    def _add(self, given: Table) -> None:
        table = self.csv.read(given) if given.all_text else given
        for recognised in RECOGNISED:
            if recognised(table) is not table:
                raise NeedsAllRowsError("its rows have the shape of another tool's")
        self.table_problems += table.problems
        self.n_rows += len(table.rows)
        rows = self._of_system(self.decisions.read(table, self.table_problems))
        self._keep(rows, table.source)

    def _of_system(self, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows as answers of the given system; a conflicting `system` column is a problem."""
        if self.system is None:
            return rows
        for row in rows:
            name = row.values.get("system")
            if name is not None and name != self.system and repr(name) not in self.other_systems:
                self.other_systems.add(repr(name))
                self.table_problems.append(other_system_problem(row, repr(name), self.system))
        return [Row({**row.values, "system": self.system}, row.source, row.line) for row in rows]

    def _keep(self, rows: Sequence[Row], source: str) -> None:
        self.n_unnamed += sum(row.values.get("id") is None for row in rows)
        values = [read_values(row, self.value_problems) for row in rows]
        if not values or self.value_problems or self.table_problems:
            return  # only further problems are of interest
        self.numbering.fill(values)
        frame = self.pieces.add(values, [row.line for row in rows])
        self.keys.add(frame, source)
        if self.n_unnamed and len(self.keys.systems) > 1:
            raise NeedsAllRowsError("rows of several systems without ids are paired by their texts")

    def samples(self) -> Samples:
        """The samples of all rows; DataError with every problem found."""
        problems = self._problems()
        found = KeyFindings()
        if not problems:
            found = self.keys.check(self.pieces)
            problems += [*found.conflicts, *found.duplicates]
        if problems:
            raise DataError(problems)
        notes = (
            *self._notes(),
            *found.differing,
            *found.gaps,
            *self.numbering.notes(),
            *found.alike,
        )
        return Samples(self.pieces.as_file(), self.source, notes)

    def joined(self, gold: Table) -> Samples:
        """The samples with the gold of their questions; DataError with every problem found."""
        problems = [*self._problems(), *gold.problems]
        if not gold.rows and not gold.problems:
            problems.append(Problem("holds no samples; is it the right file?", gold.source))
        if problems:
            raise DataError(problems)
        if self.n_unnamed:
            raise NeedsAllRowsError("rows without ids are paired by their texts")
        join = GoldJoin.of(self.pieces, self.keys, gold)
        join.run()
        if join.problems:
            raise DataError(join.problems)
        notes = [f"{self.source}: {note}" for note in self._notes()]
        notes += [f"{gold.source}: {note}" for note in gold.notes]
        source = ", ".join(dict.fromkeys((self.source, gold.source)))
        return Samples(join.joined.as_file(), source, (*notes, *join.notes))

    def _problems(self) -> list[Problem]:
        """What is wrong with columns and values."""
        problems = [*self._absent(), *self.table_problems]
        if self.n_rows:
            naming = self.decisions.naming()
            problems += [Problem(text, self.source) for text in naming.problems]
        elif not problems:
            problems.append(Problem("holds no samples; is it the right file?", self.source))
        return problems + self.value_problems

    def _notes(self) -> list[str]:
        """How columns and values were read."""
        return [
            *dict.fromkeys(self.csv.notes()),
            *self.decisions.naming().notes,
            *self.decisions.contexts.notes(),
            *self.decisions.extra.notes(),
        ]

    def _absent(self) -> list[Problem]:
        """Problems for chosen columns that no row has."""
        columns = tuple(self.decisions.columns)
        return [
            Problem(absent(name, column, columns), self.source)
            for name, column in self.decisions.chosen.items()
            if self.n_rows and column not in self.decisions.columns
        ]
