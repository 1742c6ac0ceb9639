"""Read the questions of any test set: a file or rows of a person, ragas, deepeval, or a public set."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from ragauge.errors import DataError, Problem
from ragauge.loaders import load
from ragauge.loaders.sources import read_source
from ragauge.questions.question import GoldContext, Question
from ragauge.questions.wording import is_refusal

_TYPES = ("question_type", "type", "synthesizer_name", "evolution_type")
_NAMED = re.compile(r"'([^']*)'")
_EXPECTED = {"references": "answer", "gold_contexts": "contexts"}
"""The columns that a test set without references has in their place."""
_OURS = ("sound", "problems", "reasons", "checks")
"""What an earlier check wrote; it is checked again."""


def read_questions(
    source: object, *, map: Mapping[str, str] | None = None
) -> tuple[list[Question], tuple[str, ...]]:
    """The questions of a file, a frame or a list of rows, and notes on how its columns were read.

    The columns are found as for answers (docs/data.md). In a file without references its answers are read as
    references, and its contexts as gold contexts. Rows of several systems are one question. A question is
    unanswerable if `answerable` is false, or all its references are refusals. Raises DataError for what
    cannot be read or has no question.
    """
    samples = load(source, map=map)
    if "question" not in samples.columns:
        raise DataError(
            [Problem("has no column of questions; --map question=COLUMN names it", samples.source)]
        )
    spans = _spans(source, (map or {}).get("gold_contexts", "gold_contexts"))
    columns = samples.columns
    names = _EXPECTED if "references" not in columns else {}
    expected = {
        name: given for name, given in names.items() if given in columns and name not in columns
    }
    questions: dict[str, Question] = {}
    for place, row in enumerate(samples.frame.iter_rows(named=True)):
        id = str(row["id"])
        if id not in questions:
            given = dict(row)
            for name, column in expected.items():
                value = given.pop(column)
                given[name] = [value] if isinstance(value, str) else value
            questions[id] = _question(id, given, spans.get(place))
    if not questions:
        raise DataError([Problem("has no questions", samples.source)])
    # What an earlier check wrote is read again without a remark.
    notes = [
        note
        for note in samples.notes
        if not 0 < len(names := set(_NAMED.findall(note))) == len(names & set(_OURS))
    ]
    if expected:
        read = " and ".join(f"{column} is read as {name}" for name, column in expected.items())
        notes.append(f"no column has references, so {read}")
    return list(questions.values()), tuple(notes)


def _question(id: str, row: Mapping[str, object], spans: list[GoldContext] | None) -> Question:
    references = cast("list[str] | None", row.get("references")) or []
    texts = cast("list[str] | None", row.get("gold_contexts")) or []
    relevant = cast("list[dict[str, object]] | None", row.get("relevant")) or []
    answerable = row.get("answerable")
    if answerable is None:
        answers = [each for each in references if each.strip()]
        answerable = not answers or not all(map(is_refusal, answers))
    kind = next((str(row[name]) for name in _TYPES if row.get(name) is not None), "")
    gold: list[GoldContext] = [{"text": text} for text in texts]
    known = {
        "id",
        "system",
        "question",
        "references",
        "gold_contexts",
        "relevant",
        "answerable",
        "hops",
    }
    return Question(
        id,
        str(row["question"] or ""),
        references,
        spans if spans is not None and [each["text"] for each in spans] == texts else gold,
        {
            str(each["id"]): float(cast(float, each["grade"]))
            for each in relevant
            if each["grade"] != 0
        },
        kind,
        _hops(row.get("hops"), kind),
        bool(answerable),
        {
            name: value
            for name, value in row.items()
            if name not in known and name not in _TYPES and name not in _OURS and value is not None
        },
    )


def _hops(given: object, kind: str) -> int:
    return given if isinstance(given, int) and given > 0 else 2 if "multi" in kind.lower() else 1


def _spans(source: object, column: str) -> dict[int, list[GoldContext]]:
    """By the place of their row, the gold contexts that are objects with a document or a span."""
    if not isinstance(source, str | Path | list):
        return {}
    found: dict[int, list[GoldContext]] = {}
    for place, row in enumerate(read_source(cast("str | Path | list[object]", source)).rows):
        items = row.values.get(column)
        if isinstance(items, list) and all(
            isinstance(each, Mapping) for each in cast(list[object], items)
        ):
            where = f"row {place + 1}"
            spans = cast(Sequence[Mapping[str, object]], items)
            found[place] = [_span(each, where) for each in spans]
    return found


def _span(given: Mapping[str, object], where: str) -> GoldContext:
    span: GoldContext = {"text": str(given.get("text") or "")}
    if isinstance(given.get("document"), str):
        span["document"] = str(given["document"])
    start, end = given.get("start"), given.get("end")
    if isinstance(start, int) and isinstance(end, int):
        span["start"], span["end"] = start, end
    elif (start, end) != (None, None):
        problem = (
            f"start and end of a gold context must be whole numbers, got {start!r} and {end!r}"
        )
        raise DataError([Problem(problem, where)])
    return span
