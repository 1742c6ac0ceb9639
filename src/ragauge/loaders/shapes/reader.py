"""Read rows by entries: which column a shape is known by, and the path to each field in it.

A path names keys, `a.b`, and items of lists:

- `a[0]` is the first item, and `a[1]` the second;
- `a[].text` is the text of every item, and nothing if one has none; `a[?].text` skips items without it;
- `a[key].text` is that of the items where `key` is true;
- `a{}.text` and `a{key}.text` are the same for an object of columns, {"text": […], "key": […]};
- `a | b` is `a`, or `b` where there is no `a`.

`[]` of a text or an object is a list of it alone; lists in lists become one. Behind a colon is how the
value is read, one of READINGS: `a[0]: text`.
"""

import re
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import cast

from ragauge.errors import Problem
from ragauge.loaders.mapping import field_of, folded
from ragauge.loaders.table import Table, items_in, listed, mapping_in, text_of
from ragauge.samples.fields import Row

Values = dict[str, object]
_STEP = re.compile(r"\.?(?P<name>[^.\[{]+)|\[(?P<item>[^\]]*)\]|\{(?P<column>[^}]*)\}")


def texts_in(value: object) -> list[str] | None:
    """A list of texts, which may be empty; None for anything else."""
    items = items_in(value)
    are_texts = isinstance(value, list | tuple) and all(isinstance(item, str) for item in items)
    return cast("list[str]", list(items)) if are_texts else None


def _sentences(value: object) -> str | None:
    texts = texts_in(value)
    return None if texts is None else " ".join(text.strip() for text in texts)


READINGS: Mapping[str, Callable[[object], object]] = {
    "": lambda value: value,
    "text": lambda value: value if isinstance(value, str) else None,
    "texts": texts_in,
    "list": lambda value: cast("object", value) if isinstance(value, list) else None,
    "filled": lambda value: value or None,
    "message": text_of,
    "only text": lambda value: [value] if isinstance(value, str) else None,
    "first text": lambda value: (texts_in(value) or [None])[0],
    "sentences": _sentences,
    "lists of sentences": lambda value: texts_in([*map(_sentences, items_in(value))]) or None,
    "ids": lambda value: None if (ids := texts_in(value)) is None else list(dict.fromkeys(ids)),
}
"""How a value that a path leads to is read; None if it is something else. An empty list is a value for `texts`, `ids` and `sentences`."""


@dataclass(frozen=True, slots=True)
class Columns:
    """An entry for columns that only together tell a tool, as one name alone could mean something else.

    The table must have the columns `needs`, and no others may give the fields of `names`, which says what
    columns are called here. `texts` is a column with lists or longer texts.
    """

    needs: frozenset[str]
    names: Mapping[str, str]
    texts: str | None = None

    def read(self, table: Table, keep: Collection[str]) -> Table:
        """The table with the columns under their fields' names; the same one if it is of no such tool."""
        columns = {folded(name): name for name in table.columns}
        names = {columns[name]: ours for name, ours in self.names.items() if name in columns}
        ours = set(names.values())
        # A column that the tool has may give way: RAGTruth's own `id`.
        others = [name for n, name in columns.items() if name not in names and n not in self.needs]
        is_of_tool = self.needs <= columns.keys() and not names.keys() & set(keep)
        if not is_of_tool or {*map(field_of, others)} & ours:
            return table
        for row in table.rows if self.texts else ():
            cell = row.values.get(columns[self.texts or ""])
            is_long = isinstance(cell, list | tuple | None)
            if not (len(cell.split()) > 1 if isinstance(cell, str) else is_long):
                return table
        renamed = (
            {names.get(name, name): value for name, value in row.values.items() if name not in ours}
            for row in table.rows
        )
        read = listed([f"{theirs!r} as {ours}" for theirs, ours in names.items()])
        return table.with_values(renamed, f"read {read}")


@dataclass(frozen=True, slots=True)
class Shape:
    """An entry: `takes` leads to each field, and all must be there. The columns they are in are dropped.

    `also` is taken where it is there and no other column gives its field. No other column may give a
    field of `unless`; those of `takes` if it is None. Columns in `beside` do not count as others.
    """

    takes: Mapping[str, str]
    also: Mapping[str, str] = field(default_factory=dict[str, str])
    needs: tuple[str, ...] = ()  # paths that must lead somewhere
    unless: tuple[str, ...] | None = None
    beside: tuple[str, ...] = ()
    drops: tuple[str, ...] = ()  # columns that are dropped besides those of `takes`
    single: str | None = None  # a column with a list of turns, of which a row may have only one
    note: str | None = None  # what is announced of `takes`, by default each column as its field
    notes: Mapping[str, str] = field(default_factory=dict[str, str])
    """The same by field of `also`; an empty one is not announced."""

    def columns(self) -> set[str]:
        """The columns that the shape may be known by."""
        return {*_columns_of((*self.takes.values(), *self.also.values(), *self.needs))}

    def may_be_in(self, columns: Container[str]) -> bool:
        """Whether rows with these columns may be of the shape: one is there for each path of `takes`."""
        return all(
            any(name in columns for name in _columns_of([path])) for path in self.takes.values()
        )

    def read(self, values: Values, announce: dict[str, None]) -> str | None:
        """Read the row's values in place; returns its problem if it has one."""
        read = {name: found(values, path) for name, path in self.takes.items()}
        if None in read.values() or any(found(values, path) is None for path in self.needs):
            return None
        if self.single is not None and len(turns := items_in(values[self.single])) != 1:
            return f"has {len(turns)} turns; give one question and answer per row"
        dropped = {*_columns_of(self.takes.values()), *self.drops}
        others = {key: each for key, each in values.items() if key not in {*dropped, *self.beside}}
        unless = self.takes if self.unless is None else self.unless
        if any(has_field(others, name) for name in unless):
            return None
        usual = [_as_read(path, name) for name, path in self.takes.items()]
        announce |= dict.fromkeys(usual if self.note is None else [self.note])
        for name, path in self.also.items():
            columns, value = _columns_of([path]), found(values, path)
            # Ids belong to contexts: those of other contexts are not taken.
            given = (name, "contexts") if name == "context_ids" else (name,)
            if value is None or any(has_field(others, each, but=columns) for each in given):
                continue
            read[name] = value
            dropped |= columns.keys()
            if note := self.notes.get(name, _as_read(path, name)):
                announce[note] = None
        for name in dropped:
            values.pop(name, None)
        values |= read
        return None


