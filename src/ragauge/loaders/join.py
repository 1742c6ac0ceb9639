"""Join the answers of several systems with the gold by id."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragauge.errors import Problem
from ragauge.loaders.table import listed
from ragauge.sample import DEFAULT_SYSTEM, FieldError, Row, read_value


@dataclass(frozen=True, slots=True)
class Joined:
    """The joined rows, notes on them, and contradictions between the sources."""

    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def join_gold(rows: Sequence[Row], gold: Sequence[Row]) -> Joined:
    """The answers with the gold's fields of their questions.

    A field may be in both if its values are equal. A gold question that a system did not answer
    becomes a row without an answer; an answer to a question that is not in the gold is kept.
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
    # In the gold's order, unknown questions last, so that --limit takes the same questions of every
    # system.
    place = {id: number for number, id in enumerate(by_id)}
    joined.sort(key=lambda row: place.get(_name_of(row, "id") or "", len(place)))
    return Joined(tuple(joined), tuple(notes), tuple(problems))


def gaps_between_systems(rows: Sequence[Row]) -> tuple[str, ...]:
    """Notes on questions that one system answers and another does not."""
    answered = _ids_by_system(rows)
    everything = dict.fromkeys(id for ids in answered.values() for id in ids)
    notes: list[str] = []
    for system, ids in answered.items():
        missing = [id for id in everything if id not in ids]
        notes += _counts(system, missing, [], len(everything)) if ids else []
    return tuple(notes)


def _ids_by_system(rows: Sequence[Row]) -> dict[str, dict[str, None]]:
    """Each system's ids, in order of first appearance."""
    answered: dict[str, dict[str, None]] = {}
    for row in rows:
        ids = answered.setdefault(_name_of(row, "system") or DEFAULT_SYSTEM, {})
        if (id := _name_of(row, "id")) is not None:
            ids[id] = None
    return answered


def _name_of(row: Row, field: str) -> str | None:
    """The row's id or system as it is stored; None if missing or invalid."""
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
            f"{counted} no id, so answers and gold cannot be joined; "
            "add an id to each question in both, or map the column: --map id=COLUMN",
            source,
            several[0].line,
        )
        for source, several in by_source.items()
        for counted in [f"{len(several)} {'row has' if len(several) == 1 else 'rows have'}"]
    ]


def _merged(row: Row, gold: Row | None, problems: list[Problem]) -> Row:
    if gold is None:
        return row
    for name, value in row.values.items():
        expected = gold.values.get(name)
        if name != "id" and None not in (value, expected) and not _same(name, value, expected):
            place = gold.source if gold.line is None else f"{gold.source}:{gold.line}"
            problem = (
                f"is {_short(value)} here, but {_short(expected)} in {place}; keep one of the two"
            )
            problems.append(Problem(problem, row.source, row.line, name, _name_of(row, "id")))
    given = {name: value for name, value in row.values.items() if value is not None}
    return Row({**row.values, **gold.values, **given}, row.source, row.line)


def _same(name: str, value: object, expected: object) -> bool:
    """Whether the two are equal; True if one is invalid, which is reported elsewhere."""
    try:
        left, right = read_value(name, value), read_value(name, expected)
        return left == right or str(left) == str(right)
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
        notes.append(f"system {system!r} did not answer {counted}: {listed(list(missing))}")
    if unknown:
        counted = f"{len(unknown)} question{'s' * (len(unknown) > 1)} not in the gold"
        notes.append(f"system {system!r} answers {counted}; kept: {listed(list(unknown))}")
    return notes


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
