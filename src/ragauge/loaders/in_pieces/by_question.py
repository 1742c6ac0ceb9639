"""Pair rows without ids by the text of their question, as in memory, from a digest of each question."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING, Any, cast

from ragauge.loaders.in_pieces.piece_files import PieceFiles
from ragauge.loaders.in_pieces.row_keys import RowKeys
from ragauge.loaders.in_pieces.tables import NeedsAllRowsError
from ragauge.loaders.pairing import Naming, is_unnamed, name_of, paired_note, question_of
from ragauge.loaders.table import Table
from ragauge.samples.samples import Row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Digests = NDArray[np.uint64]
    Ints = NDArray[np.int64]

WORDS = 2
"""A digest is two numbers of 8 bytes: different questions have different ones."""
NO_QUESTION = bytes(8 * WORDS)


@dataclass(slots=True)
class Questions:
    """The digests of the questions of rows without ids, as far as all rows have none."""

    n_unnamed: int = 0
    n_rows: int = 0
    sources: list[str] = field(default_factory=list[str])
    """The source of each piece."""
    _digests: "list[Digests]" = field(default_factory=list[Any])

    def add(self, rows: Sequence[Row]) -> None:
        """Keep the questions of the next rows."""
        import numpy as np

        n_unnamed = sum(map(is_unnamed, rows))
        self.n_rows += len(rows)
        self.n_unnamed += n_unnamed
        if self.are_paired:
            packed = b"".join(map(_digest, rows))
            self._digests.append(np.frombuffer(packed, dtype=np.uint64).reshape(-1, WORDS))
        else:
            self._digests.clear()

    @property
    def are_paired(self) -> bool:
        """Whether no row has an id."""
        return self.n_unnamed == self.n_rows

    @property
    def are_repeated(self) -> bool:
        """Whether no row has an id, and two rows have the same question or none."""
        import numpy as np

        if not self.n_rows or not self.are_paired:
            return False
        digests = np.concatenate(self._digests)
        return len(np.unique(digests, axis=0)) < len(digests)

    def pair(
        self, pieces: PieceFiles, keys: RowKeys, gold: Table | None = None
    ) -> tuple[RowKeys, Table | None, str]:
        """Give the rows of each question one id: the new keys, the gold with ids, and a note.

        Raises NeedsAllRowsError if not all rows can be paired: in memory, the problems are found.
        """
        if not self.are_paired:
            raise NeedsAllRowsError("some rows have ids, others are paired by their texts")
        gold_rows = () if gold is None else gold.rows
        naming = Naming(gold_rows)
        named = tuple(naming.named(row, None) for row in gold_rows)
        if naming.problems():
            raise NeedsAllRowsError("rows of the gold cannot be paired by their texts")
        group, first = self._groups(keys)
        ids = _ids(self._digest_at(first), named)
        paired = RowKeys(keys.files, keys.one_table, keys.prefer, keys.by_place)
        for number, source in enumerate(self.sources):
            own = group[pieces.starts[number] :][: pieces.height(number)]
            frame = pieces.rename(number, [ids[at] for at in cast("list[int]", own.tolist())])
            paired.add(frame, source)
        note = paired_note(self.n_unnamed + sum(map(is_unnamed, gold_rows)))
        return paired, None if gold is None else replace(gold, rows=named), note

    def _groups(self, keys: RowKeys) -> "tuple[Ints, Ints]":
        """The number of each row's question, in order of first appearance, and the first row of each."""
        import numpy as np

        digests = np.concatenate(self._digests)
        order = np.lexsort((digests[:, 1], digests[:, 0]))
        in_order = digests[order]
        if not in_order[0].any():
            raise NeedsAllRowsError("rows have neither an id nor a question")
        is_new = np.ones(len(order), dtype=np.bool_)
        is_new[1:] = (in_order[1:] != in_order[:-1]).any(axis=1)
        del in_order, digests
        # The order is stable: the first of each group is its first row.
        first = order[is_new]
        place = np.empty(len(first), dtype=np.int64)
        place[np.argsort(first)] = np.arange(len(first))
        group = np.empty(len(order), dtype=np.int64)
        group[order] = place[np.cumsum(is_new) - 1]
        del order, is_new, place
        pairs = group * (len(keys.systems) + 1) + keys.systems_of_rows()
        pairs.sort()
        if (pairs[1:] == pairs[:-1]).any():
            raise NeedsAllRowsError("a system has rows with the same question and no ids")
        return group, np.sort(first)

    def _digest_at(self, rows: "Ints") -> Iterator[bytes]:
        import numpy as np

        digests = np.concatenate(self._digests)
        self._digests.clear()
        for start in range(0, len(rows), 100_000):
            for digest in digests[rows[start : start + 100_000]]:
                yield digest.tobytes()


def _digest(row: Row) -> bytes:
    question = question_of(row)
    if question is None:
        return NO_QUESTION
    return hashlib.blake2b(question.encode(), digest_size=8 * WORDS).digest()


def _ids(digests: Iterator[bytes], named: Sequence[Row]) -> list[str]:
    """The id of each question: that of the gold, or the next number that is no id of the gold."""
    of_gold: dict[bytes, str] = {}
    for row in named:
        id = name_of(row, "id")
        if id is None or of_gold.setdefault(_digest(row), id) != id:
            raise NeedsAllRowsError("questions of the gold have several ids")
    taken = set(of_gold.values())
    numbers = (number for n in count(1) if (number := str(n)) not in taken)
    return [of_gold.get(digest) or next(numbers) for digest in digests]
