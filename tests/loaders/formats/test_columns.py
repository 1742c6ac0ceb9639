"""Objects that hold columns: dicts of lists, Arrow tables, Hugging Face datasets."""

from time import perf_counter

import numpy as np
import pandas as pd  # pyright: ignore[reportMissingTypeStubs]
import polars as pl
import pytest

from ragauge.errors import DataError, PlanError
from ragauge.loaders import load

COLUMNS = {"question": ["q", "r"], "answer": ["a", None], "contexts": [["c"], []]}


class Dataset:
    """A Dataset of Hugging Face: column_names, features and to_dict."""

    def __init__(self, columns):
        self._columns = columns
        self.column_names = list(columns)
        self.features = dict.fromkeys(columns, "?")
        self.shape = (len(next(iter(columns.values()))), len(columns))

    def to_dict(self):
        return self._columns


class IterableDataset:
    column_names = None
    features = None

    def __init__(self, rows):
        self._rows = rows

    def __iter__(self):
        return iter(self._rows)


class DatasetDict(dict):
    @property
    def column_names(self):
        return {split: dataset.column_names for split, dataset in self.items()}


class Arrow:
    """An Arrow table: column_names and to_pydict."""

    def __init__(self, columns):
        self._columns = columns
        self.column_names = list(columns)

    def to_pydict(self):
        return self._columns


class Streamed:
    """A table of any tool that exports Arrow's C stream."""

    def __init__(self, frame):
        self._frame = frame

    def __arrow_c_stream__(self, requested_schema=None):
        return self._frame.__arrow_c_stream__(requested_schema)


def rows_of(source, **options):
    samples = load(source, **options)
    return samples.frame.select("question", "answer", "contexts").to_dicts()


ROWS = [
    {"question": "q", "answer": "a", "contexts": ["c"]},
    {"question": "r", "answer": None, "contexts": []},
]


@pytest.mark.parametrize(
    "source",
    [COLUMNS, Dataset(COLUMNS), Arrow(COLUMNS), IterableDataset(ROWS), DatasetDict(test=Dataset(COLUMNS)),
     Streamed(pl.DataFrame(COLUMNS)), iter(ROWS)],
    ids=lambda source: type(source).__name__,
)  # fmt: skip
def test_the_same_rows_are_read_from_every_kind_of_columns(source):
    assert rows_of(source) == ROWS


def test_a_real_arrow_table_is_read():
    pa = pytest.importorskip("pyarrow")
    table = pa.table(COLUMNS)
    for source in (table, table.to_batches()[0], table.to_reader()):
        assert rows_of(source) == ROWS


def test_a_real_dataset_is_read():
    datasets = pytest.importorskip("datasets")
    dataset = datasets.Dataset.from_dict(COLUMNS)
    for source in (dataset, datasets.DatasetDict(test=dataset), dataset.to_iterable_dataset()):
        assert rows_of(source) == ROWS


def test_arrays_and_series_are_columns_and_their_nulls_are_null():
    columns = {"question": np.array(["q", "r"]), "answer": pd.Series(["a", np.nan])}
    assert load(columns).frame["answer"].to_list() == ["a", None]


def test_columns_of_other_names_are_mapped():
    samples = load(
        {"frage": ["q"], "antwort": ["a"]}, map={"question": "frage", "answer": "antwort"}
    )
    assert samples.frame["question"].to_list() == ["q"]


def test_columns_of_several_systems_are_mapped():
    sources = {"a": [{"id": "q", "svar": "x"}], "b": {"id": ["q"], "svar": ["y"]}}
    samples = load(sources, map={"answer": "svar"})
    assert samples.frame["answer"].to_list() == ["x", "y"]


def test_columns_without_a_known_name_are_not_taken_for_systems_in_silence():
    with pytest.raises(PlanError, match=r"map=\{'answer': 'svar'\}"):
        load({"svar": ["a"]})


def test_columns_of_different_lengths_are_an_error():
    with pytest.raises(DataError, match="2 of 'question', 1 of 'answer'"):
        load({"question": ["q", "r"], "answer": ["a"]})


def test_arrow_columns_of_the_same_name_are_an_error():
    table = Arrow({"question": ["q"]})
    table.column_names = ["question", "question"]
    with pytest.raises(DataError, match="duplicate columns: 'question'"):
        load(table)


def test_splits_are_read_together_and_named():
    samples = load(DatasetDict(train=Dataset(COLUMNS), test=Dataset(COLUMNS)))
    assert samples.frame["split"].to_list() == ["train", "train", "test", "test"]
    assert samples.systems == ("default",)
    assert any("'train' (2 rows), 'test' (2 rows)" in note for note in samples.notes)


def test_datasets_by_name_are_systems():
    assert load({"a": Dataset(COLUMNS), "b": Dataset(COLUMNS)}).systems == ("a", "b")
    assert load({"a": ROWS, "b": COLUMNS}).systems == ("a", "b")


def test_a_dict_of_one_sample_is_a_sample_and_file_names_are_systems(tmp_path):
    assert load({"question": "Where?", "answer": "Here."}).frame["answer"].to_list() == ["Here."]
    (tmp_path / "a.jsonl").write_text('{"answer": "a"}\n')
    assert load({"answer": str(tmp_path / "a.jsonl")}).systems == ("answer",)


@pytest.mark.parametrize(
    "empty", [{"question": []}, Dataset({"question": []}), DatasetDict(), iter([])]
)
def test_nothing_holds_no_samples(empty):
    with pytest.raises(DataError, match="holds no samples"):
        load(empty)


def test_images_and_vectors_of_a_dataset_are_left_out_by_name():
    columns = {"answer": ["a"], "image": [{"bytes": b"x", "path": "p"}], "vector": [[0.5] * 300]}
    samples = load(Dataset(columns))
    assert samples.slice_fields == ()
    assert any("'image'" in note and "'vector'" in note for note in samples.notes)


def test_time_grows_with_the_rows_and_not_with_their_square():
    def seconds(n_rows):
        contexts = [[{"text": "c", "id": "d", "metadata": {"source": "s"}}]] * n_rows
        start = perf_counter()
        load(Dataset({"question": ["q"] * n_rows, "contexts": contexts}))
        return perf_counter() - start

    seconds(100)
    assert seconds(8_000) < 60 * max(seconds(1_000), 0.01)
