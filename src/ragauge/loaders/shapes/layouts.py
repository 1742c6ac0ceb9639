"""Layouts of a table that its columns or all of its rows tell: lists in numbered columns, systems side by side, a row for each passage, several texts in a cell."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import inf
from typing import NamedTuple, cast

from ragauge.loaders.documents import ID_KEYS, SCORE_KEYS, score_of
from ragauge.loaders.mapping import GIVEN_BY_ANSWERS, field_of, folded
from ragauge.loaders.table import Table, items_in, listed, mapping_in, parsed
from ragauge.samples.fields import Row

LISTS = ("contexts", "context_ids", "context_scores", "references", "gold_contexts")
BESIDE = {"id": "context_ids", "score": "context_scores"}  # the word behind or before the number
_NUMBERED = re.compile(
    r"(?P<stem>.*[^\d_\[])_?\[?(?P<number>\d{1,3})\]?(?:_(?P<beside>id|score))?", re.DOTALL
)


class Numbered(NamedTuple):
    """A column with a number in its name."""

    number: int
    name: str


Groups = Mapping[str, Sequence[Numbered]]  # the columns of each field, in order


def with_lists(table: Table, keep: Collection[str] = ()) -> Table:
    """The table with numbered columns as one column of lists, without the empty cells, but for those in `keep`."""
    groups = numbered_groups(table.columns, keep)
    return gathered(table, groups, note_of_groups(groups)) if groups else table


def numbered_groups(columns: Sequence[str], keep: Collection[str] = ()) -> Groups:
    """The columns that are gathered: they count from 0 or 1, and no other column gives their field."""
    named: dict[tuple[str, str], list[Numbered]] = {}
    for column in columns:
        if column in keep or not (matched := _NUMBERED.fullmatch(folded(column))):
            continue
        stem, beside = matched["stem"], matched["beside"]
        for word in BESIDE if beside is None else ():
            if stem.endswith(f"_{word}"):
                stem, beside = stem.removesuffix(f"_{word}"), word
        field = next((each for name in (stem, f"{stem}s") if (each := field_of(name)) in LISTS), "")
        if beside is not None:
            field = BESIDE[beside] if field == "contexts" else ""
        if field:
            numbered = Numbered(int(matched["number"]), column)
            named.setdefault((field, matched["stem"]), []).append(numbered)
    groups: dict[str, list[Numbered]] = {}
    for (field, _), group in named.items():
        group.sort(key=lambda column: column.number)
        first = group[0].number
        if first < 2 and [each.number for each in group] == [*range(first, first + len(group))]:
            groups.setdefault(field, group)
    # Without contexts, ids and scores are those of something else.
    dropped = {*map(field_of, columns), *(() if "contexts" in groups else BESIDE.values())}
    return {field: group for field, group in groups.items() if field not in dropped}


def gathered(table: Table, groups: Groups, *notes: str) -> Table:
    """The table with these columns as lists."""
    taken = {column.name for group in groups.values() for column in group}
    rows: list[Mapping[str, object]] = []
    for row in table.rows:
        given = row.values
        values = {name: value for name, value in given.items() if name not in taken}
        cells = {name: cell for name in taken if (cell := given.get(name)) is not None}
        filled = {name for name, cell in cells.items() if str(cell).strip()}
        texts = {column.number for column in groups.get("contexts", ()) if column.name in filled}
        for field, group in groups.items():
            is_beside = field in BESIDE.values()
            is_context = field == "contexts" or is_beside
            items = [
                given.get(name)
                for number, name in group
                if (number in texts if is_context else name in filled)
            ]
            values[field] = items if items or is_context else None
            if is_beside and any(item in (None, "") for item in items):
                values[field] = None
            elif field == "context_scores":
                values[field] = [score_of(item) for item in items]
        rows.append(values)
    return table.with_values(rows, *notes)


def note_of_groups(groups: Groups) -> str:
    """Which columns were read as which field."""
    names = {field: [repr(each.name) for each in group] for field, group in groups.items()}
    read = (f"{listed(group, most=3)} as {field}" for field, group in names.items())
    return f"read {'; '.join(read)}"


# Systems side by side.

ANSWERS = (  # beside the name of the system whose answer the column is
    "answer", "response", "output", "prediction", "antwort", "réponse", "respuesta", "risposta",
    "resposta", "antwoord",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of each system: field to column. `answer` is what the user chose as the answer."""

    systems: Mapping[str, Mapping[str, str]]
    answer: str = "answer"


