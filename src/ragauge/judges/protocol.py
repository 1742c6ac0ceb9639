"""The judge protocol: requests in, replies out; and their JSON, the same for key, ledger and wire."""

import json
import marshal
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, Protocol, cast

Schema = Mapping[str, object]
"""A JSON schema, as JSON data."""
Role = Literal["system", "user", "assistant"]
Identity = Mapping[str, str | int | float | bool | None]


@dataclass(frozen=True)
class Message:
    """One message of a prompt."""

    role: Role
    content: str

    @cached_property
    def as_json(self) -> str:
        """The content as JSON, computed once for the key, the endpoint and the ledger."""
        return text_json(self.content)

    def __reduce__(self) -> tuple[object, ...]:
        return Message, (self.role, self.content)


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a judge.

    `prompt`: the name of the prompt behind `messages`. `schema`: the JSON schema of the reply, `None`
    if the reply is not JSON. `sample`: the number of the repeat. `attempt`: how often it was asked
    before, because a reply was truncated or unreadable. `wants_logprobs`: whether to return token
    probabilities. `stand_in`: a likely reply, to estimate the cost.
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
    """One token of a reply, and the log probabilities (natural) of its alternatives, itself included."""

    token: str
    alternatives: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """A judge's reply, with its token counts and cost.

    `cached_tokens`: prompt tokens from the provider's cache. Counts and cost are None if the provider
    does not report them, otherwise finite and at least 0 (ValueError). `finish_reason`: "stop", "length",
    "content_filter" … `model`: the model that answered, according to the provider.
    """

    text: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    finish_reason: str = "stop"
    model: str | None = None
    logprobs: tuple[TokenChoice, ...] | None = None

    def __post_init__(self) -> None:
        # Checked here, since they are added up and written as JSON, which has no infinity.
        for name in ("prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd"):
            amount = cast("float | None", getattr(self, name))
            if amount is not None and not 0 <= amount < math.inf:
                raise ValueError(
                    f"a reply's {name} must be a finite number of at least 0, got {amount!r:.40}"
                )


class Judge(Protocol):
    """A model that answers requests, concurrently on one event loop. JudgeError if there is no reply."""

    @property
    def name(self) -> str:
        """The model as labels name it."""
        ...

    @property
    def identity(self) -> Identity:
        """What determines a reply besides the request, as JSON data: model and parameters. No secrets,
        no address."""
        ...

    async def reply(self, request: Request) -> Reply:
        """The judge's reply to one request."""
        ...


PLAIN = 2
"""The version of `marshal` that gives the same bytes for the same value."""
_CONTROLS = bytes(range(0x20))
_SORTED = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))
_AS_GIVEN = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def sorted_json(value: object) -> str:
    """JSON without spaces, with sorted keys and unescaped non-ASCII characters.

    >>> sorted_json({"b": [1, "é"], "a": None})
    '{"a":null,"b":[1,"é"]}'
    """
    return _SORTED.encode(value)


def text_json(text: str) -> str:
    """As `sorted_json` of a text, but faster for long texts."""
    plain = text
    for sign, escape in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n")):
        if sign in plain:
            plain = plain.replace(sign, escape)
    encoded = plain.encode("utf-8", "surrogatepass")
    has_others = len(encoded.translate(None, _CONTROLS)) < len(encoded)
    return sorted_json(text) if has_others else f'"{plain}"'


def kept_json(value: object, *, is_sorted: bool = True) -> str:
    """As `sorted_json`, cached for values that repeat; `is_sorted=False` keeps the order of keys."""
    encoder = _SORTED if is_sorted else _AS_GIVEN
    try:
        return _packed_json(encoder, marshal.dumps(value, PLAIN))  # pyright: ignore[reportArgumentType]
    except (ValueError, TypeError):  # has types that are not JSON's
        return encoder.encode(value)


@lru_cache(maxsize=256)
def _packed_json(encoder: json.JSONEncoder, packed: bytes) -> str:
    return encoder.encode(marshal.loads(packed))
