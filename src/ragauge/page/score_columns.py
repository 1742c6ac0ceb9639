"""A run's scores as arrays: for each metric the values, statuses and reasons of all questions and systems."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
import polars as pl

from ragauge.comparing.scores import numbered
from ragauge.errors import StoreError
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.scores import collected, score_pieces
from ragauge.score import Status

STATUSES = tuple(str(status) for status in Status)
NO_SCORE = 255
"""The status code of an answer that the metric has no score for."""
MAX_REASONS = 65_535


@dataclass(frozen=True, slots=True)
class ScoreColumn:
    """One metric's scores, each array of shape (questions, systems).

    `values` is NaN where there is no value. `statuses` are positions in STATUSES, or NO_SCORE.
    `reasons` are positions in `texts` plus 1; 0 is no reason.
    """

    values: "np.ndarray[Any, Any]"
    statuses: "np.ndarray[Any, Any]"
    reasons: "np.ndarray[Any, Any]"
    texts: tuple[str, ...]

    def to_bytes(self) -> bytes:
        """Little-endian float64 values, uint16 reasons, uint8 statuses, then the reasons' texts as JSON."""
        return b"".join(
            (
                self.values.astype("<f8").tobytes(),
                self.reasons.astype("<u2").tobytes(),
                self.statuses.tobytes(),
                json.dumps(self.texts).encode(),
            )
        )


@dataclass(frozen=True)
class ScoreColumns:
    """The scores of a run by metric label, for questions in the samples' order and these systems."""

    run: ScoredRun
    systems: Sequence[str]

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The questions, in the order in which the samples first have them."""
        pieces = [piece["id"] for piece in self.run.samples.pieces(["id"])]
        return tuple(pl.concat(pieces).unique(maintain_order=True).to_list()) if pieces else ()

    @cached_property
    def grid(self) -> "tuple[pl.DataFrame, pl.DataFrame]":
        """The position of each question (id, q) and of each system (system, s)."""
        questions = pl.DataFrame({"id": self.ids, "q": range(len(self.ids))})
        systems = pl.DataFrame({"system": list(self.systems), "s": range(len(self.systems))})
        return questions, systems

    @cached_property
    def by_metric(self) -> Mapping[str, ScoreColumn]:
        """The column of each metric that was scored, or tried, on some answer."""
        systems = {name: at for at, name in enumerate(self.systems)}
        wanted = {metric.metric for metric in self.run.metrics if not metric.unavailable}
        made: dict[str, _Column] = {}
        ids = pl.Series("id", self.ids, dtype=pl.String)
        order = ids.arg_sort().to_numpy()
        ids = ids.gather(order)
        names = ("id", "system", "metric", "value", "status", "reason")
        for piece in score_pieces(self.run, names):
            places = numbered(piece["id"], ids)  # among the sorted ids
            at = order[places["question"].to_numpy()].astype("uint64")
            places = places.with_columns(question=pl.Series(at, dtype=pl.UInt64))
            placed = (
                piece.lazy()
                .join(places.lazy(), on="id")
                .with_columns(
                    place=pl.col("question") * len(systems)
                    + pl.col("system").replace_strict(systems, return_dtype=pl.UInt32)
                )
            )
            found = collected(placed, self.run.folder)
            if found.height < piece.height:
                raise StoreError(
                    f"{self.run.folder}: is damaged: a score is of a question that the samples do not have; run it "
                    "again into another folder"
                )
            by_label = found.partition_by("metric", as_dict=True)
            for (label,), scores in by_label.items():
                metric = cast(str, label)
                if metric in wanted:
                    shape = (len(self.ids), len(systems))
                    made.setdefault(metric, _Column(shape)).add(scores)
        labels = dict.fromkeys(metric.metric for metric in self.run.metrics)
        return {label: made[label].finished() for label in labels if label in made}


class _Column:
    """The arrays of one metric while its scores are added."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self._shape, size = shape, shape[0] * shape[1]
        self._values = np.full(size, np.nan)
        self._statuses = np.full(size, NO_SCORE, np.uint8)
        self._reasons = np.zeros(size, np.uint16)
        self._texts: dict[str, int] = {}

    def add(self, scores: "pl.DataFrame") -> None:
        """Add scores with their place."""
        place = scores["place"].to_numpy()
        self._values[place] = scores["value"].cast(pl.Float64).fill_null(float("nan")).to_numpy()
        codes = {status: code for code, status in enumerate(STATUSES)}
        statuses = scores["status"].replace_strict(codes, return_dtype=pl.UInt8)
        self._statuses[place] = statuses.to_numpy()
        for text in scores["reason"].drop_nulls().unique(maintain_order=True).to_list():
            if len(self._texts) < MAX_REASONS:
                self._texts.setdefault(text, len(self._texts) + 1)
        numbers = scores["reason"].replace_strict(self._texts, default=0, return_dtype=pl.UInt16)
        self._reasons[place] = numbers.fill_null(0).to_numpy()

    def finished(self) -> ScoreColumn:
        return ScoreColumn(
            self._values.reshape(self._shape),
            self._statuses.reshape(self._shape),
            self._reasons.reshape(self._shape),
            tuple(self._texts),
        )
