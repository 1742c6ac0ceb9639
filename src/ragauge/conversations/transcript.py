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
ROLES: dict[str, Role] = {
    **dict.fromkeys(("user", "human", "customer"), "user"),
    **dict.fromkeys(("assistant", "ai", "model", "agent", "bot", "chatbot"), "assistant"),
    **dict.fromkeys(("gpt", "chatgpt"), "assistant"),
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("tool", "function", "observation", "function_call_output"), "tool"),
    **dict.fromkeys(("aimessage", "aimessagechunk", "function_call"), "assistant"),
    "humanmessage": "user",
    "systemmessage": "system",
    "toolmessage": "tool",
}
_ROLE_KEYS = ("role", "speaker", "from", "type")
_CONTENT_KEYS = (
    "content", "text", "value", "parts", "output", "refusal", "utterance", "blocks", "message",
)  # fmt: skip
_TEXT_PARTS = ("text", "input_text", "output_text", "refusal")
_OTHER_PARTS = ("image", "image_url", "input_image", "audio", "document", "resource")
"""Parts of a tool's result that are shown as their type."""
_CALL_KEYS = ("tool_calls", "tools_called", "toolsCalled", "function_call")
_CALLED = ("functionCall", "function_call", "toolUse", "toolInvocation")
_RETURNED = ("functionResponse", "function_response", "toolResult")  # of Gemini and Bedrock
_OF_CALLS = ("tool_use", "tool_call")
_OF_RESULTS = ("tool_result", "tool_call_response")  # ends of the types in other formats
_THOUGHTS = ("thinking", "redacted_thinking", "reasoning")
_NO_MESSAGES = (  # items of OpenAI's responses in which nobody speaks
    "reasoning", "item_reference", "compaction", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response",
)  # fmt: skip


@dataclass(slots=True)
class Message:
    """One message: its text, the calls that it makes, and the types of its other parts.

    `returns`: it has results of tools, beside which the user may say something.
    """

    role: Role
    text: str = ""
    calls: list[Call] = field(default_factory=lambda: [])
    others: list[str] = field(default_factory=lambda: [])
    returns: bool = False


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
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Transcript:
    """The messages of a conversation; `places` are their positions in what was given."""

    messages: tuple[Message, ...]
    places: tuple[int, ...]

    @property
    def calls(self) -> list[Call]:
        """The tool calls of the system, in order: in tau2-bench the user makes calls too."""
        own = [message for message in self.messages if message.role == "assistant"]
        return [call for message in own for call in message.calls]

    @property
    def n_asked(self) -> int:
        """How many messages the user sends."""
        return sum(message.role == "user" for message in self.messages)

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
            if message.role == "user" and is_answered[-1] and not message.returns:
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
            question = "\n".join(asked) if asked else None
            answer = (answers[-1].text or None) if answers else None
            calls = tuple(call for each in answers for call in each.calls)
            start, stop = self.places[span[0]], self.places[span[-1]] + 1
            turns.append(Turn(len(turns) + 1, question, answer, calls, start, stop))
        return turns


def read_transcript(messages: object) -> Transcript:
    """The transcript of a list of messages, or of its JSON text; TranscriptError says what cannot be read.

    Understands the messages of OpenAI (chat and responses), Anthropic, Gemini, Bedrock, LangChain, ragas, deepeval,
    MTRAG, ShareGPT and OpenTelemetry's GenAI conventions. A tool's result belongs to the call whose id it names, else to the first call of
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
        if str(values.get("type")) in _NO_MESSAGES:
            continue
        if str(values.get("id")) in waiting.by_id and "tool_call_id" not in values:
            values = {**values, "tool_call_id": values["id"]}  # of tau2-bench
        message, results = _message(values, where)
        waiting.add(message.calls)
        for result in results:
            waiting.give(result, where)
        if message.role == "system" and any(each.role == "system" for each in read):
            raise TranscriptError(f"{where} is a second system prompt")
        message.returns = bool(results)
        if results and not message.text and not message.others:
            message.role = "tool"
        read.append(message)
        places.append(place)
    return Transcript(tuple(read), tuple(places))


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
    """Who speaks in a message of any format; None if it is no message."""
    return ROLES.get(_role_named(_unwrapped(mapping_of(message))).lower())


def messages_in(reply: object) -> list[object]:
    """The messages in the reply of a chat API: those of OpenAI's responses, of a completion, or a message by itself."""
    values = mapping_of(reply)
    if choices := list_of(values.get("choices")):
        items = [mapping_of(choices[0]).get("message")]
    else:
        is_message = role_of(values) == "assistant"
        items = [values] if is_message else list_of(values.get("output", reply)) or []
    of_responses = (*_NO_MESSAGES, "message")
    are_messages = all(
        role_of(each) or says_calls(each) or mapping_of(each).get("type") in of_responses
        for each in items
    )
    return list(items) if are_messages else []


