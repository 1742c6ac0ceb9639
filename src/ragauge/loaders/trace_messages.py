"""What spans say of a conversation: the messages and calls of a trace, its tools, and the turns of a session."""

import re
from collections.abc import Mapping, Sequence
from typing import cast

from ragauge.conversations.tool_calls import TranscriptError
from ragauge.conversations.transcript import read_transcript, role_of, says_calls
from ragauge.loaders.shapes.conversations import with_turn
from ragauge.loaders.table import items_in, mapping_in, mappings_in, parsed

Values = Mapping[str, object]
SESSIONS = ("session.id", "gen_ai.conversation.id", "conversation.id", "thread.id")
SIDES = {  # the messages that a model got, and those that it replied
    "llm.input_messages": 0, "gen_ai.input.messages": 0, "gen_ai.prompt": 0,
    "llm.output_messages": 1, "gen_ai.output.messages": 1, "gen_ai.completion": 1,
}  # fmt: skip
_MESSAGE = re.compile(rf"({'|'.join(map(re.escape, SIDES))})(?:\.(\d+)\.(.+))?")
_EVENT = re.compile(r"gen_ai\.(system|user|assistant|tool)\.message")
_TOOLS = re.compile(r"llm\.tools\.\d+\.tool\.json_schema|gen_ai\.tool\.definitions")
TOOL_NAMES = ("gen_ai.tool.name", "tool.name", "tool_call.function.name", "name")
TOOL_ARGUMENTS = ("gen_ai.tool.call.arguments", "tool.parameters", "input.value", "input", "inputs")
TOOL_RESULTS = ("gen_ai.tool.call.result", "output.value", "output", "outputs")


def messages_of_span(span: Values, events: object = None) -> tuple[list[object], list[object]]:
    """The messages that a model's span got, and those that it replied, in the form of OpenAI or of the GenAI conventions."""
    sides: tuple[dict[str, object], dict[str, object]] = ({}, {})
    for name, value in span.items():
        if (found := _MESSAGE.fullmatch(name)) is None:
            continue
        side = sides[SIDES[found[1]]]
        if found[2] is None:
            side |= {str(at): each for at, each in enumerate(items_in(parsed(value)))}
            continue
        *path, last = found[2], *found[3].split(".")
        for key in path:
            side = cast("dict[str, object]", side.setdefault(key, {}))
        side[last] = value
    got, said = (
        [cast("object", _plain(each)) for each in items_in(_nested(side))] for side in sides
    )
    for event in mappings_in(parsed(events)):
        values = mapping_in(event.get("attributes"))
        if kind := _EVENT.fullmatch(str(event.get("name"))):
            got.append({"role": kind[1], **values})
        elif event.get("name") == "gen_ai.choice":
            said.append({"role": "assistant", **mapping_in(parsed(values.get("message")))})
    return got, said


def _nested(value: object) -> object:
    """Objects whose keys are numbers as lists."""
    values = mapping_in(value)
    if not values:
        return value
    inner = {key: _nested(each) for key, each in values.items()}
    are_places = all(key.isdecimal() for key in inner)
    return [inner[key] for key in sorted(inner, key=int)] if are_places else inner


def _plain(message: object) -> dict[str, object]:
    """A message without the wrappers of OpenInference."""
    outer = mapping_in(message)
    values = dict(mapping_in(outer.get("message", outer)))
    values.setdefault("role", "assistant")
    calls = items_in(values.get("tool_calls"))
    values |= {"tool_calls": [mapping_in(e).get("tool_call", e) for e in calls]} if calls else {}
    if parts := items_in(values.pop("contents", None)):
        inner = (mapping_in(mapping_in(each).get("message_content", each)) for each in parts)
        named = (((name.rpartition(".")[2], part) for name, part in each.items()) for each in inner)
        values["content"] = [dict(each) for each in named]
    return values


