"""Frames, lists, and other objects that hold rows or columns: Arrow tables, data sets of Hugging Face."""

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
from cases import cases

from ragauge.errors import DataError, PlanError
from ragauge.loaders.loading import load

COLUMNS = {"question": ["q", "r"], "answer": ["a", None], "contexts": [["c"], []]}
ROWS = [
    {"question": "q", "answer": "a", "contexts": ["c"]},
    {"question": "r", "answer": None, "contexts": []},
]


class Arrow:
    """An Arrow table: column_names and to_pydict."""

    def __init__(self, columns):
        self._columns, self.column_names = columns, list(columns)

    def to_pydict(self):
        return self._columns


class Dataset:
    """A Dataset of Hugging Face: column_names, features and to_dict."""

    def __init__(self, columns):
        self._columns, self.column_names = columns, list(columns)
        self.features = dict.fromkeys(columns, "?")
        self.shape = (len(next(iter(columns.values()))), len(columns))

    def to_dict(self):
        return self._columns


class IterableDataset:
    column_names = features = None

    def __iter__(self):
        return iter(ROWS)


class DatasetDict(dict):
    @property
    def column_names(self):
        return {split: dataset.column_names for split, dataset in self.items()}


class Streamed:
    """A table of any tool that exports Arrow's C stream."""

    def __init__(self, frame):
        self._frame = frame

    def __arrow_c_stream__(self, requested_schema=None):
        return self._frame.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize(
    "source",
    [COLUMNS, Dataset(COLUMNS), Arrow(COLUMNS), IterableDataset(), DatasetDict(test=Dataset(COLUMNS)),
     Streamed(pl.DataFrame(COLUMNS)), pl.DataFrame(COLUMNS), pd.DataFrame(COLUMNS), iter(ROWS)],
    ids=lambda source: type(source).__name__,
)  # fmt: skip
def test_the_same_rows_are_read_from_every_kind_of_columns(source):
    assert load(source).frame.select("question", "answer", "contexts").to_dicts() == ROWS


def test_real_tables_and_data_sets_are_read():
    pa, datasets = pytest.importorskip("pyarrow"), pytest.importorskip("datasets")
    table, dataset = pa.table(COLUMNS), datasets.Dataset.from_dict(COLUMNS)
    for source in (
        *(table, table.to_batches()[0], table.to_reader()),
        *(dataset, datasets.DatasetDict(test=dataset), dataset.to_iterable_dataset()),
    ):
        assert load(source).frame.select("question", "answer", "contexts").to_dicts() == ROWS


def test_columns_of_other_names_are_mapped():
    samples = load(
        {"frage": ["q"], "antwort": ["a"]}, map={"question": "frage", "answer": "antwort"}
    )
    assert samples.frame["question"].to_list() == ["q"]
    sources = {"a": [{"id": "q", "svar": "x"}], "b": {"id": ["q"], "svar": ["y"]}}
    assert load(sources, map={"answer": "svar"}).frame["answer"].to_list() == ["x", "y"]
    with pytest.raises(PlanError, match=r"map=\{'answer': 'svar'\}"):
        load({"svar": ["a"]})


def test_splits_are_read_together_and_named_and_data_sets_by_name_are_systems(tmp_path):
    samples = load(DatasetDict(train=Dataset(COLUMNS), test=Dataset(COLUMNS)))
    assert samples.frame["split"].to_list() == ["train", "train", "test", "test"]
    assert samples.systems == ("default",)
    assert any("'train' (2 rows), 'test' (2 rows)" in note for note in samples.notes)
    assert load({"a": Dataset(COLUMNS), "b": Dataset(COLUMNS)}).systems == ("a", "b")
    assert load({"a": ROWS, "b": COLUMNS}).systems == ("a", "b")
    assert load({"question": "Where?", "answer": "Here."}).frame["answer"].to_list() == ["Here."]
    (tmp_path / "a.jsonl").write_text('{"answer": "a"}\n')
    assert load({"answer": str(tmp_path / "a.jsonl")}).systems == ("answer",)


