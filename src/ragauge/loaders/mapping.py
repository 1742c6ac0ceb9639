"""Map columns to fields, by the names that common tools use and by the user's choice; the others are extra fields."""

import dataclasses
import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import cast

from ragauge.errors import Problem, did_you_mean
from ragauge.loaders.documents import parts_of
from ragauge.loaders.names import ALIASES, EITHER, NEGATED, PREDICTIONS, RARER, WHOLE_PROMPT
from ragauge.loaders.table import items_in, listed, mapping_in
from ragauge.samples.fields import CLUSTERS, short_value
from ragauge.samples.samples import FIELDS, FieldError, Row, read_value

MAX_COLUMNS = 1_000
NEAR = 0.8  # similarity of names from which a note suggests the field
MAX_NUMBERS = 50  # the longest list of numbers that is not a vector
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_GAP = re.compile(r"[\s\-.]+")


@dataclasses.dataclass(frozen=True, slots=True)
class Naming:
    """The field of each column, columns left out, notes, problems; `spare` columns replace references or answerable that are null."""

    fields: Mapping[str, str]
    left_out: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    spare: Mapping[str, Sequence[str]] = dataclasses.field(default_factory=dict[str, Sequence[str]])


@lru_cache(maxsize=4096)
def folded(name: str) -> str:
    """A name without case, spaces, hyphens, dots and camelCase: `actualOutput` is `actual_output`."""
    composed = unicodedata.normalize("NFC", name.strip())
    return _GAP.sub("_", _CAMEL.sub("_", composed)).casefold().rstrip("_")


def field_of(column: str, aliases: Mapping[str, str] = ALIASES) -> str | None:
    """The field that a column's name means, or None."""
    return aliases.get(folded(column))


def check_chosen(chosen: Mapping[str, str]) -> tuple[str, ...]:
    """The problems of the user's mapping that do not depend on the data."""
    problems = [
        f"--map: unknown field {field!r}{did_you_mean(field, FIELDS)}; fields: {', '.join(FIELDS)}"
        for field in chosen
        if field not in FIELDS
    ]
    twice = [name for name, n in Counter(chosen.values()).items() if n > 1]
    return (*problems, *(f"--map: column {name!r} is mapped to two fields" for name in twice))


def absent(field: str, column: str, columns: Sequence[str]) -> str:
    """The message for a chosen column that does not exist."""
    there = listed([repr(name) for name in columns], most=30)
    hint = did_you_mean(column, columns)
    return f"has no column {column!r} for {field}{hint}; the columns are {there}"


