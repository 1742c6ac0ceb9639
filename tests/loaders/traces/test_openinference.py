"""Spans of Phoenix and OpenTelemetry, in the shapes in which they are exported."""

import json

import pandas as pd  # pyright: ignore[reportMissingTypeStubs]
import pytest

from ragauge.errors import DataError
from ragauge.loaders import load

DOCUMENTS = [
    {"document.content": "c1", "document.id": "d1", "document.score": 0.5},
    {"document.content": "c2", "document.id": "d2", "document.score": 0.25},
]


def span(trace, id, parent, kind, start, **attributes):
    return {
        "name": kind.lower(),
        "span_kind": kind,
        "parent_id": parent,
        "start_time": f"2026-01-01T00:00:0{start}Z",
        "status_code": "OK",
        "context.trace_id": trace,
        "context.span_id": id,
        **{f"attributes.{name.replace('__', '.')}": value for name, value in attributes.items()},
    }


ROOT = span("t1", "s1", None, "CHAIN", 0, input__value="Where?", output__value="Here.")
RETRIEVER = span(
    "t1", "s2", "s1", "RETRIEVER", 1, input__value="where", retrieval__documents=DOCUMENTS
)
MODEL = span(
    "t1", "s3", "s1", "LLM", 2,
    llm__output_messages=[{"message.role": "assistant", "message.content": "Here, I think."}],
)  # fmt: skip
SPANS = [MODEL, RETRIEVER, ROOT]
READ = {
    "id": "t1",
    "question": "Where?",
    "answer": "Here.",
    "contexts": ["c1", "c2"],
    "context_ids": ["d1", "d2"],
    "context_scores": [0.5, 0.25],
}


