"""Choose the reader for a source: by a file's ending, or by an object's type."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from ragauge.errors import PlanError
from ragauge.loaders import csv, frames, json, jsonl, parquet
from ragauge.loaders.table import Table, unreadable

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
    | {f"{suffix}.gz": read for suffix, read in _TEXT_READERS.items()}
    | {".parquet": parquet.read_parquet}
)
_REFUSED = {
    "loading it could execute code in it; export it as JSON Lines or Parquet": (
        ".pkl", ".pickle", ".joblib", ".dill", ".pt", ".pth", ".npy", ".npz",
    ),
    "unpack it first": (".zst", ".zstd", ".bz2", ".xz", ".zip", ".7z", ".tar", ".tgz"),
    "save the sheet as CSV": (".xls", ".xlsx", ".ods"),
}  # fmt: skip


def read_source(source: Source) -> Table:
    """The rows and problems of a file or object; PlanError for other types."""
    if isinstance(source, str | os.PathLike):
        return _read_file(source)
    if frames.is_polars(source):
        return frames.polars_table(cast("pl.DataFrame", source))
    if frames.is_pandas(source):
        return frames.pandas_table(source)
    if isinstance(source, list | tuple):
        return frames.rows_table(cast(Sequence[object], source))
    hint = "; call .collect() first" if type(source).__name__ == "LazyFrame" else ""
    kind = type(source).__name__
    raise PlanError([f"cannot load a {kind}; give a file, a list of dicts or a frame{hint}"])


def _read_file(source: str | os.PathLike[str]) -> Table:
    path = Path(source)
    if "://" in str(source):
        return unreadable(
            str(source), "is a URL; download it first, ragauge reads local files only"
        )
    name = path.name.lower()
    for suffix in sorted(_READERS, key=len, reverse=True):
        if name.endswith(suffix):
            return _READERS[suffix](path)
    if path.is_dir():
        return unreadable(str(path), "is a folder; give a file in it")
    for why, suffixes in _REFUSED.items():
        if name.endswith(suffixes):
            return unreadable(str(path), f"is not supported: {why}")
    if not path.exists():
        return _READERS[".jsonl"](path)  # reports that it does not exist, with a similar name
    known = f"{', '.join(_TEXT_READERS)} (each also .gz) and .parquet"
    return unreadable(str(path), f"has an unknown ending; use one of {known}")
