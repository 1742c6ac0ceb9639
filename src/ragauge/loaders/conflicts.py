"""Fields of a question that differ between its rows: found, counted, and settled by the user's choice."""

from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Literal, cast, get_args

from ragauge.errors import Problem, did_you_mean
from ragauge.language.characters import normal_form
from ragauge.loaders.table import listed
from ragauge.samples.samples import DEFAULT_SYSTEM, FieldError, Row, read_value

Prefer = Literal["gold", "answers", "first"]
"""Whose value counts: that of the gold, each answer's own, or that of the source given first."""

OF_QUESTION = ("question", "references", "gold_contexts", "relevant", "answerable")
TEXTS = ("question", "references", "gold_contexts")  # compared in `lower_ws`, in any order
BY_PLACE = "--by-place (in Python by_place=True)"
_OTHER_WAYS = (
    "remove the ids to pair rows by the question's text, or, if the rows are in the same order, "
    f"use {BY_PLACE}"
)
NO_ID_IN_COMMON = f"the answers and the gold have no id in common; {_OTHER_WAYS}"
NOTHING_IN_COMMON = f"the systems have no id in common; {_OTHER_WAYS}"


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
    return name_of(row, "system") or DEFAULT_SYSTEM


def folded(text: str) -> str:
    """The text in `lower_ws`: NFC, lower-cased, each run of whitespace as one space, trimmed."""
    # As language.text.normalize, which loaders must not import.
    return " ".join(normal_form("NFC", text).lower().split())


def question_of(row: Row) -> str | None:
    """The question's text as rows are paired by it; None if the row has no question."""
    question = row.values.get("question")
    return (folded(question) or None) if isinstance(question, str) else None


def excerpt(row: Row) -> str:
    """The question of a row, shortened for a message."""
    text = repr(row.values.get("question"))
    return text if len(text) <= 60 else f"{text[:57]}…'"


def unanswered_note(system: str, first: Sequence[str], n: int, n_questions: int) -> str:
    """The note on `n` questions without an answer of the system, of which `first` are the first ids."""
    counted = f"{n} of {n_questions} questions"
    return f"system {system!r} did not answer {counted}: {listed(list(first), n_all=n)}"


def check_prefer(prefer: object, *, has_gold: bool) -> list[str]:
    """What is wrong with the user's choice."""
    choices = get_args(Prefer)
    if prefer is not None and prefer not in choices:
        hint = did_you_mean(str(prefer), choices) or f"; choose one of {', '.join(choices)}"
        return [f"prefer is {prefer!r:.80}{hint}"]
    text = "prefer='gold' needs a gold file; give one with --gold, or use 'answers' or 'first'"
    return [text] if prefer == "gold" and not has_gold else []


@dataclass(slots=True)
class _Group:
    """Conflicts of one field: the first in the order of the rows, and the ids."""

    place: tuple[int, int]
    name: str
    row: Row
    other: Row
    ids: set[int] = field(default_factory=set[int])


@dataclass(slots=True)
class Conflicts:
    """The conflicts found so far, between answers of systems and with the gold, counted by field and sources.

    Rows of an id may ask different questions if the user paired them by place (`is_by_place`), or if they `are_turns`
    of conversations, where users reply to what the system said. In `one_table`, whose author wrote each row's gold
    beside its answer, the gold of a question may differ between systems; a note counts that.
    """

    prefer: Prefer | None = None
    is_by_place: bool = False
    are_turns: bool = False
    one_table: bool = False
    has_gold: bool = False
    _found: dict[Hashable, _Group] = field(default_factory=dict[Hashable, _Group])
    _settled: dict[Hashable, _Group] = field(default_factory=dict[Hashable, _Group])

    def differs(
        self, name: str, row: Row, other: Row, at: int, *, may_differ: bool, is_gold: bool = False
    ) -> bool:
        """Whether a field of the row `at` this place differs from that of another row of its id; counted."""
        value, expected = row.values[name], other.values[name]
        if type(value) is str and value == expected:
            return False
        # A duplicate (id, system) is reported elsewhere.
        if row.source == other.source and system_of(row) == system_of(other):
            return False
        if same_value(name, value, expected):
            return False
        groups = self._settled if may_differ or self.prefer else self._found
        place = (int(is_gold), at)
        key = name if groups is self._settled else (is_gold, name, row.source, other.source)
        group = groups.setdefault(key, _Group(place, name, row, other))
        if place < group.place:
            group.place, group.row, group.other = place, row, other
        group.ids.add(hash(row.values["id"]))
        return True

    def problems(self) -> list[Problem]:
        """One problem for each field and pair of sources, in the order of the rows; it names the first."""
        problems: list[Problem] = []
        choices = "|".join(get_args(Prefer)) if self.has_gold else "answers|first"
        choose = f"choose with --prefer {choices} (in Python rg.load(…, prefer=))"
        for group in sorted(self._found.values(), key=attrgetter("place")):
            row, other, name, n_ids = group.row, group.other, group.name, len(group.ids)
            place = other.source if other.line is None else f"{other.source}:{other.line}"
            if (system := name_of(other, "system")) is not None:
                place = f"{place} (system {system!r})"
            here, there = (_short(name, each.values[name]) for each in (row, other))
            many = f" ({n_ids:,} ids differ like this)" if n_ids > 1 else ""
            ways_out = ["keep one of the two", choose]
            if name == "question" and not (self.is_by_place or self.are_turns):
                ways_out = ["correct the ids", f"pair rows by place with {BY_PLACE}", choose]
            text = f"is {here} here, but {there} in {place}{many}; {', or '.join(ways_out)}"
            id = cast(str, row.values["id"])
            problems.append(Problem(text, row.source, row.line, name, id))
        return problems

    def notes(self) -> list[str]:
        """How many ids differ in a field, and which value is used."""
        kept = {
            "gold": "used the gold's",
            "answers": "kept each answer's own",
            "first": "used the first source's",
        }
        notes: list[str] = []
        for group in sorted(self._settled.values(), key=attrgetter("place")):
            id, n = group.row.values["id"], len(group.ids)
            counted = f"id {id!r}" if n == 1 else f"{n:,} ids (the first is {id!r})"
            which = kept.get(self.prefer or "", "kept each row's own")
            notes.append(f"{group.name} differs between rows for {counted}; {which}")
        return notes


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
    several = cast("list[object]", value) if isinstance(value, list) else [value]
    return None if value is None else {folded(str(text)) for text in several}


def _short(name: str, value: object) -> str:
    """A value as a message shows it: one reference as its text, however it was given."""
    with suppress(FieldError, RecursionError):
        value = read_value(name, value)
    several = cast("list[object]", value) if isinstance(value, list) else []
    text = repr(several[0] if len(several) == 1 else cast(object, value))
    return text if len(text) <= 60 else f"{text[:57]}…"
