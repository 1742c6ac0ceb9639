"""What makes rows samples: read every value, number rows without an id, find duplicates and look-alikes."""

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, cast

from ragauge.errors import Problem
from ragauge.language.characters import normal_form
from ragauge.samples.fields import DEFAULT_SYSTEM, FIELDS, FieldError, read_value, short_value
from ragauge.samples.samples import Row

if TYPE_CHECKING:
    import polars as pl

MAX_LOOK_ALIKES = 5


def problems_of(rows: Sequence[Row]) -> list[Problem]:
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


def read_values(row: Row, problems: list[Problem]) -> dict[str, object]:
    """The row's values with the types of their fields; what does not fit is a problem."""
    values: dict[str, object] = {}
    given = row.values.get("id")
    id = given if given is None or isinstance(given, str) else short_value(given)
    for name, value in row.values.items():
        try:
            values[name] = read_value(name, value)
        except FieldError as error:
            problems.append(Problem(str(error), row.source, row.line, name, id))
    lengths = {
        name: len(cast(list[object], values[name]))
        for name in ("contexts", "context_ids", "context_scores")
        if values.get(name) is not None
    }
    if len(set(lengths.values())) > 1:
        counted = ", ".join(f"{n} {name}" for name, n in lengths.items())
        problem = f"has {counted}; they must describe the same texts in the same order"
        problems.append(Problem(problem, row.source, row.line, None, id))
    return values


class Numbering:
    """Fills in missing systems and ids, row after row."""

    def __init__(self) -> None:
        self._seen: dict[object, int] = {}
        self.n_numbered = 0

    def fill(self, values: list[dict[str, object]]) -> None:
        """Give each row a system, and each without an id its number within the system."""
        for row in values:
            system = row["system"] = row.get("system") or DEFAULT_SYSTEM
            self._seen[system] = self._seen.get(system, 0) + 1
            if row.get("id") is None:
                row["id"] = str(self._seen[system])
                self.n_numbered += 1

    def notes(self) -> list[str]:
        n = self.n_numbered
        have = "1 row has" if n == 1 else f"{n} rows have"
        return [f"{have} no id: numbered by position"] if n else []


def duplicate_problem(row: Row, first: Row, id: str, system: str) -> Problem:
    """The problem of a row whose id and system an earlier row has."""
    where = first.source if first.line is None else f"{first.source}:{first.line}"
    of_system = "" if system == DEFAULT_SYSTEM else f" of system {system!r}"
    problem = f"duplicate id{of_system}, first at {where}; each (id, system) pair must be unique"
    return Problem(problem, row.source, row.line, None, id)


def look_of(id: str) -> str:
    """What an id looks like: a reader confuses ids for which this is equal."""
    return normal_form("NFKC", id).casefold().strip().lstrip("0")


def look_alike_notes(given: Iterable[str]) -> list[str]:
    """Notes on different ids that look alike."""
    by_look: dict[str, set[str]] = {}
    for id in given:
        by_look.setdefault(look_of(id), set()).add(id)
    alike = sorted(sorted(ids) for ids in by_look.values() if len(ids) > 1)
    notes = [
        f"these ids look alike but are different: {', '.join(map(ascii, ids))}"
        for ids in alike[:MAX_LOOK_ALIKES]
    ]
    if len(alike) > len(notes):
        notes.append(f"{len(alike) - len(notes):,} more groups of ids look alike")
    return notes


def frame_of(values: list[dict[str, object]]) -> "pl.DataFrame":
    """The rows as a frame: id and system first, then the other fields, then the slice fields.

    Judgements are structs sorted by id, because a JSON object has no order. The values of a slice field of
    several types are text.
    """
    import polars as pl

    types = {
        **dict.fromkeys(("id", "text", "json"), pl.String()),
        "texts": pl.List(pl.String()),
        "numbers": pl.List(pl.Float64()),
        "flag": pl.Boolean(),
        "number": pl.Float64(),
        "grades": pl.List(pl.Struct({"id": pl.String(), "grade": pl.Int64()})),
    }
    present = dict.fromkeys(name for row in values for name in row)
    order = [name for name in FIELDS if name in present]
    order += [name for name in present if name not in FIELDS]
    series: list[pl.Series] = []
    for name in order:
        column = [row.get(name) for row in values]
        dtype = types[FIELDS[name].kind] if name in FIELDS else None
        if name == "relevant":
            graded = cast("list[dict[str, int] | None]", column)
            pairs = [None if grades is None else sorted(grades.items()) for grades in graded]
            column = [each and [{"id": id, "grade": n} for id, n in each] for each in pairs]
        if isinstance(dtype, pl.List):
            lists = cast("list[list[object] | None]", column)
            series.append(_lists(name, lists, cast("pl.DataType", dtype.inner)))
            continue
        kinds = {type(value) for value in column if value is not None} if dtype is None else ()
        if kinds == {int, float}:
            column = [None if value is None else float(cast(float, value)) for value in column]
        elif len(kinds) > 1:
            are_texts = (value is None or isinstance(value, str) for value in column)
            marked = zip(column, are_texts, strict=True)
            column = [value if is_text else json.dumps(value) for value, is_text in marked]
        series.append(pl.Series(name, column, dtype=dtype, strict=True))
    return pl.DataFrame(series)


def _lists(name: str, column: list[list[object] | None], inner: "pl.DataType") -> "pl.Series":
    """A column of lists, built from all items at once: many times faster than list by list."""
    import polars as pl

    owners = [row for row, cell in enumerate(column) for _ in cell or ()]
    items = pl.Series(name, [item for cell in column for item in cell or ()], inner, strict=True)
    grouped = pl.DataFrame([pl.Series("row", owners, pl.UInt32), items])
    grouped = grouped.group_by("row", maintain_order=True).agg(name)
    every = pl.DataFrame(
        {"row": range(len(column)), "is_given": [cell is not None for cell in column]},
        schema={"row": pl.UInt32, "is_given": pl.Boolean},
    )
    empty = pl.lit([], dtype=pl.List(inner))
    filled = pl.when("is_given").then(pl.col(name).fill_null(empty)).alias(name)
    return every.join(grouped, on="row", how="left", maintain_order="left").select(filled)[name]
