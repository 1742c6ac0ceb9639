"""Targets: systems under test, which answer one question at a time."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from ragauge.asking.spans import Spans

GOLD = ("references", "relevant", "gold_contexts", "answerable", "answer")
"""Fields of a question that a target gets only if it asks for them by name: they are the right answer."""


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
    """Fields or settings without which it cannot be asked."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """What no text that is kept or shown may contain."""
    model: str | None = None
    """The model that answers, for its price."""

    def inputs(
        self, question: Mapping[str, object], variant: Mapping[str, object]
    ) -> dict[str, object]:
        """What the target is given: the fields of the question that it takes, and the varied settings."""
        if self.fields is None:
            given = {name: it for name, it in question.items() if name not in GOLD}
        else:
            given = {name: it for name, it in question.items() if name in self.fields}
        return given | dict(variant)
