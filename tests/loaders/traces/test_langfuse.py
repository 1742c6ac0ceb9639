"""Traces and observations of Langfuse, in the shapes in which they are exported."""

import json

import pytest

from ragauge.errors import DataError
from ragauge.loaders import load

RETRIEVAL = {
    "id": "o1", "traceId": "t1", "type": "RETRIEVER", "name": "search", "startTime": "1",
    "parentObservationId": None, "input": {"query": "where"}, "level": "DEFAULT",
    "output": [
        {"pageContent": "c1", "metadata": {"source": "d1"}, "score": 0.5},
        {"pageContent": "c2", "metadata": {"source": "d2"}, "score": 0.25},
    ],
}  # fmt: skip
GENERATION = {
    "id": "o2", "traceId": "t1", "type": "GENERATION", "name": "model", "startTime": "2",
    "parentObservationId": None, "input": [{"role": "user", "content": "Prompt: Where?"}],
    "output": {"role": "assistant", "content": "Here, I think."}, "level": "DEFAULT",
}  # fmt: skip
TRACE = {
    "id": "t1", "timestamp": "2026-01-01", "name": "rag", "input": {"question": "Where?"},
    "output": {"answer": "Here."}, "metadata": {"reference": "Here"}, "sessionId": "s", "tags": [],
    "public": False, "latency": 1.5, "observations": [GENERATION, RETRIEVAL],
    "scores": [{"name": "helpful", "value": 1}, {"name": "tone", "stringValue": "warm"}],
}  # fmt: skip
READ = {
    "id": "t1",
    "question": "Where?",
    "answer": "Here.",
    "contexts": ["c1", "c2"],
    "context_ids": ["d1", "d2"],
    "context_scores": [0.5, 0.25],
}


def written(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def row_of(source):
    samples = load(source)
    assert len(samples) == 1
    return samples.frame.row(0, named=True)


def read(source):
    row = row_of(source)
    return {name: row[name] for name in READ}


def test_a_trace_with_its_observations_is_one_sample(tmp_path):
    row = row_of(written(tmp_path / "traces.jsonl", TRACE))
    assert {name: row[name] for name in READ} == READ
    assert row["references"] == ["Here"]
    assert (row["score_helpful"], row["score_tone"], row["session"]) == (1, "warm", "s")
    assert "observations" not in row


@pytest.mark.parametrize(
    "document",
    [
        TRACE,
        [TRACE],
        {"data": [TRACE], "meta": {"page": 1}},
        {
            "trace": {name: value for name, value in TRACE.items() if name != "observations"},
            "observations": TRACE["observations"],
        },
        {**TRACE, "input": json.dumps(TRACE["input"]), "output": json.dumps(TRACE["output"])},
    ],
)
def test_one_document_of_traces_is_read(tmp_path, document):
    (tmp_path / "trace.json").write_text(json.dumps(document))
    assert read(tmp_path / "trace.json") == READ


def test_observations_alone_are_grouped_by_trace(tmp_path):
    row = row_of(written(tmp_path / "observations.jsonl", GENERATION, RETRIEVAL))
    assert (row["question"], row["answer"]) == ("where", "Here, I think.")
    assert row["contexts"] == ["c1", "c2"]


def test_the_names_of_exported_files_are_read_too():
    names = {
        "traceId": "trace_id",
        "startTime": "start_time",
        "parentObservationId": "parent_observation_id",
    }
    row = row_of([{names.get(name, name): value for name, value in RETRIEVAL.items()}])
    assert (row["id"], row["question"], row["context_ids"]) == ("t1", "where", ["d1", "d2"])


def test_a_span_that_returns_documents_is_a_retrieval():
    assert read([{**TRACE, "observations": [{**RETRIEVAL, "type": "SPAN"}]}]) == READ
    texts = {**RETRIEVAL, "type": "SPAN", "name": "retrieval", "output": ["c1", "c2"]}
    assert row_of([{**TRACE, "observations": [texts]}])["contexts"] == ["c1", "c2"]


def test_documents_beside_the_answer_are_contexts_where_nothing_else_retrieved():
    output = {"answer": "Here.", "context": RETRIEVAL["output"]}
    assert read([{**TRACE, "output": output, "observations": []}]) == READ


def test_a_table_of_traces_without_observations_is_read(tmp_path):
    row = {name: value for name, value in TRACE.items() if name != "observations"}
    row = row_of(written(tmp_path / "traces.jsonl", row))
    assert (row["question"], row["answer"]) == ("Where?", "Here.")


def test_an_error_is_an_extra_field_and_the_trace_is_kept():
    failed = {**GENERATION, "level": "ERROR", "statusMessage": "rate limit", "output": None}
    samples = load([{**TRACE, "output": None, "observations": [RETRIEVAL, failed]}])
    row = samples.frame.row(0, named=True)
    assert (row["answer"], row["error"]) == (None, "rate limit")
    assert any("1 traces failed" in note for note in samples.notes)


def test_what_has_no_place_is_named():
    notes = load([{**TRACE, "htmlPath": "/x"}]).notes
    assert any("'htmlPath'" in note for note in notes)


def test_a_trace_without_an_id_is_an_error():
    with pytest.raises(DataError, match="has no trace id"):
        load([{**TRACE, "id": None}])


def test_a_table_of_samples_with_columns_of_the_same_names_is_no_trace():
    row = {"input": "q", "output": "a", "expected_output": "r", "timestamp": "1", "latency": 1.5,
           "environment": "x"}  # fmt: skip
    samples = load([row])
    assert samples.frame["references"].to_list() == [["r"]]
    assert samples.slice_fields == ("timestamp", "latency", "environment")
