"""Pair rows without ids by the text of their question."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, cast

from ragauge.errors import Problem
from ragauge.loaders.in_pieces.piece_files import LINE, PieceFiles
from ragauge.loaders.in_pieces.row_keys import RowKeys
from ragauge.loaders.pairing import Naming, is_unnamed, paired_note, question_of, system_of
from ragauge.samples.samples import Row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]


class QuestionPairs:
    """The ids of rows by their question: those of rows that have one, and numbers for other questions.

    `unnamed`: for each piece which of its rows had no id. About 200 bytes of each question are in memory.
    """

    def __init__(
        self,
        pieces: PieceFiles,
        keys: RowKeys,
        unnamed: "Sequence[Flags]",
        gold: Sequence[Row] = (),
    ) -> None:
        self._pieces, self._keys, self._unnamed = pieces, keys, unnamed
        naming = Naming()
        for row in gold:
            naming.learn(row)
        for rows in self._rows():
            for row in rows:
                naming.learn(row)
        self.gold = [naming.named(row, None) for row in gold]
        self._ids = [
            [cast(str, naming.named(row, system_of(row)).values["id"]) for row in rows]
            for rows in self._rows()
        ]
        self.problems: list[Problem] = naming.problems()
        self.note = paired_note(sum(map(is_unnamed, gold)) + sum(int(own.sum()) for own in unnamed))

    def rename(self) -> None:
        """Give all rows their ids."""
        self._keys.rename(self._pieces, self._ids)

    def _rows(self) -> Iterator[Iterable[Row]]:
        return rows_of(self._pieces, self._keys, self._unnamed)


def rows_of(
    pieces: PieceFiles, keys: RowKeys, unnamed: "Sequence[Flags]"
) -> Iterator[Iterable[Row]]:
    """The rows of each piece with what pairs them; the id is null if the source had none."""
    import polars as pl

    columns = ["id", "system", "question", LINE]
    for number, flags in enumerate(unnamed):
        frame = pieces.piece(number, columns).with_columns(
            pl.when(pl.Series(flags)).then(None).otherwise(pl.col("id")).alias("id")
        )
        yield [
            keys.row(at, values.pop(LINE), values)
            for at, values in enumerate(frame.iter_rows(named=True), pieces.starts[number])
        ]


def are_repeated(pieces: PieceFiles, keys: RowKeys, unnamed: "Sequence[Flags]") -> bool:
    """Whether no row has an id, and two rows have the same question or none."""
    if not all(own.all() for own in unnamed):
        return False
    seen: set[int] = set()
    for rows in rows_of(pieces, keys, unnamed):
        for row in rows:
            question = hash(question_of(row))
            if question in seen:
                return True
            seen.add(question)
    return False
