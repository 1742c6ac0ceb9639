"""Read contexts given as objects, as LangChain, LlamaIndex and most retrievers return them.

The text is taken from each object; ids and scores are taken if every context of a row has them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from ragauge.errors import Problem
from ragauge.loaders.table import listed
from ragauge.sample import Row

TEXT_KEYS = ("text", "page_content", "content", "passage", "passage_text", "chunk")
ID_KEYS = ("id", "_id", "doc_id", "docid", "document_id", "chunk_id", "passage_id")
SCORE_KEYS = ("score", "similarity", "similarity_score", "relevance_score")


@dataclass(frozen=True, slots=True)
class _Passage:
    """The parts of a context; None for a missing one."""

    text: object
    id: object = None
    score: object = None


def unpack_contexts(
    rows: Sequence[Row], problems: list[Problem]
) -> tuple[list[Row], tuple[str, ...]]:
    """The rows with contexts as texts, and notes on what was taken and left out."""
    unread: dict[str, None] = {}
    filled: set[str] = set()
    unpacked: list[Row] = []
    for row in rows:
        values: dict[str, object] = {}
        for name in ("contexts", "gold_contexts"):
            passages = _passages(row, name, problems, unread)
            if passages is None:
                continue
            values[name] = [passage.text for passage in passages]
            if name == "contexts":
                values |= _beside_texts(passages, row)
        filled |= values.keys() - {"contexts", "gold_contexts"}
        unpacked.append(Row({**row.values, **values}, row.source, row.line) if values else row)
    notes = [f"left out of the contexts: {listed(list(unread))}"] if unread else []
    if filled:
        notes.append(f"took {' and '.join(sorted(filled))} from the objects in contexts")
        unpacked = [_with_empty_ids(row, filled) for row in unpacked]
    return unpacked, tuple(notes)


def _passages(
    row: Row, name: str, problems: list[Problem], unread: dict[str, None]
) -> list[_Passage] | None:
    """The row's contexts, or None if none of them is an object."""
    given = row.values.get(name)
    if not isinstance(given, list | tuple | Mapping):
        return None
    is_one = isinstance(given, Mapping)
    items = cast(Sequence[object], (given,) if is_one else given)
    if not any(isinstance(item, Mapping) for item in items):
        return None
    passages: list[_Passage] = []
    for number, item in enumerate(items, start=1):
        passage = _passage(item, unread)
        if passage is None:
            keys = listed([repr(key) for key in cast(Mapping[str, object], item)])
            problem = f"item {number} has no text under {', '.join(TEXT_KEYS)}; its keys are {keys}"
            id = row.values.get("id")
            id = id if isinstance(id, str) else None
            problems.append(Problem(problem, row.source, row.line, name, id))
            return []
        passages.append(passage)
    return passages


def _passage(item: object, unread: dict[str, None]) -> _Passage | None:
    if not isinstance(item, Mapping):
        return _Passage(item)
    parts = cast(Mapping[str, object], item)
    text, id, score = (_first(parts, keys) for keys in (TEXT_KEYS, ID_KEYS, SCORE_KEYS))
    if text is None:
        return None
    unread |= dict.fromkeys(repr(key) for key in parts if key not in (text, id, score))
    return _Passage(
        parts[text], None if id is None else parts[id], None if score is None else parts[score]
    )


def _first(parts: Mapping[str, object], keys: Sequence[str]) -> str | None:
    return next((key for key in keys if parts.get(key) is not None), None)


def _beside_texts(passages: Sequence[_Passage], row: Row) -> dict[str, object]:
    """The ids and scores that every passage has and the row does not."""
    columns: dict[str, list[object]] = {
        "context_ids": [passage.id for passage in passages],
        "context_scores": [passage.score for passage in passages],
    }
    return {
        name: column
        for name, column in columns.items()
        if row.values.get(name) is None and None not in column
    }


def _with_empty_ids(row: Row, filled: set[str]) -> Row:
    """The row with empty ids where its contexts are empty, as other rows have ids."""
    if row.values.get("contexts") != []:
        return row
    nothing: list[object] = []
    unavailable = {name: nothing for name in sorted(filled) if row.values.get(name) is None}
    return Row({**row.values, **unavailable}, row.source, row.line) if unavailable else row
