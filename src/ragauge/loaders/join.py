"""Join the answers of several systems with each other and with the gold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragauge.errors import Problem
from ragauge.loaders.conflicts import Conflicts, Prefer, same_gold
from ragauge.loaders.pairing import (
    BY_PLACE,
    excerpt,
    name_of,
    pair_by_id,
    pair_by_place,
    question_of,
    system_of,
)
from ragauge.loaders.shared_gold import with_shared_gold
from ragauge.loaders.table import listed
from ragauge.samples.samples import DEFAULT_SYSTEM, Row


@dataclass(frozen=True, slots=True)
class Joined:
    """The joined rows, notes on them, and contradictions between the sources."""

    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def join(
    rows: Sequence[Row],
    gold: Sequence[Row] | None = None,
    *,
    prefer: Prefer | None = None,
    by_place: bool = False,
    one_table: bool = False,
) -> Joined:
    """The answers of all systems, paired with each other and with the gold.

    Rows are paired by id, and where there is no id by the question's text; with `by_place` by their
    place. Rows of an id must agree on the fields of the question, unless `prefer` says which counts, or
    all answers are in `one_table` and only their gold differs.
    """
    pair = pair_by_place if by_place else pair_by_id
    paired = pair(rows, gold or ())
    if paired.problems:
        return Joined(tuple(rows), paired.notes, paired.problems)
    conflicts = Conflicts(prefer, by_place, one_table, has_gold=gold is not None)
    unique = Gold(paired.gold, prefer)
    settled = conflicts.between_systems(paired.rows, unique.by_id)
    notes: tuple[str, ...]
    if gold is None:
        joined, shared = (settled, ()) if one_table else with_shared_gold(settled)
        notes = (*shared, *gaps_between_systems(joined))
    else:
        joined, notes = _join_gold(settled, unique.by_id, conflicts)
    notes = (*paired.notes, *unique.notes(), *conflicts.notes(), *notes)
    return Joined(tuple(joined), notes, (*unique.problems, *conflicts.problems()))


class Gold:
    """The gold by id, each question once.

    A question without an id may be repeated if the gold is the same; otherwise it is a problem, or
    with `prefer` the first one counts.
    """

    def __init__(self, rows: Sequence[Row], prefer: Prefer | None) -> None:
        self.by_id: dict[str, Row] = {}
        self._n_repeated = 0
        different: list[tuple[Row, Row]] = []
        for row in rows:
            id = name_of(row, "id")
            if id is None:
                continue
            first = self.by_id.setdefault(id, row)
            self._n_repeated += first is not row
            if first is not row and prefer is None and not same_gold(first, row):
                different.append((first, row))
        self.problems = [_conflicting_gold(different)] if different else []

    def notes(self) -> list[str]:
        n = self._n_repeated
        counted = "1 row repeats a question" if n == 1 else f"{n:,} rows repeat a question"
        return [f"{counted} of the gold; the first of each is used"] if n else []


def _conflicting_gold(different: Sequence[tuple[Row, Row]]) -> Problem:
    first, row = different[0]
    n = len({question_of(row) for _, row in different})
    many = f" ({n:,} questions are like this)" if n > 1 else ""
    place = "" if first.line is None else f", first in line {first.line}"
    text = (
        f"{excerpt(row)} is in the gold twice, with different gold{place}{many}; keep one of the two, list all "
        "references in one row, or use the first: --prefer first (in Python prefer=)"
    )
    return Problem(text, row.source, row.line, "question", name_of(row, "id"))


def _join_gold(
    rows: Sequence[Row], by_id: Mapping[str, Row], conflicts: Conflicts
) -> tuple[list[Row], tuple[str, ...]]:
    """The answers with the gold's fields of their questions, and notes on what either side lacks.

    A gold question that a system did not answer becomes a row without an answer; an answer to a
    question that is not in the gold is kept.
    """
    joined: list[Row] = []
    for row in rows:
        id = name_of(row, "id") or ""
        joined.append(conflicts.with_gold(row, by_id[id], id) if id in by_id else row)
    notes: list[str] = []
    answered = _ids_by_system(rows)
    for system, ids in answered.items():
        missing = [id for id in by_id if id not in ids]
        unknown = [id for id in ids if id not in by_id]
        joined += [unanswered(by_id[id], system) for id in missing]
        notes += _counts(system, missing, unknown, len(by_id))
    if by_id and not any(id in by_id for ids in answered.values() for id in ids):
        notes.append(NO_ID_IN_COMMON)
    # In the gold's order, unknown questions last, so that --limit takes the same questions of every
    # system.
    place = {id: number for number, id in enumerate(by_id)}
    joined.sort(key=lambda row: place.get(name_of(row, "id") or "", len(place)))
    return joined, tuple(notes)


_OTHER_WAYS = (
    "remove the ids to pair rows by the question's text, or, if the rows are in the same order, "
    f"use {BY_PLACE}"
)


def gaps_between_systems(rows: Sequence[Row]) -> tuple[str, ...]:
    """Notes on questions that one system answers and another does not."""
    answered = _ids_by_system(rows)
    # In the order of the rows, whatever the order of the systems.
    everything = dict.fromkeys(id for row in rows if (id := name_of(row, "id")) is not None)
    notes: list[str] = []
    for system, ids in answered.items():
        missing = [id for id in everything if id not in ids]
        notes += _counts(system, missing, [], len(everything)) if ids else []
    if len(answered) > 1 and everything and len(everything) == sum(map(len, answered.values())):
        notes.append(NOTHING_IN_COMMON)
    return tuple(notes)


def _ids_by_system(rows: Sequence[Row]) -> dict[str, dict[str, None]]:
    """Each system's ids, in order of first appearance."""
    answered: dict[str, dict[str, None]] = {}
    for row in rows:
        ids = answered.setdefault(system_of(row), {})
        if (id := name_of(row, "id")) is not None:
            ids[id] = None
    return answered


def unanswered(gold: Row, system: str) -> Row:
    named: Mapping[str, object] = {"system": system} if system != DEFAULT_SYSTEM else {}
    return Row({**gold.values, **named, "answer": None}, gold.source, gold.line)


def unanswered_note(system: str, first: Sequence[str], n: int, n_questions: int) -> str:
    """The note on `n` questions without an answer of the system, of which `first` are the first ids."""
    counted = f"{n} of {n_questions} questions"
    return f"system {system!r} did not answer {counted}: {listed(list(first), n_all=n)}"


NO_ID_IN_COMMON = f"the answers and the gold have no id in common; {_OTHER_WAYS}"
NOTHING_IN_COMMON = f"the systems have no id in common; {_OTHER_WAYS}"


def _counts(
    system: str, missing: Sequence[str], unknown: Sequence[str], n_questions: int
) -> list[str]:
    notes: list[str] = []
    if missing:
        notes.append(unanswered_note(system, missing, len(missing), n_questions))
    if unknown:
        notes.append(unknown_note(system, list(unknown), len(unknown)))
    return notes


def unknown_note(system: str, first: Sequence[str], n: int) -> str:
    """The note on `n` answers to questions that the gold does not have, of which `first` are the first."""
    counted = f"{n} question{'s' * (n > 1)} not in the gold"
    return f"system {system!r} answers {counted}; kept: {listed(list(first), n_all=n)}"
