"""Traces of Phoenix, OpenTelemetry, Langfuse and LangSmith; the usual exports are files in `samples/`."""

import json

import pandas as pd  # pyright: ignore[reportMissingTypeStubs]
import pytest
from cases import cases

from ragauge.errors import DataError
from ragauge.loaders.loading import load

DOCUMENTS = [
    {"document.content": "c1", "document.id": "d1", "document.score": 0.5},
    {"document.content": "c2", "document.id": "d2", "document.score": 0.25},
]


def span(id, parent, kind, start, **attributes):
    return {
        "name": kind.lower(),
        "span_kind": kind,
        "parent_id": parent,
        "start_time": f"2026-01-01T00:00:0{start}Z",
        "status_code": "OK",
        "context.trace_id": "t1",
        "context.span_id": id,
        **{f"attributes.{name.replace('__', '.')}": value for name, value in attributes.items()},
    }


def retriever(id, parent, start, documents, kind="RETRIEVER"):
    held = "reranker__output_documents" if kind == "RERANKER" else "retrieval__documents"
    return span(id, parent, kind, start, input__value="where", **{held: documents})


SAID = [{"message.role": "assistant", "message.content": "Here, I think."}]
ROOT = span("s1", None, "CHAIN", 0, input__value="Where?", output__value="Here.")
RETRIEVER = retriever("s2", "s1", 1, DOCUMENTS)
MODEL = span("s3", "s1", "LLM", 2, llm__output_messages=SAID)
SPANS = [MODEL, RETRIEVER, ROOT]
THIRD = {"document.content": "c3", "document.id": "d3", "document.score": 0.125}
SILENT = ROOT | {"attributes.output.value": None}
DOWN = SILENT | {"status_code": "ERROR", "status_message": "down"}
ASKED = json.dumps({"messages": [{"role": "user", "content": "Where?"}], "k": 3})

GENAI = {
    "operation.name": "chat", "usage.input_tokens": 30, "usage.output_tokens": 5,
    "input.messages": json.dumps([{"role": "user", "parts": [{"type": "text", "content": "Where?"}]}]),
    "output.messages": json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "Here."}]}]),
}  # fmt: skip
FOUND_BY_ID = {"operation.name": "retrieval", "retrieval.documents": '[{"id": "d1", "score": 0.5}]'}
USED = {"llm.token_count.prompt": "30", "llm.token_count.completion": 5, "llm.cost.total": 0.25}


def genai(id, parent, **attributes):
    named = {f"gen_ai.{name}": value for name, value in attributes.items()}
    context = {"trace_id": "t1", "span_id": id}
    return {"name": id, "context": context, "parent_id": parent, "attributes": named}


SEARCH = {
    "id": "o1", "traceId": "t1", "type": "RETRIEVER", "name": "search", "startTime": "1",
    "output": [{"pageContent": "c1", "metadata": {"source": "d1"}, "score": 0.5}],
}  # fmt: skip
FAILED = {
    "id": "o2", "traceId": "t1", "type": "GENERATION", "name": "model", "startTime": "2", "level": "ERROR",
    "statusMessage": "rate limit",
}  # fmt: skip
TRACE = {
    "id": "t1", "input": {"question": "Where?"}, "output": {"answer": "Here."}, "sessionId": "s",
    "public": False, "latency": 1.5, "observations": [SEARCH],
}  # fmt: skip
TEXTS = SEARCH | {"type": "SPAN", "name": "retrieval", "output": ["c1", "c2"]}
SNAKE = {"traceId": "trace_id", "startTime": "start_time"}

RUN = {
    "id": "r1", "trace_id": "t1", "parent_run_id": None, "name": "RAG", "run_type": "chain",
    "start_time": "2026-01-01T00:00:00", "inputs": {"question": "Where?"},
    "outputs": {"answer": "Here."}, "error": None,
}  # fmt: skip
FOUND = {
    "id": "r2", "trace_id": "t1", "parent_run_id": "r1", "run_type": "retriever", "start_time": "2026-01-02",
    "inputs": {"query": "where"}, "outputs": {"documents": [{"page_content": "c1"}]},
}  # fmt: skip


def row_of(source):
    samples = load(source)
    assert len(samples) == 1
    return samples.frame.row(0, named=True)


