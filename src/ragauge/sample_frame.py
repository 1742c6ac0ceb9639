"""Build samples from rows: read every value, number rows without an id, find duplicates and look-alikes."""

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from ragauge.errors import DataError, Problem
from ragauge.normal_form import normal_form
from ragauge.sample import Row, Samples
from ragauge.sample_fields import DEFAULT_SYSTEM, FIELDS, FieldError, read_value, short_value

if TYPE_CHECKING:
    import polars as pl

MAX_LOOK_ALIKES = 5


def from_rows(rows: Iterable[Row], source: str = "samples", notes: Iterable[str] = ()) -> Samples:
    """Samples of the rows; DataError lists every invalid value and duplicate (id, system).

    Rows without an id are numbered within their system, which a note records.
    """
    kept = list(rows)
    problems: list[Problem] = []
    values = [_read_row(row, problems) for row in kept]
    if not kept:
        problems.append(Problem("holds no samples; is it the right file?", source))
    all_notes = [*notes, *_fill_names(values)]
    problems += _duplicates(kept, values)
    if problems:
        raise DataError(problems)
    return Samples(_frame(values), source, (*all_notes, *_look_alikes(values)))


def _read_row(row: Row, problems: list[Problem]) -> dict[str, object]:
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


def _fill_names(values: list[dict[str, object]]) -> list[str]:
    """Fill in missing systems and ids; returns a note if ids were generated."""
    seen: dict[object, int] = {}
    n_numbered = 0
    for row in values:
        system = row["system"] = row.get("system") or DEFAULT_SYSTEM
        seen[system] = seen.get(system, 0) + 1
        if row.get("id") is None:
            row["id"] = str(seen[system])
            n_numbered += 1
    return [f"{n_numbered} rows have no id: numbered by position"] if n_numbered else []


def _duplicates(rows: list[Row], values: list[dict[str, object]]) -> list[Problem]:
    first: dict[tuple[object, object], Row] = {}
    problems: list[Problem] = []
    for row, named in zip(rows, values, strict=True):
        key = (named["id"], named["system"])
        before = first.setdefault(key, row)
        if before is not row:
            where = before.source if before.line is None else f"{before.source}:{before.line}"
            system = "" if key[1] == DEFAULT_SYSTEM else f" of system {key[1]!r}"
            problem = (
                f"duplicate id{system}, first at {where}; each (id, system) pair must be unique"
            )
            problems.append(Problem(problem, row.source, row.line, None, str(key[0])))
    return problems


def _look_alikes(values: list[dict[str, object]]) -> list[str]:
    by_look: dict[str, set[str]] = {}
    for id in {cast(str, row["id"]) for row in values}:
        look = normal_form("NFKC", id).casefold().strip().lstrip("0")
        by_look.setdefault(look, set()).add(id)
    alike = sorted(sorted(ids) for ids in by_look.values() if len(ids) > 1)
    notes = [
        f"these ids look alike but are different: {', '.join(map(ascii, ids))}"
        for ids in alike[:MAX_LOOK_ALIKES]
    ]
    if len(alike) > len(notes):
        notes.append(f"{len(alike) - len(notes):,} more groups of ids look alike")
    return notes


def _frame(values: list[dict[str, object]]) -> "pl.DataFrame":
    import polars as pl

    types = {
        "id": pl.String(),
        "text": pl.String(),
        "texts": pl.List(pl.String()),
        "numbers": pl.List(pl.Float64()),
        "grades": pl.List(pl.Struct({"id": pl.String(), "grade": pl.Int64()})),
    }
    present = {name for row in values for name in row}
    order = [name for name in FIELDS if name in present]
    order += list(dict.fromkeys(name for row in values for name in row if name not in FIELDS))
    series: list[pl.Series] = []
    for name in order:
        column = [row.get(name) for row in values]
        dtype = types.get(FIELDS[name].kind if name in FIELDS else "")
        if isinstance(dtype, pl.List):
            series.append(_lists(name, _as_lists(name, column), cast("pl.DataType", dtype.inner)))
        else:
            column = column if dtype is not None else _one_type(column)
            series.append(pl.Series(name, column, dtype=dtype, strict=True))
    return pl.DataFrame(series)


def _lists(name: str, column: list[list[object] | None], inner: "pl.DataType") -> "pl.Series":
    """A column of lists, built from all items at once: many times faster than list by list."""
    import polars as pl

    owners = pl.Series(
        [row for row, cell in enumerate(column) for _ in cell or ()], dtype=pl.UInt32
    )
    items = pl.Series([item for cell in column for item in cell or ()], dtype=inner, strict=True)
    grouped = (
        pl.DataFrame({"row": owners, name: items}).group_by("row", maintain_order=True).agg(name)
    )
    every = pl.DataFrame(
        {
            "row": pl.Series(range(len(column)), dtype=pl.UInt32),
            "is_given": pl.Series([cell is not None for cell in column], dtype=pl.Boolean),
        }
    )
    empty = pl.lit([], dtype=pl.List(inner))
    filled = pl.when("is_given").then(pl.col(name).fill_null(empty)).alias(name)
    return every.join(grouped, on="row", how="left", maintain_order="left").select(filled)[name]


def _as_lists(name: str, column: list[object]) -> list[list[object] | None]:
    """List cells; judgements as structs sorted by id, because a JSON object has no order."""
    if name != "relevant":
        return cast("list[list[object] | None]", column)
    return [
        None
        if grades is None
        else [{"id": document, "grade": grade} for document, grade in sorted(grades.items())]
        for grades in cast("list[dict[str, int] | None]", column)
    ]


def _one_type(column: list[object]) -> list[object]:
    """A slice field's values, all as text if they have several types."""
    kinds = {type(value) for value in column if value is not None}
    if len(kinds) <= 1:
        return column
    if kinds == {int, float}:
        return [None if value is None else float(cast(float, value)) for value in column]
    return [
        value if value is None or isinstance(value, str) else json.dumps(value) for value in column
    ]
