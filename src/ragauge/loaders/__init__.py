"""Load files and objects as samples: `load` detects the format and the fields."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from ragauge.errors import PlanError
from ragauge.loaders.conflicts import Prefer, check_prefer
from ragauge.loaders.formats.remote import copied, with_urls
from ragauge.loaders.in_pieces.tables import (
    NeedsAllRowsError,
    are_one_piece,
    files_in_pieces,
    is_large,
    is_one_value,
)
from ragauge.loaders.mapping import check_chosen
from ragauge.loaders.shapes import benchmarks, layouts
from ragauge.loaders.sources import Source, is_one_source, read_source
from ragauge.loaders.table import Table
from ragauge.samples.samples import Samples
from ragauge.storage.memory import gc_paused

if TYPE_CHECKING:
    from ragauge.loaders.in_pieces.side import Source as SourceOfAnswers

__all__ = ["Source", "load", "load_passages"]


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
    with gc_paused(), copied() as copies:
        is_one = is_one_source(source, (map or {}).values())
        here = copies.of(source) if is_one else copies.of_systems(source)
        samples = _load_local(here, map or {}, system, copies.of(gold), prefer, by_place, in_pieces)
        return with_urls(samples, copies)


def _load_local(
    source: object,
    chosen: Mapping[str, str],
    system: str | None,
    gold: object,
    prefer: Prefer | None,
    by_place: bool,
    in_pieces: bool | None,
) -> Samples:
    """The samples of sources on this machine."""
    problems = [*check_chosen(chosen), *check_prefer(prefer, has_gold=gold is not None)]
    if problems:
        raise PlanError(problems)
    given = _by_system(source, system, chosen.values())
    expected = None if gold is None else read_source(gold, chosen.values())
    options = _Options(chosen, prefer, by_place, in_pieces)
    files = [file for _, each in given for file in files_in_pieces(each) or ()]
    notes = _notes_on_size(given, gold)
    if in_pieces is not False and not (expected and benchmarks.is_legalbench_gold(expected)):
        try:
            sources = [_in_pieces(each, name, chosen) for name, each in given]
            return _samples(sources, expected, options, notes)
        except NeedsAllRowsError as error:
            if in_pieces or is_large(files):
                notes = [f"read as a whole into memory: {error}"]
    tables = [_table(each, name, chosen) for name, each in given]
    if expected is not None and benchmarks.are_legalbench_pairs(tables, expected):
        tables, expected = benchmarks.legalbench_pairs(tables, expected)
    sources = [_of_table(table, name) for table, (name, _) in zip(tables, given, strict=True)]
    return _samples(sources, expected, options, notes)


class _Options(NamedTuple):
    chosen: Mapping[str, str] = {}
    prefer: Prefer | None = None
    by_place: bool = False
    as_file: bool | None = None


def _samples(
    sources: "Sequence[SourceOfAnswers]",
    gold: Table | None,
    options: _Options,
    notes: Sequence[str] = (),
) -> Samples:
    from ragauge.loaders.in_pieces.load import load_sources
    from ragauge.loaders.in_pieces.side import GoldTable

    chosen, prefer, by_place, as_file = options
    if gold is None and len(sources) == 1 and sources[0].table is not None:
        sources = [replace(sources[0], table=benchmarks.as_legalbench(sources[0].table))]
    expected = None if gold is None else GoldTable.of(benchmarks.as_legalbench(gold), chosen)
    samples = load_sources(
        sources, chosen, expected, prefer=prefer, by_place=by_place, as_file=as_file
    )
    return replace(samples, notes=(*samples.notes, *notes)) if notes else samples


def _in_pieces(given: object, system: str | None, chosen: Mapping[str, str]) -> "SourceOfAnswers":
    """Files as they are, if they are more than one piece; anything else as a table."""
    from ragauge.loaders.in_pieces.side import Source as SourceOfAnswers

    files = files_in_pieces(given)
    if files is None or are_one_piece(files):
        return _of_table(_table(given, system, chosen), system)
    return SourceOfAnswers(files, str(given), system)


def _of_table(table: Table, system: str | None) -> "SourceOfAnswers":
    from ragauge.loaders.in_pieces.side import Source as SourceOfAnswers

    return SourceOfAnswers((), table.source, system, table)


def _table(given: object, system: str | None, chosen: Mapping[str, str]) -> Table:
    """All rows of a source."""
    table = read_source(given, chosen.values())
    return table if system is not None else layouts.with_systems(table, chosen.get("answer"))


def _notes_on_size(given: "Sequence[tuple[str | None, object]]", gold: object) -> list[str]:
    """Notes on large files that are read at once."""
    values = [
        Path(str(each)) for each in (*(each for _, each in given), gold) if is_one_value(each)
    ]
    if values and is_large(values):
        return [
            f"read as a whole into memory: {values[0]} is one JSON value; "
            ".jsonl, .csv and .parquet are read in pieces"
        ]
    if not is_large(files_in_pieces(gold) or ()):
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
    _check_systems(sources)
    return [(str(name), given) for name, given in sources.items()]


def load_passages(predictions: Source, gold: Source) -> Samples:
    """Load LegalBench-RAG's passages as samples with `id` (the position, from 1), `question`, `contexts` and `gold_contexts`.

    Raises DataError when the two differ in length or in the query at a position. A query without
    gold snippets is kept with empty `gold_contexts`; a note counts them.
    """
    tables, expected = benchmarks.legalbench_pairs([read_source(predictions)], read_source(gold))
    return _samples([_of_table(table, None) for table in tables], expected, _Options())


def _check_systems(sources: Mapping[object, object]) -> None:
    if not sources:
        raise PlanError(["no system given; give at least one {system: source}"])
    for name, rows in sources.items():
        if not isinstance(name, str) or not name.strip():
            raise PlanError([f"the name of a system must be non-empty text, got {name!r}"])
        first = (
            next(iter(cast(Iterable[object], rows)), None)
            if isinstance(rows, list | tuple)
            else None
        )
        if isinstance(first, str | int | float):
            problem = f"{name!r} must be a system with a list of rows, or a column of a known name"
            raise PlanError([f"{problem}; map the columns of a dict: map={{'answer': {name!r}}}"])
