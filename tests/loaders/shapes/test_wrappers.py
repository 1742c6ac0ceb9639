"""Objects and dotted columns that hold what was asked, answered and expected."""

import pytest

from ragauge.errors import DataError
from ragauge.loaders import load

ASKED, SAID, RIGHT = "Capital of France?", "It is Paris.", "Paris"


def row_of(*rows: dict[str, object], **options: object) -> dict[str, object]:
    return load(list(rows), **options).frame.row(0, named=True)


def test_dots_without_a_field_behind_them_are_left_alone():
    row = row_of({"answer": SAID, "outputs.relevance.relevance": 5})
    assert row["outputs.relevance.relevance"] == 5


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
