"""Read TREC judgements (qrels), and scan TREC runs in pieces on several threads.

Only judged documents of a run are kept, so a run of any size needs the memory of a few pieces. A run
whose queries are interleaved is read whole.
"""

import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from ragauge.errors import DataError, Problem
from ragauge.rankings.hits import Bytes, Compat, Floats, Ints, Words
from ragauge.rankings.reading.fields import (
    Field,
    bytes_in_order,
    digests,
    distinct,
    field_of_pieces,
    paired,
    same_pairs,
    starts_of_blocks,
    text_of,
)
from ragauge.rankings.reading.judgements import NOT_JUDGED, JudgedRun, Judgements
from ragauge.rankings.reading.scan import MalformedError, decimals, integers, split
from ragauge.rankings.reading.streams import (
    PIECE,
    Packed,
    line_number,
    opened,
    packed_at,
    pieces_of,
    whole_text,
)

if TYPE_CHECKING:
    from ragauge.rankings.reading.rows import Rows

FOR_THREADS = 12
"""Pieces that a thread reads at a time, so that threads wait for each other less often."""
SINGLE_BELOW = 16 << 20
"""Bytes of a file below which one thread is faster than several."""
MAX_THREADS = 4

RUN_LINE = "a line of a run has six fields: query Q0 document rank score tag"
QRELS_LINE = "a line of judgements has four fields: query 0 document grade"


class _InterleavedError(Exception):
    """The lines of a query are not consecutive."""


_Scanned = tuple[Ints, Ints, Words, Ints, Ints, str]
"""Of a piece of a run the known queries, their lines, digests of the other queries, the hits' judgements and ranks, the tag."""


def read_qrels(path: Path | str) -> Judgements:
    """Read the judgements of a TREC qrels file: `query iteration document grade` per line.

    `-` is standard input. Fields are separated by white space; blank lines and lines that begin with
    # are skipped; gzip and zstd are decompressed. DataError names the line with too few or too many
    fields, a grade that is not a whole number, or a document that is judged twice for a query.
    """
    packed = packed_at(path)
    text = whole_text(packed)
    with _lines_named(packed, 0, QRELS_LINE):
        query, document, grade = split(text, (0, 2, 3), 4, at_most=True)
        if not len(query):
            raise DataError([Problem(f"is empty: it has no judgements; {QRELS_LINE}", packed.name)])
        grades = integers(grade)
    found = Judgements.from_fields(query, document, grades, packed.name)
    pairs = same_pairs(found.document, paired(digests(found.document), found.query), found.query)
    _refuse_repeated(packed, found.document, pairs, 0, "is judged twice")
    return found


def scan_run(
    path: Path | str,
    judgements: Judgements,
    *,
    compat: Compat = "trec9",
    n_threads: int | None = None,
) -> JudgedRun:
    """Read a TREC run and match it to judgements: `query Q0 document rank score tag` per line.

    As `read_qrels`. The rank and what follows the tag are ignored: documents are ordered by score descending,
    then by name descending by bytes. DataError names the line with too few fields, a score that is not a
    finite number, or a document that is retrieved twice for a query.
    """
    file = packed_at(path)
    _keep_freed_memory()
    # Computed once here, and not by each thread.
    _ = judgements.known_queries, judgements.known_pairs
    if not n_threads:
        n_threads = 1 if file.size < SINGLE_BELOW else min(MAX_THREADS, os.cpu_count() or 1)
    try:
        scanned = _scanned(file, judgements, compat, n_threads)
        tag = next((piece[-1] for piece in reversed(scanned) if piece[-1]), "")
        if not tag:  # every line has one
            raise DataError([Problem(f"is empty: it has no lines; {RUN_LINE}", file.name)])
        columns = zip(*(piece[:-1] for piece in scanned), strict=True)
        query, n_lines, unknown, judgement, rank = map(np.concatenate, columns)
        _refuse_parted(query, judgements)
        # Two names that share a digest also lead here; reading the run whole is then only slower.
        if len(distinct(unknown)) < len(unknown):
            raise _InterleavedError
    except _InterleavedError:
        from ragauge.rankings.reading.judgements import match_rows_to_qrels

        return match_rows_to_qrels(rows_of_trec(file), judgements, compat)
    n_retrieved = np.zeros(judgements.n_queries, np.int64)
    n_retrieved[query] = n_lines
    return JudgedRun(judgements, n_retrieved, judgement, rank, len(unknown), tag)


