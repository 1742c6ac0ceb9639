"""Read exported traces as samples: question, retrieved documents and answer of each trace."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
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
    mappings_in,
    parsed,
    text_of,
)
from ragauge.loaders.trace_messages import (
    SESSIONS,
    call_of_span,
    completed,
    messages_of_span,
    texts_of,
    tools_of_span,
    turn_of,
    with_sessions,
)
from ragauge.report.plain import counted as counted_noun
from ragauge.samples.samples import Row

Values = Mapping[str, object]

_PARTS = {
    "trace": "context.trace_id trace_id traceId context.traceId",
    "id": "context.span_id span_id spanId context.spanId id",
    "parent": "parent_id parentId parent_span_id parentSpanId parentObservationId "
    "parent_observation_id parent_run_id",
    "start": "start_time startTime startTimeUnixNano start_time_unix_nano",
    "kind": "openinference.span.kind span_kind spanKind gen_ai.operation.name type run_type",
    "status": "status_code statusCode status.code level",
    "error": "status_message statusMessage status.message exception.message error",
    "input": "input.value inputs input gen_ai.retrieval.query.text gen_ai.input.messages "
    "gen_ai.tool.call.arguments",
    "output": "output.value outputs output gen_ai.output.messages gen_ai.tool.call.result",
    "input_tokens": "llm.token_count.prompt gen_ai.usage.input_tokens gen_ai.usage.prompt_tokens",
    "output_tokens": "llm.token_count.completion gen_ai.usage.output_tokens "
    "gen_ai.usage.completion_tokens",
    "cost_usd": "llm.cost.total",
    "tool": "gen_ai.tool.name tool.name tool_call.function.name name",
}
PARTS = {part: tuple(names.split()) for part, names in _PARTS.items()}
"""The tools' names of the parts of a step; the first that has a value counts."""
FAILED = ("ERROR", "STATUS_CODE_ERROR", "2")
KINDS = {  # operations of the GenAI conventions, by OpenInference's names
    "RETRIEVAL": "RETRIEVER", "EXECUTE_TOOL": "TOOL", "EMBEDDINGS": "EMBEDDING",
    "CHAT": "LLM", "TEXT_COMPLETION": "LLM", "GENERATE_CONTENT": "LLM",
}  # fmt: skip
MODELS = ("LLM", "GENERATION")
USED = ("input_tokens", "output_tokens", "cost_usd")
KEPT = {  # the sample's extra fields; of a root of LangSmith the first two
    "name": "trace_name", "tags": "tags", "sessionId": "session", "session_id": "session",
    "userId": "user", "user_id": "user", "environment": "environment", "release": "release",
    "version": "version", "latency": "latency", "totalCost": "cost_usd",
}  # fmt: skip

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


def recognised(table: Table) -> Table:
    """The table, converted to one row per trace if its rows are spans, observations, traces or runs."""
    reader = _reader_of(table)
    if reader is None:
        return table
    traces = Traces(table)
    return _as_table(traces, reader(traces))


def _reader_of(table: Table) -> Callable[[Traces], str] | None:
    """What reads the table's rows; None if they are no parts of traces."""
    columns = set(table.columns)
    if "answer" in columns:  # of samples that name their trace
        return None
    is_span = columns & {"attributes", "span_kind", "spanKind"}
    is_span = is_span or any(name.startswith("attributes.") for name in columns)
    # With inputs it is a call of Weave, or a run of LangSmith.
    has_trace = columns & {"context", *PARTS["trace"]} and "inputs" not in columns
    if columns & {"resourceSpans", "scopeSpans"} or (has_trace and is_span):
        return _read_spans
    marks = [row.values.get(name) for row in table.rows for name in ("parent_run_id", "child_runs")]
    if {"run_type", "inputs", "outputs"} <= columns and any(marks):  # roots alone are samples
        return _read_runs
    fields = {field_of(name) for name in columns}
    is_plain = {"input", "output"} <= columns and fields <= {None, "id", "question", "answer"}
    is_trace = "observations" in columns and columns & {"input", "output", "trace"}
    if is_trace or (is_plain and len(columns & OF_TRACES) >= 3):
        return _read_observations
    is_table = columns & {"traceId", "trace_id"} and {"type", "id"} <= columns
    is_of_langfuse = is_table and any(_is_observation(row.values) for row in table.rows)
    return _read_observations if is_of_langfuse else None


def _first_of(values: Values, names: Sequence[str]) -> object:
    """The value under the first of these names that has one; None if none has."""
    return next((value for name in names if (value := values.get(name)) not in (None, "")), None)


def _kind(value: object) -> str:
    name = str(value).upper()
    return KINDS.get(name, name)


