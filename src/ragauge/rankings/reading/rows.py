"""Rows of query, document and value in the order of a source: their columns, and what is wrong with them."""

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, cast

import numpy as np

from ragauge.errors import DataError, Problem, did_you_mean
from ragauge.rankings.hits import Bools, Floats, Ints
from ragauge.rankings.reading.fields import (
    Field,
    digests,
    field_of,
    numbered_names,
    paired,
    same_pairs,
    starts_of_blocks,
    text_of,
)

Value = Literal["grade", "score"]

LARGEST_GRADE = 2**31
"""Grades must be smaller than this."""
MAX_SHOWN = 20
_NAMES = {
    "query": ("query_id qid q_id topic_id", "query topic"),
    "document": (
        "doc_id docid doc_no docno document_id corpus_id pid passage_id context_id",
        "doc document",
    ),
    "grade": ("grade", "score relevance rel label relevant"),
    "score": ("score", "sim similarity relevance_score"),
    "rank": ("rank", ""),
}
"""The names of each column: preferred names, then names used if there is none of those."""


def next_line(row: int) -> int:
    """The number of a row in a source without a header, from 1."""
    return row + 1


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows of a source in its own order: query, document, and score or grade.

    Consecutive rows of one query are a block: `query` (b,) names its query, `first` (b,) is its first
    row. `document` and `value`, a score or a grade, are (n,). `line` gives a row's number in the
    source, from 1. `tag` is the name in the run itself.
    """

    source: str
    query: Field
    first: Ints
    document: Field
    value: Floats
    line: Callable[[int], int] = next_line
    notes: tuple[str, ...] = ()
    tag: str = ""

    def __len__(self) -> int:
        return len(self.value)

    def problem(self, row: int, message: str, field: str | None = None) -> Problem:
        """A problem that names the row's line and query."""
        block = int(np.searchsorted(self.first, row, "right")) - 1
        return Problem(message, self.source, self.line(row), field, text_of(self.query.name(block)))


def refuse(problems: Iterable[Problem]) -> None:
    """Raise DataError if there are problems."""
    if found := tuple(problems):
        raise DataError(found)


def refuse_bad_names(rows: Rows) -> None:
    """DataError for names that are empty, or contain NUL, with which digests pad short names."""
    for field, names in (("query", rows.query), ("document", rows.document)):
        what = f"is empty; every {field} needs a name"
        bad = np.flatnonzero(names.length == 0).tolist()
        if not bad and (names.text == 0).any():
            what = "has a NUL byte; fix the export that wrote it"
            bad = [row for row in range(len(names)) if b"\0" in names.name(row)]
        at = (int(rows.first[row]) if field == "query" else row for row in bad)
        refuse(Problem(what, rows.source, rows.line(row), field) for row in at)


def refuse_repeated(rows: Rows, what: str, pairs: Iterable[tuple[int, int]] | None = None) -> None:
    """DataError for rows with the same document for the same query; `pairs` of such rows, if they are known."""
    if pairs is None:
        query = np.repeat(numbered_names(rows.query)[1], np.diff(rows.first, append=len(rows)))
        pairs = same_pairs(rows.document, paired(digests(rows.document), query), query)
    refuse(
        rows.problem(later, repeated_twice(rows.document.name(earlier), what, rows.line(earlier)))
        for earlier, later in map(sorted, pairs)
    )


def repeated_twice(document: bytes, what: str, line: int) -> str:
    """What is said of a document that is retrieved or judged twice, first in this line."""
    return f"document {text_of(document)!r} {what} for its query, first at line {line}; remove one"


class Chosen(NamedTuple):
    """The names of the columns; `is_rank` if the value is a rank because there is no score."""

    columns: tuple[str, str, str]
    kind: Value
    is_rank: bool = False


def choose(columns: Sequence[str], kind: Value, source: str) -> Chosen:
    """The columns by their names; DataError for a missing or ambiguous one."""
    from ragauge.loaders.table import listed

    problems = list[Problem]()
    found = {field: candidates(columns, field) for field in ("query", "document", kind)}
    ranks = candidates(columns, "rank") if kind == "score" and not found[kind] else []
    if is_rank := len(ranks) == 1:
        found[kind] = ranks
    present = listed([repr(name) for name in columns], most=30) or "none"
    for field, named in found.items():
        if len(named) > 1:
            what = f"{' and '.join(map(repr, named))} could each be the {field}; rename one"
            problems.append(Problem(what, source))
        elif not named:
            known = " ".join(_NAMES[field]).split()
            near = [column for column in columns if did_you_mean(column.casefold(), known)]
            hint = f" (is it {near[0]!r}?)" if near else ""
            if field == "score" and candidates(columns, "grade"):
                hint = " (judgements have none; give a run)"
            what = f"has no column for the {field}{hint}; it has: {present}"
            problems.append(Problem(f"{what}; known names: {', '.join(known)}", source))
    refuse(problems)
    (query,), (document,), (value,) = found.values()
    return Chosen((query, document, value), kind, is_rank)


