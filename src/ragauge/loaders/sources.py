"""Choose the reader for a source: by a file's ending, or by an object's type."""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from ragauge.errors import PlanError
from ragauge.loaders import traces
from ragauge.loaders.documents import is_list
from ragauge.loaders.formats import csv, frames, json, jsonl, objects, parquet
from ragauge.loaders.formats.file_sets import PACKED, files_of_set, is_set, together
from ragauge.loaders.mapping import field_of
from ragauge.loaders.shapes import benchmarks, conversations, layouts, nested
from ragauge.loaders.shapes import table as shapes
from ragauge.loaders.table import Table, unreadable
from ragauge.storage.regular_file import as_url, exists

if TYPE_CHECKING:
    import polars as pl


class Frame(Protocol):
    """A polars or pandas frame."""

    @property
    def columns(self) -> object: ...
    @property
    def shape(self) -> tuple[int, int]: ...


Source = str | os.PathLike[str] | Sequence[Mapping[str, object]] | Frame
"""A file, a list of dicts, or a frame."""

_TEXT_READERS: dict[str, Callable[[Path], Table]] = {
    ".jsonl": jsonl.read_jsonl,
    ".ndjson": jsonl.read_jsonl,
    ".json": json.read_json,
    ".csv": partial(csv.read_csv, delimiter=","),
    ".tsv": partial(csv.read_csv, delimiter="\t"),
}
_READERS = (
    _TEXT_READERS
    | {f"{suffix}{packed}": read for suffix, read in _TEXT_READERS.items() for packed in PACKED}
    | {".parquet": parquet.read_parquet}
)
_REFUSED = {
    "loading it could execute code in it; export it as JSON Lines or Parquet": (
        ".pkl", ".pickle", ".joblib", ".dill", ".pt", ".pth", ".npy", ".npz",
    ),
    "unpack it first": (".zst", ".zstd", ".bz2", ".xz", ".zip", ".7z", ".tar", ".tgz"),
    "save the sheet as CSV": (".xls", ".xlsx", ".ods"),
    "rankings and judgements are scored with 'ragauge rank QRELS RUN'": (".trec", ".run", ".qrels"),
}  # fmt: skip


def read_source(source: object, chosen: Collection[str] = ()) -> Table:
    """The rows and problems of a file or object; PlanError for other types.

    Traces become one row each; results of pipelines and the rows of other tools and data sets are
    unpacked, except columns that the user maps to fields, `chosen`.
    """
    table = of_other_tools(_read(source, chosen), chosen)
    return layouts.with_passages(layouts.with_lists(table, keep=chosen), keep=chosen)


def of_other_tools(table: Table, chosen: Collection[str]) -> Table:
    """The rows of other tools and data sets as samples; any other table as it is."""
    return _after_chats(conversations.recognised(_before_chats(table, chosen), chosen), chosen)


def with_turns(table: Table, chosen: Collection[str]) -> Table | None:
    """A piece of a table with its conversations as their turns; None if it must be read with all other rows.

    That is so for rows of other tools, for texts of CSV, and for conversations without ids, which count all rows.
    """
    if _before_chats(table, chosen) is not table:
        return None
    read = conversations.recognised(table, chosen)
    is_numbered = any(row.values.get("id") is None for row in table.rows)
    if read is not table and (table.all_text or is_numbered):
        return None
    return read if _after_chats(read, chosen) is read else None


def _before_chats(table: Table, chosen: Collection[str]) -> Table:
    return benchmarks.recognised(traces.recognised(table), keep=chosen)


def _after_chats(table: Table, chosen: Collection[str]) -> Table:
    table = nested.unwrapped(shapes.with_field_names(table, keep=chosen), keep=chosen)
    table = nested.with_results(shapes.recognised(table, keep=chosen))
    return layouts.with_split_texts(table, keep=chosen)


