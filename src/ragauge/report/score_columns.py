"""A run's scores as arrays: for each metric the values, statuses and reasons of all questions and systems."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ragauge.runs.run import Run
from ragauge.score import Status

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

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

    run: Run
    systems: Sequence[str]

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The questions, in the order in which the samples first have them."""
        return tuple(self.run.samples.frame["id"].unique(maintain_order=True).to_list())

    @cached_property
    def grid(self) -> "tuple[pl.DataFrame, pl.DataFrame]":
        """The position of each question (id, q) and of each system (system, s)."""
        import polars as pl

        questions = pl.DataFrame({"id": self.ids, "q": range(len(self.ids))})
        systems = pl.DataFrame({"system": list(self.systems), "s": range(len(self.systems))})
        return questions, systems

    @cached_property
    def by_metric(self) -> Mapping[str, ScoreColumn]:
        """The column of each metric that was scored, or tried, on some answer."""
        import polars as pl

        questions, systems = self.grid
        scores = self.run.collect(
            self.run.scan().select("id", "system", "metric", "value", "status", "reason")
        )
        placed = scores.join(questions, on="id").join(systems, on="system")
        place = pl.col("q") * len(self.systems) + pl.col("s")
        parts = placed.with_columns(place.alias("place")).partition_by("metric", as_dict=True)
        wanted = [metric.metric for metric in self.run.metrics if not metric.unavailable]
        return {
            metric: self._column(parts[(metric,)])
            for metric in dict.fromkeys(wanted)
            if (metric,) in parts
        }

    def _column(self, scores: "pl.DataFrame") -> ScoreColumn:
        import numpy as np
        import polars as pl

        shape = (len(self.ids), len(self.systems))
        size = shape[0] * shape[1]
        place = scores["place"].to_numpy()
        values = np.full(size, np.nan)
        values[place] = scores["value"].cast(pl.Float64).fill_null(float("nan")).to_numpy()
        statuses = np.full(size, NO_SCORE, np.uint8)
        codes = {status: code for code, status in enumerate(STATUSES)}
        statuses[place] = scores["status"].replace_strict(codes, return_dtype=pl.UInt8).to_numpy()
        texts = scores["reason"].drop_nulls().unique(maintain_order=True).to_list()[:MAX_REASONS]
        positions = {text: at for at, text in enumerate(texts, 1)}
        reasons = np.zeros(size, np.uint16)
        reasons[place] = (
            scores["reason"]
            .replace_strict(positions, default=0, return_dtype=pl.UInt16)
            .fill_null(0)
            .to_numpy()
        )
        return ScoreColumn(
            values.reshape(shape), statuses.reshape(shape), reasons.reshape(shape), tuple(texts)
        )
