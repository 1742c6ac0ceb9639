"""Rows of query, document and value in the order of a source, and names as columns of bytes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ragauge.errors import DataError, Problem
from ragauge.rankings.arrays import Bytes, Floats, Ints
from ragauge.rankings.judgements import Judgements, bytes_of, checked_numbers, text_of
from ragauge.rankings.reading.lookup import repeats
from ragauge.rankings.reading.scan import SLACK, Field, digests, padded, paired

if TYPE_CHECKING:
    import polars as pl

LARGEST_GRADE = 2**31
"""Grades must be smaller than this."""


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

    def block_of(self, row: int) -> int:
        return int(np.searchsorted(self.first, row, "right")) - 1

    def problem(self, row: int, message: str, field: str | None = None) -> Problem:
        """A problem that names the row's line and query."""
        query = text_of(self.query.name(self.block_of(row)))
        return Problem(message, self.source, self.line(row), field, query)

    def numbered(self) -> tuple[Field, Ints]:
        """The distinct queries as they first appear, and the number of each block's query."""
        import polars as pl

        # Many times faster than np.unique if queries are interleaved, so that blocks are short.
        blocks = pl.DataFrame({"digest": digests(self.query)}).with_row_index("block")
        firsts = blocks.unique("digest", keep="first", maintain_order=True)
        numbers = firsts.with_row_index("number").drop("block")
        found = blocks.join(numbers, on="digest", how="left", maintain_order="left")["number"]
        first, number = checked_numbers(self.query, _integers(firsts["block"]), _integers(found))
        return self.query.take(first), number


def _integers(column: "pl.Series") -> Ints:
    return column.to_numpy().astype(np.int64)


def refuse(problems: Iterable[Problem]) -> None:
    """Raise DataError if there are problems."""
    if found := tuple(problems):
        raise DataError(found)


def refuse_bad_names(rows: Rows) -> None:
    """DataError for names that are empty, or contain NUL, with which digests pad short names."""
    for field, names in (("query", rows.query), ("document", rows.document)):
        first = rows.first if field == "query" else np.arange(len(rows))
        empty = first[np.flatnonzero(names.start == names.end)]
        what = f"is empty; every {field} needs a name"
        refuse(Problem(what, rows.source, rows.line(row), field) for row in empty.tolist())
        if (names.text == 0).any():
            bad = [row for row in range(len(names)) if b"\0" in names.name(row)]
            what = "has a NUL byte; fix the export that wrote it"
            lines = (rows.line(int(first[row])) for row in bad)
            refuse(Problem(what, rows.source, line, field) for line in lines)


def judged(rows: Rows) -> Judgements:
    """The rows as judgements; DataError for fractional grades and documents judged twice."""
    is_whole = (rows.value == np.floor(rows.value)) & (np.abs(rows.value) < LARGEST_GRADE)
    refuse(
        rows.problem(row, f"grade {rows.value[row]:g} is not a whole number", "grade")
        for row in np.flatnonzero(~is_whole).tolist()
    )
    _, number = rows.numbered()
    block = np.repeat(np.arange(len(rows.first)), np.diff(rows.first, append=len(rows)))
    alike = pairs_alike(rows.document, number[block])
    refuse(repeated(rows, one, other, "is judged twice") for one, other in alike)
    query = rows.query.take(block)
    return Judgements.from_fields(query, rows.document, rows.value.astype(np.int64), rows.source)


def pairs_alike(document: Field, number: Ints) -> Iterator[tuple[int, int]]:
    """Pairs of rows with the same document for the same query; both arguments are (n,)."""
    found = repeats(paired(digests(document), number))
    one, other = np.array(found, np.int64).reshape(-1, 2).T
    is_same = document.same(one, document, other) & (number[one] == number[other])
    return (pair for pair, is_so in zip(found, is_same, strict=True) if is_so)


