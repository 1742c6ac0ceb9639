"""Pair the n-th rows of all systems and of the gold, by renaming the rows of each piece."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from ragauge.errors import Problem
from ragauge.loaders.in_pieces.piece_files import PieceFiles
from ragauge.loaders.in_pieces.row_keys import RowKeys
from ragauge.loaders.pairing import name_of, placed_notes, unequal
from ragauge.loaders.table import Table
from ragauge.samples.samples import Row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]
    Ints = NDArray[np.int64]


@dataclass(slots=True)
class Paired:
    """The gold with the new ids, notes, and why rows cannot be paired."""

    gold: Table | None
    notes: list[str] = field(default_factory=list[str])
    problems: list[Problem] = field(default_factory=list[Problem])


@dataclass(slots=True)
class Places:
    """Pairs rows by place. `unnamed`: for each piece which of its rows had no id in their source."""

    unnamed: "Sequence[Flags]"

    def pair(self, pieces: PieceFiles, keys: RowKeys, gold: Table | None) -> Paired:
        """Give the n-th row of each system the id of the n-th row of the gold, or of the first system."""
        import numpy as np

        if gold is None and len(keys.systems) < 2:
            return Paired(gold)
        place, rows_of = _places(keys)
        n = len(rows_of[0]) if gold is None else len(gold.rows)
        source = (keys.row(int(rows_of[0][0]), None, {}) if gold is None else gold.rows[0]).source
        problems = [
            unequal(system, len(rows), source, n, keys.row(int(rows[0]), None, {}).source)
            for system, rows in zip(keys.systems, rows_of, strict=True)
            if len(rows) != n
        ]
        if problems:
            return Paired(gold, problems=problems)
        given = self._ids_of_gold(gold.rows) if gold is not None else None
        is_numbered = given is None and (
            gold is not None or not self._are_unique(rows_of[0], keys.ids_of_rows())
        )
        new: list[list[str]] = []
        for start, flags in zip(pieces.starts, self.unnamed, strict=True):
            own = place[start:][: len(flags)]
            if is_numbered:
                new.append([str(at + 1) for at in own.tolist()])
            elif given is not None:
                new.append([given[at] for at in cast("list[int]", own.tolist())])
            else:
                new.append(_ids(pieces, rows_of[0][own]))
        renamed = [self._renamed(pieces, number, ids) for number, ids in enumerate(new)]
        keys.rename(pieces, new)
        n_renamed = len(np.unique(np.concatenate(renamed)))
        if gold is not None:
            ids = given or [str(at + 1) for at in range(n)]
            named = [
                Row({**row.values, "id": id}, row.source, row.line)
                for row, id in zip(gold.rows, ids, strict=True)
            ]
            gold = replace(gold, rows=tuple(named))
        return Paired(gold, placed_notes(n, n_renamed))

    def _ids_of_gold(self, rows: Sequence[Row]) -> list[str] | None:
        """The ids of the gold; None if some are missing or repeated."""
        ids = [id for row in rows if (id := name_of(row, "id")) is not None]
        return ids if len(set(ids)) == len(rows) else None

    def _are_unique(self, rows: "Ints", hashes: "NDArray[np.uint64]") -> bool:
        """Whether these rows all have ids, each another one."""
        import numpy as np

        unnamed = np.concatenate(self.unnamed)
        return not unnamed[rows].any() and len(np.unique(hashes[rows])) == len(rows)

    def _renamed(self, pieces: PieceFiles, number: int, ids: Sequence[str]) -> "NDArray[np.uint64]":
        """The hashes of the ids of a piece that give way to others."""
        import polars as pl

        frame = pieces.piece(number, ["id"]).with_columns(
            pl.Series("new", ids, pl.String), pl.Series("unnamed", self.unnamed[number])
        )
        changed = frame.filter((pl.col("id") != pl.col("new")) & ~pl.col("unnamed"))
        return changed["id"].hash().to_numpy()


def _places(keys: RowKeys) -> "tuple[Ints, list[Ints]]":
    """The place of each row among those of its system, and the rows of each system."""
    import numpy as np

    systems = keys.systems_of_rows()
    rows_of = [np.flatnonzero(systems == code) for code in keys.systems.values()]
    place = np.empty(len(systems), dtype=np.int64)
    for rows in rows_of:
        place[rows] = np.arange(len(rows))
    return place, rows_of


def _ids(pieces: PieceFiles, rows: "Ints") -> list[str]:
    """The ids of some rows, in this order."""
    import numpy as np

    found = pieces.rows(rows, ["id"])
    at = np.searchsorted(found["row"].to_numpy(), rows)
    return cast("list[str]", found["id"].gather(at).to_list())
