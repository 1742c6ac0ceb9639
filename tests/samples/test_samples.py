"""The columns of samples: what each may hold, and what null and empty mean."""

import random

import polars as pl
import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from ragauge.errors import DataError, Problem
from ragauge.loaders.loading import load, load_sources
from ragauge.loaders.sources import AnswerSource
from ragauge.loaders.table import Table
from ragauge.samples.fields import FIELDS, FieldError, Row, read_value
from ragauge.samples.samples import Samples


def from_rows(rows: list[Row], source: str = "samples", notes: tuple[str, ...] = ()) -> Samples:
    table = Table(tuple(rows), source, notes)
    return load_sources([AnswerSource(source, table=table)], {})


def samples(*rows: dict[str, object]) -> Samples:
    return from_rows([Row(row, "a.jsonl", line) for line, row in enumerate(rows, start=1)])


def problems_of(*rows: dict[str, object]) -> tuple[Problem, ...]:
    with pytest.raises(DataError) as caught:
        samples(*rows)
    return caught.value.problems


def test_null_is_null_in_every_field():
    assert [read_value(field, None) for field in FIELDS] == [None] * len(FIELDS)


@cases(("question", ""), ("answer", ""), ("references", []), ("contexts", []), ("relevant", {}))
def test_empty_stays_empty_and_is_not_null(field: str, empty: object):
    assert read_value(field, empty) == empty
    frame = samples({"id": "q1", field: empty}, {"id": "q2", field: None}).frame
    assert frame[field].is_null().to_list() == [False, True]


NO_NUMBERS = [float("nan"), float("inf")]


@cases(
    ("id", 7, "7"),
    *(("answer", value, text) for value, text in (("a", "a"), (5, "5"), (0.5, "0.5"), ("\0", "\0"))),
    ("relevant", ["d1", 2], {"d1": 1, "2": 1}),
    ("relevant", {"d1": 2, "d2": 0, "d3": -1}, {"d1": 2, "d2": 0, "d3": -1}),
    ("relevant", [{"id": "d1", "grade": 3.0}], {"d1": 3}),
    *(("topic", value, value) for value in ("a", 5, 0.5, True)),
    ("topic", {"é": [1, None]}, '{"é": [1, null]}'),
    *(("answer", text, text) for text in ("", " ", "🎉", "東京", "\u202etxt", "\u2028", "a\0b", "x" * 10**6)),
)  # fmt: skip
def test_a_value_has_the_type_of_its_field(field: str, value: object, read: object):
    assert read_value(field, value) == read


@cases(
    ("id", ["", " ", True, 1.0, *NO_NUMBERS, [], {}, "\ud800"]),
    ("system", ["", " ", True, 1.0, *NO_NUMBERS, [], {}, "\ud800"]),
    ("answer", [True, ["a"], {"a": 1}, *NO_NUMBERS, "a\udfff"]),
    ("references", [True, {"a": 1}, [None], [["a"]], [True], ["\ud800"]]),
    ("context_scores", ["0.5", [None], ["0.5"], [True], [NO_NUMBERS[0]], [NO_NUMBERS[1]], [2**70]]),
    ("relevant", ["d1", ["d1", "d1"], [{"id": "d1"}], {"": 1}]),
    ("relevant", [{"d1": grade} for grade in (0.5, True, "1", None, 2**40, *NO_NUMBERS)]),
    ("answer", [["a" * 1_000_000]]),
    ("topic", [NO_NUMBERS[0], [NO_NUMBERS[1]], 10**5000, [10**5000], "\ud800"]),
    ("cost_usd", [1e101, 10**101, "1e308", -1, *NO_NUMBERS]),
ids=range(10),
)  # fmt: skip
def test_a_value_that_does_not_fit_its_field_is_refused_in_few_words(
    field: str, values: list[object]
):
    for value in values:
        with pytest.raises(FieldError) as caught:
            read_value(field, value)
        assert len(str(caught.value)) < (200 if field == "answer" else 300)


def test_rows_without_ids_are_numbered_and_it_is_said():
    loaded = samples({"answer": "a"}, {"answer": "b"})
    assert loaded.frame.select("system", "id").rows() == [("default", "1"), ("default", "2")]
    assert loaded.notes == ("2 rows have no id: numbered by position",)


