"""Find fields of a question that differ between its rows, and settle them by the user's choice."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal, cast, get_args

from ragauge.errors import Problem, did_you_mean
from ragauge.loaders.pairing import BY_PLACE, excerpt, folded, name_of, question_of, system_of
from ragauge.loaders.table import listed
from ragauge.samples.samples import DEFAULT_SYSTEM, FieldError, Row, read_value

Prefer = Literal["gold", "answers", "first"]
"""Whose value counts: that of the gold, each answer's own, or that of the source given first."""

OF_QUESTION = ("question", "references", "gold_contexts", "relevant", "answerable")
"""Fields that describe the question, so all rows of an id have the same."""
TEXTS = ("question", "references", "gold_contexts")
"""Fields compared in `lower_ws`, whatever the order of their texts."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A field whose value differs between two rows of the same id."""

    field: str
    id: str
    row: Row
    other: Row


@dataclass(slots=True)
class Conflicts:
    """The conflicts found so far.

    `by_place` allows that rows which the user paired by place ask different questions, as turns of conversations
    do, where users reply to what the system said; their other fields are not compared then. In `one_table`, whose author wrote each row's gold beside its answer,
    the gold of a question may differ between systems; a note counts that.
    """

    prefer: Prefer | None = None
    by_place: bool = False
    one_table: bool = False
    has_gold: bool = False
    found: list[Conflict] = field(default_factory=list[Conflict])
    settled: list[Conflict] = field(default_factory=list[Conflict])

    def between_systems(self, rows: Sequence[Row], gold: Mapping[str, Row]) -> list[Row]:
        """The rows; with `prefer="first"`, all rows of an id with the values of the first.

        Fields that the gold has are left to `with_gold`.
        """
        first: dict[str, dict[str, Row]] = {}
        settled: list[Row] = []
        for row in rows:
            id = name_of(row, "id")
            if id is None:
                settled.append(row)
                continue
            expected: Mapping[str, object] = {}
            if id in gold and self.prefer != "first":
                expected = gold[id].values
            others = first.setdefault(id, {})
            for name in OF_QUESTION:
                if row.values.get(name) is not None and expected.get(name) is None:
                    others.setdefault(name, row)
            differing = self._differing(row, id, others, skip=expected, is_gold=False)
            if self.prefer == "first" and differing:
                values = {name: others[name].values[name] for name in differing}
                row = Row({**row.values, **values}, row.source, row.line)
            settled.append(row)
        return settled

    def with_gold(self, row: Row, gold: Row, id: str) -> Row:
        """The answer's row with the gold's fields."""
        names = [name for name in row.values if name != "id" and gold.values.get(name) is not None]
        names.sort(key=lambda name: name != "question")
        differing = self._differing(row, id, dict.fromkeys(names, gold), skip={}, is_gold=True)
        own = {
            name: value
            for name, value in row.values.items()
            if value is not None and not (self.prefer == "gold" and name in differing)
        }
        return Row({**row.values, **gold.values, **own}, row.source, row.line)

    def _differing(
        self,
        row: Row,
        id: str,
        others: Mapping[str, Row],
        *,
        skip: Mapping[str, object],
        is_gold: bool,
    ) -> list[str]:
        """The fields of the row that differ from the other rows' values; they are recorded."""
        names: list[str] = []
        for name, other in others.items():
            value = row.values.get(name)
            if other is row or value is None or skip.get(name) is not None:
                continue
            if type(value) is str and value == other.values[name]:
                continue
            if other.source == row.source and system_of(other) == system_of(row):
                continue  # a duplicate (id, system), which is reported elsewhere
            if same_value(name, value, other.values[name]):
                continue
            names.append(name)
            allowed = self.by_place if name == "question" else self.one_table and not is_gold
            (self.settled if allowed or self.prefer else self.found).append(
                Conflict(name, id, row, other)
            )
            if name == "question" and self.prefer is None:
                break  # another question has other gold, so there is one cause
        return names

    def note(self, name: str, first: str, n: int) -> str:
        """The note on `n` ids whose field differs, of which `first` is the first."""
        kept = {
            "gold": "used the gold's",
            "answers": "kept each answer's own",
            "first": "used the first source's",
            None: "kept each row's own",
        }[self.prefer]
        return f"{name} differs between rows for {counted_ids(first, n)}; {kept}"

    def problem(self, first: Conflict, n_ids: int) -> Problem:
        """The problem of `n_ids` ids; it names the first."""
        row, other = first.row, first.other
        place = other.source if other.line is None else f"{other.source}:{other.line}"
        if (name := name_of(other, "system")) is not None:
            place = f"{place} (system {name!r})"
        here, there = (_short(first.field, each.values[first.field]) for each in (row, other))
        many = f" ({n_ids:,} ids differ like this)" if n_ids > 1 else ""
        choices = "|".join(get_args(Prefer)) if self.has_gold else "answers|first"
        ways_out = [
            "keep one of the two",
            f"choose with --prefer {choices} (in Python rg.load(…, prefer=))",
        ]
        if first.field == "question" and not self.by_place:
            ways_out = ["correct the ids", f"pair rows by place with {BY_PLACE}", ways_out[1]]
        text = f"is {here} here, but {there} in {place}{many}; {', or '.join(ways_out)}"
        return Problem(text, row.source, row.line, first.field, first.id)


