"""Read CSV and TSV, where every cell is text: detect lists, numbers and nulls.

An empty cell is empty text in `question` and `answer`, an error in `id` and `system`, and null
elsewhere: CSV cannot tell them apart. A cell of a list field is read as a list if it begins with [
or {, as JSON or as Python and numpy print lists; any other cell is one text. An extra
column becomes numbers only if every cell is a plain number and different cells stay different
(1.10 and 1.1 stay text; so do 007, 1e5 and nan).
"""

import contextlib
import csv
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol, cast

from ragauge.errors import Problem
from ragauge.loaders.formats.files import (
    MAX_LINE_LENGTH,
    MAX_PROBLEMS,
    MAX_UNPACKED_BYTES,
    text_lines,
)
from ragauge.loaders.formats.printed import UnreadableError, printed_list
from ragauge.loaders.formats.strict import JsonError, JsonReader, repeated_problem
from ragauge.loaders.table import Table, listed
from ragauge.samples.samples import FIELDS, Row

PRINTED = ("[", "{", "array([")
"""How a cell begins that is read as a list; any other is one text."""
_EMPTY_TEXT = ("question", "answer")
_NEVER_EMPTY = ("id", "system")
_TEXT_LISTS = ("references", "contexts", "context_ids", "gold_contexts")
_LISTS = tuple(
    name for name, field in FIELDS.items() if field.kind in ("texts", "numbers", "grades")
)
_NUMBER = re.compile(r"(?=.{1,15}\Z)-?(0|[1-9][0-9]*)(\.[0-9]+)?", re.DOTALL)
_COUNT = re.compile(r"[0-9]{1,15}")


class _Reader(Protocol):
    """The csv module's reader."""

    line_num: int

    def __next__(self) -> list[str]: ...


def read_csv(path: Path, *, delimiter: str, only_utf: bool = False) -> Table:
    """The file's rows as text; a row that does not fit the header is a problem.

    With `only_utf`, a file in Excel's Windows-1252 is a problem too.
    """
    (table,) = csv_tables(path, delimiter=delimiter, only_utf=only_utf)
    rows = list(table.rows)
    problems = list(table.problems)
    if not rows and not problems:
        problems.append(Problem("holds no samples; is it the right file?", table.source))
    rows, note_of_index = without_index(rows)
    full = [row for row in rows if not is_empty(row)]
    empty = note_of_empty([str(row.line) for row in rows if is_empty(row)])
    notes = (*table.notes, *note_of_index, *empty)
    return Table(tuple(full), table.source, notes, tuple(problems), all_text=True)


def csv_tables(
    path: Path, *, delimiter: str, most_bytes: int | None = None, only_utf: bool = False
) -> Iterator[Table]:
    """The file's rows in tables of about `most_bytes` characters; in one without it.

    With all columns and rows: without `without_index` and `is_empty`.
    """
    source = str(path)
    problems: list[Problem] = []
    # The limit is global to the process: only raise it, so that other readers keep theirs.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE_LENGTH))
    found = _delimiter(path, delimiter)
    notes: tuple[str, ...] = ()
    if found != delimiter:
        notes = (f"the cells are separated by {found!r}",)
        delimiter = found
    excel_notes: list[str] = []
    largest = MAX_UNPACKED_BYTES if most_bytes is None else None
    lines = text_lines(
        path, problems, largest=largest, excel_notes=None if only_utf else excel_notes
    )
    lines = _without_nul(lines, source, problems)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    records = _records(cast(_Reader, reader), source, problems)
    nothing: tuple[int, list[str]] = (1, [])
    line, header = next(records, nothing)
    if wrong := _bad_header(header):
        problems += [Problem(problem, source, line) for problem in wrong]
        yield Table((), source, problems=tuple(problems), notes=notes, all_text=True)
        return
    if header.count(INDEX) > 1:  # none is an index, and their name is refused later
        header = [name or " " for name in header]
    rows: list[Row] = []
    size = 0
    for row in _rows(records, header, source, problems):
        rows.append(row)
        if most_bytes is None:
            continue
        size += sum(map(len, cast("Iterable[str]", row.values.values())))
        if size >= most_bytes:
            yield _piece(rows, source, problems, (*notes, *excel_notes))
            for given in (rows, problems, excel_notes):
                given.clear()
            notes, size = (), 0
    if rows or problems or most_bytes is None:
        yield _piece(rows, source, problems, (*notes, *excel_notes))


