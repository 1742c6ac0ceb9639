"""Choose which part of the retrieved documents is their id, the same part for all of them.

Frameworks give every chunk an id of their own, often a random UUID or a hash of its text; the id that
judgements use is then in the metadata.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from ragauge.loaders.documents import ID_KEYS, METADATA_KEYS
from ragauge.samples.samples import Row

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


@dataclass(frozen=True, slots=True)
class ChosenId:
    """The part that is the id; None where the documents' own ids are used."""

    key: str | None = None

    def id_of(self, parts: Mapping[str, object]) -> object:
        return None if self.key is None else _named(parts).get(self.key)


def choose_ids(searched: Sequence[Searched]) -> ChosenId:
    """The id to use: the one that the judgements of the rows name; else the documents' own.

    Own ids that are all generated give way to an id in the metadata. Where there is no own id, an id
    in the metadata is used, or the name of the source. A part counts only if every document has it.
    """
    own = [id for _, ids, _ in searched for id in ids]
    has_own = any(id is not None for id in own)
    is_named = has_own and not all(isinstance(id, str) and GENERATED.fullmatch(id) for id in own)
    judged = [_judged_ids(row) for row, _, _ in searched]
    if not own or (is_named and not any(judged)):
        return ChosenId()
    shared = _shared([parts for _, _, documents in searched for parts in documents])
    if found := _judged(searched, judged, shared):
        return found
    usable = [key for key in shared if key in ID_KEYS] if has_own else shared
    return ChosenId(usable[0]) if usable and not is_named else ChosenId()


def _shared(documents: Sequence[Mapping[str, object]]) -> list[str]:
    """The ids and origins that every document has, ids first."""
    shared = set(_named(documents[0]))
    for parts in documents:
        shared &= _named(parts).keys()
        if not shared:
            break
    return [key for key in (*ID_KEYS, *ORIGIN_KEYS) if key in shared]


def _judged(
    searched: Sequence[Searched], judged: Sequence[set[str]], shared: Sequence[str]
) -> ChosenId | None:
    """The first kind of id that names a judged document; own ids come first."""
    known = [
        (relevant, ids, documents)
        for relevant, (_, ids, documents) in zip(judged, searched, strict=True)
        if relevant
    ]
    if any(str(id) in relevant for relevant, ids, _ in known for id in ids):
        return ChosenId()
    for key in shared:
        chosen = ChosenId(key)
        if any(str(chosen.id_of(own)) in relevant for relevant, _, parts in known for own in parts):
            return chosen
    return None


def _judged_ids(row: Row) -> set[str]:
    relevant = row.values.get("relevant")
    if isinstance(relevant, Mapping):
        return {str(id) for id in cast(Mapping[object, object], relevant)}
    if not isinstance(relevant, list | tuple):
        return set()
    ids: list[object] = [
        cast(Mapping[str, object], item).get("id") if isinstance(item, Mapping) else item
        for item in cast(Sequence[object], relevant)
    ]
    return {str(id) for id in ids}


def _named(parts: Mapping[str, object]) -> dict[str, object]:
    """The ids and origins in the metadata, and the origins beside the text."""
    named = {key: value for key, value in parts.items() if key in _ORIGINS and _is_name(value)}
    for holder in METADATA_KEYS:
        if parts.get(holder) is not None:
            metadata = _mapping(parts[holder])
            named |= {
                key: part for key, part in metadata.items() if key in _NAMES and _is_name(part)
            }
    return named


def _is_name(value: object) -> bool:
    if isinstance(value, str):
        return bool(value.strip())
    return isinstance(value, int) and not isinstance(value, bool)


def _mapping(value: object) -> Mapping[str, object]:
    """The metadata; OpenInference writes it as JSON text."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return cast(Mapping[str, object], value) if isinstance(value, Mapping) else {}
