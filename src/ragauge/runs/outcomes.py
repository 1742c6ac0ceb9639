"""What became of a run's scores: which failed, were not tried or used a truncated text, and why; and what a large run stores of all of them."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ragauge.engine.graph import Plan
from ragauge.label import Label
from ragauge.runs.manifest import RESULTS, Manifest, planned_labels
from ragauge.runs.scores import score_pieces
from ragauge.score import NOT_ASKED, NOT_LAST, Flag
from ragauge.storage.atomic_files import write_text
from ragauge.storage.regular_file import read_regular
from ragauge.suite import names_of

if TYPE_CHECKING:
    import polars as pl

    from ragauge.runs.scored_run import ScoredRun

MIN_ANSWERS = 20_000
"""Runs of more answers store their results; those of fewer are computed in a second or two."""
MAX_BYTES = 50_000_000
VERSION = 2
"""Raised whenever what is stored changes its form or its numbers."""
NOT_ASKED_BECAUSE = re.compile(rf'{NOT_ASKED}[^";{{\\]+')
"""A reason of a score that was not asked for, within a text such as the evidence of a composite."""
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


@dataclass(frozen=True)
class Health:
    """What went wrong in a run; all counts are numbers of scores."""

    run: "ScoredRun"

    @cached_property
    def failed(self) -> tuple[Absence, ...]:
        """The scores that failed, counted by metric, system and reason."""
        return tuple(each for each in self.run.outcomes.absent if each.status == "failed")

    @property
    def n_failed(self) -> int:
        """Scores that failed; running again retries them."""
        return sum(each.n for each in self.failed)

    @property
    def n_unreadable(self) -> int:
        """Scores that failed because the judge's stored reply is unreadable."""
        from ragauge.judges.session import NO_USABLE_REPLY

        return sum(each.n for each in self.failed if NO_USABLE_REPLY in (each.reason or ""))

    @property
    def n_truncated(self) -> int:
        """Scores that used a truncated text."""
        return self.run.outcomes.n_flagged(Flag.TRUNCATED)

    @property
    def is_complete(self) -> bool:
        """Whether no score failed."""
        return not self.failed

    @property
    def nothing_scored(self) -> bool:
        """Whether no score has a value."""
        return not self.scored

    @property
    def scored(self) -> Set[str]:
        """The labels of the metrics with at least one value."""
        return self.run.outcomes.scored.keys()

    def why_nothing_scored(self, metrics: Collection[str] | None = None) -> str:
        """The most frequent reason for a score without a value; missing requirements last."""
        counted = self.run.outcomes.absent
        absent = [each for each in counted if metrics is None or each.metric in metrics]
        unavailable = {metric.metric for metric in self.run.metrics if metric.unavailable}
        tried = [each for each in absent if each.metric not in unavailable]
        counts = Counter[str]()
        for each in tried or absent:
            if each.reason is not None:
                counts[each.reason] += each.n
        if not counts:
            return "no metric or check applies to any row"
        return min(counts, key=lambda reason: (reason == NOT_LAST, -counts[reason], reason))

    @cached_property
    def silent_judges(self) -> Mapping[str, str]:
        """The judges without any usable reply: name to reason."""
        reasons: dict[str, str] = {}
        for judge, stored in self.run.manifest.judging.items():
            usage = cast("Mapping[str, int]", stored)
            label = str(Label("", {"judge": judge}))[1:-1]
            failed = [each.reason or "" for each in self.failed if label in each.metric]
            has_value = any(label in metric for metric in self.scored)
            all_failed = usage["calls"] == usage["failed"] > 0 and not usage["cached"]
            if all_failed or (failed and not has_value):
                reasons[judge] = failed[0] if failed else "every call failed"
        return {judge: reason for judge, reason in reasons.items() if reason}

    @cached_property
    def unasked_metrics(self) -> Mapping[str, str]:
        """The metrics without any value whose judge was not called, also for a part: name to reason."""
        import polars as pl

        reasons: dict[str, str] = {}
        for metric in (each for each in self.run.metrics if each.metric not in self.scored):
            texts = [
                each.reason for each in self.run.outcomes.absent if each.metric == metric.metric
            ]
            reason = next((text for text in texts if (text or "").startswith(NOT_ASKED)), None)
            lost = (metric.metric, str(Flag.LOST_PARTS))
            texts = [why for *of, why in self.run.outcomes.flagged if tuple(of) == lost]
            if reason is None and texts:
                wanted = pl.col("metric") == metric.metric
                stored = self.run.collect(self.run.source.scan_evidence().filter(wanted))
                texts += cast("list[str | None]", stored["evidence"].to_list())
                found = map(NOT_ASKED_BECAUSE.search, filter(None, texts))
                reason = next((because[0] for because in found if because), None)
            if reason:
                reasons[metric.name] = reason
        return reasons


def named_without_scores(plan: Plan, health: Health) -> Mapping[str, str]:
    """The metrics named one by one, and the suites, without any value: name to reason."""
    named: dict[str, list[str]] = {}
    for suite in plan.suites:
        labels: dict[str, list[str]] = {}
        for entry in suite.entries:
            # The label of a composite also names the judge of its parts.
            by_name = [
                metric.metric
                for metric in plan.metrics
                if metric.name == entry.name
                and getattr(metric.definition, "name", None) == entry.label.name
            ]
            labels[entry.name] = [*planned_labels(entry, plan.metrics), *by_name]
        if suite.explicit:
            named |= labels
            continue
        of_entries = [label for found in labels.values() for label in found]
        checks = [name for check in suite.checks for name in names_of(check)]
        named[f"suite {suite.name}"] = [*of_entries, *checks]
    return {
        name: health.why_nothing_scored(labels)
        for name, labels in named.items()
        if health.scored.isdisjoint(labels)
    }


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
