"""Give rows of the same question the same id: by their ids, by the question's text, or by place."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count

from ragauge.errors import Problem
from ragauge.language.normal_form import normal_form
from ragauge.samples.samples import DEFAULT_SYSTEM, Row, read_value

BY_PLACE = "--by-place (in Python by_place=True)"


@dataclass(frozen=True, slots=True)
class Paired:
    """Answers and gold with ids, notes on how they were paired, and why rows could not be."""

    rows: Sequence[Row]
    gold: Sequence[Row] = ()
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


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


def pair_by_id(rows: Sequence[Row], gold: Sequence[Row] = ()) -> Paired:
    """The rows, where those without an id have the id of the rows that ask the same question.

    A question that no row with an id asks gets a number that is no id yet. Rows of a single system
    without gold are unchanged: there is nothing to pair them with.
    """
    unnamed = [row for row in (*gold, *rows) if is_unnamed(row)]
    if not unnamed or not _has_sides(rows, gold):
        return Paired(rows, gold)
    naming = Naming((*gold, *rows))
    named_gold = [naming.named(row, None) for row in gold]
    named_rows = [naming.named(row, system_of(row)) for row in rows]
    return Paired(named_rows, named_gold, (paired_note(len(unnamed)),), naming.problems())


def paired_note(n: int) -> str:
    """The note on `n` rows that have the id of other rows with their question."""
    n_rows = "1 row has" if n == 1 else f"{n:,} rows have"
    return f"{n_rows} no id: paired by the text of the question"


def pair_by_place(rows: Sequence[Row], gold: Sequence[Row] = ()) -> Paired:
    """The rows, where the n-th rows of the gold and of every system have the same id.

    The ids are those of the gold, or else of the first system; numbers if it lacks an id. All must
    have the same number of rows.
    """
    if not _has_sides(rows, gold):
        return Paired(rows, gold)
    sides: dict[str, list[Row]] = {}
    for row in rows:
        sides.setdefault(system_of(row), []).append(row)
    first = list(gold) or next(iter(sides.values()))
    problems = [
        unequal(system, len(several), first[0].source, len(first), several[0].source)
        for system, several in sides.items()
        if len(several) != len(first)
    ]
    if problems:
        return Paired(rows, gold, problems=tuple(problems))
    given = [name_of(row, "id") for row in first]
    ids = [id for id in given if id is not None]
    if len(set(ids)) < len(first):
        ids = [str(number) for number in range(1, len(first) + 1)]
    places = {system: iter(ids) for system in sides}
    paired = [_with_id(row, next(places[system_of(row)])) for row in rows]
    renamed = {id for row, new in zip(rows, paired, strict=True) if (id := _other_id(row, new))}
    notes = placed_notes(len(first), len(renamed))
    named_gold = [_with_id(row, id) for row, id in zip(gold, ids, strict=False)]
    return Paired(paired, named_gold, tuple(notes))


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


def _has_sides(rows: Sequence[Row], gold: Sequence[Row]) -> bool:
    """Whether there is anything to pair: gold, or several systems."""
    systems = map(system_of, rows)
    first = next(systems, None)
    return bool(gold) or any(system != first for system in systems)


def is_unnamed(row: Row) -> bool:
    return row.values.get("id") is None


def _with_id(row: Row, id: str) -> Row:
    return Row({**row.values, "id": id}, row.source, row.line)


def _other_id(row: Row, new: Row) -> str | None:
    """The id that the row had before, if it has another one now."""
    before = name_of(row, "id")
    return None if before is None or before == new.values["id"] else before


class Naming:
    """Finds the id of a row by its question, and collects the rows for which there is none.

    A question that no row with an id asks gets the next number that is no id.
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        self._ids = _ids_by_question(row for row in rows if not is_unnamed(row))
        taken = {name_of(row, "id") for row in rows if not is_unnamed(row)}
        self._numbers = (number for n in count(1) if (number := str(n)) not in taken)
        self._asked: dict[tuple[str | None, str], Row] = {}
        self._without_question: dict[str, list[Row]] = {}
        self._repeated: dict[str, list[Row]] = {}
        self._ambiguous: dict[str, list[Row]] = {}

    def named(self, row: Row, side: str | None) -> Row:
        """The row with an id if it can be found. `side` is its system; None for gold."""
        if not is_unnamed(row):
            return row
        question = question_of(row)
        if question is None:
            self._without_question.setdefault(row.source, []).append(row)
            return row
        if self._asked.setdefault((side, question), row) is not row and side is not None:
            self._repeated.setdefault(row.source, []).append(row)
            return row
        ids = self._ids.get(question) or self._ids.setdefault(question, [next(self._numbers)])
        if len(ids) > 1:
            self._ambiguous.setdefault(row.source, []).append(row)
            return row
        return _with_id(row, ids[0])

    def problems(self) -> tuple[Problem, ...]:
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
        return tuple(problems)


def _ids_by_question(rows: Iterable[Row]) -> dict[str, list[str]]:
    """The ids under which each question is asked."""
    ids: dict[str, dict[str, None]] = {}
    for row in rows:
        question, id = question_of(row), name_of(row, "id")
        if question is not None and id is not None:
            ids.setdefault(question, {})[id] = None
    return {question: list(names) for question, names in ids.items()}


def excerpt(row: Row) -> str:
    """The question of a row, shortened for a message."""
    text = repr(row.values.get("question"))
    return text if len(text) <= 60 else f"{text[:57]}…'"


def _others(rows: Sequence[Row], what: str) -> str:
    n = len(rows) - 1
    return f" (and {n:,} more {what}{'s' * (n > 1)})" if n else ""
