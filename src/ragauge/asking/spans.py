"""What a function did, from its OpenTelemetry spans by the conventions of OpenInference or GenAI: retrieved documents, tool calls, tokens. Needs the extra `otel`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast
from weakref import WeakValueDictionary

from opentelemetry import trace
from opentelemetry.context import Context, attach, create_key, get_value, set_value
from opentelemetry.sdk.trace import ReadableSpan, Span, TracerProvider

from ragauge.conversations.transcript import says_calls
from ragauge.errors import DataError
from ragauge.loaders.documents import ContextParts
from ragauge.loaders.table import Table, items_in
from ragauge.loaders.traces import recognised
from ragauge.samples.fields import Row, read_values

OF_DOCUMENTS = ("contexts", "context_ids", "context_scores")
TOKENS = ("input_tokens", "output_tokens")
READ = (*OF_DOCUMENTS, *TOKENS, "cost_usd", "messages")
QUESTION = create_key("ragauge question")


class Spans:
    """The finished spans of one question: those that begin in its context, and those below them, also in other threads."""

    def __init__(self) -> None:
        self.ended: dict[int, ReadableSpan] = {}

    def begin(self) -> None:
        """Collect what begins in this context from now on."""
        attach(set_value(QUESTION, self))


_questions: WeakValueDictionary[int, Spans] = WeakValueDictionary()
"""The question of each span, by its id."""
_start, _end = Span.start, Span.end


def collected() -> type[Spans]:
    """Spans, which the spans of any tracer provider fill from now on, whenever it is made.

    Where the program has no provider, spans are recorded by a new one, which a later `set_tracer_provider` replaces.
    """
    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        # `set_tracer_provider` may be called once only, and that is the program's.
        trace._TRACER_PROVIDER = TracerProvider(shutdown_on_exit=False)  # pyright: ignore[reportPrivateUsage]
    Span.start, Span.end = _started, _ended
    return Spans


def _started(
    self: Span, start_time: int | None = None, parent_context: Context | None = None
) -> None:
    _start(self, start_time, parent_context)
    of_parent = None if self.parent is None else _questions.get(self.parent.span_id)
    spans = get_value(QUESTION, parent_context) or get_value(QUESTION) or of_parent
    if isinstance(spans, Spans):
        _questions[self.get_span_context().span_id] = spans


def _ended(self: Span, end_time: int | None = None) -> None:
    _end(self, end_time)
    id = self.get_span_context().span_id
    if (spans := _questions.get(id)) is not None:
        spans.ended[id] = self


def traced(
    spans: Spans, question: Mapping[str, object], values: Mapping[str, object]
) -> dict[str, object]:
    """What the spans say and the target did not return; `trace_problem`: why that cannot be read."""
    if not spans.ended:
        return {}
    ended = sorted([*spans.ended.values()], key=lambda span: span.start_time or 0)
    asked, answer = question.get("question"), values.get("answer")
    whole = {"input.value": asked, "output.value": answer}
    root = {"context.trace_id": "1", "context.span_id": "root", "attributes": whole}
    rows = tuple(Row(each, "spans") for each in (root, *map(_row, ended)))
    table = recognised(Table(rows, "spans"))
    problems = list(table.problems)
    judged = {"relevant": question.get("relevant")}
    traces = [replace(row, values={**row.values, **judged}) for row in table.rows]
    (row,) = ContextParts().read(traces, problems)
    known = {*values, *(OF_DOCUMENTS if any(name in values for name in OF_DOCUMENTS) else ())}
    given = {name: row.values[name] for name in READ if name in row.values and name not in known}
    if "messages" in given:  # a model's prompt is not the question, nor its reply the answer
        _, *calls = items_in(given["messages"])
        calls = calls[:-1] if calls and not says_calls(calls[-1]) else calls
        begin, end = {"role": "user", "content": asked}, {"role": "assistant", "content": answer}
        given["messages"] = [begin, *calls, end]
    read = read_values(replace(row, values=given), problems)
    if problems:
        return {"trace_problem": str(DataError(problems))}
    found = {name: value for name, value in read.items() if value is not None}
    return found | {name: int(cast(float, found[name])) for name in TOKENS if name in found}


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
