"""Choose the reader for a source: by the ending of a file or of the files in a folder, or by an object's type; URLs of object stores are copied first."""

import glob
import os
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path, PurePosixPath
from typing import Any, Protocol, cast

from ragauge.errors import DataError, MissingExtraError, Problem, StoreError
from ragauge.loaders import traces
from ragauge.loaders.formats.csv import csv_tables, without_fillers
from ragauge.loaders.formats.frames import is_columns, is_splits, object_table
from ragauge.loaders.formats.json import read_json
from ragauge.loaders.formats.jsonl import jsonl_tables, read_jsonl
from ragauge.loaders.formats.parquet import FooterError, parquet_tables, read_footer
from ragauge.loaders.mapping import field_of
from ragauge.loaders.shapes import benchmarks, conversations, layouts, nested
from ragauge.loaders.shapes import table as shapes
from ragauge.loaders.table import NeedsAllRowsError, Table, listed, unreadable
from ragauge.samples.file import TemporaryFolder
from ragauge.storage.object_store import (
    EXTRAS,
    advice_for,
    file_system,
    key_of,
    reason_of,
    scheme_of,
)
from ragauge.storage.regular_file import as_url, exists, is_file, is_folder


class Frame(Protocol):
    """A polars or pandas frame."""

    @property
    def columns(self) -> object: ...
    @property
    def shape(self) -> tuple[int, int]: ...


Source = str | os.PathLike[str] | Sequence[Mapping[str, object]] | Frame

_PIECES: dict[str, Callable[[Path, float], Iterator[Table]]] = {
    ".jsonl": jsonl_tables,
    ".ndjson": jsonl_tables,
    ".csv": partial(csv_tables, delimiter=","),
    ".tsv": partial(csv_tables, delimiter="\t"),
    ".parquet": parquet_tables,
}
PIECE_BYTES = 8 * 2**20  # about what of a file is rows in memory at the same time
KINDS = tuple(_PIECES)  # of the files that a set may hold; those of text also packed
SAME = {".ndjson": ".jsonl"}
PACKED = (".gz", ".zst")
RUN, UNFINISHED = "manifest.json", "answers.sqlite"  # of a run, of `ragauge ask` before it ends
MAX_PATTERN = 4_096  # characters, as bytes of a path on Linux: reading one takes quadratic time
MAX_LEVELS = 4  # `**` of a pattern: each way to divide the folders of a path among them is tried
TEXTS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv")
ENDINGS = (*TEXTS, *(f"{ending}{packed}" for ending in TEXTS for packed in PACKED), ".parquet")
_UNPACKED = 5  # packed files, and Parquet, are taken to hold this many times their own size
_VALUE_BYTES = 32  # of a value of Parquet in memory: a repeated one takes no room in the file
_REFUSED = {
    "loading it could execute code in it; export it as JSON Lines or Parquet": (
        ".pkl", ".pickle", ".joblib", ".dill", ".pt", ".pth", ".npy", ".npz",
    ),
    "unpack it first": (".zst", ".zstd", ".bz2", ".xz", ".zip", ".7z", ".tar", ".tgz"),
    "save the sheet as CSV": (".xls", ".xlsx", ".ods"),
    "rankings and judgements are scored with 'ragauge rank QRELS RUN'": (".trec", ".run", ".qrels"),
}  # fmt: skip


def read_source(source: object, chosen: Collection[str] = ()) -> Table:
    """The rows and problems of a file or object, without its columns in `chosen` unpacked; PlanError for other types."""
    if isinstance(source, str | os.PathLike):
        table = _read_file(cast("str | os.PathLike[str]", source))
    else:
        table = object_table(source, chosen)
    table = of_other_tools(table, chosen)
    return layouts.with_passages(layouts.with_lists(table, keep=chosen), keep=chosen)


def of_other_tools(table: Table, chosen: Collection[str], *, is_piece: bool = False) -> Table:
    """The rows of other tools and data sets as samples, and conversations as their turns.

    NeedsAllRowsError if a piece of a source has such rows, conversations in CSV, or some without ids, which count all rows.
    """
    before = benchmarks.recognised(traces.recognised(shapes.recognised(table, chosen)), keep=chosen)
    turns = conversations.recognised(before, chosen)
    read = nested.unwrapped(shapes.with_field_names(turns, keep=chosen), keep=chosen)
    read = nested.with_results(shapes.with_nested_fields(read, keep=chosen))
    read = layouts.with_split_texts(read, keep=chosen)
    if is_piece:
        is_numbered = any(row.values.get("id") is None for row in table.rows)
        counts_rows = turns is not before and (table.all_text or is_numbered)
        is_other = before is not table or read is not turns or counts_rows
        if is_other or benchmarks.as_legalbench(read) is not read:
            raise NeedsAllRowsError("its rows have the shape of another tool's")
    return read


