"""Answers of several systems in the columns of one table."""

from pathlib import Path

import pytest

from ragauge.errors import DataError
from ragauge.loaders import load
from ragauge.samples.samples import Samples


def loaded(tmp_path: Path, text: str, answer: str | None = None) -> Samples:
    path = tmp_path / "a.csv"
    path.write_text(text)
    return load(path, map=None if answer is None else {"answer": answer})


def test_columns_of_any_names_are_chosen_with_commas(tmp_path: Path):
    samples = loaded(tmp_path, "question,expected,GPT,Claude\nq,r,x,y\n", "GPT,Claude")
    assert samples.systems == ("Claude", "GPT")
    assert samples.frame.filter(system="GPT")["answer"].to_list() == ["x"]
    assert samples.frame["references"].to_list() == [["r"], ["r"]]


def test_a_column_whose_name_has_a_comma_is_itself(tmp_path: Path):
    samples = loaded(tmp_path, 'id,"a,b",a,b\n1,x,y,z\n', "a,b")
    assert samples.frame["answer"].to_list() == ["x"]


def test_an_unknown_name_among_the_chosen_is_an_error(tmp_path: Path):
    with pytest.raises(DataError, match="has no column 'a,c' for answer"):
        loaded(tmp_path, "id,a,b\n1,x,y\n", "a,c")


def test_numbers_beside_no_answer_are_no_systems(tmp_path: Path):
    samples = loaded(tmp_path, "id,question,answer_length,answer_score\n1,q,7,0.5\n")
    assert samples.systems == ("default",)


def test_an_answer_column_keeps_others_as_extra_fields(tmp_path: Path):
    samples = loaded(tmp_path, "id,answer,answer_style,answer_tone\n1,x,short,kind\n")
    assert samples.slice_fields == ("answer_style", "answer_tone")


def test_an_object_of_an_answers_parts_is_no_object_of_systems():
    samples = load([{"id": "1", "answers": {"text": ["x"], "answer_start": [0]}}])
    assert samples.frame["references"].to_list() == [["x"]]
