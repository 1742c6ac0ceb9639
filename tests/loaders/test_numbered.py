"""Columns that only a number tells apart."""

from pathlib import Path

from ragauge.loaders import load


def row_of(tmp_path: Path, text: str) -> dict[str, object]:
    path = tmp_path / "a.csv"
    path.write_text(text)
    return load(path).frame.row(0, named=True)


def test_numbered_contexts_are_a_list_without_empty_cells(tmp_path: Path):
    row = row_of(tmp_path, "id,answer,context_1,context_2,context_3\nq1,a,x,,z\n")
    assert row["contexts"] == ["x", "z"]


def test_ids_and_scores_beside_numbered_chunks_belong_to_them(tmp_path: Path):
    header = "id,answer,Chunk 1,Chunk 1 ID,Chunk 1 Score,Chunk 2,Chunk 2 ID,Chunk 2 Score"
    row = row_of(tmp_path, f"{header}\nq1,a,x,d1,0.5,y,d2,0.25\n")
    assert row["contexts"] == ["x", "y"]
    assert row["context_ids"] == ["d1", "d2"]
    assert row["context_scores"] == [0.5, 0.25]


def test_an_id_that_one_context_lacks_gives_no_ids(tmp_path: Path):
    row = row_of(tmp_path, "id,answer,doc_1,doc_1_id,doc_2,doc_2_id\nq1,a,x,d1,y,\n")
    assert row["contexts"] == ["x", "y"]
    assert row.get("context_ids") is None


def test_numbered_references_are_a_list_and_none_is_null(tmp_path: Path):
    path = tmp_path / "a.csv"
    path.write_text("id,answer,reference_1,reference_2\nq1,a,x,y\nq2,a,,\n")
    assert load(path).frame["references"].to_list() == [["x", "y"], None]


def test_rows_without_numbered_contexts_retrieved_nothing(tmp_path: Path):
    path = tmp_path / "a.csv"
    path.write_text("id,answer,context_1,context_2\nq1,a,x,y\nq2,a,,\n")
    assert load(path).frame["contexts"].to_list() == [["x", "y"], []]


def test_numbers_with_a_gap_or_a_column_of_the_field_change_nothing(tmp_path: Path):
    assert "context_3" in row_of(tmp_path, "id,answer,context_1,context_3\nq1,a,x,y\n")
    row = row_of(tmp_path, "id,answer,contexts,context_1,context_2\nq1,a,all,x,y\n")
    assert (row["contexts"], row["context_1"]) == (["all"], "x")


def test_numbered_columns_of_other_things_stay(tmp_path: Path):
    row = row_of(tmp_path, "id,answer,year_1,year_2,doc_id_1\nq1,a,1999,2000,7\n")
    assert (row["year_1"], row["year_2"], row["doc_id_1"]) == (1999, 2000, 7)
