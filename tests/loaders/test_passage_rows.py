"""Tables with one row for each retrieved passage."""

from pathlib import Path

import pytest

from ragauge.errors import DataError
from ragauge.loaders import load


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "a.csv"
    path.write_text(text)
    return path


def test_the_rows_of_a_question_are_one_sample(tmp_path: Path):
    header = "query_id,query,passage_id,passage,score,generated_answer"
    rows = ["q1,where?,d1,one,0.5,here", "q1,where?,d2,two,0.25,", "q2,who?,d3,three,1,she"]
    samples = load(write(tmp_path, "\n".join([header, *rows])))
    first, second = samples.frame.rows(named=True)
    assert (first["id"], first["answer"]) == ("q1", "here")
    assert first["contexts"] == ["one", "two"]
    assert first["context_ids"] == ["d1", "d2"]
    assert first["context_scores"] == [0.5, 0.25]
    assert second["contexts"] == ["three"]
    assert samples.notes[0] == "read 3 rows, one for each 'passage', as 2 samples"


def test_a_rank_orders_the_passages(tmp_path: Path):
    text = "id,answer,chunk,rank\nq1,a,second,2\nq1,a,tenth,10\nq1,a,first,1\n"
    samples = load(write(tmp_path, text))
    assert samples.frame["contexts"].to_list() == [["first", "second", "tenth"]]


def test_what_differs_between_the_passages_is_left_out_and_named(tmp_path: Path):
    text = "id,answer,topic,chunk,cited\nq1,a,t,one,yes\nq1,a,t,two,no\n"
    samples = load(write(tmp_path, text))
    assert samples.frame["topic"].to_list() == ["t"]
    assert samples.notes[0].endswith("left out 'cited'")


@pytest.mark.parametrize(
    "rows",
    ["q1,a,one\nq1,b,two", "q1,a,one\nq1,a,one", 'q1,a,"[""one""]"\nq1,a,"[""two""]"'],
    ids=["two answers", "a row twice", "lists"],
)
def test_other_rows_of_one_id_are_an_error_as_before(tmp_path: Path, rows: str):
    with pytest.raises(DataError, match="duplicate id"):
        load(write(tmp_path, f"id,answer,context\n{rows}\n"))
