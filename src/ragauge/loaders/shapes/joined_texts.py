"""Read what a tool wrote into one CSV cell: deepeval joins contexts, TruthfulQA answers, TruLens quotes texts.

deepeval writes "first|second" and reads "first;second"; a mark with a blank beside it is part of a text.
"""

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import cast

from ragauge.loaders.mapping import field_of, folded
from ragauge.loaders.table import Table
from ragauge.samples.samples import Row

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
    values = [_MARKS[mark].split(cell) if cell else None for cell in cells]
    return _with_column(table, name, values, note)


def _split_answers(table: Table, name: str) -> Table:
    cells = [
        [text for part in cell.split(";") if (text := part.strip())] for cell in _cells(table, name)
    ]
    note = f"split {name!r} at ';', as TruthfulQA joins answers"
    return _with_column(table, name, [texts or None for texts in cells], note)


def _unquoted(table: Table, name: str) -> Table:
    cells = _cells(table, name)
    texts = [_json_text(cell) for cell in cells]
    is_quoted = any(cells) and all(
        text is not None or not cell for cell, text in zip(cells, texts, strict=True)
    )
    if not is_quoted:
        return table
    return _with_column(table, name, [text or "" for text in texts], f"read {name!r} as JSON texts")


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


def _with_column(table: Table, name: str, cells: Sequence[object], note: str) -> Table:
    rows = tuple(
        Row({**row.values, name: cell}, row.source, row.line)
        for row, cell in zip(table.rows, cells, strict=True)
    )
    return replace(table, rows=rows, notes=(*table.notes, note))
