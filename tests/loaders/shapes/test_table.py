"""Rows that only look like those of a published data set; the usual ones are in `samples/`."""

import pytest
from cases import cases

from ragauge.errors import DataError
from ragauge.loaders.loading import load

ASKED, SAID, RIGHT = "Capital of France?", "It is Paris.", "Paris"
TEXT = "Paris is the capital of France."
OUTPUT = [{"answer": RIGHT, "provenance": [{"title": "Paris"}]}]


@cases(
    ({"question": ASKED, "answer": RIGHT, "predicted": SAID}, {"answer": SAID, "references": [RIGHT]}),
    ({"question": ASKED, "answer": RIGHT, "hypothesis": SAID}, {"answer": SAID, "references": [RIGHT]}),
    ({"question": ASKED, "answer": RIGHT, "predictions": [SAID, "Lyon."]}, {"answer": SAID, "references": [RIGHT]}),
    ({"messages": [{"role": "user", "content": "Other?"}], "question": ASKED, "answer": SAID}, {"question": ASKED, "answer": SAID}),
    ({"answer": SAID, "gold_contexts": [TEXT], "evidence": ["p. 3"]}, {"gold_contexts": [TEXT], "evidence": '["p. 3"]'}),
    *[({"answer": SAID, "evidence": evidence}, {"gold_contexts": None}) for evidence in ("a text", [["Dam", 3]], [{"page": 3}], 0.5)],
    ({"question": ASKED, "answer": SAID, "source": TEXT, "summary": "short"}, {"answer": SAID, "source": TEXT, "contexts": None}),
    ({"question": ASKED, "source": "wiki", "summary": SAID}, {"source": "wiki", "contexts": None}),
    ({"question": ASKED, "instruction": TEXT, "response": SAID, "label": "correct"}, {"label": "correct", "references": None}),
)  # fmt: skip
def test_columns_keep_their_usual_meaning_beside_others(given, expected):
    row = load([given]).frame.row(0, named=True)
    assert {name: row.get(name) for name in expected} == expected


NOTHING_FOUND = {"text": SAID, "retrievedPassages": {"retrievalResults": []}}


@cases(
    ({"conversationTurns": [{"prompt": {}, "output": NOTHING_FOUND}]}, {"answer": SAID, "contexts": []}),
    ({"query": ASKED, "retrieval_gt": [[]]}, {"relevant": []}),
    ({"run_id": "m", "topic": ASKED, "references": [], "answer": []}, {"answer": "", "context_ids": [], "system": "m"}),
    ({"query": ASKED, "answers": [RIGHT], "passages": {"passage_text": [], "is_selected": []}}, {"contexts": [], "gold_contexts": []}),
)  # fmt: skip
def test_what_is_empty_is_empty_and_not_missing(given, expected):
    row = load([given]).frame.row(0, named=True)
    assert {name: row[name] for name in expected} == expected


def test_a_column_that_the_user_maps_stays():
    samples = load([{"source": TEXT, "summary": SAID}], map={"question": "summary"})
    assert samples.frame["question"].to_list() == [SAID]
    samples = load([{"answer": SAID, "evidence": [TEXT]}], map={"contexts": "evidence"})
    assert samples.frame["contexts"].to_list() == [[TEXT]]
    assert "gold_contexts" not in samples.columns


@cases(
    ([{"input": ASKED, "output": OUTPUT}, {"input": ASKED, "output": [*OUTPUT, {}]}], "must be text, got a list"),
    ([{"id": "q1", "answer": "a"}, {"id": "q2", "answer": ["b"]}], "must be text"),
    ([{"conversationTurns": [{"output": {"text": SAID}}] * 2}], "has 2 turns; give one question and answer per row"),
)  # fmt: skip
def test_lists_of_something_else_are_no_answers(rows, message):
    with pytest.raises(DataError, match=message):
        load(rows)


@cases(
    {"answers": {"text": 3}},
    {"answers": [{"text": None}]},
    {"context": [["Paris", "not a list"]], "answers": []},
    {"passages": {"passage_text": [1, 2]}},
    {"retrieval_gt": [[1]]},
    {"messages": ["text"]},
    {"conversationTurns": ["text"]},
    {"conversationTurns": [{"output": [], "prompt": 3}]},
)
def test_other_shapes_are_named_and_not_guessed(given):
    try:
        samples = load([{"id": "q1", "question": ASKED, "prediction": SAID, **given}])
    except DataError as error:
        assert "q1" in str(error) or "contexts" in str(error)
    else:
        assert samples.frame["answer"].to_list() == [SAID]
        assert "references" not in samples.columns