def kind_of_file(path: Path) -> str | None:
    """The ending that says how a file of rows is read, without that of its packing; None for others."""
    name = path.name.lower()
    bare = name.removesuffix(".gz").removesuffix(".zst")
    kind = next((kind for kind in KINDS if bare.endswith(kind)), None)
    return None if kind == ".parquet" and bare != name else kind


def is_set(path: Path) -> bool:
    """Whether the path names several files: a folder, or a pattern that is no file's name."""
    # Unlike Path.is_dir, False for names that no file can have.
    return os.path.isdir(path) or (  # noqa: PTH112
        len(str(path)) <= MAX_PATTERN and glob.has_magic(str(path)) and not os.path.lexists(path)
    )


def files_of_set(path: Path) -> Sequence[Path] | Table:
    """The files in the order of their names, or an empty table with the problem."""
    source = str(path)
    what, base = "is a pattern", path.parent
    if is_folder(path):
        if exists(path / RUN):
            return unreadable(
                source, "is the folder of a run; look at it with: ragauge show FOLDER"
            )
        what, base = "is a folder", path
        found = [file for file in path.iterdir() if not file.name.startswith(".")]
    elif path.parts.count("**") > MAX_LEVELS:
        return unreadable(source, f"has more than {MAX_LEVELS} `**`; one matches any folders")
    else:
        names = glob.glob(source, recursive=True)  # noqa: PTH207 - the path is the pattern
        found = [Path(name) for name in dict.fromkeys(names)]
    files = sorted(file for file in found if kind_of_file(file) and file.is_file())
    kinds = sorted({SAME.get(kind, kind) for file in files if (kind := kind_of_file(file))})
    if len(kinds) > 1:
        several = f"{what} with files of several kinds ({listed(kinds)})"
        return unreadable(
            source, f"{several}; choose one kind by a pattern: {base / '*'}{kinds[0]}"
        )
    problem = f"{what} without data files ({', '.join(KINDS)}); give a file"
    if not files and exists(path / UNFINISHED):
        problem = "has no answers yet: ragauge ask was ended before; run the same command again"
    return files or unreadable(source, problem)


def file_tables(files: Sequence[Path], most_bytes: float = inf) -> Iterator[Table]:
    """The rows of files in tables of about `most_bytes` bytes; JSON is one value."""
    for file in files:
        kind = kind_of_file(file)
        yield from [read_json(file)] if kind is None else _PIECES[kind](file, most_bytes)


def files_in_pieces(source: object, most_bytes: float | None = None) -> Sequence[Path] | None:
    """The files of a source that are more than one piece of about `most_bytes` (PIECE_BYTES); None for any other source."""
    if not isinstance(source, str | os.PathLike):
        return None
    path = Path(cast("str | os.PathLike[str]", source))
    if "://" in str(path):
        return None
    try:
        files = files_of_set(path) if is_set(path) else [path]
        if isinstance(files, Table) or not all(
            kind_of_file(each) and is_file(each) for each in files
        ):
            return None
        most_bytes = PIECE_BYTES if most_bytes is None else most_bytes
        return files if size_of(files) > most_bytes else None
    except (OSError, ValueError):
        return None


def size_of(files: Sequence[Path]) -> int:
    """About how many bytes the files hold unpacked."""
    size = 0
    for file in files:
        ending, own = file.suffix.lower(), file.stat().st_size
        size += own * (_UNPACKED if ending in (*PACKED, ".parquet") else 1)
        if ending == ".parquet":
            with suppress(FooterError, OSError):
                size = max(size, _VALUE_BYTES * read_footer(file).n_values)
    return size


def is_one_source(source: object, chosen: Collection[str] = ()) -> bool:
    """Whether a mapping is one source: columns, splits or a sample, which has a text, and not systems by name."""
    if not isinstance(source, Mapping):
        return True
    values = cast(Mapping[object, object], source)
    if is_splits(values) or is_columns(values, chosen):
        return True
    named = {name: value for name, value in values.items() if isinstance(name, str)}
    texts = [value for name, value in named.items() if field_of(name) in ("question", "answer")]
    is_sample = any(isinstance(text, str) and not text.lower().endswith(ENDINGS) for text in texts)
    return is_sample or nested.is_result(named)


