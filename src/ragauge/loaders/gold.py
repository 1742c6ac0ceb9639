"""Gold in a source of its own: its fields and turns, and the join with the answers to its questions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from ragauge.conversations.tool_calls import list_of
from ragauge.errors import Problem
from ragauge.loaders.mapping import ALIASES_IN_GOLD, GIVEN_BY_ANSWERS, field_of
from ragauge.loaders.pairing import (
    NO_ID_IN_COMMON,
    Conflicts,
    excerpt,
    name_of,
    question_of,
    same_value,
    unanswered_note,
)
from ragauge.loaders.pieces import SamplePieces
from ragauge.loaders.questions import (
    COMPARED_AT_ONCE,
    NAMED,
    Numbering,
    Questions,
    duplicate_problem,
)
from ragauge.loaders.rows import Decisions
from ragauge.loaders.shapes import conversations
from ragauge.loaders.table import Table, listed
from ragauge.samples.fields import DEFAULT_SYSTEM, Row, read_values

if TYPE_CHECKING:
    Flags = NDArray[np.bool_]
    Ints = NDArray[np.int64]


def gold_fields(gold: Table, chosen: Mapping[str, str]) -> Table:
    """The gold with fields as names, and with the problems of its values."""
    if not gold.rows:
        return gold
    here = {
        field: column
        for field, column in chosen.items()
        if column in gold.columns and field not in GIVEN_BY_ANSWERS
    }
    decisions = Decisions(here, is_whole=True, aliases=ALIASES_IN_GOLD)
    of_values: list[Problem] = []
    rows: tuple[Row, ...] = tuple(decisions.read(gold, of_values))
    names = (Problem(text, gold.source) for text in decisions.naming().problems)
    problems = [*gold.problems, *names, *of_values]
    if rows and not problems:
        problems = _problems_of(rows)
    notes = (*gold.notes, *decisions.notes())
    return replace(gold, rows=rows, notes=notes, problems=tuple(problems))


def _problems_of(rows: Sequence[Row]) -> list[Problem]:
    """Every invalid value and duplicate (id, system) of rows that are read at once."""
    problems: list[Problem] = []
    values = [read_values(row, problems) for row in rows]
    Numbering().fill(values)
    first: dict[tuple[str, str], Row] = {}
    for row, named in zip(rows, values, strict=True):
        key = str(named["id"]), str(named["system"])
        if (before := first.setdefault(key, row)) is not row:
            problems.append(duplicate_problem(row, before, *key))
    return problems


def gold_by_turn(gold: Table, ids: Collection[object]) -> Table:
    """Gold of conversations as a row for each of their turns, which are among the ids; other gold as it is."""
    rows: list[Row] = []
    for row in gold.rows:
        fields = {name: field_of(name) for name in row.values}
        id = next((str(row.values[name]) for name in fields if fields[name] == "id"), "")
        lists = {
            name: list_of(conversations.json_in(row.values[name])) or []
            for name, field in fields.items()
            if field == "expected_calls"
            or (
                field in conversations.OF_TURN
                and conversations.is_over_turns(field, row.values[name])
            )
        }
        if f"{id}#1" not in ids or not lists:
            rows.append(row)
            continue
        others = {name: value for name, value in row.values.items() if name not in lists}
        given = {name: value for name, value in others.items() if fields[name] != "id"}
        for number, items in enumerate(zip_longest(*lists.values()), 1):
            pairs = zip(lists, items, strict=True)
            of_turn = {name: item for name, item in pairs if item is not None}
            named = {"id": f"{id}#{number}", "conversation": id, "turn": number}
            rows.append(replace(row, values={**given, **named, **of_turn}))
    return replace(gold, rows=tuple(rows))


@dataclass(slots=True)
class GoldJoin:
    """Answers, each with an id, that get the fields of the gold of their question; first in `problems`: of the answers."""

    answers: SamplePieces
    questions: Questions
    table: Table
    conflicts: Conflicts
    problems: list[Problem]
    notes: list[str] = field(default_factory=list[str])
    joined: SamplePieces = field(init=False)
    _gold: dict[str, Row] = field(default_factory=dict[str, Row])  # by id, each question once

    def run(self) -> None:
        """Write the joined rows, and find what is wrong with them and what either side lacks."""
        of_gold, of_values = self._read_gold(), list(self.problems)
        place_of, n = {id: number for number, id in enumerate(self._gold)}, len(self._gold)
        ids = (cast("list[str]", piece["id"].to_list()) for piece in self.answers.pieces(["id"]))
        # The place of each row's question in the gold; the number of its questions for others.
        of_ids = (np.array([place_of.get(id, n) for id in some], dtype=np.int32) for some in ids)
        places = np.concatenate(list(of_ids))

        def is_in_gold(name: str) -> "Flags":
            given = [row.values.get(name) is not None for row in self._gold.values()]
            return np.array([*given, False])[places]

        # Fields that the gold has are compared with it, unless the first source counts.
        is_first = self.conflicts.prefer == "first"
        self.questions.compare(self.conflicts, None if is_first else is_in_gold)
        systems = self.questions.systems()
        missing: list[Ints] = []  # by system the places of the questions that it did not answer
        for code in self.answers.systems.values():
            is_answered = np.zeros(n + 1, dtype=np.bool_)
            is_answered[places[systems == code]] = True
            missing.append(np.flatnonzero(~is_answered[:-1]))
        texts: frozenset[str] = frozenset()
        mixed: set[str] | None = None
        while mixed is None or mixed:
            texts |= mixed or set[str]()
            self.problems = list(of_values)
            self.joined = SamplePieces(self.answers.most_bytes, texts)
            self._write(places, missing)
            mixed = self.joined.mixed()
        self.problems[:0] = [*of_gold, *self.conflicts.problems()]
        self.problems += self.questions.duplicates()
        self.notes += [*self.conflicts.notes(), *self._counted(places, systems, missing)]
        if not self.problems:
            self.notes += Questions(self.joined).look_alikes()

    def _read_gold(self) -> list[Problem]:
        """Keep the first row of each question; later ones must say the same, unless the user prefers one."""
        n_repeated = 0
        different: list[tuple[Row, Row]] = []
        for row in self.table.rows:
            id = name_of(row, "id")
            if id is None or (first := self._gold.setdefault(id, row)) is row:
                continue
            n_repeated += 1
            names = {*row.values, *first.values} - {"id", "question"}
            given = ((name, first.values.get(name), row.values.get(name)) for name in names)
            if self.conflicts.prefer is None and not all(same_value(*each) for each in given):
                different.append((first, row))
        if n_repeated:
            counted = "1 row repeats" if n_repeated == 1 else f"{n_repeated:,} rows repeat"
            self.notes.append(f"{counted} a question of the gold; the first of each is used")
        if not different:
            return []
        first, row = different[0]
        n = len({question_of(row) for _, row in different})
        many = f" ({n:,} questions are like this)" if n > 1 else ""
        place = "" if first.line is None else f", first in line {first.line}"
        text = (
            f"{excerpt(row)} is in the gold twice, with different gold{place}{many}; keep one of the two, list all "
            "references in one row, or use the first: --prefer first (in Python prefer=)"
        )
        return [Problem(text, row.source, row.line, "question", name_of(row, "id"))]

    def _write(self, places: "NDArray[np.int32]", missing: "Sequence[Ints]") -> None:
        """Write all rows in the gold's order, those of unknown questions last; unanswered ones are numbered behind."""
        n_rows, gold = len(places), list(self._gold.values())
        order = np.argsort(np.concatenate([places, *missing]), kind="stable")
        starts = np.cumsum([n_rows, *map(len, missing)])
        names = list(self.answers.systems)
        numbering = Numbering()
        for start in range(0, len(order), COMPARED_AT_ONCE):
            numbers = order[start : start + COMPARED_AT_ONCE]
            own = np.sort(numbers[numbers < n_rows])
            read = self.answers.read(own, list(self.answers.kinds)) if len(own) else {}
            rows: list[Row] = []
            for number in cast("list[int]", numbers.tolist()):
                if number < n_rows:
                    expected = self._gold.get(cast(str, read[number].values["id"]))
                    row = read[number]
                    rows.append(row if expected is None else self._with_gold(row, expected, number))
                    continue
                system = int(np.searchsorted(starts, number, side="right")) - 1
                asked = gold[int(missing[system][number - starts[system]])]
                named = {"system": names[system]} if names[system] != DEFAULT_SYSTEM else {}
                values = {**asked.values, **named, "answer": None}
                rows.append(Row(values, asked.source, asked.line))
            columns = [read_values(row, self.problems) for row in rows]
            numbering.fill(columns)
            if not self.problems:
                self.joined.add(columns, rows)

    def _with_gold(self, row: Row, gold: Row, number: int) -> Row:
        """The answer's row with the gold's fields."""
        prefer = self.conflicts.prefer
        names = [
            name
            for name, value in row.values.items()
            if name != "id" and value is not None and gold.values.get(name) is not None
        ]
        if self.joined.texts and prefer != "gold":
            names = []  # differences were counted when the rows were first written
        differing: set[str] = set()
        for name in sorted(names, key=lambda name: name != "question"):
            may_differ = name == "question" and self.conflicts.is_by_place
            if self.conflicts.differs(name, row, gold, number, may_differ=may_differ, is_gold=True):
                differing.add(name)
                if name == "question" and prefer is None:
                    break  # another question has other gold, so there is one cause
        own = {
            name: value
            for name, value in row.values.items()
            if value is not None and not (prefer == "gold" and name in differing)
        }
        return Row({**row.values, **gold.values, **own}, row.source, row.line)

    def _counted(
        self, places: "NDArray[np.int32]", systems: "NDArray[np.uint32]", missing: "Sequence[Ints]"
    ) -> list[str]:
        """Notes on questions without an answer, and on answers to other questions."""
        ids, n_questions = list(self._gold), len(self._gold)
        notes: list[str] = []
        for (system, code), left_out in zip(self.answers.systems.items(), missing, strict=True):
            unknown = np.flatnonzero((systems == code) & (places == n_questions))
            if len(left_out):
                first = [ids[place] for place in cast("list[int]", left_out[:NAMED].tolist())]
                notes.append(unanswered_note(system, first, len(left_out), n_questions))
            if n := len(unknown):
                named = self.answers.rows(unknown[:NAMED], ["id"])["id"].to_list()
                counted = f"{n} question{'s' * (n > 1)} not in the gold"
                notes.append(f"system {system!r} answers {counted}; kept: {listed(named, n_all=n)}")
        if n_questions and (places == n_questions).all():
            notes.append(NO_ID_IN_COMMON)
        return notes