def name_columns(
    columns: Sequence[str],
    chosen: Mapping[str, str],
    *,
    aliases: Mapping[str, str] | None = None,
    settled: Collection[str] = (),
    has_gold: bool = False,
) -> Naming:
    """The field of each column: first from `chosen` (field to column), then by name; two that could be one are a problem.

    Of a field in `settled`, which is given elsewhere, only a column of exactly that name counts. Without
    references, here or in gold (`has_gold`), a column named answer beside a prediction holds the expected answer.
    """
    if unusable := _unusable(columns):
        return Naming({}, problems=tuple(unusable))
    fields = {column: field for field, column in chosen.items() if column in columns}
    problems: list[str] = []
    notes: list[str] = []
    spare: dict[str, Sequence[str]] = {}
    is_open = not has_gold and "references" not in map(field_of, columns)
    if not {"answer", "references"} & chosen.keys():
        predictions = [name for name in columns if folded(name) in PREDICTIONS]
        answers = [name for name in columns if folded(name) in ("answer", "ans")]
        either = [name for name in predictions if folded(name) in EITHER]
        is_sure = len(predictions) == len(answers) == 1 and not either
        if is_open and is_sure and aliases is None:
            fields |= {predictions[0]: "answer", answers[0]: "references"}
        elif either and answers and (is_open or aliases is None):
            which = "the system's answer or the expected one" if is_open else "the system's answer"
            other = f" --map references={answers[0]}, or the other way round" if is_open else ""
            problems.append(
                f"{' and '.join(map(repr, [*answers, *either]))} could each be {which}; say which: "
                f"--map answer={either[0]}{other or f' or --map answer={answers[0]}'}"
            )
    for field, names in _candidates(columns, fields, aliases).items():
        best = next((name for name in names if name == field), None)
        spelled = [name for name in names if folded(name) == field]
        if best is None:
            best = next((some[0] for some in (spelled, names) if len(some) == 1), None)
        if field == "answerable":
            best = best or names[0]
        several = " and ".join(map(repr, names))
        if best is not None and field not in fields.values():
            if best == field or field not in settled:
                fields[best] = field
        elif best is None and field == "system":
            notes.append(f"{several} could each be the system; none is used")
        elif best is None and field not in fields.values():
            problems.append(f"{several} could each be {field}; choose one: --map {field}=COLUMN")
        read = next((column for column, named in fields.items() if named == field), None)
        # What else could have been the field.
        rest = [name for name in names if name not in fields]
        if field == read == "references" or (field == "answerable" and field not in chosen):
            spare[field] = rest
        others = [repr(name) for name in rest if name not in FIELDS]
        if others and read is not None and field not in ("id", "system"):
            apart = " and ".join(others)
            notes.append(
                f"read {read!r}, and where it is null {apart}, as {field}"
                if field in spare
                else f"read {read!r} as {field}, not {apart}; --map {field}=COLUMN changes it"
            )
    left_out = [name for name in columns if name in FIELDS and name not in fields]
    if not problems and not {*fields.values()} - {"system", "answerable"}:
        there = listed([repr(name) for name in columns])
        options = "--map question=COLUMN --map answer=COLUMN --map references=COLUMN --map contexts=COLUMN"
        problems = [f"has no known field; its columns are {there}; say which is which: {options}"]
    renamed = [
        f"{column!r} as {'not ' if _is_negated(column, field) else ''}{field}"
        for column, field in fields.items()
        if column != field
    ]
    read = {field: f"{column!r} is read as {field}" for column, field in fields.items()}
    unused = (
        f"left out column {name!r}: {read.get(name, 'it belongs to the answers')}"
        for name in left_out
    )
    notes = [*([f"read {', '.join(renamed)}"] if renamed else ()), *unused, *notes]
    free = [field for field in FIELDS if field not in fields.values()]
    for name in columns:
        if name not in fields and name not in CLUSTERS and field_of(name) is None:
            for near in difflib.get_close_matches(folded(name), free, n=1, cutoff=NEAR):
                notes.append(f"{name!r} is kept as an extra field; did you mean {near!r}?")
    return Naming(fields, frozenset(left_out), tuple(notes), tuple(problems), spare)


def _unusable(columns: Sequence[str]) -> list[str]:
    if len(columns) > MAX_COLUMNS:
        n = f"{len(columns):,} columns, more than {MAX_COLUMNS:,}"
        return [f"has {n}; are ids used as column names?"]
    problems: list[str] = []
    for name in columns:
        if any("\ud800" <= sign <= "\udfff" for sign in name):
            problems.append(f"has a column name that is not valid Unicode: {name!a}")
        if not name.strip():
            problems.append("has a column without a name; name it or remove it")
    return problems


def _candidates(
    columns: Sequence[str], fields: Mapping[str, str], aliases: Mapping[str, str] | None
) -> dict[str, list[str]]:
    """The columns, of those not yet used, that each field could be by their names."""
    names = {column: folded(column) for column in columns}
    found = {*names.values()}
    if aliases is None:  # in DeepEval `context` is gold, elsewhere it was retrieved
        in_deepeval = found & {"retrieval_context", "actual_output", "expected_output"}
        aliases = ALIASES | ({"context": "gold_contexts"} if in_deepeval else {})
    if {"q", "a"} <= found:  # each alone may be anything
        aliases = {**aliases, "q": aliases["question"], "a": aliases["answer"]}
    candidates: dict[str, list[str]] = {}
    for column, name in names.items():
        field = aliases.get(name)
        if field is not None and column not in fields:
            candidates.setdefault(field, []).append(column)
    for field, given in candidates.items():
        # In gold, `answer` is the expected one only where no other column is.
        sure = [column for column in given if ALIASES.get(names[column], field) == field] or given
        usual = [column for column in sure if names[column] not in RARER]
        plain = [column for column in usual if names[column] != WHOLE_PROMPT]
        candidates[field] = plain or usual or sure
    return candidates


def _is_negated(column: str, field: str | None) -> bool:
    """Whether a column says that a question has no answer."""
    return field == "answerable" and folded(column) in NEGATED


