"""Find the columns of query, document and value, and check their values.

A column is a list of Python values, a polars series, or a field of text from a CSV file.
"""

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from ragauge.errors import DataError, Problem, did_you_mean
from ragauge.loaders.mapping import field_of as field_named
from ragauge.loaders.table import listed
from ragauge.rankings.arrays import Floats, Ints
from ragauge.rankings.reading.rows import (
    Rows,
    field_of_series,
    field_of_texts,
    refuse,
    refuse_bad_names,
    texts_of,
)
from ragauge.rankings.reading.scan import (
    Field,
    MalformedError,
    decimals,
    field_of,
    starts_of_blocks,
)

if TYPE_CHECKING:
    import polars as pl

Value = Literal["grade", "score"]

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
MAX_SHOWN = 20


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

    @property
    def notes(self) -> tuple[str, ...]:
        if not self.is_rank:
            return ()
        return (f"has no score: ordered by column {self.value!r}, smallest first",)


def choose(columns: Sequence[str], kind: Value, source: str) -> Chosen:
    """The columns by their names; DataError for a missing or ambiguous one.

    >>> choose(["query-id", "corpus-id", "score"], "grade", "test.tsv").all
    ('query-id', 'corpus-id', 'score')
    """
    names, problems = dict[str, str](), list[str]()
    for field in ("query", "document", kind):
        found = candidates(columns, field)
        if len(found) > 1:
            problems.append(
                f"{' and '.join(map(repr, found))} could each be the {field}; rename one"
            )
        elif found:
            names[field] = found[0]
    ranks = candidates(columns, "rank") if kind == "score" and kind not in names else []
    is_rank = len(ranks) == 1
    if is_rank:
        names[kind] = ranks[0]
    present = listed([repr(name) for name in columns], most=30) or "none"
    problems += [
        f"has no column for the {field}{_hint(field, columns)}; it has: {present}; known names: "
        + ", ".join(" ".join(_NAMES[field]).split())
        for field in ("query", "document", kind)
        if field not in names and not candidates(columns, field)
    ]
    refuse(Problem(problem, source) for problem in problems)
    return Chosen(names["query"], names["document"], names[kind], kind, is_rank)


def candidates(columns: Sequence[str], field: str) -> list[str]:
    """The columns that could be the field by their names: the preferred ones, else the others."""
    for known in _NAMES[field]:
        aliases = dict.fromkeys(known.split(), field)
        found = [column for column in columns if field_named(column, aliases)]
        if found:
            return found
    return []


def _hint(field: str, columns: Sequence[str]) -> str:
    known = " ".join(_NAMES[field]).split()
    near = [column for column in columns if did_you_mean(column.casefold(), known)]
    return f" (is it {near[0]!r}?)" if near else ""


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
    values = -value if chosen.is_rank else value
    rows = Rows(source, query, first, document, values, line, (*notes, *chosen.notes))
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
    problems = [
        *_not_names(source, chosen.query, query, line),
        *_not_names(source, chosen.document, document, line),
        *_not_numbers(source, chosen, value, line),
    ]
    refuse(problems[:MAX_SHOWN])
    return rows_of(
        source,
        chosen,
        _names(query),
        _names(document),
        numbers(cast(Sequence[float], value)),
        line=line,
        notes=notes,
    )


def _names(values: Sequence[object]) -> Field:
    if are_plain_names(values):
        return field_of_texts(cast(Sequence[str], values))
    return field_of_texts([name if isinstance(name, str) else str(name) for name in values])


def are_plain_names(values: Iterable[object]) -> bool:
    """Whether all are ASCII texts, checked without a loop; if not, each is checked."""
    try:
        return "".join(cast(Iterable[str], values)).isascii()
    except TypeError:
        return False


def _not_names(
    source: str, column: str, values: Sequence[object], line: Callable[[int], int]
) -> list[Problem]:
    if are_plain_names(values):
        return []
    return [
        Problem(problem, source, line(row), column)
        for row, value in enumerate(values)
        if (problem := not_a_name(value)) is not None
    ]


def not_a_name(value: object) -> str | None:
    """Why the value cannot name a query or document, or None when it can.

    >>> not_a_name("007"), not_a_name(7), not_a_name(7.0)
    (None, None, 'must be text, got 7.0; give ids as texts, because numbers may have lost digits')
    """
    if isinstance(value, str):
        if value.isascii():
            return None
        try:
            value.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            return f"is not valid Unicode: {value[:60]!a}; fix the export that wrote it"
        return None
    if value is None:
        return "is null; every row needs a query and a document"
    if isinstance(value, float):
        return (
            f"must be text, got {value!r}; give ids as texts, because numbers may have lost digits"
        )
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        return f"must be text, got {short(value)}"
    return None


