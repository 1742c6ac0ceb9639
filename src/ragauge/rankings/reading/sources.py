"""Read judgements and runs from files, folders, mappings, frames and samples.

The readers of tables, JSON and samples are imported only when needed: importing them takes as long
as scoring a run of a hundred queries.
"""

import os
import re
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from ragauge.errors import DataError, PlanError, Problem
from ragauge.rankings.arrays import Compat
from ragauge.rankings.judgements import JudgedRun, Judgements
from ragauge.rankings.reading.streams import is_trec, packed_at, suffix_of
from ragauge.rankings.reading.trec import read_qrels, rows_of_trec, scan_run
from ragauge.storage.memory import gc_paused
from ragauge.storage.regular_file import is_file, is_folder

if TYPE_CHECKING:
    import polars as pl

    from ragauge.loaders.sources import Source
    from ragauge.rankings.reading.in_memory import SortedRun
    from ragauge.rankings.reading.rows import Rows, Value
    from ragauge.samples.samples import Samples

    RankingSource = Source | Mapping[str, object] | Samples
    """A file, a list of dicts, a frame, a mapping by query, or samples."""
    _Content = Path | Rows | Mapping[object, object] | Samples
    """What a source holds; a path for a TREC file."""

T = TypeVar("T")

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_KEY = re.compile(r'"(\w+)"\s*:')
_LINES_LOOKED_AT = 50


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
    if isinstance(source, Judgements):
        return source
    with gc_paused():
        found, name = _content(source, "grade", "judgements")
        if isinstance(found, Path):
            return read_qrels(found)
        from ragauge.rankings.reading.mappings import judgements_of
        from ragauge.rankings.reading.rows import Rows, judged
        from ragauge.rankings.reading.samples import judgements_of_samples

        if isinstance(found, Mapping):
            return judgements_of(found, name)
        return (
            judged(found)
            if isinstance(found, Rows)
            else judgements_of_samples(cast("Samples", found))
        )


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
    return _only(match_systems(source, judgements, compat), source)


def match_systems(
    source: "RankingSource | SortedRun", judgements: Judgements, compat: Compat
) -> "dict[str | None, JudgedRun]":
    """The same for every system of samples; a run is that of None."""
    with gc_paused():
        found, name = _content(source, "score", "run")
        if isinstance(found, Path):
            return {None: scan_run(found, judgements, compat=compat)}
        from ragauge.rankings.reading.in_memory import SortedRun, match_rows_to_qrels
        from ragauge.rankings.reading.mappings import match_mapping_to_qrels
        from ragauge.rankings.reading.rows import Rows
        from ragauge.rankings.reading.samples import match_samples_to_qrels

        if isinstance(found, Mapping):
            return {None: match_mapping_to_qrels(found, judgements, compat, name)}
        if isinstance(found, Rows):
            return {None: match_rows_to_qrels(found, judgements, compat)}
        if not isinstance(found, SortedRun):
            return {**match_samples_to_qrels(found, judgements)}
        if found.compat != compat:
            what = f"the ranking was read with compat={found.compat!r}, not {compat!r}"
            raise PlanError([f"{what}; read it again, or use compat={found.compat!r}"])
        return {None: found.matched_to(judgements)}


def read_run(source: "RankingSource | SortedRun", *, compat: Compat = "trec9") -> "SortedRun":
    """Read a run whole from any source of `match_to_qrels`; it can be matched to any judgements.

    >>> read_run({"q1": ["d2", "d1"]}).documents("q1")
    [('d2', 0.0), ('d1', -1.0)]
    """
    from ragauge.rankings.reading.in_memory import SortedRun, rank_rows
    from ragauge.rankings.reading.mappings import rows_of_mapping
    from ragauge.rankings.reading.rows import Rows
    from ragauge.rankings.reading.samples import rank_samples

    with gc_paused():
        found, name = _content(source, "score", "run")
        if isinstance(found, SortedRun):
            return found
        if isinstance(found, Path):
            return rank_rows(*rows_of_trec(packed_at(found)), compat)
        if isinstance(found, Mapping):
            found = rows_of_mapping(found, name)
        if isinstance(found, Rows):
            return rank_rows(found, "", compat)
        return _only(rank_samples(found), source)


def run_frame(source: "RankingSource | SortedRun", *, compat: Compat = "trec9") -> "pl.DataFrame":
    """Read a run from any source as a frame: query, doc, score; best first within a query."""
    return read_run(source, compat=compat).frame()


def _only(found: Mapping[str, T] | Mapping[str | None, T], source: object) -> T:
    """The value of the only system; DataError if there are several."""
    if len(found) > 1:
        names = ", ".join(map(str, found))
        what = f"has several systems: {names}; choose one, or use match_samples_to_qrels"
        place = getattr(source, "source", source)
        raise DataError([Problem(what, str(place), None, "system")])
    return next(iter(found.values()))


