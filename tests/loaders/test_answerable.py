"""Whether a question has an answer, as files and other tools say it."""

from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest
from cases import cases

import ragauge as rg
from ragauge.errors import DataError

YES_NO = {"true": True, "No": False, "1": True, "0": False, "": None, "PARTIAL": None}


def loaded(rows: list[dict[str, object]]) -> list[object]:
    return rg.load(rows).frame["answerable"].to_list()


@cases(
    ("answerable", [True, False, None], [True, False, None]),
    ("answerable", ["yes", "no", ""], [True, False, None]),
    ("Answerable", ["yes", "no", "true"], [True, False, True]),
    ("is_impossible", [True, False, None], [False, True, None]),
    ("isImpossible", [1, 0, "no"], [False, True, True]),
    ("unanswerable", ["True", "False", 1.0], [False, True, False]),
    ("no_answer", [False, True, "0"], [True, False, True]),
    ("Answerability", ["ANSWERABLE", "UNANSWERABLE", "PARTIAL"], [True, False, None]),
    ("answerability", [["UNANSWERABLE"], ["CONVERSATIONAL"], None], [False, None, None]),
)
def test_it_is_read_from_the_names_of_other_tools(column, values, read):
    rows = [{"question": f"q{at}", "answer": "a", column: value} for at, value in enumerate(values)]
    assert loaded(rows) == read
    frame = pl.DataFrame([{**row, column: row[column]} for row in rows], strict=False)
    if frame.schema[column] in (pl.Boolean, pl.String):
        assert rg.load(frame).frame["answerable"].to_list() == read


def test_a_note_says_that_a_column_was_read_as_its_opposite():
    samples = rg.load([{"question": "q", "answer": "a", "is_impossible": True}])
    assert samples.notes[0] == "read 'is_impossible' as not answerable"
    chosen = rg.load([{"question": "q", "answer": "a", "has": "yes"}], map={"answerable": "has"})
    assert chosen.frame["answerable"].to_list() == [True]


@pytest.mark.parametrize("value", ["maybe", 2, "none", [True, False], {"a": 1}, 10**50])
def test_anything_else_is_a_problem_with_its_place(value):
    for column in ("answerable", "unanswerable"):
        rows = [{"id": "q1", "question": "q", "answer": "a", column: value}]
        with pytest.raises(DataError, match=r"q1.*answerable.*must be true or false, got"):
            rg.load(rows)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.jsonl"])
def test_files_give_the_same_in_memory_and_in_pieces(name: str, tmp_path: Path, check_same_samples):
    cells = list(YES_NO) if name == "a.csv" else list(YES_NO.values())
    rows = [{"id": f"q{at}", "answer": "a", "unanswerable": each} for at, each in enumerate(cells)]
    path = tmp_path / name
    write = {"a.csv": pl.DataFrame.write_csv, "a.parquet": pl.DataFrame.write_parquet}
    write.get(name, pl.DataFrame.write_ndjson)(pl.DataFrame(rows), path)
    answerable = check_same_samples(path).frame["answerable"]
    assert answerable.to_list() == [None if no is None else not no for no in YES_NO.values()]
    if name == "a.csv":
        path.write_text("id,answer,answerable\nq1,a,yes\nq2,a,perhaps\n")
        with pytest.raises(DataError, match=r"a\.csv:3.*must be true or false, got \"perhaps\""):
            rg.load(path)


def test_it_comes_from_the_gold_and_is_shared_by_systems():
    gold = [{"id": "q1", "question": "who?", "unanswerable": "yes"}]
    answers = {"a": [{"id": "q1", "answer": "x"}], "b": [{"id": "q1", "answer": "y"}]}
    assert rg.load(answers, gold=gold).frame["answerable"].to_list() == [False, False]
    shared = {"a": [{"id": "q1", "answer": "x", "answerable": False}], "b": answers["b"]}
    assert rg.load(shared).frame["answerable"].to_list() == [False, False]
    shared["b"] = [{"id": "q1", "answer": "y", "answerable": "yes"}]
    with pytest.raises(DataError, match="answerable"):
        rg.load(shared)


def test_empty_answers_of_squad_mean_that_there_is_none():
    given = {"text": ["Here"], "answer_start": [3]}
    none: dict[str, list[object]] = {"text": [], "answer_start": []}
    rows = [
        {"question": "where?", "prediction": "Here", "answers": given},
        {"question": "who?", "prediction": "", "answers": none},
    ]
    frame = rg.load(rows).frame
    assert frame["references"].to_list() == [["Here"], []]
    assert frame["answerable"].to_list() == [None, False]
    rows[1] = {"question": "who?", "prediction": "", "answers": [], "is_impossible": True}
    assert rg.load(rows).frame["answerable"].to_list() == [None, False]


def test_metadata_of_a_goldens_class_may_say_it():
    golden = SimpleNamespace(
        input="q", actual_output="a", additional_metadata={"unanswerable": True}
    )
    assert rg.load([golden]).frame["answerable"].to_list() == [False]


@cases(
    ({"answerable": True, "is_impossible": True}, "'is_impossible' is true"),
    ({"unanswerable": "no", "no_answer": "yes"}, "'unanswerable' is \"no\" and 'no_answer' is \"yes\""),
    ({"answerable": True, "Answerability": "UNANSWERABLE"}, "'Answerability' is \"UNANSWERABLE\""),
)  # fmt: skip
def test_columns_that_contradict_each_other_are_a_problem_with_its_place(row, shown):
    rows = [{"id": "q1", "answer": "a"}, {"id": "q2", "answer": "a", **row}]
    with pytest.raises(DataError) as error:
        rg.load(rows)
    assert "list of rows:2: id 'q2'" in str(error.value)
    assert shown in str(error.value)
    first, *_ = row
    assert rg.load(rows, map={"answerable": first}).frame["answerable"].null_count() == 1


def test_of_several_columns_that_say_the_same_the_others_fill_in():
    rows = [
        {"answer": "a", "answerable": None, "is_impossible": True},
        {"answer": "a", "answerable": True, "is_impossible": False},
    ]
    assert loaded(rows) == [False, True]
