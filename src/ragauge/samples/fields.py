"""The fields of a sample: what they mean, what null and empty mean in each, and how values are read."""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, is_dataclass
from datetime import date, time
from decimal import Decimal
from itertools import chain
from typing import cast

from ragauge.errors import Problem
from ragauge.score import LARGEST

DEFAULT_SYSTEM = "default"
REFERENCE, REFERENCES = "reference", "references"
"""The column that takes each of a sample's references in turn, and the column of all of them."""

REPEAT_OF = "repeat_of"  # has the id of a question that was asked several times, each as a row
CLUSTERS = ("conversation", REPEAT_OF)
"""Columns whose rows of one value are not independent: the turns of a conversation, the repeats of a question."""

Columns = dict[str, list[object]]
NUMBER = re.compile(r"(?<==)-?\d+(?:\.\d+)?|\d+")  # behind an equals sign with sign and fraction


def by_number(text: str) -> tuple[list[str | float], str]:
    """The key that sorts names as people do, numbers in them by their value: `k=3`, `k=10`."""
    texts, numbers = NUMBER.split(text), map(float, NUMBER.findall(text))
    return [texts[0], *chain.from_iterable(zip(numbers, texts[1:], strict=True))], text


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
        Field("answerable", "flag", "whether there is an answer", "not known", "an error"),
        Field("latency_s", "number", "seconds until the answer", "not measured", "an error"),
        Field("first_token_s", "number", "seconds until its first part", "no stream", "an error"),
        Field("input_tokens", "number", "tokens that were sent", "not known", "an error"),
        Field("output_tokens", "number", "tokens of the answer", "not known", "an error"),
        Field("cost_usd", "number", "what the answer cost", "not known", "an error"),
        Field("messages", "json", "what was said", "not recorded", "nothing was said"),
        Field(
            "conversation_before", "text", "what was said before the turn", "first turn", "nothing"
        ),
        Field("whole_conversation", "json", "all its turns", "not its last turn", "nothing"),
        Field("goal", "text", "what the user wants to reach", "not known", "an error"),
        Field("expected_calls", "json", "tool calls that are right", "not known", "no call is"),
        Field("tools", "json", "the tools and their schemas", "not recorded", "there is none"),
        Field("final_state", "json", "the state at the end", "not recorded", "it is empty"),
        Field("expected_state", "json", "the state that is right", "not known", "it is empty"),
    )
}


NO_ANSWER = {  # why, by the value of the column `status`; `reason` says more
    "failed": "the answer failed",
    "timed_out": "the answer timed out",
    "rate_limited": "the answer was refused by the rate limit",
}
STATUS, REASON = "status", "reason"
OF_SYSTEM = ("answer", "contexts", "context_ids", "context_scores")  # null without an answer
MEASURED = ("latency_s", "first_token_s", "input_tokens", "output_tokens", "cost_usd")


@dataclass(frozen=True, slots=True)
class Row:
    """One sample as a loader read it: values by field name, and its place in the source."""

    values: Mapping[str, object]
    source: str
    line: int | None = None


class FieldError(ValueError):
    """A value that does not fit its field; the message says what fits."""


def read_value(name: str, value: object) -> object:
    """The value converted to the type of the field `name`; FieldError if it does not fit.

    A number in a text field becomes text; a single text in a list field becomes a list of one; ids
    listed in `relevant` get grade 1; `answerable` takes true, false, yes, no, 1, 0. Slice fields keep scalars; nested values become JSON text.
    """
    if value is None:
        return None
    field = FIELDS.get(name)
    return _slice_value(value) if field is None else _READERS[field.kind](value)


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


def _id(value: object) -> str:
    if isinstance(value, bool | float) or not isinstance(value, int | str):
        raise FieldError(f"must be text, got {short_value(value)}; put it in quotes")
    if not str(value).strip():
        raise FieldError("is empty; give every question an id")
    return _text(value)


def _text(value: object) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(_finite(value))
    if not isinstance(value, str):
        raise FieldError(f"must be text, got {short_value(value)}")
    return whole_text(value)


def _texts(value: object) -> list[str]:
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return [_text(value)]
    return list(map(_text, _items(value, (str, int, float), "texts", "text")))


def _numbers(value: object) -> list[float]:
    items = _items(value, (int, float), "numbers", "a number")
    return [float(_finite(number)) for number in cast("Sequence[float]", items)]


