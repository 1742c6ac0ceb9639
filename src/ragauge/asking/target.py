"""Targets: systems under test, which answer one question at a time; what they return read as an answer, or why there is none."""

import json
import re
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, fields
from reprlib import Repr
from typing import TYPE_CHECKING, Literal, Protocol, cast, get_args, runtime_checkable

from ragauge.errors import DataError, Problem, RagaugeError
from ragauge.network.endpoints import Unanswered
from ragauge.report.plain import shortened
from ragauge.samples.fields import FIELDS, FieldError, read_value
from ragauge.samples.samples import Samples
from ragauge.score import LARGEST

if TYPE_CHECKING:
    from ragauge.asking.spans import Spans

GOLD = (
    *("references", "relevant", "gold_contexts", "answerable", "answer"),
    *("expected_calls", "expected_state"),
)
"""Fields of a question that a target gets only if it asks for them by name: they are the right answer."""
AnswerStatus = Literal["ok", "failed", "timed_out", "rate_limited"]
MEASURED = (
    *("status", "reason", "attempts", "latency_s", "first_token_s"),
    *("input_tokens", "output_tokens", "cost_usd"),
)
"""The columns that say how an answer came about."""


@runtime_checkable
class Target(Protocol):
    """A system under test.

    `answer` gets the fields of one question, and the settings that are varied, by name. It returns a text, a
    mapping with `answer` and other fields, what a pipeline of LangChain, LlamaIndex or Haystack returns, or a
    `Response` around one of these. It may raise anything; `Unanswered` says how to go on.
    """

    async def answer(self, inputs: Mapping[str, object]) -> object:
        """What the system answers to one question."""
        ...


@dataclass(frozen=True, slots=True)
class Response:
    """What a target returned, with the seconds that it took, measured where nothing else is waited for.

    `first_token_s`: seconds until the first part of a stream; None without a stream. `spans`: what it traced.
    """

    value: object
    latency_s: float
    first_token_s: float | None = None
    spans: "Spans | None" = None


