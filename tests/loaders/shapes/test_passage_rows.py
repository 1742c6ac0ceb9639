"""Tables with one row for each retrieved passage."""

from pathlib import Path

import pytest

from ragauge.errors import DataError
from ragauge.loaders import load


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "a.csv"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "rows",
    ["q1,a,one\nq1,b,two", "q1,a,one\nq1,a,one", 'q1,a,"[""one""]"\nq1,a,"[""two""]"'],
    ids=["two answers", "a row twice", "lists"],
)
def test_other_rows_of_one_id_are_an_error_as_before(tmp_path: Path, rows: str):
    with pytest.raises(DataError, match="duplicate id"):
        load(write(tmp_path, f"id,answer,context\n{rows}\n"))