def _read_file(source: str | os.PathLike[str]) -> Table:
    path = Path(source)
    if (url := as_url(source)) is not None:
        problem = "is a URL of a kind that is not read (s3:// and gs:// are); download it first"
        return unreadable(url, problem)
    is_stream = str(path) == "/dev/stdin" or str(path.parent) in ("/dev/fd", "/proc/self/fd")
    if is_stream or (str(path) == "-" and not exists(path)):  # as shells pass on a stream
        problem = (
            "is standard input or a pipe, and answers are read more than once, also when a run is resumed; "
            "save them in a file first, as answers.jsonl"
        )
        return unreadable(str(source), problem)
    files = files_of_set(path) if is_set(path) else [path]
    if isinstance(files, Table):
        return files
    name = path.name.lower()
    if is_set(path) or name.endswith(ENDINGS):
        tables = [without_fillers(each) if each.all_text else each for each in file_tables(files)]
        return Table(
            tuple(row for table in tables for row in table.rows),
            str(path),
            tuple(dict.fromkeys(note for table in tables for note in table.notes)),
            tuple(problem for table in tables for problem in table.problems),
            all_text=any(table.all_text for table in tables),
            may_print_lists=any(table.may_print_lists for table in tables),
        )
    for why, suffixes in _REFUSED.items():
        if name.endswith(suffixes):
            return unreadable(str(path), f"is not supported: {why}")
    if not exists(path):
        return read_jsonl(path)  # reports that it does not exist, with a similar name
    known = f"{', '.join(TEXTS)} (each also .gz, .zst) and .parquet"
    return unreadable(str(path), f"has an unknown ending; use one of {known}")


class Copies:
    """Copies of sources in object stores, in a temporary folder; all other sources stay as they are."""

    def __init__(self) -> None:
        self._folder: TemporaryFolder | None = None
        self.places: dict[str, str] = {}  # beginnings of the copies' paths, and their URLs

    def of(self, source: object) -> object:
        """The source, or the path of its copy."""
        url = as_url(source) if isinstance(source, str | Path) else None
        if url is None or scheme_of(url) not in EXTRAS:
            return source
        try:
            return self._copied(url, file_system(url))
        except (DataError, MissingExtraError, StoreError):
            raise
        except FileNotFoundError:
            raise DataError([Problem("no such file or folder", url)]) from None
        except Exception as error:  # each file system has errors of its own
            reason = f"cannot be read: {reason_of(error)}; {advice_for(url, error)}"
            raise DataError([Problem(reason, url)]) from error

    def of_systems(self, sources: object) -> object:
        """The sources of systems by name, or the paths of their copies; never of data, whose addresses are not fetched."""
        by_name = cast(Mapping[object, object], sources)
        copies = {name: self.of(source) for name, source in by_name.items()}
        return copies if self.places else sources

    def _copied(self, url: str, files: Any) -> Path:
        """Copy the file, the folder or all files of the pattern at a URL; the path to read instead."""
        files.invalidate_cache()
        base, _, pattern = url.rpartition("/")
        if glob.has_magic(url):
            parts = url.split("/")
            first = next(at for at, part in enumerate(parts) if glob.has_magic(part))
            base, pattern = "/".join(parts[:first]), "/".join(parts[first:])
            names = files.glob(url)
        elif files.isfile(url):
            names = [url]
        else:
            names, base, pattern = files.ls(url, detail=False), url, ""
        self._folder = self._folder or TemporaryFolder()
        folder = self._folder.path / f"{len(self.places)}"
        folder.mkdir()
        self.places[str(folder)] = base.rstrip("/")
        for name in names:
            place = PurePosixPath(key_of(str(name))[len(key_of(base)) :].lstrip("/"))
            if ".." in place.parts or not place.name or place.name.startswith("."):
                continue
            if len(names) > 1 and kind_of_file(Path(place.name)) is None:
                continue
            copy = folder / place
            copy.parent.mkdir(parents=True, exist_ok=True)
            files.get_file(name, str(copy))
        if not any(folder.iterdir()):
            known = ", ".join(KINDS)
            raise DataError([Problem(f"has no data files ({known}), or does not exist", url)])
        return folder / pattern if pattern else folder

    def named(self, text: str) -> str:
        """The text with the URL for the path of each copy."""
        for copy, url in self.places.items():
            text = text.replace(copy, url)
        return text


@contextmanager
def copied() -> Generator[Copies]:
    """Copies of remote sources; problems with what was read name the URLs."""
    copies = Copies()
    try:
        yield copies
    except DataError as error:
        if not copies.places:
            raise
        problems = [
            replace(each, source=copies.named(each.source), message=copies.named(each.message))
            for each in error.problems
        ]
        raise DataError(problems) from None
