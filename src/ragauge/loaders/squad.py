"""Read SQuAD's own file: articles with paragraphs, and the questions about each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from ragauge.loaders.table import Table
from ragauge.samples.samples import Row


def recognised(table: Table) -> Table:
    """The table with a row for each question; other tables as they are.

    The answers are the references, none for an impossible question; the paragraph is the gold context.
    """
    if not table.rows or not all(_paragraphs(row) for row in table.rows):
        return table
    rows = tuple(question for row in table.rows for question in _questions(row))
    note = f"read {len(table.rows):,} articles of SQuAD as {len(rows):,} questions"
    return replace(table, rows=rows, notes=(*table.notes, note))


def _paragraphs(row: Row) -> Sequence[Mapping[str, object]]:
    """The paragraphs with questions, if the row is an article."""
    paragraphs = _objects(row.values.get("paragraphs"))
    return [one for one in paragraphs if isinstance(one.get("qas"), list) and "context" in one]


def _questions(row: Row) -> Iterator[Row]:
    for paragraph in _paragraphs(row):
        for asked in _objects(paragraph["qas"]):
            is_impossible = asked.get("is_impossible")
            texts = [answer.get("text") for answer in _objects(asked.get("answers"))]
            values = {
                "id": asked.get("id"),
                "question": asked.get("question"),
                "references": list(dict.fromkeys(texts)) if "answers" in asked else None,
                "gold_contexts": [paragraph["context"]],
                "answerable": None if is_impossible is None else not is_impossible,
                "title": row.values.get("title"),
            }
            yield Row(values, row.source, row.line)


def _objects(value: object) -> list[Mapping[str, object]]:
    if not isinstance(value, list):
        return []
    items = cast(list[object], value)
    return [cast(Mapping[str, object], item) for item in items if isinstance(item, Mapping)]
