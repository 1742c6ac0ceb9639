"""What a command shows: a headline, tables, notes and what to do next. Knows no format and no run."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

Records = tuple[Sequence[str], Iterable[Sequence[object]]]
"""A header and rows of plain values."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell whose number is the best of its row, or has a mark behind it: signs or letters of ours."""

    text: str
    mark: str = ""
    is_best: bool = False

    def __str__(self) -> str:
        return f"{self.text}{self.mark}"


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
    narrower: Sequence["Table"] = ()
    """What a narrow terminal shows in place of the table, the widest first; then `gives_way` has no meaning."""
    missing: Sequence[str] = ()
    """What a narrower table lacks."""
    gap: int = 3
    """Blanks between two columns of a terminal where there is room."""
    wraps: bool = False
    title: str = ""
    caption: str = ""
    """What a paper says below the table; the report's headline by default."""
    legend: str = ""
    """What Markdown and HTML say below the table."""
    only_in: Sequence[str] = ()
    """The formats that have the table; empty for all."""

    @property
    def alignment(self) -> str:
        """`l` or `r` for each column."""
        return "l" * self.n_names + "r" * (len(self.header) - self.n_names)

    @property
    def texts(self) -> Sequence[Sequence[str]]:
        """The rows with their marks."""
        return [[str(cell) for cell in row] for row in self.rows]

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


@dataclass(frozen=True, slots=True)
class Items:
    """A list of lines, each perhaps with questions to open; without a title its lines are sentences."""

    title: str
    lines: Sequence[tuple[str, str]]
    """Text, and id or ids, or an empty text."""

    @classmethod
    def of_texts(cls, title: str, texts: Iterable[str]) -> "Items":
        return cls(title, [(text, "") for text in texts])


def _no_records() -> None:
    return None


@dataclass(frozen=True)
class Report:
    """What people and programs read of a result. Every text is plain; the writers escape it.

    `legend` says how the numbers were made, `notes` how to read the tables and what does not count;
    `commands` what to type next. `records` are what CSV has, by default the first table; `data` is what
    JSON has, by default the report itself. `brief` makes what a terminal shows instead; its argument says
    whether everything was asked for.
    """

    headline: str
    title: str = ""
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    items: Sequence[Items] = ()
    commands: Sequence[str] = ()
    records: Callable[[], Records | None] = field(default=_no_records, repr=False)
    data: Callable[[], object] = field(default=_no_records, repr=False)
    notes_shown: int | None = None
    """Most notes that a terminal shows; the others are counted."""
    cuts_notes: bool = False
    """Whether a terminal shows each note in one line."""
    legend: str = ""
    brief: "Callable[[bool], Report] | None" = field(default=None, repr=False)

    def tables_in(self, form: str) -> Sequence[Table]:
        """The tables that a format has."""
        return [table for table in self.tables if not table.only_in or form in table.only_in]