def renamed_rows(rows: Sequence[Row], naming: Naming, problems: list[Problem]) -> Sequence[Row]:
    """The rows with columns renamed to fields, and without those left out; the same rows if nothing changes."""
    is_renamed = any(column != name for column, name in naming.fields.items())
    if not (any(naming.spare.values()) or naming.left_out or is_renamed):
        return rows
    flags = [column for column, name in naming.fields.items() if name == "answerable"]
    flags += naming.spare.get("answerable", ())
    renamed: list[Row] = []
    for row in rows:
        values = {
            naming.fields.get(name, name): value
            for name, value in row.values.items()
            if name not in naming.left_out
        }
        if not row.values.keys().isdisjoint(flags):
            values["answerable"] = _answerable(row, flags, values.get("id"), problems)
        if values.get("references") is None and (spare := naming.spare.get("references")):
            given = (row.values.get(name) for name in spare)
            values["references"] = next((value for value in given if value is not None), None)
        renamed.append(Row(values, row.source, row.line))
    return renamed


def _answerable(
    row: Row, columns: Sequence[str], id: object, problems: list[Problem]
) -> bool | None:
    """Whether the question has an answer, by all columns that say so; contradictions are a problem."""
    said: dict[bool, str] = {}
    own = id if id is None or isinstance(id, str) else short_value(id)
    for column in columns:
        try:
            value = cast("bool | None", read_value("answerable", row.values.get(column)))
        except FieldError as error:
            problems.append(Problem(str(error), row.source, row.line, column, own))
            continue
        if value is not None:
            said.setdefault(value != _is_negated(column, "answerable"), column)
    if len(said) > 1:
        given = [f"{name!r} is {short_value(row.values[name])}" for name in said.values()]
        text = f"{' and '.join(given)}: they contradict each other; correct one, or choose with --map answerable=COLUMN"
        problems.append(Problem(text, row.source, row.line, None, own))
    return next(iter(said), None)


@dataclasses.dataclass(slots=True)
class ExtraColumns:
    """What the extra columns of all rows read so far hold: one that is not understood is left out."""

    left_out: dict[str, str] = dataclasses.field(default_factory=dict[str, str])
    as_json: dict[str, None] = dataclasses.field(default_factory=dict[str, None])

    def read(self, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows without the columns that are left out by now."""
        for row in rows:
            for name, value in row.values.items():
                if value is None or isinstance(value, str | int | float):
                    continue
                if name not in FIELDS and name not in self.left_out:
                    if (kind := _unknown(value)) is not None:
                        self.left_out[name] = kind
                    if isinstance(value, Mapping):
                        self.as_json[name] = None
        if not self.left_out:
            return rows
        return [
            Row(
                {n: v for n, v in row.values.items() if n not in self.left_out},
                row.source,
                row.line,
            )
            for row in rows
        ]

    def notes(self) -> list[str]:
        notes: list[str] = []
        if kept := listed([repr(name) for name in self.as_json if name not in self.left_out]):
            notes.append(f"kept as JSON text: {kept}")
        if self.left_out:
            named = listed([f"{name!r} ({kind})" for name, kind in self.left_out.items()])
            notes.append(f"left out {named}: not a text, a number or a short list of them")
        documents = (name for name, kind in self.left_out.items() if kind == "lists of documents")
        if (name := next(documents, None)) is not None:
            notes.append(f"if {name!r} holds the contexts: --map contexts={name}")
        return notes


def _unknown(value: object, depth: int = 2) -> str | None:
    """What kind of value cannot be an extra field; None for one that can."""
    if value is None or isinstance(value, str | int | float):
        return None
    if isinstance(value, Mapping):
        parts = cast("Mapping[str, object]", value).values()
        is_flat = all(part is None or isinstance(part, str | int | float) for part in parts)
        return None if is_flat else "nested objects"
    if not isinstance(value, list | tuple):
        return f"{type(value).__name__} values"
    items = items_in(cast("object", value))
    if len(items) > MAX_NUMBERS and all(isinstance(item, int | float) for item in items):
        return f"lists of {len(items):,} numbers"
    if any(isinstance(item, Mapping) for item in items):
        # A message has a text and a role.
        are_documents = all(
            parts_of(item) is not None and "role" not in mapping_in(item) for item in items
        )
        return "lists of documents" if are_documents else "lists of objects"
    kinds = [_unknown(item, depth - 1) for item in items] if depth else ["nested lists"]
    return next((kind for kind in kinds if kind is not None), None)
