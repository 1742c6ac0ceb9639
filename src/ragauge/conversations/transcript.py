"""Read a transcript, in the format of any chat API, into messages, tool calls with their results, and turns."""

import json
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, cast

from ragauge.conversations.tool_calls import (
    Call,
    TranscriptError,
    call_of,
    list_of,
    mapping_of,
    says_error,
    text_of,
)

Role = Literal["user", "assistant", "system", "tool"]
_ROLES: dict[str, Role] = {
    **dict.fromkeys(("user", "human", "customer"), "user"),
    **dict.fromkeys(("assistant", "ai", "model", "agent", "bot", "chatbot", "gpt"), "assistant"),
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("tool", "function", "observation", "function_call_output"), "tool"),
    **dict.fromkeys(("aimessage", "aimessagechunk", "function_call"), "assistant"),
    "humanmessage": "user",
    "systemmessage": "system",
    "toolmessage": "tool",
}
_ROLE_KEYS = ("role", "speaker", "from", "type")
_CONTENT_KEYS = ("content", "text", "value", "parts", "output")
_TEXT_PARTS = ("text", "input_text", "output_text")
_CALL_KEYS = ("tool_calls", "tools_called", "function_call")
_CALL_PARTS = ("tool_use", "tool_result")
_GEMINI = ("functionCall", "function_call", "functionResponse", "function_response")


@dataclass(slots=True)
class Message:
    """One message: its text, the calls that it makes, the texts retrieved for it, and the types of its other parts."""

    role: Role
    text: str = ""
    calls: list[Call] = field(default_factory=lambda: [])
    contexts: list[str] | None = None
    others: list[str] = field(default_factory=lambda: [])


@dataclass(frozen=True, slots=True)
class Turn:
    """What a user asked and everything that the system did about it, up to its final message.

    `question` is None where the system speaks first, `answer` where its last message has no text.
    `start` and `stop` are the turn's place among the given messages.
    """

    number: int
    question: str | None
    answer: str | None
    calls: tuple[Call, ...]
    contexts: list[str] | None
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Transcript:
    """The messages of a conversation; `places` are their positions in what was given."""

    messages: tuple[Message, ...]
    places: tuple[int, ...]
    n_given: int

    @property
    def calls(self) -> list[Call]:
        """All tool calls in order."""
        return [call for message in self.messages for call in message.calls]

    def turns(self, n_listed: int | None = None) -> list[Turn]:
        """The turns: each ends with the system's last message before the next message of the user.

        `n_listed`: the length of what is given by turn, such as expected calls. If the user speaks last and it has an
        entry for that message too, the message is a turn without an answer; otherwise it is left out.

        >>> chat = [{"role": "user", "content": "2 + 2?"}, {"role": "assistant", "content": "4"}]
        >>> [(turn.number, turn.question, turn.answer) for turn in read_transcript(chat).turns()]
        [(1, '2 + 2?', '4')]
        """
        spans: list[list[int]] = [[]]
        is_answered = [False]
        for at, message in enumerate(self.messages):
            if message.role == "user" and is_answered[-1]:
                spans.append([])
                is_answered.append(False)
            spans[-1].append(at)
            is_answered[-1] |= message.role == "assistant"
        n_answered = sum(is_answered)
        asks = any(self.messages[at].role == "user" for at in spans[-1])
        ends_open = n_listed == n_answered + 1 and asks and not is_answered[-1]
        turns: list[Turn] = []
        for span in spans if ends_open else spans[:n_answered]:
            messages = [self.messages[at] for at in span]
            answers = [message for message in messages if message.role == "assistant"]
            asked = [message.text for message in messages if message.role == "user"]
            contexts = [message.contexts for message in messages if message.contexts is not None]
            turn = Turn(
                len(turns) + 1,
                "\n".join(asked) if asked else None,
                (answers[-1].text or None) if answers else None,
                tuple(call for answer in answers for call in answer.calls),
                [text for texts in contexts for text in texts] if contexts else None,
                self.places[span[0]],
                self.places[span[-1]] + 1,
            )
            turns.append(turn)
        return turns


