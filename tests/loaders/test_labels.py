"""Labels of people: columns, words, grades, preferences, and what is wrong with them."""

import json

import pandas as pd
import polars as pl
import pytest
from cases import cases

from ragauge.errors import DataError, PlanError
from ragauge.loaders.labels import load_verdicts

GRADES = [{"id": f"q{n}", "score": n} for n in range(1, 6)]
YES_NO = [{"id": "a", "label": "yes"}, {"id": "b", "label": "no"}]
OWN = [{"id": "1", "label": "Correct Answer"}, {"id": "2", "label": "Refusal"}, {"id": "3", "label": "Unsure"}]  # fmt: skip
PAIR = {"id": "q1", "system_a": "old", "system_b": "new"}
WON = [{"id": "q1", "winner": "old", "loser": "new"}]
USUAL = (
    "yes",
    "no",
    "Correct",
    "INCORRECT",
    "true",
    "False",
    "pass",
    "fail",
    "1",
    "0",
    " y ",
    "not supported",
)
WORDS = [{"id": str(at), "label": word} for at, word in enumerate(USUAL)]
OTHER_NAMES = {"question_id": "q1", "model": "new", "annotator": "ann", "verdict": True, "criterion": "correct"}  # fmt: skip


@cases(
    (GRADES, {}, "graded", [1, 2, 3, 4, 5], ["read 'score' as value"]),
    (GRADES, {"yes_from": 4}, "binary", [0, 0, 0, 1, 1], ["read 'score' as value"]),
    (YES_NO, {"yes_from": 3}, "binary", [1, 0], ["read 'label' as value", "--yes-from 3 changes nothing: the labels are yes and no, not grades"]),
    (OWN, {"yes": ["correct answer"], "skip": ["unsure"]}, "binary", [1, 0], ["read 'label' as value", "counted as no: 'Refusal' (1)", "rows without a label: 1"]),
    ([*YES_NO, {"id": "c", "label": None}, {"id": "d", "label": " "}], {}, "binary", [1, 0], ["read 'label' as value", "rows without a label: 2"]),
    ([{"id": "q1", "label": 1}, *YES_NO[1:], {"id": "q1", "label": 1}], {}, "binary", [1, 0], ["read 'label' as value", "labels that a rater gave twice, counted once: 1"]),
    ([OTHER_NAMES], {}, "binary", [1], ["read 'question_id' as id, 'model' as system, 'annotator' as rater, 'verdict' as value, 'criterion' as metric"]),
    ([{"id": "q1", "value": 1, "label": 0}], {}, "binary", [1], []),
    (WORDS, {}, "binary", [1, 0] * 6, ["read 'label' as value"]),
    ([PAIR | {"winner": "b"}], {}, "preference", [-1], ["read 'system_a' as system, 'system_b' as other, 'winner' as value"]),
    ([PAIR | {"preferred": "new"}], {"yes_from": 1}, "preference", [-1], ["read 'system_a' as system, 'system_b' as other, 'preferred' as value", "--yes-from 1 changes nothing: the labels are preferences, not grades"]),
    (WON, {}, "preference", [1], ["read 'loser' as other, 'winner' as system"]),
    ([PAIR | {"preference": "tie"}, PAIR | {"id": "q2", "preference": "-1"}], {}, "preference", [0, -1], ["read 'system_a' as system, 'system_b' as other, 'preference' as value"]),
    ([{"id": "q1", "model_a": "old", "model_b": "new", "winner": "model_a"}], {}, "preference", [1], ["read 'model_a' as system, 'model_b' as other, 'winner' as value"]),
    ([{"id": "q1", "correct": "yes"}, {"id": "q2", "correct": "no"}], {}, "binary", [1, 0], ["read 'correct' as value"]),
    ([{"id": "q1", "label": 1, "correct": "Rome", "Score (old)": 3}], {}, "binary", [1], ["read 'label' as value"]),
    ([{"id": "q1", "human_1": "yes", "human_2": "no", "score (auto)": 1}], {}, "binary", [1, 0], ["read 'human_1', 'human_2' as the labels of a rater each"]),
    ([{"id": "q1", "human_1": "yes", "human_2": "no", "correct": "Rome"}], {}, "binary", [1, 0], ["read 'human_1', 'human_2' as the labels of a rater each"]),
    ([{"id": "q1", "annotator_1": "yes", "annotator_2": "no", "topic": "x"}], {}, "binary", [1, 0], ["read 'annotator_1', 'annotator_2' as the labels of a rater each"]),
)  # fmt: skip
def test_labels_are_numbers_of_one_kind_and_what_was_read_is_announced(
    rows, options, kind, values, notes
):
    labels = load_verdicts(rows, **options)
    assert (labels.kind, labels.frame["value"].to_list()) == (kind, values)
    assert list(labels.notes) == notes
    if kind == "preference":
        assert set(labels.frame.select("system", "other").rows()) == {("old", "new")}


def test_each_label_has_its_names():
    labels = load_verdicts([OTHER_NAMES])
    assert labels.frame.row(0) == ("q1", "new", None, "correct", "ann", 1.0, None)
    ids = load_verdicts([{"id": "007", "label": 1}, {"id": 7, "label": 0}])
    assert ids.frame["id"].to_list() == ["007", "7"]


