"""Replies as a ledger keeps them: their key, the request and the reply as JSON."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from ragauge.calls.budget import CallSize, estimated_tokens
from ragauge.calls.ledger import Entry, Ledger
from ragauge.judges.protocol import Identity, Reply, Request, TokenChoice, kept_json
from ragauge.storage.cache import digest


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
    """The size of a request, which tells what it may cost."""
    texts = [message.content for message in request.messages]
    n_tokens = sum(map(estimated_tokens, texts))
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
    "text": (str,),
    "prompt_tokens": (int,),
    "completion_tokens": (int,),
    "cached_tokens": (int,),
    "cost_usd": (int, float),
    "finish_reason": (str,),
    "model": (str,),
}
"""The types of a packed reply's fields; `packed_reply` leaves out those that are None."""
