"""Recognise retrieved documents of any tool by their shape, mappings and objects with a text, an id and a score, and read contexts of them."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from ragauge.errors import Problem
from ragauge.loaders.table import (
    PrintedArray,
    items_in,
    listed,
    mapping_in,
    named_values,
    plain,
    value_of,
)
from ragauge.samples.fields import Row

TEXT_KEYS = (
    "text", "page_content", "pageContent", "content", "passage", "passage_text", "chunk",
    "contents", "chunk_text", "paragraph_text", "document_text", "body", "page_snippet", "snippet",
)  # fmt: skip
ID_KEYS = (
    "id", "_id", "id_", "node_id", "doc_id", "docid", "docno", "pid", "document_id", "chunk_id",
    "passage_id",
)  # fmt: skip
SCORE_KEYS = ("score", "_score", "similarity", "similarity_score", "relevance_score")
METADATA_KEYS = ("metadata", "meta", "payload", "_source")
INNER_KEYS = ("node", "document", "_source", "payload", "kwargs", "data")
PREFIX = "document."  # of OpenInference's document.content, document.id and document.score
TEMPLATES = frozenset({
    "type", "class_name", "mimetype", "text_template", "metadata_template", "metadata_separator",
    "metadata_seperator", "excluded_embed_metadata_keys", "excluded_llm_metadata_keys", "lc",
    "text_resource",
})  # fmt: skip
ORIGIN_KEYS = (  # the document a text is from; several texts may share one
    "source_id", "source", "file_name", "filename", "file_path", "path", "url", "uri", "doc_uri", "title",
)  # fmt: skip
_ORIGINS = frozenset(ORIGIN_KEYS)
_NAMES = _ORIGINS.union(ID_KEYS)
GENERATED = re.compile(  # a UUID, or a hash as Haystack makes it of a document's content
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{32}|[0-9a-f]{64}", re.IGNORECASE
)
CONTAINER_KEYS = ("source_nodes", "documents", "nodes", "matches", "points", "hits")  # of searches
SPAN = ("document", "start", "end")  # of a gold context: for people, no metric reads it


def parts_of(item: object, depth: int = 3) -> Mapping[str, object] | None:
    """The named parts of a document, its own and those of the document in it; None without a text."""
    if is_list(item):  # (document, score), as LangChain's similarity_search_with_score returns
        pair = cast(Sequence[object], item)
        if len(pair) != 2 or isinstance(pair[1], bool) or not isinstance(pair[1], int | float):
            return None
        text = {"text": pair[0]} if isinstance(pair[0], str) else None
        inner = text or (parts_of(pair[0], depth - 1) if depth else None)
        return None if inner is None else {**inner, "score": pair[1]}
    parts: Mapping[str, object] | None = named_values(item)
    if isinstance(item, Mapping):
        parts = cast(Mapping[str, object], item)
        names = [name for name in parts if isinstance(cast(object, name), str)]
        if any(name.startswith(PREFIX) for name in names):
            parts = {name.removeprefix(PREFIX): parts[name] for name in names}
    has_text = parts is not None and any(isinstance(parts.get(key), str) for key in TEXT_KEYS)
    if parts is None or has_text or depth == 0:
        return parts if has_text else None
    for key in INNER_KEYS:
        inner = None if isinstance(parts.get(key), str) else parts_of(parts.get(key), depth - 1)
        if inner is not None and key == "kwargs":  # LangChain's dump; its id names the class
            return inner
        if inner is not None:
            own = {name: each for name, each in parts.items() if name != key and each is not None}
            return {**inner, **own}
    # LlamaIndex's documents have their text in a property and not in a field.
    given = {key: value_of(cast(object, item), key) for key in TEXT_KEYS[:4]}
    texts = {key: text for key, text in given.items() if isinstance(text, str)}
    return {**parts, **texts} if texts else None


def is_list(item: object) -> bool:
    """Whether it is a list or a tuple without names."""
    return isinstance(item, list | tuple) and not hasattr(cast(object, item), "_fields")


def score_of(value: object) -> object:
    """The number that a cell of a table holds as text; other values as they are."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _documents_of_columns(result: object) -> list[dict[str, object]] | None:
    """The documents of a result by columns, as Chroma returns for one query; None for others."""
    if not isinstance(result, Mapping) or not {"ids", "documents"} <= result.keys():
        return None
    columns: dict[str, Sequence[object]] = {}
    for name, column in cast(Mapping[str, object], result).items():
        items = items_in(column)
        if items and isinstance(items[0], list):
            if len(items) > 1:
                return None
            items = items_in(cast(object, items[0]))
        columns[name] = items
    names = {"ids": "id", "documents": "text", "metadatas": "metadata"}
    n = len(columns["documents"])
    whole = {names.get(name, name): column for name, column in columns.items() if len(column) == n}
    return [{name: column[at] for name, column in whole.items()} for at in range(n)]


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
    `printed`: fields that numpy printed, and in how many rows.
    """

    filled: set[str] = field(default_factory=set[str])
    keys: set[str | None] = field(default_factory=set[str | None])
    unread: dict[str, None] = field(default_factory=dict[str, None])
    incomplete: Counter[str] = field(default_factory=Counter[str])
    printed: Counter[str] = field(default_factory=Counter[str])

    def read(self, rows: Sequence[Row], problems: list[Problem]) -> list[Row]:
        """The rows with contexts as texts."""
        found = [
            {name: _passages(row, name, problems) for name in ("contexts", "gold_contexts")}
            for row in rows
        ]
        searched: list[tuple[Row, list[Passage]]] = []
        for row, both in zip(rows, found, strict=True):
            for name, value in row.values.items():
                if isinstance(value, PrintedArray):
                    self.printed[name] += 1
            if (passages := both["contexts"]) and row.values.get("context_ids") is None:
                searched.append((row, passages))
        key = _id_part(searched)
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
                    ids = [p.id if key is None else _named(p.parts).get(key) for p in passages]
                    scores = [score_of(passage.score) for passage in passages]
                    for beside, column in (("context_ids", ids), ("context_scores", scores)):
                        if row.values.get(beside) is None:  # taken if every passage has one
                            self.incomplete[beside] += 0 < column.count(None) < len(column)
                            values |= {} if None in column else {beside: column}
                own = SPAN if name == "gold_contexts" else ()
                unread = (part for passage in passages for part in passage.unread)
                self.unread |= {repr(part): None for part in unread if part not in own}
            self.filled |= values.keys() - {"contexts", "gold_contexts"}
            read.append(Row({**row.values, **values}, row.source, row.line) if values else row)
        for at, row in enumerate(read if self.filled else ()):
            if row.values.get("contexts") == []:  # has empty ids, as other rows have ids
                missing = (name for name in sorted(self.filled) if row.values.get(name) is None)
                values = {**row.values, **{name: [] for name in missing}}
                read[at] = Row(values, row.source, row.line)
        return read

    def notes(self) -> list[str]:
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
            if count
        ]
        notes += [
            f'read {name} as numpy prints an array in {n:,} row{"s" * (n != 1)}; JSON is safer: ["…", "…"]'
            for name, n in self.printed.items()
        ]
        return notes


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
    if (columns := _documents_of_columns(given)) is not None:
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
    text, id, score = (None if key is None else plain(parts[key]) for key in taken)
    return Passage(text, id, score, parts, unread)


def _id_part(searched: Sequence[tuple[Row, Sequence[Passage]]]) -> str | None:
    """The part that is the id of all retrieved documents; None for the documents' own ids."""
    passages = [passage for _, several in searched for passage in several]
    own = [passage.id for passage in passages]
    has_own = any(id is not None for id in own)
    is_named = has_own and not all(isinstance(id, str) and GENERATED.fullmatch(id) for id in own)
    judged: list[tuple[set[str], Sequence[Passage]]] = []
    for row, several in searched:
        relevant = row.values.get("relevant")
        items = mapping_in(relevant) or items_in(relevant)
        if named := {str(mapping_in(item).get("id", item)) for item in items}:
            judged.append((named, several))
    if not passages or (is_named and not judged):
        return None
    if any(str(passage.id) in named for named, several in judged for passage in several):
        return None
    shared = set(_NAMES)
    for passage in passages:
        if not (shared := shared & _named(passage.parts).keys()):
            break
    in_order = [key for key in (*ID_KEYS, *ORIGIN_KEYS) if key in shared]
    for key in in_order:
        if any(
            str(_named(each.parts).get(key)) in named for named, some in judged for each in some
        ):
            return key
    usable = [key for key in in_order if key in ID_KEYS] if has_own else in_order
    return usable[0] if usable and not is_named else None


def _named(parts: Mapping[str, object]) -> dict[str, object]:
    """The ids and origins in the metadata, and the origins beside the text."""
    named = {key: value for key, value in parts.items() if key in _ORIGINS and _is_name(value)}
    for holder in METADATA_KEYS:
        metadata = parts.get(holder)
        if isinstance(metadata, str) and metadata.lstrip().startswith("{"):
            try:
                metadata = json.loads(metadata)  # as OpenInference writes it
            except (ValueError, RecursionError):
                continue
        if isinstance(metadata, Mapping):
            given = cast(Mapping[str, object], metadata).items()
            named |= {key: part for key, part in given if key in _NAMES and _is_name(part)}
    return named


def _is_name(value: object) -> bool:
    if isinstance(value, str):
        return bool(value.strip())
    return isinstance(value, int) and not isinstance(value, bool)
