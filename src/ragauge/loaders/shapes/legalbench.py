"""Read LegalBench-RAG's passages: predictions and gold, paired by position.

Gold: {"tests": [{"query": …, "snippets": [{"file_path": …, "span": […], "answer": …}]}]}.
Predictions: [{"query": …, "retrieved_passages": [text, …]}].
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from ragauge.errors import Problem
from ragauge.loaders.attributes import mapping_in
from ragauge.loaders.mapping import field_of
from ragauge.loaders.table import Table
from ragauge.samples.samples import Row


def paired(predictions: Sequence[Table], gold: Table) -> tuple[list[Table], Table]:
    """Predictions and their gold, paired by position."""
    expected = as_gold(gold)
    return [_paired(as_predictions(table), expected) for table in predictions], expected


def are_pairs(predictions: Sequence[Table], gold: Table) -> bool:
    """Whether all of them are in LegalBench's format, without ids to join by."""
    return is_gold(gold) and all(map(_is_predictions, predictions))


def recognised(table: Table) -> Table:
    """The table, converted if it is in LegalBench's format."""
    if is_gold(table):
        return as_gold(table)
    return as_predictions(table) if _is_predictions(table) else table


def is_gold(table: Table) -> bool:
    """Whether the table is LegalBench's gold, without ids."""
    return _has(table, "query", "snippets")


def _is_predictions(table: Table) -> bool:
    return _has(table, "query", "retrieved_passages")


def _has(table: Table, *names: str) -> bool:
    columns = table.columns()
    return set(names) <= set(columns) and not any(field_of(name) == "id" for name in columns)


def as_predictions(table: Table) -> Table:
    """The predictions with their positions as ids."""
    problems = [problem for row in table.rows for problem in _lacks(row, "retrieved_passages")]
    return replace(_numbered(table), problems=(*table.problems, *problems))


def as_gold(table: Table) -> Table:
    """The gold with its positions as ids, and the snippets' texts as `gold_contexts`."""
    problems = list(table.problems)
    numbered = _numbered(table)
    rows = tuple(_with_gold_contexts(row, problems) for row in numbered.rows)
    n_without = sum(row.values["gold_contexts"] == [] for row in rows)
    counted = (
        f"{n_without} of {len(rows)} queries {'has' if n_without == 1 else 'have'} no gold snippet"
    )
    notes = (*numbered.notes, counted) if n_without else numbered.notes
    return Table(rows, table.source, notes, tuple(problems))


def _numbered(table: Table) -> Table:
    """The table with positions as ids; a column of ids is left out."""
    ids = [name for name in table.columns() if field_of(name) == "id"]
    rows = tuple(
        Row({"id": str(position), **_without(row, ids)}, row.source, row.line)
        for position, row in enumerate(table.rows, start=1)
    )
    notes = [f"left out column {name!r}: rows are paired by position" for name in ids]
    return replace(table, rows=rows, notes=(*table.notes, *notes))


def _without(row: Row, names: Sequence[str]) -> dict[str, object]:
    return {name: value for name, value in row.values.items() if name not in names}


def _lacks(row: Row, *names: str) -> list[Problem]:
    unavailable = [name for name in ("query", *names) if row.values.get(name) is None]
    return [Problem("is missing", row.source, row.line, name) for name in unavailable]


def _with_gold_contexts(row: Row, problems: list[Problem]) -> Row:
    missing = _lacks(row, "snippets")
    snippets = row.values.get("snippets") or ()
    texts: list[object] = []
    if not isinstance(snippets, list | tuple):
        missing.append(Problem("must be a list of objects", row.source, row.line, "snippets"))
        snippets = ()
    for number, snippet in enumerate(cast(Sequence[object], snippets), start=1):
        text = mapping_in(snippet).get("answer")
        if isinstance(text, str):
            texts.append(text)
        else:
            problem = f"item {number} has no text under 'answer'"
            missing.append(Problem(problem, row.source, row.line, "snippets"))
    problems += missing
    values = {**_without(row, ["snippets"]), "gold_contexts": texts}
    return Row(values, row.source, row.line)


def _paired(predictions: Table, gold: Table) -> Table:
    """The predictions, with a problem where one does not match the gold at its position."""
    if predictions.problems or gold.problems:
        return predictions
    problems: list[Problem] = []
    if len(predictions.rows) != len(gold.rows):
        problem = f"number of predictions ({len(predictions.rows)}) differs from the number of "
        problem += f"queries in {gold.source} ({len(gold.rows)}); both are paired by position"
        problems.append(Problem(problem, predictions.source))
    for row, expected in zip(predictions.rows, gold.rows, strict=False):
        if row.values["query"] != expected.values["query"]:
            problems.append(_differs(row, expected))
            if len(predictions.rows) != len(gold.rows):
                break  # after a gap, all later positions differ
    return replace(predictions, problems=tuple(problems))


def _differs(row: Row, gold: Row) -> Problem:
    place = gold.source if gold.line is None else f"{gold.source}:{gold.line}"
    here, there = _short(row.values["query"]), _short(gold.values["query"])
    problem = f"is {here}, but {there} at the same position in {place}"
    return Problem(problem, row.source, row.line, "query", cast(str, row.values["id"]))


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"
