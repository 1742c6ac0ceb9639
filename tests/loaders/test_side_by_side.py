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


@pytest.mark.parametrize(
    "header",
    ["answer_small,answer_large", "small answer,large answer", "Answer (small),Answer (large)"],
)
def test_columns_with_the_names_of_systems_are_a_row_each(tmp_path: Path, header: str):
    samples = loaded(tmp_path, f"id,question,reference,{header}\n1,q,r,x,y\n2,p,s,z,w\n")
    assert samples.systems == ("large", "small")
    small = samples.frame.filter(system="small")
    assert small["answer"].to_list() == ["x", "z"]
    assert small["references"].to_list() == [["r"], ["s"]]
    assert any("as the answers of 'small'" in note for note in samples.notes)


def test_contexts_of_each_system_go_with_its_answer(tmp_path: Path):
    header = "id,response_a,contexts_a,response_b,contexts_b"
    frame = loaded(tmp_path, f"{header}\n1,x,from a,y,from b\n").frame
    assert frame.filter(system="a")["contexts"].to_list() == [["from a"]]
    assert frame.filter(system="b")["contexts"].to_list() == [["from b"]]


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


def test_an_object_of_answers_by_system():
    samples = load([{"id": "1", "reference": "r", "answers": {"small": "x", "large": "y"}}])
    assert samples.systems == ("large", "small")
    assert samples.frame["references"].to_list() == [["r"], ["r"]]


def test_an_object_of_an_answers_parts_is_no_object_of_systems():
    samples = load([{"id": "1", "answers": {"text": ["x"], "answer_start": [0]}}])
    assert samples.frame["references"].to_list() == [["x"]]


def test_answers_of_systems_in_another_language():
    rows = [{"Frage": "Wo?", "Sollantwort": "Hier", "Antwort GPT-4": "Da", "Antwort (B)": "Hier"}]
    read = load(rows).frame.rows(named=True)
    assert [(row["system"], row["answer"]) for row in read] == [("GPT-4", "Da"), ("B", "Hier")]
    assert [row["references"] for row in read] == [["Hier"], ["Hier"]]


@pytest.mark.parametrize("name", ["answers", "responses"])
def test_a_list_of_systems_with_their_answers(name: str):
    given = [{"model": "a", "answer": "here"}, {"model": "b", "answer": "there"}]
    read = load([{"id": "q1", "reference": "Here", name: given}]).frame.rows(named=True)
    assert [(row["system"], row["answer"]) for row in read] == [("a", "here"), ("b", "there")]
    assert [row["references"] for row in read] == [["Here"], ["Here"]]
