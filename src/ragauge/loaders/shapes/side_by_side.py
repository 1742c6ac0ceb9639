"""Read a table that has the answers of several systems side by side: answer_small, answer_large.

Each such row becomes one row for each system. Columns of any names can be chosen: answer=small,large.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from ragauge.loaders.mapping import GIVEN_BY_ANSWERS, field_of, folded
from ragauge.loaders.table import Table, listed
from ragauge.samples.samples import Row

ANSWERS = (
    "answer", "response", "output", "prediction", "antwort", "réponse", "respuesta", "risposta",
    "resposta", "antwoord",
)  # fmt: skip
"""Words that, with a name before or behind them, are the answer of the system of that name."""
SEPARATOR = ","


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of each system: field to column. `answer` is what the user chose as the answer."""

    systems: Mapping[str, Mapping[str, str]]
    answer: str = "answer"


def recognised(table: Table, chosen: str | None = None) -> Table:
    """The table with one row for each system, if its answers are side by side.

    `chosen` is what the user chose as the answer: names of columns separated by commas, or one.
    """
    table = spread(table)
    layout = layout_of(table.columns(), chosen, lambda column: _has_texts(table, column))
    if layout is None:
        return table
    return replace(by_system(table, layout), notes=(*table.notes, note_of(layout)))


def layout_of(
    columns: Sequence[str], chosen: str | None, has_texts: Callable[[str], bool]
) -> Layout | None:
    """The systems whose answers are columns: those that the user chose, or by their names."""
    return _chosen(columns, chosen) if chosen is not None else _by_names(columns, has_texts)


def by_system(table: Table, layout: Layout) -> Table:
    """The table with one row for each system."""
    rows = tuple(_of_system(row, name, layout) for row in table.rows for name in layout.systems)
    return replace(table, rows=rows)


def note_of(layout: Layout) -> str:
    """Which columns were read as the answers of which system."""
    answers = [
        f"{given[layout.answer]!r} as the answers of {name!r}"
        for name, given in layout.systems.items()
    ]
    return f"read {listed(answers, most=5)}"


def spread(table: Table) -> Table:
    """The table with an object of texts by system, such as answers, as a column for each system."""
    for word in ANSWERS:
        name = f"{word}s"
        cells = [_texts_by_system(row.values.get(name)) for row in table.rows]
        given = [cast(Mapping[str, object], cell) for cell in cells if isinstance(cell, Mapping)]
        systems = dict.fromkeys(system for cell in given for system in cell)
        if len(given) < len(cells) or len(systems) < 2 or any(map(field_of, systems)):
            continue
        if not all(
            text is None or isinstance(text, str) for cell in given for text in cell.values()
        ):
            continue
        others = (
            {key: value for key, value in row.values.items() if key != name} for row in table.rows
        )
        return table.with_values(
            {**values, **{f"{word}_{system}": cell.get(system) for system in systems}}
            for values, cell in zip(others, given, strict=True)
        )
    return table


def _texts_by_system(cell: object) -> object:
    """A list of objects with a system and its answer as an object of answers by system."""
    items: list[object] = []
    if isinstance(cell, list):
        items = cast("list[object]", cell)
    answers: dict[str, object] = {}
    for item in items:
        fields: dict[str | None, object] = {}
        if isinstance(item, Mapping):
            named = cast("Mapping[str, object]", item)
            fields = {field_of(key): value for key, value in named.items()}
        system = fields.get("system")
        if not isinstance(system, str) or "answer" not in fields or system in answers:
            return cast(object, cell)
        answers[system] = fields["answer"]
    return answers or cast(object, cell)


def _chosen(columns: Sequence[str], chosen: str) -> Layout | None:
    names = [name.strip() for name in chosen.split(SEPARATOR)]
    if chosen in columns or len(names) < 2 or not set(names) <= set(columns):
        return None
    return Layout({name: {chosen: name} for name in names}, chosen)


def _by_names(columns: Sequence[str], has_texts: Callable[[str], bool]) -> Layout | None:
    """The systems by the names of columns: at least two, with texts, and no other answer or system."""
    if {field_of(name) for name in columns} & {"answer", "system"}:
        return None
    for word in ANSWERS:
        for is_first in (True, False):
            named = _named(columns, word, is_first=is_first)
            if len(named) > 1 and all(map(has_texts, named.values())):
                others = _beside(columns, named, is_first=is_first)
                return Layout(
                    {name: {"answer": named[name], **others.get(name, {})} for name in named}
                )
    return None


def _named(columns: Sequence[str], word: str, *, is_first: bool) -> dict[str, str]:
    """The columns with the word and a name, by that name as it is written."""
    found: dict[str, str] = {}
    for column in columns:
        name = _without(column, word, is_first=is_first)
        if name and field_of(column) is None:
            found.setdefault(name, column)
    return found


def _without(column: str, word: str, *, is_first: bool) -> str:
    """The name of the system in a column's name, without the word; empty if it has none.

    >>> _without("answer_gpt-4o", "answer", is_first=True), _without("Answer (B)", "answer", is_first=True)
    ('gpt-4o', 'B')
    >>> _without("small answer", "answer", is_first=False), _without("answers", "answer", is_first=True)
    ('small', '')
    """
    bare = column.strip()
    if is_first:
        rest = bare[len(word) :]
        fits = bare.casefold().startswith(word) and rest[:1] in tuple(" _-.:([/")
    else:
        rest = bare[: -len(word)]
        fits = bare.casefold().endswith(word) and rest[-1:] in tuple(" _-.:)]/")
    return rest.strip(" _-.:()[]/") if fits else ""


def _beside(
    columns: Sequence[str], named: Mapping[str, str], *, is_first: bool
) -> dict[str, dict[str, str]]:
    """Other columns of the same systems, such as contexts_small: by system, field to column."""
    found: dict[str, dict[str, str]] = {}
    for column in columns:
        for name in named:
            rest = folded(column).removesuffix(folded(name)) if is_first else ""
            rest = rest or (folded(column).removeprefix(folded(name)) if not is_first else "")
            field = field_of(rest.strip("_ ()[]:/"))
            if rest != folded(column) and field in GIVEN_BY_ANSWERS and field != "answer":
                found.setdefault(name, {}).setdefault(field, column)
    return found


def _has_texts(table: Table, column: str) -> bool:
    """Whether the column holds texts, and not numbers such as lengths and scores."""
    return any(is_words(row.values.get(column)) for row in table.rows)


def is_words(value: object) -> bool:
    """Whether a cell holds a text, and not a number."""
    return isinstance(value, str) and bool(value.strip()) and not _is_number(value)


def may_be_answers(column: str) -> bool:
    """Whether a column's name may be that of a system's answers."""
    return field_of(column) is None and any(
        _without(column, word, is_first=is_first) for word in ANSWERS for is_first in (True, False)
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _of_system(row: Row, name: str, layout: Layout) -> Row:
    taken = {column for given in layout.systems.values() for column in given.values()}
    values = {other: value for other, value in row.values.items() if other not in taken}
    values["system"] = name
    values |= {field: row.values.get(column) for field, column in layout.systems[name].items()}
    return Row(values, row.source, row.line)