def _read(source: object, chosen: Collection[str]) -> Table:
    if isinstance(source, str | os.PathLike):
        return _read_file(cast("str | os.PathLike[str]", source))
    if frames.is_polars(source):
        return frames.polars_table(cast("pl.DataFrame", source))
    if frames.is_pandas(source):
        return frames.pandas_table(source)
    if is_list(source):
        return frames.rows_table(cast(Sequence[object], source))
    if isinstance(source, Mapping):
        return _read_mapping(cast(Mapping[str, object], source), chosen)
    table = _read_object(source)
    if table is not None:
        return table
    hint = "; call .collect() first" if type(source).__name__ == "LazyFrame" else ""
    kind = type(source).__name__
    raise PlanError([f"cannot load a {kind}; give a file, a list of dicts or a frame{hint}"])


def is_one_source(source: object, chosen: Collection[str] = ()) -> bool:
    """Whether a mapping is one source: columns, splits or a sample, and not systems by name."""
    if not isinstance(source, Mapping):
        return True
    values = cast(Mapping[object, object], source)
    if frames.is_splits(values) or frames.is_columns(values, chosen):
        return True
    named = {name: value for name, value in values.items() if isinstance(name, str)}
    return _is_sample(named) or nested.is_result(named)


def _is_sample(values: Mapping[str, object]) -> bool:
    """Whether a question or an answer is given as text, which is not the name of a file."""
    texts = [value for name, value in values.items() if field_of(name) in ("question", "answer")]
    return any(
        isinstance(text, str) and not text.lower().endswith(tuple(_READERS)) for text in texts
    )


def _read_mapping(source: Mapping[str, object], chosen: Collection[str]) -> Table:
    if frames.is_splits(source):
        return frames.splits_table(source)
    if frames.is_columns(source, chosen):
        return frames.columns_table(source)
    return frames.rows_table([source], "dict")


def _read_object(source: object) -> Table | None:
    """The rows of a table, a data set, a sample or an iterable; None for anything else."""
    if frames.is_dataset(source):
        return frames.dataset_table(source)
    if frames.is_arrow(source):
        return frames.arrow_table(source)
    if hasattr(source, "__arrow_c_stream__"):
        import polars as pl

        return frames.polars_table(
            pl.DataFrame(cast(Any, source)), f"{type(source).__name__} table"
        )
    kept = objects.samples_in(source)
    if kept is not None:
        items, notes = kept
        return frames.rows_table(items, type(source).__name__, notes)
    items = objects.as_list(source)
    return None if items is None else frames.rows_table(items)


def _is_standard_input(path: Path) -> bool:
    """Whether a path is `-`, or one by which shells pass on a stream."""
    if str(path) == "-":
        return not exists(path)
    return str(path) == "/dev/stdin" or str(path.parent) in ("/dev/fd", "/proc/self/fd")


def _read_file(source: str | os.PathLike[str]) -> Table:
    path = Path(source)
    if (url := as_url(source)) is not None:
        return unreadable(
            url, "is a URL of a kind that is not read (s3:// and gs:// are); download it first"
        )
    if _is_standard_input(path):
        return unreadable(
            str(source),
            "is standard input or a pipe, and answers are read more than once, also when a run is resumed; "
            "save them in a file first, as answers.jsonl",
        )
    if is_set(path):
        files = files_of_set(path)
        return files if isinstance(files, Table) else together(path, list(map(_read_file, files)))
    name = path.name.lower()
    for suffix in sorted(_READERS, key=len, reverse=True):
        if name.endswith(suffix):
            return _READERS[suffix](path)
    for why, suffixes in _REFUSED.items():
        if name.endswith(suffixes):
            return unreadable(str(path), f"is not supported: {why}")
    if not exists(path):
        return _READERS[".jsonl"](path)  # reports that it does not exist, with a similar name
    known = f"{', '.join(_TEXT_READERS)} (each also .gz, .zst) and .parquet"
    return unreadable(str(path), f"has an unknown ending; use one of {known}")