def _content(source: object, kind: "Value", name: str) -> "tuple[_Content | SortedRun, str]":
    """What a source holds, and how errors name it: its path, or `name` for an object in memory."""
    if is_trec(source):
        path = Path(cast(str, source))
        return path, str(path)
    if isinstance(source, Mapping):
        return cast(Mapping[object, object], source), name
    if isinstance(source, str | os.PathLike):
        path = Path(cast("str | os.PathLike[str]", source))
        if kind == "grade" and is_folder(path):
            path = _of_beir(path)
        return _file_content(path, kind), str(path)
    from ragauge.loaders.formats import frames
    from ragauge.rankings.reading import tables
    from ragauge.rankings.reading.in_memory import SortedRun
    from ragauge.samples.samples import Samples

    if isinstance(source, Samples) or (isinstance(source, SortedRun) and kind == "score"):
        return source, name
    if frames.is_polars(source):
        return tables.rows_of_polars(cast("pl.DataFrame", source), kind), name
    if frames.is_pandas(source):
        return tables.rows_of_pandas(source, kind), name
    if isinstance(source, list | tuple):
        table = frames.rows_table(cast(Sequence[object], source))
        return tables.rows_of_table(table, kind), name
    hint = "; call .collect() first" if type(source).__name__ == "LazyFrame" else ""
    what = f"cannot read a {type(source).__name__}{hint}: give a file, a mapping by query, a frame"
    raise PlanError([f"{what}, a list of dicts, or samples"])


# Files


def _fields(path: Path, suffix: str) -> list[str]:
    """The names of a table's columns, or of the fields of a JSON file's first lines."""
    from ragauge.loaders.formats.files import text_lines

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


def _format(path: Path, kind: "Value") -> str:
    """The suffix of the name of a table or JSON file, or "trec"; also for a TREC file's fields without a header."""
    suffix = suffix_of(path)
    if suffix not in _DELIMITERS:
        return suffix
    from ragauge.loaders.formats.files import text_lines
    from ragauge.rankings.reading.rows import candidates

    _, first = next(text_lines(path, []), (1, ""))
    header = first.rstrip("\r\n").split(_DELIMITERS[suffix])
    is_known = candidates(header, "query") or candidates(header, "document")
    n_fields = len(first.split())
    is_trec = not is_known and (n_fields >= 6 if kind == "score" else n_fields == 4)
    return "trec" if is_trec else suffix


def _of_beir(folder: Path) -> Path:
    """The judgements in a BEIR folder, or in its `qrels` folder."""
    inner = folder / "qrels" if (folder / "qrels").is_dir() else folder
    files = sorted(inner.glob("*.tsv")) if inner.resolve().name == "qrels" else []
    names = [file.name for file in files]
    if "test.tsv" in names:
        return inner / "test.tsv"
    if len(files) == 1:
        return files[0]
    what = "is a folder without BEIR's qrels/*.tsv; give a file of judgements"
    if files:
        what = f"has several files of judgements: {', '.join(names)}; give one of these in qrels/"
    raise DataError([Problem(what, str(folder))])


def _file_content(path: Path, kind: "Value") -> "_Content":
    from ragauge.loaders.formats.files import text_lines
    from ragauge.loaders.formats.jsonl import read_jsonl
    from ragauge.rankings.reading import tables
    from ragauge.rankings.reading.rows import candidates, choose

    suffix = _format(path, kind)
    if suffix == "trec":
        return path
    fields = _fields(path, suffix) if is_file(path) else []
    # A table of judgements may call its grades "relevant", but it names documents.
    if "context_ids" in fields or ("relevant" in fields and not candidates(fields, "document")):
        from ragauge.loaders import load

        return load(path)
    if suffix == ".parquet":
        return tables.rows_of_parquet(path, kind)
    if suffix in (".jsonl", ".ndjson"):
        return tables.rows_of_table(read_jsonl(path), kind)
    if suffix == ".json":
        return _json_content(path, kind)
    problems: list[Problem] = []
    n_lines = sum(1 for _ in islice(text_lines(path, problems), 2))
    if n_lines == 1 and not problems:
        # The reader would only report an empty file; a line that is not a header is probably a row.
        choose(fields, kind, str(path))
        raise DataError([Problem("is empty: it has a header and no rows", str(path))])
    return tables.rows_of_csv(path, _DELIMITERS[suffix], kind)


def _json_content(path: Path, kind: "Value") -> "Rows | Mapping[object, object]":
    from ragauge.loaders.formats.files import text_lines
    from ragauge.loaders.formats.json import MAX_DOCUMENT_LINE, read_json
    from ragauge.loaders.formats.jsonl import JsonError, JsonReader, kind_of, repeated_problem
    from ragauge.rankings.reading.tables import rows_of_table

    source = str(path)
    problems: list[Problem] = []
    text = "".join(line for _, line in text_lines(path, problems, longest=MAX_DOCUMENT_LINE))
    if not problems and not text.strip():
        problems.append(Problem("is empty", source))
    if problems:
        raise DataError(problems)
    if text.lstrip()[:1] == "[":
        return rows_of_table(read_json(path), kind)
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
