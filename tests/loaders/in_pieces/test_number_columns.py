"""Columns of numbers in CSV: cells that different texts can only be different numbers are not kept."""

import pytest

from ragauge.loaders.in_pieces.number_columns import NumberColumns
from ragauge.samples.samples import Row


def read(columns: NumberColumns, *cells: str) -> bool:
    """Whether a piece with these cells is one of numbers."""
    columns.add([Row({"level": cell}, "a.csv") for cell in cells])
    return "level" not in columns.texts


@pytest.mark.parametrize(
    "cells",
    [
        ("1", "20", "-3", "0", "1.5", "-0.25"),
        ("1.0", "2.5", "-0.125", "0.0"),
        ("1.50", "0.00", "-2.25", "10.00"),
    ],
)
def test_cells_of_one_style_are_not_kept(cells: tuple[str, ...]):
    columns = NumberColumns()
    assert all(read(columns, cell) for cell in cells)
    assert not columns.kept
    assert not columns.is_incomplete


def test_cells_of_several_styles_are_kept_and_read_again_from_the_first_row():
    columns = NumberColumns()
    assert read(columns, "1.50", "2.50")
    assert read(columns, "3")
    assert columns.is_incomplete
    again = NumberColumns()
    again.kept |= columns.kept
    assert read(again, "1.50", "2.50")
    assert read(again, "1.5")
    again.finish()
    assert not again.is_incomplete
    assert again.texts == {"level"}


def test_several_styles_in_the_first_rows_need_no_second_reading():
    columns = NumberColumns()
    assert read(columns, "1.50", "3")
    columns.finish()
    assert not columns.is_incomplete
    assert not columns.texts


@pytest.mark.parametrize("cells", [("0", "-0"), ("0.0", "-0.0"), ("1", "1.0"), ("1.5", "1.50")])
def test_cells_that_are_the_same_number_make_the_column_text(cells: tuple[str, str]):
    columns = NumberColumns()
    read(columns, *cells)
    columns.finish()
    assert columns.texts == {"level"}
