"""JSON documents in the shapes that tools write."""

import json
from pathlib import Path

import pytest

from ragauge.errors import DataError, Problem
from ragauge.loaders import load
from ragauge.samples.samples import Samples


def loaded(folder: Path, document: object) -> Samples:
    path = folder / "a.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return load(path)


def problems_of(folder: Path, document: object) -> tuple[Problem, ...]:
    with pytest.raises(DataError) as caught:
        loaded(folder, document)
    return caught.value.problems


ROWS = [{"id": "q1", "answer": "a"}, {"id": "q2", "answer": "b"}]


@pytest.mark.parametrize("name", ["samples", "data", "examples", "results", "my_own_list"])
def test_one_list_inside_an_object_is_the_samples(tmp_path: Path, name: str):
    samples = loaded(tmp_path, {"version": 2, "config": {"k": 1}, name: ROWS})
    assert samples.frame["id"].to_list() == ["q1", "q2"]
    assert any("'version', 'config'" in note for note in samples.notes)


def test_a_plain_list_is_the_samples(tmp_path: Path):
    assert loaded(tmp_path, ROWS).frame["answer"].to_list() == ["a", "b"]


def test_of_several_lists_the_one_with_a_usual_name_is_read(tmp_path: Path):
    samples = loaded(tmp_path, {"errors": [{"code": 1}], "samples": ROWS, "warnings": []})
    assert len(samples) == 2


def test_lists_that_cannot_be_told_apart_are_a_problem(tmp_path: Path):
    others = [{"id": "q3", "answer": "c"}]
    (problem,) = problems_of(tmp_path, {"left": ROWS, "right": others})
    assert "'left', 'right'" in problem.message


def test_columns_are_read_as_rows(tmp_path: Path):
    columns = {"question": ["q", "r"], "contexts": [["c"], []], "meta": [{"k": 1}, {"k": 2}]}
    samples = loaded(tmp_path, columns)
    assert samples.frame["contexts"].to_list() == [["c"], []]
    assert samples.frame["meta"].to_list() == ['{"k": 1}', '{"k": 2}']


def test_a_document_of_one_sample_is_read(tmp_path: Path):
    document = {"question": "q", "answer": "a", "contexts": [{"text": "c", "id": "d"}]}
    samples = loaded(tmp_path, document)
    assert samples.frame["context_ids"].to_list() == [["d"]]


def test_columns_of_different_lengths_are_a_problem(tmp_path: Path):
    (problem,) = problems_of(tmp_path, {"question": ["q", "r"], "answer": ["a"]})
    assert "2 of 'question', 1 of 'answer'" in problem.message


def test_a_bad_value_is_named_with_the_line_of_its_sample(tmp_path: Path):
    document = (
        '{\n "samples": [\n  {"id": "q1", "answer": "a"},\n\n  {"id": "q2",\n "answer": {}}\n]}'
    )
    (problem,) = problems_of(tmp_path, document)
    assert (problem.line, problem.id, problem.field) == (5, "q2", "answer")


def test_keys_that_stand_twice_are_named_with_their_lines(tmp_path: Path):
    document = (
        '{"samples": [\n{"answer": "a", "answer": "b"},\n{"answer": "c"}\n],\n"k": 1, "k": 2}'
    )
    problems = problems_of(tmp_path, document)
    assert [problem.line for problem in problems] == [2, 5]


def test_items_that_are_no_objects_are_each_named(tmp_path: Path):
    problems = problems_of(tmp_path, '[{"answer": "a"},\n"b",\nnull]')
    assert [problem.line for problem in problems] == [2, 3]


@pytest.mark.parametrize(
    ("document", "line", "column"),
    [
        ('[{"answer": "a"},\n {"answer" "b"}]', 2, 12),
        ('[{"answer": "a"}\n {"answer": "b"}]', 2, 2),
        ('[{"answer": "a"},]', 1, 18),
        ('{"samples" [1]}', 1, 12),
        ('{"a": 1,}', 1, 9),
        ("{a: 1}", 1, 2),
        ("[]\n[]", 2, 1),
    ],
)
def test_what_is_not_json_is_named_with_line_and_column(
    tmp_path: Path, document: str, line: int, column: int
):
    (problem,) = problems_of(tmp_path, document)
    assert problem.line == line
    assert f"column {column}" in problem.message


@pytest.mark.parametrize(
    "document", ['[{"answer": "a"}, {"answer', '{"samples": [{"a": 1}', "[", "{"]
)
def test_a_cut_off_document_says_so(tmp_path: Path, document: str):
    (problem,) = problems_of(tmp_path, document)
    assert "not JSON" in problem.message