@dataclass(frozen=True, slots=True)
class OpenTarget:
    """A target, and what is known of it before it is asked.

    `identity`: what determines its answers besides its inputs: its code, its address. `fields`: the inputs
    that it takes; None for all, without the gold. `settings`: the names that may be varied; None for any.
    """

    target: Target
    identity: str
    name: str = "target"
    fields: frozenset[str] | None = None
    settings: frozenset[str] | None = None
    required: frozenset[str] = frozenset()
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """What no text that is kept or shown may contain."""
    model: str | None = None

    def inputs(
        self, question: Mapping[str, object], variant: Mapping[str, object]
    ) -> dict[str, object]:
        """What the target is given: the fields of the question that it takes, and the varied settings."""
        if self.fields is None:
            given = {name: it for name, it in question.items() if name not in GOLD}
        else:
            given = {name: it for name, it in question.items() if name in self.fields}
        return given | dict(variant)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a system answered to one question, and how long that took.

    `values`: the answer and what else the target returned, by field; without an answer unless `status`
    is ok. `reason`: why there is none, in one line. `latency_s`: seconds of the last attempt, pauses not
    included. Tokens and cost are None where neither the target nor a price tells them.
    """

    status: AnswerStatus
    values: Mapping[str, object] = field(default_factory=dict[str, object])
    reason: str | None = None
    attempts: int = 1
    latency_s: float | None = None
    first_token_s: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None

    @property
    def prompt_tokens(self) -> int | None:
        return self.input_tokens

    @property
    def completion_tokens(self) -> int | None:
        return self.output_tokens

    @property
    def is_ok(self) -> bool:
        return self.status == "ok"

    def row(self) -> dict[str, object]:
        """The columns of the answer in a file of answers: the answer first, then how it came about."""
        values = dict(self.values)
        first = {name: values.pop(name, None) for name in ("answer", "contexts", "context_ids")}
        return first | {name: getattr(self, name) for name in MEASURED} | values


def packed(answer: Answer) -> bytes:
    """The answer as JSON, which `unpacked` reads."""
    # `values` is JSON already: dataclasses.asdict would copy all of it.
    table = {each.name: getattr(answer, each.name) for each in fields(answer)}
    return json.dumps(table, ensure_ascii=False).encode("utf-8", "surrogatepass")


def unpacked(content: bytes) -> Answer:
    """The answer from `packed`. ValueError or TypeError for anything else."""
    try:
        table = cast("dict[str, object]", json.loads(content))
    except RecursionError:
        raise ValueError("an answer that is nested too deep") from None
    if not isinstance(table, dict) or table.get("status") not in get_args(AnswerStatus):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError("an answer without a status")
    return Answer(**table)  # pyright: ignore[reportArgumentType]


MAX_CHARACTERS = 10_000_000
"""A longer answer is a fault: no model writes it, and no metric reads it."""
SHOWN = 120
SHORTENED = Repr()
SHORTENED.maxother = SHOWN
USAGE = ("usage", "usage_metadata", "token_usage", "response_metadata")
TOKENS = {
    "input_tokens": ("input_tokens", "prompt_tokens", "prompt_token_count"),
    "output_tokens": ("output_tokens", "completion_tokens", "candidates_token_count"),
    "cost_usd": ("cost_usd", "total_cost_usd"),
}
REPORTING = frozenset((*USAGE, *(name for names in TOKENS.values() for name in names)))
OF_TURN = ("conversation", "turn", "whole_conversation")
"""What a loader adds to the messages of a chat; here they are the answer to one question."""
SCALARS = (str, int, float, bool)


def read_returned(value: object, id: str) -> dict[str, object]:
    """The answer, its contexts, its usage and all other fields; Unanswered if it cannot be understood.

    `id`: that of the question: an answer to another one is an error.
    """
    if value is None or isinstance(value, bytes | bool):
        raise _not_understood(value)
    if isinstance(held := _part(value, "answer"), Coroutine):
        held.close()
        what = "returned a coroutine as its answer, which was never awaited; await it"
        raise Unanswered(what, is_final=True)
    given = {"answer": value} if isinstance(value, str) else value
    fields = _plain(given) or _loaded(given)
    if str(fields.pop("id", id)) != id:
        raise Unanswered(f"returned an answer to another question than {id!r}", is_final=True)
    for name in ("system", "question"):
        fields.pop(name, None)
    answer = fields.get("answer")
    if answer is None:
        raise _not_understood(value)
    texts = [cast(str, answer), *cast("Sequence[str]", fields.get("contexts") or ())]
    if (n := sum(map(len, texts))) > MAX_CHARACTERS:
        what = f"{n:,} characters; an answer with its contexts has at most {MAX_CHARACTERS:,}"
        raise Unanswered(f"returned {what}", is_final=True)
    return fields | usage_of(value)


def usage_of(value: object) -> dict[str, object]:
    """The tokens and the cost that a result reports, by our names; those that are no numbers are left out."""
    found: dict[str, object] = {}
    if isinstance(value, str):
        return found
    if isinstance(value, dict) and REPORTING.isdisjoint(cast("dict[str, object]", value)):
        return found
    holders = [cast(object, value), *(_part(cast(object, value), name) for name in USAGE)]
    holders += [_part(holder, "token_usage") for holder in holders[1:]]
    holders = [holder for holder in holders if holder is not None]
    for ours, theirs in TOKENS.items():
        for holder in holders:
            numbers = [_part(holder, name) for name in theirs]
            known = [
                n for n in numbers if type(n) in (int, float) and 0 <= cast(float, n) <= LARGEST
            ]
            if known and ours not in found:
                found[ours] = float(cast(float, known[0])) if ours == "cost_usd" else known[0]
    return found


def _part(value: object, name: str) -> object:
    """A field of a mapping, or an attribute of an object."""
    if isinstance(value, Mapping):
        return cast("Mapping[str, object]", value).get(name)
    return None if isinstance(value, SCALARS) else getattr(value, name, None)


def _mapping(value: object) -> Mapping[object, object]:
    return cast("Mapping[object, object]", value if isinstance(value, Mapping) else {})


def _plain(value: object) -> dict[str, object] | None:
    """The fields of a mapping in our own names, which is read many times faster than others."""
    given = _mapping(value)
    if not isinstance(given.get("answer"), str):
        return None
    known = {name: it for name, it in given.items() if name in FIELDS}
    others = {name: it for name, it in given.items() if name not in FIELDS and name not in USAGE}
    if not all(isinstance(it, SCALARS) for it in others.values()):
        return None
    try:
        return {str(name): read_value(str(name), it) for name, it in {**known, **others}.items()}
    except FieldError:  # the loaders read more, and say more
        return None


def _loaded(value: object) -> dict[str, object]:
    """The fields of any sample or result that `load` reads."""
    from ragauge.loaders.loading import load

    samples = value if isinstance(value, Samples) else None
    problem: Problem | None = None
    own = _mapping(value)
    is_ours = "answer" in own
    whole = {name: it for name, it in own.items() if name not in USAGE} if is_ours else value
    # A row of its own, or the answer of one (a message, a component's output).
    for row in () if samples is not None else (whole, {"answer": value}):
        try:
            chosen = {"answer": "answer"} if is_ours and row is whole else None
            found = load([row], map=chosen, in_pieces=False)
        except DataError as error:
            problem = error.problems[0] if row is whole else problem
        except RagaugeError:
            continue
        else:
            if "answer" in found.columns:
                samples = found
                break
    if samples is None and problem is not None and problem.field is not None:
        raise Unanswered(
            f"returned what cannot be read: {problem.field} {problem.message}; it was {_shown(value)}",
            is_final=True,
        )
    if samples is None:
        raise _not_understood(value)
    if len(samples) != 1:
        raise Unanswered(f"returned {len(samples)} samples, not one", is_final=True)
    row = cast("dict[str, object]", samples.frame.to_dicts()[0])
    is_numbered = any("numbered by position" in note for note in samples.notes)
    is_turn = "conversation" in row and _part(value, "conversation") is None
    left_out = (*USAGE, *(OF_TURN if is_turn else ()))
    if is_numbered or (is_turn and _part(value, "id") is None):
        left_out += ("id",)
    fields = {name: it for name, it in row.items() if name not in left_out and it is not None}
    lost = next((note for note in samples.notes if note.startswith("left out '")), None)
    return fields | ({"left_out": lost} if is_ours and lost else {})


def _not_understood(value: object) -> Unanswered:
    if _mapping(value).get("answer", "") is None:
        why = "the answer is null: a system that has none raises an error, or says so in words"
        return Unanswered(why, is_final=True)
    return Unanswered(
        f"returned {_shown(value)}; an answer is a text, a mapping with 'answer', or a result of "
        "LangChain, LlamaIndex, Haystack or OpenAI",
        is_final=True,
    )


def _shown(value: object) -> str:
    """What came, on one line."""
    if value is None:
        return "None"
    if isinstance(value, bytes):
        return f"{len(value):,} bytes, which are no text"
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = re.sub(" at 0x[0-9a-fA-F]+", "", SHORTENED.repr(value))
    return f"{type(value).__name__} {shortened(text, SHOWN)}"


def unreadable(value: object, error: Exception) -> Unanswered:
    """A result whose own methods fail."""
    what = f"returned {type(value).__name__}, which cannot be read: {type(error).__name__}: {error}"
    return Unanswered(what, is_final=True)
