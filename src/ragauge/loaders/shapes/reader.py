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
from ragauge.loaders.mapping import field_of
from ragauge.loaders.messages import text_of
from ragauge.loaders.table import Table, listed
from ragauge.samples.samples import Row

Values = dict[str, object]
_STEP = re.compile(r"\.?(?P<name>[^.\[{]+)|\[(?P<item>[^\]]*)\]|\{(?P<column>[^}]*)\}")


def texts_in(value: object) -> list[str] | None:
    """A list of texts; None for anything else, and for an empty list."""
    if not isinstance(value, list | tuple) or not value:
        return None
    items = cast(Sequence[object], value)
    return cast(list[str], list(items)) if all(isinstance(item, str) for item in items) else None


def _sentences(value: object) -> str | None:
    texts = texts_in(value)
    return None if texts is None else " ".join(text.strip() for text in texts)


def _each(read: Callable[[object], object], value: object) -> list[object] | None:
    found = list(map(read, cast(list[object], value))) if isinstance(value, list) else []
    return found if found and None not in found else None


READINGS: Mapping[str, Callable[[object], object]] = {
    "": lambda value: value,
    "text": lambda value: value if isinstance(value, str) else None,
    "texts": texts_in,
    "list": lambda value: cast(object, value) if isinstance(value, list) else None,
    "filled": lambda value: value or None,
    "message": text_of,
    "only text": lambda value: [value] if isinstance(value, str) else None,
    "first text": lambda value: (texts_in(value) or [None])[0],
    "sentences": _sentences,
    "lists of sentences": lambda value: _each(_sentences, value),
    "ids": lambda value: list(dict.fromkeys(texts_in(value) or [])) or None,
}
"""How a value that a path leads to is read; None if it is something else."""


@dataclass(frozen=True, slots=True)
class Shape:
    """An entry: `takes` leads to each field, and all must be there. The columns they are in are dropped.

    `also` is taken where it is there and no other column gives its field. No other column may give a
    field of `unless`; those of `takes` if it is None. Columns in `beside` do not count as others.
    """

    takes: Mapping[str, str]
    also: Mapping[str, str] = field(default_factory=dict[str, str])
    needs: tuple[str, ...] = ()
    """Paths that must lead somewhere."""
    unless: tuple[str, ...] | None = None
    beside: tuple[str, ...] = ()
    drops: tuple[str, ...] = ()
    """Columns that are dropped besides those of `takes`."""
    within: tuple[str, ...] = ("",)
    """Where the paths of `takes` and `also` begin; for each field, the first that leads somewhere counts."""
    single: str | None = None
    """A column with a list of turns, of which a row may have only one."""
    note: str | None = None
    """What is announced of `takes`; "'column' as field" for each if it is None."""
    notes: Mapping[str, str] = field(default_factory=dict[str, str])
    """The same by field of `also`; an empty one is not announced."""

    def columns(self) -> set[str]:
        """The columns that the shape may be known by."""
        taken = (*self.takes.values(), *self.also.values())
        return {
            *self._columns_of(taken),
            *(steps[0][1] for each in self.needs for steps, _ in _paths(each)),
        }

    def may_be_in(self, columns: Container[str]) -> bool:
        """Whether rows with these columns may be of the shape: one is there for each path of `takes`."""
        return all(
            any(name in columns for name in self._columns_of([path]))
            for path in self.takes.values()
        )

    def _columns_of(self, paths: Iterable[str]) -> dict[str, None]:
        steps = (steps for path in paths for steps, _ in _paths(path, self.within))
        return dict.fromkeys(each[0][1] for each in steps)

    def read(self, values: Values, announce: dict[str, None]) -> str | None:
        """Read the row's values in place; returns its problem if it has one."""
        read = {name: found(values, path, self.within) for name, path in self.takes.items()}
        if None in read.values() or any(found(values, path) is None for path in self.needs):
            return None
        if self.single is not None and len(turns := cast(list[object], values[self.single])) != 1:
            return f"has {len(turns)} turns; give one question and answer per row"
        dropped = {*self._columns_of(self.takes.values()), *self.drops}
        others = {key: each for key, each in values.items() if key not in {*dropped, *self.beside}}
        if any(
            has_field(others, name) for name in (self.takes if self.unless is None else self.unless)
        ):
            return None
        usual = [
            f"{next(iter(self._columns_of([path])))!r} as {name}"
            for name, path in self.takes.items()
        ]
        announce |= dict.fromkeys(usual if self.note is None else [self.note])
        for name, path in self.also.items():
            columns = self._columns_of([path])
            value = found(values, path, self.within)
            # Ids belong to contexts: those of other contexts are not taken.
            given = (name, "contexts") if name == "context_ids" else (name,)
            if value is None or any(has_field(others, each, but=columns) for each in given):
                continue
            read[name] = value
            dropped |= columns.keys()
            if note := self.notes.get(name, f"{next(iter(columns))!r} as {name}"):
                announce[note] = None
        for name in dropped:
            values.pop(name, None)
        values |= read
        return None


