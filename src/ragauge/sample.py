"""Samples: what each system answered to each question, with its inputs and the expected results.

One row per (id, system). In every column, null and empty differ: null means that the sample does not
say ("never searched"), so a metric that needs the column gives `missing`; empty means that there is
nothing ("found nothing"), and a metric scores that.
"""

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, cast

from ragauge.errors import DataError, FilterError, Problem, did_you_mean
from ragauge.html_table import MAX_ROWS, html_table, html_text, small
from ragauge.normal_form import normal_form
from ragauge.where import Filter

if TYPE_CHECKING:
    import polars as pl

DEFAULT_SYSTEM = "default"
MAX_LOOK_ALIKES = 5
HASHED_ROWS = 1_000
"""Rows hashed at once; limits memory and does not change the fingerprint."""

REFERENCE, REFERENCES = "reference", "references"
"""The column that takes each of a sample's references in turn, and the column of all of them."""

Columns = dict[str, list[object]]


@dataclass(frozen=True, slots=True)
class Field:
    """A column that metrics know; every other column is a slice field."""

    name: str
    kind: str
    meaning: str
    null: str
    empty: str


FIELDS = {
    field.name: field
    for field in (
        Field("id", "id", "names the question", "numbered by row", "an error"),
        Field("system", "id", "who answered", f"{DEFAULT_SYSTEM!r}", "an error"),
        Field("question", "text", "what was asked", "not recorded", "empty question"),
        Field("answer", "text", "what the system answered", "gave no answer", "empty answer"),
        Field("references", "texts", "answers that are right", "not known", "there is none"),
        Field("contexts", "texts", "retrieved texts, best first", "never searched", "found none"),
        Field("context_ids", "texts", "their document ids", "never searched", "found none"),
        Field("context_scores", "numbers", "their scores", "not recorded", "found none"),
        Field("gold_contexts", "texts", "texts to be found", "not known", "there is none"),
        Field("relevant", "grades", "document id to grade", "not judged", "none is relevant"),
    )
}


class FieldError(ValueError):
    """A value that does not fit its field; the message says what fits."""


def read_value(name: str, value: object) -> object:
    """The value converted to the type of the field `name`; FieldError if it does not fit.

    A number in a text field becomes text; a single text in a list field becomes a list of one; ids
    listed in `relevant` get grade 1. Slice fields keep scalars; nested values become JSON text.

    >>> read_value("references", "Paris")
    ['Paris']
    >>> read_value("relevant", ["d1", "d2"])
    {'d1': 1, 'd2': 1}
    """
    if value is None:
        return None
    field = FIELDS.get(name)
    return _slice_value(value) if field is None else _READERS[field.kind](value)