def says_calls(message: object) -> bool:
    """Whether a message of any format makes a tool call or holds the result of one."""
    values = _unwrapped(mapping_of(message))
    kind = _role_named(values).lower()
    if ROLES.get(kind) == "tool" or kind.endswith("_call"):
        return True
    parts = map(mapping_of, list_of(values.get("content")) or list_of(values.get("parts")) or ())
    inner = (_called_in(each) or _returned_in(each) for each in parts)
    return any(values.get(key) for key in _CALL_KEYS) or any(inner)


def _called_in(part: Mapping[str, object]) -> Mapping[str, object]:
    """The call in a part of a message; empty if it has none."""
    kind = str(part.get("type"))
    if "input" in part and "toolCallId" in part and kind != "tool-call":  # of Vercel's UI
        part = {"name": kind.removeprefix("tool-"), **part, "type": "tool_call"}
    return _inside(part, _CALLED, _OF_CALLS)


def _returned_in(part: Mapping[str, object]) -> Mapping[str, object]:
    """The result of a call in a part of a message; empty if it has none."""
    return _inside(part, _RETURNED, _OF_RESULTS)


def _inside(
    part: Mapping[str, object], keys: Sequence[str], ends: tuple[str, ...]
) -> Mapping[str, object]:
    named = next((mapping_of(part[key]) for key in keys if key in part), None)
    return (named or part) if named is not None or _kind_of(part).endswith(ends) else {}


def _kind_of(part: Mapping[str, object]) -> str:
    return str(part.get("type", "")).replace("-", "_")


class _WaitingCalls:
    """Calls without a result yet: by id, and by name in their order; the name of a result may be empty."""

    def __init__(self) -> None:
        self.by_id: dict[str, Call] = {}
        self.known: set[str] = set()
        self.by_name: defaultdict[str, deque[Call]] = defaultdict(deque)

    def add(self, calls: Sequence[Call]) -> None:
        for call in calls:
            self.known.add(call.id)
            if call.result is None:
                self.by_id[call.id] = call
                self.by_name[call.name].append(call)
                self.by_name[""].append(call)

    def give(self, result: Call, where: str) -> None:
        calls, call = self.by_name[result.name], None
        if result.id:
            call = self.by_id.pop(result.id, None)
        while not result.id and calls and (call is None or call.result is not None):
            call = calls.popleft()
        if call is None or call.result is not None:
            why = "has a result already" if result.id in self.known else "nothing made"
            made = f" for the call {result.id!r:.60}, which {why}" if result.id else ""
            raise TranscriptError(f"{where} is a tool result{made or ' without a call'}")
        call.result, call.is_error = result.result, result.is_error


