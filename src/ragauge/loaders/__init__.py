"""Load files and objects as samples: `load` detects the format and the fields."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import inf
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ragauge.errors import PlanError
from ragauge.loaders.conflicts import Prefer, check_prefer
from ragauge.loaders.mapping import check_chosen
from ragauge.loaders.shapes import benchmarks
from ragauge.loaders.sources import (
    PACKED,
    Source,
    copied,
    files_in_pieces,
    is_one_source,
    read_source,
    size_of,
)
from ragauge.loaders.table import NeedsAllRowsError, Table, items_in
from ragauge.samples.samples import Samples
from ragauge.storage.memory import gc_paused
from ragauge.storage.regular_file import is_file

if TYPE_CHECKING:
    from ragauge.loaders.reading import AnswerSource

__all__ = ["Source", "load", "load_passages"]

LARGE_BYTES = 64 * 2**20  # files of at least this size that are read at once have a note


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
    from ragauge.loaders import piece_files, reading
    from ragauge.loaders.joining import load_sources

    with gc_paused(), copied() as copies:
        is_one = is_one_source(source, chosen.values())
        here = copies.of(source) if is_one else copies.of_systems(source)
        given, gold = _by_system(here, system, chosen.values()), copies.of(gold)
        expected = None if gold is None else read_source(gold, chosen.values())
        most_bytes = piece_files.FRAME_BYTES if in_pieces is None else -1 if in_pieces else inf
        notes = _notes_on_size([*(each for _, each in given), gold], gold)

        def opened(name: str | None, each: object, piece_bytes: float) -> "AnswerSource":
            """Files as they are, if they are more than one piece; anything else as a table."""
            if files := files_in_pieces(each, piece_bytes):
                return reading.AnswerSource(str(each), name, files)
            table = read_source(each, chosen.values())
            return reading.AnswerSource(table.source, name, table=table)

        def joined(sources: "Sequence[AnswerSource]") -> Samples:
            sources, rows = _by_position(sources, expected)
            return load_sources(
                sources, chosen, rows, prefer=prefer, by_place=by_place, most_bytes=most_bytes
            )

        piece_bytes = inf if in_pieces is False else reading.PIECE_BYTES
        sources = [opened(name, each, piece_bytes) for name, each in given]
        try:
            read = joined(sources)
        except NeedsAllRowsError as error:
            files = [file for _, each in given for file in files_in_pieces(each, 0) or ()]
            if in_pieces or size_of(files) >= LARGE_BYTES:
                notes = [f"read as a whole into memory: {error}"]
            several = zip(given, sources, strict=True)
            read = joined(
                [opened(*own, inf) if source.files else source for own, source in several]
            )
        said = tuple(copies.named(note) for note in (*read.notes, *notes))
        return replace(read, source=copies.named(read.source), notes=said)


def _by_position(
    sources: "Sequence[AnswerSource]", gold: Table | None
) -> "tuple[Sequence[AnswerSource], Table | None]":
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
    from ragauge.loaders.joining import load_sources
    from ragauge.loaders.reading import AnswerSource

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
) -> "list[tuple[str | None, object]]":
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
