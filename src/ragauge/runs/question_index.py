"""Where the rows of a question are in the samples of a large run, without reading all of them."""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ragauge.samples.samples import Samples
from ragauge.storage.atomic_files import write_frame

if TYPE_CHECKING:
    pass

INDEX = "questions.parquet"
"""Sorted hashes of the ids, each with the place of a row. A hash of 8 bytes may be of several ids, so
the rows are looked at."""
MIN_INDEXED = 50_000
"""Runs with more rows have an index."""
ROWS_AT_ONCE = 50_000


def write_index(folder: Path, samples: Samples) -> None:
    """Write the index of a run's questions into its folder, if the run is large."""
    import numpy as np
    import polars as pl

    if len(samples) <= MIN_INDEXED:
        return
    hashes = np.concatenate(
        [
            np.array([_hash(id) for id in cast("list[str]", piece["id"].to_list())], np.uint64)
            for piece in samples.pieces(["id"])
        ]
    )
    order = np.argsort(hashes, kind="stable").astype(np.uint32)
    hashes = hashes[order]
    table = pl.DataFrame({"hash": hashes, "row": order})
    write_frame(folder / INDEX, table, row_group_size=ROWS_AT_ONCE)


def rows_of_question(samples: Samples, id: str, folder: Path | None) -> tuple[int, ...]:
    """The places of a question's rows in the samples, ascending; empty if there is none."""
    rows = _candidates(id, folder) if folder is not None else None
    if rows is not None:
        own = [samples.part(row, row + 1, ["id"])["id"].to_list() for row in rows]
        if all(found == [id] for found in own):
            return tuple(
                rows
            )  # else the hash is that of other ids, too, or the index of other samples
    places: list[int] = []
    start = 0
    for piece in samples.pieces(["id"]):
        places += [start + place for place in (piece["id"] == id).arg_true().to_list()]
        start += piece.height
    return tuple(places)


def _candidates(id: str, folder: Path) -> list[int] | None:
    """The rows whose id has the same hash; None if there is no index that can be read."""
    import polars as pl

    path = folder / INDEX
    if not path.exists():
        return None
    try:
        index = pl.scan_parquet(path.absolute(), glob=False, hive_partitioning=False)
        found: pl.DataFrame = index.filter(pl.col("hash") == _hash(id)).collect()
        return sorted(found["row"].to_list())
    except (OSError, pl.exceptions.PolarsError):
        return None


def _hash(id: str) -> int:
    return int.from_bytes(hashlib.blake2b(id.encode(), digest_size=8).digest())
