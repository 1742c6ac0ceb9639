"""Read a transcript, in the format of any chat API, into messages, tool calls with their results, and turns."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, cast

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
_ARGUMENT_KEYS = ("arguments", "args", "input", "input_parameters", "kwargs", "parameters")
_TEXT_PARTS = ("text", "input_text", "output_text")
_CALL_KEYS = ("tool_calls", "tools_called", "function_call")
_CALL_PARTS = ("tool_use", "tool_result")
_GEMINI = ("functionCall", "function_call", "functionResponse", "function_response")
MAX_DEPTH = 100
_ERROR = re.compile(
    r"\s*(?:(?:\w+\.)*\w*(?:error|exception)\s*(?::|\Z)|traceback \(most recent call)",
    re.IGNORECASE,
)
"""How a result begins that says that the tool failed: `Error: …`, `ValueError: …`, a traceback."""


def mapping_of(value: object) -> Mapping[str, object]:
    """The value if it is an object with names, else an empty one."""
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


def is_object(value: object) -> bool:
    """Whether the value is an object with names."""
    return isinstance(value, Mapping)


def list_of(value: object) -> list[object] | None:
    """The value if it is a list."""
    return cast("list[object]", value) if isinstance(value, list) else None


class TranscriptError(ValueError):
    """A transcript that cannot be read; the message says which of its messages, and why."""


@dataclass(slots=True)
class Call:
    """A tool call: `arguments` is None where they are no JSON object, and `invalid` says why."""

    name: str
    arguments: dict[str, object] | None
    invalid: str = ""
    id: str = ""
    result: str | None = None
    is_error: bool = False
    """Whether the tool said that it failed."""

    @property
    def key(self) -> str:
        """Equal for calls with the same name and the same arguments."""
        values = [self.name, self.arguments, self.invalid]
        return json.dumps(values, sort_keys=True, default=str)

    def as_data(self) -> dict[str, object]:
        """The call as JSON data, for evidence."""
        data: dict[str, object] = {"name": self.name, "arguments": self.arguments}
        return data | ({"invalid": self.invalid} if self.invalid else {})


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

    def turns(self, n_told: int | None = None) -> list[Turn]:
        """The turns: each ends with the system's last message before the next message of the user.

        `n_told`: for how many turns something is told, such as the expected calls. If that is one more than there are, and
        the user has the last word, this last message is a turn without an answer.

        >>> chat = [{"role": "user", "content": "2 + 2?"}, {"role": "assistant", "content": "4"}]
        >>> [(turn.number, turn.question, turn.answer) for turn in read_transcript(chat).turns()]
        [(1, '2 + 2?', '4')]
        """
        spans: list[list[int]] = [[]]
        is_answered: list[bool] = [False]
        for at, message in enumerate(self.messages):
            if message.role == "user" and is_answered[-1]:
                spans.append([])
                is_answered.append(False)
            spans[-1].append(at)
            is_answered[-1] |= message.role == "assistant"
        n_answered = sum(is_answered)
        asks = any(self.messages[at].role == "user" for at in spans[-1])
        ends_open = n_told == n_answered + 1 and asks and not is_answered[-1]
        return [
            self._turn(number, span)
            for number, span in enumerate(spans if ends_open else spans[:n_answered], 1)
        ]

    def _turn(self, number: int, span: Sequence[int]) -> Turn:
        messages = [self.messages[at] for at in span]
        answers = [message for message in messages if message.role == "assistant"]
        asked = [message.text for message in messages if message.role == "user"]
        contexts = [message.contexts for message in messages if message.contexts is not None]
        return Turn(
            number,
            "\n".join(asked) if asked else None,
            (answers[-1].text or None) if answers else None,
            tuple(call for answer in answers for call in answer.calls),
            [text for texts in contexts for text in texts] if contexts else None,
            self.places[span[0]],
            self.places[span[-1]] + 1,
        )


def read_transcript(messages: object) -> Transcript:
    """The transcript of a list of messages, or of its JSON text; TranscriptError says what cannot be read.

    Understands the messages of OpenAI (chat and responses), Anthropic, Gemini, LangChain, ragas, deepeval,
    MTRAG and ShareGPT. A tool's result belongs to the call whose id it names, else to the first call without one.

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
    waiting: dict[str, Call] = {}
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
            _give_result(result, waiting, where)
        if message.role == "system" and any(each.role == "system" for each in read):
            raise TranscriptError(f"{where} is a second system prompt")
        for call in message.calls:
            if call.result is None:
                waiting[call.id or f"#{place}.{len(waiting)}"] = call
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


