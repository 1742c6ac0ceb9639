"""Columns that only a number tells apart."""

from pathlib import Path

from ragauge.loaders import load


def row_of(tmp_path: Path, text: str) -> dict[str, object]:
    path = tmp_path / "a.csv"
    path.write_text(text)
    return load(path).frame.row(0, named=True)


def test_numbers_with_a_gap_or_a_column_of_the_field_change_nothing(tmp_path: Path):
    assert "context_3" in row_of(tmp_path, "id,answer,context_1,context_3\nq1,a,x,y\n")
    row = row_of(tmp_path, "id,answer,contexts,context_1,context_2\nq1,a,all,x,y\n")
    assert (row["contexts"], row["context_1"]) == (["all"], "x")


def test_numbered_columns_of_other_things_stay(tmp_path: Path):
    row = row_of(tmp_path, "id,answer,year_1,year_2,doc_id_1\nq1,a,1999,2000,7\n")
    assert (row["year_1"], row["year_2"], row["doc_id_1"]) == (1999, 2000, 7)
