"""Rows of query, document and value in the order of a source: their columns, and what is wrong with them.

A column is a list of Python values, a polars series, or a field of text from a CSV file.
"""

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from ragauge.errors import DataError, Problem, did_you_mean
from ragauge.rankings.arrays import Floats, Ints
from ragauge.rankings.judgements import Judgements
from ragauge.rankings.reading.fields import (
    Field,
    digests,
    field_of,
    field_of_series,
    field_of_texts,
    numbered_names,
    paired,
    starts_of_blocks,
    text_of,
    texts_of,
)
from ragauge.rankings.reading.lookup import same_pairs
from ragauge.rankings.reading.scan import MalformedError, decimals

if TYPE_CHECKING:
    import polars as pl

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
_TRUTH = {"true": b"1", "false": b"0"}


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows of a source in its own order: query, document, and score or grade.

    Consecutive rows of one query are a block: `query` (b,) names its query, `first` (b,) is its first
    row. `document` and `value`, a score or a grade, are (n,). `line` gives a row's number in the
    source, from 1.
    """

    source: str
    query: Field
    first: Ints
    document: Field
    value: Floats
    line: Callable[[int], int]
    notes: tuple[str, ...] = ()

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


def refuse_repeated(rows: Rows, pairs: Iterable[tuple[int, int]], what: str) -> None:
    """DataError for rows with the same document for the same query."""
    refuse(
        rows.problem(later, repeated_twice(rows.document.name(earlier), what, rows.line(earlier)))
        for earlier, later in map(sorted, pairs)
    )


def repeated_twice(document: bytes, what: str, line: int) -> str:
    """What is said of a document that is retrieved or judged twice, first in this line."""
    return f"document {text_of(document)!r} {what} for its query, first at line {line}; remove one"


def judged(rows: Rows) -> Judgements:
    """The rows as judgements; DataError for fractional grades and documents judged twice."""
    is_whole = (rows.value == np.floor(rows.value)) & (np.abs(rows.value) < LARGEST_GRADE)
    refuse(
        rows.problem(row, f"grade {rows.value[row]:g} is not a whole number", "grade")
        for row in np.flatnonzero(~is_whole).tolist()
    )
    block = np.repeat(np.arange(len(rows.first)), np.diff(rows.first, append=len(rows)))
    query = numbered_names(rows.query)[1][block]
    pairs = same_pairs(rows.document, paired(digests(rows.document), query), query)
    refuse_repeated(rows, pairs, "is judged twice")
    return Judgements.from_fields(
        rows.query.take(block), rows.document, rows.value.astype(np.int64), rows.source
    )


# Columns by their names


@dataclass(frozen=True, slots=True)
class Chosen:
    """The names of the columns; `is_rank` if the value is a rank because there is no score."""

    query: str
    document: str
    value: str
    kind: Value
    is_rank: bool = False

    @property
    def all(self) -> tuple[str, str, str]:
        return self.query, self.document, self.value


def choose(columns: Sequence[str], kind: Value, source: str) -> Chosen:
    """The columns by their names; DataError for a missing or ambiguous one.

    >>> choose(["query-id", "corpus-id", "score"], "grade", "test.tsv").all
    ('query-id', 'corpus-id', 'score')
    """
    from ragauge.loaders.table import listed

    names, problems = dict[str, str](), list[str]()
    fields = ("query", "document", kind)
    found = {field: candidates(columns, field) for field in fields}
    for field, named in found.items():
        if len(named) > 1:
            could_be = " and ".join(map(repr, named))
            problems.append(f"{could_be} could each be the {field}; rename one")
        elif named:
            names[field] = named[0]
    ranks = candidates(columns, "rank") if kind == "score" and kind not in names else []
    if is_rank := len(ranks) == 1:
        names[kind] = ranks[0]
    present = listed([repr(name) for name in columns], most=30) or "none"
    for field in fields:
        if field not in names and not found[field]:
            known = " ".join(_NAMES[field]).split()
            near = [column for column in columns if did_you_mean(column.casefold(), known)]
            hint = f" (is it {near[0]!r}?)" if near else ""
            problems.append(
                f"has no column for the {field}{hint}; it has: {present}; known names: {', '.join(known)}"
            )
    refuse(Problem(problem, source) for problem in problems)
    return Chosen(names["query"], names["document"], names[kind], kind, is_rank)


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
    line: Callable[[int], int] = lambda row: row + 1,
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
        notes = (*notes, f"has no score: ordered by column {chosen.value!r}, smallest first")
    best_highest = -value if chosen.is_rank else value
    rows = Rows(source, query, first, document, best_highest, line, tuple(notes))
    refuse(
        rows.problem(row, f"must be finite, got {value[row]:g}", chosen.value)
        for row in np.flatnonzero(~np.isfinite(value))[:MAX_SHOWN].tolist()
    )
    refuse_bad_names(rows)
    return rows


# Python values


def rows_of_values(
    source: str,
    chosen: Chosen,
    columns: Mapping[str, Sequence[object]],
    *,
    line: Callable[[int], int] = lambda row: row + 1,
    notes: Sequence[str] = (),
) -> Rows:
    """Rows made of columns of Python values."""
    query, document, value = (columns[name] for name in chosen.all)
    number = numbers(value)
    checks = (
        (chosen.query, query, not_a_name, are_plain_names(query)),
        (chosen.document, document, not_a_name, are_plain_names(document)),
        (chosen.value, value, not_a_number, number is not None),
    )
    problems = [
        Problem(problem, source, line(row), column)
        for column, values, check, is_sound in checks
        if not is_sound
        for row, cell in enumerate(values)
        if (problem := check(cell)) is not None
    ]
    refuse(problems[:MAX_SHOWN])
    queries, documents = (
        field_of_texts(cast(Sequence[str], names) if is_sound else [str(name) for name in names])
        for _, names, _, is_sound in checks[:2]
    )
    number = cast(Floats, number)
    return rows_of(source, chosen, queries, documents, number, line=line, notes=notes)


def are_plain_names(values: Iterable[object]) -> bool:
    """Whether all are ASCII texts, checked without a loop; if not, each is checked."""
    try:
        return "".join(cast(Iterable[str], values)).isascii()
    except TypeError:
        return False


def not_a_name(value: object) -> str | None:
    """Why the value cannot name a query or document, or None when it can.

    >>> not_a_name("007"), not_a_name(7), not_a_name(7.0)
    (None, None, 'must be text, got 7.0; give ids as texts, because numbers may have lost digits')
    """
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
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        return f"must be text, got {short(value)}"
    return None


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


# Text cells


def rows_of_cells(
    source: str,
    chosen: Chosen,
    cells: Sequence[Field],
    line: Callable[[int], int],
    notes: Sequence[str] = (),
) -> Rows:
    """Rows made of cells of text: ids are unchanged, numbers are parsed, and grades may be true or false."""
    refuse(
        Problem("is empty; every row needs a value", source, line(row), name)
        for name, field in zip(chosen.all, cells, strict=True)
        for row in np.flatnonzero(field.length == 0)[:MAX_SHOWN].tolist()
    )
    query, document, value = cells
    try:
        read = decimals(value)
    except MalformedError as error:
        words = [cell.lower() for cell in texts_of(value)] if chosen.kind == "grade" else []
        if _TRUTH.keys() & words:
            value = field_of([_TRUTH.get(word, word.encode()) for word in words])
            return rows_of_cells(source, chosen, (query, document, value), line, notes)
        row = int(np.searchsorted(value.start, error.at, "right")) - 1
        raise DataError([Problem(error.problem, source, line(row), chosen.value)]) from None
    return rows_of(source, chosen, query, document, read, line=line, notes=notes)


# Polars series


def rows_of_frame(frame: "pl.DataFrame", chosen: Chosen, source: str) -> Rows:
    """Rows made of a polars frame, numbered from 1."""
    import polars as pl

    columns = [frame[name] for name in chosen.all]
    problems = list[Problem]()
    for column in columns:
        for row in column.is_null().arg_true()[:1].to_list():
            more = column.null_count() - 1
            what = (
                f"is null{f', and so are {more:,} more' if more else ''}; every row needs a value"
            )
            problems.append(Problem(what, source, row + 1, column.name))
    refuse(problems)
    if not len(frame):
        raise DataError([Problem("is empty: it has no rows", source)])
    for at, column in enumerate(columns[:2]):
        kind = column.dtype
        if kind.is_integer() or isinstance(kind, pl.Categorical | pl.Enum):
            columns[at] = column.cast(pl.String)
        elif kind != pl.String:
            why = ", because numbers may have lost digits" if kind.is_float() else ""
            what = f"must be text, is {kind}; give ids as texts{why}"
            raise DataError([Problem(what, source, None, column.name)])
    query, document, value = columns
    if not (value.dtype.is_numeric() or (chosen.kind == "grade" and value.dtype == pl.Boolean)):
        what = f"must be numbers, is {value.dtype}; cast it, or write the {chosen.kind} as a number"
        raise DataError([Problem(what, source, None, value.name)])
    first = (query != query.shift(1)).fill_null(value=True).arg_true()
    return rows_of(
        source,
        chosen,
        field_of_series(query.gather(first)),
        field_of_series(document),
        value.cast(pl.Float64).to_numpy(),
        first=first.to_numpy().astype(np.int64),
    )