def _message(values: Mapping[str, object], where: str) -> tuple[Message, list[_Result]]:
    kind = str(values.get("type", "")).lower()
    if kind == "function_call" and "name" in values:
        # In OpenAI's responses, a call is an item of its own.
        return Message("assistant", calls=[_call(values)]), []
    named = _role_named(values)
    role = _ROLES.get(named.lower())
    if role is None:
        known = "user, assistant, system or tool"
        raise TranscriptError(f"{where} has the role {named!r:.40}; it must be {known}")
    message, results = Message(role), list[_Result]()
    content = next((values[key] for key in _CONTENT_KEYS if values.get(key) is not None), None)
    if named.lower() == "function_call":  # ShareGPT: the text is the JSON of a call, or of several
        made = _parsed(content)
        message.calls = [_call(each) for each in list_of(made) or [made]]
    elif role == "tool":
        text = content if isinstance(content, str) else _as_json(content)
        failed = bool(values.get("is_error")) or values.get("status") == "error"
        id = values.get("tool_call_id") or values.get("call_id") or ""
        name = str(values.get("name") or "")
        results.append(_Result(str(id), name, text, failed or _says_error(text)))
        message.text = text
    elif isinstance(content, list):
        _read_parts(cast("list[object]", content), message, results)
    elif content is not None:
        message.text = content if isinstance(content, str) else _as_json(content)
    extra = values.get("additional_kwargs")
    calls = values.get("tool_calls") or values.get("tools_called")
    calls = calls or mapping_of(extra).get("tool_calls")
    if not calls and isinstance(values.get("function_call"), Mapping):
        calls = [values["function_call"]]
    if isinstance(calls, list | tuple):
        made = [_call(each) for each in cast(Sequence[object], calls)]
        ids = {call.id for call in message.calls if call.id}  # LangChain repeats Anthropic's blocks
        message.calls += [call for call in made if not call.id or call.id not in ids]
    contexts = values.get("contexts", values.get("retrieval_context"))
    if isinstance(contexts, list):
        message.contexts = [
            text if isinstance(text, str) else _as_json(text)
            for text in cast("list[object]", contexts)
        ]
    return message, results


def _read_parts(parts: Sequence[object], message: Message, results: list[_Result]) -> None:
    """Texts, calls and results among the parts of a content; of other parts the type is kept."""
    texts: list[str] = []
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
            continue
        values = mapping_of(part)
        kind = str(values.get("type", ""))
        if kind in _TEXT_PARTS or (not kind and isinstance(values.get("text"), str)):
            texts.append(str(values.get("text", "")))
        elif kind == "tool_use" or "functionCall" in values or "function_call" in values:
            message.calls.append(
                _call(values.get("functionCall") or values.get("function_call") or values)
            )
        elif kind == "tool_result" or "functionResponse" in values or "function_response" in values:
            inner = values.get("functionResponse") or values.get("function_response") or values
            result = mapping_of(inner)
            content = result.get("content", result.get("response"))
            text = content if isinstance(content, str) else _text_of_parts(content)
            failed = bool(result.get("is_error")) or _says_error(text)
            name = str(result.get("name") or "")
            results.append(
                _Result(
                    str(result.get("tool_use_id") or result.get("id") or ""), name, text, failed
                )
            )
        elif kind not in ("thinking", "redacted_thinking"):
            message.others.append(kind or type(part).__name__)
    message.text = "\n".join(texts)


def _parsed(text: object) -> object:
    try:
        return cast("object", json.loads(text)) if isinstance(text, str) else text
    except (ValueError, RecursionError):
        return text


def _text_of_parts(content: object) -> str:
    texts = [mapping_of(part).get("text", part) for part in list_of(content) or ()]
    if texts and all(isinstance(text, str) for text in texts):
        return "\n".join(cast("list[str]", texts))
    return _as_json(content)


def _give_result(result: _Result, waiting: dict[str, Call], where: str) -> None:
    key = result.id
    if key and key not in waiting:
        raise TranscriptError(
            f"{where} is a tool result for the call {key!r:.60}, which nothing made"
        )
    if not key:
        same_name = (id for id, call in waiting.items() if result.name in ("", call.name))
        key = next(same_name, "")
    if not key:
        raise TranscriptError(f"{where} is a tool result without a call")
    call = waiting.pop(key)
    call.result, call.is_error = result.text, result.is_error


def _says_error(text: str) -> bool:
    if _ERROR.match(text):
        return True
    if not text.startswith("{") or '"error' not in text[:2000]:
        return False
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return any(bool(values.get(key)) for key in ("error", "errors"))


