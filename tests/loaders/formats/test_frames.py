"""Frames and lists already in memory."""

import datetime
import decimal
import enum
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd  # pyright: ignore[reportMissingTypeStubs]
import polars as pl
import pytest

from ragauge.errors import DataError, PlanError
from ragauge.loaders import load


def test_a_polars_frame_keeps_its_values_and_nulls():
    frame = pl.DataFrame(
        {"id": ["q1", "q2"], "answer": ["a", None], "contexts": [["c"], []], "n": [1, None]}
    )
    samples = load(frame)
    assert samples.frame.select(frame.columns).equals(frame)


def test_nan_in_polars_is_refused_with_its_row():
    frame = pl.DataFrame({"id": ["q1", "q2"], "answer": ["a", "b"], "n": [1.0, float("nan")]})
    with pytest.raises(DataError) as caught:
        load(frame)
    (problem,) = caught.value.problems
    assert (problem.line, problem.field, problem.id) == (2, "n", "q2")


@pytest.mark.parametrize("null", [None, np.nan, pd.NA, pd.NaT])
def test_every_null_of_pandas_is_null(null: object):
    frame = pd.DataFrame(
        {"id": ["q1", "q2"], "answer": pd.Series(["a", null], dtype=object), "n": [1.0, np.nan]}
    )
    samples = load(frame)
    assert samples.frame["answer"].to_list() == ["a", None]
    assert samples.frame["n"].to_list() == [1.0, None]


def test_pandas_numbers_arrays_and_dates_become_plain():
    frame = pd.DataFrame(
        {
            "id": np.array([1, 2]),
            "contexts": [np.array(["a", "b"], dtype=object), []],
            "context_scores": [np.array([0.5, 0.25], dtype=np.float32), []],
            "day": [pd.Timestamp("2024-05-01"), pd.Timestamp("2024-05-02")],
            "kind": pd.Categorical(["x", "y"]),
            "flag": [True, False],
        }
    )
    samples = load(frame)
    assert samples.frame["id"].to_list() == ["1", "2"]
    assert samples.frame["contexts"].to_list() == [["a", "b"], []]
    assert samples.frame["context_scores"].to_list() == [[0.5, 0.25], []]
    assert samples.frame["day"].to_list() == ["2024-05-01T00:00:00", "2024-05-02T00:00:00"]
    assert samples.frame["kind"].to_list() == ["x", "y"]
    assert samples.frame["flag"].to_list() == [True, False]


def test_a_named_index_of_pandas_is_a_column():
    frame = pd.DataFrame({"answer": ["a"]}, index=pd.Index(["q1"], name="id"))
    assert load(frame).frame["id"].to_list() == ["q1"]


@pytest.mark.parametrize("names", [["answer", "answer"], ["answer", 0]])
def test_columns_of_pandas_without_a_name_of_their_own_are_refused(names: list[object]):
    frame = pd.DataFrame([["a", "b"]])
    frame.columns = names
    with pytest.raises(DataError):
        load(frame)


def test_infinity_in_pandas_is_refused():
    with pytest.raises(DataError, match="finite"):
        load(pd.DataFrame({"answer": ["a"], "n": [float("inf")]}))


def test_an_id_that_pandas_made_a_float_is_refused():
    with pytest.raises(DataError, match="put it in quotes"):
        load(pd.DataFrame({"id": [1.0, 2.5], "answer": ["a", "b"]}))


def test_rows_may_hold_numpy_and_dates_and_are_not_changed():
    class Kind(enum.StrEnum):
        NEW = "new"

    row = {
        "id": np.int64(3),
        "answer": np.str_("a"),
        "contexts": ("c", np.str_("d")),
        "day": datetime.date(2024, 5, 1),
        "price": decimal.Decimal("1.50"),
        "kind": Kind.NEW,
    }
    before = dict(row)
    values = load([row]).frame.row(0, named=True)
    assert row == before
    assert (values["id"], values["answer"], values["contexts"]) == ("3", "a", ["c", "d"])
    assert (values["day"], values["price"], values["kind"]) == ("2024-05-01", "1.50", "new")


@pytest.mark.parametrize("item", ["text", None, 3, ["a"], {1: "a"}])
def test_an_item_that_is_no_row_is_named_by_its_place(item: object):
    with pytest.raises(DataError) as caught:
        load([{"answer": "a"}, item])  # pyright: ignore[reportArgumentType]
    assert [problem.line for problem in caught.value.problems] == [2]


def test_a_list_that_holds_itself_is_a_problem_and_not_a_crash():
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(DataError):
        load([{"answer": "a", "contexts": loop}])


def test_an_empty_list_or_frame_holds_no_samples():
    nothing: list[dict[str, object]] = []
    columns: dict[str, list[str]] = {"answer": []}
    for empty in (nothing, pl.DataFrame(columns), pd.DataFrame(columns)):
        with pytest.raises(DataError, match="holds no samples"):
            load(empty)


@pytest.mark.parametrize("source", [3, None, pl.LazyFrame({"answer": ["a"]}), {1, 2}])
def test_other_things_are_refused(source: object):
    with pytest.raises(PlanError, match="cannot load a"):
        load(source)  # pyright: ignore[reportArgumentType]


def test_loading_a_list_imports_no_pandas():
    code = (
        "import sys; from ragauge.loaders import load; load([{'answer': 'a'}]); "
        "assert 'pandas' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_importing_the_loaders_imports_no_polars():
    code = (
        "import sys; import ragauge.loaders, ragauge.loaders.reading; "
        "assert 'polars' not in sys.modules, 'polars'"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_lists_that_were_printed_into_a_frame_are_read_as_lists():
    printed = {"id": ["1", "2"], "contexts": ["['x', 'y']", '["[Source 9]: text"]']}
    for frame in (pl.DataFrame(printed), pd.DataFrame(printed)):
        contexts = load(frame).frame["contexts"].to_list()
        assert contexts == [["x", "y"], ["[Source 9]: text"]]


def test_a_text_that_begins_with_a_bracket_stays_one_text():
    frame = pl.DataFrame({"id": ["1"], "contexts": ["[Source 1]: not a list"]})
    assert load(frame).frame["contexts"].to_list() == [["[Source 1]: not a list"]]


def test_the_ids_of_other_rows_that_a_frame_adds_are_no_judgements(tmp_path: Path):
    rows = [{"id": "1", "relevant": {"d1": 1}}, {"id": "2", "relevant": {"d2": 2}}]
    frame = pl.DataFrame(rows)  # one struct for all rows, null where a row has no such key
    frame.write_parquet(tmp_path / "a.parquet")
    for source in (frame, tmp_path / "a.parquet"):
        judged = load(source).frame["relevant"].to_list()
        assert judged == [[{"id": "d1", "grade": 1}], [{"id": "d2", "grade": 2}]]
