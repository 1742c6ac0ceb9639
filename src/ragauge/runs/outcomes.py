"""What became of a run's scores, and what a large run stores of all of them."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ragauge.runs.manifest import RESULTS, Manifest
from ragauge.runs.scores import score_pieces
from ragauge.score import Flag
from ragauge.storage.atomic_files import write_text
from ragauge.storage.regular_file import read_regular

if TYPE_CHECKING:
    import polars as pl

    from ragauge.runs.scored_run import ScoredRun

MIN_ANSWERS = 20_000
"""Runs of more answers store their results; those of fewer are computed in a second or two."""
MAX_BYTES = 50_000_000
VERSION = 2
"""Raised whenever what is stored changes its form or its numbers."""
Flagged = tuple[str, str, str | None]
Absent = tuple[str, str, str, str | None]
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
    """Counts of scores from one pass, each in the order in which it first occurs: `n_by_metric` of
    all scores, `flagged` by metric, flag and reason; `scored` are the metrics with a value."""

    n_by_metric: Counter[str] = field(default_factory=Counter[str])
    scored: dict[str, None] = field(default_factory=dict[str, None])
    flagged: Counter[Flagged] = field(default_factory=Counter[Flagged])
    _absent: Counter[Absent] = field(default_factory=Counter[Absent])

    @property
    def absent(self) -> tuple[Absence, ...]:
        """The scores without a value."""
        return tuple(Absence(*key, n) for key, n in self._absent.items())

    def n_flagged(self, flag: Flag, metric: str | None = None) -> int:
        """How many scores have a flag: all, or those of one metric."""
        found = [(of, n) for (of, name, _), n in self.flagged.items() if name == str(flag)]
        return sum(n for of, n in found if metric in (None, of))

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
        flagged = Counter({tuple(key): n for *key, n in given["flagged"]})
        absent = Counter({tuple(key): n for *key, n in given["absent"]})
        return cls(Counter(given["n_by_metric"]), dict.fromkeys(given["scored"]), flagged, absent)

    def add(self, scores: "pl.DataFrame") -> None:
        """Count the scores of a piece."""
        import polars as pl

        def counted(frame: pl.DataFrame, *names: str) -> dict[tuple[Any, ...], int]:
            counts = frame.group_by(*names, maintain_order=True).len().rows()
            return {tuple(values): n for *values, n in counts}

        absent = scores.filter(pl.col("value").is_null())
        flagged = scores.filter(pl.col("flags").list.len() > 0).explode("flags")
        self.n_by_metric.update({metric: n for (metric,), n in counted(scores, "metric").items()})
        self.scored |= dict.fromkeys(
            scores.drop_nulls("value")["metric"].unique(maintain_order=True)
        )
        self._absent.update(counted(absent, "metric", "system", "status", "reason"))
        self.flagged.update(counted(flagged, "metric", "flags", "reason"))


def outcomes_of(run: "ScoredRun") -> Outcomes:
    """What became of the scores of a run."""
    if "outcomes" in run.stored_results:
        return Outcomes.of_data(cast("Mapping[str, Any]", run.stored_results["outcomes"]))
    found = Outcomes()
    for piece in score_pieces(run, COLUMNS):
        found.add(piece)
    return found


def has_results(run: "ScoredRun") -> bool:
    """Whether a run is stored, finished and so large that its results are stored."""
    is_stored = run.folder is not None and run.manifest.digests
    return bool(is_stored) and len(run.samples) > MIN_ANSWERS


def read_results(folder: Path, manifest: Manifest) -> Mapping[str, object]:
    """The stored results by name; empty if there are none that belong to the run's scores."""
    try:
        head, _, body = read_regular(folder / RESULTS, MAX_BYTES).partition(b"\n")
        if json.loads(head) != _head(manifest, body):
            return {}
        return cast("Mapping[str, object]", json.loads(body))
    except (OSError, ValueError, RecursionError):
        return {}


def write_results(folder: Path, manifest: Manifest, results: Mapping[str, object]) -> None:
    """Store results as JSON data, unless a number is not finite or there is too much of them."""
    try:
        body = json.dumps(results, allow_nan=False).encode()
    except ValueError:
        return
    text = f"{json.dumps(_head(manifest, body))}\n{body.decode()}"
    if len(text) <= MAX_BYTES:
        write_text(folder / RESULTS, text)


def _head(manifest: Manifest, body: bytes) -> dict[str, object]:
    """What must hold for a body to be used: the code, the scores and the body itself."""
    scores = json.dumps([manifest.key, manifest.seed, sorted(manifest.digests.items())])
    return {
        "version": VERSION,
        "ragauge": metadata.version("ragauge"),
        "scores": hashlib.sha256(scores.encode()).hexdigest(),
        "results": hashlib.sha256(body).hexdigest(),
    }
