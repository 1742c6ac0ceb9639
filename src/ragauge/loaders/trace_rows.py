"""The row of each trace: question, answer and documents of its steps, the messages and calls that its spans hold, what it used and what failed."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from ragauge.conversations.tool_calls import TranscriptError
from ragauge.conversations.transcript import read_transcript, role_of, says_calls
from ragauge.errors import Problem
from ragauge.language.words import words
from ragauge.loaders.documents import ID_KEYS, TEXT_KEYS, parts_of
from ragauge.loaders.mapping import field_of
from ragauge.loaders.shapes.conversations import with_turn
from ragauge.loaders.table import (
    ANSWERING,
    ASKING,
    Table,
    items_in,
    last_text,
    listed,
    mapping_in,
    mappings_in,
    parsed,
    text_of,
)
from ragauge.report.plain import counted as counted_noun
from ragauge.samples.fields import Row

SESSIONS = ("session.id", "gen_ai.conversation.id", "conversation.id", "thread.id")
SIDES = {  # the messages that a model got, and those that it replied
    "llm.input_messages": 0, "gen_ai.input.messages": 0, "gen_ai.prompt": 0,
    "llm.output_messages": 1, "gen_ai.output.messages": 1, "gen_ai.completion": 1,
}  # fmt: skip
_MESSAGE = re.compile(rf"({'|'.join(map(re.escape, SIDES))})(?:\.(\d+)\.(.+))?")
_EVENT = re.compile(r"gen_ai\.(system|user|assistant|tool)\.message")
Values = Mapping[str, object]
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


USED = ("input_tokens", "output_tokens", "cost_usd")
MAX_DEPTH = 5
TEXT_KEYS_OF = {
    "question": ("messages", "text", "content", "value", "args", "kwargs", "inputs"),
    "answer": (
        "messages", "result", "output_text", "text", "content", "replies", "choices", "message",
        "generations", "value", "outputs",
    ),
}  # fmt: skip
ROLES_OF = {"question": ASKING, "answer": ANSWERING}
DOCUMENT_KEYS = (
    "documents", "source_documents", "source_nodes", "contexts", "context", "retrieved_contexts",
    "nodes", "chunks", "matches", "results", "hits", "docs", "passages", "output",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Step:
    """A span, observation or run: `documents` is None if it retrieved nothing of its own, `used` what its models used.

    `messages` are those that a model got, and those that it replied; `call` is a tool's call and its result.
    """

    id: str
    parent: str | None
    start: str
    input: object
    output: object
    documents: Sequence[object] | None
    is_rerank: bool
    is_model: bool
    error: str | None
    used: Mapping[str, float]
    messages: tuple[list[object], list[object]]
    call: Sequence[object]


@dataclass(slots=True)
class Trace:
    """The steps of one trace, its own input, output and extra fields, and documents that count if no step retrieved any."""

    id: str
    source: str
    line: int | None
    steps: list[Step] = field(default_factory=list[Step])
    input: object = None
    output: object = None
    extra: dict[str, object] = field(default_factory=dict[str, object])
    fallback: Sequence[object] | None = None
    session: object = None
    start: str = ""
    tools: dict[str, object] = field(default_factory=dict[str, object])


@dataclass(slots=True)
class Traces:
    """The traces of a table by id, the problems of its rows, and what was left out."""

    table: Table
    by_id: dict[str, Trace] = field(default_factory=dict[str, Trace])
    problems: list[Problem] = field(default_factory=list[Problem])
    left_out: dict[str, None] = field(default_factory=dict[str, None])

    def of(self, id: object, row: Row, problem: str) -> Trace | None:
        """The trace with this id, which is a problem of the row if there is none."""
        if id is None:
            self.problems.append(Problem(problem, row.source, row.line))
            return None
        return self.by_id.setdefault(str(id), Trace(str(id), row.source, row.line))


def first_of(values: Values, names: Sequence[str]) -> object:
    """The value under the first of these names that has one; None if none has."""
    return next((value for name in names if (value := values.get(name)) not in (None, "")), None)


def as_table(traces: Traces, kind: str) -> Table:
    """One row per trace, with notes on what is missing, joined or left out."""
    table = traces.table
    rows: list[Row] = []
    problems = [*table.problems, *traces.problems]
    unasked: dict[str, list[str]] = {}
    failed, several, empty = list[str](), list[str](), list[str]()
    of_sessions: list[tuple[dict[str, object], object, str]] = []
    for trace in traces.by_id.values():
        values, inputs, n_retrievals = _values_of(trace)
        several += [trace.id] if n_retrievals > 1 else []
        if values is None:
            empty.append(trace.id)
            continue
        rows.append(Row(values, trace.source, trace.line))
        begun = trace.start or min((step.start for step in trace.steps), default="")
        of_sessions.append((values, trace.session, begun))
        failed += [trace.id] if "error" in values else []
        if values["question"] is None:
            keys = [repr(str(key)) for given in inputs for key in mapping_in(parsed(given))]
            why = f"input with {listed(keys)}" if keys else "no input"
            unasked.setdefault(why, []).append(trace.id)
    notes = [f"read {kind} as {len(rows):,} traces, one sample each"]
    if n_sessions := with_sessions(of_sessions):
        counted = counted_noun(n_sessions, "conversation")
        notes.append(f"traces of a session are its turns: {counted}")
    for why, ids in unasked.items():
        notes.append(f"no question in {len(ids):,} traces ({why}): {listed(ids)}")
    for what, ids in (
        ("failed; their error is an extra field", failed),
        ("retrieved several times; documents joined in order of time", several),
        ("have no question, answer or documents and are left out", empty),
    ):
        notes += [f"{len(ids):,} traces {what}: {listed(ids)}"] if ids else []
    if traces.left_out:
        notes.append(f"left out of the traces: {listed(list(traces.left_out))}")
    if empty and not rows:
        problems.append(Problem("no trace has a question, an answer or documents", table.source))
    return Table(tuple(rows), table.source, (*table.notes, *notes), tuple(problems))


def _values_of(trace: Trace) -> tuple[dict[str, object] | None, list[object], int]:
    """The values of the trace's row, None if it has no content; its inputs; how often documents were retrieved."""
    steps = sorted(trace.steps, key=lambda step: step.start)
    parents = {step.id: step.parent for step in steps}
    roots = [step for step in steps if step.parent is None]
    roots = roots or [step for step in steps if step.parent not in parents]
    retrievers = [step for step in steps if step.documents is not None]
    inputs = [trace.input, *(step.input for step in (*roots[:1], *retrievers, *roots[1:]))]
    models = [step.output for step in reversed(steps) if step.is_model]
    whole = [step.output for step in reversed(roots) if step.documents is None]
    # Of several steps without a common one above them, the model's last output is the answer.
    outputs = [trace.output, *(whole + models if len(roots) == 1 else models + whole)]
    calls = [each for step in steps for each in step.call]
    turn = turn_of([step.messages for step in steps], calls)
    retrievals = _retrievals(steps, parents)
    contexts = _joined(retrievals) if retrievals else trace.fallback
    question, answer = (
        next((text for given in several if (text := text_in(given, field)) is not None), None)
        for several, field in ((inputs, "question"), (outputs, "answer"))
    )
    asked, answered = texts_of(turn)
    question, answer = question if asked is None else asked, answer or answered
    if question is None and answer is None and contexts is None:
        return None, [], len(retrievals)
    values: dict[str, object] = {"id": trace.id, "question": question, "answer": answer}
    searched = {text for step in retrievers if (text := text_in(step.input, "question"))}
    if len(searched) == 1 and words(max(searched).lower()) != words((question or "").lower()):
        values["rewritten_query"] = searched.pop()
    values |= {} if contexts is None else {"contexts": contexts}
    if any(map(says_calls, turn)):
        if role_of(turn[0]) != "user":  # of the tools' own spans
            around = (("user", question), ("assistant", answer))
            first, last = (
                [{"role": role, "content": text}] if text is not None else []
                for role, text in around
            )
            turn = [*first, *turn, *last]
        turn = completed(turn, calls, answer)
        values |= {"messages": turn, "tools": [*trace.tools.values()] or None}
    if contexts and not any(map(parts_of, contexts)) and all(map(mapping_in, contexts)):
        del values["contexts"]  # the GenAI conventions ask for ids and scores only
        for name, key in (("context_ids", "id"), ("context_scores", "score")):
            found = [mapping_in(each).get(key) for each in contexts]
            values |= {name: found} if None not in found else {}
    for name in USED:  # sums: an agent's step repeats what the calls within it used
        given = [step for step in steps if name in step.used]
        repeated = {id for step in given for id in _above(step, parents)}
        numbers = [step.used[name] for step in given if step.id not in repeated]
        values |= {name: sum(numbers)} if numbers else {}
    values |= {name: value for name, value in trace.extra.items() if name not in values}
    errors = dict.fromkeys(step.error for step in steps if step.error is not None)
    values |= {"error": "; ".join(errors)} if errors else {}
    return values, inputs, len(retrievals)


