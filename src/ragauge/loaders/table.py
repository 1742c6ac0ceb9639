"""What every format is read into, before any column has a meaning."""

from dataclasses import dataclass

from ragauge.errors import Problem
from ragauge.sample import Row


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under the source's own column names, and what went wrong reading them.

    `line` of a row is its line in the file, or its number from 1 where there are no lines.
    `all_text` says that the format has nothing but text (CSV), so that lists, numbers and nulls
    have yet to be told from their look. `may_print_lists`: a frame, which holds lists as text when it
    was read from CSV by somebody else.
    """

    rows: tuple[Row, ...]
    source: str
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    all_text: bool = False
    may_print_lists: bool = False

    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in the order in which they first appear."""
        return tuple(dict.fromkeys(name for row in self.rows for name in row.values))


def unreadable(source: str, problem: str, line: int | None = None) -> Table:
    """The table of a source of which nothing could be read."""
    return Table((), source, problems=(Problem(problem, source, line),))


def listed(names: "tuple[str, ...] | list[str]", most: int = 10) -> str:
    """The first names, and how many more there are.

    >>> listed(["a", "b", "c"], most=2)
    'a, b … and 1 more'
    """
    more = f" … and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
