"""Pair rows by the text of their question, or by their place, by giving them the same id."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ragauge.errors import Problem
from ragauge.loaders.in_pieces.piece_files import LINE, PieceFiles
from ragauge.loaders.in_pieces.row_keys import RowKeys
from ragauge.loaders.pairing import (
    Naming,
    is_unnamed,
    name_of,
    paired_note,
    placed_notes,
    question_of,
    system_of,
    unequal,
)
from ragauge.loaders.table import Table
from ragauge.samples.samples import Row

if TYPE_CHECKING:
    Flags = NDArray[np.bool_]
    Ints = NDArray[np.int64]


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


@dataclass(slots=True)
class Paired:
    """The gold with the new ids, notes, and why rows cannot be paired."""

    gold: Table | None
    notes: list[str] = field(default_factory=list[str])
    problems: list[Problem] = field(default_factory=list[Problem])


def paired_by_place(
    pieces: PieceFiles, keys: RowKeys, unnamed: "Sequence[Flags]", gold: Table | None
) -> Paired:
    """Give the n-th row of each system the id of the n-th row of the gold, or of the first system.

    Ids that are missing or repeated there are numbers from 1. `unnamed`: for each piece which of its rows had no id.
    """
    systems = keys.systems_of_rows()
    rows_of = [np.flatnonzero(systems == code) for code in keys.systems.values()]
    first = rows_of[0]
    n = len(first) if gold is None else len(gold.rows)
    source = (keys.row(int(first[0]), None, {}) if gold is None else gold.rows[0]).source
    problems = [
        unequal(system, len(rows), source, n, keys.row(int(rows[0]), None, {}).source)
        for system, rows in zip(keys.systems, rows_of, strict=True)
        if len(rows) != n
    ]
    if problems:
        return Paired(gold, problems=problems)
    if gold is not None:
        ids = [id for row in gold.rows if (id := name_of(row, "id")) is not None]
    else:
        has_ids = not np.concatenate(unnamed)[first].any()
        ids = _ids(pieces, first) if has_ids else []
    ids = ids if len(set(ids)) == n else [str(at + 1) for at in range(n)]
    place = np.empty(len(systems), dtype=np.int64)
    for rows in rows_of:
        place[rows] = np.arange(n)
    new: list[list[str]] = []
    for start, flags in zip(pieces.starts, unnamed, strict=True):
        own = cast("list[int]", place[start:][: len(flags)].tolist())
        new.append([ids[at] for at in own])
    renamed = [_renamed(pieces, number, ids, unnamed[number]) for number, ids in enumerate(new)]
    keys.rename(pieces, new)
    n_renamed = len(np.unique(np.concatenate(renamed)))
    if gold is not None:
        named = [
            Row({**row.values, "id": id}, row.source, row.line)
            for row, id in zip(gold.rows, ids, strict=True)
        ]
        gold = replace(gold, rows=tuple(named))
    return Paired(gold, placed_notes(n, n_renamed))


def _ids(pieces: PieceFiles, rows: "Ints") -> list[str]:
    """The ids of some rows, in this order."""
    found = pieces.rows(rows, ["id"])
    at = np.searchsorted(found["row"].to_numpy(), rows)
    return cast("list[str]", found["id"].gather(at).to_list())


def _renamed(
    pieces: PieceFiles, number: int, ids: Sequence[str], unnamed: "Flags"
) -> "NDArray[np.uint64]":
    """The hashes of the ids of a piece that give way to others."""
    frame = pieces.piece(number, ["id"]).with_columns(
        pl.Series("new", ids, pl.String), pl.Series("unnamed", unnamed)
    )
    changed = frame.filter((pl.col("id") != pl.col("new")) & ~pl.col("unnamed"))
    return changed["id"].hash().to_numpy()