def candidates(columns: Sequence[str], field: str) -> list[str]:
    """The columns that could be the field by their names: the preferred ones, else the others."""
    from ragauge.loaders.mapping import field_of as field_named

    for known in _NAMES[field]:
        aliases = dict.fromkeys(known.split(), field)
        if found := [column for column in columns if field_named(column, aliases)]:
            return found
    return []


def rows_of(
    source: str,
    chosen: Chosen,
    query: Field,
    document: Field,
    value: Floats,
    *,
    first: Ints | None = None,
    line: Callable[[int], int] = next_line,
    notes: Sequence[str] = (),
) -> Rows:
    """The columns as rows; `query` is each row's, or each block's where `first` is given.

    DataError for values that are not finite and names that are empty.
    """
    if not len(value):
        raise DataError([Problem("is empty: it has no rows", source)])
    if first is None:
        first = starts_of_blocks(query)
        query = query.take(first)
    if chosen.is_rank:
        notes = (*notes, f"has no score: ordered by column {chosen.columns[2]!r}, smallest first")
    best_highest = -value if chosen.is_rank else value
    rows = Rows(source, query, first, document, best_highest, line, tuple(notes))
    refuse(
        rows.problem(row, f"must be finite, got {value[row]:g}", chosen.columns[2])
        for row in np.flatnonzero(~np.isfinite(value))[:MAX_SHOWN].tolist()
    )
    refuse_bad_names(rows)
    return rows


def rows_of_values(
    source: str,
    chosen: Chosen,
    columns: Mapping[str, Sequence[object]],
    *,
    line: Callable[[int], int] = next_line,
    notes: Sequence[str] = (),
) -> Rows:
    """Rows made of columns of Python values."""
    *names, value = (columns[name] for name in chosen.columns)
    number = numbers(value)
    checks = [(not_a_name, are_plain_names(cells)) for cells in names]
    checks.append((not_a_number, number is not None))
    problems = [
        Problem(problem, source, line(row), column)
        for column, (check, is_sound) in zip(chosen.columns, checks, strict=True)
        if not is_sound
        for row, cell in enumerate(columns[column])
        if (problem := check(cell)) is not None
    ]
    refuse(problems[:MAX_SHOWN])
    query, document = (
        field_of([name if isinstance(name, str) else str(name) for name in cells])
        for cells in names
    )
    return rows_of(source, chosen, query, document, cast(Floats, number), line=line, notes=notes)


def are_grades(values: Floats) -> Bools:
    """Which values are whole numbers small enough for a grade, (n,)."""
    return (values == np.floor(values)) & (np.abs(values) < LARGEST_GRADE)


def are_plain_names(values: Iterable[object]) -> bool:
    """Whether all are ASCII texts, checked without a loop; if not, each is checked."""
    try:
        return "".join(cast(Iterable[str], values)).isascii()
    except TypeError:
        return False


def not_a_name(value: object) -> str | None:
    """Why the value cannot name a query or document, or None when it can."""
    if isinstance(value, str):
        try:
            value.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            return f"is not valid Unicode: {value[:60]!a}; fix the export that wrote it"
        return None
    if value is None:
        return "is null; every row needs a query and a document"
    if isinstance(value, float):
        why = "give ids as texts, because numbers may have lost digits"
        return f"must be text, got {value!r}; {why}"
    is_whole = hasattr(value, "__index__") and not isinstance(value, bool)
    return None if is_whole else f"must be text, got {short(value)}"


def not_a_number(value: object) -> str | None:
    """Why the value cannot be a score or grade, or None when it can."""
    if value is None:
        return "is null; every row needs a number"
    if (number := numbers([value])) is None:
        is_large = isinstance(value, int)
        return "is too large for a number" if is_large else f"must be a number, got {short(value)}"
    return None if np.isfinite(number[0]) else f"must be finite, got {number[0]:g}"


def short(value: object) -> str:
    """The value in at most about 60 characters."""
    text = ascii(value) if isinstance(value, str | int | float) else f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}…"


def numbers(values: Sequence[object]) -> Floats | None:
    """The numbers as an array; None if one is something else, such as a number written as text, or too large.

    struct is the fastest way, and unlike numpy it rejects texts, and None in place of nan.
    """
    try:
        return np.frombuffer(struct.pack(f"={len(values)}d", *values), np.float64)
    except (TypeError, ValueError, OverflowError, struct.error):
        return None
