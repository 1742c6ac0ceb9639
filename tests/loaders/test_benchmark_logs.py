"""Logs of benchmark harnesses."""

import json
from pathlib import Path

from ragauge.loaders import load

ASKED, SAID, RIGHT = "Capital of France?", "It is Paris.", "Paris"


def test_requests_of_helm(tmp_path: Path):
    state = {
        "instance": {
            "input": {"text": ASKED},
            "references": [
                {"output": {"text": RIGHT}, "tags": ["correct"]},
                {"output": {"text": "Lyon"}, "tags": []},
            ],
            "split": "test",
            "id": "id1",
        },
        "request": {"model": "maker/small", "prompt": f"Question: {ASKED}"},
        "result": {"success": True, "completions": [{"text": SAID}]},
    }
    path = tmp_path / "scenario_state.json"
    path.write_text(
        json.dumps({"adapter_spec": {"method": "generation"}, "request_states": [state]})
    )
    row = load(path).frame.row(0, named=True)
    assert (row["id"], row["system"]) == ("id1", "maker/small")
    assert (row["question"], row["answer"], row["references"]) == (ASKED, SAID, [RIGHT])
    del state["request"]
    path.write_text(json.dumps({"request_states": [state]}))
    assert load(path).frame["answer"].to_list() == [SAID]


def test_a_choice_of_helm_is_its_text(tmp_path: Path):
    state = {
        "instance": {"input": {"text": ASKED}, "references": [], "id": "id1"},
        "request": {"model": "m"},
        "result": {"completions": [{"text": " B"}]},
        "output_mapping": {"A": "Lyon", "B": "Paris"},
    }
    samples = load([state])
    assert samples.frame["answer"].to_list() == ["Paris"]


def test_events_of_openai_evals(tmp_path: Path):
    chat = [{"role": "system", "content": "Answer."}, {"role": "user", "content": ASKED}]
    event = {"run_id": "r", "sample_id": "capital.1"}
    events = [
        {"spec": {"completion_fns": ["small"], "eval_name": "capital"}},
        {**event, "type": "sampling", "data": {"prompt": chat, "sampled": [SAID]}},
        {**event, "type": "match", "data": {"correct": False, "expected": RIGHT}},
        {"final_report": {"accuracy": 0.0}},
    ]
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(map(json.dumps, events)))
    samples = load(path)
    row = samples.frame.row(0, named=True)
    assert (row["id"], row["system"], row["correct"]) == ("capital.1", "small", False)
    assert (row["question"], row["answer"], row["references"]) == (ASKED, SAID, [RIGHT])
    assert samples.notes == ("read 4 events of OpenAI's evals as 1 samples",)
