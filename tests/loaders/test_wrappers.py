"""Objects and dotted columns that hold what was asked, answered and expected."""

import json
from pathlib import Path

import pytest

from ragauge.errors import DataError
from ragauge.loaders import load

ASKED, SAID, RIGHT = "Capital of France?", "It is Paris.", "Paris"


def row_of(*rows: dict[str, object], **options: object) -> dict[str, object]:
    return load(list(rows), **options).frame.row(0, named=True)


def assert_row(row: dict[str, object], **others: object) -> None:
    expected = {"question": ASKED, "answer": SAID, "references": [RIGHT], **others}
    assert {name: row.get(name) for name in expected} == expected


def test_langsmith():
    documents = [{"page_content": "Paris is a city.", "metadata": {"id": "d1"}}]
    assert_row(
        row_of(
            {
                "id": "e1",
                "inputs": {"question": ASKED},
                "outputs": {"answer": SAID, "documents": documents},
                "reference_outputs": {"answer": RIGHT},
            }
        ),
        contexts=["Paris is a city."],
        context_ids=["d1"],
    )


def test_an_only_text_is_that_of_its_wrapper():
    assert_row(row_of({"inputs": {"x": ASKED}, "outputs": {"y": SAID}, "expected": {"z": RIGHT}}))


def test_braintrust_has_an_object_beside_texts():
    assert_row(
        row_of({"id": "b1", "input": {"question": ASKED}, "output": SAID, "expected": RIGHT})
    )


def test_lm_evaluation_harness():
    row = row_of(
        {
            "doc_id": 0,
            "doc": {"question": ASKED, "answer": "elsewhere"},
            "target": RIGHT,
            "arguments": [[ASKED, {}]],
            "resps": [[SAID]],
            "filtered_resps": [SAID],
        }
    )
    assert_row(row)
    assert "elsewhere" not in row.values()


def test_an_answer_in_a_test_case_is_the_expected_one():
    assert_row(row_of({"vars": {"question": ASKED, "answer": RIGHT}, "output": SAID}))


@pytest.mark.parametrize("mark", [".", "/"])
def test_dotted_columns(mark: str):
    assert_row(
        row_of(
            {
                f"inputs{mark}query": ASKED,
                f"inputs{mark}ground_truth": RIGHT,
                f"outputs{mark}response": SAID,
                f"outputs{mark}relevance{mark}score": 5,
            }
        )
    )


def test_dots_without_a_field_behind_them_are_left_alone():
    row = row_of({"answer": SAID, "outputs.relevance.relevance": 5})
    assert row["outputs.relevance.relevance"] == 5


def test_json_texts_in_csv(tmp_path: Path):
    path = tmp_path / "runs.csv"
    asked, said = (json.dumps(value).replace('"', '""') for value in ({"q": ASKED}, {"a": SAID}))
    path.write_text(f'id,inputs,outputs,reference\nr1,"{asked}","{said}",Paris\n')
    assert_row(load(path).frame.row(0, named=True))


def test_other_texts_and_numbers_become_fields_and_the_rest_is_named():
    samples = load(
        [
            {
                "inputs": {"question": ASKED, "topic": "geo", "n": 3, "tools": [{"a": 1}]},
                "outputs": SAID,
            }
        ]
    )
    assert samples.slice_fields == ("topic", "n")
    assert any("'tools' of 'inputs' (not a text or a number)" in note for note in samples.notes)


def test_a_field_beside_its_wrapper_keeps_its_value():
    samples = load([{"question": "Mine?", "inputs": {"question": ASKED}, "answer": SAID}])
    assert samples.frame["question"].to_list() == ["Mine?"]
    assert any("the row has other question" in note for note in samples.notes)


def test_a_column_with_objects_and_texts_is_not_guessed():
    with pytest.raises(DataError, match="must be text, got a dict"):
        load([{"input": {"question": ASKED}}, {"input": "text"}])


def test_a_chosen_column_stays_as_it_is():
    samples = load([{"inputs": {"question": ASKED}, "said": SAID}], map={"answer": "said"})
    assert samples.frame["question"].to_list() == [ASKED]
    kept = load([{"input": '{"question": "x"}', "answer": SAID}], map={"question": "input"})
    assert kept.frame["question"].to_list() == ['{"question": "x"}']


@pytest.mark.parametrize("text", ["{", "{" * 100_000, "[" * 100_000, '{"a": ', "{}", '{"x": NaN}'])
def test_text_that_only_begins_as_an_object_is_text(text: str):
    samples = load([{"id": "q1", "inputs": text, "outputs": SAID}])
    assert samples.frame["question"].to_list() == [text]


