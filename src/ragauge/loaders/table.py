"""The table that every format is read into, before columns are mapped to fields; values of any type, and lists as Python prints them, as plain Python."""

import ast
import dataclasses
import datetime
import decimal
import json
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise
from threading import Lock
from typing import Any, cast

from ragauge.errors import Problem
from ragauge.samples.fields import Row

MAX_LENGTH = 2 * 2**20  # longest printed list that is read, in characters; JSON lists have no limit
MAX_DEPTH = 20

# A string that is not closed matches too, without a group: otherwise the search would go on inside it, from each
# escaped quote to its end.
_STRING = re.compile(
    r"'(?:[^'\\\n]|\\.)*(?:(?P<single>')|)|\"(?:[^\"\\\n]|\\.)*(?:(?P<double>\")|)", re.DOTALL
)
_FAILURES = (ValueError, SyntaxError, TypeError, MemoryError, RecursionError)


class PrintedArray(list[object]):
    """The texts of an array that numpy printed, which is announced where it is read."""


class UnreadableError(Exception):
    """The text is not a printed list that can be read; the message says why."""


def printed_list(text: str) -> object:
    """The value that Python printed as this text; UnreadableError for anything else.

    >>> printed_list("['a', 'b']"), printed_list("['a' 'b']"), printed_list("array(['a'], dtype=object)")
    (['a', 'b'], ['a', 'b'], ['a'])
    >>> printed_list("[Document(page_content='a', metadata={'id': 'd1'})]")
    [{'page_content': 'a', 'metadata': {'id': 'd1'}}]
    """
    marks = re.findall(r"[\[\](){}]", _STRING.sub("", text[: MAX_LENGTH + 1]))
    depths = accumulate(1 if mark in "[({" else -1 for mark in marks)
    if len(text) > MAX_LENGTH or max(depths, default=0) > MAX_DEPTH:
        raise UnreadableError("nor a Python list short and flat enough to read; write it as JSON")
    array = _printed_array(text)
    if array is not None:
        return array
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about invalid escapes
            return _value(parsed_expression(text.strip()).body)
    except _FAILURES:
        raise UnreadableError('nor a Python list; write a list of texts as ["…", "…"]') from None


def _printed_array(text: str) -> list[object] | None:
    """The texts of an array that numpy printed without commas; None for other texts."""
    strings = [found for found in _STRING.finditer(text) if found.lastgroup]
    between = [text[a.end() : b.start()] for a, b in pairwise(strings)]
    if "" in between:  # as SQL and CSV escape a quote
        raise UnreadableError('nor a Python list: quotes are doubled; write it as ["…", "…"]')
    gaps = [gap.strip() for gap in between]
    if "" not in gaps:
        return None
    ends = text[: strings[0].start()].strip() + text[strings[-1].end() :].strip()
    if ends != "[]" or any(gaps):
        raise UnreadableError("nor a Python list: a printed numpy array that is not complete")
    texts = (ast.literal_eval(parsed_expression(string.group())) for string in strings)
    return PrintedArray(cast("list[object]", list(texts)))


def _value(node: ast.expr) -> object:
    """The value of a literal, in which arrays and objects may be calls."""
    match node:
        case ast.Constant(value=value) if value is ...:
            raise ValueError("a list that was printed without its middle")
        case ast.List() | ast.Tuple():
            return [_value(item) for item in node.elts]
        case ast.Call(func=ast.Name(id="array"), args=[array]):
            return _value(array)
        case ast.Call(func=ast.Name(), args=[], keywords=[_, *_]):
            return {each.arg: _value(each.value) for each in node.keywords if each.arg is not None}
        case ast.Call():
            raise ValueError("a call without named arguments")
        case _:
            return cast(object, ast.literal_eval(node))


_LOCK = Lock()


def parsed_module(source: str | bytes) -> ast.Module:
    """The tree of a module's source; raises what `ast.parse` raises.

    CPython 3.11 counts the depth of all trees that are built at the same time in one place, and ends with a
    SystemError if two threads build one (its issue 106905).
    """
    with _LOCK:
        return ast.parse(source)


