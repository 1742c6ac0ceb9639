"""Parquet files, whole and spoilt, and their footers."""

import random
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cases import cases

from ragauge.errors import DataError
from ragauge.loaders.formats import parquet
from ragauge.loaders.formats.parquet import Footer, FooterError, parquet_tables, read_footer
from ragauge.loaders.loading import load

pytestmark = pytest.mark.usefixtures("also_in_pieces")

FRAME = pl.DataFrame(
    {
        "id": ["q1", "q2"],
        "answer": ["a", None],
        "contexts": [[{"text": "c", "id": "d1"}], []],
        "n": [1, 2],
    }
)


def test_samples_written_and_read_are_the_same(tmp_path: Path):
    samples = load([{"id": "q1", "relevant": {"d1": 2}, "context_ids": ["d1"]}])
    samples.frame.write_parquet(tmp_path / "a.parquet")
    assert load(tmp_path / "a.parquet").fingerprint() == samples.fingerprint()


def test_a_name_with_a_pattern_in_it_is_the_file_of_that_name_if_there_is_one(tmp_path: Path):
    FRAME.write_parquet(tmp_path / "ab.parquet")
    FRAME.write_parquet(tmp_path / "a*.parquet")
    columns = load(tmp_path / "a*.parquet").frame.to_dict(as_series=False)
    assert (columns["answer"], columns["n"]) == (["a", None], [1, 2])
    assert (columns["contexts"], columns["context_ids"]) == ([["c"], []], [["d1"], []])
    with pytest.raises(DataError, match="duplicate id"):
        load(tmp_path / "a?.parquet")  # both files


@pytest.mark.parametrize("kept", [0, 4, 100, -1])
def test_a_file_that_is_not_whole_is_a_problem(tmp_path: Path, kept: int):
    FRAME.write_parquet(tmp_path / "a.parquet")
    content = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "b.parquet").write_bytes(content[:kept])
    with pytest.raises(DataError, match="not a complete Parquet file"):
        load(tmp_path / "b.parquet")


@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "brotli", "zstd"])
def test_the_footer_of_pyarrow_says_the_same_as_pyarrow(tmp_path, compression):
    path = tmp_path / "a.parquet"
    table = pa.table(
        {"id": ["a"] * 100, "scores": [[1.5, None]] * 100, "more": [{"k": True}] * 100}
    )
    pq.write_table(table, path, compression=compression, row_group_size=30, write_page_index=True)
    theirs = pq.read_metadata(path)
    columns = [
        theirs.row_group(group).column(at)
        for group in range(theirs.num_row_groups)
        for at in range(theirs.num_columns)
    ]
    assert read_footer(path) == Footer(
        theirs.num_rows,
        sum(one.num_values for one in columns),
        sum(one.total_uncompressed_size for one in columns),
    )


def test_a_file_without_rows_has_a_footer(tmp_path):
    FRAME.clear().write_parquet(tmp_path / "a.parquet")
    assert read_footer(tmp_path / "a.parquet").n_rows == 0


def test_bytes_changed_in_a_footer_are_read_or_refused(tmp_path):
    path = tmp_path / "a.parquet"
    FRAME.write_parquet(path)
    good = path.read_bytes()
    chosen = random.Random(0)
    n_refused = 0
    for _ in range(300):
        content = bytearray(good)
        for _ in range(chosen.randint(1, 4)):
            content[chosen.randrange(len(good) // 3, len(good))] = chosen.randrange(256)
        path.write_bytes(content)
        try:
            read_footer(path)
        except FooterError:
            n_refused += 1
    assert n_refused > 100


EXACT = {"MAX_LINES_PER_BYTE": 0, "MAX_RATIO": 0}
"""The limits whatever the size of the file."""


@cases(
    ({"id": ["a"] * 20_000}, {**EXACT, "LINES_COUNT_FROM": 10_000}, "over 10,000 rows"),
    ({"id": ["a"], "contexts": [["x"] * 60_000]}, {**EXACT, "LINES_COUNT_FROM": 500}, "50,000 values"),
    ({"id": ["a"], "answer": ["x" * 5_000_000]}, {}, "over 4,194,304 bytes"),
    ({"id": [*"abc"], "answer": ["x" * 50_000] * 3}, {**EXACT, "REPEATED_COUNTS_FROM": 90_000}, "over 90,000 bytes of text"),
ids=["rows", "values", "bytes", "repeated"],
)  # fmt: skip
def test_a_small_file_that_unpacks_to_too_much_is_refused(
    columns, limits, said, tmp_path, monkeypatch
):
    for name, value in limits.items():
        monkeypatch.setattr(parquet, name, value)
    path = tmp_path / "a.parquet"
    pl.DataFrame(columns).write_parquet(path, compression="zstd")
    assert path.stat().st_size < 100_000
    (table,) = parquet_tables(path)
    assert not table.rows
    assert said in table.problems[0].message