def _step(
    values: Values,
    number: int,
    documents: Sequence[object] | None,
    name: object = "",
    events: object = None,
) -> Step:
    part = {part: _first_of(values, names) for part, names in PARTS.items()}
    kind = _kind(part["kind"])
    has_failed = str(part["status"]).upper() in FAILED or ("run_type" in values and part["error"])
    error = str(part["error"] or "error") if has_failed else None
    used: dict[str, float] = {}
    for each in () if kind == "EMBEDDING" else USED:
        with suppress(TypeError, ValueError):  # OTLP's JSON has numbers as texts
            amount = float(cast(float, part[each]))
            used |= {each: amount} if 0 <= amount < inf else {}
    return Step(
        id=str(part["id"] or f"number {number}"),
        parent=str(part["parent"]) if part["parent"] else None,
        start=str(part["start"] or ""),
        input=part["input"],
        output=part["output"],
        documents=documents,
        is_rerank=kind == "RERANKER" or "rerank" in str(name).lower(),
        is_model=kind in MODELS,
        error=error,
        messages=messages_of_span(values, events),
        call=call_of_span(values, kind, number, error),
        used=used,
    )


# LangSmith: a row for each run, or a root with its child_runs.


def _read_runs(traces: Traces) -> str:
    n_runs = 0
    for row in traces.table.rows:
        waiting: list[Values] = [row.values]
        while waiting:  # depth first
            run = waiting.pop()
            waiting += reversed(mappings_in(parsed(run.get("child_runs"))))
            n_runs += 1
            id = run.get("trace_id") or row.values.get("trace_id") or row.values.get("id")
            if (trace := traces.of(id, row, "is a run without a trace id")) is None:
                continue
            documents = None
            if str(run.get("run_type")).lower() == "retriever":
                documents = documents_in(run.get("outputs"), texts=True) or []
            trace.steps.append(_step(run, n_runs, documents, run.get("name")))
            if not run.get("parent_run_id"):
                trace.extra |= {KEPT[name]: run[name] for name in ("name", "tags") if run.get(name)}
    return f"{n_runs:,} runs"


# Langfuse: traces with their observations, or tables of either. Names are camelCase in the API's JSON and
# snake_case in files that Langfuse exports to storage.

OBSERVATIONS = {
    "SPAN", "GENERATION", "EVENT", "RETRIEVER", "AGENT", "TOOL", "CHAIN", "EVALUATOR", "EMBEDDING",
    "GUARDRAIL",
}  # fmt: skip
OF_TRACES = {  # columns of a table of traces, of which it has at least three
    "sessionId", "session_id", "userId", "user_id", "bookmarked", "public", "htmlPath", "release",
    "observationCount", "totalCost", "projectId", "project_id", "latency", "environment", "timestamp",
}  # fmt: skip
GOLD = ("references", "relevant", "gold_contexts")
READ = {"id", "input", "output", "observations", "scores", "metadata", "trace", "timestamp", *KEPT}


def _is_observation(values: Values) -> bool:
    return str(values.get("type")).upper() in OBSERVATIONS


def _read_observations(traces: Traces) -> str:
    n_observations = 0
    for row in traces.table.rows:
        # The download of a trace in Langfuse's page has it under `trace`.
        values = {**row.values, **mapping_in(row.values.get("trace"))}
        trace_id = _first_of(values, ("traceId", "trace_id"))
        id = trace_id if trace_id is not None else values.get("id")
        if (trace := traces.of(id, row, "has no trace id")) is None:
            continue
        if trace_id is not None and _is_observation(values):
            trace.steps.append(_observation(values, len(trace.steps)))
            continue
        observations = mappings_in(parsed(values.get("observations")))
        n_observations += len(observations)
        trace.steps += [_observation(given, number) for number, given in enumerate(observations)]
        trace.input, trace.output = values.get("input"), values.get("output")
        trace.extra |= {
            ours: values[name]
            for name, ours in KEPT.items()
            if values.get(name) not in (None, "", [])
        }
        named = {**values, **mapping_in(parsed(values.get("metadata")))}
        trace.extra |= {
            str(field_of(str(name))): value
            for name, value in named.items()
            if field_of(str(name)) in GOLD and value is not None
        }
        trace.session = _first_of(values, ("sessionId", "session_id"))
        trace.start = str(values.get("timestamp") or "")
        for score in mappings_in(parsed(values.get("scores"))):
            value = _first_of(score, ("value", "stringValue", "string_value"))
            if isinstance(score.get("name"), str) and value is not None:
                trace.extra[f"score_{score['name']}"] = value
        traces.left_out |= {
            repr(name): None
            for name, value in values.items()
            if name not in READ and field_of(name) not in GOLD and value not in (None, "", [], {})
        }
    for trace in traces.by_id.values():
        # Documents beside the answer, as LangChain's chains return them; a bare list is an answer.
        outputs = [trace.output, *(step.output for step in trace.steps if step.parent is None)]
        objects = [mapping_in(parsed(output)) for output in outputs]
        found = (documents_in(output) for output in objects)
        trace.fallback = next((documents for documents in found if documents is not None), None)
    n_rows = f"{len(traces.table.rows):,} rows"
    return f"{n_rows} with {n_observations:,} observations" if n_observations else n_rows