@pytest.mark.parametrize("document", ["[]", '{"samples": []}', "", " \n", "{}", "3", '"a"', "null"])
def test_documents_without_samples_are_a_problem(tmp_path: Path, document: str):
    assert len(problems_of(tmp_path, document)) == 1


@pytest.mark.parametrize("deep", ["[" * 100_000, '{"a":' * 100_000, '[{"a": ' + "[" * 100_000])
def test_deep_nesting_is_a_problem_and_not_a_crash(tmp_path: Path, deep: str):
    (problem,) = problems_of(tmp_path, deep)
    assert "nested too deeply" in problem.message


def test_a_whole_number_of_ten_thousand_digits_is_a_problem(tmp_path: Path):
    (problem,) = problems_of(tmp_path, '[\n{"n": ' + "9" * 10_000 + "}]")
    assert problem.line == 2


@pytest.mark.parametrize(
    "document",
    [
        {"id": {"0": "q1", "1": "q2"}, "answer": {"0": "a", "1": "b"}},  # pandas.DataFrame.to_json
        {"columns": ["id", "answer"], "index": [0, 1], "data": [["q1", "a"], ["q2", "b"]]},
        {"columns": ["id", "answer"], "data": [["q1", "a"], ["q2", "b"]]},  # MLflow, W&B
    ],
)
def test_frames_written_as_json(tmp_path: Path, document: dict[str, object]):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(document))
    samples = load(path)
    assert samples.frame["id"].to_list() == ["q1", "q2"]
    assert samples.frame["answer"].to_list() == ["a", "b"]


def test_a_frame_with_a_short_row_is_no_frame(tmp_path: Path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"columns": ["id", "answer"], "data": [["q1", "a"], ["q2"]]}))
    with pytest.raises(DataError):
        load(path)


def test_one_object_per_line_is_read_as_json_lines(tmp_path: Path):
    path = tmp_path / "qa_data.json"
    path.write_text('{"question": "q1", "answer": "a"}\n\n{"question": "q2", "answer": "b"}\n')
    samples = load(path)
    assert samples.frame["answer"].to_list() == ["a", "b"]
    assert samples.notes[0] == "read as JSON Lines: it has one object per line"


def test_a_problem_in_one_object_per_line_has_its_line(tmp_path: Path):
    path = tmp_path / "a.json"
    path.write_text('{"question": "q1", "answer": "a"}\n{"question": "q2", "answer": }\n')
    (problem,) = problems_of(tmp_path, path.read_text())
    assert (problem.line, "is not JSON" in problem.message) == (2, True)


def test_deepeval_writes_its_test_run_in_camel_case(tmp_path: Path):
    case = {"name": "c", "input": "where?", "actualOutput": "here", "expectedOutput": "Here",
            "retrievalContext": ["It is here."], "metricsData": [{"name": "F", "score": 1.0}]}  # fmt: skip
    scores = [{"metric": "F", "scores": [1.0]}]
    path = tmp_path / "latest_test_run.json"
    path.write_text(json.dumps({"testCases": [case], "metricsScores": scores, "testPassed": 1}))
    row = load(path).frame.row(0, named=True)
    assert (row["question"], row["answer"], row["references"]) == ("where?", "here", ["Here"])
    assert row["contexts"] == ["It is here."]


def test_columns_may_have_plural_names(tmp_path: Path):
    path = tmp_path / "a.json"
    columns = {"questions": ["q"], "contexts": [["c"]], "predicted_answers": ["a"]}
    path.write_text(json.dumps({**columns, "ground_truth_answers": ["r"]}))
    row = load(path).frame.row(0, named=True)
    assert (row["question"], row["answer"], row["references"]) == ("q", "a", ["r"])


def test_the_result_of_one_haystack_pipeline_in_a_file(tmp_path: Path):
    answer = {"data": "here", "query": "where?", "documents": [{"id": "d1", "content": "It is."}]}
    path = tmp_path / "result.json"
    path.write_text(json.dumps({"answer_builder": {"answers": [answer]}}))
    row = load(path).frame.row(0, named=True)
    assert (row["question"], row["answer"]) == ("where?", "here")
    assert row["context_ids"] == ["d1"]


def test_a_list_of_texts_that_is_json_text_is_a_list(tmp_path):
    path = tmp_path / "a.jsonl"
    row = {
        "question": "q",
        "answer": "a",
        "references": '["Paris", "Lutetia"]',
        "contexts": "[1] Paris.",
    }
    path.write_text(json.dumps(row) + "\n")
    for in_pieces in (False, True):
        frame = load(path, in_pieces=in_pieces).frame
        assert frame["references"].to_list() == [["Paris", "Lutetia"]]
        assert frame["contexts"].to_list() == [["[1] Paris."]]
