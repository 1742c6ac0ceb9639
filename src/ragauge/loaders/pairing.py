"""Which rows are about the same question: by their ids, by the question's text, or by place."""

from collections.abc import Sequence
from itertools import count

from ragauge.errors import Problem
from ragauge.language.characters import normal_form
from ragauge.samples.samples import DEFAULT_SYSTEM, Row, read_value

BY_PLACE = "--by-place (in Python by_place=True)"


def name_of(row: Row, field: str) -> str | None:
    """The row's id or system as it is stored; None if missing or invalid."""
    value = row.values.get(field)
    # Most names: every row has several looked up, and reading them takes longer than all the rest.
    if value is None or (type(value) is str and value.isascii() and value.strip()):
        return value
    try:
        name = read_value(field, value)
    except ValueError:
        return None
    return name if isinstance(name, str) else None


def system_of(row: Row) -> str:
    """The system that the row belongs to."""
    return name_of(row, "system") or DEFAULT_SYSTEM


def folded(text: str) -> str:
    """The text in `lower_ws`: NFC, lower-cased, each run of whitespace as one space, trimmed.

    >>> folded(" What is\\n IT? ")
    'what is it?'
    """
    # As language.text.normalize, which loaders must not import.
    return " ".join(normal_form("NFC", text).lower().split())


def question_of(row: Row) -> str | None:
    """The question's text as rows are paired by it; None if the row has no question."""
    question = row.values.get("question")
    return (folded(question) or None) if isinstance(question, str) else None


def paired_note(n: int) -> str:
    """The note on `n` rows that have the id of other rows with their question."""
    n_rows = "1 row has" if n == 1 else f"{n:,} rows have"
    return f"{n_rows} no id: paired by the text of the question"


def unequal(system: str, n_rows: int, first: str, n_first: int, source: str) -> Problem:
    """The problem of a system with other than the `n_first` rows of the source `first`."""
    return Problem(
        f"system {system!r} has {n_rows:,} rows, but {first} has {n_first:,}; "
        "rows can be paired by place only if their numbers are equal",
        source,
    )


def placed_notes(n: int, n_renamed: int) -> list[str]:
    """The notes on `n` rows of each side that are paired, and on ids that are not used."""
    notes = [f"paired by place: {n:,} rows of each"]
    if n_renamed:
        notes.append(f"{n_renamed:,} ids are not used, as rows are paired by place")
    return notes


def is_unnamed(row: Row) -> bool:
    return row.values.get("id") is None


class Naming:
    """Finds the id of a row by its question, and collects the rows for which there is none.

    A question that no row with an id asks gets the next number that is no id.
    """

    def __init__(self) -> None:
        self._ids: dict[str, list[str]] = {}
        self._taken: set[str] = set()
        self._n = count(1)
        self._asked: set[tuple[str | None, str]] = set()
        self._without_question: dict[str, list[Row]] = {}
        self._repeated: dict[str, list[Row]] = {}
        self._ambiguous: dict[str, list[Row]] = {}

    def learn(self, row: Row) -> None:
        """Take the id of a row that has one; all such rows come before those to be named."""
        id, question = name_of(row, "id"), question_of(row)
        if id is None:
            return
        if id.isdigit():  # only a number could be given again
            self._taken.add(id)
        if question is not None:
            ids = self._ids.setdefault(question, [])
            if id not in ids:
                ids.append(id)

    def _number(self) -> str:
        return next(number for n in self._n if (number := str(n)) not in self._taken)

    def named(self, row: Row, side: str | None) -> Row:
        """The row with an id if it can be found. `side` is its system; None for gold."""
        if not is_unnamed(row):
            return row
        question = question_of(row)
        if question is None:
            self._without_question.setdefault(row.source, []).append(row)
            return row
        if side is not None and (side, question) in self._asked:
            self._repeated.setdefault(row.source, []).append(row)
            return row
        self._asked.add((side, question))
        ids = self._ids.get(question) or self._ids.setdefault(question, [self._number()])
        if len(ids) > 1:
            self._ambiguous.setdefault(row.source, []).append(row)
            return row
        return Row({**row.values, "id": ids[0]}, row.source, row.line)

    def problems(self) -> list[Problem]:
        """One problem for each source and reason, naming the first row."""
        problems: list[Problem] = []
        for source, rows in self._without_question.items():
            n_rows = "1 row has" if len(rows) == 1 else f"{len(rows):,} rows have"
            way_out = f"add an id, or map the column: --map id=COLUMN; or use {BY_PLACE}"
            text = f"{n_rows} no id and no question, so they cannot be paired; {way_out}"
            problems.append(Problem(text, source, rows[0].line))
        for source, rows in self._repeated.items():
            text = (
                f"{excerpt(rows[0])} is asked twice without an id{_others(rows, 'question')}, so "
                f"rows cannot be paired by the question; add ids, or use {BY_PLACE}"
            )
            problems.append(Problem(text, source, rows[0].line, "question"))
        for source, rows in self._ambiguous.items():
            ids = self._ids[question_of(rows[0]) or ""]
            text = (
                f"{excerpt(rows[0])} has no id here, and elsewhere the ids {ids[0]!r} and "
                f"{ids[1]!r}{_others(rows, 'question')}; add ids here, or use {BY_PLACE}"
            )
            problems.append(Problem(text, source, rows[0].line, "question"))
        return problems


def excerpt(row: Row) -> str:
    """The question of a row, shortened for a message."""
    text = repr(row.values.get("question"))
    return text if len(text) <= 60 else f"{text[:57]}…'"


def _others(rows: Sequence[Row], what: str) -> str:
    n = len(rows) - 1
    return f" (and {n:,} more {what}{'s' * (n > 1)})" if n else ""
