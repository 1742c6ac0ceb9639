"""OpenAI's protocol of chat completions: what replies and errors say, in any of the forms about.

Nothing here is believed to be of the type it should be.
"""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from ragauge.endpoints import Fields, fields_of, message_of
from ragauge.judges.protocol import Reply, TokenChoice

Body = dict[str, Any]
"""A request as JSON data."""

_NAMES = {
    "temperature": r"temperature",
    "max_tokens": r"max_tokens",
    "max_completion_tokens": r"max_completion_tokens",
    "seed": r"seed",
    "response_format": r"response[_ ]format|json_schema|json_object|structured[_ ]outputs?",
    "logprobs": r"logprobs",
    "top_logprobs": r"top_logprobs",
}
"""The parameters that a judge can do without, and how servers name them."""
_LENGTH = re.compile(r"context[_ ](length|window)|too (large|long|many)|at most|reduce the length")


# Replies ------------------------------------------------------------------------------------------


def first_choice(envelope: Fields) -> Fields:
    """The first of a reply's choices; no fields where it has none."""
    choices = envelope.get("choices")
    return (
        fields_of(cast(list[object], choices)[0]) if isinstance(choices, list) and choices else {}
    )


def reply_of(envelope: Fields, choice: Fields) -> Reply:
    """The reply that a choice holds. A refusal's text stands for the text, where there is none."""
    message, usage = fields_of(choice.get("message")), fields_of(envelope.get("usage"))
    refusal, finish_reason = message.get("refusal"), choice.get("finish_reason")
    text = _text(message.get("content"))
    if isinstance(refusal, str) and refusal:
        text, finish_reason = text or refusal, "refusal"
    model = envelope.get("model")
    return Reply(
        text=text,
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        cached_tokens=_count(fields_of(usage.get("prompt_tokens_details")).get("cached_tokens")),
        cost_usd=_finite(usage.get("cost"), least=0.0),
        finish_reason=finish_reason if isinstance(finish_reason, str) else "stop",
        model=model if isinstance(model, str) else None,
        logprobs=_logprobs(fields_of(choice.get("logprobs")).get("content")),
    )


def _text(content: object) -> str:
    """The text of a message's content, which may come in parts."""
    if isinstance(content, str):
        return content
    parts = cast(list[object], content) if isinstance(content, list) else []
    texts = [part if isinstance(part, str) else fields_of(part).get("text") for part in parts]
    return "".join(text for text in texts if isinstance(text, str))


def _logprobs(content: object) -> tuple[TokenChoice, ...] | None:
    """None where the reply has none, or a token without any."""
    if not isinstance(content, list) or not content:
        return None
    tokens = [fields_of(one) for one in cast(list[object], content)]
    choices = tuple(TokenChoice(str(one.get("token")), _alternatives(one)) for one in tokens)
    return choices if all(choice.alternatives for choice in choices) else None


def _alternatives(token: Fields) -> tuple[tuple[str, float], ...]:
    """The tokens that might have stood there, and the one that does, each once."""
    top = token.get("top_logprobs")
    told = [fields_of(one) for one in cast(list[object], top)] if isinstance(top, list) else []
    found: dict[str, float] = {}
    for one in (*told, token):
        text, logprob = one.get("token"), _finite(one.get("logprob"), least=-math.inf)
        if isinstance(text, str) and logprob is not None:
            found.setdefault(text, logprob)
    return tuple(found.items())


def _count(said: object) -> int | None:
    return said if type(said) is int and said >= 0 else None


def _finite(said: object, *, least: float) -> float | None:
    if type(said) not in (int, float):
        return None
    try:
        number = float(cast(float, said))
    except OverflowError:
        return None
    return number if math.isfinite(number) and number >= least else None


# Errors -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """An error's message, and what OpenAI and its kin put beside it."""

    message: str
    code: str = ""
    type: str = ""
    param: str = ""


def error_of(body: str) -> ErrorBody:
    """What the body of an error says."""
    try:
        said: object = json.loads(body)
    except (ValueError, RecursionError):
        return ErrorBody(body)
    beside = {**fields_of(said), **fields_of(fields_of(said).get("error"))}
    code, kind, param = (str(beside.get(name) or "") for name in ("code", "type", "param"))
    return ErrorBody(message_of(body), code, kind, param)


def rejected_parameters(said: ErrorBody, sent: Body) -> Iterator[str]:
    """The parameters of a request that an error names as its reason, of those that can be left out."""
    names = [name for name in _NAMES if name in sent]
    told = [name for name in names if name in said.param.split(".")]
    for name in told or names:
        is_named = bool(told) or re.search(rf"(?<!\w)({_NAMES[name]})(?!\w)", said.message, re.I)
        # That prompt and reply together are too long for the model is no word against max_tokens.
        is_length = name.startswith("max_") and _LENGTH.search(said.message.lower())
        if is_named and not is_length:
            yield name