def layout_of(
    columns: Sequence[str], chosen: str | None, has_texts: Callable[[str], bool]
) -> Layout | None:
    """The systems whose answers are columns: those that the user chose, or by their names.

    By names at least two, with texts, and no column is the answer or the system of all. Other columns of a
    system, such as contexts_small, are its contexts.
    """
    if chosen is not None:
        names = [name.strip() for name in chosen.split(",")]
        if chosen in columns or len(names) < 2 or not set(names) <= set(columns):
            return None
        return Layout({name: {chosen: name} for name in names}, chosen)
    if {field_of(name) for name in columns} & {"answer", "system"}:
        return None
    for word, is_first in product(ANSWERS, (True, False)):
        systems: dict[str, dict[str, str]] = {}
        for column in columns:
            name = _without(column, word, is_first=is_first)
            if name and field_of(column) is None:
                systems.setdefault(name, {"answer": column})
        if len(systems) < 2 or not all(has_texts(given["answer"]) for given in systems.values()):
            continue
        for column, (name, given) in product(columns, systems.items()):
            bare, end = folded(column), folded(name)
            rest = bare.removesuffix(end) if is_first else bare.removeprefix(end)
            field = field_of(rest.strip("_ ()[]:/"))
            if rest != bare and field in GIVEN_BY_ANSWERS:
                given.setdefault(field, column)
        return Layout(systems)
    return None


def _without(column: str, word: str, *, is_first: bool) -> str:
    """The name of the system in a column's name, without the word; empty if it has none."""
    bare = column.strip()
    rest = bare[len(word) :] if is_first else bare[: -len(word)]
    taken = bare[: len(word)] if is_first else bare[-len(word) :]
    edge = rest[:1] if is_first else rest[-1:]
    fits = taken.casefold() == word and edge in tuple(" _-.:([/" if is_first else " _-.:)]/")
    return rest.strip(" _-.:()[]/") if fits else ""


def may_be_answers(column: str) -> bool:
    """Whether a column's name may be that of a system's answers."""
    return field_of(column) is None and any(
        _without(column, word, is_first=is_first) for word in ANSWERS for is_first in (True, False)
    )


def is_words(value: object) -> bool:
    """Whether a cell holds a text, and not a number."""
    return isinstance(value, str) and bool(value.strip()) and isinstance(score_of(value), str)


def by_system(table: Table, layout: Layout) -> Table:
    """The table with one row for each system."""
    taken = {column for given in layout.systems.values() for column in given.values()}
    rows: list[Row] = []
    for row in table.rows:
        shared = {name: value for name, value in row.values.items() if name not in taken}
        for system, given in layout.systems.items():
            own = {field: row.values.get(column) for field, column in given.items()}
            rows.append(Row({**shared, "system": system, **own}, row.source, row.line))
    return replace(table, rows=tuple(rows))


def note_of_systems(layout: Layout) -> str:
    """Which columns were read as the answers of which system."""
    columns = {name: given[layout.answer] for name, given in layout.systems.items()}
    answers = [f"{column!r} as the answers of {name!r}" for name, column in columns.items()]
    return f"read {listed(answers, most=5)}"