def read_transcript(messages: object) -> Transcript:
    """The transcript of a list of messages, or of its JSON text; TranscriptError says what cannot be read.

    Understands the messages of OpenAI (chat and responses), Anthropic, Gemini, LangChain, ragas, deepeval,
    MTRAG and ShareGPT. A tool's result belongs to the call whose id it names, else to the first call of
    its name without a result.

    >>> call = {"name": "add", "arguments": '{"a": 2}'}
    >>> read_transcript([{"role": "assistant", "tool_calls": [{"function": call}]}]).calls[0].arguments
    {'a': 2}
    """
    if isinstance(messages, str):
        try:
            messages = json.loads(messages)
        except (ValueError, RecursionError) as error:
            raise TranscriptError(f"messages are no JSON: {error}") from None
    if isinstance(messages, Mapping) and "messages" in messages:
        messages = cast("Mapping[str, object]", messages)["messages"]
    if not isinstance(messages, list | tuple):
        raise TranscriptError("messages must be a list")
    given = cast(Sequence[object], messages)
    read: list[Message] = []
    places: list[int] = []
    waiting = _WaitingCalls()
    last_number: float | None = None
    for place, item in enumerate(given):
        where = f"message {place + 1}"
        if not isinstance(item, Mapping):
            raise TranscriptError(f"{where} is no object with a role and a content")
        values = _unwrapped(cast("Mapping[str, object]", item))
        number = values.get("turn", values.get("turn_id"))
        if isinstance(number, int | float):
            if last_number is not None and number < last_number:
                raise TranscriptError(f"{where} is of turn {number}, after turn {last_number}")
            last_number = number
        if str(values.get("type")) in ("reasoning", "item_reference"):
            continue
        message, results = _message(values, where)
        for result in results:
            waiting.give(result, where)
        if message.role == "system" and any(each.role == "system" for each in read):
            raise TranscriptError(f"{where} is a second system prompt")
        waiting.add(message.calls)
        if message.role == "tool" or (results and not message.text and not message.others):
            message.role = "tool"
        read.append(message)
        places.append(place)
    return Transcript(tuple(read), tuple(places), len(given))


def _unwrapped(values: Mapping[str, object]) -> Mapping[str, object]:
    """The message without the wrapper of LangChain's serialisation or of OpenInference."""
    for key in ("kwargs", "message", "data"):
        inner = values.get(key)
        if isinstance(inner, Mapping) and not any(name in values for name in ("role", "from")):
            path = list_of(values.get("id")) if key == "kwargs" else None
            kind = path[-1] if path else values.get("type")
            return {"type": kind, **cast("Mapping[str, object]", inner)}
    return values


def _role_named(values: Mapping[str, object]) -> str:
    return next((str(values[key]) for key in _ROLE_KEYS if values.get(key)), "")


def role_of(message: object) -> Role | None:
    """Who speaks in a message of any format; None if it is no message.

    >>> role_of({"from": "gpt", "value": "Hello"})
    'assistant'
    """
    return _ROLES.get(_role_named(_unwrapped(mapping_of(message))).lower())


def says_calls(message: object) -> bool:
    """Whether a message of any format makes a tool call or holds the result of one."""
    values = _unwrapped(mapping_of(message))
    if _ROLES.get(kind := _role_named(values).lower()) == "tool" or kind == "function_call":
        return True
    parts = list_of(values.get("content")) or list_of(values.get("parts")) or ()
    return any(values.get(key) for key in _CALL_KEYS) or any(
        mapping_of(part).get("type") in _CALL_PARTS
        or any(key in mapping_of(part) for key in _GEMINI)
        for part in parts
    )


@dataclass(frozen=True, slots=True)
class _Result:
    id: str
    name: str
    text: str
    is_error: bool


class _WaitingCalls:
    """Calls without a result yet: by id, and by name in their order; the name of a result may be empty."""

    def __init__(self) -> None:
        self.by_id: dict[str, Call] = {}
        self.by_name: defaultdict[str, deque[Call]] = defaultdict(deque)

    def add(self, calls: Sequence[Call]) -> None:
        for call in calls:
            if call.result is None:
                self.by_id[call.id] = call
                self.by_name[call.name].append(call)
                self.by_name[""].append(call)

    def give(self, result: _Result, where: str) -> None:
        if result.id:
            call = self.by_id.pop(result.id, None)
            if call is None or call.result is not None:
                shown = f"{result.id!r:.60}"
                raise TranscriptError(
                    f"{where} is a tool result for the call {shown}, which nothing made"
                )
        else:
            calls = self.by_name[result.name]
            while calls and calls[0].result is not None:
                calls.popleft()
            if not calls:
                raise TranscriptError(f"{where} is a tool result without a call")
            call = calls.popleft()
        call.result, call.is_error = result.text, result.is_error


