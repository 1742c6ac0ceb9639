"""The tables of a run's folder, read strictly: a damaged one is a StoreError that says what to do."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragauge.engine.frames import TYPES
from ragauge.errors import StoreError
from ragauge.runs.file_names import SAMPLES
from ragauge.runs.integrity import check_digest, check_is_file, check_samples
from ragauge.runs.manifest import Manifest
from ragauge.samples.samples import SampleFile
from ragauge.storage.atomic_files import read_frame

if TYPE_CHECKING:
    import polars as pl

LARGE_SAMPLES = 16 * 2**20
"""Samples whose file has at least this many bytes are read piece by piece."""
SMALL_BATCHES = 8
"""So are samples that are read in more batches than this: repeated texts take little room in the file."""


def read_samples(folder: Path, manifest: Manifest) -> "pl.DataFrame | SampleFile":
    """The samples: a frame, or many of them as the file that is read piece by piece."""
    path = folder / SAMPLES
    is_packed_small = not path.exists() or path.stat().st_size < LARGE_SAMPLES
    if is_packed_small:
        check_digest(path, folder, manifest.digests)
    check_columns(path, folder, ("id", "system"), schema_of(path, folder))
    file = SampleFile(path)
    # Polars opens no path that is not UTF-8.
    is_read_whole = is_packed_small and not _is_utf8(path)
    if not is_read_whole and (
        not is_packed_small or file.height > SMALL_BATCHES * file.rows_at_once
    ):
        return file
    frame = read_table(path, folder, ("id", "system"))
    check_samples(frame, path, folder)
    return frame


def read_table(path: Path, folder: Path, columns: Sequence[str]) -> "pl.DataFrame":
    """One of the run's tables; raises StoreError if it is damaged or has other columns."""
    frame = read_frame(path, folder)
    check_columns(path, folder, columns, frame.schema)
    return frame


def check_columns(
    path: Path, folder: Path, columns: Sequence[str], schema: "Mapping[str, pl.DataType]"
) -> None:
    missing = [name for name in columns if name not in schema]
    wrong = [name for name in columns if name in schema and str(schema[name]) != TYPES[name]]
    if missing or wrong:
        what = (
            f"it has no column {', '.join(missing)}"
            if missing
            else f"its {wrong[0]} has another type"
        )
        raise StoreError(
            f"{path}: is not a part of a run: {what}; remove {folder} and run it again"
        )


def check_exist(paths: Sequence[Path], folder: Path) -> None:
    """Raise StoreError if a part is missing."""
    try:
        present = {entry.name for entry in os.scandir(paths[0].parent)}
    except OSError:
        present = set[str]()
    for path in paths:
        if path.name not in present:
            check_is_file(path, folder)


def _is_utf8(path: Path) -> bool:
    try:
        os.fspath(path.absolute()).encode()
    except UnicodeEncodeError:
        return False
    return True


def schema_of(path: Path, folder: Path) -> "Mapping[str, pl.DataType]":
    """The columns and types of a Parquet file, read from its end; StoreError when it is damaged."""
    import polars as pl

    try:
        with path.open("rb") as file:  # polars reads * and [ in a path as patterns
            return pl.read_parquet_schema(file)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise StoreError(
            f"{path}: cannot be read: {error!s:.200}; remove {folder} and run it again"
        ) from None
