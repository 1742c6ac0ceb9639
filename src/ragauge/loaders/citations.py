"""Read the passages that support an answer: citations of its sentences, evidence of the expected one.

TREC's RAG track writes an answer as sentences with citations; MuSiQue, MultiHop-RAG, FinanceBench and
GraphRAG-Bench keep the passages behind the expected answer as evidence.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import cast

from ragauge.loaders.mapping import field_of
from ragauge.loaders.table import Table, listed
from ragauge.samples.samples import Row

EVIDENCE = ("evidence_list", "evidence", "evidences")
EVIDENCE_TEXTS = ("fact", "evidence_text", "text", "content", "sentence")
CITED = {"text", "citations"}
PARAGRAPHS, MARKED = "paragraphs", {"paragraph_text", "is_supporting"}
TOPICS = {"topic_id": "id", "topic": "question", "run_id": "system"}

Values = dict[str, object]


def recognised(table: Table, keep: Collection[str] = ()) -> Table:
    """The table with cited sentences as one answer, and evidence as gold contexts.

    Columns in `keep` stay as they are, and evidence where a column holds the gold contexts.
    """
    if not {"answer", PARAGRAPHS, *EVIDENCE} & set(table.columns()) - set(keep):
        return table
    evidence = _evidence_column(table, keep)
    notes: dict[str, None] = {}
    rows = tuple(_read(row, evidence, keep, notes) for row in table.rows)
    if not notes:
        return table
    return replace(table, rows=rows, notes=(*table.notes, f"read {listed(list(notes))}"))


def _evidence_column(table: Table, keep: Collection[str]) -> str | None:
    """The column of evidence, if it holds passages and no column has the name of gold contexts."""
    columns = table.columns()
    if any(field_of(name) == "gold_contexts" for name in columns):
        return None
    for name in EVIDENCE:
        cells = [row.values.get(name) for row in table.rows] if name in columns else []
        given = [cell for cell in cells if cell is not None and cell != []]
        if name not in keep and given and all(_passages(cell) for cell in given):
            return name
    return None


def _read(row: Row, evidence: str | None, keep: Collection[str], notes: dict[str, None]) -> Row:
    values = dict(row.values)
    if evidence is not None and evidence in values:
        passages = _passages(values.pop(evidence))
        values["gold_contexts"] = passages
        notes[f"{evidence!r} as gold_contexts"] = None
    if PARAGRAPHS not in keep:
        _marked_paragraphs(values, notes)
    if "answer" not in keep:
        _cited_answer(values, notes)
    return row if values == row.values else Row(values, row.source, row.line)


def _passages(cell: object) -> list[str]:
    """The texts of a list of passages; empty for anything else."""
    items = cast(Sequence[object], cell) if isinstance(cell, list | tuple) else ()
    texts = [item if isinstance(item, str) else _text(item) for item in items]
    return [text for text in texts if text] if all(texts) else []


def _text(item: object) -> str | None:
    if not isinstance(item, Mapping):
        return None
    named = cast(Mapping[str, object], item)
    found = (named.get(key) for key in EVIDENCE_TEXTS)
    return next((text for text in found if isinstance(text, str)), None)


def _marked_paragraphs(values: Values, notes: dict[str, None]) -> None:
    """MuSiQue's paragraphs are contexts; it marks those that support the answer."""
    given = values.get(PARAGRAPHS)
    items = cast(Sequence[object], given) if isinstance(given, list) else ()
    if not items or not all(isinstance(item, Mapping) and item.keys() >= MARKED for item in items):
        return
    if any(field_of(name) in ("contexts", "gold_contexts") for name in values):
        return
    marked = cast("Sequence[Mapping[str, object]]", values.pop(PARAGRAPHS))
    values["contexts"] = [item["paragraph_text"] for item in marked]
    values["gold_contexts"] = [item["paragraph_text"] for item in marked if item["is_supporting"]]
    notes[f"{PARAGRAPHS!r} as contexts, those that support the answer as gold_contexts"] = None


def _cited_answer(values: Values, notes: dict[str, None]) -> None:
    """Sentences with citations are one answer; the cited documents are those that were retrieved."""
    given = values.get("answer")
    items = cast(Sequence[object], given) if isinstance(given, list) else ()
    if not items or not all(isinstance(item, Mapping) and item.keys() >= CITED for item in items):
        return
    sentences = [_text(item) or "" for item in items]
    values["answer"] = " ".join(sentence.strip() for sentence in sentences)
    notes["the sentences of 'answer' as one text, without their citations"] = None
    cited = values.get("references")
    if isinstance(cited, list) and not {"contexts", "context_ids"} & values.keys():
        values["context_ids"] = values.pop("references")
        notes["the cited 'references' as context_ids"] = None
    for name, ours in TOPICS.items():
        if name in values and not any(field_of(other) == ours for other in values):
            values[ours] = values.pop(name)
            notes[f"{name!r} as {ours}"] = None
