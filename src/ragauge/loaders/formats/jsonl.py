"""Read JSON Lines: one object per line; blank lines are skipped."""

from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import cast

from ragauge.errors import Problem
from ragauge.loaders.formats.files import MAX_PROBLEMS, MAX_UNPACKED_BYTES, text_lines
from ragauge.loaders.formats.strict import JsonError, JsonReader, object_problem, repeated_problem
from ragauge.loaders.table import Table
from ragauge.samples.samples import Row


def read_jsonl(path: Path) -> Table:
    """The file's objects; a line that is not an object is a problem."""
    (table,) = jsonl_tables(path)
    return table


def jsonl_tables(path: Path, most_bytes: float = inf) -> Iterator[Table]:
    """The file's objects in tables of about `most_bytes` bytes."""
    source = str(path)
    problems: list[Problem] = []
    rows: list[Row] = []
    reader = JsonReader()
    size, n_problems, is_first = 0, 0, True
    largest = MAX_UNPACKED_BYTES if most_bytes == inf else None
    for number, line in text_lines(path, problems, largest=largest):
        if line.isspace():
            continue
        problem = _read_line(line, reader, number, source, rows)
        if problem is not None:
            problems.append(Problem(problem, source, number))
            n_problems += 1
        if n_problems == MAX_PROBLEMS:
            rest = f"over {MAX_PROBLEMS:,} lines cannot be read; the lines after this one were not looked at"
            problems.append(Problem(rest, source, number))
            break
        size += len(line)
        if size >= most_bytes:
            yield Table(tuple(rows), source, problems=tuple(problems))
            rows.clear()
            problems.clear()
            size, is_first = 0, False
    if rows or problems or is_first:
        yield Table(tuple(rows), source, problems=tuple(problems))


def _read_line(
    line: str, reader: JsonReader, number: int, source: str, rows: list[Row]
) -> str | None:
    """Add the line's row to `rows`, or return the problem."""
    try:
        value = reader.read_whole(line)
    except JsonError as error:
        reader.take_repeated()
        cut_off = "" if line.endswith("\n") else "; the last line of the file seems to be cut off"
        return f"{error.problem}, at column {error.position + 1}{cut_off}"
    if repeated := reader.take_repeated():
        return repeated_problem(repeated)
    if not isinstance(value, dict):
        return f"is {kind_of(value)}, but must be an object{_HINTS.get(type(value), '')}"
    fields = cast(dict[str, object], value)
    if problem := object_problem(fields):
        return problem
    rows.append(Row(fields, source, number))
    return None


_HINTS: dict[type, str] = {list: "; if the file is one JSON list, name it .json"}


def kind_of(value: object) -> str:
    """The name of a JSON value's type."""
    return _KINDS.get(type(value), "a value")


_KINDS: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}