def call_of_span(span: Values, kind: str, number: int, failed: object) -> list[object]:
    """The call of a tool's span and its result, as messages; empty for other spans."""
    if kind != "TOOL":
        return []
    name, arguments, result = (
        next((span[each] for each in names if span.get(each) not in (None, "")), None)
        for names in (TOOL_NAMES, TOOL_ARGUMENTS, TOOL_RESULTS)
    )
    arguments, id = parsed(arguments), str(span.get("gen_ai.tool.call.id") or f"call {number}")
    inner = mapping_in(arguments)
    if len(inner) == 1 and isinstance(parsed(inner.get("input")), Mapping):  # LangChain's
        arguments = parsed(inner["input"])
    if arguments is not None and not isinstance(arguments, Mapping):
        arguments = cast("object", {"input": arguments})
    function: Values = {"name": name, "arguments": cast("object", arguments)}
    call: Values = {"id": id, "function": function}
    returned = {"role": "tool", "tool_call_id": id, "content": failed if result is None else result}
    return [
        {"role": "assistant", "tool_calls": [call]},
        returned | ({"is_error": True} if failed else {}),
    ]


def tools_of_span(span: Values) -> list[object]:
    """The tools that a model's span names, with their schemas."""
    found = [parsed(value) for name, value in span.items() if _TOOLS.fullmatch(name)]
    return [each for value in found for each in (items_in(value) or [value])]


def turn_of(
    models: Sequence[tuple[list[object], list[object]]], tools: Sequence[object]
) -> list[object]:
    """The messages since the user's question of the model's call that saw most tool calls; else those of the tools' own spans, else the calls that models made."""
    tools = tools or [each for _, said in models for each in said if says_calls(each)]
    best: list[object] = []
    n_most = -1
    for got, said in models:
        asked = [
            at for at, each in enumerate(got) if role_of(each) == "user" and not says_calls(each)
        ]
        turn = [*got[asked[-1] :], *said] if asked else []
        n = sum(map(says_calls, turn))
        if turn and n >= n_most:
            best, n_most = turn, n
    if tools and n_most <= 0:
        start = 1 if best and role_of(best[0]) == "user" else 0
        best[start:start] = tools
    return best


def completed(turn: Sequence[object], tools: Sequence[object], answer: str | None) -> list[object]:
    """A turn with the results of tools' own spans for calls that have none, and the trace's answer if the messages end without one."""
    try:
        waiting = [call for call in read_transcript(turn).calls if call.result is None]
    except TranscriptError:
        return [*turn]
    whole = [*turn]
    for call, returned in zip(tools[::2], tools[1::2], strict=True):
        (made,) = read_transcript([call]).calls
        same = next((each for each in waiting if each.name == made.name), None)
        if same is not None:
            waiting.remove(same)
            whole.append({**mapping_in(returned), "name": same.name, "tool_call_id": same.id})
    if answer is not None and texts_of(turn)[1] is None:
        whole.append({"role": "assistant", "content": answer})
    return whole


def texts_of(turn: Sequence[object]) -> tuple[str | None, str | None]:
    """The question and the answer of a turn's messages."""
    try:
        turns = read_transcript(turn).turns()
    except TranscriptError:
        return None, None
    return (turns[-1].question, turns[-1].answer) if turns else (None, None)


def with_sessions(rows: Sequence[tuple[dict[str, object], object, str]]) -> int:
    """Make the traces of each session, by row, session and begin, turns in order of time; the number of sessions.

    Where each session has a single trace, none becomes a conversation.
    """
    sessions: dict[str, list[tuple[str, dict[str, object]]]] = {}
    for values, session, start in rows:
        if session is not None:
            sessions.setdefault(str(session), []).append((start, values))
    if all(len(traces) == 1 for traces in sessions.values()):
        return 0
    for session, traces in sessions.items():
        before, whole = "", list[object]()
        if all(start for start, _ in traces):
            traces.sort(key=lambda each: each[0])
        for number, (_, values) in enumerate(traces, 1):
            question, answer = (cast("str | None", values[name]) for name in ("question", "answer"))
            texts = (("user", question), ("assistant", answer))
            said = [{"role": role, "content": text} for role, text in texts if text is not None]
            values.setdefault("messages", said)
            values |= {"conversation": session, "turn": number}
            values["conversation_before"] = before or None
            whole += items_in(values["messages"])
            before = with_turn(before, question, answer)
        traces[-1][1]["whole_conversation"] = whole
    return len(sessions)