def _above(step: Step, parents: Mapping[str, str | None]) -> set[str]:
    """The steps that contain it."""
    above: set[str] = set()
    parent = step.parent
    while parent is not None and parent in parents and parent not in {step.id, *above}:
        above.add(parent)
        parent = parents[parent]
    return above


def _retrievals(steps: Sequence[Step], parents: Mapping[str, str | None]) -> list[Sequence[object]]:
    """The documents of each retrieval: of the last reranker, else of the outermost retrievers."""
    found = {step.id: step.documents for step in steps if step.documents is not None}
    if reranked := [step.documents for step in steps if step.is_rerank and step.documents]:
        return [reranked[-1]]
    return [
        step.documents
        for step in steps
        if step.documents is not None and not any(map(found.get, _above(step, parents)))
    ]


def _joined(retrievals: Sequence[Sequence[object]]) -> list[object]:
    """The documents of all retrievals; one that was found again counts once."""
    joined: dict[object, object] = {}
    for documents in retrievals:
        for document in documents:
            parts = parts_of(document) or {"text": document}
            # Within one list nothing is removed: what a retriever returned twice it returned twice.
            key = (str(first_of(parts, ID_KEYS)), str(first_of(parts, TEXT_KEYS)))
            joined.setdefault(key if len(retrievals) > 1 else len(joined), document)
    return list(joined.values())