def _items(value: object, kinds: tuple[type, ...], several: str, single: str) -> Sequence[object]:
    """The items of a list, all of these kinds."""
    if not isinstance(value, list | tuple):
        raise FieldError(f"must be a list of {several}, got {short_value(value)}")
    items = cast(Sequence[object], value)
    for place, item in enumerate(items, 1):
        if not isinstance(item, kinds) or isinstance(item, bool):
            raise FieldError(f"item {place} must be {single}, got {short_value(item)}")
    return items


def _number(value: object) -> float:
    number = value
    if isinstance(value, str):
        with suppress(ValueError):
            number = float(value)
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise FieldError(f"must be a number, got {short_value(value)}")
    if number < 0:
        raise FieldError(f"must be at least 0, got {short_value(value)}")
    if number > LARGEST:
        raise FieldError(f"is beyond any scale: {short_value(value)}")
    return float(_finite(number))


def _grades(value: object) -> dict[str, int]:
    if isinstance(value, Mapping):
        graded = cast(Mapping[object, object], value)
        return {_id(document): _grade(document, grade) for document, grade in graded.items()}
    if not isinstance(value, list | tuple):
        raise FieldError(f"must be a list of ids or an object id → grade, got {short_value(value)}")
    grades: dict[str, int] = {}
    for item in cast(Sequence[object], value):
        id, grade = item, 1
        if isinstance(item, Mapping):
            parts = cast(Mapping[object, object], item)
            if set(parts) != {"id", "grade"}:
                raise FieldError(f"items must be ids or {{id, grade}}, got {short_value(parts)}")
            id, grade = parts["id"], parts["grade"]
        document = _id(id)
        if document in grades:
            raise FieldError(f"lists document {document!r} twice")
        grades[document] = _grade(id, grade)
    return grades


def _grade(document: object, grade: object) -> int:
    if isinstance(grade, bool) or not isinstance(grade, int | float) or grade != grade // 1:
        raise FieldError(f"grade of {document!r} must be a whole number, got {short_value(grade)}")
    if abs(grade) >= 2**31:
        raise FieldError(f"grade of {document!r} is beyond any scale: {short_value(grade)}")
    return int(grade)


YES, NO = ("true", "yes", "y", "1", "answerable"), ("false", "no", "n", "0", "unanswerable")
NEITHER = ("partial", "conversational", "underspecified", "")  # of MTRAG, which says nothing


def _flag(value: object) -> bool | None:
    several = cast("list[object]", value) if isinstance(value, list) else []
    value = several[0] if len(several) == 1 else cast(object, value)
    given = short_value(value).strip('" ').casefold().removesuffix(".0")
    if not isinstance(value, bool | int | float | str) or given not in (*YES, *NO, *NEITHER):
        raise FieldError(f"must be true or false, got {short_value(value)}")
    return None if given in NEITHER else given in YES


def _json(value: object) -> str:
    """The JSON text of a value; a text stays as it is, whoever reads it says whether it is JSON."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=plain_value)
    except (TypeError, ValueError, RecursionError) as error:
        raise FieldError(f"cannot be kept as JSON: {error!s:.200}") from None
    return whole_text(value if isinstance(value, str) else text)


def plain_value(value: object) -> object:
    """A message or a call given as an object: pydantic's models, dataclasses, attributes role, content or name."""
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    named: dict[str, object] = getattr(value, "__dict__", {})
    if named.keys() & {"role", "content", "name"}:
        return {name: each for name, each in named.items() if not name.startswith("_")}
    raise TypeError(f"{type(value).__name__} is not JSON")


def _slice_value(value: object) -> object:
    if isinstance(value, str | bool):
        return whole_text(value) if isinstance(value, str) else value
    if isinstance(value, int | float):
        return _finite(value)
    if isinstance(value, date | time | Decimal):
        return str(value)
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise FieldError(f"cannot be kept as JSON: {error}") from None
    return whole_text(text)


def whole_text(text: str) -> str:
    """The text; FieldError if it has half of a surrogate pair, which no file and no frame can hold."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = f"half a character (lone surrogate U+{ord(text[error.start]):04X})"
        where = f"at character {error.start + 1}; fix the export that wrote it"
        raise FieldError(f"contains {half} {where}") from None
    return text


def _finite(value: float) -> float:
    if isinstance(value, float) and not math.isfinite(value):
        raise FieldError(f"must be finite, got {value!r}; use null where there is no number")
    if isinstance(value, int) and abs(value) >= 2**63:
        raise FieldError(f"is too large a whole number: {short_value(value)}; put it in quotes")
    return value


def short_value(value: object) -> str:
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
    "number": _number,
    "grades": _grades,
    "flag": _flag,
    "json": _json,
}
