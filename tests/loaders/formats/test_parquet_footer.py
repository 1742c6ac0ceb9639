"""The footer of a Parquet file: what polars and pyarrow write is read, and what is damaged refused."""

import random

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ragauge.loaders.formats.parquet import Footer, FooterError, parquet_tables, read_footer

FRAME = pl.DataFrame({"id": ["a", "b", "c"], "contexts": [["x", "y"], ["z"], []]})


def test_rows_and_values_of_a_file_of_polars(tmp_path):
    path = tmp_path / "a.parquet"
    FRAME.write_parquet(path, row_group_size=2)
    footer = read_footer(path)
    # Three ids; two, one and, for the empty list, one value that says so.
    assert (footer.n_rows, footer.n_values) == (3, 3 + 4)
    assert 0 < footer.unpacked_bytes < path.stat().st_size


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


BOMBS = {
    "rows": (lambda: {"id": ["a"] * 200_000}, "unpacks to over 100,000 rows"),
    "values": (lambda: {"id": ["a"], "contexts": [["x"] * 11_000_000]}, "10,000,000 values"),
    "bytes": (lambda: {"id": ["a"], "answer": ["x" * 5_000_000]}, "over 4,194,304 bytes"),
    "repeated": (
        lambda: {"id": [str(at) for at in range(300)], "answer": ["x" * 1_000_000] * 300},
        "bytes of text",
    ),
}
"""Made in the test: they take seconds and 300 MB."""


@pytest.mark.parametrize(("columns", "said"), BOMBS.values(), ids=BOMBS)
def test_a_small_file_that_unpacks_to_too_much_is_refused(tmp_path, columns, said):
    path = tmp_path / "a.parquet"
    pl.DataFrame(columns()).write_parquet(path, compression="zstd")
    assert path.stat().st_size < 100_000
    (table,) = parquet_tables(path)
    assert not table.rows
    assert said in table.problems[0].message
