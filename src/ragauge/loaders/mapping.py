"""Map columns to fields, by the names that common tools use and by the user's choice; the others are extra fields."""

import dataclasses
import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from ragauge.errors import did_you_mean
from ragauge.loaders.names import ALIASES, EITHER, NEGATED, PREDICTIONS, RARER, WHOLE_PROMPT
from ragauge.loaders.table import listed
from ragauge.samples.fields import CLUSTERS
from ragauge.samples.samples import FIELDS

MAX_COLUMNS = 1_000
NEAR = 0.8  # similarity of names from which a note suggests the field
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
        f"{column!r} as {'not ' if is_negated(column, field) else ''}{field}"
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


def is_negated(column: str, field: str | None) -> bool:
    """Whether a column says that a question has no answer."""
    return field == "answerable" and folded(column) in NEGATED
