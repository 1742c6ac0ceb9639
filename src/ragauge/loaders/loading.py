"""Load files and objects as samples: `load` opens the sources and reads them, again where later rows change what was decided."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from os import PathLike
from pathlib import Path
from typing import cast

from ragauge.errors import DataError, PlanError, Problem
from ragauge.loaders.gold import GoldJoin, gold_by_turn, gold_fields
from ragauge.loaders.mapping import absent, check_chosen
from ragauge.loaders.pairing import (
    Conflicts,
    Paired,
    Prefer,
    are_repeated,
    check_prefer,
    paired_by_place,
    paired_by_question,
)
from ragauge.loaders.pieces import FRAME_BYTES, SamplePieces
from ragauge.loaders.questions import Numbering, Questions
from ragauge.loaders.remote import copied
from ragauge.loaders.shapes import benchmarks
from ragauge.loaders.sources import (
    PACKED,
    AnswerSource,
    Reading,
    Source,
    files_in_pieces,
    is_one_source,
    read_source,
    size_of,
)
from ragauge.loaders.table import NeedsAllRowsError, Table, items_in
from ragauge.samples.fields import Row, read_values
from ragauge.samples.samples import Samples
from ragauge.storage.memory import gc_paused
from ragauge.storage.regular_file import is_file

LARGE_BYTES = 64 * 2**20  # files of at least this size that are read at once have a note
MAX_PASSES = 20
MAX_PROBLEMS = 100_000  # reading stops after this many problems of the data
SHARED = ("references", "gold_contexts", "relevant", "answerable")  # of a question, whoever answers


def load(
    source: object,
    *,
    map: Mapping[str, str] | None = None,
    system: str | None = None,
    gold: object = None,
    prefer: Prefer | None = None,
    by_place: bool = False,
    in_pieces: bool | None = None,
) -> Samples:
    """Load samples from a file (.jsonl .ndjson .json .csv .tsv, also .gz or .zst; .parquet), frame or list.

    A folder, or a pattern such as "answers/*.jsonl", is all its files of one kind. An s3:// or gs:// URL
    of one of these is copied to this machine first. Files are read piece by piece, so that they need
    not fit into memory. Samples of more than 64 MB are kept in a temporary file, and fewer are a frame;
    `in_pieces=True` makes them a file, False a frame of rows that are read at once. `gold` is in memory. All rows
    are read at once for traces and results of pipelines; a note says so if the files are large.

    A list may hold dicts or objects with the names of fields; a dict of columns, an Arrow table, and
    the data sets and samples of Hugging Face, ragas, deepeval, LlamaIndex and Haystack are read too.
    A mapping of system name to source loads several systems. `map` maps a field to the column to
    read for it, {"answer": "a,b"} reads the columns a and b as the answers of two systems; `system` names the system that gave all the answers. `gold` holds questions,
    references and gold contexts: a question that a system did not answer becomes a row without an
    answer. `notes` say which columns were mapped or left out, and what a system or the gold lacks.

    Rows of several systems, and of the gold, belong together by id; where there is no id, by the text
    of the question (case and whitespace ignored). `by_place=True` pairs the n-th rows instead. If an
    id has two question texts, or a question has conflicting gold, that is an error; `prefer` settles
    it: "gold" uses the gold's value, "answers" each answer's own, "first" that of the first source.

    Raises DataError with every problem in the data, PlanError for invalid arguments.

    >>> samples = load([{"qid": "q1", "response": "Paris", "reference": "Paris"}])
    >>> samples.columns
    ('id', 'system', 'answer', 'references')
    >>> samples.notes
    ("read 'qid' as id, 'response' as answer, 'reference' as references",)
    """
    chosen = map or {}
    if problems := [*check_chosen(chosen), *check_prefer(prefer, has_gold=gold is not None)]:
        raise PlanError(problems)
    with gc_paused(), copied() as copies:
        is_one = is_one_source(source, chosen.values())
        here = copies.of(source) if is_one else copies.of_systems(source)
        given, gold = _by_system(here, system, chosen.values()), copies.of(gold)
        expected = None if gold is None else read_source(gold, chosen.values())
        most_bytes = FRAME_BYTES if in_pieces is None else -1 if in_pieces else inf
        notes = _notes_on_size([*(each for _, each in given), gold], gold)

        def opened(name: str | None, each: object, *, whole: bool) -> AnswerSource:
            """Files as they are, if they are more than one piece; anything else as a table."""
            if files := None if whole else files_in_pieces(each):
                return AnswerSource(str(each), name, files)
            table = read_source(each, chosen.values())
            return AnswerSource(table.source, name, table=table)

        def samples_of(sources: Sequence[AnswerSource]) -> Samples:
            sources, rows = _by_position(sources, expected)
            return load_sources(
                sources, chosen, rows, prefer=prefer, by_place=by_place, most_bytes=most_bytes
            )

        sources = [opened(*own, whole=in_pieces is False) for own in given]
        try:
            read = samples_of(sources)
        except NeedsAllRowsError as error:
            files = [file for _, each in given for file in files_in_pieces(each, 0) or ()]
            if in_pieces or size_of(files) >= LARGE_BYTES:
                notes = [f"read as a whole into memory: {error}"]
            several = zip(given, sources, strict=True)
            read = samples_of(
                [opened(*own, whole=True) if source.files else source for own, source in several]
            )
        said = tuple(copies.named(note) for note in (*read.notes, *notes))
        return replace(read, source=copies.named(read.source), notes=said)


def _by_position(
    sources: Sequence[AnswerSource], gold: Table | None
) -> tuple[Sequence[AnswerSource], Table | None]:
    """The sources and the gold; those of LegalBench-RAG with positions as ids."""
    tables = [each.table for each in sources if each.table is not None]
    if gold is None and len(sources) == 1:
        tables = [benchmarks.as_legalbench(table) for table in tables]
    elif gold is not None:
        if benchmarks.is_legalbench(gold, "snippets"):
            if len(tables) < len(sources):
                raise NeedsAllRowsError("its rows are paired by position")
            if all(benchmarks.is_legalbench(table, "retrieved_passages") for table in tables):
                tables, gold = benchmarks.legalbench_pairs(tables, gold)
        gold = benchmarks.as_legalbench(gold)
    left = iter(tables)
    placed = [each if each.table is None else replace(each, table=next(left)) for each in sources]
    return placed, gold


def load_passages(predictions: Source, gold: Source) -> Samples:
    """Load LegalBench-RAG's passages as samples with `id` (the position, from 1), `question`, `contexts` and `gold_contexts`.

    Raises DataError when the two differ in length or in the query at a position. A query without
    gold snippets is kept with empty `gold_contexts`; a note counts them.
    """
    (table,), expected = benchmarks.legalbench_pairs([read_source(predictions)], read_source(gold))
    return load_sources([AnswerSource(table.source, table=table)], {}, expected, most_bytes=inf)


def _notes_on_size(sources: Sequence[object], gold: object) -> list[str]:
    """Notes on large files that are read at once."""
    endings = (".json", *(f".json{packed}" for packed in PACKED))
    paths = [Path(str(cast(object, each))) for each in sources if isinstance(each, str | PathLike)]
    values = [path for path in paths if path.name.lower().endswith(endings) and is_file(path)]
    if size_of(values) >= LARGE_BYTES:
        return [
            f"read as a whole into memory: {values[0]} is one JSON value; "
            ".jsonl, .csv and .parquet are read in pieces"
        ]
    if size_of(files_in_pieces(gold, 0) or ()) < LARGE_BYTES:
        return []
    return [
        "read the gold as a whole into memory, the answers in pieces; gold in the answers' rows takes less"
    ]


def _by_system(
    source: object, system: str | None, chosen: Collection[str]
) -> list[tuple[str | None, object]]:
    """The sources, each with the name of its system if the user gave one."""
    if is_one_source(source, chosen):
        return [(system, source)]
    sources = cast(Mapping[object, object], source)
    if system is not None:
        raise PlanError([f"the sources already name their systems; remove system={system!r}"])
    if not sources:
        raise PlanError(["no system given; give at least one {system: source}"])
    for name, rows in sources.items():
        if not isinstance(name, str) or not name.strip():
            raise PlanError([f"the name of a system must be non-empty text, got {name!r}"])
        if isinstance(next(iter(items_in(rows)), None), str | int | float):
            problem = f"{name!r} must be a system with a list of rows, or a column of a known name"
            raise PlanError([f"{problem}; map the columns of a dict: map={{'answer': {name!r}}}"])
    return [(str(name), given) for name, given in sources.items()]


def load_sources(
    sources: Sequence[AnswerSource],
    chosen: Mapping[str, str],
    gold: Table | None = None,
    *,
    prefer: Prefer | None = None,
    by_place: bool = False,
    most_bytes: float = inf,
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
        one_pass = _Pass(readings, chosen, conflicts, SamplePieces(most_bytes, texts))
        one_pass.read()
        is_settled = all(reading.is_settled for reading in readings)
        mixed = one_pass.pieces.mixed() if is_settled else set[str]()
        if one_pass.has_too_many_problems or (is_settled and not mixed):
            return one_pass.samples() if gold is None else one_pass.samples_with(gold)
        readings, texts = [reading.again() for reading in readings], texts | mixed
    raise NeedsAllRowsError("its columns change too often")


@dataclass(slots=True)
class _Pass:
    """One reading of all sources."""

    readings: Sequence[Reading]
    chosen: Mapping[str, str]
    conflicts: Conflicts
    pieces: SamplePieces
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

    def samples_with(self, given: Table) -> Samples:
        """The samples with the gold of their questions; DataError with every problem found."""
        if self.conflicts.are_turns:
            pieces = (piece["id"].to_list() for piece in self.pieces.pieces(["id"]))
            given = gold_by_turn(given, {id for ids in pieces for id in ids})
        gold = gold_fields(given, self.chosen)
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
