"""Strict reading of TOML files: unknown keys and wrong types are errors, all reported at once."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from types import NoneType
from typing import Any, cast

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
