"""Read exported traces as samples: question, retrieved documents and answer of each trace."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from math import inf
from typing import cast

from ragauge.errors import Problem
from ragauge.loaders.mapping import field_of
from ragauge.loaders.table import Table, items_in, mapping_in, mappings_in, parsed
from ragauge.loaders.trace_rows import (
    SESSIONS,
    USED,
    Step,
    Traces,
    Values,
    as_table,
    call_of_span,
    documents_in,
    first_of,
    messages_of_span,
    tools_of_span,
)

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
KEPT = {  # the sample's extra fields; of a root of LangSmith the first two
    "name": "trace_name", "tags": "tags", "sessionId": "session", "session_id": "session",
    "userId": "user", "user_id": "user", "environment": "environment", "release": "release",
    "version": "version", "latency": "latency", "totalCost": "cost_usd",
}  # fmt: skip


def recognised(table: Table) -> Table:
    """The table, converted to one row per trace if its rows are spans, observations, traces or runs."""
    reader = _reader_of(table)
    if reader is None:
        return table
    traces = Traces(table)
    return as_table(traces, reader(traces))


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
    part = {part: first_of(values, names) for part, names in PARTS.items()}
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
        trace_id = first_of(values, ("traceId", "trace_id"))
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
        trace.session = first_of(values, ("sessionId", "session_id"))
        trace.start = str(values.get("timestamp") or "")
        for score in mappings_in(parsed(values.get("scores"))):
            value = first_of(score, ("value", "stringValue", "string_value"))
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
            scopes = [
                each for resource in resources for each in mappings_in(resource.get("scopeSpans"))
            ]
            spans = [each for scope in scopes for each in mappings_in(scope.get("spans"))]
        for values in spans:
            n_spans += 1
            span = _flat_span(values)
            for name in ("retrieval.documents", "reranker.output_documents"):
                if isinstance(span.get(name), str):
                    text = f"attributes.{name} cannot be read from text; export the spans as JSON Lines or Parquet"
                    traces.problems.append(Problem(text, row.source, row.line))
            id = first_of(span, PARTS["trace"])
            if (trace := traces.of(id, row, "is a span without a trace id")) is None:
                continue
            kind = _kind(first_of(span, PARTS["kind"]))
            documents = _documents(span, kind)
            if documents is None and kind == "RETRIEVER":
                given = first_of(span, ("output.value", "gen_ai.retrieval.documents"))
                documents = documents_in(given, texts=True) or items_in(parsed(given))
            said = [each for name, each in span.items() if MODEL_OUTPUT.fullmatch(name)]
            if said:
                span.setdefault("output.value", said[-1])
            trace.steps.append(_step(span, n_spans, documents, events=values.get("events")))
            trace.session = first_of(span, SESSIONS) or trace.session
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