def _id(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(_finite(value))
    if not isinstance(value, str):
        raise FieldError(f"must be text, got {_short(value)}; put it in quotes")
    if not value.strip():
        raise FieldError("is empty; give every question an id")
    return _whole(value)


def _text(value: object) -> str:
    if isinstance(value, str):
        return _whole(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(_finite(value))
    raise FieldError(f"must be text, got {_short(value)}")


def _texts(value: object) -> list[str]:
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return [_text(value)]
    if not isinstance(value, list | tuple):
        raise FieldError(f"must be a list of texts, got {_short(value)}")
    return [_item(place, item) for place, item in enumerate(cast(Sequence[object], value), 1)]


def _item(place: int, item: object) -> str:
    if isinstance(item, str):
        return _whole(item)
    if not isinstance(item, int | float) or isinstance(item, bool):
        raise FieldError(f"item {place} must be text, got {_short(item)}")
    return _text(item)


def _numbers(value: object) -> list[float]:
    if not isinstance(value, list | tuple):
        raise FieldError(f"must be a list of numbers, got {_short(value)}")
    items = cast(Sequence[object], value)
    for place, item in enumerate(items):
        if isinstance(item, bool) or not isinstance(item, int | float):
            raise FieldError(f"item {place + 1} must be a number, got {_short(item)}")
    return [float(_finite(cast(float, item))) for item in items]


def _grades(value: object) -> dict[str, int]:
    if isinstance(value, Mapping):
        graded = cast(Mapping[object, object], value)
        return {_id(document): _grade(document, grade) for document, grade in graded.items()}
    if not isinstance(value, list | tuple):
        raise FieldError(f"must be a list of ids or an object id → grade, got {_short(value)}")
    grades: dict[str, int] = {}
    for item in cast(Sequence[object], value):
        document, grade = _judgement(item)
        if document in grades:
            raise FieldError(f"lists document {document!r} twice")
        grades[document] = grade
    return grades


def _judgement(item: object) -> tuple[str, int]:
    if isinstance(item, Mapping):
        parts = cast(Mapping[object, object], item)
        if set(parts) != {"id", "grade"}:
            raise FieldError(f"items must be ids or {{id, grade}}, got {_short(parts)}")
        return _id(parts["id"]), _grade(parts["id"], parts["grade"])
    return _id(item), 1


def _grade(document: object, grade: object) -> int:
    if isinstance(grade, bool) or not isinstance(grade, int | float) or grade != grade // 1:
        raise FieldError(f"grade of {document!r} must be a whole number, got {_short(grade)}")
    if abs(grade) >= 2**31:
        raise FieldError(f"grade of {document!r} is beyond any scale: {_short(grade)}")
    return int(grade)


def _slice_value(value: object) -> object:
    if isinstance(value, str):
        return _whole(value)
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return _finite(value)
    if isinstance(value, date | time | Decimal):
        return str(value)
    try:
        return _whole(json.dumps(value, ensure_ascii=False, allow_nan=False))
    except FieldError:
        raise
    except (TypeError, ValueError, RecursionError) as error:
        raise FieldError(f"cannot be kept as JSON: {error}") from None


def _whole(text: str) -> str:
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise FieldError(
            f"contains half a character (lone surrogate U+{ord(text[error.start]):04X}) "
            f"at character {error.start + 1}; fix the export that wrote it"
        ) from None
    return text


def _finite(value: float) -> float:
    if isinstance(value, float) and not math.isfinite(value):
        raise FieldError(f"must be finite, got {value!r}; use null where there is no number")
    if isinstance(value, int) and abs(value) >= 2**63:
        raise FieldError(f"is too large a whole number: {_short(value)}; put it in quotes")
    return value


def _short(value: object) -> str:
    """The value in at most 60 characters, whatever its size."""
    if isinstance(value, int) and abs(value) >= 10**40:
        return "a whole number of over 40 digits"
    try:
        text = json.dumps(value, ensure_ascii=True)
    except (ValueError, RecursionError, TypeError):
        text = f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}…"


_READERS: dict[str, Callable[[object], object]] = {
    "id": _id,
    "text": _text,
    "texts": _texts,
    "numbers": _numbers,
    "grades": _grades,
}


@dataclass(frozen=True, slots=True)
class Row:
    """One sample as a loader read it: values by field name, and its place in the source."""

    values: Mapping[str, object]
    source: str
    line: int | None = None


@dataclass(frozen=True)
class Samples:
    """Samples as a frame: `id` and `system` first, then fields, then slice fields.

    `notes` says how they were read, where it matters (columns mapped, ids generated, answers without
    a question). `relevant` is a list of structs id, grade.
    """

    frame: "pl.DataFrame"
    source: str = "samples"
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return self.frame.height

    def __repr__(self) -> str:
        systems = ", ".join(self.systems[:5]) + (" …" if len(self.systems) > 5 else "")
        lines = (f"{len(self):,} samples of {systems}: {', '.join(self.columns)}", *self.notes)
        return f"<Samples {'; '.join(lines)}>"

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.frame.columns)

    @property
    def slice_fields(self) -> tuple[str, ...]:
        """The columns that are not known fields: question type, topic, date …"""
        return tuple(name for name in self.columns if name not in FIELDS)

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems, sorted."""
        return tuple(sorted(self.frame["system"].unique().to_list()))

    def batch(self, start: int, stop: int) -> Columns:
        """Rows `start` to `stop` as columns of Python values."""
        return to_columns(self.frame[start:stop])

    def fingerprint(self) -> str:
        """SHA-256 of the samples' content, independent of the order of rows and columns."""
        return self._fingerprint

    @cached_property
    def _fingerprint(self) -> str:
        names = sorted(self.columns)
        digest = hashlib.sha256(json.dumps(names).encode())
        ordered = self.frame.select(names).sort("id", "system")
        for start in range(0, len(self), HASHED_ROWS):
            for values in to_columns(ordered[start : start + HASHED_ROWS]).values():
                digest.update(json.dumps(values, ensure_ascii=False, default=str).encode())
        return digest.hexdigest()

    def _repr_html_(self) -> str:
        """The first rows with short cells."""
        rows = self.frame.head(MAX_ROWS)
        cells = [[html_text(_shown(value)) for value in row] for row in rows.iter_rows()]
        n_more = len(self) - rows.height
        title = f"{len(self):,} samples of {', '.join(self.systems)}"
        more = small(f"… {n_more:,} more rows") if n_more else ""
        table = html_table([html_text(name) for name in self.columns], cells)
        return f"<div><b>{html_text(title)}</b>{table}{more}</div>"