def spread(table: Table) -> Table:
    """The table with an object of texts by system, such as answers, as a column for each system."""
    for word in (word for word in ANSWERS if f"{word}s" in table.columns):
        name = f"{word}s"
        cells = [_by_system(row.values.get(name)) for row in table.rows]
        systems = dict.fromkeys(system for cell in cells for system in cell or ())
        if None in cells or len(systems) < 2 or any(map(field_of, systems)):
            continue
        if all(isinstance(text, str | None) for cell in cells for text in (cell or {}).values()):
            return table.with_values(
                {key: value for key, value in row.values.items() if key != name}
                | {f"{word}_{system}": (cell or {}).get(system) for system in systems}
                for row, cell in zip(table.rows, cells, strict=True)
            )
    return table


def _by_system(cell: object) -> Mapping[str, object] | None:
    """Answers by system, also of a list of objects with a system and its answer; None for something else."""
    if isinstance(cell, Mapping):
        return cast("Mapping[str, object]", cell)
    answers: dict[str, object] = {}
    for item in items_in(cell):
        fields = {field_of(key): value for key, value in mapping_in(item).items()}
        system = fields.get("system")
        if not isinstance(system, str) or "answer" not in fields or system in answers:
            return None
        answers[system] = fields["answer"]
    return answers or None


# A row for each passage.

TEXT_NAMES = frozenset({"passage", "passage_text", "chunk", "chunk_text", "document", "snippet"})
BESIDE_PASSAGES = {
    "context_ids": frozenset({*ID_KEYS, "chunk", "source"}) - {"id", "_id", "id_"},
    "context_scores": frozenset(SCORE_KEYS),
    "rank": frozenset({"rank", "position", "passage_rank", "chunk_rank", "passage_number"}),
}
IDENTITY = ("id", "question", "system")
SAME = ("answer", "references", "gold_contexts", "relevant", "answerable")
"""What must be the same in all rows of a question; an empty cell repeats what is above it."""


def with_passages(table: Table, keep: Collection[str] = ()) -> Table:
    """The table with one row for each question and system, its passages as contexts.

    Only if some question has several rows, which differ in nothing but the passage and what belongs
    to it. Columns in `keep` stay as they are.
    """
    columns = table.columns
    passage = passage_columns([name for name in columns if name not in keep])
    if passage is None:
        return table
    fields = {name: field_of(name) for name in columns}
    identity = [name for name in columns if fields[name] in IDENTITY]
    by_question: dict[tuple[object, ...], list[Row]] = {}
    for row in table.rows:
        key = tuple(_hashable(row.values.get(name)) for name in identity)
        by_question.setdefault(key, []).append(row)
    groups = list(by_question.values())
    is_asked = {"id", "question"} & {fields[name] for name in identity}
    if not is_asked or len(groups) == len(table.rows):
        return table
    for rows in groups:  # each row has one text, which is another in each row
        texts = [row.values.get(passage["contexts"]) for row in rows]
        if not all(isinstance(text, str) and not text.lstrip().startswith("[") for text in texts):
            return table
        ids = [_hashable(row.values.get(passage.get("context_ids", ""))) for row in rows]
        if len(set(zip(texts, ids, strict=True))) < len(rows):
            return table
    others = [name for name in columns if name not in passage.values()]
    differing = [
        name
        for name in others
        if any(len(set(map(_hashable, _filled(rows, name)))) > 1 for rows in groups)
    ]
    if any(fields[name] in SAME for name in differing):
        return table
    kept = [name for name in others if name not in differing]
    samples = tuple(_sample(rows, kept, passage) for rows in groups)
    note = f"read {len(table.rows):,} rows, one for each {passage['contexts']!r}, as {len(samples):,} samples"
    left_out = f"; left out {listed(list(map(repr, differing)))}" if differing else ""
    return replace(table, rows=samples, notes=(*table.notes, note + left_out))


