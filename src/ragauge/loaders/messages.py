"""Read the text of chat messages and model replies, given as objects or mappings."""

from collections.abc import Mapping, Sequence
from typing import cast

from ragauge.loaders.attributes import value_of

CONTENT_KEYS = ("content", "text", "response", "_content")
ASKING = ("user", "human")
ANSWERING = ("assistant", "ai", "model", "agent", "bot", "chatbot")


def text_of(value: object, depth: int = 4) -> str | None:
    """The text of a message, a model's reply or a list of text blocks; None for other values.

    >>> text_of({"role": "assistant", "content": [{"type": "text", "text": "Paris"}]})
    'Paris'
    """
    if isinstance(value, str):
        return value
    if depth == 0 or value is None:
        return None
    if isinstance(value, list | tuple):
        texts = [text_of(part, depth - 1) for part in cast(Sequence[object], value)]
        found = [text for text in texts if text is not None]
        return "\n".join(found) if found and len(found) == len(texts) else None
    if not isinstance(value, Mapping) and type(value).__module__ == "builtins":
        return None
    value = cast(object, value)
    choices = value_of(value, "choices")  # OpenAI's completion
    if isinstance(choices, list | tuple) and choices:
        return text_of(value_of(cast(Sequence[object], choices)[0], "message"), depth - 1)
    for key in CONTENT_KEYS:
        inner = value_of(value, key)
        if inner is not None and not callable(inner):
            return text_of(inner, depth - 1)
    return None


def last_text(messages: object, roles: Sequence[str]) -> str | None:
    """The text of the last message from one of these roles; None if it is not a list of messages."""
    if not isinstance(messages, list | tuple):
        return None
    chat = [_message(message) for message in cast(Sequence[object], messages)]
    if not chat or any(role is None for role, _ in chat):
        return None
    return next((text_of(text) for role, text in reversed(chat) if role in roles), None)


def _message(message: object) -> tuple[str | None, object]:
    """Role and content; OpenInference nests them: message.role, or message: {role}."""
    inner = value_of(message, "message")
    message = message if inner is None else inner
    role = value_of(message, "role") or value_of(message, "message.role")
    role = role or value_of(message, "type")  # LangChain: human, ai
    role = role or value_of(message, "speaker")  # MTRAG: user, agent
    role = getattr(role, "value", role)
    content = value_of(message, "message.content")
    return (
        role.lower() if isinstance(role, str) else None
    ), message if content is None else content
