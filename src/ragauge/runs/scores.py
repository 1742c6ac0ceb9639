"""Sources of a run's scores: a frame in memory, or parts on disk, apart from evidence."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ragauge.engine.measure import EVIDENCE, KEYS, SCORES
from ragauge.errors import StoreError
from ragauge.runs.manifest import INDEX
from ragauge.samples.samples import Samples
from ragauge.storage.atomic_files import write_frame

if TYPE_CHECKING:
    import polars as pl

    from ragauge.runs.scored_run import ScoredRun

COLUMNS = ("id", "system", "metric", "value", "status", "reason", "evidence", "flags")
SAMPLES_AT_ONCE = 20_000
"""Samples whose scores are in memory at once when parts are read one after the other."""
MIN_INDEXED = 50_000
"""Runs with more rows have an index."""
ROWS_AT_ONCE = 50_000


@dataclass(frozen=True, slots=True)
class InMemory:
    """Scores in a frame with the columns of SCORES and EVIDENCE, by sample, then by metric."""

    frame: "pl.DataFrame"

    def scan(self) -> "pl.LazyFrame":
        """A lazy frame with the columns of SCORES."""
        return self.frame.lazy().select(SCORES)

    def scan_evidence(self) -> "pl.LazyFrame":
        """A lazy frame with the columns of EVIDENCE: the same rows in the same order."""
        return self.frame.lazy().select(EVIDENCE)

    def pieces(self) -> "Iterator[ScoreSource]":
        """The scores some at a time, in their order; a sample's scores are all in one piece."""
        yield self

    def of_batches(self, numbers: Sequence[int]) -> "ScoreSource":  # noqa: ARG002
        """The scores of these batches, in the order of their numbers; all of them in memory."""
        return self


@dataclass(frozen=True, slots=True)
class InParts:
    """Scores in Parquet files: a part of scores and a part of evidence per batch."""

    scores: Sequence[Path]
    evidence: Sequence[Path]
    batch_size: int = 1_000

    def scan(self) -> "pl.LazyFrame":
        return _scan(self.scores, SCORES)

    def scan_evidence(self) -> "pl.LazyFrame":
        return _scan(self.evidence, EVIDENCE)

    def pieces(self) -> "Iterator[ScoreSource]":
        at_once = self.n_samples_at_once // self.batch_size
        for start in range(0, len(self.scores), at_once):
            yield self.of_batches(range(len(self.scores))[start : start + at_once])

    @property
    def n_samples_at_once(self) -> int:
        """How many samples the scores of a piece are of; whole batches."""
        return max(1, SAMPLES_AT_ONCE // self.batch_size) * self.batch_size

    def of_batches(self, numbers: Sequence[int]) -> "ScoreSource":
        scores = [self.scores[number] for number in numbers]
        return InParts(scores, [self.evidence[number] for number in numbers], self.batch_size)


ScoreSource = InMemory | InParts


def _scan(paths: Sequence[Path], columns: Sequence[str]) -> "pl.LazyFrame":
    import polars as pl

    sources: list[Any] = []
    for path in paths:
        try:
            str(path).encode()
            sources.append(str(path))
        except UnicodeEncodeError:  # polars cannot open a path that is not UTF-8
            sources.append(BytesIO(path.read_bytes()))
    # With glob, polars would read * and [ in a path as patterns.
    return pl.scan_parquet(sources, glob=False, hive_partitioning=False).select(columns)


def collected(
    lazy: "pl.LazyFrame", folder: Path | None, *, is_large: bool = False
) -> "pl.DataFrame":
    """The rows of a lazy frame, in pieces if `is_large`; StoreError if a part is damaged."""
    import polars as pl

    try:
        return lazy.collect(engine="streaming" if is_large else "auto")
    except (OSError, pl.exceptions.PolarsError) as error:
        if folder is None:
            raise
        raise StoreError(
            f"{folder}: its scores cannot be read: {error!s:.200}; remove {folder} and run it again"
        ) from None


def with_evidence(
    source: ScoreSource, folder: Path | None, id: str | None = None
) -> "pl.DataFrame":
    """All scores, or those of one question, with their evidence: the columns of COLUMNS."""
    import polars as pl

    both = [source.scan(), source.scan_evidence()]
    if id is not None:
        both = [each.filter(pl.col("id") == id) for each in both]
    scores, evidence = (collected(each, folder) for each in both)
    problem = ""
    if scores.height != evidence.height:
        problem = f"{scores.height:,} scores but evidence for {evidence.height:,}"
    elif not scores.select(KEYS).equals(evidence.select(KEYS)):
        problem = "evidence of other rows than its scores"
    if problem:
        raise StoreError(f"{folder}: has {problem}; remove {folder} and run it again")
    return scores.with_columns(evidence["evidence"]).select(COLUMNS)


def pieces_with_evidence(source: ScoreSource, folder: Path | None) -> "Iterator[pl.DataFrame]":
    """All scores with their evidence in their order, those of some samples at a time."""
    for piece in source.pieces():
        yield with_evidence(piece, folder)


def score_pieces(run: "ScoredRun", columns: Sequence[str]) -> "Iterator[pl.DataFrame]":
    """These columns of the scores, some samples at a time; all scores of a sample are in one piece."""
    for piece in run.source.pieces():
        yield run.collect(piece.scan().select(columns))


def pieces_with_samples(
    run: "ScoredRun", columns: Sequence[str], fields: Sequence[str]
) -> "Iterator[tuple[pl.DataFrame, pl.DataFrame]]":
    """The same, each piece with id, system and these fields of the samples that it scores."""
    named = list(dict.fromkeys(("id", "system", *fields)))
    size = run.source.n_samples_at_once if isinstance(run.source, InParts) else len(run.samples)
    for place, scores in enumerate(score_pieces(run, columns)):
        yield scores, run.samples.part(place * size, (place + 1) * size, named)


def write_index(folder: Path, samples: Samples) -> None:
    """Write the index of a run's questions into its folder, if the run is large."""
    import numpy as np
    import polars as pl

    if len(samples) <= MIN_INDEXED:
        return
    ids = (cast(str, id) for piece in samples.pieces(["id"]) for id in piece["id"].to_list())
    hashes = np.fromiter(map(hash_of, ids), np.uint64)
    order = np.argsort(hashes, kind="stable").astype(np.uint32)
    table = pl.DataFrame({"hash": hashes[order], "row": order})
    write_frame(folder / INDEX, table, row_group_size=ROWS_AT_ONCE)


def hash_of(id: str) -> int:
    """The number of an id in the index."""
    return int.from_bytes(hashlib.blake2b(id.encode(), digest_size=8).digest())
