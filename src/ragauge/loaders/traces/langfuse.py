"""Read exports of Langfuse: traces with their observations, or tables of either.

Names are camelCase in the API's JSON and snake_case in files that Langfuse exports to storage.
"""

from collections.abc import Mapping
from typing import cast

from ragauge.loaders.attributes import mappings_in
from ragauge.loaders.mapping import field_of
from ragauge.loaders.table import Table
from ragauge.loaders.traces.texts import documents_in, first_of, parsed
from ragauge.loaders.traces.trace import Step, Trace, Traces, as_table

OBSERVATIONS = "observations"
TYPES = {
    "SPAN", "GENERATION", "EVENT", "RETRIEVER", "AGENT", "TOOL", "CHAIN", "EVALUATOR", "EMBEDDING",
    "GUARDRAIL",
}  # fmt: skip
OF_TRACES = {
    "sessionId", "session_id", "userId", "user_id", "bookmarked", "public", "htmlPath", "release",
    "observationCount", "totalCost", "projectId", "project_id", "latency", "environment", "timestamp",
}  # fmt: skip
"""Columns of a table of traces, of which it has at least three."""
KEPT = {
    "name": "trace_name", "tags": "tags", "sessionId": "session", "session_id": "session",
    "userId": "user", "user_id": "user", "environment": "environment", "release": "release",
    "version": "version", "latency": "latency", "totalCost": "cost_usd",
}  # fmt: skip
"""What becomes an extra field of the sample."""
GOLD = ("references", "relevant", "gold_contexts")
READ = {"id", "input", "output", "observations", "scores", "metadata", "trace", "timestamp", *KEPT}

Values = Mapping[str, object]


def are_traces(table: Table) -> bool:
    """Whether the rows are traces with observations, a table of traces, or observations."""
    columns = set(table.columns())
    if OBSERVATIONS in columns and columns & {"input", "output", "trace"}:
        return True
    fields = {field_of(name) for name in columns}
    is_plain = {"input", "output"} <= columns and fields <= {None, "id", "question", "answer"}
    if is_plain and len(columns & OF_TRACES) >= 3:
        return True
    if columns & {"traceId", "trace_id"} and {"type", "id"} <= columns:
        return any(str(row.values.get("type")).upper() in TYPES for row in table.rows)
    return False


def as_samples(table: Table) -> Table:
    """One row per trace."""
    traces = Traces()
    n_observations = 0
    for row in table.rows:
        values = _unwrapped(row.values)
        trace_id = first_of(values, ("traceId", "trace_id"))
        id = trace_id if trace_id is not None else values.get("id")
        if (trace := traces.of(id, row, "has no trace id")) is None:
            continue
        if trace_id is not None and str(values.get("type")).upper() in TYPES:
            trace.steps.append(_step(values, len(trace.steps)))
            continue
        observations = mappings_in(parsed(values.get(OBSERVATIONS)))
        n_observations += len(observations)
        trace.steps += [_step(given, number) for number, given in enumerate(observations)]
        _fill(trace, values)
        traces.left_out |= {repr(name): None for name in _unread(values)}
    for trace in traces.by_id.values():
        outputs = [trace.output, *(step.output for step in trace.steps if step.parent is None)]
        found = [documents for output in outputs if (documents := _in_output(output)) is not None]
        trace.fallback = found[0] if found else None
    kind = f"{len(table.rows):,} rows"
    kind += f" with {n_observations:,} observations" if n_observations else ""
    return as_table(traces, table, kind)


def _in_output(output: object) -> list[object] | None:
    """Documents beside the answer, as LangChain's chains return them; a bare list is an answer."""
    output = parsed(output)
    return documents_in(cast(object, output)) if isinstance(output, Mapping) else None


def _unwrapped(values: Values) -> Values:
    """The values of a trace; the download of a trace in Langfuse's page has it under `trace`."""
    inner = values.get("trace")
    if not isinstance(inner, Mapping):
        return values
    return {**values, **cast(Values, inner)}


def _fill(trace: Trace, values: Values) -> None:
    """The trace's own input, output, scores and extra fields."""
    trace.input, trace.output = values.get("input"), values.get("output")
    for name, ours in KEPT.items():
        if values.get(name) not in (None, "", []):
            trace.extra[ours] = values[name]
    metadata = parsed(values.get("metadata"))
    named = {**values, **cast(Values, metadata)} if isinstance(metadata, Mapping) else values
    for name, value in named.items():
        field = field_of(str(name))
        if field in GOLD and value is not None:
            trace.extra[field] = value
    for score in mappings_in(parsed(values.get("scores"))):
        name = score.get("name")
        value = first_of(score, ("value", "stringValue", "string_value"))
        if isinstance(name, str) and value is not None:
            trace.extra[f"score_{name}"] = value


def _step(values: Values, number: int) -> Step:
    kind = str(values.get("type")).upper()
    name = str(values.get("name") or "").lower()
    is_retriever = kind == "RETRIEVER" or "retriev" in name
    output = values.get("output")
    documents = None
    if kind not in ("GENERATION", "EMBEDDING", "AGENT"):
        documents = documents_in(output, texts=is_retriever)
    is_error = str(values.get("level")).upper() == "ERROR"
    message = first_of(values, ("statusMessage", "status_message"))
    id = values.get("id")
    return Step(
        id=number if id is None else id,
        parent=first_of(values, ("parentObservationId", "parent_observation_id")),
        start=str(first_of(values, ("startTime", "start_time")) or ""),
        input=values.get("input"),
        output=output,
        documents=documents,
        is_rerank="rerank" in name,
        is_model=kind == "GENERATION",
        error=str(message or "error") if is_error else None,
    )


def _unread(values: Values) -> list[str]:
    return [
        name
        for name, value in values.items()
        if name not in READ and field_of(name) not in GOLD and value not in (None, "", [], {})
    ]
