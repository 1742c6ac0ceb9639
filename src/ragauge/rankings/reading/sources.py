"""Read judgements and runs from files, folders, mappings, frames and samples."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np

from ragauge.errors import DataError, PlanError, Problem
from ragauge.loaders import load
from ragauge.loaders.formats.files import text_lines
from ragauge.loaders.formats.frames import is_pandas, is_polars
from ragauge.loaders.formats.json import MAX_DOCUMENT_LINE
from ragauge.loaders.formats.jsonl import JsonError, JsonReader, kind_of, repeated_problem
from ragauge.loaders.sources import Source
from ragauge.rankings.arrays import Compat
from ragauge.rankings.judgements import NOT_JUDGED, JudgedRun, Judgements, numbered
from ragauge.rankings.reading.columns import Value, candidates, choose
from ragauge.rankings.reading.in_memory import SortedRun, match_rows_to_qrels, rank_rows
from ragauge.rankings.reading.mappings import judgements_of, match_mapping_to_qrels, rows_of_mapping
from ragauge.rankings.reading.rows import Rows, judged
from ragauge.rankings.reading.samples import judgements_of_samples, rank_samples, searched_of
from ragauge.rankings.reading.streams import suffix_of
from ragauge.rankings.reading.tables import (
    rows_of_csv,
    rows_of_dicts,
    rows_of_json_list,
    rows_of_jsonl,
    rows_of_pandas,
    rows_of_parquet,
    rows_of_polars,
)
from ragauge.rankings.reading.trec import read_qrels, rows_of_trec, scan_run
from ragauge.samples.samples import Samples
from ragauge.storage.memory import gc_paused
from ragauge.storage.regular_file import is_file, is_folder

if TYPE_CHECKING:
    import polars as pl

One = TypeVar("One")


RankingSource = Source | Mapping[str, object] | Samples
"""A file, a list of dicts, a frame, a mapping by query, or samples."""

_DELIMITERS = {".csv": ",", ".tsv": "\t"}


def read_judgements(source: "RankingSource | Judgements") -> Judgements:
    """Read relevance judgements from any source.

    A path: TREC qrels, `.parquet`, `.csv` or `.tsv` with a header, `.json`, `.jsonl`, each also
    `.gz`; a file of samples with `relevant`; or a BEIR folder or its `qrels` folder, of which
    `test.tsv` is read, or its only file. `-` is standard input: TREC qrels. A mapping
    {query: {document: grade}} or {query: [document, …]}, a polars or pandas frame, a list of dicts,
    or samples with `relevant`. DataError lists what is wrong and where; ids are unchanged.

    >>> read_judgements({"q1": {"d1": 2}, "q2": ["d7"]}).grade.tolist()
    [2, 1]
    """
    match source:
        case Judgements():
            return source
        case Samples():
            return judgements_of_samples(source)
        case Mapping():
            return judgements_of(cast(Mapping[object, object], source), "judgements")
        case str() | os.PathLike() if (samples := samples_in(source)) is not None:
            return judgements_of_samples(samples)
        case str() | os.PathLike():
            with gc_paused():
                return _judgements_of_file(Path(source))
        case _:
            return judged(_rows_of_object(source, "grade"))


def match_to_qrels(
    source: "RankingSource | SortedRun", judgements: Judgements, *, compat: Compat = "trec9"
) -> JudgedRun:
    """Read a run from any source and match it to judgements.

    The sources are those of `read_judgements`, with scores instead of grades; also
    {query: [document, …]}, best first, and {query: [[document, score], …]}. Documents are ordered by
    score descending (in 32 bits, with `compat="trec10"` in 64), then by id descending by bytes. A
    table without scores is ordered by its `rank`. Samples have the order of their `context_ids`; a
    repeated id counts once.

    >>> run = match_to_qrels({"q1": {"d1": 0.5, "d2": 0.9}}, read_judgements({"q1": {"d1": 1}}))
    >>> run.rank.tolist(), run.n_retrieved.tolist()
    ([2], [2])
    """
    if isinstance(source, SortedRun):
        if source.compat != compat:
            what = f"the ranking was read with compat={source.compat!r}, not {compat!r}"
            raise PlanError([f"{what}; read it again, or use compat={source.compat!r}"])
        return source.matched_to(judgements)
    samples = samples_in(source)
    if samples is not None:
        return _only(match_samples_to_qrels(samples, judgements), samples)
    if not isinstance(source, str | os.PathLike | Mapping):
        return match_rows_to_qrels(_rows_of_object(source, "score"), judgements, compat)
    with gc_paused():
        if isinstance(source, Mapping):
            return match_mapping_to_qrels(
                cast(Mapping[object, object], source), judgements, compat, "run"
            )
        path = Path(source)
        if _format(path, "score") == "trec":
            return scan_run(path, judgements, compat=compat)
        found = _read(path, "score")
        if isinstance(found, Rows):
            return match_rows_to_qrels(found, judgements, compat)
        return match_mapping_to_qrels(found, judgements, compat, str(path))


def match_samples_to_qrels(samples: Samples, judgements: Judgements) -> dict[str, JudgedRun]:
    """Each system's retrieved documents matched to judgements, in the order of `context_ids`.

    A sample with empty `context_ids` retrieved nothing; one with null was not searched and is left
    out.
    """
    rankings = rank_samples(samples)
    number = numbered(judgements.queries)
    seen: dict[str, JudgedRun] = {}
    for system in samples.systems:
        known = [number.get(id, NOT_JUDGED) for id in searched_of(samples, system)]
        searched = np.zeros(judgements.n_queries, np.bool_)
        searched[[place for place in known if place != NOT_JUDGED]] = True
        ranking = rankings.get(system)
        found = ranking.matched_to(judgements) if ranking else JudgedRun.nothing(judgements)
        n_unjudged = known.count(NOT_JUDGED)
        seen[system] = replace(found, searched=searched, n_unjudged_queries=n_unjudged)
    return seen


def samples_in(source: object) -> Samples | None:
    """The samples, given or in a file with `context_ids` or `relevant`; None for other sources."""
    if isinstance(source, Samples):
        return source
    if not isinstance(source, str | os.PathLike):
        return None
    path = Path(cast("str | os.PathLike[str]", source))
    if not is_file(path) or _format(path, "score") == "trec":
        return None
    fields = _fields(path)
    # A table of judgements may call its grades "relevant", but it names documents.
    gold_only = "relevant" in fields and not candidates(fields, "document")
    return load(path) if "context_ids" in fields or gold_only else None


def read_run(source: "RankingSource | SortedRun", *, compat: Compat = "trec9") -> SortedRun:
    """Read a run whole from any source of `match_to_qrels`; it can be matched to any judgements.

    >>> read_run({"q1": ["d2", "d1"]}).documents("q1")
    [('d2', 0.0), ('d1', -1.0)]
    """
    match source:
        case SortedRun():
            return source
        case Samples():
            return _only(rank_samples(source), source)
        case Mapping():
            rows = rows_of_mapping(cast(Mapping[object, object], source), "run")
        case str() | os.PathLike():
            with gc_paused():
                return _run_of_file(Path(source), compat)
        case _:
            rows = _rows_of_object(source, "score")
    return rank_rows(rows, compat)


def run_frame(source: "RankingSource | SortedRun", *, compat: Compat = "trec9") -> "pl.DataFrame":
    """Read a run from any source as a frame: query, doc, score; best first within a query."""
    return read_run(source, compat=compat).frame()


# Files

_KEY = re.compile(r'"(\w+)"\s*:')
_LINES_LOOKED_AT = 50


def _fields(path: Path) -> list[str]:
    """The names of a table's columns, or of the fields of a JSON file's first lines."""
    suffix = _format(path, "score")
    if suffix == ".parquet":
        import polars as pl

        try:
            with path.open("rb") as file:
                return list(pl.read_parquet_schema(file))
        except (OSError, pl.exceptions.PolarsError):
            return []  # reported when it is read
    lines = islice(text_lines(path, []), 1 if suffix in _DELIMITERS else _LINES_LOOKED_AT)
    text = "".join(line for _, line in lines)
    if suffix in _DELIMITERS:
        return [name.strip('"\ufeff ') for name in text.rstrip("\r\n").split(_DELIMITERS[suffix])]
    return _KEY.findall(text)


def _format(path: Path, kind: Value) -> str:
    """The suffix of the name of a table or JSON file, or "trec"."""
    suffix = suffix_of(path)
    if suffix in _DELIMITERS and _is_trec(path, _DELIMITERS[suffix], kind):
        return "trec"
    return suffix


def _is_trec(path: Path, delimiter: str, kind: Value) -> bool:
    """Whether a file named as a table has a TREC file's fields and no header."""
    _, first = next(text_lines(path, []), (1, ""))
    header = first.rstrip("\r\n").split(delimiter)
    is_known = candidates(header, "query") or candidates(header, "document")
    n_fields = len(first.split())
    return not is_known and (n_fields >= 6 if kind == "score" else n_fields == 4)