def _observation(values: Values, number: int) -> Step:
    kind, name = str(values.get("type")).upper(), str(values.get("name") or "").lower()
    documents = None
    if kind not in ("GENERATION", "EMBEDDING", "AGENT"):
        is_retriever = kind == "RETRIEVER" or "retriev" in name
        documents = documents_in(values.get("output"), texts=is_retriever)
    return _step(values, number, documents, name)


# OpenInference: Phoenix exports, and OTLP's JSON.

DOCUMENT = re.compile(
    r"(?:gen_ai\.)?(retrieval\.documents|reranker\.output_documents)\.(\d+)(?:\.(.+))?"
)
MODEL_OUTPUT = re.compile(r"llm\.output_messages\.\d+\.message\.content")
PACKED = ("attributes", "attributes.retrieval.documents", "attributes.reranker.output_documents")
LEFT_OUT = {
    "retrieval", "reranker", "input", "output", "openinference", "context", "status", "session", "events", "tool",
}  # fmt: skip
OF_SPANS = {"name", *(name for names in PARTS.values() for name in names)}


def _read_spans(traces: Traces) -> str:
    n_spans = 0
    for row in traces.table.rows:
        spans = [row.values]
        if row.values.keys() & {"resourceSpans", "scopeSpans"}:  # OTLP's document
            resources = mappings_in(row.values.get("resourceSpans", [row.values]))
            scopes = [each for one in resources for each in mappings_in(one.get("scopeSpans"))]
            spans = [each for one in scopes for each in mappings_in(one.get("spans"))]
        for values in spans:
            n_spans += 1
            span = _flat_span(values)
            for name in ("retrieval.documents", "reranker.output_documents"):
                if isinstance(span.get(name), str):
                    text = f"attributes.{name} cannot be read from text; export the spans as JSON Lines or Parquet"
                    traces.problems.append(Problem(text, row.source, row.line))
            id = _first_of(span, PARTS["trace"])
            if (trace := traces.of(id, row, "is a span without a trace id")) is None:
                continue
            kind = _kind(_first_of(span, PARTS["kind"]))
            documents = _documents(span, kind)
            if documents is None and kind == "RETRIEVER":
                given = _first_of(span, ("output.value", "gen_ai.retrieval.documents"))
                documents = documents_in(given, texts=True) or items_in(parsed(given))
            said = [each for name, each in span.items() if MODEL_OUTPUT.fullmatch(name)]
            if said:
                span.setdefault("output.value", said[-1])
            trace.steps.append(_step(span, n_spans, documents, events=values.get("events")))
            trace.session = _first_of(span, SESSIONS) or trace.session
            trace.tools |= {str(tool): tool for tool in tools_of_span(span)}
            groups = (name.split(".")[0] for name in span if name not in OF_SPANS)
            traces.left_out |= {repr(group): None for group in groups if group not in LEFT_OUT}
    return f"{n_spans:,} spans"


def _flat_span(values: Values) -> dict[str, object]:
    """The span's values by dotted name, attributes without their prefix."""
    flat: dict[str, object] = {}
    for name, value in values.items():
        value = parsed(value) if name in PACKED else value
        if name == "attributes" and isinstance(value, list):  # OTLP
            items = mappings_in(cast(object, value))
            value = {str(item.get("key")): _otlp_value(item.get("value")) for item in items}
        _flatten(value, name.removeprefix("attributes").removeprefix("."), flat)
    return flat


def _otlp_value(value: object) -> object:
    """The value in {"stringValue": …}, {"intValue": …} and so on."""
    if len(typed := mapping_in(value)) != 1:
        return value
    ((kind, inner),) = typed.items()
    items = items_in(mapping_in(inner).get("values"))
    return inner if kind != "arrayValue" else [_otlp_value(item) for item in items]


def _flatten(value: object, name: str, flat: dict[str, object], depth: int = 8) -> None:
    if value is None or value == "":  # CSV writes null as an empty cell
        return
    parts: Iterable[tuple[object, object]] = ()
    if depth and isinstance(value, Mapping):
        parts = cast("Values", value).items()
    elif depth and isinstance(value, list) and not name.startswith(("embedding", "metadata")):
        parts = enumerate(cast("list[object]", value))
    else:
        flat[name] = value
    for key, part in parts:
        _flatten(part, f"{name}.{key}" if name else str(key), flat, depth - 1)


def _documents(span: Values, kind: str) -> list[object] | None:
    """The span's documents, as objects with a text; None if it has none."""
    found: dict[int, dict[str, object]] = {}
    for name, value in span.items():
        match = DOCUMENT.fullmatch(name)
        if match is not None and (match[1].startswith("reranker") or kind != "RERANKER"):
            holder, dot, inner = (match[3] or "content").removeprefix("document.").partition(".")
            document = found.setdefault(int(match[2]), {})
            if dot:
                cast("dict[str, object]", document.setdefault(holder, {}))[inner] = value
            else:
                document[holder] = value
    return [found[place] for place in sorted(found)] if found else None


def _as_table(traces: Traces, kind: str) -> Table:
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
            key = (str(_first_of(parts, ID_KEYS)), str(_first_of(parts, TEXT_KEYS)))
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
