"""Recognise retrieved documents by their shape: mappings and objects with a text, an id and a score.

LangChain's Document (page_content), LlamaIndex's nodes (node with a score), Haystack's Document
(content, meta), hits of search engines (_source, payload) and OpenInference's document.content all
have this shape. Nothing is imported.
"""

from collections.abc import Mapping, Sequence
from typing import cast

from ragauge.loaders.values import named_values, value_of

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


def parts_of(item: object, depth: int = 3) -> Mapping[str, object] | None:
    """The named parts of a document, its own and those of the document in it; None without a text.

    >>> parts_of({"document": {"content": "Paris"}, "score": 0.5})
    {'content': 'Paris', 'score': 0.5}
    >>> parts_of({"url": "x"}) is None
    True
    """
    if is_list(item):
        return _scored_pair(cast(Sequence[object], item), depth)
    parts = _own_parts(item)
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
    texts = {key: value_of(item, key) for key in TEXT_KEYS[:4]}
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
        if isinstance(column, list) and column:
            items = cast(list[object], column)
            if isinstance(items[0], list) and len(items) > 1:
                return None
            columns[name] = cast(list[object], items[0]) if isinstance(items[0], list) else items
    names = {"ids": "id", "documents": "text", "metadatas": "metadata"}
    n_documents = len(columns.get("documents", ()))
    columns = {name: column for name, column in columns.items() if len(column) == n_documents}
    return [
        {names.get(name, name): column[place] for name, column in columns.items()}
        for place in range(n_documents)
    ]


def _scored_pair(pair: Sequence[object], depth: int) -> Mapping[str, object] | None:
    """(document, score), as LangChain's similarity_search_with_score returns."""
    if len(pair) != 2 or isinstance(pair[1], bool) or not isinstance(pair[1], int | float):
        return None
    document, score = pair
    if isinstance(document, str):
        return {"text": document, "score": score}
    parts = None if depth == 0 else parts_of(document, depth - 1)
    return None if parts is None else {**parts, "score": score}


def _own_parts(item: object) -> Mapping[str, object] | None:
    if isinstance(item, Mapping):
        named = cast(Mapping[object, object], item)
        if not any(isinstance(name, str) and name.startswith(PREFIX) for name in named):
            return cast(Mapping[str, object], item)
        return {
            name.removeprefix(PREFIX): value
            for name, value in named.items()
            if isinstance(name, str)
        }
    return named_values(item)