def _judgements_of_file(path: Path) -> Judgements:
    if is_folder(path):
        path = _of_beir(path)
    if _format(path, "grade") == "trec":
        return read_qrels(path)
    found = _read(path, "grade")
    return judged(found) if isinstance(found, Rows) else judgements_of(found, str(path))


def _run_of_file(path: Path, compat: Compat) -> SortedRun:
    if _format(path, "score") == "trec":
        rows, tag = rows_of_trec(path)
        return rank_rows(rows, compat, tag)
    found = _read(path, "score")
    rows = found if isinstance(found, Rows) else rows_of_mapping(found, str(path))
    return rank_rows(rows, compat)


def _of_beir(folder: Path) -> Path:
    """The judgements in a BEIR folder, or in its `qrels` folder."""
    inner = folder / "qrels" if (folder / "qrels").is_dir() else folder
    files = sorted(inner.glob("*.tsv")) if inner.resolve().name == "qrels" else []
    if not files:
        what = "is a folder without BEIR's qrels/*.tsv; give a file of judgements"
        raise DataError([Problem(what, str(folder))])
    names = [file.name for file in files]
    if "test.tsv" in names:
        return inner / "test.tsv"
    if len(files) > 1:
        what = f"has several files of judgements: {', '.join(names)}; give one of these in qrels/"
        raise DataError([Problem(what, str(folder))])
    return files[0]