def test_columns_stand_in_the_order_of_the_fields_and_slices_follow():
    loaded = samples({"topic": "t", "contexts": ["c"], "answer": "a", "id": "q1"})
    assert loaded.columns == ("id", "system", "answer", "contexts", "topic")
    assert loaded.slice_fields == ("topic",)
    # They have their types even where all is null.
    schema = samples({"id": "q1", "answer": None, "contexts": None, "relevant": None}).frame.schema
    grade = pl.Struct({"id": pl.String(), "grade": pl.Int64()})
    types = [pl.String(), pl.List(pl.String()), pl.List(grade)]
    assert [schema[name] for name in ("answer", "contexts", "relevant")] == types


def test_a_batch_gives_back_what_was_loaded():
    rows: list[dict[str, object]] = [
        {"id": "q1", "relevant": {"d1": 2}, "contexts": ["c", "d"], "context_scores": [1.0, 0.5]},
        {"id": "q2", "relevant": {}, "contexts": [], "context_scores": None},
        {"id": "q3", "relevant": None, "contexts": None, "context_scores": None},
    ]
    batch = samples(*rows).batch(0, 3)
    for name in ("relevant", "contexts", "context_scores"):
        assert batch[name] == [row[name] for row in rows]


def test_a_slice_field_of_several_types_becomes_text_and_numbers_one_kind():
    frame = samples({"id": "a", "n": 1, "m": 1}, {"id": "b", "n": "x", "m": 0.5}).frame
    assert frame["n"].to_list() == ["1", "x"]
    assert frame["m"].to_list() == [1.0, 0.5]


def test_samples_are_iterated_as_dicts():
    rows = [{"id": "q1", "system": "a", "answer": "x"}, {"id": "q2", "system": "a", "answer": None}]
    assert list(load(rows)) == rows


def test_the_same_id_of_one_system_twice_names_both_places():
    (problem,) = problems_of({"id": "q1"}, {"id": "q2"}, {"id": "q1"})
    assert (problem.line, problem.id) == (3, "q1")
    assert "first at a.jsonl:1" in problem.message
    assert len(samples({"id": "q1", "system": "a"}, {"id": "q1", "system": "b"})) == 2
    assert len(problems_of({"id": 7}, {"id": "7"})) == 1


def test_every_problem_is_reported_at_once():
    problems = problems_of({"id": "q1", "answer": []}, {"id": True}, {"id": "q1", "topic": 2**70})
    places = {(problem.line, problem.field) for problem in problems}
    assert places == {(1, "answer"), (2, "id"), (3, "topic"), (3, None)}  # q1 stands twice
    assert "holds no samples" in problems_of()[0].message


def test_lists_that_stand_for_the_same_contexts_are_equally_long():
    (problem,) = problems_of({"id": "q1", "contexts": ["a", "b"], "context_ids": ["d1"]})
    assert "2 contexts, 1 context_ids" in problem.message
    assert len(samples({"id": "q1", "contexts": ["a"], "context_ids": None})) == 1


@cases(("007", "7"), ("Q1", "q1"), ("caf\u00e9", "cafe\u0301"), ("q\uff11", "q1"), ("q1", "q1 "))
def test_ids_that_look_alike_are_kept_apart_and_said(one: str, other: str):
    loaded = samples({"id": one, "answer": "a"}, {"id": other, "answer": "b"})
    assert len(loaded) == 2
    assert ["look alike" in note for note in loaded.notes] == [True]
    assert samples({"id": one}, {"id": "q10"}, {"id": "q2"}).notes == ()


ROWS: list[dict[str, object]] = [
    {"id": f"q{number}", "system": system, "answer": f"a{number}", "relevant": {"d2": 1, "d1": 2}}
    for number in range(20)
    for system in ("a", "b")
]


@given(st.randoms(use_true_random=False))
def test_the_fingerprint_is_the_same_in_any_order_of_rows_and_columns(order: random.Random):
    rows = order.sample(ROWS, len(ROWS))
    names = order.sample(list(ROWS[0]), len(ROWS[0]))
    shuffled = samples(*({name: row[name] for name in names} for row in rows))
    assert shuffled.fingerprint() == samples(*ROWS).fingerprint()


@cases(("answer", ""), ("answer", None), ("id", "q99"), ("relevant", {"d1": 1, "d2": 2}), ("x", 1))
def test_the_fingerprint_changes_with_any_value(name: str, value: object):
    changed = [{**ROWS[0], name: value}, *ROWS[1:]]
    assert samples(*changed).fingerprint() != samples(*ROWS).fingerprint()


def test_the_fingerprint_is_of_the_content_and_not_of_the_source():
    one = from_rows([Row({"id": "q1", "answer": "a"}, "a.jsonl", 1)], "a.jsonl")
    other = from_rows([Row({"answer": "a", "id": "q1"}, "b.csv", 9)], "b.csv", ("a note",))
    assert one.fingerprint() == other.fingerprint()
