"""Load files and objects as samples: `load` detects the format and the fields."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ragauge.errors import PlanError
from ragauge.loaders import legalbench, side_by_side
from ragauge.loaders.assembly import Answers, assemble, gold_with_fields
from ragauge.loaders.conflicts import Prefer, check_prefer
from ragauge.loaders.formats import Source, is_one_source, read_source
from ragauge.loaders.in_pieces.tables import (
    NeedsAllRowsError,
    files_in_pieces,
    is_large,
    is_one_value,
)
from ragauge.loaders.legalbench import load_passages
from ragauge.loaders.mapping import check_chosen
from ragauge.loaders.remote import copied, with_urls
from ragauge.samples.samples import Samples
from ragauge.storage.memory import gc_paused

if TYPE_CHECKING:
    from ragauge.loaders.in_pieces.side import Source as SourceInPieces

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
    of one of these is copied to this machine first. Large files
    (`in_pieces=None`: 64 MB and more) are read piece by piece into a temporary file, so that they need
    not fit into memory; the samples and every message are the same. Systems in files of their own, and
    `gold`, which is in memory, are joined. All rows are read into memory where
    only some rows to be joined have ids, and for traces and results of pipelines; a note says so if the files are large.

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
    """The samples of sources on this machine, in pieces or in memory."""
    if in_pieces is not False:
        try:
            found = _load_in_pieces(
                source, chosen, system, gold, prefer, by_place, even_small=bool(in_pieces)
            )
        except NeedsAllRowsError as error:
            in_memory = _load(source, chosen, system, gold, prefer=prefer, by_place=by_place)
            note = f"read as a whole into memory: {error}"
            return replace(in_memory, notes=(*in_memory.notes, note))
        if found is not None:
            return found
    samples = _load(source, chosen, system, gold, prefer=prefer, by_place=by_place)
    notes = [] if in_pieces is False else _notes_on_size(source, gold, chosen)
    return replace(samples, notes=(*samples.notes, *notes)) if notes else samples


def _notes_on_size(source: object, gold: object, chosen: Mapping[str, str]) -> list[str]:
    """A note on large files that are read into memory."""
    is_one = is_one_source(source, chosen.values())
    sources = [source] if is_one else list(cast(Mapping[object, object], source).values())
    values = [Path(str(each)) for each in (*sources, gold) if is_one_value(each)]
    if values and is_large(values):
        return [
            f"read as a whole into memory: {values[0]} is one JSON value; "
            ".jsonl, .csv and .parquet are read in pieces"
        ]
    files = [file for each in (*sources, gold) for file in files_in_pieces(each) or ()]
    if not files or not is_large(files):
        return []
    is_repeated = not is_one and len(set(files)) < len(files)
    why = (
        "a file is given for several systems" if is_repeated else "it is joined with another source"
    )
    return [f"read as a whole into memory: {why}"]


def _load_in_pieces(
    source: object,
    chosen: Mapping[str, str],
    system: str | None,
    gold: object,
    prefer: Prefer | None,
    by_place: bool,
    *,
    even_small: bool,
) -> Samples | None:
    """The samples of large files; None for any other source."""
    from ragauge.loaders.in_pieces.load import GoldTable, load_in_pieces

    sources = _sources_in_pieces(source, system, chosen)
    files = [file for each in sources for file in each.files]
    if not files or not (even_small or is_large(files)) or check_chosen(chosen):
        return None
    if len(set(files)) < len(files) or check_prefer(prefer, has_gold=gold is not None):
        return None
    if gold is None:
        return load_in_pieces(sources, chosen, prefer=prefer, by_place=by_place)
    given = read_source(gold, chosen.values())
    if legalbench.recognised(given) is not given:
        return None
    expected = GoldTable(gold_with_fields(given, chosen), given.columns())
    samples = load_in_pieces(sources, chosen, expected, prefer=prefer, by_place=by_place)
    if not is_large(files_in_pieces(gold) or ()):
        return samples
    note = "read the gold as a whole into memory, the answers in pieces; gold in the answers' rows takes less"
    return replace(samples, notes=(*samples.notes, note))


def _sources_in_pieces(
    source: object, system: str | None, chosen: Mapping[str, str]
) -> "list[SourceInPieces]":
    """The files of one source, or of each system; none if one of them cannot be read in pieces."""
    from ragauge.loaders.in_pieces.side import Source as SourceInPieces

    if is_one_source(source, chosen.values()):
        files = files_in_pieces(source)
        return [] if files is None else [SourceInPieces(files, str(source), system)]
    found: list[SourceInPieces] = []
    for name, given in cast(Mapping[object, object], source).items():
        files = files_in_pieces(given)
        if files is None or system is not None or not isinstance(name, str) or not name.strip():
            return []
        found.append(SourceInPieces(files, str(given), name))
    return found


def _load(
    source: object,
    chosen: Mapping[str, str],
    system: str | None,
    gold: object,
    *,
    prefer: Prefer | None,
    by_place: bool,
) -> Samples:
    problems = [*check_chosen(chosen), *check_prefer(prefer, has_gold=gold is not None)]
    if problems:
        raise PlanError(problems)
    answers = _answers(source, system, chosen.values())
    answers = [
        given
        if given.system is not None
        else replace(given, table=side_by_side.recognised(given.table, chosen.get("answer")))
        for given in answers
    ]
    expected = None if gold is None else read_source(gold, chosen.values())
    if expected is not None and legalbench.are_pairs(
        [system.table for system in answers], expected
    ):
        return legalbench.assemble_pairs(answers, expected, chosen)
    expected = None if expected is None else legalbench.recognised(expected)
    if expected is None and len(answers) == 1:
        answers = [replace(given, table=legalbench.recognised(given.table)) for given in answers]
    return assemble(answers, expected, chosen, prefer=prefer, by_place=by_place)


def _answers(source: object, system: str | None, chosen: Collection[str]) -> list[Answers]:
    if is_one_source(source, chosen):
        return [Answers(read_source(source, chosen), system)]
    sources = cast(Mapping[object, object], source)
    if system is not None:
        raise PlanError([f"the sources already name their systems; remove system={system!r}"])
    _check_systems(sources)
    return [Answers(read_source(given, chosen), str(name)) for name, given in sources.items()]


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
