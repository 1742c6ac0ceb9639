"""Rows grouped by the hash of their id."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


class IdGroups:
    """Rows by the hash of their id: `order` sorts them, a group begins at each of `starts`.

    Numbers of rows have 4 bytes where that is enough: these arrays are the most that reading holds.
    """

    def __init__(self, order: "Ints", starts: "Ints") -> None:
        self.starts, self.n = starts, len(starts)
        self.order = order.astype(self._dtype(len(order)))

    @staticmethod
    def _dtype(n: int) -> Any:
        import numpy as np

        return np.int32 if n <= np.iinfo(np.int32).max else np.int64

    def of_rows(self) -> "Ints":
        """The number of each row's group."""
        import numpy as np

        numbers = np.zeros(len(self.order), dtype=self.order.dtype)
        numbers[self.starts[1:]] = 1
        group = np.empty_like(numbers)
        group[self.order] = np.cumsum(numbers, dtype=numbers.dtype)
        return group

    def repeated(self) -> "tuple[Ints, Ints]":
        """The rows of groups of several, with the number of their group, by group and then by row."""
        import numpy as np

        ends = np.append(self.starts[1:], len(self.order))
        sizes = ends - self.starts
        group = np.repeat(np.arange(self.n, dtype=self.order.dtype), sizes)
        if (sizes > 1).all():
            return self.order, group
        several = np.repeat(sizes > 1, sizes)
        return self.order[several], group[several]
