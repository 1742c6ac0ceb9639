"""Layouts that are none: numbered columns, systems side by side, rows of passages and joined texts; the usual ones are in `samples/`."""

from pathlib import Path

import pytest
from cases import cases

from ragauge.errors import DataError
from ragauge.loaders.loading import load
from ragauge.samples.samples import Samples

pytestmark = pytest.mark.usefixtures("also_in_pieces")


def loaded(tmp_path: Path, text: str, answer: str | None = None) -> Samples:
    path = tmp_path / "a.csv"
    path.write_text(text)
    return load(path, map=None if answer is None else {"answer": answer})


@cases(
    ("id,answer,context_1,context_3\nq1,a,x,y\n", {"context_1": "x", "context_3": "y"}),
    ("id,answer,contexts,context_1,context_2\nq1,a,all,x,y\n", {"contexts": ["all"], "context_1": "x"}),
    ("id,answer,year_1,year_2,doc_id_1\nq1,a,1999,2000,7\n", {"year_1": 1999, "doc_id_1": 7}),
    ("id,answer,[note] extra\nq1,a,text\n", {"[note] extra": "text"}),
    ("Question,Correct Answers\nWhere?,Here; There\n", {"references": ["Here; There"]}),
    ("input,actual_output,retrieval_context,context\nq,a,one; two | three,gold\n", {"contexts": ["one; two | three"]}),
    ("question,answer,contexts\nq,a,one|two\n", {"contexts": ["one|two"]}),
    ('id,answer\nq1,"""Yes"""\nq2,No\n', {"answer": '"Yes"'}),
    ("id,question,answer_length,answer_score\n1,q,7,0.5\n", {"system": "default", "answer_length": 7}),
    ("id,answer,answer_style,answer_tone\n1,x,short,kind\n", {"answer_style": "short", "answer_tone": "kind"}),
)  # fmt: skip
def test_columns_and_cells_that_only_look_like_a_layout_stay(text, expected, tmp_path):
    row = loaded(tmp_path, text).frame.row(0, named=True)
    assert {name: row[name] for name in expected} == expected


def test_columns_of_any_names_are_chosen_with_commas(tmp_path):
    samples = loaded(tmp_path, "question,expected,GPT,Claude\nq,r,x,y\n", "GPT,Claude")
    assert samples.systems == ("Claude", "GPT")
    assert samples.frame.filter(system="GPT")["answer"].to_list() == ["x"]
    assert samples.frame["references"].to_list() == [["r"], ["r"]]
    itself = loaded(tmp_path, 'id,"a,b",a,b\n1,x,y,z\n', "a,b")
    assert itself.frame["answer"].to_list() == ["x"]
    with pytest.raises(DataError, match="has no column 'a,c' for answer"):
        loaded(tmp_path, "id,a,b\n1,x,y\n", "a,c")


@cases(
    "q1,a,one\nq1,b,two",
    "q1,a,one\nq1,a,one",
    'q1,a,"[""one""]"\nq1,a,"[""two""]"',
    ids=["two answers", "a row twice", "lists"],
)
def test_other_rows_of_one_id_are_no_passages(rows, tmp_path):
    with pytest.raises(DataError, match="duplicate id"):
        loaded(tmp_path, f"id,answer,context\n{rows}\n")
