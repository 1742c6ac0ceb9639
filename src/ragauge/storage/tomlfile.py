"""Strict reading of TOML, and of stored JSON into frozen dataclasses: unknown keys and wrong types are errors."""

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from ragauge.errors import SuiteError, did_you_mean
from ragauge.storage.regular_file import read_regular

Table = Mapping[str, object]
MAX_BYTES = 10_000_000
MAX_PARTS = 50
DEEP_KEY = re.compile(
    rf"(?:^|[{{{{,])[ \t\[]*(?:[\w-]+[ \t]*\.[ \t]*){{{MAX_PARTS}}}", re.MULTILINE | re.ASCII
)
MAY_BE_SECRET = "api_key_env"
"""Its value is not shown: people write the key itself."""
MAX_PROBLEMS = 20
"""Problems of one table that are listed; the others are counted."""

TYPE_NAMES = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
    NoneType: "null",
}


def read_toml(path: Path) -> Table:
    """The file's tables; SuiteError names the file and the position of the first error."""
    try:
        text = read_regular(path, MAX_BYTES).decode("utf-8-sig")
        return parse_toml(text.replace("\r\n", "\n"), str(path))
    except OSError as error:
        raise SuiteError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise SuiteError(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8") from None


@cache
def shipped_toml(name: str) -> dict[str, Any]:
    """The tables of a file of the package, by its path there."""
    return tomllib.loads((resources.files("ragauge") / name).read_text("utf-8"))


def parse_toml(text: str, source: str) -> Table:
    """The text's tables; SuiteError if it is not valid TOML."""
    if (deep := DEEP_KEY.search(text)) is not None:  # the parser's time is quadratic in them
        line = text.count("\n", 0, deep.start()) + 1
        raise SuiteError(f"{source}:{line}: a key has more than {MAX_PARTS} parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise SuiteError(f"{source}: not valid TOML: brackets are nested too deep") from None
    except (tomllib.TOMLDecodeError, ValueError) as error:
        if "integer string conversion" in str(error):
            raise SuiteError(f"{source}: not valid TOML: a number has too many digits") from None
        raise SuiteError(f"{source}: not valid TOML: {error}") from None


def check_table(table: Table, allowed: Mapping[str, type], place: str) -> list[str]:
    """What is wrong with the table's keys and types; each message begins with `place`."""
    problems: list[str] = []
    for n_before, (key, value) in enumerate(table.items()):
        if len(problems) == MAX_PROBLEMS:
            problems.append(f"{place}: … and up to {len(table) - n_before:,} more")
            break
        if key not in allowed:
            hint = did_you_mean(key, allowed) or f"; the keys are {', '.join(allowed)}"
            problems.append(f"{place}: unknown key {key!r:.80}{hint}")
            continue
        kind = allowed[key]
        is_kind = isinstance(value, (int, float) if kind is float else kind)
        if not is_kind or (isinstance(value, bool) and kind is not bool):
            got = "something else" if key == MAY_BE_SECRET else f"{value!r:.80}"
            problems.append(f"{place}: {key} must be {TYPE_NAMES[kind]}, got {got}")
    return problems


def as_table(value: object) -> Table | None:
    """The value if it is a table, else None."""
    return cast(Table, value) if isinstance(value, dict) else None


def as_list(value: object) -> list[object] | None:
    """The value if it is a list, else None."""
    return cast(list[object], value) if isinstance(value, list) else None


T = TypeVar("T")
_types = cache(get_type_hints)


def read_dataclass(kind: type[T], value: object, place: str = "", *, is_open: bool = False) -> T:
    """The dataclass that a JSON object holds; fields with a default may be missing, others may not.

    ValueError names the first field that is missing, of another type, or unknown, unless it `is_open`.
    """
    if not isinstance(value, Mapping):
        raise ValueError(f"{place or 'it'} is not an object")  # noqa: TRY004
    table, types = cast(Mapping[str, object], value), _types(kind)
    start = f"{place}." if place else ""
    if (unknown := sorted(table.keys() - types.keys())) and not is_open:
        raise ValueError(f"{start}{unknown[0]} is not known")
    for each in fields(cast(Any, kind)):
        if each.name not in table and each.default is each.default_factory is MISSING:
            raise ValueError(f"{start}{each.name} is missing")
    known = {name: item for name, item in table.items() if name in types}
    read = {name: _read(types[name], item, start + name) for name, item in known.items()}
    return cast(T, cast(Any, kind)(**read))  # pyright: ignore[reportUnknownVariableType]


def _read(kind: Any, value: Any, place: str) -> object:
    origin, inner = get_origin(kind), get_args(kind)
    if kind is object or (origin is Literal and value in inner):
        return value
    if is_dataclass(kind):
        return read_dataclass(cast(type[object], kind), value, place)
    if origin in (Union, UnionType):
        (kind,) = (each for each in inner if each is not NoneType)
        return None if value is None and NoneType in inner else _read(kind, value, place)
    if origin is tuple and isinstance(value, list):
        items = enumerate(cast(list[object], value))
        return tuple(_read(inner[0], item, f"{place}[{at}]") for at, item in items)
    if origin is Mapping and isinstance(value, dict):
        table = cast(dict[str, object], value)
        return {name: _read(inner[1], item, f"{place}.{name}") for name, item in table.items()}
    if kind in (bool, str) and type(value) is kind:
        return value
    is_number = kind in (int, float) and type(value) in (int, kind)
    if is_number and abs(value) < 2**63 and math.isfinite(value):
        return kind(value)
    raise ValueError(f"{place} is {value!r:.40}, which is of the wrong type")
