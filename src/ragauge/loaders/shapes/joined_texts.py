"""Read what a tool wrote into one CSV cell: deepeval joins contexts, TruthfulQA answers, TruLens quotes texts.

deepeval writes "first|second" and reads "first;second"; a mark with a blank beside it is part of a text.
"""

import json
import re
from collections.abc import Callable, Collection
from typing import cast

from ragauge.loaders.mapping import field_of, folded
from ragauge.loaders.table import Table

DEEPEVAL = frozenset({"actual_output", "expected_output", "retrieval_context"})
CONTEXTS = ("retrieval_context", "context")
TRUTHFULQA = frozenset({"best_answer", "correct_answers", "incorrect_answers"})
QUOTED = ("question", "answer", "references")
_MARKS = {mark: re.compile(rf"(?<=\S){re.escape(mark)}(?=\S)") for mark in "|;"}


def recognised(table: Table, keep: Collection[str] = ()) -> Table:
    """The table with deepeval's contexts as lists and quoted texts without quotes; only for CSV."""
    if not table.all_text:
        return table
    columns = {name: folded(name) for name in table.columns() if name not in keep}
    if len(DEEPEVAL & set(columns.values())) > 1:
        for name in [name for name, usual in columns.items() if usual in CONTEXTS]:
            table = _split(table, name)
    if set(columns.values()) >= TRUTHFULQA:
        for name in [name for name, usual in columns.items() if usual == "correct_answers"]:
            table = _split_answers(table, name)
    for name in [name for name in columns if field_of(name) in QUOTED]:
        table = _unquoted(table, name)
    return table


def _split(table: Table, name: str) -> Table:
    cells = _cells(table, name)
    if any(cell.lstrip().startswith("[") for cell in cells):
        return table
    found = (mark for mark, pattern in _MARKS.items() if any(map(pattern.search, cells)))
    mark = next(found, None)
    if mark is None:
        return table
    note = f"split {name!r} at {mark!r}, as deepeval joins texts"
    return _read(table, name, lambda cell: _MARKS[mark].split(cell) if cell else None, note)


def _split_answers(table: Table, name: str) -> Table:
    note = f"split {name!r} at ';', as TruthfulQA joins answers"
    return _read(
        table,
        name,
        lambda cell: [text for part in cell.split(";") if (text := part.strip())] or None,
        note,
    )


def _unquoted(table: Table, name: str) -> Table:
    filled = [cell for cell in _cells(table, name) if cell]
    if not filled or any(_json_text(cell) is None for cell in filled):
        return table
    return _read(table, name, lambda cell: _json_text(cell) or "", f"read {name!r} as JSON texts")


def _read(table: Table, name: str, read: Callable[[str], object], note: str) -> Table:
    """The table with what is read of each cell of a column."""
    cells = zip(table.rows, _cells(table, name), strict=True)
    return table.with_values(({**row.values, name: read(cell)} for row, cell in cells), note)


def _cells(table: Table, name: str) -> list[str]:
    cells = [row.values.get(name) for row in table.rows]
    return [cell if isinstance(cell, str) else "" for cell in cells]


def _json_text(cell: str) -> str | None:
    if not (len(cell) > 1 and cell.startswith('"') and cell.endswith('"')):
        return None
    try:
        read = cast(object, json.loads(cell))
    except ValueError:
        return None
    return read if isinstance(read, str) else None
