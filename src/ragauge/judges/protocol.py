"""What a judge is: prompts in, replies out."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

from ragauge.judges.as_json import text_json

Schema = Mapping[str, object]
"""A JSON schema, as JSON data."""
Role = Literal["system", "user", "assistant"]
Identity = Mapping[str, str | int | float | bool | None]


@dataclass(frozen=True)
class Message:
    """One turn of what a judge is told."""

    role: Role
    content: str

    @cached_property
    def as_json(self) -> str:
        """The content as JSON: written once for the key, the endpoint and the ledger."""
        return text_json(self.content)

    def __reduce__(self) -> tuple[object, ...]:
        return Message, (self.role, self.content)


@dataclass(frozen=True, slots=True)
class Request:
    """One question put to a judge.

    `prompt`: the name of the prompt that `messages` were made of. `schema`: what the reply must be,
    `None` where it is not JSON. `sample`: which of several askings of the same question this is;
    `attempt`: how often it was asked before, because the reply broke off or could not be read. `wants_logprobs`: the probabilities of the reply's tokens are wanted too. `stand_in`: a reply as
    it might come, by which a call's cost is estimated before it is made.
    """

    prompt: str
    messages: tuple[Message, ...]
    schema: Schema | None
    sample: int = 0
    attempt: int = 0
    wants_logprobs: bool = False
    stand_in: str = ""


@dataclass(frozen=True, slots=True)
class TokenChoice:
    """One token of a reply, and the natural logarithms of the probabilities of what might have
    stood in its place, itself among them."""

    token: str
    alternatives: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """What a judge said, and what that took.

    `cached_tokens`: those of the prompt that the provider had read before. Counts and cost are None
    where the provider does not tell. `finish_reason`: why it ended: "stop", "length",
    "content_filter" … `model`: what the provider says answered.
    """

    text: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    finish_reason: str = "stop"
    model: str | None = None
    logprobs: tuple[TokenChoice, ...] | None = None


class Judge(Protocol):
    """A model that answers requests. Called from one event loop; many requests are under way at once.

    JudgeError says why there is no reply.
    """

    @property
    def name(self) -> str:
        """The model as labels name it."""
        ...

    @property
    def identity(self) -> Identity:
        """All that fixes a reply beside the request, as JSON data: model and parameters. No secrets,
        no address."""
        ...

    async def reply(self, request: Request) -> Reply:
        """The judge's reply to one request."""
        ...