def written(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def row_of(source):
    samples = load(source)
    assert len(samples) == 1
    return samples.frame.row(0, named=True)


def read(source):
    row = row_of(source)
    return {name: row[name] for name in READ}


def test_the_spans_of_a_trace_are_one_sample_whatever_their_order(tmp_path):
    assert read(written(tmp_path / "spans.jsonl", SPANS)) == READ
    assert read(SPANS[::-1]) == READ


def test_a_frame_of_spans_as_phoenix_returns_it_is_read():
    assert read(pd.DataFrame(SPANS).set_index("context.span_id")) == READ


def test_a_csv_file_of_spans_as_pandas_writes_it_is_read(tmp_path):
    pd.DataFrame(SPANS).to_csv(tmp_path / "spans.csv", index=False)
    assert read(tmp_path / "spans.csv") == READ


def test_spans_without_their_own_ids_are_read_by_the_root_without_a_parent():
    spans = [{k: v for k, v in span.items() if k != "context.span_id"} for span in SPANS]
    assert read(spans) == READ


def test_documents_in_a_text_that_cannot_be_read_are_an_error(tmp_path):
    broken = {**RETRIEVER, "attributes.retrieval.documents": "[array(1)]"}
    with pytest.raises(
        DataError, match=r"2: attributes.retrieval.documents cannot be read from text"
    ):
        load(written(tmp_path / "spans.jsonl", [ROOT, broken]))


def test_nested_context_and_attributes_are_read(tmp_path):
    spans = [
        {
            "context": {"trace_id": "t1", "span_id": "s1"}, "span_kind": "CHAIN", "parent_id": None,
            "start_time": "1", "attributes": {"input": {"value": "Where?"}, "output": {"value": "Here."}},
        },
        {
            "context": {"trace_id": "t1", "span_id": "s2"}, "span_kind": "RETRIEVER", "parent_id": "s1",
            "start_time": "2", "attributes": json.dumps({"retrieval": {"documents": [
                {"document": {"content": "c1", "id": "d1", "score": 0.5}},
                {"document": {"content": "c2", "id": "d2", "score": 0.25}},
            ]}}),
        },
    ]  # fmt: skip
    assert read(spans) == READ
    (tmp_path / "page.json").write_text(json.dumps({"data": spans, "next_cursor": None}))
    assert read(tmp_path / "page.json") == READ


def test_numbered_attributes_and_the_json_of_opentelemetry_are_read(tmp_path):
    def attributes(**values):
        kinds = {str: "stringValue", float: "doubleValue"}
        return [
            {"key": name.replace("__", "."), "value": {kinds[type(value)]: value}}
            for name, value in values.items()
        ]

    retrieved = {
        f"retrieval.documents.{n}.document.{part}": value
        for n, document in enumerate(("c1 d1 0.5", "c2 d2 0.25"))
        for part, value in zip(
            ("content", "id", "score"),
            (*document.split()[:2], float(document.split()[2])),
            strict=True,
        )
    }
    spans = [
        {"traceId": "t1", "spanId": "a", "parentSpanId": "", "startTimeUnixNano": "1", "status": {},
         "attributes": attributes(input__value="Where?", output__value="Here.")},
        {"traceId": "t1", "spanId": "b", "parentSpanId": "a", "startTimeUnixNano": "2",
         "status": {"code": 2, "message": "too slow"},
         "attributes": attributes(openinference__span__kind="RETRIEVER", **retrieved)},
    ]  # fmt: skip
    document = {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}
    assert read(written(tmp_path / "otlp.jsonl", [document])) == READ
    (tmp_path / "otlp.json").write_text(json.dumps(document))
    assert read(tmp_path / "otlp.json") == READ
    assert row_of(tmp_path / "otlp.json")["error"] == "too slow"


def test_question_and_answer_in_objects_and_messages_are_found():
    asked = json.dumps({"messages": [{"role": "user", "content": "Where?"}], "k": 3})
    answered = json.dumps({"answer": "Here.", "tokens": 7})
    root = span("t1", "s1", None, "CHAIN", 0, input__value=asked, output__value=answered)
    assert read([root, RETRIEVER]) == READ


def test_without_an_output_of_the_root_the_last_model_call_answers():
    root = {**ROOT, "attributes.output.value": None}
    assert row_of([root, RETRIEVER, MODEL])["answer"] == "Here, I think."


def test_a_trace_without_an_answer_is_kept_and_its_error_named():
    root = {
        **ROOT,
        "attributes.output.value": None,
        "status_code": "ERROR",
        "status_message": "down",
    }
    samples = load([root, RETRIEVER])
    row = samples.frame.row(0, named=True)
    assert (row["answer"], row["error"]) == (None, "down")
    assert any("1 traces failed" in note and "t1" in note for note in samples.notes)


def test_the_documents_of_several_retrievers_are_joined_once_each():
    third = {"document.content": "c3", "document.id": "d3", "document.score": 0.125}
    again = span("t1", "s4", "s1", "RETRIEVER", 3, retrieval__documents=[DOCUMENTS[1], third])
    samples = load([ROOT, again, RETRIEVER])
    assert samples.frame["context_ids"].to_list() == [["d1", "d2", "d3"]]
    assert any("retrieved several times" in note for note in samples.notes)


def test_a_retriever_within_a_retriever_is_not_counted_again():
    inner = span("t1", "s4", "s2", "RETRIEVER", 3, retrieval__documents=DOCUMENTS[::-1])
    assert row_of([ROOT, RETRIEVER, inner])["context_ids"] == ["d1", "d2"]


def test_a_reranker_gives_the_contexts():
    reranked = span(
        "t1", "s4", "s1", "RERANKER", 3,
        reranker__input_documents=DOCUMENTS, reranker__output_documents=DOCUMENTS[1:],
    )  # fmt: skip
    assert row_of([ROOT, RETRIEVER, reranked])["context_ids"] == ["d2"]


def test_a_retriever_that_found_nothing_is_empty_and_none_is_null():
    nothing = span("t1", "s2", "s1", "RETRIEVER", 1, retrieval__documents=[])
    assert row_of([ROOT, nothing])["contexts"] == []
    assert "contexts" not in row_of([ROOT, MODEL])


def test_an_input_without_a_question_is_named_with_its_keys():
    root = {**ROOT, "attributes.input.value": '{"colour": "red", "k": 3}'}
    samples = load([root])
    assert samples.frame["question"].to_list() == [None]
    assert any(
        "no question in 1 traces (input with 'colour', 'k')" in note for note in samples.notes
    )


def test_a_span_without_a_trace_is_an_error_with_its_line(tmp_path):
    with pytest.raises(DataError, match=r"spans\.jsonl:2: is a span without a trace id"):
        load(written(tmp_path / "spans.jsonl", [ROOT, {**MODEL, "context.trace_id": None}]))


def test_attributes_without_a_place_and_traces_without_content_are_named():
    model = {**MODEL, "attributes.metadata": {"k": 1}, "attributes.llm.model_name": "m"}
    samples = load([ROOT, model, span("t2", "x", None, "TOOL", 0)])
    assert len(samples) == 1
    assert any("'llm'" in note and "'metadata'" in note for note in samples.notes)
    assert any("left out: t2" in note for note in samples.notes)


def test_parents_in_a_circle_end():
    spans = [{**RETRIEVER, "parent_id": "s3"}, {**MODEL, "parent_id": "s2"}]
    assert row_of(spans)["contexts"] == ["c1", "c2"]
