"""Read the logs of benchmark harnesses: HELM's scenario_state.json, the event log of OpenAI's evals."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from ragauge.loaders.messages import ASKING, last_text, text_of
from ragauge.loaders.table import Table
from ragauge.samples.samples import Row

Values = Mapping[str, object]
EXPECTED = ("expected", "options", "ideal")
"""Where the events of OpenAI's evals keep the expected answers."""


def recognised(table: Table) -> Table:
    """The table with a row for each answer that such a log holds; other tables as they are."""
    if not table.rows:
        return table
    if all({"instance", "result"} <= row.values.keys() for row in table.rows):
        rows = tuple(Row(_of_helm(row.values), row.source, row.line) for row in table.rows)
        return replace(table, rows=rows, notes=(*table.notes, "read the requests of HELM"))
    if any(_is_event(row.values) for row in table.rows) and all(
        _is_event(row.values) or {"spec", "final_report"} & row.values.keys() for row in table.rows
    ):
        rows = tuple(_of_events(table.rows))
        note = f"read {len(table.rows):,} events of OpenAI's evals as {len(rows):,} samples"
        return replace(table, rows=rows, notes=(*table.notes, note))
    return table


def _of_helm(values: Values) -> dict[str, object]:
    instance, request = _object(values["instance"]), _object(values.get("request"))
    completions = _list(_object(values["result"]).get("completions"))
    said = _object(completions[0]).get("text") if completions else None
    choices = _object(values.get("output_mapping"))
    if isinstance(said, str):
        said = choices.get(said.strip(), said)
    right = [
        _object(one["output"]).get("text")
        for given in _list(instance.get("references"))
        if "correct" in _list((one := _object(given)).get("tags")) and "output" in one
    ]
    return {
        "id": instance.get("id"),
        "system": request.get("model"),
        "question": _object(instance.get("input")).get("text"),
        "answer": said,
        "references": [text for text in right if isinstance(text, str)] or None,
        "split": instance.get("split"),
    }


def _is_event(values: Values) -> bool:
    return {"sample_id", "type", "data"} <= values.keys() and isinstance(values["data"], Mapping)


def _of_events(rows: Sequence[Row]) -> list[Row]:
    """One row for each sample: what was asked and said, what was expected, whether it matched."""
    specs = [_object(row.values["spec"]) for row in rows if "spec" in row.values]
    models = [name for spec in specs for name in _list(spec.get("completion_fns"))]
    found: dict[object, Row] = {}
    for row in rows:
        if not _is_event(row.values):
            continue
        id, event = row.values["sample_id"], _object(row.values["data"])
        sample = found.setdefault(id, Row({"id": id}, row.source, row.line))
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
    return list(found.values())


def _sampled(event: Values) -> dict[str, object]:
    prompt, said = event.get("prompt"), event.get("sampled")
    asked = prompt if isinstance(prompt, str) else last_text(prompt, ASKING)
    first = _list(said)[0] if _list(said) else said
    return {"question": asked, "answer": text_of(first)}


def _object(value: object) -> Values:
    return cast(Values, value) if isinstance(value, Mapping) else {}


def _list(value: object) -> Sequence[object]:
    return cast(Sequence[object], value) if isinstance(value, list | tuple) else ()