def test_labels_may_name_their_question_by_its_text():
    labels = load_verdicts([{"query": "Who?", "label": "yes"}, {"id": "q2", "label": "no"}])
    assert labels.frame.select("id", "question").rows() == [(None, "Who?"), ("q2", None)]
    # Where there are ids, nobody has to say which column has the questions.
    rows = [{"id": "q1", "prompt": "a", "query": "b", "label": "yes"}]
    assert load_verdicts(rows).frame["id"].to_list() == ["q1"]


def test_files_and_frames_give_the_same_labels(tmp_path):
    rows = [{"id": "q1", "system": "a", "rater": "x", "label": 1}, {"id": "q2", "system": "a", "rater": "x", "label": 0}]  # fmt: skip
    frame = pl.DataFrame(rows)
    frame.write_csv(tmp_path / "l.csv")
    frame.write_parquet(tmp_path / "l.parquet")
    (tmp_path / "l.jsonl").write_text("\n".join(map(json.dumps, rows)))
    expected = load_verdicts(rows).frame
    for source in (frame, pd.DataFrame(rows), *tmp_path.iterdir()):
        assert load_verdicts(source).frame.equals(expected)


@cases(
    ({"annotator_1": "yes", "annotator_2": "no", "topic": "x"}, None, ("annotator_1", "annotator_2")),
    ({"ann": 1, "ben": 0}, ["ann", "ben"], ("ann", "ben")),
    ({"labels": ["yes", "no", "yes"]}, "labels", ("rater 1", "rater 2", "rater 3")),
    ({"label": "yes"}, None, ("people",)),
)  # fmt: skip
def test_raters_have_a_column_or_an_item_each(row, value, raters):
    labels = load_verdicts([{"id": "q1", **row}], map={"value": value} if value else None)
    assert labels.raters == raters


@cases(
    ([{"id": "q1", "label": float("nan")}], {}, "is nan; leave the cell empty"),
    ([{"id": "q1", "label": "1e999"}], {}, "is inf; leave the cell empty"),
    ([{"id": "q1", "label": 1e101}], {}, "is 1e+101; leave the cell empty"),
    ([{"id": "q1", "label": 10**400}], {}, "is neither yes nor no nor a number"),
    ([{"id": "q1", "label": "maybe"}], {}, "'maybe' is neither yes nor no nor a number; name the words"),
    ([{"id": "q1", "label": "yes"}, {"id": "q2", "label": 4}], {}, "is 4, but other labels are yes or no"),
    ([{"id": "q1", "label": 1}, {"id": "q1", "label": 0}], {}, "is 0, but 'people' gave 1 at list of rows:1; keep one; if these are two people, add a column rater"),
    (GRADES, {"kind": "binary"}, "is 2, not 0 or 1"),
    ([{"label": 1}], {}, "has no column of ids or of questions"),
    ([{"id": "", "label": 1}], {}, "has a label but no id"),
    ([{"question": " ", "label": 1}], {}, "has a label but neither an id nor a question"),
    ([{"id": "q1", "text": "x"}], {}, "has no column of labels; its columns are 'id', 'text'; --map value=text"),
    ([{"id": "q1", "label": ""}], {}, "every label is empty (column 'label')"),
    ([{"id": "q1", "score": 1, "rating": 2}], {}, "'score' and 'rating' could each be value; choose one: --map value=COLUMN"),
    ([PAIR | {"winner": "c"}], {}, "'c' is no preference"),
    ([{"id": "q1", "system_a": "b", "system_b": "a", "winner": "a"}], {}, "'a' could be the name of a system or its place"),
    ([{"id": "q1", "loser": "b", "label": 1}], {}, "a preference needs both"),
    ([], {}, "holds no labels"),
    (YES_NO, {"yes": ["Right"]}, "no label is 'Right'; the labels are 'yes', 'no'"),
    (YES_NO, {"map": {"value": "labels"}}, "has no column 'labels' for value; did you mean 'label'"),
    ("none.csv", {}, "no such file"),
)  # fmt: skip
def test_labels_that_cannot_be_used_are_named_with_their_place(rows, options, message):
    with pytest.raises(DataError) as caught:
        load_verdicts(rows, **options)
    assert message in str(caught.value)


def test_a_wrong_word_is_named_once_with_its_line_and_how_many_more(tmp_path):
    file = tmp_path / "labels.csv"
    file.write_text("id,label\nq1,yes\nq2,so-so\nq3,so-so\n")
    with pytest.raises(DataError) as caught:
        load_verdicts(file)
    assert str(caught.value).startswith(f"{file}:3: id 'q2', field 'value': 'so-so' is neither")
    assert "(and 1 more like it)" in str(caught.value)
    assert len(caught.value.problems) == 1


@cases(
    ({"map": {"labl": "x"}}, "unknown field 'labl'"),
    ({"kind": "stars"}, "kind must be one of"),
    ({"yes": ["a"], "yes_from": 3}, "not both"),
    ({"yes_from": float("nan")}, "yes_from is nan; give a finite number"),
    ({"yes": "good"}, "give \\['good'\\]"),
)
def test_options_that_do_not_fit_are_refused(options, message):
    with pytest.raises(PlanError, match=message):
        load_verdicts(YES_NO, **options)


@pytest.mark.parametrize("name", ["id", "question", "system", "rater", "metric", "answer"])
def test_half_a_character_in_a_name_is_a_problem_with_its_place(name):
    row = {"id": "q1", "label": 1} | {name: "\ud800"}
    with pytest.raises(DataError, match="contains half a character") as caught:
        load_verdicts([row | ({"id": None} if name == "question" else {})])
    assert caught.value.problems[0].field == name
