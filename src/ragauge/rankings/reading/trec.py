"""Read TREC judgements (qrels), and scan TREC runs in pieces on several threads.

Only judged documents of a run are kept, so a run of any size needs the memory of a few pieces. A run
whose queries are interleaved is read whole.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ragauge.errors import DataError, Problem
from ragauge.rankings.arrays import Bytes, Compat, Floats, Ints, Words, precision_of
from ragauge.rankings.judgements import NOT_JUDGED, JudgedRun, Judgements, text_of
from ragauge.rankings.reading.lookup import repeats
from ragauge.rankings.reading.ordering import distinct, order, ranks
from ragauge.rankings.reading.pieces import PIECE, at_line, line_number, pieces_of, whole_text
from ragauge.rankings.reading.rows import Rows, bytes_in_order, field_of_pieces
from ragauge.rankings.reading.scan import (
    Field,
    MalformedError,
    decimals,
    digests,
    integers,
    keep_freed_memory,
    paired,
    paired_in_blocks,
    split,
    starts_of_blocks,
)
from ragauge.rankings.reading.streams import Packed, opened, packed_at

FOR_THREADS = 6
"""Pieces that a thread reads at a time, so that threads wait for each other less often."""
SINGLE_BELOW = 16 << 20
"""Bytes of a file below which one thread is faster than several."""
MAX_THREADS = 4

MAX_TAG_LENGTH = 1_000
"""Bytes of a run's tag that are kept."""

RUN_LINE = "a line of a run has six fields: query Q0 document rank score tag"
QRELS_LINE = "a line of judgements has four fields: query 0 document grade"


class _InterleavedError(Exception):
    """The lines of a query are not consecutive."""


@dataclass(frozen=True, slots=True, eq=False)
class _ScannedPiece:
    """A scanned piece of a run: lines and hits of its known queries, digests of the others."""

    query: Ints
    n_lines: Ints
    unknown: Words
    judgement: Ints
    rank: Ints
    tag: str


# Reading


def read_qrels(path: Path | str) -> Judgements:
    """Read the judgements of a TREC qrels file: `query iteration document grade` per line.

    `-` is standard input. Fields are separated by white space; blank lines and lines that begin with
    # are skipped; gzip and zstd are decompressed. DataError names the line with too few or too many
    fields, a grade that is not a whole number, or a document that is judged twice for a query.
    """
    packed = packed_at(path)
    text = whole_text(packed)
    try:
        query, document, grade = split(text, (0, 2, 3), 4, at_most=True)
        if not len(query):
            raise DataError([Problem(f"is empty: it has no judgements; {QRELS_LINE}", packed.name)])
        grades = integers(grade)
    except MalformedError as error:
        raise at_line(packed, error, 0, QRELS_LINE) from None
    judgements = Judgements.from_fields(query, document, grades, packed.name)
    key = paired(digests(judgements.document), judgements.query)
    _refuse_repeats(packed, judgements.document, key, judgements.query, 0, "is judged twice")
    return judgements


def scan_run(
    path: Path | str,
    judgements: Judgements,
    *,
    compat: Compat = "trec9",
    n_threads: int | None = None,
) -> JudgedRun:
    """Read a TREC run and match it to judgements: `query Q0 document rank score tag` per line.

    `-` is standard input. The rank is ignored: documents are ordered by score descending, then by
    name descending by bytes. Fields are separated by white space, text after the tag is ignored,
    blank lines and lines that begin with # are skipped; gzip and zstd are decompressed. DataError
    names the line with too few fields, a score that is not a finite number, or a document that is
    retrieved twice for a query.
    """
    packed = packed_at(path)
    keep_freed_memory()
    # Computed once here, and not by each thread.
    _ = judgements.known_queries, judgements.known_pairs
    try:
        return _scan_pieces(packed, judgements, compat, n_threads)
    except _InterleavedError:
        from ragauge.rankings.reading.in_memory import match_rows_to_qrels

        rows, tag = _rows_of_packed(packed)
        return replace(match_rows_to_qrels(rows, judgements, compat), tag=tag)


