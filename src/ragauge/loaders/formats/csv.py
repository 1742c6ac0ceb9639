"""Read CSV and TSV, where every cell is text."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ragauge.errors import Problem
from ragauge.loaders.formats.files import (
    MAX_LINE_LENGTH,
    MAX_PROBLEMS,
    MAX_UNPACKED_BYTES,
    text_lines,
)
from ragauge.loaders.table import NeedsAllRowsError, Table, listed, tables_of
from ragauge.samples.fields import Row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_COUNT = re.compile(r"[0-9]{1,15}")
_SEPARATOR_LINE = re.compile(r"sep=([;,\t|])\s*")  # Excel reads such a first line, and so do we
INDEX = ""  # the name of the column that pandas writes for its index
_NO_INDEX = "the first column has no name and does not number the rows"
NOTE_OF_INDEX = "left out the first column: it is unnamed and only numbers the rows"


def read_csv(path: Path, *, delimiter: str, only_utf: bool = False) -> Table:
    """The file's rows as text; a row that does not fit the header is a problem; with `only_utf`, Windows-1252 too."""
    (table,) = csv_tables(path, delimiter=delimiter, only_utf=only_utf)
    return without_fillers(table)


def csv_tables(
    path: Path, most_bytes: float = inf, *, delimiter: str, only_utf: bool = False
) -> Iterator[Table]:
    """The file's rows in tables of about `most_bytes` characters, with the index of pandas and empty rows."""
    source, problems, notes = str(path), list[Problem](), list[str]()
    # The limit is global to the process: only raise it, so that other readers keep theirs.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE_LENGTH))
    _, header_line = next(text_lines(path, [], excel_notes=[]), (1, ""))
    unquoted = re.sub(r'"[^"]*"', "", header_line)
    named = _SEPARATOR_LINE.fullmatch(header_line)
    other = named[1] if named else max(";\t|", key=unquoted.count)
    if named or unquoted.count(other) > unquoted.count(delimiter):
        notes.append(f"the cells are separated by {other!r}")
        delimiter = other
    largest = MAX_UNPACKED_BYTES if most_bytes == inf else None
    lines = text_lines(path, problems, largest=largest, excel_notes=None if only_utf else notes)

    def checked() -> Iterator[str]:
        for number, line in lines:
            if (at := line.find("\0")) >= 0:
                text = f"has a NUL byte at column {at + 1}; fix the export that wrote it"
                problems.append(Problem(text, source, number))
            yield "\n" if named and number == 1 else line

    reader = csv.reader(checked(), delimiter=delimiter, strict=True)
    rows = _rows(_records(reader, source, problems), source, problems)
    return tables_of(rows, source, most_bytes, problems, notes, all_text=True)


def _records(
    reader: Any, source: str, problems: list[Problem]
) -> Iterator[tuple[int, Sequence[str]]]:
    """The records that are not blank, each with its first line."""
    while True:
        line, n_problems = reader.line_num + 1, len(problems)
        try:
            cells = cast("list[str]", next(reader))
        except StopIteration:
            return
        except csv.Error as error:
            if len(problems) > n_problems:  # a truncated file is already reported
                return
            message, problem = str(error), f"is not valid CSV: {error}"
            if "unexpected end of data" in message:
                problem = f"opens a quote that is not closed before the end of the file, line {reader.line_num}; close it"
            elif "expected after" in message:
                problem = f"has text after a closing quote at line {reader.line_num}; double each quote inside quotes"
            elif "new-line character" in message:
                problem = (
                    "has a carriage return outside quotes; save it with \\n or \\r\\n line ends"
                )
            problems.append(Problem(problem, source, line))
            return
        if len(cells) > 1 or any(cell.strip() for cell in cells):
            yield line, cells


