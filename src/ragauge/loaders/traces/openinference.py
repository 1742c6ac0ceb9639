"""Read spans of OpenInference: Phoenix exports, and OTLP's JSON.

A span's attributes may be columns (attributes.input.value), nested objects, or OTLP's list of keys
and values; documents are retrieval.documents[].document.{content,id,score,metadata}.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from ragauge.errors import Problem
from ragauge.loaders.attributes import mappings_in
from ragauge.loaders.table import Table
from ragauge.loaders.traces.texts import documents_in, first_of, parsed
from ragauge.loaders.traces.trace import Step, Traces, as_table

TRACE_ID = ("context.trace_id", "trace_id", "traceId", "context.traceId")
SPAN_ID = ("context.span_id", "span_id", "spanId", "context.spanId", "id")
PARENT_ID = ("parent_id", "parentId", "parent_span_id", "parentSpanId")
START = ("start_time", "startTime", "startTimeUnixNano", "start_time_unix_nano")
KIND = ("openinference.span.kind", "span_kind", "spanKind")
STATUS = ("status_code", "statusCode", "status.code")
STATUS_MESSAGE = ("status_message", "statusMessage", "status.message", "exception.message")
ERRORS = ("ERROR", "STATUS_CODE_ERROR", "2")
DOCUMENT = re.compile(r"(retrieval\.documents|reranker\.output_documents)\.(\d+)(?:\.(.+))?")
MODEL_OUTPUT = re.compile(r"llm\.output_messages\.\d+\.message\.content")
PACKED = ("attributes", "attributes.retrieval.documents", "attributes.reranker.output_documents")
"""Columns that a CSV file or a database holds as text."""
LEFT_OUT = {"retrieval", "reranker", "input", "output", "openinference", "context", "status"}
OTLP, SCOPES = "resourceSpans", "scopeSpans"

Span = Mapping[str, object]


def are_spans(table: Table) -> bool:
    """Whether the rows are spans: a trace id, and attributes or a kind of span."""
    columns = set(table.columns())
    if columns & {OTLP, SCOPES}:
        return True
    if "inputs" in columns:  # a call of Weave, or a run of LangSmith
        return False
    has_trace = bool(columns & set(TRACE_ID)) or "context" in columns
    is_span = bool(columns & {"attributes", "span_kind", "spanKind"})
    return has_trace and (is_span or any(name.startswith("attributes.") for name in columns))


def as_samples(table: Table) -> Table:
    """One row per trace."""
    traces = Traces()
    n_spans = 0
    for row in table.rows:
        for values in _spans_of(row.values):
            n_spans += 1
            span = _flat_span(values)
            traces.problems += [Problem(text, row.source, row.line) for text in _unreadable(span)]
            trace = traces.of(first_of(span, TRACE_ID), row, "is a span without a trace id")
            if trace is not None:
                trace.steps.append(_step(span, n_spans))
                traces.left_out |= {repr(name): None for name in _unread(span)}
    return as_table(traces, table, f"{n_spans:,} spans")


def _spans_of(values: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """The row itself, or the spans in OTLP's document."""
    if OTLP not in values and SCOPES not in values:
        yield values
        return
    for resource in mappings_in(values[OTLP]) if OTLP in values else [values]:
        for scope in mappings_in(resource.get(SCOPES)):
            yield from mappings_in(scope.get("spans"))


def _flat_span(values: Mapping[str, object]) -> Span:
    """The span's values by dotted name, attributes without their prefix."""
    flat: dict[str, object] = {}
    for name, value in values.items():
        value = parsed(value) if name in PACKED else value
        if name == "attributes" and isinstance(value, list):  # OTLP
            value = {
                str(item.get("key")): _otlp_value(item.get("value"))
                for item in mappings_in(cast(object, value))
            }
        prefix = name.removeprefix("attributes").removeprefix(".")
        _flatten(value, prefix, flat)
    return flat


def _otlp_value(value: object) -> object:
    """The value in {"stringValue": …}, {"intValue": …} and so on."""
    if not isinstance(value, Mapping) or len(cast(Mapping[str, object], value)) != 1:
        return cast(object, value)
    ((kind, inner),) = cast(Mapping[str, object], value).items()
    if kind == "arrayValue":
        items = (
            cast(Mapping[str, object], inner).get("values") if isinstance(inner, Mapping) else ()
        )
        return [_otlp_value(item) for item in cast(Sequence[object], items or ())]
    return inner


def _flatten(value: object, name: str, flat: dict[str, object], depth: int = 8) -> None:
    if value is None or value == "":  # CSV writes null as an empty cell
        return
    if depth and isinstance(value, Mapping):
        for key, part in cast(Mapping[str, object], value).items():
            _flatten(part, f"{name}.{key}" if name else str(key), flat, depth - 1)
    elif depth and isinstance(value, list) and not name.startswith(("embedding", "metadata")):
        for place, part in enumerate(cast(list[object], value)):
            _flatten(part, f"{name}.{place}", flat, depth - 1)
    else:
        flat[name] = value


def _step(span: Span, number: int) -> Step:
    kind = str(first_of(span, KIND) or "").upper()
    output = span.get("output.value")
    documents = _documents(span)
    if documents is None and kind == "RETRIEVER":
        documents = documents_in(output, texts=True) or []
    model_output = [value for name, value in span.items() if MODEL_OUTPUT.fullmatch(name)]
    status = str(first_of(span, STATUS) or "").upper()
    message = first_of(span, STATUS_MESSAGE)
    return Step(
        id=first_of(span, SPAN_ID) or number,
        parent=first_of(span, PARENT_ID),
        start=str(first_of(span, START) or ""),
        input=span.get("input.value"),
        output=output if output is not None or not model_output else model_output[-1],
        documents=documents,
        is_rerank=kind == "RERANKER",
        is_model=kind == "LLM",
        error=str(message or "error") if status in ERRORS else None,
    )


def _documents(span: Span) -> list[object] | None:
    """The span's documents, as objects with a text; None if it has none."""
    found: dict[int, dict[str, object]] = {}
    for name, value in span.items():
        match = DOCUMENT.fullmatch(name)
        if match is not None and (match[1].startswith("reranker") or not _is_reranker(span)):
            key = (match[3] or "content").removeprefix("document.")
            holder, dot, inner = key.partition(".")
            document = found.setdefault(int(match[2]), {})
            if dot:
                nested = cast(dict[str, object], document.setdefault(holder, {}))
                nested[inner] = value
            else:
                document[holder] = value
    return [found[place] for place in sorted(found)] if found else None


def _unreadable(span: Span) -> list[str]:
    """Problems of documents that a text holds in a form that cannot be read."""
    return [
        f"attributes.{name} cannot be read from text; export the spans as JSON Lines or Parquet"
        for name in ("retrieval.documents", "reranker.output_documents")
        if isinstance(span.get(name), str)
    ]


def _is_reranker(span: Span) -> bool:
    return str(first_of(span, KIND) or "").upper() == "RERANKER"


def _unread(span: Span) -> list[str]:
    """The groups of attributes that no sample has a place for."""
    known = {*TRACE_ID, *SPAN_ID, *PARENT_ID, *START, *KIND, *STATUS, *STATUS_MESSAGE, "name"}
    groups = dict.fromkeys(name.split(".")[0] for name in span if name not in known)
    return [group for group in groups if group not in LEFT_OUT]
