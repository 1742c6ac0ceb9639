"""Read TREC judgements (qrels), and scan TREC runs in pieces on several threads.

Only judged documents of a run are kept, so a run of any size needs the memory of a few pieces. A run
whose queries are interleaved is read whole.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ragauge.errors import DataError, Problem
from ragauge.rankings.arrays import Bytes, Compat, Floats, Ints, Words, precision_of
from ragauge.rankings.judgements import NOT_JUDGED, JudgedRun, Judgements, numbered_names, text_of
from ragauge.rankings.reading.lookup import grouped, repeats
from ragauge.rankings.reading.ordering import distinct, order, ranks
from ragauge.rankings.reading.pieces import PIECE, at_line, line_number, pieces_of, whole_text
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

UNKNOWN = np.uint32(2**32 - 1)
"""The query number of a line until the unjudged queries are numbered."""

RUN_LINE = "a line of a run has six fields: query Q0 document rank score tag"
QRELS_LINE = "a line of judgements has four fields: query 0 document grade"


class _InterleavedError(Exception):
    """The lines of a query are not consecutive."""


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
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
        return _scan_interleaved(packed, judgements, compat)


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
) -> Iterator[_Piece]:
    """The scanned pieces, in order. Each thread reads a piece, then scans it."""
    from concurrent.futures import ThreadPoolExecutor

    numbered = enumerate(texts)
    reading = Lock()
    found: dict[int, _Piece] = {}
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

    def piece(self, text: Bytes, offset: int) -> _Piece:
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
        return _Piece(
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


# A run whose queries are interleaved


@dataclass(frozen=True, slots=True, eq=False)
class _Lines:
    """Lines: their queries' numbers, their documents' digests and offsets into the whole text."""

    query: NDArray[np.uint32]
    score: Floats
    digest: Words
    start: Ints
    end: Ints


def _scan_interleaved(file: Packed, judgements: Judgements, compat: Compat) -> JudgedRun:
    from concurrent.futures import ThreadPoolExecutor

    text = whole_text(file)
    scan = _Scan(file, judgements, compat)
    cuts = _line_cuts(text, PIECE)
    with ThreadPoolExecutor(min(MAX_THREADS, os.cpu_count() or 1)) as pool:
        pieces = list(pool.map(partial(_lines, scan, text), cuts[:-1], cuts[1:]))
        found, tags, unknown = zip(*pieces, strict=True)
        del pieces
        lines = _joined_lines(found)
        del found
        number, n_unknown = _numbers_of_unknown(text, unknown)
        # Unjudged queries get the numbers after those of the judged ones.
        lines.query[lines.query == UNKNOWN] = judgements.n_queries + number
        n_lines = np.bincount(lines.query, minlength=judgements.n_queries + n_unknown)
        by_query = grouped(lines.query)
        spans = _spans(n_lines, PIECE // 32)
        hits = list(pool.map(partial(_hits_of, scan, text, lines, by_query, n_lines), spans))
    judgement = np.concatenate([judgement for judgement, _ in hits])
    rank = np.concatenate([rank for _, rank in hits])
    n_retrieved = n_lines[: judgements.n_queries]
    tag = [tag for tag in tags if tag][-1]
    return JudgedRun(judgements, n_retrieved, judgement, rank, n_unknown, tag)


def _numbers_of_unknown(text: Bytes, pieces: Sequence[tuple[Field, Ints]]) -> tuple[Ints, int]:
    """The number of each line's query among the unjudged ones, and how many there are."""
    names = Field(
        text,
        np.concatenate([names.start for names, _ in pieces]),
        np.concatenate([names.end for names, _ in pieces]),
    )
    first, number = numbered_names(names)
    before = np.cumsum([0, *(len(names) for names, _ in pieces[:-1])])
    in_pieces = zip(before.tolist(), pieces, strict=True)
    return np.concatenate([number[at + within] for at, (_, within) in in_pieces]), len(first)


def _joined_lines(found: Sequence[_Lines]) -> _Lines:
    return _Lines(
        np.concatenate([lines.query for lines in found]),
        np.concatenate([lines.score for lines in found]),
        np.concatenate([lines.digest for lines in found]),
        np.concatenate([lines.start for lines in found]),
        np.concatenate([lines.end for lines in found]),
    )


def _spans(n_lines: Ints, size: int) -> list[tuple[int, int]]:
    """Ranges of queries, first and last + 1, that have about `size` lines together."""
    end = np.cumsum(n_lines)
    cuts = distinct(np.searchsorted(end, np.arange(0, int(end[-1]), size), "right"))
    edges = [0, *cuts[cuts > 0].tolist(), len(n_lines)]
    return [(first, last) for first, last in pairwise(edges) if first < last]


def _hits_of(
    scan: _Scan,
    text: Bytes,
    lines: _Lines,
    by_query: Ints,
    n_lines: Ints,
    span: tuple[int, int],
) -> tuple[Ints, Ints]:
    first, last = span
    before = int(n_lines[:first].sum())
    count = n_lines[first:last]
    rows = by_query[before : before + int(count.sum())]
    document = Field(text, lines.start[rows], lines.end[rows])
    group, count = np.arange(first, last)[count > 0], count[count > 0]
    key = paired_in_blocks(lines.digest[rows], group, count)
    return scan.hits(group, count, document, lines.score[rows], key, 0)


def _line_cuts(text: Bytes, size: int) -> list[int]:
    """Offsets that split the text into pieces of about `size` bytes, all at ends of lines."""
    cuts = [0]
    while cuts[-1] < len(text):
        at = min(cuts[-1] + size, len(text)) - 1
        while text[at] != ord("\n"):
            at += 1
        cuts.append(at + 1)
    return cuts


def _lines(
    scan: _Scan, text: Bytes, start: int, stop: int
) -> tuple[_Lines, str, tuple[Field, Ints]]:
    """The lines of a piece, its tag, and its unjudged queries: their distinct names, and the index
    among these of each line's query."""
    try:
        fields = split(text[start:stop], (0, 2, 4), 6, at_most=False)
        query, document, score = (
            Field(text, field.start + start, field.end + start) for field in fields
        )
        scores = decimals(score)
    except MalformedError as error:
        raise at_line(scan.file, error, start, RUN_LINE) from None
    digest = digests(query)
    known, number = scan.judgements.known_queries.find(query, digest)
    numbers = np.full(len(query), UNKNOWN)
    numbers[known] = number
    lines = _Lines(numbers, scores, digests(document), document.start, document.end)
    unknown = query.take(np.flatnonzero(numbers == UNKNOWN))
    first, number = numbered_names(unknown)
    return lines, _tag(score), (unknown.take(first), number)


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
