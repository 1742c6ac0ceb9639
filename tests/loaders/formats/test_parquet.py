"""Parquet files, whole and spoilt."""

from pathlib import Path

import polars as pl
import pytest

from ragauge.errors import DataError
from ragauge.loaders import load

FRAME = pl.DataFrame(
    {
        "id": ["q1", "q2"],
        "answer": ["a", None],
        "contexts": [[{"text": "c", "id": "d1"}], []],
        "n": [1, 2],
    }
)


def test_columns_keep_their_types_and_objects_are_contexts(tmp_path: Path):
    FRAME.write_parquet(tmp_path / "a.parquet")
    samples = load(tmp_path / "a.parquet")
    assert samples.frame["answer"].to_list() == ["a", None]
    assert samples.frame["contexts"].to_list() == [["c"], []]
    assert samples.frame["context_ids"].to_list() == [["d1"], []]
    assert samples.frame["n"].to_list() == [1, 2]


def test_samples_written_and_read_are_the_same(tmp_path: Path):
    samples = load([{"id": "q1", "relevant": {"d1": 2}, "context_ids": ["d1"]}])
    samples.frame.write_parquet(tmp_path / "a.parquet")
    assert load(tmp_path / "a.parquet").fingerprint() == samples.fingerprint()


def test_a_name_with_a_pattern_in_it_is_the_file_of_that_name_if_there_is_one(tmp_path: Path):
    FRAME.write_parquet(tmp_path / "ab.parquet")
    FRAME.write_parquet(tmp_path / "a*.parquet")
    assert len(load(tmp_path / "a*.parquet")) == 2
    with pytest.raises(DataError, match="duplicate id"):
        load(tmp_path / "a?.parquet")  # both files


@pytest.mark.parametrize("kept", [0, 4, 100, -1])
def test_a_file_that_is_not_whole_is_a_problem(tmp_path: Path, kept: int):
    FRAME.write_parquet(tmp_path / "a.parquet")
    content = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "b.parquet").write_bytes(content[:kept])
    with pytest.raises(DataError, match="not a complete Parquet file"):
        load(tmp_path / "b.parquet")
