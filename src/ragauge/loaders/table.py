"""The table that every format is read into, before columns are mapped to fields."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ragauge.errors import Problem
from ragauge.samples.samples import Row


class NeedsAllRowsError(Exception):
    """What a source holds can only be read with all rows in memory; the message says what it is."""


@dataclass(frozen=True)
class Table:
    """Rows under the source's column names, and the problems of reading them.

    `line` of a row is its line in the file, or its number from 1 where there are no lines.
    `all_text`: every cell is text (CSV), so lists, numbers and nulls are still to be read.
    `may_print_lists`: lists may be text, as in a frame that was read from CSV.
    """

    rows: tuple[Row, ...]
    source: str
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    all_text: bool = False
    may_print_lists: bool = False

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order of first appearance."""
        names: dict[str, None] = {}
        for row in self.rows:
            if row.values.keys() - names.keys():
                names |= dict.fromkeys(row.values)
        return tuple(names)

    def with_values(self, given: Iterable[Mapping[str, object]], *notes: str) -> "Table":
        """The table with other values in its rows, and more notes."""
        rows = zip(self.rows, given, strict=True)
        read = tuple(Row(values, row.source, row.line) for row, values in rows)
        return replace(self, rows=read, notes=(*self.notes, *notes))


def unreadable(source: str, problem: str, line: int | None = None) -> Table:
    """An empty table with the problem that made its source unreadable."""
    return Table((), source, problems=(Problem(problem, source, line),))


def tables_of(
    rows: Iterable[tuple[Row, int]],
    source: str,
    most_bytes: float,
    problems: list[Problem],
    notes: list[str] | None = None,
    *,
    all_text: bool = False,
) -> Iterator[Table]:
    """Rows, each with its size, in tables of about `most_bytes`; each has the problems and notes found by then."""
    kept: list[Row] = []
    notes = [] if notes is None else notes
    size, is_first = 0, True
    for row, n_bytes in rows:
        kept.append(row)
        size += n_bytes
        if size >= most_bytes:
            yield Table(tuple(kept), source, tuple(notes), tuple(problems), all_text)
            for given in (kept, problems, notes):
                given.clear()
            size, is_first = 0, False
    if kept or problems or is_first:
        yield Table(tuple(kept), source, tuple(notes), tuple(problems), all_text)


def listed(names: Sequence[str], most: int = 10, *, n_all: int | None = None) -> str:
    """The first names and the number of the others; `n_all` counts all if `names` are only some."""
    n_more = (len(names) if n_all is None else n_all) - len(names[:most])
    more = f" … and {n_more} more" if n_more > 0 else ""
    return ", ".join(names[:most]) + more