def _rows(
    records: Iterator[tuple[int, Sequence[str]]], source: str, problems: list[Problem]
) -> Iterator[tuple[Row, int]]:
    """The rows under the header, which is the first record, each with its characters."""
    _, header = first = next(records, (0, ()))
    wrong = [
        f"has two columns named {name!r}; rename one"
        for name, n in Counter(header).items()
        if n > 1 and name.strip()
    ]
    if len(header) == 1 and (marks := [mark for mark in ";\t|," if mark in header[0]]):
        text = f"has only one column, {header[0][:60]!r}, which contains {marks[0]!r}"
        wrong.append(f"{text}; separate the cells by commas (.csv) or tabs (.tsv)")
    if wrong:
        problems += [Problem(problem, source, first[0]) for problem in wrong]
        return
    # Spreadsheets write columns that were once used, without a name and empty, at the end.
    n_named = max((at for at, name in enumerate(header, 1) if name.strip()), default=len(header))
    if header[:n_named].count(INDEX) > 1:  # none is an index, and their name is refused later
        header = [name or " " for name in header]
    n_rows = n_wrong = 0
    for line, cells in records:
        unnamed = "".join(cells[n_named:]).strip()
        if n_named <= len(cells) <= len(header) and not unnamed:
            n_rows += 1
            values = dict(zip(header, cells[:n_named], strict=False))
            yield Row(values, source, line), sum(map(len, cells))
            continue
        n_wrong += 1
        n = f"{len(cells)} cell{'s' * (len(cells) != 1)}"
        text = f"has {n}, but the header has {len(header)}"
        if len(cells) > len(header):
            text += "; quote cells that contain the delimiter"
        elif unnamed:
            text = f"has {unnamed[:60]!r} in a column without a name; name it or remove it"
        if n_wrong > MAX_PROBLEMS:
            text = f"over {MAX_PROBLEMS:,} rows do not fit the header; the rows after this one were not looked at"
        problems.append(Problem(text, source, line))
        if n_wrong > MAX_PROBLEMS:
            return
    if not n_rows and not problems:
        problems.append(Problem("holds no samples; is it the right file?", source))


def without_fillers(table: Table) -> Table:
    """A whole table without empty rows and the unnamed first column that pandas writes for its index."""
    notes = CsvNotes()
    try:
        read = notes.read(table)
        notes.finish()
    except NeedsAllRowsError:  # it is no index
        notes = CsvNotes()
        read = notes.read(table, may_have_index=False)
    return replace(read, notes=tuple(notes.notes()))


class CsvNotes:
    """Leaves out the index column and the empty rows of CSV files, and notes both by file."""

    def __init__(self) -> None:
        self._others: dict[str, dict[str, None]] = {}
        self._indexes: dict[str, list[NDArray[np.int64]]] = {}
        self._empty: dict[str, list[str]] = {}

    def read(self, table: Table, *, may_have_index: bool = True) -> Table:
        """The table without them; raises NeedsAllRowsError if the first column is no index."""
        source, rows = table.source, table.rows
        self._others.setdefault(source, {}).update(dict.fromkeys(table.notes))
        if may_have_index and rows and next(iter(rows[0].values), None) == INDEX:
            import numpy as np

            cells = [cast(str, row.values[INDEX]) for row in rows]
            if not all(map(_COUNT.fullmatch, cells)):
                raise NeedsAllRowsError(_NO_INDEX)
            self._indexes.setdefault(source, []).append(np.array(cells, dtype=np.int64))
            others = [{n: v for n, v in row.values.items() if n != INDEX} for row in rows]
            rows = table.with_values(others).rows
        full = tuple(row for row in rows if any(row.values.values()))
        if len(full) < len(rows):
            lines = self._empty.setdefault(source, [])
            lines += [str(row.line) for row in rows if not any(row.values.values())]
        return Table(full, source, (), table.problems, all_text=True)

    def finish(self) -> None:
        """Raise NeedsAllRowsError if a first column without a name has a number twice."""
        import numpy as np

        for several in self._indexes.values():
            numbers = np.sort(np.concatenate(several))
            several.clear()
            if (numbers[1:] == numbers[:-1]).any():
                raise NeedsAllRowsError(_NO_INDEX)

    def notes(self) -> list[str]:
        """The notes of all files."""
        notes: list[str] = []
        for source, others in self._others.items():
            notes += others
            if source in self._indexes:
                notes.append(NOTE_OF_INDEX)
            if source in self._empty:
                notes.append(f"left out empty rows: line {listed(self._empty[source])}")
        return notes
