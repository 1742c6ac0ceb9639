"""What a function did, from its OpenTelemetry spans by the conventions of OpenInference or GenAI: retrieved documents, tool calls, tokens. Needs the extra `otel`."""

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from weakref import WeakSet, WeakValueDictionary

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.trace import SpanContext

from ragauge.errors import DataError
from ragauge.loaders.documents import ContextParts
from ragauge.loaders.table import Table
from ragauge.loaders.traces import calls_in, recognised
from ragauge.samples.frame import read_values
from ragauge.samples.samples import Row

OF_DOCUMENTS = ("contexts", "context_ids", "context_scores")
READ = (*OF_DOCUMENTS, "input_tokens", "output_tokens", "cost_usd")


class Spans:
    """The finished spans of one question."""

    def __init__(self) -> None:
        self.ended: list[ReadableSpan] = []

    def begin(self) -> None:
        """Collect what begins in this context from now on."""
        _here.set(self)


_here: ContextVar[Spans | None] = ContextVar("spans of the question", default=None)


class Collector(SpanProcessor):
    """The spans of each question: those that begin in its context, and those below them, also in other threads."""

    def __init__(self) -> None:
        self._questions: WeakValueDictionary[int, Spans] = WeakValueDictionary()

    def on_start(self, span: trace.Span, parent_context: object = None) -> None:  # noqa: ARG002
        parent: SpanContext | None = getattr(span, "parent", None)
        spans = _here.get() or (None if parent is None else self._questions.get(parent.span_id))
        if spans is not None:
            self._questions[span.get_span_context().span_id] = spans

    def on_end(self, span: ReadableSpan) -> None:
        context = span.get_span_context()
        spans = None if context is None else self._questions.get(context.span_id)
        if spans is not None:
            spans.ended.append(span)


def collected() -> type[Spans] | None:
    """Spans, which the program's tracer provider (a new one if it has none) fills from now on; None if its spans go nowhere."""
    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        trace.set_tracer_provider(TracerProvider())
    provider = trace.get_tracer_provider()
    if not isinstance(provider, TracerProvider):
        return None
    if provider not in _attached:
        provider.add_span_processor(Collector())
        _attached.add(provider)
    return Spans


_attached: WeakSet[TracerProvider] = WeakSet()


def traced(
    spans: Spans, question: Mapping[str, object], values: Mapping[str, object]
) -> dict[str, object]:
    """What the spans say and the target did not return; `trace_problem`: why that cannot be read."""
    if not spans.ended:
        return {}
    rows = [_row(span) for span in sorted(spans.ended, key=lambda span: span.start_time or 0)]
    asked, answer = question.get("question"), values.get("answer")
    whole = {"input.value": asked, "output.value": answer}
    root = {"context.trace_id": "1", "context.span_id": "root", "attributes": whole}
    table = recognised(Table(tuple(Row(row, "spans") for row in [root, *rows]), "spans"))
    problems = list(table.problems)
    found = [
        replace(row, values={**row.values, "relevant": question.get("relevant")})
        for row in table.rows
    ]
    (row,) = ContextParts().read(found, problems)
    known = {*values, *(OF_DOCUMENTS if any(name in values for name in OF_DOCUMENTS) else ())}
    given = {name: row.values[name] for name in READ if name in row.values and name not in known}
    if "messages" not in values and (calls := calls_in(rows)):
        begin, end = {"role": "user", "content": asked}, {"role": "assistant", "content": answer}
        given["messages"] = [begin, *calls, end]
    read = read_values(replace(row, values=given), problems)
    if problems:
        return {"trace_problem": str(DataError(problems))}
    return {name: value for name, value in read.items() if value is not None}


def _row(span: ReadableSpan) -> dict[str, object]:
    """The span as Phoenix exports it; all spans of a question as one trace."""
    context, parent = span.get_span_context(), span.parent
    return {
        "context.trace_id": "1",
        "context.span_id": "" if context is None else str(context.span_id),
        "parent_id": "root" if parent is None else str(parent.span_id),
        "name": span.name,
        "start_time": span.start_time,
        "status_code": span.status.status_code.name,
        "status_message": span.status.description,
        "attributes": {
            name: list(value)
            if isinstance(value, Sequence) and not isinstance(value, str)
            else value
            for name, value in (span.attributes or {}).items()
        },
    }