def _shown(value: object) -> str:
    """A value as a short text; of a list how many it has, and the first."""
    if not isinstance(value, list):
        return "" if value is None else str(value)
    items = cast("list[object]", value)
    if not items:
        return "[]"
    first = items[0]
    if isinstance(first, Mapping):
        judged = cast("Mapping[str, object]", first)
        first = f"{judged.get('id')}: {judged.get('grade')}"
    return str(first) if len(items) == 1 else f"[{len(items):,}] {first}"


def to_columns(frame: "pl.DataFrame") -> Columns:
    """A frame's columns as lists; `relevant` as one dict per row."""
    columns = {name: cast(list[object], frame[name].to_list()) for name in frame.columns}
    if "relevant" in columns:
        relevant = cast(list[list[dict[str, object]] | None], columns["relevant"])
        columns["relevant"] = [
            None if row is None else {cast(str, judged["id"]): judged["grade"] for judged in row}
            for row in relevant
        ]
    return columns


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
    id = given if given is None or isinstance(given, str) else _short(given)
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


def matching(samples: Samples, where: Filter) -> Samples:
    """The rows that match a filter, possibly none; FilterError if it names an unknown field."""
    import polars as pl

    _check_fields(where, samples.columns)
    frame = samples.frame
    rows = to_columns(frame.select(name for name in frame.columns if name in where.fields))
    mask = [
        where.matches(dict(zip(rows, values, strict=True)))
        for values in zip(*rows.values(), strict=True)
    ]
    return Samples(frame.filter(pl.Series(mask, dtype=pl.Boolean)), samples.source, samples.notes)


def select(samples: Samples, *, where: str | None = None, limit: int | None = None) -> Samples:
    """The rows that match a filter, limited to the first `limit` questions.

    A question counts once, however many systems answer it. FilterError if the filter does not parse
    or names an unknown field; DataError if no row is left.
    """
    frame, notes = samples.frame, list(samples.notes)
    if where is not None:
        shown = where if len(where) <= 200 else f"{where[:199]}…"
        frame = matching(samples, Filter.parse(where)).frame
        n_all = samples.frame.height
        notes.append(f"{frame.height:,} of {n_all:,} rows match the filter {shown}")
        if not frame.height:
            raise DataError([Problem(f"no row matches the filter {shown}", samples.source)])
    if limit is not None:
        ids = frame["id"].unique(maintain_order=True)[:limit]
        if len(ids) < frame["id"].n_unique():
            notes.append(f"only the first {limit:,} of {frame['id'].n_unique():,} questions")
        frame = frame.filter(frame["id"].is_in(ids.implode()))
    return Samples(frame, samples.source, tuple(notes))


def _check_fields(chosen: Filter, columns: Sequence[str]) -> None:
    for name in sorted(chosen.fields - set(columns)):
        hint = did_you_mean(name, columns) or f"; they have {', '.join(columns)}"
        raise FilterError(f"filter {chosen.text!r:.200}: the samples have no field {name!r}{hint}")