def _scanned(
    file: Packed, judgements: Judgements, compat: Compat, n_threads: int
) -> list[_Scanned]:
    """The scanned pieces, in order. Each thread reads a piece, then scans it."""
    with opened(file) as stream:
        texts = pieces_of(stream, PIECE if n_threads == 1 else FOR_THREADS * PIECE)
        if n_threads == 1:
            return [_scan_piece(file, *piece, judgements, compat) for piece in texts]
        from concurrent.futures import ThreadPoolExecutor

        numbered = enumerate(texts)
        reading = Lock()
        found: dict[int, _Scanned] = {}
        failed: dict[int, Exception] = {}

        def work() -> None:
            while not failed:
                with reading:
                    place, (text, offset) = next(numbered, (-1, (None, 0)))
                if text is None:
                    return
                try:
                    found[place] = _scan_piece(file, text, offset, judgements, compat)
                except Exception as error:
                    failed[place] = error

        with ThreadPoolExecutor(n_threads) as pool:
            for future in [pool.submit(work) for _ in range(n_threads)]:
                future.result()
    if failed:
        raise failed[min(failed)]
    return [found[place] for place in sorted(found)]


def _scan_piece(
    file: Packed, text: Bytes, offset: int, judgements: Judgements, compat: Compat
) -> _Scanned:
    """The hits of the piece's queries."""
    with _lines_named(file, offset, RUN_LINE):
        query, document, score = split(text, (0, 2, 4), 6, at_most=False)
        scores = decimals(score)
    blocks = starts_of_blocks(query)
    n_lines = np.diff(blocks, append=len(query))
    number, digest = judgements.known_queries.numbers(query.take(blocks))
    is_known = number != NOT_JUDGED
    _refuse_parted(number[is_known], judgements)
    judgement, rank, pairs = judgements.matched(document, number, n_lines, scores, compat)
    _refuse_repeated(file, document, pairs, offset, "is retrieved twice")
    tag = ""
    if len(score):  # the tag follows the last score
        behind = text[score.end[-1] :].tobytes().lstrip()
        tag = text_of(behind[:1_000].split(None, 1)[0])
    return number[is_known], n_lines[is_known], digest[~is_known], judgement, rank, tag


def _refuse_parted(query: Ints, judgements: Judgements) -> None:
    if len(query) and np.bincount(query, minlength=judgements.n_queries).max() > 1:
        raise _InterleavedError


def rows_of_trec(file: Packed) -> "Rows":
    """The run's rows. Errors as in `scan_run`, except for repeated documents."""
    from ragauge.rankings.reading.rows import Rows

    _keep_freed_memory()
    # The names alone, so that the text is not kept.
    queries, documents = list[tuple[Bytes, Ints]](), list[tuple[Bytes, Ints]]()
    firsts, starts, scores = list[Ints](), list[Ints](), list[Floats]()
    n, tag = 0, ""
    with opened(file) as stream:
        for text, offset in pieces_of(stream, PIECE):
            with _lines_named(file, offset, RUN_LINE):
                query, document, score, tags = split(text, (0, 2, 4, 5), 6, at_most=False)
                scores.append(decimals(score))
            first = starts_of_blocks(query)
            for names, kept in ((query.take(first), queries), (document, documents)):
                kept.append((bytes_in_order(names), names.length))
            firsts.append(first + n)
            starts.append(query.start + offset)
            n += len(score)
            tag = text_of(tags.name(len(tags) - 1)) if len(tags) else tag
    if not n:
        raise DataError([Problem(f"is empty: it has no lines; {RUN_LINE}", file.name)])
    start, value = np.concatenate(starts), np.concatenate(scores)
    query, document = (
        field_of_pieces([text for text, _ in kept], np.concatenate([length for _, length in kept]))
        for kept in (queries, documents)
    )

    def line(row: int) -> int:
        return line_number(file, int(start[row]))

    return Rows(file.name, query, np.concatenate(firsts), document, value, line, tag=tag)


def _keep_freed_memory() -> None:
    """Make the C library keep up to about 64 MB of freed memory instead of returning it.

    The library's limit follows the largest block freed so far. Without this, the system provides
    every array of a megabyte again, page by page, which takes as long as the scanning itself.
    """
    block = np.empty(31 << 20, np.uint8)
    del block


@contextmanager
def _lines_named(file: Packed, offset: int, shape: str) -> Generator[None]:
    """Turn MalformedError into DataError with the line; `offset` is where the text begins."""
    try:
        yield
    except MalformedError as error:
        line = line_number(file, error.at + offset)
        raise DataError([Problem(f"{error.problem}; {shape}", file.name, line)]) from None


def _refuse_repeated(
    file: Packed, document: Field, pairs: Sequence[tuple[int, int]], offset: int, what: str
) -> None:
    """DataError for the first two rows with the same document; `offset` is where the text begins."""
    for pair in pairs:
        from ragauge.rankings.reading.rows import repeated_twice

        starts = sorted(int(document.start[row]) + offset for row in pair)
        first, second = (line_number(file, start) for start in starts)
        problem = repeated_twice(document.name(pair[0]), what, first)
        raise DataError([Problem(problem, file.name, second)])
