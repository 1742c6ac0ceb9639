"""What a command shows: a headline, tables, notes and what to do next. Knows no format and no run."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

Records = tuple[Sequence[str], Iterable[Sequence[object]]]  # a header and rows of plain values


YES, NO = "✓", "✗"  # signs that a label may be, shown in green and red
MARK = "*"  # the mark of a significant difference, shown in red


class Cell(NamedTuple):
    """A cell with more to it than a text: perhaps the best number of its row, or one with a mark behind it.

    `mark` has signs or letters of ours, `detail` an interval, `remark` what to mind in a terminal. `value` is what
    CSV and JSON have in its place: a number in full, or None for one that does not exist.
    """

    text: str
    mark: str = ""
    is_best: bool = False
    detail: str = ""
    remark: str = ""
    is_quiet: bool = False
    value: object = ""

    def __str__(self) -> str:
        return f"{self.text}{self.mark} {self.detail}".rstrip()

    @property
    def style(self) -> str:
        """How a terminal shows the text."""
        return "bold" if self.is_best else "dim" if self.is_quiet else ""


def figure(value: float | None, form: str = ",") -> Cell:
    """A number: as people read it, and in full for programs; a dash and None for one that does not exist."""
    return Cell("–" if value is None else format(value, form), value=value)


def several(texts: Iterable[str]) -> Cell:
    """Texts in one cell: with commas for people, a list for programs."""
    each = [*texts]
    return Cell(", ".join(each), value=each)


@dataclass(frozen=True, slots=True)
class Table:
    """A table. The first `n_names` columns are names, aligned left; the others are numbers.

    `gives_way` has the places of columns that a narrow terminal leaves out together, those that are left out
    first in front. With `wraps` the columns after the first are texts, which a terminal wraps.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str | Cell]]
    n_names: int = 1
    gives_way: Sequence[Sequence[int]] = ()
    narrower: Sequence["Table"] = ()  # in place of the table, the widest first; without `gives_way`
    missing: Sequence[str] = ()  # what a narrower table lacks
    gap: int = 3  # blanks between two columns of a terminal where there is room
    wraps: bool = False
    splits: bool = False  # a narrow terminal shows several tables below each other
    title: str = ""
    caption: str = ""  # what a paper says below the table; the report's headline by default
    small_print: str = ""  # what a paper says in small print below the table
    is_cut: bool = True  # in a terminal too narrow for every layout, whose lines are longer else
    closing: Sequence[str] = ()  # plain lines below the table, also without one
    legend: Sequence[str] = ()  # what Markdown and HTML say below the table, a paragraph each
    notes: Sequence[str] = ()  # notes on this table alone
    level: int = 3  # that of the title in Markdown
    only_in: Sequence[str] = ()  # the formats that have the table; empty for all

    sides: str = ""  # `l` or `r` for each column, if texts follow numbers

    @property
    def alignment(self) -> str:
        """`l` or `r` for each column."""
        return self.sides or "l" * self.n_names + "r" * (len(self.header) - self.n_names)

    @property
    def texts(self) -> Sequence[Sequence[str]]:
        """The rows with their marks."""
        return [[str(cell) for cell in row] for row in self.rows]

    @property
    def values(self) -> Sequence[Sequence[object]]:
        """The rows as programs read them: the values of the cells, or else their texts."""
        return [
            [
                cell.value if isinstance(cell, Cell) and cell.value != "" else str(cell)
                for cell in row
            ]
            for row in self.rows
        ]

    def without(self, places: Sequence[int]) -> "Table":
        """The table without these columns."""
        kept = [place for place in range(len(self.header)) if place not in places]
        return replace(
            self,
            header=[self.header[place] for place in kept],
            rows=[[row[place] for place in kept] for row in self.rows],
            n_names=sum(place < self.n_names for place in kept),
            missing=[name for place, name in enumerate(self.header) if place in places],
        )


class Items(NamedTuple):
    """A list of lines, each perhaps with questions to open; without a title its lines are sentences."""

    title: str
    lines: Sequence[tuple[str, str]]  # text, and id or ids, or an empty text

    @classmethod
    def of_texts(cls, title: str, texts: Iterable[str]) -> "Items":
        return cls(title, [(text, "") for text in texts])


class Lines(NamedTuple):
    """Labels and their texts, perhaps below a title and below a name with a value and a remark."""

    lines: Sequence[tuple[str, str]]
    title: str = ""
    heading: Sequence[str] = ()


def _nothing() -> None:
    return None


@dataclass(frozen=True)
class Report:
    """What people and programs read of a result. Every text is plain; the writers escape it.

    `legend` says how the numbers were made, `notes` how to read the tables and what does not count;
    `commands` what to type next, `command_for_all` what shows everything. `records` are what CSV has, by
    default the first table; `data` is what JSON has, by default headline, tables (or the records in their place) and notes.
    """

    headline: str
    title: str = ""
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    items: Sequence[Items] = ()
    commands: Sequence[str] = ()
    records: Callable[[], Records | None] = field(default=_nothing, repr=False)
    data: Callable[[], object] = field(default=_nothing, repr=False)
    notes_shown: int | None = None  # most notes that a terminal shows; the others are counted
    legend: str = ""
    lines: Sequence[Lines] = ()
    command_for_all: str = ""
    brief: "Callable[[bool], Report] | None" = field(default=None, repr=False)  # for a terminal
    cuts_notes: bool = False  # whether a terminal shows each note in one line
    most_lines: int | None = None  # of a terminal: blank lines give way, before them `shorter`'s
    shorter: "Callable[[], Report | None]" = field(default=_nothing, repr=False)  # with less
    more: Sequence[Table] = ()  # what a terminal shows at the end, below any number of lines

    def tables_in(self, form: str) -> Sequence[Table]:
        """The tables that a format has."""
        return [table for table in self.tables if not table.only_in or form in table.only_in]
