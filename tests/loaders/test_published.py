"""Rows of published data sets, whose answers, contexts and messages are nested."""

import pytest

from ragauge.errors import DataError
from ragauge.loaders import load

ASKED, SAID, RIGHT = "Capital of France?", "It is Paris.", "Paris"
TEXT = "Paris is the capital."


def assert_row(given: dict[str, object], **others: object) -> None:
    row = load([{"id": "q1", **given}]).frame.row(0, named=True)
    expected = {"question": ASKED, "answer": SAID, "references": [RIGHT], **others}
    assert {name: row.get(name) for name in expected} == expected


def test_squad():
    answers = {"text": [RIGHT, RIGHT], "answer_start": [0, 7]}
    given = {"question": ASKED, "context": TEXT, "answers": answers, "prediction_text": SAID}
    assert_row(given, contexts=[TEXT])


@pytest.mark.parametrize(
    "answer",
    [
        [RIGHT, "City of Paris"],
        {"value": RIGHT, "aliases": [RIGHT, "City of Paris"], "normalized_value": RIGHT},
    ],
)
def test_natural_questions_and_trivia_qa(answer: object):
    given = {"question": ASKED, "answer": answer, "prediction": SAID}
    assert_row(given, references=[RIGHT, "City of Paris"])


def test_kilt():
    output = [{"answer": RIGHT, "provenance": [{"title": "Paris"}]}, {"provenance": []}]
    with pytest.raises(DataError, match="must be text, got a list"):
        load([{"input": ASKED, "output": output}])  # one item is no answer
    assert_row({"input": ASKED, "output": output[:1], "prediction": SAID})


def test_crag_has_other_spellings():
    results = [{"page_name": "p", "page_url": "u", "page_snippet": TEXT}]
    given = {"query": ASKED, "answer": RIGHT, "alt_ans": ["Lutetia"], "prediction": SAID}
    assert_row({**given, "search_results": results}, references=[RIGHT, "Lutetia"], contexts=[TEXT])


@pytest.mark.parametrize("further", [[], None])
def test_an_expected_answer_without_other_spellings_is_not_the_systems(further: object):
    rows = [
        {"query": ASKED, "answer": RIGHT, "alt_ans": ["Lutetia"], "prediction": SAID},
        {"query": "Capital of Peru?", "answer": "Lima", "alt_ans": further, "prediction": "Cusco"},
    ]
    frame = load(rows).frame
    assert frame["answer"].to_list() == [SAID, "Cusco"]
    assert frame["references"].to_list() == [[RIGHT, "Lutetia"], ["Lima"]]


def test_the_expected_answer_of_a_chain_that_failed_is_not_its_answer():
    documents = [{"page_content": TEXT}]
    rows = [
        {"query": ASKED, "answer": RIGHT, "result": SAID, "source_documents": documents},
        {"query": "Capital of Peru?", "answer": "Lima", "result": None, "source_documents": []},
    ]
    frame = load(rows).frame
    assert frame["answer"].to_list() == [SAID, None]
    assert frame["references"].to_list() == [[RIGHT], ["Lima"]]


@pytest.mark.parametrize("name", ["predictions", "predicted", "hypothesis"])
def test_an_answer_beside_any_name_of_a_prediction_is_the_expected_one(name: str):
    said = [SAID, "Lyon."] if name == "predictions" else SAID
    assert_row({"question": ASKED, "answer": RIGHT, name: said})


def test_mtrag_has_a_chat_and_lists_of_answers():
    chat = [
        {"speaker": "user", "text": "Hello"},
        {"speaker": "agent", "text": "How can I help?"},
        {"speaker": "user", "text": ASKED},
    ]
    given = {"input": chat, "targets": [{"speaker": "agent", "text": RIGHT}]}
    assert_row({**given, "predictions": [{"text": SAID}]})


@pytest.mark.parametrize(
    ("context", "facts"),
    [
        ([["Paris", ["It is a city. ", "It is old."]], ["Lyon", ["No."]]], [["Paris", 0]]),
        (
            {"title": ["Paris", "Lyon"], "sentences": [["It is a city. ", "It is old."], ["No."]]},
            {"title": ["Paris"], "sent_id": [0]},
        ),
    ],
)
def test_hotpot_qa(context: object, facts: object):
    given = {"question": ASKED, "answer": RIGHT, "prediction": SAID}
    assert_row(
        {**given, "context": context, "supporting_facts": facts},
        contexts=["It is a city. It is old.", "No."],
        context_ids=["Paris", "Lyon"],
        relevant=[{"id": "Paris", "grade": 1}],
    )


def test_ms_marco():
    passages = {"passage_text": [TEXT, "Lyon."], "is_selected": [1, 0], "url": ["u", "v"]}
    given = {"query": ASKED, "answers": [RIGHT], "prediction": SAID, "passages": passages}
    assert_row(given, contexts=[TEXT, "Lyon."], gold_contexts=[TEXT])