@cases(
    (SPANS, {"answer": "Here.", "context_ids": ["d1", "d2"]}),
    ([{k: v for k, v in each.items() if k != "context.span_id"} for each in SPANS], {"answer": "Here."}),
    ([ROOT | {"attributes.input.value": ASKED}], {"question": "Where?"}),
    ([ROOT | {"attributes.output.value": '{"answer": "Here.", "tokens": 7}'}], {"answer": "Here."}),
    ([SILENT, RETRIEVER, MODEL], {"answer": "Here, I think."}),
    ([DOWN, RETRIEVER], {"answer": None, "error": "down"}),
    ([ROOT, retriever("s4", "s2", 3, DOCUMENTS[::-1]), RETRIEVER], {"context_ids": ["d1", "d2"]}),
    ([ROOT, RETRIEVER, retriever("s4", "s1", 3, DOCUMENTS[1:], "RERANKER")], {"context_ids": ["d2"]}),
    ([ROOT, retriever("s4", "s1", 3, [DOCUMENTS[1], THIRD]), RETRIEVER], {"context_ids": ["d1", "d2", "d3"]}),
    ([ROOT, MODEL], {"contexts": None}),
    ([ROOT, retriever("s2", "s1", 1, [])], {"contexts": []}),
    ([RETRIEVER | {"parent_id": "s3"}, MODEL | {"parent_id": "s2"}], {"contexts": ["c1", "c2"]}),
    ([{SNAKE.get(k, k): v for k, v in SEARCH.items()} | {"input": {"query": "where"}}], {"question": "where", "context_ids": ["d1"]}),
    ([TRACE | {"input": '{"question": "Where?"}', "output": '{"answer": "Here."}'}], {"question": "Where?", "answer": "Here."}),
    ([TRACE | {"observations": [SEARCH | {"type": "SPAN"}]}], {"context_ids": ["d1"]}),
    ([TRACE | {"observations": [TEXTS]}], {"contexts": ["c1", "c2"]}),
    ([TRACE | {"output": None, "observations": [SEARCH, FAILED]}], {"answer": None, "error": "rate limit"}),
    ([TRACE | {"observations": [SEARCH | {"id": ["o1"], "parentObservationId": ["x"]}]}], {"contexts": ["c1"]}),
    ([{k: v for k, v in TRACE.items() if k != "observations"}], {"question": "Where?", "answer": "Here."}),
    ([RUN | {"inputs": '{"question": "Where?"}'}, FOUND | {"outputs": '{"documents": [{"text": "c1"}]}'}], {"question": "Where?", "contexts": ["c1"]}),
    ([RUN, FOUND | {"outputs": {"documents": []}}], {"contexts": []}),
    ([RUN | {"outputs": None, "error": "TimeoutError: 30 s"}, FOUND], {"answer": None, "error": "TimeoutError: 30 s"}),
    ([genai("s1", None, **GENAI), genai("s2", "s1", **FOUND_BY_ID)], {"question": "Where?", "answer": "Here.", "input_tokens": 30, "output_tokens": 5, "context_ids": ["d1"], "context_scores": [0.5]}),
    ([genai("s1", None, **{**GENAI, "operation.name": "invoke_agent"}), genai("s2", "s1", **GENAI), genai("s3", "s1", **GENAI)], {"input_tokens": 60, "output_tokens": 10}),
    ([genai("s1", None, **GENAI), genai("s2", "s1", **{**GENAI, "operation.name": "embeddings"})], {"input_tokens": 30}),
    ([ROOT, *(MODEL | {"context.span_id": id, "attributes": USED} for id in "ab")], {"input_tokens": 60, "output_tokens": 10, "cost_usd": 0.5}),
    ([RUN | {"reference_outputs": {"answer": "Here"}}], {"question": "Where?", "references": ["Here"]}),
)  # fmt: skip
def test_what_a_trace_says_is_found_where_it_is(rows, expected):
    row = row_of(rows)
    assert {name: row.get(name) for name in expected} == expected


def test_frames_of_spans_as_phoenix_returns_them_and_as_pandas_writes_them_are_read(tmp_path):
    expected = row_of(SPANS)
    frame = pd.DataFrame(SPANS)
    frame.to_csv(tmp_path / "spans.csv", index=False)
    assert row_of(frame.set_index("context.span_id")) == row_of(tmp_path / "spans.csv") == expected


@cases(
    ([DOWN, RETRIEVER], "1 traces failed; their error is an extra field: t1"),
    ([ROOT, RETRIEVER, retriever("s4", "s1", 3, [DOCUMENTS[1], THIRD])], "1 traces retrieved several times; documents joined in order of time: t1"),
    ([ROOT | {"attributes.input.value": '{"colour": "red", "k": 3}'}], "no question in 1 traces (input with 'colour', 'k'): t1"),
    ([ROOT, MODEL | {"attributes.metadata": {"k": 1}}], "left out of the traces: 'llm', 'metadata'"),
    ([ROOT, span("x", None, "TOOL", 0) | {"context.trace_id": "t2"}], "1 traces have no question, answer or documents and are left out: t2"),
)  # fmt: skip
def test_what_is_missing_joined_or_left_out_is_announced(rows, note):
    samples = load(rows)
    assert len(samples) == 1
    assert note in samples.notes


@cases(
    ([ROOT, RETRIEVER | {"attributes.retrieval.documents": "[array(1)]"}], r"l:2: attributes.retrieval.documents cannot be read from text"),
    ([ROOT, MODEL | {"context.trace_id": None}], r"l:2: is a span without a trace id"),
    ([TRACE | {"id": None}], "has no trace id"),
    ([RUN | {"id": None, "trace_id": None, "child_runs": [FOUND]}], "l:1: is a run without a trace id"),
    ([span("x", None, "TOOL", 0)], "no trace has a question, an answer or documents"),
)  # fmt: skip
def test_what_cannot_be_read_is_a_problem_with_its_line(rows, message, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(DataError, match=message):
        load(path)


def test_a_table_of_samples_with_columns_of_the_same_names_is_no_trace():
    row = {"input": "q", "output": "a", "expected_output": "r", "timestamp": "1", "latency": 1.5,
           "environment": "x"}  # fmt: skip
    samples = load([row])
    assert samples.frame["references"].to_list() == [["r"]]
    assert samples.slice_fields == ("timestamp", "latency", "environment")