Step = Shape | Callable[[Values, dict[str, None]], None]
"""An entry, or a function that does what an entry cannot say."""


def read_rows(table: Table, steps: Sequence[Step], keep: Collection[str] = ()) -> Table:
    """The table with its rows read by each step in turn, and a note on what was read.

    Columns in `keep` stay as they are. The same table if no row is changed.
    """
    announce: dict[str, None] = {}
    problems: list[Problem] = []
    columns = set(table.columns()) - set(keep)
    steps = [step for step in steps if not isinstance(step, Shape) or step.may_be_in(columns)]
    if not steps:
        return table
    rows = tuple(_read_row(row, steps, keep, announce, problems) for row in table.rows)
    if not announce and not problems:
        return table
    notes = (*table.notes, f"read {listed(list(announce))}") if announce else table.notes
    return replace(table, rows=rows, notes=notes, problems=(*table.problems, *problems))


def _read_row(
    row: Row,
    steps: Sequence[Step],
    keep: Collection[str],
    announce: dict[str, None],
    problems: list[Problem],
) -> Row:
    if not any(isinstance(value, list | tuple | Mapping) for value in row.values.values()):
        return row
    values = {name: value for name, value in row.values.items() if name not in keep}
    for step in steps:
        if not isinstance(step, Shape):
            step(values, announce)
        elif (problem := step.read(values, announce)) is not None:
            problems.append(Problem(problem, row.source, row.line, step.single))
    values |= {name: value for name, value in row.values.items() if name in keep}
    return row if values == row.values else Row(values, row.source, row.line)


def has_field(values: Mapping[str, object], name: str, but: Container[str] = ()) -> bool:
    """Whether a column gives the field a value; those in `but` do not count."""
    return any(
        column not in but and value is not None and field_of(column) == name
        for column, value in values.items()
    )


def found(value: object, path: str, within: tuple[str, ...] = ("",)) -> object:
    """What the path leads to, as it is read there; None where it leads nowhere.

    >>> found({"hits": [{"text": "a"}, {"text": "b"}]}, "hits[].text: texts")
    ['a', 'b']
    >>> found({"passages": {"text": ["a", "b"], "gold": [0, 1]}}, "passages{gold}.text")
    ['b']
    """
    for steps, reading in _paths(path, within):
        here = _walked(value, steps)
        here = None if here is None else READINGS[reading](here)
        if here is not None:
            return here
    return None


_Steps = tuple[tuple[str, str], ...]


@cache
def _paths(path: str, within: tuple[str, ...] = ("",)) -> tuple[tuple[_Steps, str], ...]:
    """The steps of each alternative, (kind, name), and how its value is read."""
    alternatives, _, reading = path.partition(": ")
    whole = [
        f"{base}.{each}" if base else each for each in alternatives.split(" | ") for base in within
    ]
    return tuple(
        (
            tuple(
                (cast(str, step.lastgroup), step[cast(str, step.lastgroup)])
                for step in _STEP.finditer(each)
            ),
            reading,
        )
        for each in whole
    )


def _walked(value: object, steps: _Steps) -> object:
    for place, (kind, name) in enumerate(steps):
        if value is None:
            return None
        if kind == "name":
            value = (
                cast(Mapping[str, object], value).get(name) if isinstance(value, Mapping) else None
            )
        elif name.isdigit():
            items = cast(Sequence[object], value) if isinstance(value, list | tuple) else ()
            value = items[int(name)] if int(name) < len(items) else None
        else:
            items = _items(value) if kind == "item" else _rows_of_columns(value)
            return _of_items(items, name, steps[place + 1 :])
    return value


def _of_items(items: Sequence[object], which: str, steps: _Steps) -> list[object] | None:
    """What the steps lead to from each item; None if one leads nowhere."""
    if which not in ("", "?"):
        marks = [_walked(item, (("name", which),)) for item in items]
        if all(mark is None for mark in marks):
            return None
        items = [item for item, mark in zip(items, marks, strict=True) if mark]
    read = [_walked(item, steps) for item in items]
    if which == "?":
        read = [value for value in read if value is not None]
    if None in read:
        return None
    is_nested = any(kind != "name" and not name.isdigit() for kind, name in steps)
    return [value for part in read for value in cast(list[object], part)] if is_nested else read


def _items(value: object) -> Sequence[object]:
    return cast(Sequence[object], value) if isinstance(value, list | tuple) else [value]


def _rows_of_columns(value: object) -> Sequence[Mapping[str, object]]:
    """The objects that an object of columns of the same length holds."""
    if not isinstance(value, Mapping):
        return ()
    columns = {
        name: cast(Sequence[object], column)
        for name, column in cast(Mapping[str, object], value).items()
        if isinstance(column, list | tuple)
    }
    n_rows = max(map(len, columns.values()), default=0)
    columns = {name: column for name, column in columns.items() if len(column) == n_rows}
    return [{name: column[at] for name, column in columns.items()} for at in range(n_rows)]
