"""What promptfoo writes: results in JSON, and a table in CSV."""

import json
from pathlib import Path

from ragauge.loaders import load

ASKED, SAID, RIGHT = "Capital of France?", "It is Paris.", "Paris"


def result(provider: str, test: int, output: str | None, **variables: str) -> dict[str, object]:
    expected = [{"type": "icontains", "value": RIGHT}, {"type": "latency", "threshold": 5}]
    return {
        "promptIdx": 0,
        "testIdx": test,
        "provider": {"id": provider},
        "vars": {"question": ASKED, **variables},
        "response": {"output": output},
        "testCase": {"assert": expected},
        "success": True,
    }


def written(folder: Path, *results: dict[str, object]) -> Path:
    path = folder / "output.json"
    document = {"evalId": "e", "results": {"version": 3, "results": list(results)}, "config": {}}
    path.write_text(json.dumps(document))
    return path


def test_results_are_a_row_per_test_and_provider(tmp_path: Path):
    path = written(
        tmp_path,
        result("openai:a", 0, SAID, context="Paris is a city.", topic="geo"),
        result("openai:b", 0, None, context="Paris is a city.", topic="geo"),
    )
    samples = load(path)
    assert samples.systems == ("openai:a", "openai:b")
    first, second = samples.frame.rows(named=True)
    assert first["answer"] == SAID
    assert second["answer"] is None
    assert first["question"] == ASKED
    assert first["references"] == [RIGHT]
    assert first["contexts"] == ["Paris is a city."]
    assert first["topic"] == "geo"
    assert any("promptfoo" in note for note in samples.notes)


def test_a_variable_with_the_expected_answer_wins_over_assertions(tmp_path: Path):
    samples = load(written(tmp_path, result("p", 0, SAID, expected="City of Paris")))
    assert samples.frame["references"].to_list() == [["City of Paris"]]


def test_the_table_has_a_column_for_each_provider(tmp_path: Path):
    path = tmp_path / "table.csv"
    path.write_text(
        "question,__expected1,__expected2,[openai:a] {{question}},[openai:b] {{question}}\n"
        f'"{ASKED}",icontains:Paris,latency(threshold=5):x,[PASS] {SAID},[FAIL] (0.20) Lyon\n'
    )
    samples = load(path)
    assert samples.systems == ("openai:a", "openai:b")
    assert samples.frame["answer"].to_list() == [SAID, "Lyon"]
    assert samples.frame["references"].to_list() == [["Paris"], ["Paris"]]
    assert samples.frame["id"].to_list() == ["0", "0"]


def test_brackets_in_a_header_alone_are_no_table_of_promptfoo(tmp_path: Path):
    path = tmp_path / "a.csv"
    path.write_text("id,answer,[note] extra\nq1,a,text\n")
    assert load(path).slice_fields == ("[note] extra",)


def test_results_of_version_2_have_no_numbers_of_tests(tmp_path: Path):
    older = {
        "provider": {"id": "openai:a"},
        "prompt": {"raw": f"Answer: {ASKED}", "display": "Answer"},
        "vars": {"question": ASKED},
        "response": {"output": SAID},
        "success": True,
    }
    other = {**older, "provider": {"id": "openai:b"}}
    samples = load(written(tmp_path, older, other))
    assert samples.systems == ("openai:a", "openai:b")
    assert samples.frame["question"].to_list() == [ASKED, ASKED]
    assert samples.frame["answer"].to_list() == [SAID, SAID]