@pytest.mark.parametrize("null", [None, np.nan, pd.NA, pd.NaT])
def test_every_null_of_pandas_is_null(null: object):
    columns = {
        "id": ["q1", "q2"],
        "answer": pd.Series(["a", null], dtype=object),
        "n": pd.Series([1.0, np.nan]),
    }
    for source in (columns, pd.DataFrame(columns)):
        samples = load(source)
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
    assert load(frame).frame.drop("system").rows() == [
        ("1", ["a", "b"], [0.5, 0.25], "2024-05-01T00:00:00", "x", True),
        ("2", [], [], "2024-05-02T00:00:00", "y", False),
    ]
    named = pd.DataFrame({"answer": ["a"]}, index=pd.Index(["q1"], name="id"))
    assert load(named).frame["id"].to_list() == ["q1"]


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


LOOP: list[object] = []
LOOP.append(LOOP)


def twice(names):
    frame = pd.DataFrame([["a", "b"]])
    frame.columns = names
    return frame


def double_arrow():
    table = Arrow({"question": ["q"]})
    table.column_names = ["question", "question"]
    return table


@cases(
    *(([{"answer": "a"}, item], "", 2) for item in ("text", None, 3, ["a"], {1: "a"})),
    ([{"answer": "a", "contexts": LOOP}], "", 1),
    (pl.DataFrame({"answer": ["a", "b"], "n": [1.0, float("nan")]}), "must be finite", 2),
    (pd.DataFrame({"answer": ["a"], "n": [float("inf")]}), "must be finite", 1),
    (pd.DataFrame({"id": [1.0], "answer": ["a"]}), "put it in quotes", 1),
    (twice(["answer", "answer"]), "has duplicate columns: 'answer'", None),
    (twice(["answer", 0]), "has columns whose names are not text: 0", None),
    (double_arrow(), "has duplicate columns: 'question'", None),
    ({"question": ["q", "r"], "answer": ["a"]}, "2 of 'question', 1 of 'answer'", None),
    *(
        (empty, "holds no samples", None)
        for empty in ([], pl.DataFrame({"answer": []}), pd.DataFrame({"answer": []}), {"question": []},
                      Dataset({"question": []}), DatasetDict(), iter([]))
    ),
ids=range(20),
)  # fmt: skip
def test_what_holds_no_samples_is_one_problem(source, says, line):
    with pytest.raises(DataError) as caught:
        load(source)
    (problem,) = caught.value.problems
    assert (problem.line, says in problem.message) == (line, True), problem


@pytest.mark.parametrize("source", [3, None, pl.LazyFrame({"answer": ["a"]}), {1, 2}])
def test_other_things_are_refused(source: object):
    with pytest.raises(PlanError, match="cannot load a"):
        load(source)  # pyright: ignore[reportArgumentType]


def test_heavy_packages_are_imported_where_they_are_needed():
    code = "import sys, ragauge, ragauge.loaders.sources; assert 'polars' not in sys.modules; "
    code += "ragauge.load([{'answer': 'a'}]); assert 'pandas' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_lists_that_were_printed_into_a_frame_are_read_as_lists():
    printed = {"id": ["1", "2"], "contexts": ["['x', 'y']", '["[Source 9]: text"]']}
    for frame in (pl.DataFrame(printed), pd.DataFrame(printed)):
        contexts = load(frame).frame["contexts"].to_list()
        assert contexts == [["x", "y"], ["[Source 9]: text"]]
    text = pl.DataFrame({"id": ["1"], "contexts": ["[Source 1]: not a list"]})
    assert load(text).frame["contexts"].to_list() == [["[Source 1]: not a list"]]


def test_the_ids_of_other_rows_that_a_frame_adds_are_no_judgements(tmp_path: Path):
    rows = [{"id": "1", "relevant": {"d1": 1}}, {"id": "2", "relevant": {"d2": 2}}]
    frame = pl.DataFrame(rows)  # one struct for all rows, null where a row has no such key
    frame.write_parquet(tmp_path / "a.parquet")
    for source in (frame, tmp_path / "a.parquet"):
        judged = load(source).frame["relevant"].to_list()
        assert judged == [[{"id": "d1", "grade": 1}], [{"id": "d2", "grade": 2}]]