def parsed_expression(text: str) -> ast.Expression:
    """The tree of one expression; `ast.literal_eval` reads a literal's value from it."""
    with _LOCK:
        return ast.parse(text.lstrip(" \t"), mode="eval")


class NeedsAllRowsError(Exception):
    """What a source holds can only be read with all rows in memory; the message says what it is."""


@dataclass(frozen=True)
class Table:
    """Rows under the source's column names, and the problems of reading them.

    `line` of a row is its line in the file, or its number from 1 where there are no lines.
    `all_text`: every cell is text (CSV), so lists, numbers and nulls are still to be read.
    `may_print_lists`: lists may be text, as in a frame that was read from CSV.
    """

    rows: tuple[Row, ...]
    source: str
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    all_text: bool = False
    may_print_lists: bool = False

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order of first appearance."""
        names: dict[str, None] = {}
        for row in self.rows:
            if row.values.keys() - names.keys():
                names |= dict.fromkeys(row.values)
        return tuple(names)

    def with_values(self, given: Iterable[Mapping[str, object]], *notes: str) -> "Table":
        """The table with other values in its rows, and more notes."""
        rows = zip(self.rows, given, strict=True)
        read = tuple(Row(values, row.source, row.line) for row, values in rows)
        return replace(self, rows=read, notes=(*self.notes, *notes))


def unreadable(source: str, problem: str, line: int | None = None) -> Table:
    """An empty table with the problem that made its source unreadable."""
    return Table((), source, problems=(Problem(problem, source, line),))


def tables_of(
    rows: Iterable[tuple[Row, int]],
    source: str,
    most_bytes: float,
    problems: list[Problem],
    notes: list[str] | None = None,
    *,
    all_text: bool = False,
) -> Iterator[Table]:
    """Rows, each with its size, in tables of about `most_bytes`; each has the problems and notes found by then."""
    kept: list[Row] = []
    notes = [] if notes is None else notes
    size, is_first = 0, True
    for row, n_bytes in rows:
        kept.append(row)
        size += n_bytes
        if size >= most_bytes:
            yield Table(tuple(kept), source, tuple(notes), tuple(problems), all_text)
            for given in (kept, problems, notes):
                given.clear()
            size, is_first = 0, False
    if kept or problems or is_first:
        yield Table(tuple(kept), source, tuple(notes), tuple(problems), all_text)


def listed(names: Sequence[str], most: int = 10, *, n_all: int | None = None) -> str:
    """The first names and the number of the others; `n_all` counts all if `names` are only some."""
    n_more = (len(names) if n_all is None else n_all) - len(names[:most])
    more = f" … and {n_more} more" if n_more > 0 else ""
    return ", ".join(names[:most]) + more


CONTENT_KEYS = ("content", "text", "response", "_content", "parts")
ASKING = ("user", "human")
ANSWERING = ("assistant", "ai", "model", "agent", "bot", "chatbot")


def items_in(value: object) -> Sequence[object]:
    """The items of a list or a tuple; none for any other value."""
    return cast("Sequence[object]", value) if isinstance(value, list | tuple) else ()


def mapping_in(value: object) -> Mapping[str, object]:
    """The mapping, or an empty one for any other value."""
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


def mappings_in(value: object) -> list[Mapping[str, object]]:
    """The items of a list that are mappings."""
    return [
        cast("Mapping[str, object]", item) for item in items_in(value) if isinstance(item, Mapping)
    ]


def named_values(item: object) -> dict[str, object] | None:
    """The public fields of an object with their values; None for values without fields."""
    kind = type(item)
    if isinstance(item, type | Mapping) or kind.__module__ in ("builtins", "numpy"):
        return None
    names: Iterable[object]
    for declared in ("model_fields", "__fields__", "_fields"):  # pydantic 2 and 1, named tuples
        fields: object = getattr(kind, declared, None)
        if isinstance(fields, Mapping | tuple):
            extra: object = getattr(item, "__pydantic_extra__", None)
            names = [*cast("Iterable[object]", fields), *mapping_in(extra)]
            break
    else:
        slots: object = getattr(kind, "__slots__", ())
        own = (slots,) if isinstance(slots, str) else cast("Iterable[object]", slots)
        names = [*getattr(item, "__dict__", ()), *own]
        if dataclasses.is_dataclass(item):
            names = [field.name for field in dataclasses.fields(item)]
    public = [name for name in names if isinstance(name, str) and not name.startswith("_")]
    # A field that was never set is left out.
    return {name: getattr(item, name) for name in public if hasattr(item, name)} or None


def plain(value: object, depth: int = 50) -> object:
    """The value in plain Python types: no numpy, no dates. Values nested deeper than `depth` are kept."""
    if value is None or isinstance(value, str | bool | int):
        # A member of a string enum becomes its value.
        return str.__str__(value) if isinstance(value, str) else value
    if isinstance(value, float):
        return float(value)
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, decimal.Decimal | datetime.timedelta):
        return str(value)
    if depth == 0:
        return value
    depth -= 1
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        is_date = type(value).__name__ == "datetime64"
        return str(value) if is_date else plain(cast(Any, value).tolist(), depth)
    if isinstance(value, tuple) and hasattr(cast(object, value), "_fields"):
        value = named_values(cast(object, value)) or {}
    if isinstance(value, Mapping):
        items = cast(Mapping[object, object], value).items()
        return {plain(name, 0): plain(item, depth) for name, item in items}
    is_list = isinstance(value, list | tuple)
    return [plain(item, depth) for item in items_in(cast(object, value))] if is_list else value


def value_of(item: object, name: str) -> object:
    """The value under this key of a mapping, or of this attribute of an object; None without it, or if a property raises."""
    if isinstance(item, Mapping):
        return cast("Mapping[str, object]", item).get(name)
    try:
        return cast(object, getattr(item, name, None))
    except (ValueError, TypeError, NotImplementedError):
        return None


def text_of(value: object, depth: int = 4) -> str | None:
    """The text of a message, a model's reply or a list of text blocks; None for other values."""
    if isinstance(value, str):
        return value
    if depth == 0 or value is None:
        return None
    if isinstance(value, list | tuple):
        texts = [text_of(part, depth - 1) for part in cast("Sequence[object]", value)]
        return "\n".join(cast("list[str]", texts)) if texts and None not in texts else None
    if not isinstance(value, Mapping) and type(value).__module__ == "builtins":
        return None
    value = cast("object", value)
    if choices := items_in(value_of(value, "choices")):  # OpenAI's completion
        return text_of(value_of(choices[0], "message"), depth - 1)
    inner = (value_of(value, key) for key in CONTENT_KEYS)
    found = next((part for part in inner if part is not None and not callable(part)), None)
    return text_of(found, depth - 1)


def last_text(messages: object, roles: Sequence[str]) -> str | None:
    """The text of the last message from one of these roles; None if it is not a list of messages."""
    last: object = None
    for outer in items_in(messages):
        # OpenInference nests role and content: message.role, or message: {role}.
        inner = value_of(outer, "message")
        message = outer if inner is None else inner
        # LangChain has a type, human or ai; MTRAG a speaker, user or agent.
        names = ("role", "message.role", "type", "speaker")
        role: object = next(filter(None, (value_of(message, name) for name in names)), None)
        role = getattr(role, "value", role)
        if not isinstance(role, str):
            return None
        if role.lower() in roles:
            content = value_of(message, "message.content")
            last = message if content is None else content
    return text_of(last)


def parsed(value: object) -> object:
    """The value of a JSON text, or of an object that pandas printed; other values unchanged."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "[", '"'):
        return value
    with suppress(ValueError, RecursionError):
        return cast(object, json.loads(value))
    if not value.lstrip().startswith('"'):
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            return cast(object, ast.literal_eval(parsed_expression(value)))
    return value