def _call(value: object) -> Call:
    """A call in any tool's spelling; arguments that are no JSON object make it invalid."""
    values = mapping_of(value)
    inner = values.get("function")
    named = mapping_of(inner) or values
    id = str(values.get("call_id") or values.get("id") or values.get("tool_call_id") or "")
    name = named.get("name")
    given = next((named[key] for key in _ARGUMENT_KEYS if named.get(key) is not None), None)
    arguments, invalid = read_arguments(given)
    if not isinstance(name, str) or not name:
        name, invalid = str(name or ""), "the call names no tool"
    call = Call(name, arguments, invalid, id)
    output = values.get("output")
    if output is not None:  # deepeval keeps the result with the call
        call.result = output if isinstance(output, str) else _as_json(output)
        call.is_error = _says_error(call.result)
    return call


def read_arguments(given: object) -> tuple[dict[str, object] | None, str]:
    """The arguments of a call as an object, and what is wrong with them; no arguments are an empty object.

    >>> read_arguments('{"a": 1}')
    ({'a': 1}, '')
    >>> read_arguments("{a: 1}")[1][:27]
    'the arguments are no JSON: '
    """
    if given is None or given == "":
        return {}, ""
    text = given if isinstance(given, str) else None
    try:
        if text is None:
            text = json.dumps(given, allow_nan=False)
        if text.count("[") + text.count("{") > MAX_DEPTH and _depth(text) > MAX_DEPTH:
            return None, f"the arguments are nested more than {MAX_DEPTH} deep"
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, TypeError, RecursionError) as error:
        return None, f"the arguments are no JSON: {error!s:.120}"
    if not isinstance(value, dict):
        return None, f"the arguments are no JSON object: {text:.60}"
    return cast("dict[str, object]", value), ""


def _depth(text: str) -> int:
    """How deep JSON text is nested, brackets in its strings included: at most a little too much."""
    depth = deepest = 0
    for bracket in re.findall(r"[\[\]{}]", text):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is no number of JSON")


def _as_json(value: object) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)


def n_turns_told(expected: object) -> int | None:
    """For how many turns calls are expected; None if nothing says it."""
    items = list_of(expected)
    return (1 if all(map(is_object, items)) else len(items)) if items else None


def read_expected(expected: object, n_turns: int) -> "list[list[list[Call]] | None]":
    """By turn, the lists of calls that are right; None for a turn of which nothing is said.

    `expected` is a list of calls for the only turn, or a list over the turns: each null, a list of calls, or a list of
    such lists where several are right. A call is `{"name", "arguments"}`, or as BFCL writes it `{name: {argument:
    allowed values}}`; without arguments only its name counts.
    """
    if not isinstance(expected, list):
        raise TranscriptError("expected_calls must be a list of calls, or a list over the turns")
    items = cast("list[object]", expected)
    if all(isinstance(item, Mapping) for item in items):
        if n_turns > 1 and items:
            raise TranscriptError(f"expected_calls must be a list over the {n_turns} turns")
        return [[_expected_list(items)]] if n_turns <= 1 else [[[]] for _ in range(n_turns)]
    if len(items) != n_turns:
        if n_turns == 1 and all(isinstance(item, list) for item in items):
            return [[_expected_list(cast("list[object]", item)) for item in items]]
        raise TranscriptError(f"expected_calls has {len(items)} turns, the conversation {n_turns}")
    return [_expected_of_turn(item, number) for number, item in enumerate(items, 1)]


def _expected_of_turn(item: object, number: int) -> list[list[Call]] | None:
    if item is None:
        return None
    if not isinstance(item, list):
        raise TranscriptError(f"expected_calls of turn {number} must be a list of calls or null")
    calls = cast("list[object]", item)
    if calls and all(isinstance(each, list) for each in calls):
        return [_expected_list(cast("list[object]", each)) for each in calls]
    return [_expected_list(calls)]


def _expected_list(calls: Sequence[object]) -> list[Call]:
    return list(_expected_calls(calls))


def _expected_calls(calls: Sequence[object]) -> Iterator[Call]:
    for number, each in enumerate(calls, 1):
        if not isinstance(each, Mapping):
            raise TranscriptError(f"expected call {number} must be an object with a name")
        values = cast("Mapping[str, object]", each)
        if "name" not in values and "function" not in values and len(values) == 1:
            ((name, allowed),) = values.items()
            values = {"name": name, "arguments": allowed}
        named = values.get("function")
        holds = mapping_of(named) or values
        call = _call(values)
        if call.invalid:
            raise TranscriptError(f"expected call {number}: {call.invalid}")
        if not any(key in holds for key in _ARGUMENT_KEYS):
            call.arguments = None
        yield call