def text_in(value: object, field: str, depth: int = MAX_DEPTH) -> str | None:
    """The question in a step's input, or the answer in its output: a text, chat messages, or an object, often as JSON text."""
    value = parsed(value)
    if isinstance(value, str):
        return value
    if depth == 0 or value is None:
        return None
    if isinstance(value, bool | int | float):
        return str(value)
    parts: Sequence[object] = items_in(value)
    if isinstance(value, list):
        text = last_text(parts, ROLES_OF[field])
        if text is not None or len(parts) != 1:
            return text if text is not None else text_of(parts)
    elif named := mapping_in(value):
        fields = [key for key in named if field_of(str(key)) == field]
        parts = [named.get(key) for key in dict.fromkeys((*fields, *TEXT_KEYS_OF[field]))]
        parts += named.values() if len(named) == 1 else ()
    texts = (text_in(part, field, depth - 1) for part in parts)
    return next((text for text in texts if text is not None), None)


def documents_in(value: object, *, texts: bool = False, depth: int = 3) -> list[object] | None:
    """The documents in a step's output; with `texts`, a list of texts counts. None if there are none."""
    value = parsed(value)
    if isinstance(value, list):
        items = cast("list[object]", value)
        are_texts = (texts and isinstance(item, str) for item in items)
        found = all(
            a or parts_of(item) is not None for a, item in zip(are_texts, items, strict=True)
        )
        return items if found and (items or texts) else None
    named: Values = mapping_in(value) if depth else {}
    inner = (named[key] for key in DOCUMENT_KEYS if key in named)
    found = (documents_in(each, texts=True, depth=depth - 1) for each in inner)
    return next((documents for documents in found if documents is not None), None)