def passage_columns(columns: Sequence[str]) -> Mapping[str, str] | None:
    """The only column with a passage's text as `contexts`, and those of its id, score and rank; None without."""
    texts = [name for name in columns if folded(name) in TEXT_NAMES or field_of(name) == "contexts"]
    if len(texts) != 1:
        return None
    found = {"contexts": texts[0]}
    for name in columns:
        for field, usuals in BESIDE_PASSAGES.items():
            if folded(name) in usuals and name != texts[0]:
                found.setdefault(field, name)
    return found


def _filled(rows: Sequence[Row], name: str) -> list[object]:
    return [value for row in rows if (value := row.values.get(name)) not in (None, "")]


def _hashable(value: object) -> object:
    return value if value is None or isinstance(value, str | int | float) else repr(value)


def _sample(rows: Sequence[Row], kept: Sequence[str], passage: Mapping[str, str]) -> Row:
    """The passages of a question as one row, in the order of their ranks if they have any."""
    first = rows[0]
    values = {
        name: next(iter(_filled(rows, name)), first.values[name])
        for name in kept
        if name in first.values
    }
    if "rank" in passage:
        ranks = [score_of(str(row.values.get(passage["rank"]))) for row in rows]
        placed = [(rank if isinstance(rank, float) else inf, at) for at, rank in enumerate(ranks)]
        rows = [rows[at] for _, at in sorted(placed)]
    rows = [row for row in rows if row.values.get(passage["contexts"]) not in (None, "")]
    for field in ("contexts", *BESIDE.values()):
        found = _filled(rows, passage[field]) if field in passage else []
        if field == "contexts" or (found and len(found) == len(rows)):
            values[field] = list(map(score_of, found)) if field == "context_scores" else found
    return Row(values, first.source, first.line)


# Several texts in a cell of CSV.

DEEPEVAL = frozenset({"actual_output", "expected_output", "retrieval_context"})
TRUTHFULQA = frozenset({"best_answer", "correct_answers", "incorrect_answers"})
_QUOTED = re.compile(r'".*"', re.DOTALL)
_MARKS = {mark: re.compile(rf"(?<=\S){re.escape(mark)}(?=\S)") for mark in "|;"}
"""Where deepeval joins texts; a mark with a blank beside it is part of a text."""


def with_split_texts(table: Table, keep: Collection[str] = ()) -> Table:
    """The table with deepeval's contexts and TruthfulQA's answers as lists, and TruLens's texts without quotes; only for CSV."""
    columns = {name: folded(name) for name in table.columns if name not in keep}
    usuals = set(columns.values())
    for name, usual in columns.items() if table.all_text else ():
        given = [row.values.get(name) for row in table.rows]
        cells = [cell if isinstance(cell, str) else "" for cell in given]
        read: Sequence[object] = ()
        note = ""
        if usual in ("retrieval_context", "context"):
            marks = (mark for mark, place in _MARKS.items() if any(map(place.search, cells)))
            mark = next(marks, "") if len(DEEPEVAL & usuals) > 1 else ""
            if mark and not any(cell.lstrip().startswith("[") for cell in cells):
                read = [_MARKS[mark].split(cell) if cell else None for cell in cells]
                note = f"split {name!r} at {mark!r}, as deepeval joins texts"
        elif usual == "correct_answers" and usuals >= TRUTHFULQA:
            parts = [[part.strip() for part in cell.split(";")] for cell in cells]
            read = [[text for text in texts if text] or None for texts in parts]
            note = f"split {name!r} at ';', as TruthfulQA joins answers"
        elif field_of(name) in ("question", "answer", "references") and any(cells):
            read = [parsed(cell) if _QUOTED.fullmatch(cell) else cell for cell in cells]
            if not any(text == cell != "" for text, cell in zip(read, cells, strict=True)):
                note = f"read {name!r} as JSON texts"
        if note:
            values = zip(table.rows, read, strict=True)
            table = table.with_values(({**row.values, name: cell} for row, cell in values), note)
    return table