def _not_numbers(
    source: str, chosen: Chosen, values: Sequence[object], line: Callable[[int], int]
) -> list[Problem]:
    try:
        numbers(cast(Sequence[float], values))
    except (TypeError, ValueError, OverflowError, struct.error):
        pass
    else:
        return []
    return [
        Problem(problem, source, line(row), chosen.value)
        for row, value in enumerate(values)
        if (problem := not_a_number(value)) is not None
    ]


def not_a_number(value: object) -> str | None:
    """Why the value cannot be a score or grade, or None when it can."""
    if value is None:
        return "is null; every row needs a number"
    try:
        number = float(numbers([cast(float, value)])[0])
    except OverflowError:
        return "is too large for a number"
    except (TypeError, ValueError, struct.error):
        return f"must be a number, got {short(value)}"
    return None if np.isfinite(number) else f"must be finite, got {number:g}"


def short(value: object) -> str:
    """The value in at most about 60 characters."""
    text = ascii(value) if isinstance(value, str | int | float) else f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}…"


def numbers(values: Sequence[float]) -> Floats:
    """The numbers as an array; struct.error for anything else, including numbers written as text.

    struct is the fastest way, and unlike numpy it rejects texts, and None in place of nan.
    """
    return np.frombuffer(struct.Struct(f"={len(values)}d").pack(*values), np.float64)


# Text cells


def rows_of_cells(
    source: str,
    chosen: Chosen,
    query: Field,
    document: Field,
    value: Field,
    line: Callable[[int], int],
    notes: Sequence[str] = (),
) -> Rows:
    """Rows made of cells of text: ids are unchanged, numbers are parsed."""
    cells = zip(chosen.all, (query, document, value), strict=True)
    refuse(
        Problem("is empty; every row needs a value", source, line(row), name)
        for name, field in cells
        for row in np.flatnonzero(field.start == field.end)[:MAX_SHOWN].tolist()
    )
    try:
        read = _read_grades(value) if chosen.kind == "grade" else decimals(value)
    except MalformedError as error:
        row = int(np.searchsorted(value.start, error.at, "right")) - 1
        raise DataError([Problem(error.problem, source, line(row), chosen.value)]) from None
    return rows_of(source, chosen, query, document, read, line=line, notes=notes)


def _read_grades(value: Field) -> Floats:
    """The numbers in cells, some of which may be true or false."""
    try:
        return decimals(value)
    except MalformedError:
        words = [cell.lower() for cell in texts_of(value)]
        if not {"true", "false"}.intersection(words):
            raise
    spelled = field_of([_TRUTH.get(word, word.encode()) for word in words])
    try:
        return decimals(spelled)
    except MalformedError as error:
        row = int(np.searchsorted(spelled.start, error.at, "right")) - 1
        raise MalformedError(int(value.start[row]), error.problem) from None


_TRUTH = {"true": b"1", "false": b"0"}


# Polars series


def rows_of_frame(frame: "pl.DataFrame", chosen: Chosen, source: str) -> Rows:
    """Rows made of a polars frame, numbered from 1."""
    query, document, value = (frame[name] for name in chosen.all)
    refuse(
        Problem(f"is null{_more(column)}; every row needs a value", source, row + 1, column.name)
        for column in (query, document, value)
        for row in column.is_null().arg_true()[:1].to_list()
    )
    if not len(frame):
        raise DataError([Problem("is empty: it has no rows", source)])
    query, document = (_texts(column, source) for column in (query, document))
    number = _numeric(value, source, chosen.kind)
    first = (query != query.shift(1)).fill_null(value=True).arg_true()
    return rows_of(
        source,
        chosen,
        field_of_series(query.gather(first)),
        field_of_series(document),
        number,
        first=first.to_numpy().astype(np.int64),
    )


def _more(column: "pl.Series") -> str:
    more = column.null_count() - 1
    return f", and so are {more:,} more" if more else ""


def _texts(column: "pl.Series", source: str) -> "pl.Series":
    import polars as pl

    dtype = column.dtype
    if dtype == pl.String:
        return column
    if dtype.is_integer() or isinstance(dtype, pl.Categorical | pl.Enum):
        return column.cast(pl.String)
    why = ", because numbers may have lost digits" if dtype.is_float() else ""
    what = f"must be text, is {dtype}; give ids as texts{why}"
    raise DataError([Problem(what, source, None, column.name)])


def _numeric(column: "pl.Series", source: str, kind: Value) -> Floats:
    import polars as pl

    if column.dtype.is_numeric() or (kind == "grade" and column.dtype == pl.Boolean):
        return column.cast(pl.Float64).to_numpy()
    what = f"must be numbers, is {column.dtype}; cast it, or write the {kind} as a number"
    raise DataError([Problem(what, source, None, column.name)])
