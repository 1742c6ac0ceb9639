"""Which extra columns of a CSV file hold plain numbers, found piece by piece."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, cast

from ragauge.loaders.csv import is_number
from ragauge.sample import FIELDS, Row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_PENDING = 500_000
"""Cells whose distinct values are found at once."""


class NumberColumns:
    """The extra columns without any cell that is no number.

    Different cells must stay different as numbers. A cell of at most 15 characters is its number, how
    many decimals it has, and whether it is a negative zero: so numbers and forms of the distinct cells
    are kept, 16 bytes each, and not the texts.
    """

    def __init__(self) -> None:
        self.texts: set[str] = set()
        """Columns with a cell that is no number, or with two cells that are the same number."""
        self._pending: dict[str, list[complex]] = {}
        self._kept: dict[str, list[NDArray[np.complex128]]] = {}

    def add(self, rows: Sequence[Row]) -> dict[str, bool]:
        """Whether each extra column with a filled cell in these rows holds numbers by now."""
        names = {name for row in rows for name in row.values if name not in FIELDS}
        used: dict[str, bool] = {}
        for name in names:
            filled = {cell for row in rows if (cell := cast("str | None", row.values.get(name)))}
            if not filled:
                continue
            if name not in self.texts:
                self._add(name, filled)
            used[name] = name not in self.texts
        return used

    def _add(self, name: str, cells: Iterable[str]) -> None:
        if not all(map(is_number, cells)):
            self._forget(name)
            return
        pending = self._pending.setdefault(name, [])
        pending += [complex(float(cell), _form(cell)) for cell in cells]
        if len(pending) >= MAX_PENDING:
            self._merge(name)

    def _forget(self, name: str) -> None:
        self.texts.add(name)
        self._pending.pop(name, None)
        self._kept.pop(name, None)

    def _merge(self, name: str) -> None:
        """Keep the distinct cells; the column is text if two of them are the same number."""
        import numpy as np

        kept = [*self._kept.get(name, []), np.array(self._pending.get(name, []), np.complex128)]
        distinct = np.unique(np.concatenate(kept))
        if len(np.unique(distinct.real)) < len(distinct):
            self._forget(name)
            return
        self._kept[name] = [distinct]
        self._pending[name] = []

    def finish(self) -> None:
        """Compare the cells of all rows."""
        for name in list(self._pending):
            self._merge(name)


def _form(cell: str) -> int:
    """How the number is written: its decimals, negative for a negative zero."""
    n_decimals = len(cell.partition(".")[2])
    return -n_decimals - 1 if cell.startswith("-") and float(cell) == 0 else n_decimals
