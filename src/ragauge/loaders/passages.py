"""Read contexts given as objects, as LangChain, LlamaIndex, Haystack and most retrievers return them.

The text is taken from each object; ids and scores are taken if every context of a row has them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from ragauge.errors import Problem
from ragauge.loaders.documents import (
    ID_KEYS,
    SCORE_KEYS,
    TEMPLATES,
    TEXT_KEYS,
    Searched,
    documents_of_columns,
    id_of,
    id_part,
    is_list,
    parts_of,
    score_of,
)
from ragauge.loaders.formats.frames import plain
from ragauge.loaders.formats.printed import PrintedArray
from ragauge.loaders.table import listed
from ragauge.loaders.values import items_in, mapping_in, named_values, value_of
from ragauge.samples.samples import Row

CONTAINER_KEYS = ("source_nodes", "documents", "nodes", "matches", "points", "hits")
"""Where the result of a search keeps its documents."""

SPAN = ("document", "start", "end")
"""Where a gold context of ours is in its document: of use to people, and nothing that a metric reads."""


@dataclass(frozen=True, slots=True)
class Passage:
    """The parts of a context; None for a missing one. `parts` has the rest."""

    text: object
    id: object = None
    score: object = None
    parts: Mapping[str, object] = field(default_factory=dict[str, object])
    unread: tuple[str, ...] = ()


@dataclass(slots=True)
class ContextParts:
    """What was taken from contexts that are objects, in all rows read so far, and what was left out.

    `keys`: the parts that were the id, None for the documents' own; one unless the rows disagree.
    """

    filled: set[str] = field(default_factory=set[str])
    keys: set[str | None] = field(default_factory=set[str | None])
    unread: dict[str, None] = field(default_factory=dict[str, None])
    incomplete: dict[str, int] = field(default_factory=dict[str, int])
    printed: dict[str, int] = field(default_factory=dict[str, int])
    """Fields that numpy printed, and in how many rows."""

    def read(self, rows: Sequence[Row], problems: list[Problem]) -> list[Row]:
        """The rows with contexts as texts."""
        found = [
            {name: _passages(row, name, problems) for name in ("contexts", "gold_contexts")}
            for row in rows
        ]
        searched: list[Searched] = []
        for row, both in zip(rows, found, strict=True):
            for name, value in row.values.items():
                if isinstance(value, PrintedArray):
                    self.printed[name] = self.printed.get(name, 0) + 1
            if (passages := both["contexts"]) and row.values.get("context_ids") is None:
                searched.append((row, [p.id for p in passages], [p.parts for p in passages]))
        key = id_part(searched)
        if searched:
            self.keys.add(key)
        read: list[Row] = []
        for row, both in zip(rows, found, strict=True):
            values: dict[str, object] = {}
            for name, passages in both.items():
                if passages is None:
                    continue
                values[name] = [passage.text for passage in passages]
                if name == "contexts":
                    ids = [p.id if key is None else id_of(p.parts, key) for p in passages]
                    values |= self._beside_texts("context_ids", ids, row)
                    scores = [score_of(passage.score) for passage in passages]
                    values |= self._beside_texts("context_scores", scores, row)
                own = SPAN if name == "gold_contexts" else ()
                unread = (part for passage in passages for part in passage.unread)
                self.unread |= {repr(part): None for part in unread if part not in own}
            self.filled |= values.keys() - {"contexts", "gold_contexts"}
            read.append(Row({**row.values, **values}, row.source, row.line) if values else row)
        if not self.filled:
            return read
        for at, row in enumerate(read):  # empty contexts have empty ids, as other rows have ids
            if row.values.get("contexts") == []:
                missing = (name for name in sorted(self.filled) if row.values.get(name) is None)
                values = {**row.values, **{name: [] for name in missing}}
                read[at] = Row(values, row.source, row.line)
        return read

    def _beside_texts(self, name: str, column: list[object], row: Row) -> dict[str, object]:
        """The ids or scores, if every passage has one and the row has none."""
        if row.values.get(name) is not None:
            return {}
        if 0 < column.count(None) < len(column):
            self.incomplete[name] = self.incomplete.get(name, 0) + 1
        return {} if None in column else {name: column}

    def notes(self) -> tuple[str, ...]:
        """What was taken from the objects and what was left out."""
        key = next((key for key in self.keys if key is not None), None)
        unread = [name for name in self.unread if key is None or name != repr(key)]
        notes = [f"left out of the contexts: {listed(unread)}"] if unread else []
        if self.filled:
            where = f"; context_ids are their {key!r}" if key is not None else ""
            notes.append(
                f"took {' and '.join(sorted(self.filled))} from the objects in contexts{where}"
            )
        notes += [
            f"{name} not taken in {count:,} rows: not every context there has one"
            for name, count in self.incomplete.items()
        ]
        notes += [
            f'read {name} as numpy prints an array in {n:,} row{"s" * (n != 1)}; JSON is safer: ["…", "…"]'
            for name, n in self.printed.items()
        ]
        return tuple(notes)


def _passages(row: Row, name: str, problems: list[Problem]) -> list[Passage] | None:
    """The row's contexts, or None if none of them is an object."""
    items = _items(row.values.get(name))
    if items is None:
        return None
    passages: list[Passage] = []
    for number, item in enumerate(items, start=1):
        parts = None if item is None or isinstance(item, str | int | float) else parts_of(item)
        if parts is None and _is_object(item):
            keys = listed([repr(key) for key in named_values(item) or mapping_in(item)])
            kind = "" if isinstance(item, Mapping) else f"is a {type(item).__name__} that "
            text = f"{kind}has no text under {', '.join(TEXT_KEYS)}; its keys are {keys}"
            id = row.values.get("id")
            id = id if isinstance(id, str) else None
            problems.append(Problem(f"item {number} {text}", row.source, row.line, name, id))
            return []
        passages.append(Passage(item) if parts is None else _passage(parts))
    return passages


def _items(given: object) -> Sequence[object] | None:
    """The contexts if one of them is an object, or they are no list yet; None for other values."""
    if given is None or isinstance(given, str | int | float):
        return None
    if isinstance(given, Iterator):
        return list(cast(Iterator[object], given))
    if isinstance(given, list | tuple):
        items = cast(Sequence[object], given)
        return items if any(map(_is_object, items)) else None
    if (columns := documents_of_columns(given)) is not None:
        return columns
    if parts_of(given) is None:
        for key in CONTAINER_KEYS:  # the result of a search
            if isinstance(inner := value_of(given, key), list | tuple):
                return _items(cast(object, inner)) or items_in(cast(object, inner))
    return (given,) if _is_object(given) else None


def _is_object(item: object) -> bool:
    if item is None or isinstance(item, str | int | float):
        return False
    if is_list(item):
        return parts_of(item) is not None
    return isinstance(item, Mapping) or named_values(item) is not None


def _passage(parts: Mapping[str, object]) -> Passage:
    taken = [
        next((key for key in keys if parts.get(key) is not None), None)
        for keys in (TEXT_KEYS, ID_KEYS, SCORE_KEYS)
    ]
    unread = tuple(
        key
        for key, value in parts.items()
        if key not in taken
        and key not in TEMPLATES
        and value is not None
        and not (isinstance(value, Mapping | list | tuple | str) and not value)
    )
    values = (None if key is None else plain(parts[key]) for key in taken)
    return Passage(*values, parts=parts, unread=unread)
