"""Read logs and files that hold more than rows: HELM's requests, the events of OpenAI's evals, SQuAD's articles."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from ragauge.loaders.attributes import items_in, mapping_in, mappings_in
from ragauge.loaders.messages import ASKING, last_text, text_of
from ragauge.loaders.shapes.reader import Values, found
from ragauge.loaders.table import Table
from ragauge.samples.samples import Row

EXPECTED = ("expected", "options", "ideal")
"""Where the events of OpenAI's evals keep the expected answers."""
HELM = {
    "id": "instance.id",
    "system": "request.model",
    "question": "instance.input.text",
    "answer": "result.completions[0].text",
    "references": "instance.references",
    "split": "instance.split",
}


def recognised(table: Table) -> Table:
    """The table with a row for each answer, or each question, that such a file holds; others as they are."""
    rows = table.rows
    if not rows:
        return table
    if all({"instance", "result"} <= row.values.keys() for row in rows):
        return _read(table, map(_of_helm, rows), "the requests of HELM")
    if any(_is_event(row.values) for row in rows) and all(
        _is_event(row.values) or {"spec", "final_report"} & row.values.keys() for row in rows
    ):
        samples = _of_events(rows)
        read = f"{len(rows):,} events of OpenAI's evals as {len(samples):,} samples"
        return _read(table, samples, read)
    if all(_paragraphs(row) for row in rows):
        samples = [question for row in rows for question in _questions(row)]
        read = f"{len(rows):,} articles of SQuAD as {len(samples):,} questions"
        return _read(table, samples, read)
    return table


def _read(table: Table, rows: Iterable[Row], what: str) -> Table:
    return replace(table, rows=tuple(rows), notes=(*table.notes, f"read {what}"))


def _of_helm(row: Row) -> Row:
    values = {name: found(row.values, path) for name, path in HELM.items()}
    if isinstance(said := values["answer"], str):
        values["answer"] = mapping_in(row.values.get("output_mapping")).get(said.strip(), said)
    right = [
        found(given, "output.text: text")
        for given in items_in(found(row.values, "instance.references"))
        if "correct" in items_in(found(given, "tags"))
    ]
    values["references"] = [text for text in right if text is not None] or None
    return Row(values, row.source, row.line)


def _is_event(values: Mapping[str, object]) -> bool:
    return {"sample_id", "type", "data"} <= values.keys() and isinstance(values["data"], Mapping)


def _of_events(rows: Sequence[Row]) -> list[Row]:
    """One row for each sample: what was asked and said, what was expected, whether it matched."""
    models = [name for row in rows for name in items_in(found(row.values, "spec.completion_fns"))]
    samples: dict[object, Row] = {}
    for row in rows:
        if not _is_event(row.values):
            continue
        id, event = row.values["sample_id"], cast(Values, row.values["data"])
        sample = samples.setdefault(id, Row({"id": id}, row.source, row.line))
        values = cast(dict[str, object], sample.values)
        if models:
            values["system"] = ", ".join(map(str, models))
        if row.values["type"] == "sampling":
            values |= _sampled(event)
        right = next((event[name] for name in EXPECTED if event.get(name)), None)
        if right is not None:
            values["references"] = [right] if isinstance(right, str) else right
        if isinstance(event.get("correct"), bool):
            values["correct"] = event["correct"]
    return list(samples.values())


def _sampled(event: Values) -> dict[str, object]:
    prompt, said = event.get("prompt"), event.get("sampled")
    asked = prompt if isinstance(prompt, str) else last_text(prompt, ASKING)
    first = items_in(said)[0] if items_in(said) else said
    return {"question": asked, "answer": text_of(first)}


def _paragraphs(row: Row) -> Sequence[Mapping[str, object]]:
    """The paragraphs with questions, if the row is an article."""
    paragraphs = mappings_in(row.values.get("paragraphs"))
    return [each for each in paragraphs if isinstance(each.get("qas"), list) and "context" in each]


def _questions(row: Row) -> Iterator[Row]:
    for paragraph in _paragraphs(row):
        for asked in mappings_in(paragraph["qas"]):
            is_impossible = asked.get("is_impossible")
            texts = [answer.get("text") for answer in mappings_in(asked.get("answers"))]
            values = {
                "id": asked.get("id"),
                "question": asked.get("question"),
                "references": list(dict.fromkeys(texts)) if "answers" in asked else None,
                "gold_contexts": [paragraph["context"]],
                "answerable": None if is_impossible is None else not is_impossible,
                "title": row.values.get("title"),
            }
            yield Row(values, row.source, row.line)
