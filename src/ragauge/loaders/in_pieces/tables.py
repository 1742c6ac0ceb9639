"""The tables of a file or a set of files, one piece after the other."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ragauge.loaders.formats import zstd
from ragauge.loaders.formats.csv import (
    INDEX,
    NOTE_OF_INDEX,
    csv_tables,
    is_count,
    is_empty,
    note_of_empty,
    without_column,
)
from ragauge.loaders.formats.file_sets import PACKED, files_of_set, is_set, kind_of_file
from ragauge.loaders.formats.files import gzip_content_size
from ragauge.loaders.formats.jsonl import jsonl_tables
from ragauge.loaders.formats.parquet import FooterError, parquet_tables, read_footer
from ragauge.loaders.table import Table, unreadable
from ragauge.samples.samples import Row
from ragauge.storage.regular_file import is_file

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PIECE_BYTES = 8 * 2**20
"""About how many bytes of a file are rows in memory at the same time."""
LARGE_BYTES = 64 * 2**20
"""Files of at least this size that are read at once have a note."""
UNPACKED = 5
"""Packed files, and Parquet, are taken to hold this many times their own size, if they do not say more."""
VALUE_BYTES = 32
"""About what a value of a Parquet file needs in memory at least: a repeated one takes no room in the file."""

CSV = tuple(f"{kind}{packed}" for kind in (".csv", ".tsv") for packed in ("", *PACKED))

NO_INDEX = "the first column has no name and does not number the rows"

_READERS = {
    ".jsonl": jsonl_tables,
    ".ndjson": jsonl_tables,
    ".csv": partial(csv_tables, delimiter=","),
    ".tsv": partial(csv_tables, delimiter="\t"),
    ".parquet": parquet_tables,
}


class NeedsAllRowsError(Exception):
    """What the files hold can only be read with all rows in memory; the message says what it is."""


def files_in_pieces(source: object) -> Sequence[Path] | None:
    """The files of a source that can be read in pieces; None for any other source."""
    if not isinstance(source, str | os.PathLike):
        return None
    path = Path(cast("str | os.PathLike[str]", source))
    if "://" in str(path):
        return None
    try:
        files = files_of_set(path) if is_set(path) else [path]
        if isinstance(files, Table):
            return None
        readable = all(kind_of_file(file) is not None and is_file(file) for file in files)
    except (OSError, ValueError):
        return None
    return files if readable else None


def is_one_value(source: object) -> bool:
    """Whether a source is a file of one JSON value, which is read as a whole."""
    if not isinstance(source, str | os.PathLike):
        return False
    path = Path(cast("str | os.PathLike[str]", source))
    endings = (".json", *(f".json{packed}" for packed in PACKED))
    return path.name.lower().endswith(endings) and is_file(path)


def is_large(files: Sequence[Path]) -> bool:
    """Whether the files need much memory if they are read at once."""
    return sum(map(_unpacked_size, files)) >= LARGE_BYTES


def are_one_piece(files: Sequence[Path]) -> bool:
    """Whether the files have no more rows than are read at once."""
    return sum(map(_unpacked_size, files)) <= PIECE_BYTES


def _unpacked_size(file: Path) -> int:
    size, ending = file.stat().st_size, file.suffix.lower()
    if ending == ".gz":
        return max(UNPACKED * size, gzip_content_size(file))
    if ending == ".zst":
        return max(UNPACKED * size, zstd.content_size(file))
    if ending == ".parquet":
        try:
            footer = read_footer(file)
        except (FooterError, OSError):
            return UNPACKED * size
        return max(UNPACKED * size, footer.unpacked_bytes, VALUE_BYTES * footer.n_values)
    return size


@dataclass(slots=True)
class FileTables:
    """Reads files as tables of some rows each."""

    files: Sequence[Path]

    def __iter__(self) -> Iterator[Table]:
        for file in self.files:
            read = _READERS[cast(str, kind_of_file(file))]
            n_rows = n_problems = 0
            for table in read(file, most_bytes=PIECE_BYTES):
                n_rows += len(table.rows)
                n_problems += len(table.problems)
                yield table
            if not n_rows and not n_problems and file.name.lower().endswith(CSV):
                yield unreadable(str(file), "holds no samples; is it the right file?")


class CsvNotes:
    """Leaves out the index column and the empty rows of CSV files, and notes both."""

    def __init__(self) -> None:
        self._first: dict[str, int] = {}
        self._next: dict[str, int] = {}
        self._others_of: dict[str, list[NDArray[np.int64]]] = {}
        """The numbers of files whose first column does not count the rows one by one."""
        self._numbered: dict[str, None] = {}
        self._empty: dict[str, list[str]] = {}
        self._others: dict[str, dict[str, None]] = {}

    def read(self, table: Table) -> Table:
        """The table without them; raises NeedsAllRowsError if the first column is no index."""
        self._others.setdefault(table.source, {}).update(dict.fromkeys(table.notes))
        rows = list(table.rows)
        if rows and next(iter(rows[0].values), None) == INDEX:
            self._check_index(table.source, rows)
            rows = [without_column(row, INDEX) for row in rows]
        full = [row for row in rows if not is_empty(row)]
        if len(full) < len(rows):
            lines = self._empty.setdefault(table.source, [])
            lines += [str(row.line) for row in rows if is_empty(row)]
        return Table(tuple(full), table.source, (), table.problems, all_text=True)

    def _check_index(self, source: str, rows: Sequence[Row]) -> None:
        import numpy as np

        cells = [cast(str, row.values[INDEX]) for row in rows]
        self._numbered[source] = None
        start = self._next.get(source, _number(cells[0]))
        if source not in self._others_of:
            if start is not None and cells == [str(start + at) for at in range(len(cells))]:
                self._first.setdefault(source, start)
                self._next[source] = start + len(cells)
                return
            first = self._first.get(source, 0)
            self._others_of[source] = [np.arange(first, self._next.get(source, first))]
        if not all(map(is_count, cells)):
            raise NeedsAllRowsError(NO_INDEX)
        self._others_of[source].append(np.array(cells, dtype=np.int64))

    def finish(self) -> None:
        """Raise NeedsAllRowsError if a first column without a name has a number twice."""
        import numpy as np

        for several in self._others_of.values():
            numbers = np.concatenate(several)
            several.clear()
            numbers.sort()
            if (numbers[1:] == numbers[:-1]).any():
                raise NeedsAllRowsError(NO_INDEX)

    def notes(self) -> list[str]:
        """The notes of all files, as reading them in memory gives them."""
        sources = dict.fromkeys((*self._others, *self._numbered, *self._empty))
        return [
            note
            for source in sources
            for note in (
                *self._others.get(source, {}),
                *([NOTE_OF_INDEX] if source in self._numbered else []),
                *note_of_empty(self._empty.get(source, [])),
            )
        ]


def _number(cell: str) -> int | None:
    return int(cell) if cell.isascii() and cell.isdigit() and cell == str(int(cell)) else None
