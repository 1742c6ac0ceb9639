"""Read sources of answers into samples: all of them piece by piece, again where later rows change what was decided."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from ragauge.conversations.tool_calls import list_of
from ragauge.errors import DataError, Problem
from ragauge.loaders.conflicts import Conflicts, Prefer
from ragauge.loaders.mapping import absent, field_of
from ragauge.loaders.names import ALIASES_IN_GOLD, GIVEN_BY_ANSWERS
from ragauge.loaders.piece_files import (
    FRAME_BYTES,
    Paired,
    PieceFiles,
    are_repeated,
    paired_by_place,
    paired_by_question,
)
from ragauge.loaders.questions import GoldJoin, Questions
from ragauge.loaders.reading import AnswerSource, Decisions, Reading
from ragauge.loaders.shapes import conversations
from ragauge.loaders.table import NeedsAllRowsError, Table
from ragauge.samples.frame import Numbering, problems_of, read_values
from ragauge.samples.samples import Row, Samples

MAX_PASSES = 20
MAX_PROBLEMS = 100_000  # reading stops after this many problems of the data
SHARED = ("references", "gold_contexts", "relevant", "answerable")  # of a question, whoever answers


def load_sources(
    sources: Sequence[AnswerSource],
    chosen: Mapping[str, str],
    gold: Table | None = None,
    *,
    prefer: Prefer | None = None,
    by_place: bool = False,
    most_bytes: float = FRAME_BYTES,
) -> Samples:
    """The samples of the sources; DataError with every problem in the data.

    What the rows of `gold` say is added to the answers of their questions. `prefer` and `by_place` are those of `load`.
    Samples of more than `most_bytes` are a temporary file. Raises NeedsAllRowsError for files that must be read at once.
    """
    readings = [Reading.first(source, chosen, has_gold=gold is not None) for source in sources]
    texts: frozenset[str] = frozenset()
    for _ in range(MAX_PASSES):
        conflicts = Conflicts(
            prefer, by_place, one_table=len(sources) == 1, has_gold=gold is not None
        )
        one_pass = _Pass(readings, chosen, conflicts, PieceFiles(most_bytes, texts))
        one_pass.read()
        is_settled = all(reading.is_settled for reading in readings)
        mixed = one_pass.pieces.mixed() if is_settled else set[str]()
        if one_pass.has_too_many_problems or (is_settled and not mixed):
            return one_pass.samples() if gold is None else one_pass.joined(gold)
        readings, texts = [reading.again() for reading in readings], texts | mixed
    raise NeedsAllRowsError("its columns change too often")


@dataclass(slots=True)
class _Pass:
    """One reading of all sources."""

    readings: Sequence[Reading]
    chosen: Mapping[str, str]
    conflicts: Conflicts
    pieces: PieceFiles
    numbering: Numbering = field(default_factory=Numbering)
    value_problems: list[Problem] = field(default_factory=list[Problem])

    def read(self) -> None:
        for reading in self.readings:
            for table in reading.tables():
                self._keep(reading.read(table))
                if self.has_too_many_problems:
                    return
            reading.csv.finish()
        self.conflicts.are_turns = self.pieces.kinds.keys() >= {"conversation", "turn"}

    def _keep(self, rows: Sequence[Row]) -> None:
        # A function of its own, so that the values are gone when the next piece is read.
        if rows:
            values = [read_values(row, self.value_problems) for row in rows]
            self.numbering.fill(values)
            self.pieces.add(values, rows, [row.values.get("id") is None for row in rows])

    @property
    def has_too_many_problems(self) -> bool:
        n_of_readings = sum(len(reading.problems) for reading in self.readings)
        return n_of_readings + len(self.value_problems) > MAX_PROBLEMS

    def samples(self) -> Samples:
        """The samples of all rows; DataError with every problem found."""
        problems = self._problems()
        paired = None if problems else self._paired(None)
        if not self.pieces.n_rows:
            raise DataError([*problems, *self.value_problems])
        questions = Questions(self.pieces)
        duplicates = self._duplicates(questions)
        if not problems:  # sources that cannot be read are not compared
            questions.compare(self.conflicts)
            problems += self.conflicts.problems()
        if problems := [*problems, *self.value_problems, *duplicates]:
            raise DataError(problems)
        notes = [
            *self._notes(are_named=len(self.readings) > 1),
            *(paired.notes if paired else ()),
            *self.conflicts.notes(),
            *questions.share(self._without_gold()),
            *questions.gaps(),
            *(() if paired else self.numbering.notes()),
            *questions.look_alikes(),
        ]
        return Samples(self.pieces.finish(), ", ".join(self._names()), tuple(notes))

    def joined(self, given: Table) -> Samples:
        """The samples with the gold of their questions; DataError with every problem found."""
        if self.conflicts.are_turns:
            pieces = (piece["id"].to_list() for piece in self.pieces.pieces(["id"]))
            given = _gold_by_turn(given, {id for ids in pieces for id in ids})
        gold = _with_fields(given, self.chosen)
        problems = [*self._problems(given.columns), *gold.problems]
        if not gold.rows and not gold.problems:
            problems.append(Problem("holds no samples; is it the right file?", gold.source))
        if problems:
            duplicates = self._duplicates(Questions(self.pieces)) if self.pieces.n_rows else ()
            raise DataError([*problems, *self.value_problems, *duplicates])
        if self._may_be_passages:
            self._duplicates(Questions(self.pieces))
        paired = self._paired(gold)
        gold = (paired and paired.gold) or gold
        questions = Questions(self.pieces)
        join = GoldJoin(self.pieces, questions, gold, self.conflicts, self.value_problems)
        join.run()
        if join.problems:
            raise DataError(join.problems)
        notes = [*self._notes(are_named=True), *(f"{gold.source}: {note}" for note in gold.notes)]
        notes += [*(paired.notes if paired else ()), *join.notes]
        source = ", ".join(dict.fromkeys((*self._names(), gold.source)))
        return Samples(join.joined.finish(), source, tuple(notes))

    def _paired(self, gold: Table | None) -> Paired | None:
        """Give rows of the same question the same id; None if there is nothing to pair."""
        if gold is None and len(self.pieces.systems) < 2:
            return None
        gold_rows = () if gold is None else gold.rows
        is_named = all(row.values.get("id") is not None for row in gold_rows)
        if self.conflicts.is_by_place:
            if self._may_be_passages:
                raise NeedsAllRowsError(
                    "rows that are paired by place may be passages of questions"
                )
            paired = paired_by_place(self.pieces, gold)
        elif is_named and not self.numbering.n_numbered:
            return None
        else:
            paired = paired_by_question(self.pieces, gold)
        if paired.problems:
            duplicates = self._duplicates(Questions(self.pieces))
            raise DataError([*paired.problems, *self.value_problems, *duplicates])
        return paired

    @property
    def _may_be_passages(self) -> bool:
        return any(reading.may_be_passages for reading in self.readings)

    def _duplicates(self, questions: Questions) -> list[Problem]:
        """Duplicate rows; raises NeedsAllRowsError if they may be passages of a question, which become one sample."""
        duplicates = questions.duplicates()
        if self._may_be_passages:
            is_unnamed = self.numbering.n_numbered == self.pieces.n_rows
            if duplicates or (is_unnamed and are_repeated(self.pieces)):
                raise NeedsAllRowsError("rows of the same question may be its passages")
        return duplicates

    def _without_gold(self) -> dict[str, list[str]]:
        """By field of the gold, the systems whose file does not have it, if the file of another one has."""
        fields = {
            system: set(reading.decisions.naming().fields.values())
            for reading in self.readings
            if reading.n_rows and (system := reading.source.system) is not None
        }
        without = {name: [each for each in fields if name not in fields[each]] for name in SHARED}
        return {name: some for name, some in without.items() if 0 < len(some) < len(fields)}

    def _names(self) -> list[str]:
        return list(dict.fromkeys(reading.source.name for reading in self.readings))

    def _problems(self, columns_of_gold: Collection[str] = ()) -> list[Problem]:
        """What is wrong with files and columns; not with values. A column that only the gold has belongs to it."""
        problems: list[Problem] = []
        for name, column in self.chosen.items():
            without = [reading for reading in self.readings if reading.lacks(column)]
            if column in columns_of_gold and len(without) == len(self.readings):
                continue
            for reading in without:
                text = absent(name, column, tuple(reading.decisions.columns))
                problems.append(Problem(text, reading.source.name))
        return problems + [each for reading in self.readings for each in reading.column_problems()]

    def _notes(self, *, are_named: bool) -> list[str]:
        """How columns and values were read. `are_named`: each note begins with its source."""
        return [
            f"{reading.source.name}: {note}" if are_named else note
            for reading in self.readings
            for note in reading.notes()
        ]


def _with_fields(gold: Table, chosen: Mapping[str, str]) -> Table:
    """The gold with fields as names, and with the problems of its values."""
    if not gold.rows:
        return gold
    here = {
        field: column
        for field, column in chosen.items()
        if column in gold.columns and field not in GIVEN_BY_ANSWERS
    }
    decisions = Decisions(here, is_whole=True, aliases=ALIASES_IN_GOLD)
    of_values: list[Problem] = []
    rows: tuple[Row, ...] = tuple(decisions.read(gold, of_values))
    names = (Problem(text, gold.source) for text in decisions.naming().problems)
    problems = [*gold.problems, *names, *of_values]
    if rows and not problems:
        problems = problems_of(rows)
    notes = (*gold.notes, *decisions.notes())
    return replace(gold, rows=rows, notes=notes, problems=tuple(problems))


def _gold_by_turn(gold: Table, ids: Collection[object]) -> Table:
    """Gold of conversations as a row for each of their turns, which are among the ids; other gold as it is."""
    rows: list[Row] = []
    for row in gold.rows:
        fields = {name: field_of(name) for name in row.values}
        id = next((str(row.values[name]) for name in fields if fields[name] == "id"), "")
        lists = {
            name: list_of(conversations.json_in(row.values[name])) or []
            for name, field in fields.items()
            if field == "expected_calls"
            or (
                field in conversations.OF_TURN
                and conversations.is_over_turns(field, row.values[name])
            )
        }
        if f"{id}#1" not in ids or not lists:
            rows.append(row)
            continue
        others = {name: value for name, value in row.values.items() if name not in lists}
        given = {name: value for name, value in others.items() if fields[name] != "id"}
        for number, items in enumerate(zip_longest(*lists.values()), 1):
            pairs = zip(lists, items, strict=True)
            of_turn = {name: item for name, item in pairs if item is not None}
            named = {"id": f"{id}#{number}", "conversation": id, "turn": number}
            rows.append(replace(row, values={**given, **named, **of_turn}))
    return replace(gold, rows=tuple(rows))