def _as_read(path: str, name: str) -> str:
    """What is announced of a field: the keys on the way to it, by the first of several paths."""
    first = re.split(r" ?[|:]", path)[0]
    return f"{'.'.join(step['name'] for step in _STEP.finditer(first) if step['name'])!r} as {name}"


Step = Shape | Callable[[Values, dict[str, None]], None]
"""An entry, or a function that does what an entry cannot say."""


def read_rows(table: Table, steps: Sequence[Step], keep: Collection[str] = ()) -> Table:
    """The table with its rows read by each step in turn, but for columns in `keep`, and a note on what was read."""
    announce: dict[str, None] = {}
    problems: list[Problem] = []
    columns = set(table.columns) - set(keep)
    steps = [step for step in steps if not isinstance(step, Shape) or step.may_be_in(columns)]
    rows: list[Row] = []
    for row in table.rows if steps else ():
        rows.append(row)
        if not any(isinstance(value, list | tuple | Mapping) for value in row.values.values()):
            continue
        values = {name: value for name, value in row.values.items() if name not in keep}
        for step in steps:
            if not isinstance(step, Shape):
                step(values, announce)
            elif (problem := step.read(values, announce)) is not None:
                problems.append(Problem(problem, row.source, row.line, step.single))
        values |= {name: value for name, value in row.values.items() if name in keep}
        rows[-1] = row if values == row.values else Row(values, row.source, row.line)
    if not announce and not problems:
        return table
    notes = (*table.notes, f"read {listed(list(announce))}") if announce else table.notes
    return replace(table, rows=tuple(rows), notes=notes, problems=(*table.problems, *problems))


def has_field(values: Mapping[str, object], name: str, but: Container[str] = ()) -> bool:
    """Whether a column gives the field a value; those in `but` do not count."""
    return any(
        column not in but and value is not None and field_of(column) == name
        for column, value in values.items()
    )


def found(value: object, path: str) -> object:
    """What the path leads to, as it is read there; None where it leads nowhere."""
    alternatives, reading = _parsed(path)
    for steps in alternatives:
        here = _walked(value, steps)
        here = None if here is None else READINGS[reading](here)
        if here is not None:
            return here
    return None


def _columns_of(paths: Iterable[str]) -> dict[str, None]:
    return dict.fromkeys(steps[0][1] for path in paths for steps in _parsed(path)[0])


_Steps = tuple[tuple[str, str], ...]


@cache
def _parsed(path: str) -> tuple[tuple[_Steps, ...], str]:
    """The steps of each alternative, (kind, name), and how its value is read."""
    alternatives, _, reading = path.partition(": ")
    steps = (
        tuple((step.lastgroup or "", step[step.lastgroup or 0]) for step in _STEP.finditer(each))
        for each in alternatives.split(" | ")
    )
    return tuple(steps), reading


def _walked(value: object, steps: _Steps) -> object:
    for place, (kind, name) in enumerate(steps):
        if kind == "name":
            value = mapping_in(value).get(name)
        elif name.isdigit():
            value = next(iter(items_in(value)[int(name) :]), None)
        elif value is not None:
            return _of_items(value, kind, name, steps[place + 1 :])
    return value


def _of_items(value: object, kind: str, which: str, steps: _Steps) -> list[object] | None:
    """What the steps lead to from each item; None if one leads nowhere."""
    items = cast("Sequence[object]", value) if isinstance(value, list | tuple) else [value]
    if kind == "column" and not isinstance(value, Mapping):
        return None
    if kind == "column":  # the objects that columns of the same length hold
        columns = {name: items_in(each) for name, each in mapping_in(cast("object", value)).items()}
        n_rows = max(map(len, columns.values()), default=0)
        columns = {name: column for name, column in columns.items() if len(column) == n_rows}
        items = [{name: column[at] for name, column in columns.items()} for at in range(n_rows)]
    if which not in ("", "?"):
        marks = [mapping_in(item).get(which) for item in items]
        if marks and all(mark is None for mark in marks):
            return None
        items = [item for item, mark in zip(items, marks, strict=True) if mark]
    read = [_walked(item, steps) for item in items]
    if which == "?":
        read = [each for each in read if each is not None]
    if None in read:
        return None
    is_nested = any(kind != "name" and not name.isdigit() for kind, name in steps)
    return [each for part in read for each in cast("list[object]", part)] if is_nested else read
