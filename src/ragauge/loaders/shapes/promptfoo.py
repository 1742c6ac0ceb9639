"""Read what promptfoo writes: its results in JSON, and its table in CSV with a column per provider."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from ragauge.loaders.attributes import mapping_in, mappings_in
from ragauge.loaders.mapping import field_of
from ragauge.loaders.shapes.reader import found
from ragauge.loaders.table import Table
from ragauge.samples.samples import Row

EXPECTS_TEXT = (
    "equals",
    "similar",
    "factuality",
    "contains",
    "icontains",
    "model-graded-factuality",
)
"""Assertions whose value is an expected answer, or words of it."""
_OUTPUT = re.compile(r"\[(?P<provider>[^\]]+)\] ")
_VERDICT = re.compile(r"\[(?:PASS|FAIL|ERROR)\] ?(?:\([^)]*\) ?)?")
_EXPECTED = re.compile(
    rf"(?:(?P<kind>{'|'.join(EXPECTS_TEXT)})(?:\([^)]*\))?:)?(?P<text>.*)", re.DOTALL
)
_ASSERTION = re.compile(r"[a-z]+(?:-[a-z]+)*(?:\([^)]*\))?:")


def recognised(table: Table) -> Table:
    """The table with each output of promptfoo as an answer; other tables as they are."""
    if table.rows and all(_is_result(row.values) for row in table.rows):
        note = "read the results of promptfoo: a row per test and provider"
        rows = tuple(_from_result(row) for row in table.rows)
        return replace(table, rows=rows, notes=(*table.notes, note))
    outputs = [name for name in table.columns() if _OUTPUT.match(name)]
    if not outputs or not all(
        isinstance(cell := row.values.get(name), str) and _VERDICT.match(cell)
        for row in table.rows
        for name in outputs
    ):
        return table
    note = "read the table of promptfoo: a row per test and provider"
    rows = tuple(
        _from_table(row, name, number, outputs)
        for number, row in enumerate(table.rows)
        for name in outputs
    )
    return replace(table, rows=rows, notes=(*table.notes, note))


def _is_result(values: Mapping[str, object]) -> bool:
    names = values.keys()
    return (
        isinstance(values.get("vars"), Mapping)
        and bool(
            {"promptIdx", "promptId", "testCase", "testIdx"} & names
            or {"prompt", "success"} <= names
        )
        and bool({"response", "provider", "gradingResult"} & names)
    )


def _from_result(row: Row) -> Row:
    values = row.values
    response = values.get("response")
    output = found(values, "response.output") if isinstance(response, Mapping) else response
    read: dict[str, object] = {
        "answer": output if isinstance(output, str) or output is None else str(output)
    }
    if values.get("testIdx") is not None:
        read["id"] = str(values["testIdx"])
    if name := found(values, "provider.id | provider: text"):
        prompt = values.get("promptIdx")
        read["system"] = f"{name} (prompt {prompt})" if prompt else name
    expected = [
        text
        for given in mappings_in(found(values, "testCase.assert"))
        if given.get("type") in EXPECTS_TEXT and isinstance(text := given.get("value"), str)
    ]
    return Row(_with_variables(read, mapping_in(values["vars"]), expected), row.source, row.line)


def _with_variables(
    read: dict[str, object], variables: Mapping[str, object], expected: Sequence[str]
) -> dict[str, object]:
    """The variables of a test beside its output: an answer among them is the expected one."""
    for key, value in variables.items():
        field = field_of(key)
        field = "references" if field == "answer" else field
        if field is not None and field not in read:
            read[field] = value
        elif isinstance(value, str | int | float) and key not in read:
            read[key] = value
    if expected and "references" not in read:
        read["references"] = list(expected)
    return read


def _from_table(row: Row, name: str, number: int, outputs: Sequence[str]) -> Row:
    provider = cast("re.Match[str]", _OUTPUT.match(name))["provider"]
    answer = _VERDICT.sub("", cast(str, row.values[name]), count=1)
    read: dict[str, object] = {"id": str(number), "system": provider, "answer": answer}
    others = {key: value for key, value in row.values.items() if key not in outputs}
    expected = [
        text
        for key in [key for key in others if key.startswith("__expected")]
        if (text := _expected(others.pop(key)))
    ]
    return Row(_with_variables(read, others, expected), row.source, row.line)


def _expected(cell: object) -> str | None:
    """The expected answer in a cell such as `icontains:Paris`; None for an assertion of another kind."""
    if not isinstance(cell, str) or not cell:
        return None
    matched = _EXPECTED.fullmatch(cell)
    if matched is None or (matched["kind"] is None and _ASSERTION.match(cell)):
        return None
    return matched["text"].strip() or None