def check_prefer(prefer: object, *, has_gold: bool) -> list[str]:
    """What is wrong with the user's choice."""
    choices = get_args(Prefer)
    if prefer is not None and prefer not in choices:
        hint = did_you_mean(str(prefer), choices) or f"; choose one of {', '.join(choices)}"
        return [f"prefer is {prefer!r:.80}{hint}"]
    if prefer == "gold" and not has_gold:
        return [
            "prefer='gold' needs a gold file; give one with --gold, or use 'answers' or 'first'"
        ]
    return []


def same_gold(row: Row, other: Row) -> bool:
    """Whether two rows of a gold file say the same of their question."""
    names = {*row.values, *other.values} - {"id", "question"}
    return all(same_value(name, row.values.get(name), other.values.get(name)) for name in names)


def same_value(name: str, value: object, expected: object) -> bool:
    """Whether the two are equal; True if one is invalid, which is reported elsewhere."""
    try:
        if value == expected:
            return True
        left, right = read_value(name, value), read_value(name, expected)
        if name in TEXTS:
            return _texts(left) == _texts(right)
        return left == right or str(left) == str(right)
    except (FieldError, RecursionError):
        return True


def _texts(value: object) -> set[str] | None:
    if value is None:
        return None
    several = cast("list[object]", value) if isinstance(value, list) else [value]
    return {folded(str(text)) for text in several}


def counted_ids(first: str, n: int) -> str:
    """The only id, or how many they are and the first."""
    return f"id {first!r}" if n == 1 else f"{n:,} ids (the first is {first!r})"


def _short(name: str, value: object) -> str:
    """A value as a message shows it: one reference as its text, however it was given."""
    with suppress(FieldError, RecursionError):
        value = read_value(name, value)
    several = cast("list[object]", value) if isinstance(value, list) else []
    value = several[0] if len(several) == 1 else cast(object, value)
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


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


_OTHER_WAYS = (
    "remove the ids to pair rows by the question's text, or, if the rows are in the same order, "
    f"use {BY_PLACE}"
)


def unanswered(gold: Row, system: str) -> Row:
    named: Mapping[str, object] = {"system": system} if system != DEFAULT_SYSTEM else {}
    return Row({**gold.values, **named, "answer": None}, gold.source, gold.line)


def unanswered_note(system: str, first: Sequence[str], n: int, n_questions: int) -> str:
    """The note on `n` questions without an answer of the system, of which `first` are the first ids."""
    counted = f"{n} of {n_questions} questions"
    return f"system {system!r} did not answer {counted}: {listed(list(first), n_all=n)}"


NO_ID_IN_COMMON = f"the answers and the gold have no id in common; {_OTHER_WAYS}"
NOTHING_IN_COMMON = f"the systems have no id in common; {_OTHER_WAYS}"


def unknown_note(system: str, first: Sequence[str], n: int) -> str:
    """The note on `n` answers to questions that the gold does not have, of which `first` are the first."""
    counted = f"{n} question{'s' * (n > 1)} not in the gold"
    return f"system {system!r} answers {counted}; kept: {listed(list(first), n_all=n)}"