def _piece(rows: list[Row], source: str, problems: list[Problem], notes: tuple[str, ...]) -> Table:
    return Table(tuple(rows), source, notes, tuple(problems), all_text=True)


def _delimiter(path: Path, usual: str) -> str:
    """The usual delimiter, or ; or a tab or | if the header has cells only by that one."""
    _, header = next(text_lines(path, [], excel_notes=[]), (1, ""))
    if usual in header:
        return usual
    return next((mark for mark in ";\t|" if mark in header), usual)


def _without_nul(
    lines: Iterator[tuple[int, str]], source: str, problems: list[Problem]
) -> Iterator[str]:
    for number, line in lines:
        if "\0" in line:
            column = line.index("\0") + 1
            problem = f"has a NUL byte at column {column}; fix the export that wrote it"
            problems.append(Problem(problem, source, number))
        yield line


def _records(
    reader: _Reader, source: str, problems: list[Problem]
) -> Iterator[tuple[int, list[str]]]:
    """The records that are not blank, each with its first line."""
    while True:
        line = reader.line_num + 1
        n_problems = len(problems)
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            # A truncated file is already reported.
            if len(problems) == n_problems:
                problems.append(Problem(_malformed(error, reader.line_num), source, line))
            return
        if len(cells) > 1 or any(cell.strip() for cell in cells):
            yield line, cells


def _malformed(error: csv.Error, line: int) -> str:
    message = str(error)
    if "unexpected end of data" in message:
        return f"opens a quote that is not closed before the end of the file, line {line}; close it"
    if "expected after" in message:
        return f"has text after a closing quote at line {line}; double each quote inside quotes"
    if "new-line character" in message:
        return "has a carriage return outside quotes; save it with \\n or \\r\\n line ends"
    return f"is not valid CSV: {message}"


def _bad_header(header: Sequence[str]) -> list[str]:
    problems = [
        f"has two columns named {name!r}; rename one"
        for name, n in Counter(header).items()
        if n > 1 and name.strip()
    ]
    if len(header) == 1 and (delimiters := [mark for mark in ";\t|," if mark in header[0]]):
        problem = f"has only one column, {header[0][:60]!r}, which contains {delimiters[0]!r}"
        problems.append(f"{problem}; separate the cells by commas (.csv) or tabs (.tsv)")
    return problems


def _rows(
    records: Iterator[tuple[int, list[str]]],
    header: Sequence[str],
    source: str,
    problems: list[Problem],
) -> Iterator[Row]:
    n_problems = 0
    for line, cells in records:
        if len(cells) == len(header):
            yield Row(dict(zip(header, cells, strict=True)), source, line)
            continue
        n_problems += 1
        if n_problems > MAX_PROBLEMS:
            rest = f"over {MAX_PROBLEMS:,} rows do not fit the header; the rows after this one were not looked at"
            problems.append(Problem(rest, source, line))
            return
        problem = (
            f"has {len(cells)} cell{'s' * (len(cells) != 1)}, but the header has {len(header)}"
        )
        hint = "; quote cells that contain the delimiter" if len(cells) > len(header) else ""
        problems.append(Problem(f"{problem}{hint}", source, line))


INDEX = ""
"""The name of the column that pandas writes for its index."""
NOTE_OF_INDEX = "left out the first column: it is unnamed and only numbers the rows"


def without_index(rows: list[Row]) -> tuple[list[Row], list[str]]:
    """The rows without the unnamed first column that pandas writes for its index."""
    if not rows or next(iter(rows[0].values), None) != INDEX:
        return rows, []
    counts = {cast(str, row.values[INDEX]) for row in rows}
    if len(counts) < len(rows) or not all(map(_COUNT.fullmatch, counts)):
        return rows, []
    return [without_column(row, INDEX) for row in rows], [NOTE_OF_INDEX]


def is_count(cell: str) -> bool:
    """Whether a cell may be the number of a row."""
    return _COUNT.fullmatch(cell) is not None


def without_column(row: Row, name: str) -> Row:
    values = {other: value for other, value in row.values.items() if other != name}
    return Row(values, row.source, row.line)


