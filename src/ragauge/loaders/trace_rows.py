"""The row of each trace: question, answer and documents of its steps, what it used and what failed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from ragauge.conversations.transcript import role_of, says_calls
from ragauge.errors import Problem
from ragauge.language.words import words
from ragauge.loaders.documents import ID_KEYS, TEXT_KEYS, parts_of
from ragauge.loaders.mapping import field_of
from ragauge.loaders.table import (
    ANSWERING,
    ASKING,
    Table,
    items_in,
    last_text,
    listed,
    mapping_in,
    parsed,
    text_of,
)
from ragauge.loaders.trace_messages import completed, texts_of, turn_of, with_sessions
from ragauge.report.plain import counted as counted_noun
from ragauge.samples.fields import Row

Values = Mapping[str, object]
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
