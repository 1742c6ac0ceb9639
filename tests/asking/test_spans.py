"""Functions that are instrumented with OpenTelemetry: a real SDK, spans by the conventions of OpenInference and GenAI."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from opentelemetry import context, trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.util._once import Once

import ragauge as rg

QUESTIONS = [{"id": f"q{n}", "question": f"Town {n}?"} for n in range(20)]
TEXTS = ["Paris is in France.", "Rome is in Italy."]


@pytest.fixture(scope="module", autouse=True)
def _provider():
    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        trace.set_tracer_provider(TracerProvider())


def span(name, provider=trace, **attributes):
    named = {key.replace("__", "."): value for key, value in attributes.items()}
    return provider.get_tracer("app").start_as_current_span(name, attributes=named)


def find(question, provider=trace):
    kind = {"openinference__span__kind": "RETRIEVER"}
    with span("find", provider, **kind, input__value=question) as found:
        for n, text in enumerate(TEXTS):
            document = {"content": f"{question} {text}", "id": f"d{n}", "score": 1 / (n + 1)}
            for part, value in document.items():
                found.set_attribute(f"retrieval.documents.{n}.document.{part}", value)


def weather(question, provider=trace):
    given = json.dumps({"town": question})
    kind = {"openinference__span__kind": "TOOL", "tool__name": "weather"}
    with span("weather", provider, **kind, input__value=given, output__value="sunny"):
        pass


def model(provider=trace):
    used = {f"llm__token_count__{kind}": n for kind, n in (("prompt", 30), ("completion", 5))}
    kind = {"openinference__span__kind": "LLM"}
    with span("model", provider, **kind, llm__cost__total=0.25, **used):
        pass


def openinference(question):
    with span("rag", openinference__span__kind="CHAIN"):
        find(question)
        weather(question)
        model()
        model()
    return "Paris"


async def genai(question):
    def of(operation, name=None, **attributes):
        named = {f"gen_ai__{key}": value for key, value in attributes.items()}
        return span(name or operation, gen_ai__operation__name=operation, **named)

    found = json.dumps([{"id": "d1", "score": 0.5}, {"id": "d2", "score": 0.25}])
    with of("retrieval", retrieval__documents=found):
        pass
    used = {"usage__input_tokens": 60, "usage__output_tokens": 10}
    call = {"arguments": json.dumps({"town": question}), "result": "sunny"}
    with of("invoke_agent", **used):  # repeats what its model used
        with of("chat", **used):
            pass
        called = {f"tool__call__{key}": value for key, value in call.items()}
        with of("execute_tool", "execute_tool weather", tool__name="weather", **called):
            pass
        with of("embeddings", usage__input_tokens=999):
            pass
    return "Paris"


def without_a_root(question):
    find(question)
    model()
    model()
    weather(question)
    return "Paris"


def _in_threads(question, here):
    def in_trace(work):  # as OpenTelemetry's instrumentation of threads does
        context.attach(here)
        work()

    with ThreadPoolExecutor() as threads:
        for work in (lambda: find(question), lambda: weather(question), model, model):
            threads.submit(in_trace, work).result()
    return "Paris"


def in_threads_with_the_context(question):
    return _in_threads(question, context.get_current())


def in_threads_below_a_span(question):
    with span("rag") as root:
        return _in_threads(question, trace.set_span_in_context(root, context.Context()))


def of_a_provider_made_in_the_call(question):
    provider = TracerProvider()
    find(question, provider)
    weather(question, provider)
    model(provider)
    model(provider)
    return "Paris"


def streaming(question):
    find(question)
    yield "Par"
    weather(question)
    model()
    model()
    yield "is"


@pytest.mark.parametrize(
    "target",
    [
        openinference,
        genai,
        without_a_root,
        in_threads_with_the_context,
        in_threads_below_a_span,
        of_a_provider_made_in_the_call,
        streaming,
    ],
)
def test_what_an_instrumented_function_retrieved_called_and_used_is_taken_from_its_spans(target):
    rows = rg.ask(QUESTIONS, target).samples.frame.to_dicts()
    for row in rows:
        assert (row["status"], row["answer"]) == ("ok", "Paris")
        assert (row["input_tokens"], row["output_tokens"]) == (60, 10)
        _, called, result, said = json.loads(row["messages"])
        made = called["tool_calls"][0]["function"]
        assert made == {"name": "weather", "arguments": {"town": row["question"]}}
        assert (result["content"], said["content"]) == ("sunny", "Paris")
        if target is genai:  # its conventions ask for ids and scores only
            assert (row["contexts"], row["context_ids"]) == (None, ["d1", "d2"])
        else:
            assert row["contexts"] == [f"{row['question']} {text}" for text in TEXTS]
            assert (row["context_ids"], row["context_scores"]) == (["d0", "d1"], [1.0, 0.5])
            assert row["cost_usd"] == 0.5


def test_a_provider_that_the_function_sets_in_its_first_call_gets_its_spans_too(monkeypatch):
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", None)  # as in a new process
    monkeypatch.setattr(trace, "_TRACER_PROVIDER_SET_ONCE", Once())
    exported = InMemorySpanExporter()

    def answer(question):
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(exported))
        trace.set_tracer_provider(provider)
        return without_a_root(question)

    (row,) = rg.ask(QUESTIONS[:1], answer).samples.frame.to_dicts()
    assert row["contexts"] == [f"Town 0? {text}" for text in TEXTS]
    assert [each.name for each in exported.get_finished_spans()] == [
        "find",
        "model",
        "model",
        "weather",
    ]


def test_what_the_model_saw_is_not_the_question():
    def answer(question):
        role, said = "llm.input_messages.0.message.", "llm.output_messages.0.message."
        attributes = {
            f"{role}role": "user",
            f"{role}content": f"Answer shortly: {question}",
            f"{said}role": "assistant",
            f"{said}content": "<answer>Paris</answer>",
        }
        with span("model", openinference__span__kind="LLM", **attributes):
            pass
        weather(question)
        return "Paris"

    (row,) = rg.ask(QUESTIONS[:1], answer).samples.frame.to_dicts()
    messages = json.loads(row["messages"])
    assert [each.get("content") for each in messages] == ["Town 0?", None, "sunny", "Paris"]


def test_what_a_function_returns_counts_more_than_its_spans():
    def answer(question):
        openinference(question)
        return {"answer": "Rome", "contexts": ["mine"], "input_tokens": 1, "messages": []}

    (row,) = rg.ask(QUESTIONS[:1], answer).samples.frame.to_dicts()
    assert (row["contexts"], row.get("context_ids"), row["input_tokens"]) == (["mine"], None, 1)
    assert row["output_tokens"] == 10


def test_the_calls_that_only_the_model_tells_are_taken_and_those_of_a_tool_that_fails_have_its_error():
    def of_model(question):
        said = "llm.output_messages.0.message.tool_calls.0.tool_call.function"
        attributes = {f"{said}.name": "weather", f"{said}.arguments": '{"town": "Rome"}'}
        with span("model", openinference__span__kind="LLM", **attributes):
            pass
        return "Paris"

    def failing(question):
        try:
            with span("weather", openinference__span__kind="TOOL", input__value="Rome"):
                raise ValueError("no weather")
        except ValueError:
            return "Paris"

    (row,) = rg.ask(QUESTIONS[:1], of_model).samples.frame.to_dicts()
    made = json.loads(row["messages"])[1]["tool_calls"][0]["function"]
    assert made == {"name": "weather", "arguments": '{"town": "Rome"}'}
    answers = rg.ask(QUESTIONS[:1], failing)
    assert (
        json.loads(answers.samples.frame["messages"][0])[2]["content"] == "ValueError: no weather"
    )
    assert rg.evaluate(answers, ["tool_errors"]).scores["value"].to_list() == [1]


def test_spans_that_cannot_be_read_are_a_problem_and_the_answer_stays():
    def answer(question):
        with span("find", openinference__span__kind="RETRIEVER", retrieval__documents="[{'a': }"):
            return "Paris"

    (row,) = rg.ask(QUESTIONS[:1], answer).samples.frame.to_dicts()
    assert row["answer"] == "Paris"
    assert "retrieval.documents cannot be read from text" in row["trace_problem"]
