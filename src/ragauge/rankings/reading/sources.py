"""Read judgements and runs from files, folders, mappings, frames and samples, and name each run.

The readers of tables, JSON and samples are imported only when needed: importing them takes as long
as scoring a run of a hundred queries.
"""

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ragauge.errors import DataError, PlanError, Problem
from ragauge.rankings.hits import Compat
from ragauge.rankings.reading.judgements import JudgedRun, Judgements
from ragauge.rankings.reading.streams import is_trec, packed_at, suffix_of
from ragauge.rankings.reading.trec import read_qrels, rows_of_trec, scan_run
from ragauge.storage.memory import gc_paused
from ragauge.storage.regular_file import is_file, is_folder

if TYPE_CHECKING:
    import polars as pl

    from ragauge.loaders.sources import Source
    from ragauge.rankings.reading.rows import Rows, Value
    from ragauge.samples.samples import Samples

    RankingSource = Source | Mapping[str, object] | Samples
    """A file, a list of dicts, a frame, a mapping by query, or samples."""
    Runs = RankingSource | Sequence[RankingSource] | Mapping[str, RankingSource]
    _Content = Path | Rows | Mapping[object, object] | Samples
    """What a source holds; a path for a TREC file."""

MAX_THREADS = 4
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
    if isinstance(source, Judgements):
        return source
    with gc_paused():
        found, name = _content(source, "grade", "judgements")
        if isinstance(found, Path):
            return read_qrels(found)
        if isinstance(found, Mapping):
            from ragauge.rankings.reading.mappings import judgements_of

            return judgements_of(found, name)
        from ragauge.rankings.reading.judgements import judged, judgements_of_samples
        from ragauge.rankings.reading.rows import Rows

        return judged(found) if isinstance(found, Rows) else judgements_of_samples(found)


def match_to_qrels(
    source: "RankingSource", judgements: Judgements, *, compat: Compat = "trec9"
) -> "dict[str | None, JudgedRun]":
    """Read a run from any source and match it to judgements; by system if it has samples, else that of None.

    The sources are those of `read_judgements`, with scores instead of grades; also {query: [document, …]},
    best first, and {query: [[document, score], …]}. Documents are ordered by score descending, then by id
    descending by bytes; a table without scores by its `rank`; samples by their `context_ids`.
    """
    with gc_paused():
        found, name = _content(source, "score", "run")
        if isinstance(found, Path):
            return {None: scan_run(found, judgements, compat=compat)}
        if isinstance(found, Mapping):
            from ragauge.rankings.reading.mappings import match_mapping_to_qrels

            return {None: match_mapping_to_qrels(found, judgements, compat, name)}
        from ragauge.rankings.reading.judgements import match_rows_to_qrels, match_samples_to_qrels
        from ragauge.rankings.reading.rows import Rows

        if isinstance(found, Rows):
            return {None: match_rows_to_qrels(found, judgements, compat)}
        return {**match_samples_to_qrels(found, judgements)}


def run_frame(source: "RankingSource") -> "pl.DataFrame":
    """Read a run from any source of `match_to_qrels` as a frame: query, doc, score, in the order of the source."""
    from ragauge.rankings.reading.judgements import frame_of, rows_of_samples
    from ragauge.rankings.reading.mappings import rows_of_mapping
    from ragauge.rankings.reading.rows import Rows

    with gc_paused():
        found, name = _content(source, "score", "run")
        if isinstance(found, Path):
            found = rows_of_trec(packed_at(found))
        elif isinstance(found, Mapping):
            found = rows_of_mapping(found, name)
        elif not isinstance(found, Rows):
            by_system = {name: rows for name, (rows, _) in rows_of_samples(found).items() if rows}
            if len(by_system) > 1:
                what = f"has several systems: {', '.join(by_system)}; choose one"
                raise DataError([Problem(what, found.source, None, "system")])
            if not by_system:
                raise DataError([Problem("is empty: it ranks no document", found.source)])
            (found,) = by_system.values()
        return frame_of(found)


def judged_runs(runs: "Runs", judgements: Judgements, compat: Compat) -> dict[str, JudgedRun]:
    """Every run matched to the judgements, by its name; of samples, every system.

    PlanError for a run among samples, and for a system in two of them.
    """
    named = named_runs(runs)
    if not named:
        raise PlanError("no run given; give at least one")

    def match(given: "tuple[str | None, RankingSource]") -> dict[str | None, JudgedRun]:
        return match_to_qrels(given[1], judgements, compat=compat)

    if len(named) == 1:
        found = [match(named[0])]
    else:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(min(MAX_THREADS, os.cpu_count() or 1)) as pool:
            found = list(pool.map(match, named))
    sources: list[object] = [source for _, source in named]
    n_runs = sum(None in systems for systems in found)
    if n_runs == len(found):
        of_none = [systems[None] for systems in found]
        matched = dict(zip(_distinct_names(named, of_none), of_none, strict=True))
    elif n_runs:
        raise PlanError("samples and runs cannot be scored together; score them separately")
    else:
        names = [str(system) for systems in found for system in systems]
        if twice := [name for name in names if names.count(name) > 1]:
            raise PlanError(f"system {twice[0]!r} is in two of the files; rename one")
        matched = {str(system): run for systems in found for system, run in systems.items()}
        sources = [None] * len(matched)
    # A run that shares no query with the judgements, as when ids differ in spelling.
    problems = [
        Problem(
            f"run {name!r} has none of the {judgements.n_queries} judged queries; check that its query "
            f"ids are spelled as in {judgements.source}, for example {judgements.queries[0]!r}",
            str(source) if isinstance(source, str | Path) else "run",
        )
        for (name, run), source in zip(matched.items(), sources, strict=True)
        if not run.is_present.any()
    ]
    if problems:
        raise DataError(problems)
    return matched


