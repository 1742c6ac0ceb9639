"""Rows of published data sets, whose answers, contexts and messages are nested."""

import pytest

from ragauge.errors import DataError
from ragauge.loaders import load

ASKED, SAID, RIGHT = "Capital of France?", "It is Paris.", "Paris"


def assert_row(given: dict[str, object], **others: object) -> None:
    row = load([{"id": "q1", **given}]).frame.row(0, named=True)
    expected = {"question": ASKED, "answer": SAID, "references": [RIGHT], **others}
    assert {name: row.get(name) for name in expected} == expected


def test_one_nested_answer_without_a_prediction_is_no_answer():
    output = [{"answer": RIGHT, "provenance": [{"title": "Paris"}]}]
    with pytest.raises(DataError, match="must be text, got a list"):
        load([{"input": ASKED, "output": output}, {"input": ASKED, "output": [*output, {}]}])


@pytest.mark.parametrize("name", ["predictions", "predicted", "hypothesis"])
def test_an_answer_beside_any_name_of_a_prediction_is_the_expected_one(name: str):
    said = [SAID, "Lyon."] if name == "predictions" else SAID
    assert_row({"question": ASKED, "answer": RIGHT, name: said})


def test_a_chat_beside_a_question_and_an_answer_is_left_out():
    messages = [{"role": "user", "content": "Other?"}]
    assert_row({"messages": messages, "question": ASKED, "answer": SAID, "reference": RIGHT})


def test_a_conversation_of_two_turns_is_refused():
    with pytest.raises(DataError, match="has 2 turns; give one question and answer per row"):
        load([{"conversationTurns": [{"output": {"text": SAID}}] * 2}])


@pytest.mark.parametrize(
    "given",
    [
        {"answers": {"text": 3}},
        {"answers": [{"text": None}]},
        {"context": [["Paris", "not a list"]], "answers": []},
        {"passages": {"passage_text": [1, 2]}},
        {"retrieval_gt": [[1]]},
        {"messages": ["text"]},
        {"conversationTurns": ["text"]},
        {"conversationTurns": [{"output": [], "prompt": 3}]},
    ],
)
def test_other_shapes_are_named_and_not_guessed(given: dict[str, object]):
    try:
        samples = load([{"id": "q1", "question": ASKED, "prediction": SAID, **given}])
    except DataError as error:
        assert "q1" in str(error) or "contexts" in str(error)
    else:
        assert samples.frame["answer"].to_list() == [SAID]
        assert "references" not in samples.columns


def test_a_list_among_texts_is_an_error_and_no_reference():
    with pytest.raises(DataError, match="must be text"):
        load([{"id": "q1", "answer": "a"}, {"id": "q2", "answer": ["b"]}])


@pytest.mark.parametrize("evidence", ["a text", [["Dam", 3]], [{"page": 3}], 0.5])
def test_evidence_without_passages_is_no_gold(evidence: object):
    samples = load([{"question": "When?", "answer": "1931", "evidence": evidence}])
    assert "gold_contexts" not in samples.columns


def test_evidence_beside_gold_contexts_stays_what_it_is():
    given = {"answer": "1931", "gold_contexts": ["Built in 1931."], "evidence": ["p. 3"]}
    samples = load([given])
    assert samples.frame["gold_contexts"].to_list() == [["Built in 1931."]]
    assert "evidence" in samples.columns


def test_a_chosen_column_of_evidence_is_the_contexts():
    given = [{"answer": "1931", "evidence": ["Built in 1931."]}]
    samples = load(given, map={"contexts": "evidence"})
    assert samples.frame["contexts"].to_list() == [["Built in 1931."]]
    assert "gold_contexts" not in samples.columns
