"""Rows of the same question: paired by their ids, their questions or their places, and compared where they differ."""

from collections.abc import Hashable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, count, pairwise
from operator import attrgetter
from typing import Literal, cast, get_args

import polars as pl

from ragauge.errors import Problem, did_you_mean
from ragauge.language.characters import normal_form
from ragauge.loaders.pieces import LINE, NUMBERED, SOURCE, SamplePieces
from ragauge.loaders.table import Table, listed
from ragauge.samples.fields import DEFAULT_SYSTEM, FieldError, Row, read_value

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
            if (system := name_of(other, "system")) not in (None, DEFAULT_SYSTEM):
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


@dataclass(slots=True)
class Paired:
    """The gold with its new ids, and notes; or why rows cannot be paired."""

    gold: Table | None
    notes: list[str] = field(default_factory=list[str])
    problems: list[Problem] = field(default_factory=list[Problem])


def paired_by_question(pieces: SamplePieces, gold: Table | None) -> Paired:
    """Give rows without an id that of the rows with their question, or the next number that is no id."""
    naming = _Naming()
    for row in chain(() if gold is None else gold.rows, chain.from_iterable(_rows(pieces))):
        naming.learn(row)
    if gold is not None:
        gold = _with_ids(gold, [naming.id_of(row, None) for row in gold.rows])
    ids = [[naming.id_of(row, system_of(row)) for row in rows] for rows in _rows(pieces)]
    if problems := naming.problems():
        return Paired(gold, problems=problems)
    for number, own in enumerate(ids):
        pieces.rename(number, cast("list[str]", own))
    n = naming.n_unnamed
    counted = "1 row has" if n == 1 else f"{n:,} rows have"
    return Paired(gold, [f"{counted} no id: paired by the text of the question"])


def _with_ids(gold: Table, ids: Sequence[object]) -> Table:
    given = zip(gold.rows, ids, strict=True)
    return gold.with_values({**row.values, "id": id} for row, id in given)


def _rows(pieces: SamplePieces) -> Iterator[Sequence[Row]]:
    """The rows of each piece with what pairs them; the id is None if the source had none."""
    for frame in pieces.pieces(["id", "system", "question", LINE, SOURCE, NUMBERED]):
        unnamed = frame.with_columns(pl.when(~pl.col(NUMBERED)).then(pl.col("id")))
        yield pieces.as_rows(unnamed.drop(NUMBERED))


def are_repeated(pieces: SamplePieces) -> bool:
    """Whether two rows have the same question or none."""
    questions = [hash(question_of(row)) for row in chain.from_iterable(_rows(pieces))]
    return len(set(questions)) < len(questions)


def paired_by_place(pieces: SamplePieces, gold: Table | None) -> Paired:
    """Give the n-th row of each system the id of the n-th row of the gold, or of the first system; numbers without unique ids."""
    keys = pl.concat(pieces.pieces(["id", "system", SOURCE, NUMBERED]))
    keys = keys.with_columns(place=pl.int_range(pl.len()).over("system"))
    of_system = keys.group_by("system", maintain_order=True).agg(pl.len(), pl.col(SOURCE).first())
    sources = list(pieces.sources)
    counted = cast("list[tuple[str, int, int]]", of_system.rows())
    first, n, source = counted[0][0], counted[0][1], sources[counted[0][2]]
    if gold is not None:
        n, source = len(gold.rows), gold.rows[0].source
    problems = [
        Problem(
            f"system {system!r} has {n_rows:,} rows, but {source} has {n:,}; "
            "rows can be paired by place only if their numbers are equal",
            sources[own],
        )
        for system, n_rows, own in counted
        if n_rows != n
    ]
    if problems:
        return Paired(gold, problems=problems)
    if gold is not None:
        ids = [id for row in gold.rows if (id := name_of(row, "id")) is not None]
    else:
        of_first = keys.filter(pl.col("system") == first)
        ids = [] if of_first[NUMBERED].any() else of_first["id"].to_list()
    ids = ids if len(set(ids)) == n else [str(at + 1) for at in range(n)]
    new = pl.Series("new", ids, pl.String)[keys["place"]]
    renamed = keys.filter((keys["id"] != new) & ~keys[NUMBERED])["id"].n_unique()
    for number, (start, end) in enumerate(pairwise([*pieces.starts, pieces.n_rows])):
        pieces.rename(number, new[start:end].to_list())
    notes = [f"paired by place: {n:,} rows of each"]
    if renamed:
        notes.append(f"{renamed:,} ids are not used, as rows are paired by place")
    return Paired(None if gold is None else _with_ids(gold, ids), notes)


class _Naming:
    """Finds the id of a row by its question, and collects the rows for which there is none by why and source."""

    def __init__(self) -> None:
        self.n_unnamed = 0
        self._ids: dict[str, list[str]] = {}
        self._taken: set[str] = set()
        self._n = count(1)
        self._asked: set[tuple[str | None, str]] = set()
        self._unpaired: dict[tuple[str, str], list[Row]] = {}

    def learn(self, row: Row) -> None:
        """Take the id of a row that has one; all such rows come before those to be named."""
        self.n_unnamed += row.values.get("id") is None
        id, question = name_of(row, "id"), question_of(row)
        if id is not None and id.isdigit():  # only a number could be given again
            self._taken.add(id)
        if id is not None and question is not None:
            ids = self._ids.setdefault(question, [])
            if id not in ids:
                ids.append(id)

    def id_of(self, row: Row, system: str | None) -> object:
        """The row's own id, or that of its question; None if there is none. `system` is None for gold."""
        if (id := row.values.get("id")) is not None:
            return id
        question, why = question_of(row), ""
        if question is None:
            why = "unasked"
        elif system is not None and (system, question) in self._asked:
            why = "repeated"
        else:
            self._asked.add((system, question))
            if question not in self._ids:
                number = next(number for n in self._n if (number := str(n)) not in self._taken)
                self._ids[question] = [number]
            if len(self._ids[question]) == 1:
                return self._ids[question][0]
        self._unpaired.setdefault((why, row.source), []).append(row)
        return None

    def problems(self) -> list[Problem]:
        """One problem for each source and reason, naming the first row."""
        problems: list[Problem] = []
        order = ("unasked", "repeated", "")
        for (why, source), rows in sorted(
            self._unpaired.items(), key=lambda x: order.index(x[0][0])
        ):
            n, line = len(rows) - 1, rows[0].line
            if why == "unasked":
                n_rows = f"{n + 1:,} rows have" if n else "1 row has"
                way_out = f"add an id, or map the column: --map id=COLUMN; or use {BY_PLACE}"
                text = f"{n_rows} no id and no question, so they cannot be paired; {way_out}"
                problems.append(Problem(text, source, line))
                continue
            others = f" (and {n:,} more question{'s' * (n > 1)})" if n else ""
            text = f"is asked twice without an id{others}, so rows cannot be paired by the question; add ids"
            if why != "repeated":
                ids = self._ids[question_of(rows[0]) or ""]
                text = f"has no id here, and elsewhere the ids {ids[0]!r} and {ids[1]!r}{others}; add ids here"
            text = f"{excerpt(rows[0])} {text}, or use {BY_PLACE}"
            problems.append(Problem(text, source, line, "question"))
        return problems