def repeated(rows: Rows, one: int, other: int, what: str) -> Problem:
    """A problem for two rows with the same document for the same query."""
    earlier, later = sorted((one, other))
    name = text_of(rows.document.name(earlier))
    message = (
        f"document {name!r} {what} for its query, first at line {rows.line(earlier)}; remove one"
    )
    return rows.problem(later, message)


# Names as columns


def field_of_texts(names: Sequence[str]) -> Field:
    """A field of names; UnicodeEncodeError for a lone surrogate.

    >>> field_of_texts(["d1", "é"]).name(1)
    b'\\xc3\\xa9'
    """
    joined = "".join(names)
    if joined.isascii():
        text, sizes = joined.encode(), map(len, names)
    else:
        spelled = [bytes_of(name) for name in names]
        text, sizes = b"".join(spelled), map(len, spelled)
    length = np.fromiter(sizes, np.int64, len(names))
    end = np.cumsum(length)
    return Field(padded(text + _AFTER), end - length, end)


_AFTER = b"\n"
"""Follows the last name, because a field is cut out of lines and never ends where its text ends."""


def field_of_series(names: "pl.Series") -> Field:
    """A field made of a column of texts without nulls."""
    import polars as pl

    end = np.cumsum(names.str.len_bytes().to_numpy(), dtype=np.int64)
    start = np.concatenate([np.zeros(1, np.int64), end[:-1]])[: len(end)]
    pieces = [
        names[at : at + _JOINED].str.join("").cast(pl.Binary).item()
        for at in range(0, len(names), _JOINED)
    ]
    return Field(padded(b"".join([*pieces, _AFTER])), start, end)


_JOINED = 1 << 20
"""Names that polars joins at a time: a polars text is limited to 4 GB."""


def texts_of(field: Field) -> list[str]:
    """All names of a field.

    >>> texts_of(field_of_texts(["d1", "d2"]))
    ['d1', 'd2']
    """
    spelled = field.text.tobytes()
    spans = zip(field.start.tolist(), field.end.tolist(), strict=True)
    if spelled.isascii():
        text = spelled.decode()
        return [text[start:end] for start, end in spans]
    return [text_of(spelled[start:end]) for start, end in spans]


def series_of(title: str, field: Field) -> "pl.Series":
    """The names as a column of texts; UnicodeDecodeError where they are not UTF-8."""
    import polars as pl

    rows = np.arange(len(field))
    pieces = [
        _split_by_polars(title, field.take(rows[at : at + _JOINED]))
        for at in range(0, len(field), _JOINED)
    ]
    return pl.concat(pieces) if pieces else pl.Series(title, [], pl.String)


def _split_by_polars(title: str, field: Field) -> "pl.Series":
    import polars as pl

    names, length = bytes_in_order(field), field.end - field.start
    if (names == ord("\n")).any():
        spelled = [field.name(row).decode() for row in range(len(field))]
        return pl.Series(title, spelled, pl.String)
    # A line feed after each name: polars then cuts them apart itself.
    spaced = np.full(len(names) + len(field), ord("\n"), np.uint8)
    spaced[np.arange(len(names)) + np.repeat(np.arange(len(field)), length)] = names
    text = spaced[:-1].tobytes().decode()
    return pl.Series(title, [text], pl.String).str.split("\n").explode()


def bytes_in_order(field: Field) -> Bytes:
    """The names of a field one after the other, with nothing between them."""
    length = field.end - field.start
    new_start = np.cumsum(length) - length
    return field.text[np.repeat(field.start - new_start, length) + np.arange(length.sum())]


def field_of_pieces(pieces: Sequence[Bytes], length: Ints) -> Field:
    """A field of names that are consecutive in pieces of text."""
    end = np.cumsum(length)
    around = np.zeros(sum(map(len, pieces)) + len(_AFTER) + 2 * SLACK, np.uint8)
    np.concatenate([*pieces, np.frombuffer(_AFTER, np.uint8)], out=around[SLACK:-SLACK])
    return Field(around[SLACK : len(around) - SLACK], end - length, end)
