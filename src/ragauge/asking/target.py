"""Targets: systems under test, which answer one question at a time; and each answer, or why there is none."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Literal, Protocol, cast, get_args, runtime_checkable

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