def _message(values: Mapping[str, object], where: str) -> tuple[Message, list[_Result]]:
    if str(values.get("type", "")).lower() == "function_call" and "name" in values:
        # In OpenAI's responses, a call is an item of its own.
        return Message("assistant", calls=[call_of(values)]), []
    named = _role_named(values)
    role = _ROLES.get(named.lower())
    if role is None:
        known = "user, assistant, system or tool"
        raise TranscriptError(f"{where} has the role {named!r:.40}; it must be {known}")
    message, results = Message(role), list[_Result]()
    content = next((values[key] for key in _CONTENT_KEYS if values.get(key) is not None), None)
    parts = list_of(content)
    if named.lower() == "function_call":  # ShareGPT: the text is the JSON of a call, or of several
        made = _parsed(content)
        message.calls = [call_of(each) for each in list_of(made) or [made]]
    elif role == "tool":
        message.text = text_of(content)
        id = values.get("tool_call_id") or values.get("call_id")
        results.append(_result(values, id, message.text))
    elif parts is not None:
        _read_parts(parts, message, results)
    else:
        message.text = text_of(content)
    extra = mapping_of(values.get("additional_kwargs")).get("tool_calls")
    beside = next((values[key] for key in _CALL_KEYS if values.get(key)), extra)
    given = _parsed(beside) or ()
    calls = [cast("object", given)] if isinstance(given, Mapping) else given
    if not isinstance(calls, list | tuple):
        problem = f"{where} has the calls {given!r:.40}; they must be a list of objects"
        raise TranscriptError(problem)
    ids = {call.id for call in message.calls if call.id}  # LangChain repeats Anthropic's blocks
    made = map(call_of, cast("Sequence[object]", calls))
    message.calls += [call for call in made if call.id not in ids]
    contexts = list_of(values.get("contexts", values.get("retrieval_context")))
    message.contexts = None if contexts is None else list(map(text_of, contexts))
    return message, results


def _result(values: Mapping[str, object], id: object, text: str) -> _Result:
    failed = bool(values.get("is_error")) or values.get("status") == "error" or says_error(text)
    return _Result(str(id or ""), str(values.get("name") or ""), text, failed)


def _read_parts(parts: Sequence[object], message: Message, results: list[_Result]) -> None:
    """Texts, calls and results among the parts of a content; of other parts the type is kept."""
    texts: list[str] = []
    for part in parts:
        values = mapping_of(part)
        kind = str(values.get("type", ""))
        called = values.get("functionCall") or values.get("function_call")
        returned = values.get("functionResponse") or values.get("function_response")
        if isinstance(part, str):
            texts.append(part)
        elif kind in _TEXT_PARTS or (not kind and isinstance(values.get("text"), str)):
            texts.append(str(values.get("text", "")))
        elif kind == "tool_use" or "functionCall" in values or "function_call" in values:
            message.calls.append(call_of(called or values))
        elif kind == "tool_result" or "functionResponse" in values or "function_response" in values:
            result = mapping_of(returned or values)
            content = result.get("content", result.get("response"))
            inner = [mapping_of(each).get("text", each) for each in list_of(content) or ()]
            are_texts = bool(inner) and all(isinstance(text, str) for text in inner)
            text = "\n".join(cast("list[str]", inner)) if are_texts else text_of(content)
            results.append(_result(result, result.get("tool_use_id") or result.get("id"), text))
        elif kind not in ("thinking", "redacted_thinking"):
            message.others.append(kind or type(part).__name__)
    message.text = "\n".join(texts)


def _parsed(text: object) -> object:
    try:
        return cast("object", json.loads(text)) if isinstance(text, str) else text
    except (ValueError, RecursionError):
        return text
