"""A run's scores some samples at a time, so that no analysis needs all of them in memory."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ragauge.runs.scores import InParts

if TYPE_CHECKING:
    import polars as pl

    from ragauge.runs.scored_run import ScoredRun


def score_pieces(run: "ScoredRun", columns: Sequence[str]) -> "Iterator[pl.DataFrame]":
    """These columns of the scores, some samples at a time; all scores of a sample are in one piece."""
    for lazy in run.source.pieces():
        yield run.collect(lazy.select(columns))


def pieces_with_samples(
    run: "ScoredRun", columns: Sequence[str], fields: Sequence[str]
) -> "Iterator[tuple[pl.DataFrame, pl.DataFrame]]":
    """The same, each piece with id, system and these fields of the samples that it scores."""
    named = list(dict.fromkeys(("id", "system", *fields)))
    size = run.source.n_samples_at_once if isinstance(run.source, InParts) else len(run.samples)
    for place, scores in enumerate(score_pieces(run, columns)):
        yield scores, run.samples.part(place * size, (place + 1) * size, named)
