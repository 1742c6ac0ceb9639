"""Read JSON strictly, and JSON Lines: one object per line; blank lines are skipped."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import cast

from ragauge.errors import Problem
from ragauge.loaders.formats.files import MAX_PROBLEMS, MAX_UNPACKED_BYTES, text_lines
from ragauge.loaders.table import Table, tables_of
from ragauge.samples.fields import Row

BLANK = re.compile(r"[ \t\r\n]*")
_KINDS: dict[type, str] = {
    dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null",
}  # fmt: skip


class JsonError(ValueError):
    """Text that is not JSON; `position` is the offset of the first wrong character."""

    def __init__(self, problem: str, position: int) -> None:
        self.problem, self.position = problem, position
        super().__init__(problem)

    def place_in(self, text: str) -> tuple[str, int]:
        """What is wrong with a text of several lines, and the line."""
        column = self.position - text.rfind("\n", 0, self.position)
        cut_off = "; the file seems to be cut off" * (self.position >= len(text.rstrip()))
        line = text.count("\n", 0, self.position) + 1
        return f"{self.problem}, at column {column}{cut_off}", line


class JsonReader:
    """Reads values; `repeated` collects duplicate keys until it is emptied."""

    def __init__(self) -> None:
        self.repeated: list[str] = []
        self._decoder = json.JSONDecoder(object_pairs_hook=self._object)

    def read(self, text: str, start: int = 0) -> tuple[object, int]:
        """The value that begins at `start` and its end; JsonError when there is none."""
        try:
            return cast(tuple[object, int], self._decoder.raw_decode(text, start))
        except json.JSONDecodeError as error:
            problem = error.msg[0].lower() + error.msg[1:].removesuffix(" at")
            raise JsonError(f"is not JSON: {problem}", error.pos) from None
        except RecursionError:
            raise JsonError("is nested too deeply", start) from None
        except ValueError:
            text = "has an integer of more than 4,300 digits; put it in quotes"
            raise JsonError(text, start) from None

    def read_whole(self, text: str) -> object:
        """The only value of the text; JsonError when something follows it."""
        value, end = self.read(text, skip_blank(text, 0))
        end = skip_blank(text, end)
        if end < len(text):
            raise JsonError("is not JSON: something follows the value", end)
        return value

    def take_repeated(self) -> tuple[str, ...]:
        """The duplicate keys since the last call."""
        repeated = tuple(dict.fromkeys(self.repeated))
        self.repeated.clear()
        return repeated

    def _object(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        values = dict(pairs)
        if len(values) < len(pairs):
            counts = Counter(name for name, _ in pairs)
            self.repeated += [name for name, count in counts.items() if count > 1]
        return values


def skip_blank(text: str, start: int) -> int:
    """The offset of the next character that is not JSON white space."""
    return cast("re.Match[str]", BLANK.match(text, start)).end()


def object_problem(fields: dict[str, object]) -> str:
    """Why an object is no row of data; empty if it may be one."""
    if not fields:
        return "is {}, an object without fields; give it fields or remove it"
    for name in () if "".join(fields).isascii() else fields:
        if lone := next((sign for sign in name if "\ud800" <= sign <= "\udfff"), ""):
            return (
                f"has the key {name[:60]!a} with half a character (lone surrogate U+{ord(lone):04X}); "
                "fix the export that wrote it"
            )
    return ""


def repeated_problem(names: tuple[str, ...]) -> str:
    return f"has the key {', '.join(map(repr, names))} twice; keep one"


def kind_of(value: object) -> str:
    """The name of a JSON value's type."""
    return _KINDS.get(type(value), "a number" if isinstance(value, int | float) else "a value")


def read_jsonl(path: Path) -> Table:
    """The file's objects; a line that is not an object is a problem."""
    (table,) = jsonl_tables(path)
    return table


def jsonl_tables(path: Path, most_bytes: float = inf) -> Iterator[Table]:
    """The file's objects in tables of about `most_bytes` bytes."""
    problems: list[Problem] = []
    largest = MAX_UNPACKED_BYTES if most_bytes == inf else None
    rows = _rows(text_lines(path, problems, largest=largest), str(path), problems)
    return tables_of(rows, str(path), most_bytes, problems)


def _rows(
    lines: Iterator[tuple[int, str]], source: str, problems: list[Problem]
) -> Iterator[tuple[Row, int]]:
    """The objects of the lines, each with the length of its line."""
    reader = JsonReader()
    n_problems = 0
    for number, line in lines:
        if line.isspace():
            continue
        value, problem = None, ""
        try:
            value = reader.read_whole(line)
        except JsonError as error:
            problem = f"{error.problem}, at column {error.position + 1}"
            if not line.endswith("\n"):
                problem += "; the last line of the file seems to be cut off"
        repeated = reader.take_repeated()
        if not problem and repeated:
            problem = repeated_problem(repeated)
        elif not problem and not isinstance(value, dict):
            problem = f"is {kind_of(value)}, but must be an object"
            if isinstance(value, list):
                problem += "; if the file is one JSON list, name it .json"
        fields = cast("dict[str, object]", value)
        if not (problem := problem or object_problem(fields)):
            yield Row(fields, source, number), len(line)
            continue
        problems.append(Problem(problem, source, number))
        n_problems += 1
        if n_problems == MAX_PROBLEMS:
            rest = f"over {MAX_PROBLEMS:,} lines cannot be read; the lines after this one were not looked at"
            problems.append(Problem(rest, source, number))
            return
