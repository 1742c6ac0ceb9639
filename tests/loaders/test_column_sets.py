"""Tables that only their columns together tell apart."""

import pytest

from ragauge.loaders import load

ASKED, SAID, RIGHT = "Capital of France?", "It is Paris.", "Paris"
TEXT = "Paris is the capital of France."


def row_of(given: dict[str, object]) -> dict[str, object]:
    return load([given]).frame.row(0, named=True)


def test_a_summary_is_the_answer_and_its_source_the_context():
    row = row_of({"source": TEXT, "summary": SAID, "label": 1})
    assert (row["answer"], row["contexts"], row["label"]) == (SAID, [TEXT], 1)


def test_a_source_beside_a_question_or_of_one_word_is_no_context():
    row = row_of({"question": ASKED, "answer": SAID, "source": TEXT, "summary": "short"})
    assert (row["answer"], row["source"], row["summary"]) == (SAID, TEXT, "short")
    assert "contexts" not in row
    row = row_of({"question": ASKED, "source": "wiki", "summary": SAID})
    assert row["source"] == "wiki"


def test_bergen_calls_the_expected_answers_label():
    given = {"question": ASKED, "instruction": f"{TEXT} {ASKED}", "response": SAID}
    assert row_of({**given, "label": [RIGHT]})["references"] == [RIGHT]
    row = row_of({**given, "label": "correct"})
    assert (row["label"], row.get("references")) == ("correct", None)


def test_coheres_documents_are_under_data():
    documents = [{"id": "d1", "data": {"title": "France", "snippet": TEXT}}]
    row = row_of({"message": ASKED, "text": SAID, "documents": documents})
    assert (row["question"], row["answer"]) == (ASKED, SAID)
    assert (row["contexts"], row["context_ids"]) == ([TEXT], ["d1"])


def test_ragtruths_systems_share_the_sources_id():
    info = {"question": ASKED, "passages": TEXT}
    rows = [
        {"id": str(at), "source_id": "s1", "model": model, "response": SAID, "prompt": "Answer:"}
        for at, model in enumerate(["one", "two"])
    ]
    samples = load([{**row, "source_info": info} for row in rows])
    assert samples.frame["id"].to_list() == ["s1", "s1"]
    assert samples.systems == ("one", "two")
    assert samples.frame["question"].to_list() == [ASKED, ASKED]
    assert samples.frame["contexts"].to_list() == [[TEXT], [TEXT]]


def test_a_column_that_the_user_maps_stays():
    samples = load([{"source": TEXT, "summary": SAID}], map={"question": "summary"})
    assert samples.frame["question"].to_list() == [SAID]


@pytest.mark.parametrize("has_kind", [True, False])
def test_patronus_and_facts_have_names_of_their_own(has_kind: bool):
    patronus = {
        "evaluated_model_input": ASKED,
        "evaluated_model_output": SAID,
        "evaluated_model_retrieved_context": [TEXT],
        "evaluated_model_gold_answer": RIGHT,
    }
    facts = {"user_request": ASKED, "context_document": TEXT, "response": SAID, "target": RIGHT}
    row = row_of(patronus if has_kind else facts)
    assert (row["question"], row["answer"]) == (ASKED, SAID)
    assert (row["contexts"], row["references"]) == ([TEXT], [RIGHT])