# A run in pieces


def _scan_pieces(
    file: Packed, judgements: Judgements, compat: Compat, n_threads: int | None
) -> JudgedRun:
    scan = _Scan(file, judgements, compat)
    with opened(file) as stream:
        n_threads = n_threads or _threads_for(file)
        texts = pieces_of(stream, PIECE if n_threads == 1 else FOR_THREADS * PIECE)
        if n_threads == 1:
            found = [scan.piece(text, offset) for text, offset in texts]
        else:
            found = list(_on_threads(scan, texts, n_threads))
    tags = [piece.tag for piece in found if piece.tag]
    if not tags:  # every line has a tag
        raise DataError([Problem(f"is empty: it has no lines; {RUN_LINE}", file.name)])
    query = np.concatenate([piece.query for piece in found])
    n_lines = np.concatenate([piece.n_lines for piece in found])
    unknown = np.concatenate([piece.unknown for piece in found])
    n_unknown = len(distinct(unknown))
    _refuse_parted(query, judgements.n_queries)
    # Two names that share a digest also lead here; reading the run whole is then only slower.
    if n_unknown < len(unknown):
        raise _InterleavedError
    n_retrieved = np.zeros(judgements.n_queries, np.int64)
    n_retrieved[query] = n_lines
    return JudgedRun(
        judgements,
        n_retrieved,
        np.concatenate([piece.judgement for piece in found]),
        np.concatenate([piece.rank for piece in found]),
        n_unknown,
        tags[-1],
    )


def _threads_for(file: Packed) -> int:
    if file.size < SINGLE_BELOW:
        return 1
    return min(MAX_THREADS, os.cpu_count() or 1)


def _on_threads(
    scan: "_Scan", texts: Iterator[tuple[Bytes, int]], n_threads: int
) -> Iterator[_ScannedPiece]:
    """The scanned pieces, in order. Each thread reads a piece, then scans it."""
    from concurrent.futures import ThreadPoolExecutor

    numbered = enumerate(texts)
    reading = Lock()
    found: dict[int, _ScannedPiece] = {}
    failed: dict[int, Exception] = {}

    def work() -> None:
        while not failed:
            with reading:
                place, (text, offset) = next(numbered, (-1, (None, 0)))
            if text is None:
                return
            try:
                found[place] = scan.piece(text, offset)
            except Exception as error:
                failed[place] = error

    with ThreadPoolExecutor(n_threads) as pool:
        for future in [pool.submit(work) for _ in range(n_threads)]:
            future.result()
    if failed:
        raise failed[min(failed)]
    return (found[place] for place in sorted(found))


class _Scan:
    """The data needed to scan each piece of a run."""

    def __init__(self, file: Packed, judgements: Judgements, compat: Compat) -> None:
        self.file = file
        self.judgements = judgements
        self.precision = precision_of(compat)

    def piece(self, text: Bytes, offset: int) -> _ScannedPiece:
        """The hits of the piece's queries."""
        try:
            query, document, score = split(text, (0, 2, 4), 6, at_most=False)
            scores = decimals(score)
        except MalformedError as error:
            raise at_line(self.file, error, offset, RUN_LINE) from None
        blocks = starts_of_blocks(query)
        n_lines = np.diff(blocks, append=len(query))
        digest = digests(query.take(blocks))
        number = self._numbers(query.take(blocks), digest)
        is_known = number != NOT_JUDGED
        _refuse_parted(number[is_known], self.judgements.n_queries)
        # Each unknown query is a separate group, numbered below all known ones.
        group = np.where(is_known, number, -2 - np.arange(len(number)))
        key = paired_in_blocks(digests(document), group, n_lines)
        judgement, rank = self.hits(group, n_lines, document, scores, key, offset)
        return _ScannedPiece(
            number[is_known], n_lines[is_known], digest[~is_known], judgement, rank, _tag(score)
        )

    def hits(
        self,
        group: Ints,
        n_lines: Ints,
        document: Field,
        scores: NDArray[np.floating],
        key: Words,
        offset: int,
    ) -> tuple[Ints, Ints]:
        """The judgements whose documents are retrieved, and their ranks.

        `group` is the query's number of each block of `n_lines` lines, for judged queries that of
        the judgements; `key` is the documents' digests paired with it, and `offset` is where the
        documents' text begins in the file.
        """
        block = np.repeat(np.arange(len(group)), n_lines)
        group_of = np.repeat(group, n_lines)
        _refuse_repeats(self.file, document, key, block, offset, "is retrieved twice")
        rows, judgement = self.judgements.known_pairs.find(document, key, group_of)
        with np.errstate(over="ignore"):  # overflow is infinite, as in trec_eval
            narrowed = scores.astype(self.precision, copy=False)
        at = order(block, narrowed)
        return judgement, ranks(at, rows, block[rows], document)

    def _numbers(self, query: Field, digest: Words) -> Ints:
        """Each query's number in the judgements, NOT_JUDGED where it has none."""
        rows, entry = self.judgements.known_queries.find(query, digest)
        number = np.full(len(query), NOT_JUDGED)
        number[rows] = entry
        return number


