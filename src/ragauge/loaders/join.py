"""Answers of several systems, and the gold that they are held against, joined by id."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragauge.errors import Problem
from ragauge.loaders.table import listed
from ragauge.sample import DEFAULT_SYSTEM, FieldError, Row, read_value


@dataclass(frozen=True, slots=True)
class Joined:
    """The rows, what to say of them, and where the sources contradict each other."""

    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def join_gold(rows: Sequence[Row], gold: Sequence[Row]) -> Joined:
    """The answers with what the gold says of their questions.

    A field may stand in both if it says the same. A gold question that a system did not answer
    becomes a row without an answer; an answer to a question that the gold does not have is kept.
    """
    by_id = {id: row for row in gold if (id := _name_of(row, "id")) is not None}
    nameless = [row for row in (*rows, *gold) if row.values.get("id") is None]
    problems = _without_id(nameless)
    answered = _ids_by_system(rows)
    joined = [_merged(row, by_id.get(_name_of(row, "id") or ""), problems) for row in rows]
    notes: list[str] = []
    for system, ids in answered.items():
        missing = [id for id in by_id if id not in ids]
        unknown = [id for id in ids if id not in by_id]
        joined += [_unanswered(by_id[id], system) for id in missing]
        notes += _counts(system, missing, unknown, len(by_id))
    # In the gold's order, what it does not know last: a limit then takes the same questions of all.
    place = {id: number for number, id in enumerate(by_id)}
    joined.sort(key=lambda row: place.get(_name_of(row, "id") or "", len(place)))
    return Joined(tuple(joined), tuple(notes), tuple(problems))


def gaps_between_systems(rows: Sequence[Row]) -> tuple[str, ...]:
    """What each system does not answer of the questions that another does."""
    answered = _ids_by_system(rows)
    everything = dict.fromkeys(id for ids in answered.values() for id in ids)
    notes: list[str] = []
    for system, ids in answered.items():
        missing = [id for id in everything if id not in ids]
        notes += _counts(system, missing, [], len(everything)) if ids else []
    return tuple(notes)


def _ids_by_system(rows: Sequence[Row]) -> dict[str, dict[str, None]]:
    """Each system's ids, both in the order in which they first appear."""
    answered: dict[str, dict[str, None]] = {}
    for row in rows:
        ids = answered.setdefault(_name_of(row, "system") or DEFAULT_SYSTEM, {})
        if (id := _name_of(row, "id")) is not None:
            ids[id] = None
    return answered


def _name_of(row: Row, field: str) -> str | None:
    """The row's id or system as it is stored, or None when it has none that can be."""
    try:
        name = read_value(field, row.values.get(field))
    except ValueError:
        return None
    return name if isinstance(name, str) else None


def _without_id(rows: Sequence[Row]) -> list[Problem]:
    """One problem for each source with rows that cannot be joined."""
    by_source: dict[str, list[Row]] = {}
    for row in rows:
        by_source.setdefault(row.source, []).append(row)
    return [
        Problem(
            f"{len(several)} rows have no id, so answers and gold cannot be joined; "
            "give each question an id in both, or name the column: --map id=COLUMN",
            source,
            several[0].line,
        )
        for source, several in by_source.items()
    ]


def _merged(row: Row, gold: Row | None, problems: list[Problem]) -> Row:
    if gold is None:
        return row
    for name, value in row.values.items():
        expected = gold.values.get(name)
        if name != "id" and None not in (value, expected) and not _same(name, value, expected):
            place = gold.source if gold.line is None else f"{gold.source}:{gold.line}"
            problem = f"is {_short(value)}, but {_short(expected)} in {place}; keep one of them"
            problems.append(Problem(problem, row.source, row.line, name, _name_of(row, "id")))
    said = {name: value for name, value in row.values.items() if value is not None}
    return Row({**row.values, **gold.values, **said}, row.source, row.line)


def _same(name: str, value: object, expected: object) -> bool:
    """Whether both say the same; also when one cannot be read, which is said elsewhere."""
    try:
        one, other = read_value(name, value), read_value(name, expected)
        return one == other or str(one) == str(other)
    except (FieldError, RecursionError):
        return True


def _unanswered(gold: Row, system: str) -> Row:
    named: Mapping[str, object] = {"system": system} if system != DEFAULT_SYSTEM else {}
    return Row({**gold.values, **named, "answer": None}, gold.source, gold.line)


def _counts(
    system: str, missing: Sequence[str], unknown: Sequence[str], n_questions: int
) -> list[str]:
    notes: list[str] = []
    if missing:
        counted = f"{len(missing)} of {n_questions} questions"
        notes.append(f"system {system!r} gave no answer to {counted}: {listed(list(missing))}")
    if unknown:
        counted = f"{len(unknown)} questions that the gold does not have"
        notes.append(f"system {system!r} answers {counted}, kept: {listed(list(unknown))}")
    return notes


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
