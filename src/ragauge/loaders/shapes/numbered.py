"""Gather columns that only a number tells apart: context_1, context_2 … are the contexts of a row.

Spreadsheets hold lists so, also with ids and scores beside the texts: Chunk 1, Chunk 1 ID.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ragauge.loaders.documents import score_of
from ragauge.loaders.mapping import field_of, folded
from ragauge.loaders.table import Table, listed

LISTS = ("contexts", "context_ids", "context_scores", "references", "gold_contexts")
BESIDE = {"id": "context_ids", "score": "context_scores"}
"""What stands behind the number, or before it, in columns beside those of the contexts."""
_NUMBERED = re.compile(
    r"(?P<stem>.*[^\d_\[])_?\[?(?P<number>\d{1,3})\]?(?:_(?P<beside>id|score))?", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Numbered:
    """A column of a field, and its number."""

    name: str
    field: str
    number: int


Groups = Mapping[str, Sequence[Numbered]]
"""The columns of each field that they are gathered into."""


def recognised(table: Table, keep: Collection[str] = ()) -> Table:
    """The table with numbered columns as one column of lists, without the empty cells.

    Only for a field that no other column gives. Columns in `keep` stay as they are.
    """
    groups = groups_of(table.columns(), keep)
    if not groups:
        return table
    return gathered(table, groups, note_of(groups))


def groups_of(columns: Sequence[str], keep: Collection[str] = ()) -> Groups:
    """The columns that are gathered; none of `keep`, and none of a field that another column gives."""
    given = {field_of(name) for name in columns}
    groups = _groups([name for name in columns if name not in keep])
    return {field: group for field, group in groups.items() if field not in given}


def gathered(table: Table, groups: Groups, *notes: str) -> Table:
    """The table with these columns as lists."""
    return table.with_values((_gathered(row.values, groups) for row in table.rows), *notes)


def note_of(groups: Groups) -> str:
    """Which columns were read as which field."""
    read = [
        f"{listed([repr(column.name) for column in group], most=3)} as {field}"
        for field, group in groups.items()
    ]
    return f"read {'; '.join(read)}"


def _groups(columns: Sequence[str]) -> dict[str, list[Numbered]]:
    """The numbered columns of each field, in order, if they count from 0 or 1 and have one name."""
    named: dict[tuple[str, str], list[Numbered]] = {}
    for column in columns:
        matched = _NUMBERED.fullmatch(folded(column))
        field = None if matched is None else _field(matched["stem"], matched["beside"])
        if matched is not None and field is not None:
            numbered = Numbered(column, field, int(matched["number"]))
            named.setdefault((field, matched["stem"]), []).append(numbered)
    groups: dict[str, list[Numbered]] = {}
    for (field, _), group in named.items():
        group.sort(key=lambda column: column.number)
        first = group[0].number
        counts = [column.number - first for column in group] == list(range(len(group)))
        if counts and first in (0, 1) and field not in groups:
            groups[field] = group
    if "contexts" not in groups:  # ids and scores of something else
        groups = {field: group for field, group in groups.items() if field not in BESIDE.values()}
    return groups


def _field(stem: str, beside: str | None) -> str | None:
    """The list field that a name without its number means.

    >>> _field("context", None), _field("chunk", "id"), _field("chunk_score", None), _field("year", None)
    ('contexts', 'context_ids', 'context_scores', None)
    """
    for word, field in BESIDE.items():
        if beside is None and stem.endswith(f"_{word}"):
            stem, beside = stem.removesuffix(f"_{word}"), word
        if beside == word:
            return field if _field(stem, None) == "contexts" else None
    fields = (field_of(stem), field_of(f"{stem}s"))
    return next((field for field in fields if field in LISTS), None)


def _gathered(given: Mapping[str, object], groups: Groups) -> dict[str, object]:
    taken = {column.name for group in groups.values() for column in group}
    values = {name: value for name, value in given.items() if name not in taken}
    texts = {column.number for column in groups.get("contexts", ()) if _is_filled(given, column)}
    for field, group in groups.items():
        is_context = field == "contexts" or field in BESIDE.values()
        filled = [
            given.get(column.name)
            for column in group
            if (column.number in texts if is_context else _is_filled(given, column))
        ]
        if field in BESIDE.values() and any(value in (None, "") for value in filled):
            values[field] = None
        elif field == "context_scores":
            values[field] = [score_of(value) for value in filled]
        else:
            values[field] = filled if filled or is_context else None
    return values


def _is_filled(given: Mapping[str, object], column: Numbered) -> bool:
    value = given.get(column.name)
    return value is not None and not (isinstance(value, str) and not value.strip())