def _message(values: Mapping[str, object], where: str) -> tuple[Message, list[Call]]:
    named = _role_named(values)
    kind = named.lower()
    if kind.endswith("_call") and (kind != "function_call" or "name" in values):
        return Message("assistant", calls=[_call_of_item(values, kind)]), []
    role = "tool" if kind.endswith("_call_output") else ROLES.get(kind)
    if role is None:
        known = "user, assistant, system or tool"
        raise TranscriptError(f"{where} has the role {named!r:.40}; it must be {known}")
    message, results = Message(role), list[Call]()
    content = _first_of(values, _CONTENT_KEYS)
    parts = list_of(content)
    if kind == "function_call":  # ShareGPT: the text is the JSON of a call, or of several
        made = _parsed(content)
        message.calls = [call_of(each) for each in list_of(made) or [made]]
    elif role == "tool" and not any(_returned_in(mapping_of(part)) for part in parts or ()):
        message.text = _text_in(content)
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
    # Of LangChain: their arguments are no JSON.
    unread = list_of(values.get("invalid_tool_calls")) or ()
    made = map(call_of, (*cast("Sequence[object]", calls), *unread))
    message.calls += [call for call in made if call.id not in ids]
    if not (message.calls or results or {*values} & {*_CONTENT_KEYS, *_CALL_KEYS}):
        raise TranscriptError(f"{where} has no content, only {', '.join(map(str, values)):.80}")
    return message, results


def _call_of_item(values: Mapping[str, object], kind: str) -> Call:
    """A call in OpenAI's responses is an item of its own, with its result if the tool is one of OpenAI's."""
    keys = ("queries", "code", "input")
    given = {key: values[key] for key in keys if values.get(key) is not None}
    arguments = values.get("arguments") or values.get("action") or given
    name = values.get("name") or kind.removesuffix("_call")
    call = call_of({**values, "name": name, "arguments": arguments})
    result = _first_of(values, ("output", "results", "outputs", "error"))
    call.result = None if result is None else _text_in(result)
    failed = bool(values.get("error")) or values.get("status") == "failed"
    call.is_error = failed or says_error(call.result or "")
    return call


def _first_of(values: Mapping[str, object], keys: Sequence[str]) -> object:
    """The value under the first of these keys that has one."""
    return next((values[key] for key in keys if values.get(key) is not None), None)


def _result(values: Mapping[str, object], id: object, text: str) -> Call:
    """The result of a call, as a call of its name or id."""
    is_flagged = values.get("is_error") or values.get("error") is True
    failed = bool(is_flagged) or values.get("status") == "error" or says_error(text)
    name = values.get("name") or values.get("toolName")
    return Call(str(name or ""), None, id=str(id or ""), result=text, is_error=failed)


def _read_parts(parts: Sequence[object], message: Message, results: list[Call]) -> None:
    """Texts, calls and results among the parts of a content; of other parts the type is kept."""
    texts: list[str] = []
    for part in parts:
        values = mapping_of(part)
        kind = _kind_of(values)
        text = _first_of(values, ("text", "content", "refusal"))
        text = mapping_of(text).get("value", text)  # of OpenAI's threads
        if isinstance(part, str):
            texts.append(part)
        elif kind in _TEXT_PARTS or (not kind and isinstance(text, str)):
            texts.append(text_of(text))
        elif called := _called_in(values):
            message.calls.append(call_of(called))
        elif returned := _returned_in(values):
            content = _first_of(returned, ("content", "response", "result", "output"))
            ids = ("tool_use_id", "toolUseId", "toolCallId", "id")
            id = next((returned[key] for key in ids if returned.get(key)), None)
            results.append(_result(returned, id, _text_in(content)))
        elif kind not in _THOUGHTS:
            message.others.append(kind or type(part).__name__)
    message.text = "\n".join(texts)


def _text_in(content: object) -> str:
    """The text of a result: of a list of texts and other parts their lines, of anything else its JSON."""
    items = list_of(content) or []
    inner = [mapping_of(each).get("text", each) for each in items]
    kinds = [_kind_of(mapping_of(each)) for each in items]
    lines = [
        f"({kind})" if kind in _OTHER_PARTS else text
        for text, kind in zip(inner, kinds, strict=True)
    ]
    are_texts = bool(lines) and all(isinstance(line, str) for line in lines)
    return "\n".join(cast("list[str]", lines)) if are_texts else text_of(content)


def _parsed(text: object) -> object:
    try:
        return cast("object", json.loads(text)) if isinstance(text, str) else text
    except (ValueError, RecursionError):
        return text