def _read(path: Path, kind: Value) -> Rows | Mapping[object, object]:
    """Read a file that is not a TREC file."""
    suffix = _format(path, kind)
    match suffix:
        case ".parquet":
            return rows_of_parquet(path, kind)
        case ".csv" | ".tsv":
            return _rows_of_csv(path, _DELIMITERS[suffix], kind)
        case ".jsonl" | ".ndjson":
            return rows_of_jsonl(path, kind)
        case _:
            return _read_json(path, kind)


def _rows_of_csv(path: Path, delimiter: str, kind: Value) -> Rows:
    problems: list[Problem] = []
    n_lines = sum(1 for _ in islice(text_lines(path, problems), 2))
    if n_lines == 1 and not problems:
        # The reader would only report an empty file; a line that is not a header is probably a row.
        choose(_fields(path), kind, str(path))
        raise DataError([Problem("is empty: it has a header and no rows", str(path))])
    return rows_of_csv(path, delimiter, kind)


def _read_json(path: Path, kind: Value) -> Rows | Mapping[object, object]:
    source = str(path)
    problems: list[Problem] = []
    text = "".join(line for _, line in text_lines(path, problems, longest=MAX_DOCUMENT_LINE))
    if not problems and not text.strip():
        problems.append(Problem("is empty", source))
    if problems:
        raise DataError(problems)
    if text.lstrip()[:1] == "[":
        return rows_of_json_list(path, kind)
    reader = JsonReader()
    try:
        found = reader.read_whole(text)
    except JsonError as error:
        line = text.count("\n", 0, error.position) + 1
        column = error.position - text.rfind("\n", 0, error.position)
        cut_off = "; the file seems to be cut off" * (error.position >= len(text.rstrip()))
        what = f"{error.problem}, at column {column}{cut_off}"
        raise DataError([Problem(what, source, line)]) from None
    if repeated := reader.take_repeated():
        raise DataError([Problem(repeated_problem(repeated), source)])
    if not isinstance(found, dict):
        what = f"is {kind_of(found)}, but must be an object by query, or a list of rows"
        raise DataError([Problem(what, source)])
    return cast(Mapping[object, object], found)


# Objects


def _rows_of_object(source: object, kind: Value) -> Rows:
    if is_polars(source):
        return rows_of_polars(cast("pl.DataFrame", source), kind)
    if is_pandas(source):
        return rows_of_pandas(source, kind)
    if isinstance(source, list | tuple):
        return rows_of_dicts(cast(Sequence[object], source), kind)
    hint = "; call .collect() first" if type(source).__name__ == "LazyFrame" else ""
    what = f"cannot read a {type(source).__name__}{hint}: give a file, a mapping by query, a frame"
    raise PlanError([f"{what}, a list of dicts, or samples"])


def _only(found: Mapping[str, One], samples: Samples) -> One:
    """The value of the only system; DataError if there are several."""
    if len(found) > 1:
        what = f"has several systems: {', '.join(found)}; choose one, or use match_samples_to_qrels"
        raise DataError([Problem(what, samples.source, None, "system")])
    return next(iter(found.values()))
