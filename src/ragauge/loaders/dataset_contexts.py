"""Read the contexts that published data sets nest: HotpotQA's paragraphs, MS MARCO's columns, AutoRAG's ids."""

from collections.abc import Mapping, Sequence
from typing import cast

from ragauge.loaders.documents import TEXT_KEYS
from ragauge.loaders.mapping import field_of

Values = dict[str, object]


def titled_contexts(values: Values, notes: dict[str, None]) -> None:
    """HotpotQA's paragraphs: a title and sentences each; supporting facts name the titles."""
    paragraphs = _paragraphs(values.get("context"))
    if paragraphs is None or has_field(values, "contexts", but="context"):
        return
    del values["context"]
    values["contexts"] = [" ".join(part.strip() for part in parts) for _, parts in paragraphs]
    values["context_ids"] = [title for title, _ in paragraphs]
    notes["'context' as contexts, with the titles as context_ids"] = None
    facts = values.get("supporting_facts")
    titles = (
        texts_in(cast(Mapping[str, object], facts).get("title"))
        if isinstance(facts, Mapping)
        else _titles(facts)
    )
    if titles and not has_field(values, "relevant"):
        del values["supporting_facts"]
        values["relevant"] = dict.fromkeys(titles, 1)
        notes["'supporting_facts' as relevant"] = None


def _paragraphs(context: object) -> list[tuple[str, list[str]]] | None:
    if isinstance(context, Mapping):
        named = cast(Mapping[str, object], context)
        titles, sentences = texts_in(named.get("title")), named.get("sentences")
        if titles is None or not isinstance(sentences, list | tuple):
            return None
        pairs: Sequence[object] = list(zip(titles, cast(Sequence[object], sentences), strict=False))
    elif isinstance(context, list | tuple):
        pairs = cast(Sequence[object], context)
    else:
        return None
    found: list[tuple[str, list[str]]] = []
    for pair in pairs:
        if not isinstance(pair, list | tuple) or len(cast(Sequence[object], pair)) != 2:
            return None
        title, parts = cast(Sequence[object], pair)
        texts = texts_in(parts)
        if not isinstance(title, str) or texts is None:
            return None
        found.append((title, texts))
    return found or None


def _titles(facts: object) -> list[str] | None:
    if not isinstance(facts, list | tuple):
        return None
    titles = [
        cast(Sequence[object], fact)[0] if isinstance(fact, list | tuple) and fact else None
        for fact in cast(Sequence[object], facts)
    ]
    if not titles or not all(isinstance(title, str) for title in titles):
        return None
    return cast(list[str], titles)


def columns_of_passages(values: Values, notes: dict[str, None]) -> None:
    """MS MARCO's passages: an object of columns; the selected ones are gold."""
    given = values.get("passages")
    if not isinstance(given, Mapping):
        return
    columns = cast(Mapping[str, object], given)
    texts = next((found for key in TEXT_KEYS if (found := texts_in(columns.get(key)))), None)
    if texts is None or has_field(values, "contexts", but="passages"):
        return
    del values["passages"]
    values["contexts"] = texts
    notes["the texts of 'passages' as contexts"] = None
    selected = columns.get("is_selected")
    marks = cast(list[object], selected) if isinstance(selected, list) else []
    if len(marks) == len(texts) and not has_field(values, "gold_contexts"):
        values["gold_contexts"] = [text for text, mark in zip(texts, marks, strict=True) if mark]
        notes["the selected ones as gold_contexts"] = None


def grouped_ids(values: Values, notes: dict[str, None]) -> None:
    """AutoRAG's retrieval_gt: groups of ids."""
    given = values.get("retrieval_gt")
    if not isinstance(given, list | tuple) or has_field(values, "relevant"):
        return
    ids: list[str] = []
    for group in cast(Sequence[object], given):
        texts = [group] if isinstance(group, str) else texts_in(group)
        if texts is None:
            return
        ids += texts
    del values["retrieval_gt"]
    values["relevant"] = list(dict.fromkeys(ids))
    notes["'retrieval_gt' as relevant"] = None


def texts_in(value: object) -> list[str] | None:
    """A list of texts; None for anything else, and for an empty list."""
    if not isinstance(value, list | tuple) or not value:
        return None
    items = cast(Sequence[object], value)
    return cast(list[str], list(items)) if all(isinstance(item, str) for item in items) else None


def has_field(values: Mapping[str, object], field: str, but: str = "") -> bool:
    """Whether another column gives the field a value."""
    return any(
        name != but and value is not None and field_of(name) == field
        for name, value in values.items()
    )
