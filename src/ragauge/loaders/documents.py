"""Recognise retrieved documents by their shape: mappings and objects with a text, an id and a score.

LangChain's Document (page_content), LlamaIndex's nodes (node with a score), Haystack's Document
(content, meta), hits of search engines (_source, payload) and OpenInference's document.content all
have this shape. Nothing is imported.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import cast

from ragauge.loaders.values import items_in, mapping_in, named_values, value_of
from ragauge.samples.samples import Row

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
"""Where a document with a score keeps the document itself."""
PREFIX = "document."
"""OpenInference writes document.content, document.id and document.score."""
TEMPLATES = frozenset({
    "type", "class_name", "mimetype", "text_template", "metadata_template", "metadata_separator",
    "metadata_seperator", "excluded_embed_metadata_keys", "excluded_llm_metadata_keys", "lc",
    "text_resource",
})  # fmt: skip
"""Settings of the tools' classes, which are no content."""


ORIGIN_KEYS = (
    "source_id", "source", "file_name", "filename", "file_path", "path", "url", "uri", "doc_uri", "title",
)  # fmt: skip
"""Parts that name the document a text is from; several texts may share one."""
_ORIGINS = frozenset(ORIGIN_KEYS)
_NAMES = frozenset((*ID_KEYS, *ORIGIN_KEYS))
GENERATED = re.compile(
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{32}|[0-9a-f]{64}", re.IGNORECASE
)
"""A UUID, or a hash as Haystack makes it of a document's content."""

Searched = tuple[Row, Sequence[object], Sequence[Mapping[str, object]]]
"""A row, the own ids of its contexts, and their parts."""


def parts_of(item: object, depth: int = 3) -> Mapping[str, object] | None:
    """The named parts of a document, its own and those of the document in it; None without a text.

    >>> parts_of({"document": {"content": "Paris"}, "score": 0.5})
    {'content': 'Paris', 'score': 0.5}
    >>> parts_of({"url": "x"}) is None
    True
    """
    if is_list(item):
        # (document, score), as LangChain's similarity_search_with_score returns.
        pair = cast(Sequence[object], item)
        if len(pair) != 2 or isinstance(pair[1], bool) or not isinstance(pair[1], int | float):
            return None
        if isinstance(pair[0], str):
            return {"text": pair[0], "score": pair[1]}
        inner = None if depth == 0 else parts_of(pair[0], depth - 1)
        return None if inner is None else {**inner, "score": pair[1]}
    parts: Mapping[str, object] | None = named_values(item)
    if isinstance(item, Mapping):
        parts = cast(Mapping[str, object], item)
        names = [name for name in parts if isinstance(cast(object, name), str)]
        if any(name.startswith(PREFIX) for name in names):
            parts = {name.removeprefix(PREFIX): parts[name] for name in names}
    if parts is None or has_text(parts) or depth == 0:
        return parts if parts is not None and has_text(parts) else None
    for key in INNER_KEYS:
        inner = None if isinstance(parts.get(key), str) else parts_of(parts.get(key), depth - 1)
        if inner is not None and key == "kwargs":  # LangChain's dump; its id names the class
            return inner
        if inner is not None:
            own = {name: value for name, value in parts.items() if name != key}
            return {**inner, **{name: value for name, value in own.items() if value is not None}}
    # LlamaIndex's documents have their text in a property and not in a field.
    texts = {key: value_of(cast(object, item), key) for key in TEXT_KEYS[:4]}
    texts = {key: text for key, text in texts.items() if isinstance(text, str)}
    return {**parts, **texts} if texts else None


def is_list(item: object) -> bool:
    """Whether it is a list or a tuple without names."""
    return isinstance(item, list | tuple) and not hasattr(cast(object, item), "_fields")


def has_text(parts: Mapping[str, object]) -> bool:
    """Whether one of the parts can be the document's text."""
    return any(isinstance(parts.get(key), str) for key in TEXT_KEYS)


def score_of(value: object) -> object:
    """The number that a cell of a table holds as text; other values as they are.

    >>> score_of("0.5"), score_of(0.5), score_of("high")
    (0.5, 0.5, 'high')
    """
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


def documents_of_columns(result: object) -> list[dict[str, object]] | None:
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


def id_part(searched: Sequence[Searched]) -> str | None:
    """The part that is the id of all retrieved documents; None for the documents' own ids.

    That is the one that the judgements of the rows name; else the documents' own, unless all of them are
    generated: frameworks give every chunk an id of its own, often a random UUID or a hash of its text, and
    the id that judgements use is then in the metadata. Where there is no own id, an id in the metadata is
    used, or the name of the source. A part counts only if every document has it.
    """
    own = [id for _, ids, _ in searched for id in ids]
    has_own = any(id is not None for id in own)
    is_named = has_own and not all(isinstance(id, str) and GENERATED.fullmatch(id) for id in own)
    judged: list[tuple[set[str], Sequence[object], Sequence[Mapping[str, object]]]] = []
    for row, ids, documents in searched:
        relevant = row.values.get("relevant")
        items = mapping_in(relevant) or items_in(relevant)
        if named := {str(mapping_in(item).get("id", item)) for item in items}:
            judged.append((named, ids, documents))
    if not own or (is_named and not judged):
        return None
    if any(str(id) in named for named, ids, _ in judged for id in ids):
        return None
    parts = [each for _, _, several in searched for each in several]
    shared = set(_named(parts[0]))
    for each in parts:
        shared &= _named(each).keys()
        if not shared:
            break
    in_order = [key for key in (*ID_KEYS, *ORIGIN_KEYS) if key in shared]
    for key in in_order:
        if any(str(id_of(each, key)) in named for named, _, some in judged for each in some):
            return key
    usable = [key for key in in_order if key in ID_KEYS] if has_own else in_order
    return usable[0] if usable and not is_named else None


def id_of(parts: Mapping[str, object], key: str) -> object:
    """The id of a document that is its part `key`."""
    return _named(parts).get(key)


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
