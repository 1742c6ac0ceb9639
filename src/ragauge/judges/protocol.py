"""The judge protocol: requests in, replies out; their JSON, and the ledger of replies."""

import json
import marshal
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from json.encoder import encode_basestring
from pathlib import Path
from typing import Any, Literal, Protocol, cast

from ragauge.calls.budget import CallSize, estimated_tokens
from ragauge.calls.ledger import Entry, Ledger
from ragauge.storage.cache import digest

Schema = Mapping[str, object]
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
        return encode_basestring(self.content)

    def __reduce__(self) -> tuple[object, ...]:
        return Message, (self.role, self.content)


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a judge, by the prompt of this name.

    `schema`: the JSON schema of the reply, None if it is not JSON. `sample`: the number of the
    repeat. `attempt`: how often it was asked before, because a reply was truncated or unreadable.
    `wants_logprobs`: whether to return the probabilities of tokens.
    `stand_in`: a likely reply, to estimate the cost.
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
        """What determines a reply besides the request, as JSON data: model and parameters. No secrets, no address."""
        ...

    async def reply(self, request: Request) -> Reply:
        """The judge's reply to one request."""
        ...


PLAIN = 2
"""The version of `marshal` that gives the same bytes for the same value."""
_SORTED = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))
_AS_GIVEN = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def sorted_json(value: object) -> str:
    """JSON without spaces, with sorted keys and unescaped non-ASCII characters.

    >>> sorted_json({"b": [1, "é"], "a": None})
    '{"a":null,"b":[1,"é"]}'
    """
    return _SORTED.encode(value)


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


def reply_ledger(path: str | Path) -> Ledger[Reply]:
    """The replies in a file. StoreError if the file is unusable or newer."""
    return Ledger(path, unpacked_reply)


def entry_of(key: bytes, judge: str, request: Request, reply: Reply) -> Entry:
    """A reply with its request, as a ledger keeps them."""
    messages = ",".join(
        [f'{{"content":{message.as_json},"role":"{message.role}"}}' for message in request.messages]
    )
    asked = (
        f'{{"attempt":{request.attempt},"messages":[{messages}],"sample":{request.sample},'
        f'"schema":{kept_json(request.schema)}}}'
    )
    return Entry(
        key,
        judge,
        request.prompt,
        asked,
        packed_reply(reply),
        sum(len(message.content) for message in request.messages),
        reply.prompt_tokens,
        reply.completion_tokens,
        reply.cost_usd,
    )


def size_of(request: Request) -> CallSize:
    """The size of a request, which tells what it may cost: its messages, and the schema of its reply, which providers count as well."""
    texts = [message.content for message in request.messages]
    n_tokens = sum(map(estimated_tokens, texts))
    if request.schema is not None:
        n_tokens += estimated_tokens(kept_json(request.schema))
    n_reply = estimated_tokens(request.stand_in)
    return CallSize(request.prompt, sum(map(len, texts)), n_tokens, n_reply)


def key_of(identity: Identity, request: Request) -> bytes:
    """The key of a reply: model and parameters, messages, schema, repeat, attempt."""
    messages = ",".join([f'["{message.role}",{message.as_json}]' for message in request.messages])
    wants_logprobs = "true" if request.wants_logprobs else "false"
    others = f"{kept_json(request.schema)},{request.sample},{request.attempt},{wants_logprobs}"
    return digest("reply 1", kept_json(dict(identity)), f"[[{messages}],{others}]")


def packed_reply(reply: Reply) -> bytes:
    """The reply as JSON, which `unpacked_reply` reads."""
    fields = {
        name: getattr(reply, name)
        for name in Reply.__dataclass_fields__
        if name != "logprobs" and getattr(reply, name) is not None
    }
    if reply.logprobs is not None:
        fields["logprobs"] = [[choice.token, choice.alternatives] for choice in reply.logprobs]
    return json.dumps(fields).encode()


def unpacked_reply(packed: bytes | str) -> Reply:
    """The reply from `packed_reply`. ValueError or TypeError for anything else."""
    try:
        fields = cast(dict[str, Any], json.loads(packed))
    except RecursionError:
        raise ValueError("a reply that is nested too deep") from None
    if not isinstance(fields, dict) or not isinstance(fields.get("text"), str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError("a reply without text")
    if "logprobs" in fields:
        fields["logprobs"] = tuple(
            TokenChoice(token, tuple((word, float(number)) for word, number in others))
            for token, others in fields["logprobs"]
        )
        numbers = (number for choice in fields["logprobs"] for _, number in choice.alternatives)
        if not all(map(math.isfinite, numbers)):
            raise ValueError("a probability of a token that is not a finite number")
    for name, kinds in _KINDS.items():
        value = fields.get(name)
        if name in fields and type(value) not in kinds:
            raise TypeError(f"a reply whose {name} is {value!r:.40}")
    return Reply(**fields)


_KINDS: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("text", "finish_reason", "model"), (str,)),
    **dict.fromkeys(("prompt_tokens", "completion_tokens", "cached_tokens"), (int,)),
    "cost_usd": (int, float),
}
"""The types of a packed reply's fields; `packed_reply` leaves out those that are None."""
