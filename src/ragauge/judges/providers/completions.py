"""Read replies and errors of OpenAI's chat completions protocol; no field is trusted."""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from ragauge.judges.protocol import Reply, Schema, TokenChoice
from ragauge.network.endpoints import Fields, fields_of, listed, message_of

Body = dict[str, Any]

_OPTIONAL = (
    *("temperature", "max_tokens", "max_completion_tokens", "seed"),
    *("response_format", "logprobs", "top_logprobs"),
)
_FORMAT = r"response[_ ]format|json_schema|json_object|structured[_ ]outputs?"
"""How servers name response_format in errors; other parameters by their names."""
_LENGTH = re.compile(r"context[_ ](length|window)|too (large|long|many)|at most|reduce the length")


def json_schema_of(prompt: str, schema: Schema) -> Body:
    """The response format that asks for a reply of this schema."""
    named = {"name": prompt, "schema": dict(schema), "strict": True}
    return {"type": "json_schema", "json_schema": named}


def first_choice(envelope: Fields) -> Fields:
    """The first of a reply's choices; empty if it has none."""
    return fields_of(next(iter(listed(envelope.get("choices"))), None))


def reply_of(envelope: Fields, choice: Fields) -> Reply:
    """The reply in a choice. Without a text, it is the refusal's text."""
    message, usage = fields_of(choice.get("message")), fields_of(envelope.get("usage"))
    refusal, finish_reason = message.get("refusal"), choice.get("finish_reason")
    content = message.get("content")  # a text, which may come in parts
    parts = [content] if isinstance(content, str) else listed(content)
    texts = [part if isinstance(part, str) else fields_of(part).get("text") for part in parts]
    text = "".join(text for text in texts if isinstance(text, str))
    if isinstance(refusal, str) and refusal:
        text, finish_reason = text or refusal, "refusal"
    model = envelope.get("model")
    # Each token with its alternatives, each once.
    choices: list[TokenChoice] = []
    for token in map(fields_of, listed(fields_of(choice.get("logprobs")).get("content"))):
        found: dict[str, float] = {}
        for each in (*map(fields_of, listed(token.get("top_logprobs"))), token):
            word, logprob = each.get("token"), _finite(each.get("logprob"), least=-math.inf)
            if isinstance(word, str) and logprob is not None:
                found.setdefault(word, logprob)
        choices.append(TokenChoice(str(token.get("token")), tuple(found.items())))
    has_all = choices and all(each.alternatives for each in choices)
    return Reply(
        text=text,
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        cached_tokens=_count(fields_of(usage.get("prompt_tokens_details")).get("cached_tokens")),
        cost_usd=_finite(usage.get("cost"), least=0.0),
        finish_reason=finish_reason if isinstance(finish_reason, str) else "stop",
        model=model if isinstance(model, str) else None,
        logprobs=tuple(choices) if has_all else None,
    )


def _count(value: object) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _finite(value: object, *, least: float) -> float | None:
    if type(value) not in (int, float):
        return None
    try:
        number = float(cast(float, value))
    except OverflowError:
        return None
    return number if math.isfinite(number) and number >= least else None


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """An error's message, code, type and parameter, as OpenAI-compatible servers send them."""

    message: str
    code: str = ""
    type: str = ""
    param: str = ""


def error_of(body: str) -> ErrorBody:
    """Read the body of an error."""
    try:
        content: object = json.loads(body)
    except (ValueError, RecursionError):
        return ErrorBody(body)
    beside = {**fields_of(content), **fields_of(fields_of(content).get("error"))}
    code, kind, param = (str(beside.get(name) or "") for name in ("code", "type", "param"))
    return ErrorBody(message_of(body), code, kind, param)


def rejected_parameters(error: ErrorBody, sent: Body) -> Iterator[str]:
    """The optional parameters of a request that an error rejects."""
    names = [name for name in _OPTIONAL if name in sent]
    named = [name for name in names if name in error.param.split(".")]
    for name in named or names:
        words = _FORMAT if name == "response_format" else name
        is_named = bool(named) or re.search(rf"(?<!\w)({words})(?!\w)", error.message, re.I)
        # "Prompt and reply are too long together" does not reject max_tokens.
        is_length = name.startswith("max_") and _LENGTH.search(error.message.lower())
        if is_named and not is_length:
            yield name
