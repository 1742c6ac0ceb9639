import json

import pandas as pd
import polars as pl
import pytest

from ragauge.errors import DataError, PlanError
from ragauge.loaders.verdicts import load_verdicts


def values(labels):
    return labels.frame["value"].to_list()


@pytest.mark.parametrize(
    ("yes", "no"),
    [("yes", "no"), ("Correct", "INCORRECT"), ("true", "False"), ("pass", "fail"), ("1", "0"), (" y ", "N"), ("supported", "not supported")],
)  # fmt: skip
def test_usual_words_mean_yes_and_no(tmp_path, yes, no):
    file = tmp_path / "labels.csv"
    file.write_text(f"id,label\nq1,{yes}\nq2,{no}\n")
    labels = load_verdicts(file)
    assert (labels.kind, values(labels)) == ("binary", [1.0, 0.0])


def test_usual_column_names_are_recognised():
    labels = load_verdicts(
        [
            {
                "question_id": "q1",
                "model": "new",
                "annotator": "ann",
                "verdict": True,
                "criterion": "correct",
            }
        ]
    )
    assert labels.frame.row(0) == ("q1", "new", None, "correct", "ann", 1.0, None)
    assert labels.notes == (
        "read 'question_id' as id, 'model' as system, 'annotator' as rater, 'verdict' as value, "
        "'criterion' as metric",
    )


def test_labels_may_name_their_question_by_its_text():
    labels = load_verdicts([{"query": "Who?", "label": "yes"}, {"id": "q2", "label": "no"}])
    assert labels.frame.select("id", "question").rows() == [(None, "Who?"), ("q2", None)]
    with pytest.raises(DataError, match="neither an id nor a question"):
        load_verdicts([{"question": " ", "label": "yes"}])
    # Where there are ids, nobody has to say which column has the questions.
    rows = [{"id": "q1", "prompt": "a", "query": "b", "label": "yes"}]
    assert load_verdicts(rows).frame["id"].to_list() == ["q1"]


def test_grades_are_numbers_and_may_become_yes_and_no():
    rows = [{"id": f"q{n}", "score": n} for n in range(1, 6)]
    assert load_verdicts(rows).kind == "graded"
    labels = load_verdicts(rows, yes_from=4)
    assert (labels.kind, values(labels)) == ("binary", [0, 0, 0, 1, 1])


def test_a_grade_that_means_yes_is_of_no_use_where_there_are_no_grades():
    labels = load_verdicts([{"id": "a", "label": "yes"}, {"id": "b", "label": "no"}], yes_from=3)
    assert labels.notes[-1] == (
        "--yes-from 3 changes nothing: the labels are yes and no, not grades"
    )