def is_empty(row: Row) -> bool:
    """Whether no cell of the row has a text."""
    return not any(row.values.values())


def note_of_empty(lines: Sequence[str]) -> list[str]:
    return [f"left out empty rows: line {listed(list(lines))}"] if lines else []


def is_number(cell: str) -> bool:
    """Whether a cell is a plain number."""
    return _NUMBER.fullmatch(cell) is not None


def read_cells(rows: Sequence[Row], problems: list[Problem], numeric: Collection[str]) -> list[Row]:
    """The rows with lists, numbers (in the columns `numeric`) and nulls read from their text."""
    reader = JsonReader()
    read: list[Row] = []
    for row in rows:
        values: dict[str, object] = {}
        for name, cell in row.values.items():
            if not isinstance(cell, str):  # read from the object that the cell held
                values[name] = cell
                continue
            try:
                values[name] = _read_cell(name, cell, reader, name in numeric)
            except JsonError as error:
                id = cast("str | None", row.values.get("id"))
                problems.append(Problem(error.problem, row.source, row.line, name, id))
        read.append(Row(values, row.source, row.line))
    return read


def read_printed_lists(rows: Sequence[Row]) -> list[Row]:
    """The rows of a frame with printed lists read, and `relevant` without other rows' ids."""
    return [Row(dict(map(_read_printed, row.values.items())), row.source, row.line) for row in rows]


def _read_printed(item: tuple[str, object]) -> tuple[str, object]:
    name, cell = item
    if name == "relevant" and isinstance(cell, dict):
        # A frame gives every row the ids of all rows, with nulls for those of other rows.
        grades = cast(dict[str, object], cell).items()
        return name, {document: grade for document, grade in grades if grade is not None}
    if name not in _LISTS or not isinstance(cell, str) or not cell.lstrip().startswith(PRINTED):
        return item
    try:
        return name, _read_list(name, cell, JsonReader())
    except JsonError:
        return item  # text that begins with a bracket


def read_json_lists(rows: Sequence[Row]) -> Sequence[Row]:
    """The rows with lists of texts that are given as JSON text, as tables write them that were CSV before."""
    if not any(_json_lists(row) for row in rows):
        return rows
    return [Row({**row.values, **_json_lists(row)}, row.source, row.line) for row in rows]


def _json_lists(row: Row) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in _TEXT_LISTS:
        cell = row.values.get(name)
        if isinstance(cell, str) and cell.startswith("[") and cell.endswith("]"):
            with contextlib.suppress(JsonError):
                items = JsonReader().read_whole(cell)
                texts = cast(list[object], items) if isinstance(items, list) else []
                if texts and all(isinstance(text, str) for text in texts):
                    found[name] = cast(list[str], texts)
    return found


def _read_cell(name: str, cell: str, reader: JsonReader, is_number: bool) -> object:
    if not cell and name not in _NEVER_EMPTY:
        return "" if name in _EMPTY_TEXT else None
    if name in _LISTS:
        return _read_list(name, cell, reader)
    return _number(cell) if is_number else cell


def _number(cell: str) -> float:
    return float(cell) if "." in cell else int(cell)


_SEPARATED = re.compile(r"[^\s|;,]\s*[|;,]\s*[^\s|;,]")


def _read_list(name: str, cell: str, reader: JsonReader) -> object:
    bare = cell.strip()
    if name == "context_scores" and _NUMBER.fullmatch(bare):
        return [_number(bare)]
    if not bare.startswith(PRINTED):
        if name in ("context_ids", "relevant") and _SEPARATED.search(bare):
            raise JsonError('seems to contain several ids; write them as a list: ["…", "…"]', 0)
        return [cell]
    try:
        value = reader.read_whole(bare)
    except JsonError as error:
        reader.take_repeated()
        value = _python_list(bare, error)
    if repeated := reader.take_repeated():
        raise JsonError(repeated_problem(repeated), 0)
    return value


def _python_list(cell: str, as_json: JsonError) -> object:
    """The value of a list as Python prints it; JsonError for anything else."""
    try:
        return printed_list(cell)
    except UnreadableError as error:
        not_json = as_json.problem.removeprefix("is not JSON: ")
        raise JsonError(f"is neither JSON ({not_json}) {error}", 0) from None
