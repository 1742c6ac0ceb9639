"""Read the questions of any test set: a file or rows of a person, ragas, deepeval, or a public set."""

import json
import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import cast

from ragauge.errors import DataError, Problem
from ragauge.loaders.sources import read_source
from ragauge.questions.question import SLICES, GoldContext, Question
from ragauge.questions.wording import is_refusal

_TYPES = ("question_type", "type", "synthesizer_name", "evolution_type")
_FIELDS = {each.name for each in fields(Question)} - {"provenance"}
_EXPECTED = {"references": "answer", "gold_contexts": "contexts"}
"""The columns that a test set without references has in their place."""
_OURS = ("sound", "problems", "reasons", "checks", *SLICES)
"""What an earlier check wrote; it is checked again, and read without a remark."""


def read_questions(
    source: object, *, map: Mapping[str, str] | None = None
) -> tuple[list[Question], tuple[str, ...]]:
    """The questions of a file, a frame or a list of rows, and notes on how its columns were read.

    The columns are found as for answers (docs/data.md). In a file without references its answers are read as
    references, and its contexts as gold contexts. Rows of several systems are one question. A question is
    unanswerable if `answerable` is false, or all its references are refusals. Raises DataError for what
    cannot be read or has no question.
    """
    from ragauge.loaders.loading import load

    samples = load(source, map=map)
    columns = samples.columns
    if "question" not in columns:
        problem = "has no column of questions; --map question=COLUMN names it"
        raise DataError([Problem(problem, samples.source)])
    gold_column = (map or {}).get("gold_contexts", "gold_contexts")
    spans = _spans(source, gold_column) if "gold_contexts" in columns else {}
    expected = {
        name: given
        for name, given in _EXPECTED.items()
        if "references" not in columns and given in columns and name not in columns
    }
    questions: dict[str, Question] = {}
    for place, row in enumerate(samples.frame.iter_rows(named=True)):
        id = str(row["id"])
        if id not in questions:
            for name, column in expected.items():
                value = row.pop(column)
                row[name] = [value] if isinstance(value, str) else value
            questions[id] = _question(id, row, spans.get(place))
    if not questions:
        raise DataError([Problem("has no questions", samples.source)])
    notes = [
        note
        for note in samples.notes
        if not (named := re.findall(r"'([^']*)'", note)) or not set(named) <= set(_OURS)
    ]
    if expected:
        read = " and ".join(f"{column} is read as {name}" for name, column in expected.items())
        notes.append(f"no column has references, so {read}")
    return list(questions.values()), tuple(notes)


def _question(id: str, row: Mapping[str, object], spans: list[GoldContext] | None) -> Question:
    references = cast("list[str] | None", row.get("references")) or []
    texts = cast("list[str] | None", row.get("gold_contexts")) or []
    relevant = cast("list[dict[str, str | float]] | None", row.get("relevant")) or []
    answerable, hops = row.get("answerable"), row.get("hops")
    if answerable is None:
        answers = [each for each in references if each.strip()]
        answerable = not answers or not all(map(is_refusal, answers))
    kind = next((str(row[name]) for name in _TYPES if row.get(name) is not None), "")
    if not isinstance(hops, int) or hops < 1:
        hops = 2 if "multi" in kind.lower() else 1
    history = row.get("history")  # JSON in a frame
    try:
        history = json.loads(history) if isinstance(history, str) else history
    except ValueError:
        history = None
    are_spans = spans and [each["text"] for each in spans] == texts
    known = (*_FIELDS, *_TYPES, *_OURS, "system")
    return Question(
        id,
        str(row["question"] or ""),
        references,
        spans if spans and are_spans else [{"text": text} for text in texts],
        {str(each["id"]): float(each["grade"]) for each in relevant if each["grade"] != 0},
        kind,
        hops,
        bool(answerable),
        [*map(str, cast("list[object]", history))] if isinstance(history, list) else [],
        {name: value for name, value in row.items() if name not in known and value is not None},
    )


def _spans(source: object, column: str) -> dict[int, list[GoldContext]]:
    """By the place of their row, the gold contexts that are objects with a document or a span."""
    if not isinstance(source, str | Path | list):
        return {}
    found: dict[int, list[GoldContext]] = {}
    for place, row in enumerate(read_source(cast("str | Path | list[object]", source)).rows):
        items = cast("list[object] | None", row.values.get(column))
        if not isinstance(items, list) or not all(isinstance(each, Mapping) for each in items):
            continue
        found[place] = spans = list[GoldContext]()
        for given in cast("list[Mapping[str, object]]", items):
            span: GoldContext = {"text": str(given.get("text") or "")}
            if isinstance(document := given.get("document"), str):
                span["document"] = document
            start, end = given.get("start"), given.get("end")
            if isinstance(start, int) and isinstance(end, int):
                span["start"], span["end"] = start, end
            elif (start, end) != (None, None):
                got = f"got {start!r} and {end!r}"
                problem = f"start and end of a gold context must be whole numbers, {got}"
                raise DataError([Problem(problem, f"row {place + 1}")])
            spans.append(span)
    return found
