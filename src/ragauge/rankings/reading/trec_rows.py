"""Read a TREC run whole, with all its documents; `trec.scan_run` keeps only judged ones."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ragauge.errors import DataError, Problem
from ragauge.rankings.arrays import Bytes, Floats, Ints
from ragauge.rankings.judgements import text_of
from ragauge.rankings.reading.pieces import PIECE, at_line, line_number, pieces_of
from ragauge.rankings.reading.rows import Rows, bytes_in_order, field_of_pieces
from ragauge.rankings.reading.scan import (
    Field,
    MalformedError,
    decimals,
    keep_freed_memory,
    split,
    starts_of_blocks,
)
from ragauge.rankings.reading.streams import Packed, opened, packed_at
from ragauge.rankings.reading.trec import RUN_LINE


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """Lines of a run: the names of their blocks' queries and of their documents."""

    queries: tuple[Bytes, Ints]
    first: Ints
    documents: tuple[Bytes, Ints]
    score: Floats
    offset: Ints
    tag: str


def rows_of_trec(path: Path | str) -> tuple[Rows, str]:
    """The run's rows and its tag. Errors as in `trec.scan_run`, except for repeated documents."""
    file = packed_at(path)
    keep_freed_memory()
    with opened(file) as stream:
        found = [_piece(file, text, offset) for text, offset in pieces_of(stream, PIECE)]
    pieces = [piece for piece in found if len(piece.score)]
    if not pieces:
        raise DataError([Problem(f"is empty: it has no lines; {RUN_LINE}", file.name)])
    before = np.cumsum([0, *(len(piece.score) for piece in pieces[:-1])])
    offset = np.concatenate([piece.offset for piece in pieces])
    rows = Rows(
        file.name,
        _joined([piece.queries for piece in pieces]),
        np.concatenate([piece.first + at for piece, at in zip(pieces, before, strict=True)]),
        _joined([piece.documents for piece in pieces]),
        np.concatenate([piece.score for piece in pieces]),
        lambda row: line_number(file, int(offset[row])),
    )
    return rows, pieces[-1].tag


def _piece(file: Packed, text: Bytes, offset: int) -> _Piece:
    try:
        query, document, score, tag = split(text, (0, 2, 4, 5), 6, at_most=False)
        scores = decimals(score)
    except MalformedError as error:
        raise at_line(file, error, offset, RUN_LINE) from None
    first = starts_of_blocks(query)
    last = text_of(tag.name(len(tag) - 1)) if len(tag) else ""
    start = query.start + offset
    return _Piece(_apart(query.take(first)), first, _apart(document), scores, start, last)


def _apart(names: Field) -> tuple[Bytes, Ints]:
    return bytes_in_order(names), names.end - names.start


def _joined(pieces: list[tuple[Bytes, Ints]]) -> Field:
    texts, lengths = zip(*pieces, strict=True)
    return field_of_pieces(texts, np.concatenate(lengths))