def test_weave_nests_its_wrappers():
    row = row_of(
        {
            "id": "w1",
            "inputs": {"example": {"question": ASKED, "expected": RIGHT}, "model": "small"},
            "output": {"output": {"answer": SAID, "contexts": ["c"]}, "scores": {"ok": True}},
        }
    )
    assert_row(row, system="small", contexts=["c"])


def test_dspy_keeps_an_example_and_a_prediction():
    row = row_of(
        {
            "example": {"question": ASKED, "answer": RIGHT},
            "prediction": {"answer": SAID, "context": ["c"]},
        }
    )
    assert_row(row, contexts=["c"])


def test_an_object_of_the_answer_that_is_no_wrapper_is_left_out_and_named():
    samples = load([{"inputs": {"question": ASKED, "extra": {"a": {"b": 1}}}, "outputs": SAID}])
    assert samples.frame.row(0, named=True)["question"] == ASKED
    assert any("'extra' of 'inputs'" in note for note in samples.notes)


def test_output_items_of_openai_evals():
    said = [{"role": "assistant", "content": SAID}]
    row = row_of(
        {
            "id": "oi1",
            "datasource_item": {"question": ASKED, "ground_truth": RIGHT},
            "sample": {"output": said, "model": "small"},
        }
    )
    assert_row(row, system="small")


def test_mlflow_keeps_expectations():
    row = row_of(
        {
            "inputs": {"question": ASKED},
            "outputs": {"response": SAID},
            "expectations": {"expected_response": RIGHT},
        }
    )
    assert_row(row)


def test_messages_of_langsmith_are_question_and_answer():
    row = row_of(
        {
            "inputs": {"messages": [{"role": "user", "content": ASKED}]},
            "outputs": {"output": {"role": "assistant", "content": SAID}},
            "reference_outputs": {"answer": RIGHT},
        }
    )
    assert_row(row)


def test_databricks_asks_in_request_and_names_documents_by_doc_uri():
    row = row_of(
        {
            "request": ASKED,
            "response": SAID,
            "expected_response": RIGHT,
            "retrieved_context": [{"content": "c", "doc_uri": "d1"}],
        }
    )
    assert_row(row, contexts=["c"], context_ids=["d1"])


def test_phoenix_exports_an_experiment_with_reference_output():
    row = row_of(
        {
            "example_id": "e1",
            "input": {"question": ASKED},
            "reference_output": {"answer": RIGHT},
            "output": {"answer": SAID, "retrieved_context": ["c"]},
            "trace_id": "t",
        }
    )
    assert_row(row, id="e1", contexts=["c"])


def test_opik_keeps_the_item_of_the_data_set():
    row = row_of(
        {
            "dataset_item_data": {"user_question": ASKED, "expected_output": RIGHT},
            "evaluation_task_output": {"output": SAID, "context": ["c"]},
        }
    )
    assert_row(row, contexts=["c"])


def test_calls_of_weave_are_no_spans():
    row = row_of(
        {
            "id": "w1",
            "op_name": "weave:///e/p/op/predict:abc",
            "trace_id": "t",
            "inputs": {"self": "weave:///m", "question": ASKED, "expected": RIGHT},
            "output": {"answer": SAID},
            "attributes": {},
        }
    )
    assert_row(row, id="w1")


def test_inspect_keeps_the_completion_under_choices():
    message = {"role": "assistant", "content": SAID}
    output = {"model": "m1", "choices": [{"message": message, "stop_reason": "stop"}]}
    samples = load([{"id": 1, "input": ASKED, "target": RIGHT, "output": output}])
    row = samples.frame.row(0, named=True)
    assert (row["system"], row["question"], row["answer"]) == ("m1", ASKED, SAID)
    assert row["references"] == [RIGHT]


def test_the_whole_prompt_gives_way_to_the_question_in_a_wrapper():
    given = {"prompt": f"Answer briefly: {ASKED}", "inputs": {"question": ASKED}, "output": SAID}
    row = load([given]).frame.row(0, named=True)
    assert (row["question"], row["prompt"]) == (ASKED, given["prompt"])


def test_a_result_may_be_an_object():
    given = {
        "question": ASKED,
        "reference": RIGHT,
        "result": {"answer": SAID, "contexts": ["Here."]},
    }
    assert_row(row_of(given), contexts=["Here."])
