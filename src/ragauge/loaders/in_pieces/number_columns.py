"""Which extra columns of a CSV file hold plain numbers, found piece by piece."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ragauge.loaders.formats.csv import is_number
from ragauge.samples.samples import FIELDS, Row

MAX_PENDING = 500_000
"""Cells whose distinct values are found at once."""


@dataclass(slots=True)
class _Style:
    """How all cells of a column are written, by which different cells may be sure to be different numbers."""

    is_shortest: bool = True
    """1.5 and 2, never 1.50, 2.0 or -0."""
    is_python: bool = True
    """1.5 and 2.0, as Python and pandas print decimal numbers."""
    forms: set[int] = field(default_factory=set[int])
    """One form: all cells have as many decimals, as prices do."""

    def add(self, cell: str) -> None:
        has_point, ends_in_zero = "." in cell, cell.endswith("0")
        form = _form(cell)
        self.is_shortest &= form >= 0 and not (has_point and ends_in_zero)
        self.is_python &= form >= 0 and has_point and (not ends_in_zero or form == 1)
        self.forms.add(form)

    @property
    def is_unique(self) -> bool:
        return self.is_shortest or self.is_python or len(self.forms) == 1


class NumberColumns:
    """The extra columns without any cell that is no number.

    Different cells must stay different as numbers. They do if all cells are written in one style; of
    other columns the numbers and forms of the distinct cells are kept, 16 bytes each, and not the texts.
    A cell of at most 15 characters is its number, how many decimals it has, and whether it is a negative zero.
    """

    def __init__(self) -> None:
        self.texts: set[str] = set()
        """Columns with a cell that is no number, or with two cells that are the same number."""
        self.kept: set[str] = set()
        """Columns of several styles, whose cells are kept from the first row on."""
        self.is_incomplete = False
        """Whether a later row has shown another style, when earlier cells had not been kept."""
        self._styles: dict[str, _Style] = {}
        self._pending: dict[str, list[complex]] = {}
        self._distinct: dict[str, NDArray[np.complex128]] = {}

    def add(self, rows: Sequence[Row]) -> set[str]:
        """The extra columns with a filled cell in these rows; those with texts are in `texts` by now."""
        names = {name for row in rows for name in row.values if name not in FIELDS}
        used: set[str] = set()
        for name in names:
            filled = {cell for row in rows if (cell := cast("str | None", row.values.get(name)))}
            if filled and name not in self.texts:
                self._add(name, filled)
            used |= {name} if filled else set()
        return used

    def _add(self, name: str, cells: Collection[str]) -> None:
        if not all(map(is_number, cells)):
            self._forget(name)
            return
        if name not in self.kept:
            is_first = name not in self._styles
            style = self._styles.setdefault(name, _Style())
            for cell in cells:
                style.add(cell)
            if style.is_unique:
                return
            self.kept.add(name)
            self.is_incomplete |= not is_first
        pending = self._pending.setdefault(name, [])
        pending += [complex(float(cell), _form(cell)) for cell in cells]
        if len(pending) >= MAX_PENDING:
            self._merge(name)

    def _forget(self, name: str) -> None:
        self.texts.add(name)
        self._pending.pop(name, None)
        self._distinct.pop(name, None)

    def _merge(self, name: str) -> None:
        """Keep the distinct cells; the column is text if two of them are the same number."""
        pending = np.array(self._pending.get(name, []), np.complex128)
        before = self._distinct.get(name)
        distinct = np.unique(pending if before is None else np.concatenate([before, pending]))
        if len(np.unique(distinct.real)) < len(distinct):
            self._forget(name)
            return
        self._distinct[name] = distinct
        self._pending[name] = []

    def finish(self) -> None:
        """Compare the cells of all rows."""
        for name in list(self._pending):
            self._merge(name)


def _form(cell: str) -> int:
    """How the number is written: its decimals, negative for a negative zero."""
    n_decimals = len(cell.partition(".")[2])
    return -n_decimals - 1 if cell.startswith("-") and float(cell) == 0 else n_decimals