def _tag(score: Field) -> str:
    """The run's tag, which follows the last score."""
    if not len(score):
        return ""
    behind = score.text[score.end[-1] :].tobytes().lstrip()
    return text_of(behind[:MAX_TAG_LENGTH].split(None, 1)[0])


def _refuse_parted(query: Ints, n_queries: int) -> None:
    if len(query) and np.bincount(query, minlength=n_queries).max() > 1:
        raise _InterleavedError


# A run read whole


@dataclass(frozen=True, slots=True, eq=False)
class _ReadPiece:
    """Lines of a run: the names of their blocks' queries and of their documents."""

    queries: tuple[Bytes, Ints]
    first: Ints
    documents: tuple[Bytes, Ints]
    score: Floats
    offset: Ints
    tag: str


def rows_of_trec(path: Path | str) -> tuple[Rows, str]:
    """The run's rows and its tag. Errors as in `scan_run`, except for repeated documents."""
    keep_freed_memory()
    return _rows_of_packed(packed_at(path))


def _rows_of_packed(file: Packed) -> tuple[Rows, str]:
    with opened(file) as stream:
        found = [_read_piece(file, text, offset) for text, offset in pieces_of(stream, PIECE)]
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


def _read_piece(file: Packed, text: Bytes, offset: int) -> _ReadPiece:
    try:
        query, document, score, tag = split(text, (0, 2, 4, 5), 6, at_most=False)
        scores = decimals(score)
    except MalformedError as error:
        raise at_line(file, error, offset, RUN_LINE) from None
    first = starts_of_blocks(query)
    last = text_of(tag.name(len(tag) - 1)) if len(tag) else ""
    start = query.start + offset
    return _ReadPiece(_apart(query.take(first)), first, _apart(document), scores, start, last)


def _apart(names: Field) -> tuple[Bytes, Ints]:
    return bytes_in_order(names), names.end - names.start


def _joined(pieces: list[tuple[Bytes, Ints]]) -> Field:
    texts, lengths = zip(*pieces, strict=True)
    return field_of_pieces(texts, np.concatenate(lengths))


# Errors


def _refuse_repeats(
    file: Packed, document: Field, key: Words, group: Ints, offset: int, problem: str
) -> None:
    """DataError for a repeated document in a group; `offset` is where the text begins."""
    for row, other in repeats(key):
        is_same = document.same(np.array([row]), document, np.array([other]))[0]
        if is_same and group[row] == group[other]:
            starts = sorted(int(document.start[at]) + offset for at in (row, other))
            first, second = (line_number(file, at) for at in starts)
            name = text_of(document.name(row))
            what = f"document {name!r} {problem} for its query, first at line {first}; remove one"
            raise DataError([Problem(what, file.name, second)])