def named_runs(runs: "Runs") -> "list[tuple[str | None, RankingSource]]":
    """The runs, each with the name that it is given, if any."""
    if isinstance(runs, Mapping):
        # Query → documents, or name → run? The first value that is not empty tells.
        for inner in cast(Mapping[str, object], runs).values():
            if inner is None or (isinstance(inner, Mapping) and not inner):
                continue
            if isinstance(inner, Mapping):
                innermost = next(iter(cast(Mapping[str, object], inner).values()))
                is_named = isinstance(innermost, Mapping | list | tuple)
            else:
                is_named = not isinstance(inner, list | tuple)
            if is_named:
                return list(cast("Mapping[str, RankingSource]", runs).items())
            break
    elif isinstance(runs, Sequence) and not isinstance(runs, str):
        return [(None, run) for run in cast("Sequence[RankingSource]", runs)]
    return [(None, cast("RankingSource", runs))]


def _distinct_names(
    named: "Sequence[tuple[str | None, RankingSource]]", seen: Sequence[JudgedRun]
) -> list[str]:
    """A name for each run: the given one, else its tag, or its file name if tags are equal."""
    names = [str(name or run.tag) for (name, _), run in zip(named, seen, strict=True)]
    paths = [source if isinstance(source, str | Path) else "" for _, source in named]
    for is_short in (True, False):
        names = [
            (Path(path).name if is_short else str(path))
            if path and not given and (not name or names.count(name) > 1)
            else name
            for name, path, (given, _) in zip(names, paths, named, strict=True)
        ]
    names = [name or f"run {at}" for at, name in enumerate(names, 1)]
    return [
        name if names.count(name) == 1 else f"{name} ({names[: at + 1].count(name)})"
        for at, name in enumerate(names)
    ]


def _content(source: object, kind: "Value", name: str) -> "tuple[_Content, str]":
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
    from ragauge.samples.samples import Samples

    if isinstance(source, Samples):
        return source, name
    if frames.is_polars(source):
        return tables.rows_of_frame(cast("pl.DataFrame", source), kind), name
    if frames.is_pandas(source):
        return tables.rows_of_pandas(source, kind), name
    if isinstance(source, list | tuple):
        table = frames.rows_table(cast(Sequence[object], source))
        return tables.rows_of_table(table, kind), name
    hint = "; call .collect() first" if type(source).__name__ == "LazyFrame" else ""
    what = f"cannot read a {type(source).__name__}{hint}: give a file, a mapping by query, a frame"
    raise PlanError(f"{what}, a list of dicts, or samples")


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
    """What a table or JSON file holds; its path if it has a TREC file's fields and no header."""
    from ragauge.loaders.formats.files import text_lines
    from ragauge.loaders.formats.jsonl import read_jsonl
    from ragauge.rankings.reading import tables
    from ragauge.rankings.reading.rows import candidates, choose

    suffix, problems = suffix_of(path), list[Problem]()
    if suffix == "trec":
        return path  # a folder, which is reported when it is read
    fields: Sequence[str] = ()
    if suffix in _DELIMITERS:
        first = next((line for _, line in text_lines(path, [])), "").rstrip("\r\n")
        fields = [name.strip('"\ufeff ') for name in first.split(_DELIMITERS[suffix])]
        n_words = len(first.split())
        is_known = candidates(fields, "query") or candidates(fields, "document")
        if not is_known and (n_words >= 6 if kind == "score" else n_words == 4):
            return path
    elif is_file(path) and suffix == ".parquet":
        import polars as pl

        with suppress(OSError, pl.exceptions.PolarsError), path.open("rb") as file:
            fields = list(pl.read_parquet_schema(file))  # errors are reported when it is read
    elif is_file(path):
        lines = islice(text_lines(path, []), 50)
        fields = re.findall(r'"(\w+)"\s*:', "".join(line for _, line in lines))
    # A table of judgements may call its grades "relevant", but it names documents.
    if "context_ids" in fields or ("relevant" in fields and not candidates(fields, "document")):
        from ragauge.loaders.loading import load

        return load(path)
    if suffix == ".parquet":
        return tables.rows_of_parquet(path, kind)
    if suffix in (".jsonl", ".ndjson"):
        return tables.rows_of_table(read_jsonl(path), kind)
    if suffix == ".json":
        return _json_content(path, kind)
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
        what, line = error.place_in(text)
        raise DataError([Problem(what, source, line)]) from None
    if repeated := reader.take_repeated():
        raise DataError([Problem(repeated_problem(repeated), source)])
    if not isinstance(found, dict):
        what = f"is {kind_of(found)}, but must be an object by query, or a list of rows"
        raise DataError([Problem(what, source)])
    return cast(Mapping[object, object], found)
