"""What became of a run's scores: how many have no value and why, and which flags they have."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from ragauge.runs.scores import score_pieces
from ragauge.score import Flag

if TYPE_CHECKING:
    import polars as pl

    from ragauge.runs.scored_run import ScoredRun

COLUMNS = ("metric", "system", "value", "status", "reason", "flags")


@dataclass(frozen=True, slots=True)
class Absence:
    """Scores without a value of one metric and system, with the same status and reason; `n` of them."""

    metric: str
    system: str
    status: str
    reason: str | None
    n: int


@dataclass(slots=True)
class Outcomes:
    """Counts of scores from one pass over them, each in the order in which it first occurs.

    `flagged` counts by metric, flag and reason. `n_by_metric` counts all scores of a metric.
    """

    n_by_metric: dict[str, int] = field(default_factory=dict[str, int])
    scored: dict[str, None] = field(default_factory=dict[str, None])
    """The metrics with a value."""
    flagged: dict[tuple[str, str, str | None], int] = field(
        default_factory=dict[tuple[str, str, str | None], int]
    )
    _absent: dict[tuple[str, str, str, str | None], int] = field(
        default_factory=dict[tuple[str, str, str, str | None], int]
    )

    @property
    def absent(self) -> tuple[Absence, ...]:
        """The scores without a value."""
        return tuple(Absence(*key, n) for key, n in self._absent.items())

    def n_flagged(self, flag: Flag, metric: str | None = None) -> int:
        """How many scores have a flag: all, or those of one metric."""
        return sum(
            n
            for (of, name, _), n in self.flagged.items()
            if name == str(flag) and metric in (None, of)
        )

    def as_data(self) -> dict[str, object]:
        """The counts as JSON data, which `of_data` reads."""
        return {
            "n_by_metric": self.n_by_metric,
            "scored": list(self.scored),
            "flagged": [[*key, n] for key, n in self.flagged.items()],
            "absent": [[*key, n] for key, n in self._absent.items()],
        }

    @classmethod
    def of_data(cls, given: "Mapping[str, Any]") -> "Outcomes":
        return cls(
            dict(given["n_by_metric"]),
            dict.fromkeys(given["scored"]),
            {tuple(key): n for *key, n in given["flagged"]},
            {tuple(key): n for *key, n in given["absent"]},
        )

    def add(self, scores: "pl.DataFrame") -> None:
        """Count the scores of a piece."""
        import polars as pl

        for metric, n in _counted(scores.select("metric")):
            self.n_by_metric[metric] = self.n_by_metric.get(metric, 0) + n
        has_value = scores["value"].is_not_null()
        for metric, _ in _counted(scores.filter(has_value).select("metric")):
            self.scored[metric] = None
        without = scores.filter(~has_value).select("metric", "system", "status", "reason")
        for *key, n in _counted(without):
            place = cast("tuple[str, str, str, str | None]", tuple(key))
            self._absent[place] = self._absent.get(place, 0) + n
        flagged = scores.filter(pl.col("flags").list.len() > 0)
        for *key, n in _counted(flagged.select("metric", "flags", "reason").explode("flags")):
            named = cast("tuple[str, str, str | None]", tuple(key))
            self.flagged[named] = self.flagged.get(named, 0) + n


def _counted(frame: "pl.DataFrame") -> "list[tuple[Any, ...]]":
    """The distinct rows in the order in which they first occur, each with how many there are."""
    return frame.group_by(frame.columns, maintain_order=True).len().rows()


def outcomes_of(run: "ScoredRun") -> Outcomes:
    """What became of the scores of a run."""
    if "outcomes" in run.stored_results:
        return Outcomes.of_data(cast("Mapping[str, Any]", run.stored_results["outcomes"]))
    found = Outcomes()
    for piece in score_pieces(run, COLUMNS):
        found.add(piece)
    return found