def test_auto_rag():
    given = {
        "query": ASKED,
        "generation_gt": [RIGHT],
        "generated_texts": SAID,
        "retrieval_gt": [["d1", "d2"], ["d1"]],
        "retrieved_ids": ["d1"],
        "retrieved_contents": [TEXT],
    }
    grades = [{"id": "d1", "grade": 1}, {"id": "d2", "grade": 1}]
    assert_row(given, contexts=[TEXT], context_ids=["d1"], relevant=grades)


def test_haystacks_answers_in_rows():
    answers = [{"data": SAID, "documents": [{"id": "d1", "content": TEXT, "score": 0.5}]}]
    given = {"query": ASKED, "answers": answers, "ground_truth_answer": RIGHT}
    assert_row(given, contexts=[TEXT], context_ids=["d1"], context_scores=[0.5])


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "user", "content": ASKED}, {"role": "assistant", "content": SAID}],
        [{"from": "human", "value": ASKED}, {"from": "gpt", "value": SAID}],
    ],
)
def test_chats(messages: list[dict[str, str]]):
    assert_row({"messages": messages, "reference": RIGHT})


def test_a_chat_beside_a_question_and_an_answer_is_left_out():
    messages = [{"role": "user", "content": "Other?"}]
    assert_row({"messages": messages, "question": ASKED, "answer": SAID, "reference": RIGHT})


def bedrock(n_turns: int) -> dict[str, object]:
    turn = {
        "prompt": {"content": [{"text": ASKED}]},
        "referenceResponses": [{"content": [{"text": RIGHT}]}],
        "output": {
            "text": SAID,
            "modelIdentifier": "m",
            "retrievedPassages": {"retrievalResults": [{"content": {"text": TEXT}}]},
        },
    }
    return {"conversationTurns": [turn] * n_turns}


def test_bedrock():
    assert_row(bedrock(1), contexts=[TEXT], system="m")


def test_a_conversation_of_two_turns_is_refused():
    with pytest.raises(DataError, match="has 2 turns; give one question and answer per row"):
        load([bedrock(2)])


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


@pytest.mark.parametrize(
    "reply",
    [
        {"response": {"status_code": 200, "body": {"choices": [{"message": {"content": SAID}}]}}},
        {"result": {"type": "succeeded", "message": {"content": [{"type": "text", "text": SAID}]}}},
    ],
)
def test_replies_of_a_batch(reply: dict[str, object]):
    row = load([{"custom_id": "q7", "error": None, **reply}]).frame.row(0, named=True)
    assert (row["id"], row["answer"]) == ("q7", SAID)


def test_a_chat_of_ragas_ends_with_the_answer():
    turns = [{"type": "human", "content": "Where?"}, {"type": "ai", "content": "Here."}]
    row = load([{"user_input": turns, "reference": "Here"}]).frame.row(0, named=True)
    assert (row["question"], row["answer"], row["references"]) == ("Where?", "Here.", ["Here"])


def test_an_input_that_ends_with_the_question_keeps_its_output_as_the_answer():
    turns = [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Where?"}]
    row = load([{"input": turns, "output": "Here."}]).frame.row(0, named=True)
    assert (row["question"], row["answer"]) == ("Where?", "Here.")


def test_dpr_keeps_scores_as_text():
    ctxs = [{"id": "wiki:1", "title": "T", "text": TEXT, "score": "81.2", "has_answer": True}]
    given = {"question": ASKED, "answers": [RIGHT], "ctxs": ctxs, "output": SAID}
    assert_row(given, contexts=[TEXT], context_ids=["wiki:1"], context_scores=[81.2])


def test_the_reader_of_dpr_keeps_its_answers_in_predictions():
    best = {"text": SAID, "score": 12.3, "passage_idx": 0, "passage": TEXT}
    predictions = [{"top_k": 10, "prediction": best}]
    assert_row({"question": ASKED, "gold_answers": [RIGHT], "predictions": predictions})


def test_rgb_calls_the_expected_answer_ans():
    assert_row({"query": ASKED, "ans": [RIGHT], "prediction": SAID, "docs": [TEXT]})


def test_results_of_bedrock_have_an_input_record():
    content = [{"text": ASKED}]
    record = {
        "prompt": {"content": content},
        "referenceResponses": [{"content": [{"text": RIGHT}]}],
    }
    turn = {"inputRecord": record, "output": {"text": SAID}, "results": [{"result": 1.0}]}
    assert_row({"conversationTurns": [turn]})


def test_a_chain_of_langchain_adds_its_result_to_the_expected_answer():
    documents = [{"page_content": TEXT, "metadata": {"source": "a.md"}}]
    given = {"query": ASKED, "answer": RIGHT, "result": SAID, "source_documents": documents}
    assert_row(given, contexts=[TEXT], context_ids=["a.md"])