def test_files_and_frames_give_the_same_labels(tmp_path):
    rows = [{"id": "q1", "system": "a", "rater": "x", "label": 1}, {"id": "q2", "system": "a", "rater": "x", "label": 0}]  # fmt: skip
    frame = pl.DataFrame(rows)
    frame.write_csv(tmp_path / "l.csv")
    frame.write_parquet(tmp_path / "l.parquet")
    (tmp_path / "l.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "l.json").write_text(json.dumps(rows))
    expected = load_verdicts(rows).frame
    sources = [frame, pd.DataFrame(rows), *(tmp_path / f"l.{end}" for end in ("csv", "parquet", "jsonl", "json"))]  # fmt: skip
    for source in sources:
        assert load_verdicts(source).frame.equals(expected)


def test_an_empty_label_is_no_label():
    labels = load_verdicts([{"id": "q1", "label": "yes"}, {"id": "q2", "label": None}, {"id": "q3", "label": " "}])  # fmt: skip
    assert len(labels) == 1
    assert "rows without a label: 2" in labels.notes


def test_a_column_for_each_rater_is_read():
    labels = load_verdicts([{"id": "q1", "annotator_1": "yes", "annotator_2": "no", "topic": "x"}])
    assert labels.raters == ("annotator_1", "annotator_2")
    chosen = load_verdicts([{"id": "q1", "ann": 1, "ben": 0}], map={"value": ["ann", "ben"]})
    assert chosen.raters == ("ann", "ben")


def test_a_list_of_labels_has_a_rater_for_each():
    labels = load_verdicts([{"id": "q1", "labels": ["yes", "no", "yes"]}], map={"value": "labels"})
    assert labels.raters == ("rater 1", "rater 2", "rater 3")


def test_words_of_ones_own_are_named_with_yes():
    rows = [{"id": "1", "label": "Correct Answer"}, {"id": "2", "label": "Refusal"}, {"id": "3", "label": "Unsure"}]  # fmt: skip
    labels = load_verdicts(rows, yes=["correct answer"], skip=["unsure"])
    assert values(labels) == [1.0, 0.0]
    assert "counted as no: 'Refusal' (1)" in labels.notes


@pytest.mark.parametrize(
    ("row", "preferred"),
    [
        ({"system_a": "old", "system_b": "new", "winner": "b"}, -1.0),
        ({"model_a": "old", "model_b": "new", "winner": "model_a"}, 1.0),
        ({"system_a": "old", "system_b": "new", "preferred": "new"}, -1.0),
        ({"system_a": "old", "system_b": "new", "preference": "tie"}, 0.0),
        ({"winner": "old", "loser": "new"}, 1.0),
    ],
)
def test_preferences_name_two_systems(row, preferred):
    labels = load_verdicts([{"id": "q1", **row}])
    assert labels.kind == "preference"
    assert labels.frame.select("system", "other", "value").row(0) == ("old", "new", preferred)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"id": "q1", "label": float("nan")}], "is nan; leave the cell empty"),
        ([{"id": "q1", "label": "1e999"}], "is inf; leave the cell empty"),
        ([{"id": "q1", "label": "maybe"}], "'maybe' is neither yes nor no nor a number; name the words"),
        ([{"id": "q1", "label": "yes"}, {"id": "q2", "label": 4}], "is 4, but other labels are yes or no"),
        ([{"id": "q1", "label": 1}, {"id": "q1", "label": 0}], "is 0, but 'people' gave 1 at list of rows:1; keep one; if these are two people, add a column rater"),
        ([{"label": 1}], "has no column of ids or of questions"),
        ([{"id": "", "label": 1}], "has a label but no id"),
        ([{"id": "q1", "text": "x"}], "has no column of labels"),
        ([{"id": "q1", "label": ""}], "every label is empty (column 'label')"),
        ([{"id": "q1", "score": 1, "rating": 2}], "'score' and 'rating' could each be value; choose one: --map value=COLUMN"),
        ([{"id": "q1", "system_a": "a", "system_b": "b", "winner": "c"}], "'c' is no preference"),
        ([{"id": "q1", "system_a": "b", "system_b": "a", "winner": "a"}], "'a' could be the name of a system or its place"),
        ([{"id": "q1", "loser": "b", "label": 1}], "a preference needs both"),
        ([], "holds no labels"),
    ],
)  # fmt: skip
def test_labels_that_cannot_be_used_are_named_with_their_place(rows, message):
    with pytest.raises(DataError) as caught:
        load_verdicts(rows)
    assert message in str(caught.value)


def test_a_wrong_word_is_named_once_with_its_line_and_how_many_more(tmp_path):
    file = tmp_path / "labels.csv"
    file.write_text("id,label\nq1,yes\nq2,so-so\nq3,so-so\n")
    with pytest.raises(DataError) as caught:
        load_verdicts(file)
    assert str(caught.value).startswith(f"{file}:3: id 'q2', field 'value': 'so-so' is neither")
    assert "(and 1 more like it)" in str(caught.value)
    assert len(caught.value.problems) == 1


def test_a_word_that_no_label_has_is_an_error():
    with pytest.raises(DataError, match="no label is 'Right'; the labels are 'good', 'bad'"):
        load_verdicts([{"id": "1", "label": "good"}, {"id": "2", "label": "bad"}], yes=["Right"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"map": {"labl": "x"}}, "unknown field 'labl'"),
        ({"kind": "stars"}, "kind must be one of"),
        ({"yes": ["a"], "yes_from": 3}, "not both"),
        ({"yes_from": float("nan")}, "yes_from is nan; give a finite number"),
        ({"yes": "good"}, "give \\['good'\\]"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, message):
    with pytest.raises(PlanError, match=message):
        load_verdicts([{"id": "q1", "label": 1}], **options)


def test_a_missing_file_and_a_missing_column_are_named(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        load_verdicts(tmp_path / "none.csv")
    with pytest.raises(DataError, match="has no column 'labels' for value; did you mean 'label'"):
        load_verdicts([{"id": "q1", "label": 1}], map={"value": "labels"})


def test_equal_labels_of_one_rater_count_once():
    labels = load_verdicts([{"id": "q1", "label": 1}, {"id": "q1", "label": 1}, {"id": "q2", "label": 0}])  # fmt: skip
    assert len(labels) == 2
    assert "labels that a rater gave twice, counted once: 1" in labels.notes


def test_ids_stay_texts():
    labels = load_verdicts([{"id": "007", "label": 1}, {"id": 7, "label": 0}])
    assert labels.frame["id"].to_list() == ["007", "7"]


@pytest.mark.parametrize("name", ["id", "question", "system", "rater", "metric", "answer"])
def test_half_a_character_in_a_name_is_a_problem_with_its_place(name):
    row = {"id": "q1", "label": 1} | {name: "\ud800"}
    with pytest.raises(DataError, match="contains half a character") as caught:
        load_verdicts([row | ({"id": None} if name == "question" else {})])
    assert caught.value.problems[0].field == name
