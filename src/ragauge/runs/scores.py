"""Sources of a run's scores: a frame in memory, or parts on disk that are read when needed.

Evidence is stored separately, so that code that needs only values never reads it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ragauge.engine.frames import EVIDENCE, KEYS, SCORES
from ragauge.errors import StoreError

if TYPE_CHECKING:
    import polars as pl

COLUMNS = ("id", "system", "metric", "value", "status", "reason", "evidence", "flags")
"""Columns of `Run.scores`."""


class ScoreSource(Protocol):
    """A run's scores, ordered by sample and then by metric."""

    def scan(self) -> "pl.LazyFrame":
        """A lazy frame with the columns of SCORES."""
        ...

    def scan_evidence(self) -> "pl.LazyFrame":
        """A lazy frame with the columns of EVIDENCE: the same rows in the same order."""
        ...


@dataclass(frozen=True, slots=True)
class InMemory:
    """Scores in a frame with the columns of SCORES and EVIDENCE."""

    frame: "pl.DataFrame"

    def scan(self) -> "pl.LazyFrame":
        return self.frame.lazy().select(SCORES)

    def scan_evidence(self) -> "pl.LazyFrame":
        return self.frame.lazy().select(EVIDENCE)


@dataclass(frozen=True, slots=True)
class InParts:
    """Scores in Parquet files: a part of scores and a part of evidence per batch."""

    scores: Sequence[Path]
    evidence: Sequence[Path]

    def scan(self) -> "pl.LazyFrame":
        return _scan(self.scores, SCORES)

    def scan_evidence(self) -> "pl.LazyFrame":
        return _scan(self.evidence, EVIDENCE)


def _scan(paths: Sequence[Path], columns: Sequence[str]) -> "pl.LazyFrame":
    import polars as pl

    # With glob, polars would read * and [ in a path as patterns.
    sources: list[Any] = list(map(_path_or_content, paths))
    return pl.scan_parquet(sources, glob=False, hive_partitioning=False).select(columns)


def _path_or_content(path: Path) -> str | BytesIO:
    """The path, or the file's content if the path is not UTF-8, which polars cannot open."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return BytesIO(path.read_bytes())
    return str(path)


def collected(lazy: "pl.LazyFrame", folder: Path | None) -> "pl.DataFrame":
    """The rows of a lazy frame; raises StoreError if a part is damaged or is not part of a run."""
    import polars as pl

    try:
        return lazy.collect()
    except (OSError, pl.exceptions.PolarsError) as error:
        if folder is None:
            raise
        raise StoreError(
            f"{folder}: its scores cannot be read: {error!s:.200}; remove {folder} and run it again"
        ) from None


def with_evidence(source: ScoreSource, folder: Path | None) -> "pl.DataFrame":
    """All scores with their evidence: the columns of COLUMNS."""
    return _beside(
        collected(source.scan(), folder), collected(source.scan_evidence(), folder), folder
    )


def of_question(source: ScoreSource, id: str, folder: Path | None) -> "pl.DataFrame":
    """The scores of one question with their evidence; reads only the parts that contain them."""
    import polars as pl

    wanted = pl.col("id") == id
    return _beside(
        collected(source.scan().filter(wanted), folder),
        collected(source.scan_evidence().filter(wanted), folder),
        folder,
    )


def _beside(
    scores: "pl.DataFrame", evidence: "pl.DataFrame", folder: Path | None
) -> "pl.DataFrame":
    if scores.height != evidence.height:
        raise StoreError(
            f"{folder}: has {scores.height:,} scores but evidence for {evidence.height:,}; "
            f"remove {folder} and run it again"
        )
    if not scores.select(KEYS).equals(evidence.select(KEYS)):
        raise StoreError(
            f"{folder}: has evidence of other rows than its scores; remove {folder} and run it again"
        )
    return scores.with_columns(evidence["evidence"]).select(COLUMNS)
