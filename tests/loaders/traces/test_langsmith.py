"""Runs of LangSmith, in the shapes in which they are exported."""

import json

from ragauge.loaders import load

ROOT = {
    "id": "r1", "trace_id": "t1", "parent_run_id": None, "name": "RAG", "run_type": "chain",
    "start_time": "2026-01-01T00:00:00", "inputs": {"question": "Where?"},
    "outputs": {"answer": "Here."}, "error": None,
}  # fmt: skip
RETRIEVER = {
    "id": "r2", "trace_id": "t1", "parent_run_id": "r1", "name": "Store", "run_type": "retriever",
    "start_time": "2026-01-01T00:00:01", "inputs": {"query": "where"},
    "outputs": {"documents": [{"page_content": "c1", "metadata": {"source": "d1"}}]},
}  # fmt: skip
MODEL = {
    "id": "r3", "trace_id": "t1", "parent_run_id": "r1", "name": "Chat", "run_type": "llm",
    "start_time": "2026-01-01T00:00:02",
    "inputs": {"messages": [[{"lc": 1, "kwargs": {"content": "c1 Where?", "type": "human"}}]]},
    "outputs": {"generations": [[{"text": "Here.", "message": {}}]]},
}  # fmt: skip
READ = {
    "id": "t1",
    "question": "Where?",
    "answer": "Here.",
    "contexts": ["c1"],
    "context_ids": ["d1"],
}


def row_of(source):
    samples = load(source)
    assert len(samples) == 1
    row = samples.frame.row(0, named=True)
    return {name: row.get(name) for name in READ}


def test_the_runs_of_a_trace_are_one_sample(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_text("".join(json.dumps(run) + "\n" for run in (MODEL, RETRIEVER, ROOT)))
    assert row_of(path) == READ
    assert load(path).notes[0] == "read 3 runs as 1 traces, one sample each"


def test_a_root_may_hold_its_runs():
    assert row_of([{**ROOT, "child_runs": [{**RETRIEVER, "child_runs": [MODEL]}]}]) == READ


def test_objects_may_be_json_texts():
    runs = [
        {**run, "inputs": json.dumps(run["inputs"]), "outputs": json.dumps(run["outputs"])}
        for run in (ROOT, RETRIEVER, MODEL)
    ]
    assert row_of(runs) == READ


def test_a_retriever_that_found_nothing_gives_empty_contexts():
    nothing = {**RETRIEVER, "outputs": {"documents": []}}
    assert load([ROOT, nothing]).frame["contexts"].to_list() == [[]]


def test_the_error_of_a_run_is_an_extra_field():
    failed = {**ROOT, "outputs": None, "error": "TimeoutError: 30 s"}
    row = load([failed, RETRIEVER]).frame.row(0, named=True)
    assert (row["answer"], row["error"]) == (None, "TimeoutError: 30 s")


def test_roots_without_children_are_rows_with_all_their_columns():
    row = load([{**ROOT, "reference_outputs": {"answer": "Here"}}]).frame.row(0, named=True)
    assert (row["question"], row["answer"], row["references"]) == ("Where?", "Here.", ["Here"])
