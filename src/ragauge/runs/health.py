"""The health of a run: which scores failed, were not tried or used a truncated text, and why."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from ragauge.engine.graph import Plan
from ragauge.label import Label
from ragauge.runs.manifest import planned_labels
from ragauge.runs.scored_run import ScoredRun
from ragauge.score import NOT_ASKED, NOT_LAST, Flag
from ragauge.suite import Entry, names_of


@dataclass(frozen=True)
class Health:
    """What went wrong in a run; all counts are numbers of scores.

    >>> import ragauge as rg
    >>> run = rg.evaluate([{"id": "q1", "answer": "Paris"}], "dont_know")
    >>> Health(run).is_complete, Health(run).nothing_scored
    (True, False)
    """

    run: ScoredRun

    @cached_property
    def n_failed(self) -> int:
        """Scores that failed; running again retries them."""
        return sum(each.n for each in self.run.outcomes.absent if each.status == "failed")

    @cached_property
    def n_unreadable(self) -> int:
        """Scores that failed because the judge's stored reply is unreadable."""
        from ragauge.judges.session import NO_USABLE_REPLY

        return sum(
            each.n
            for each in self.run.outcomes.absent
            if each.status == "failed" and NO_USABLE_REPLY in (each.reason or "")
        )

    @cached_property
    def n_truncated(self) -> int:
        """Scores that used a truncated text."""
        return self.run.outcomes.n_flagged(Flag.TRUNCATED)

    @property
    def is_complete(self) -> bool:
        """Whether no score failed."""
        return self.n_failed == 0

    @property
    def nothing_scored(self) -> bool:
        """Whether no score has a value."""
        return not self.scored

    @cached_property
    def scored(self) -> frozenset[str]:
        """The labels of the metrics with at least one value."""
        return frozenset(self.run.outcomes.scored)

    def why_nothing_scored(self, metrics: Collection[str] | None = None) -> str:
        """The most frequent reason for a score without a value, of these metrics or of all.

        Metrics whose requirements are missing count only if there are no others.
        """
        absent = [
            each for each in self.run.outcomes.absent if metrics is None or each.metric in metrics
        ]
        unavailable = {metric.metric for metric in self.run.metrics if metric.unavailable}
        tried = [each for each in absent if each.metric not in unavailable]
        counts: dict[str, int] = {}
        for each in tried or absent:
            if each.reason is not None:
                counts[each.reason] = counts.get(each.reason, 0) + each.n
        if not counts:
            return "no metric or check applies to any row"
        return min(counts, key=lambda reason: (reason == NOT_LAST, -counts[reason], reason))

    @cached_property
    def silent_judges(self) -> Mapping[str, str]:
        """The judges without any usable reply: name to reason."""
        reasons: dict[str, str] = {}
        for judge, usage in self.run.manifest.judging.items():
            if reason := self._why_silent(judge, cast("Mapping[str, int]", usage)):
                reasons[judge] = reason
        return reasons

    @cached_property
    def unasked_metrics(self) -> Mapping[str, str]:
        """The metrics without any value whose judge was not called: name to reason."""
        reasons: dict[str, str] = {}
        for metric in self.run.metrics:
            if metric.metric in self.run.outcomes.scored:
                continue
            if reason := self._why_not_asked(metric.metric):
                reasons[metric.name] = reason
        return reasons

    def _why_silent(self, judge: str, usage: Mapping[str, int]) -> str:
        label = str(Label("", {"judge": judge}))[1:-1]
        failed = [
            each
            for each in self.run.outcomes.absent
            if label in each.metric and each.status == "failed"
        ]
        has_value = any(label in metric for metric in self.run.outcomes.scored)
        all_failed = usage["calls"] == usage["failed"] > 0 and not usage["cached"]
        if not all_failed and not (failed and not has_value):
            return ""
        return (failed[0].reason or "") if failed else "every call failed"

    def _why_not_asked(self, metric: str) -> str:
        """Why a judge was not called for a score of the metric; empty if it was called for all."""
        for each in self.run.outcomes.absent:
            if each.metric == metric and (each.reason or "").startswith(NOT_ASKED):
                return each.reason or ""
        lost = [
            reason
            for of, flag, reason in self.run.outcomes.flagged
            if of == metric and flag == str(Flag.LOST_PARTS)
        ]
        return self._why_part_lost(metric, lost) if lost else ""

    def _why_part_lost(self, metric: str, reasons: Sequence[str | None]) -> str:
        """Why a judge was not called for a composite's parts, from its reasons or its evidence."""
        import polars as pl

        for reason in reasons:
            if found := re.search(f'({NOT_ASKED}[^";{{\\\\]+)', reason or ""):
                return found[1]
        wanted = pl.col("metric") == metric
        stored = self.run.collect(self.run.source.scan_evidence().filter(wanted))
        for text in stored["evidence"].drop_nulls().to_list():
            for reason in _texts(json.loads(text)):
                if NOT_ASKED in reason:
                    return reason[reason.index(NOT_ASKED) :]
        return ""


def _texts(value: object) -> list[str]:
    """All texts in JSON data."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [
            text for item in cast("Mapping[str, object]", value).values() for text in _texts(item)
        ]
    if isinstance(value, list):
        return [text for item in cast("list[object]", value) for text in _texts(item)]
    return []


def named_without_scores(plan: Plan, health: Health) -> Mapping[str, str]:
    """The metrics named one by one, and the suites, without any value: name to reason.

    A suite is one name: some of its metrics may lack their columns, as long as another has values.
    """
    named: dict[str, list[str]] = {}
    for suite in plan.suites:
        entries = [(entry.name, _labels(entry, plan)) for entry in suite.entries]
        if suite.explicit:
            named |= dict(entries)
            continue
        checks = [name for check in suite.checks for name in names_of(check)]
        named[f"suite {suite.name}"] = [
            *(label for _, found in entries for label in found),
            *checks,
        ]
    return {
        name: health.why_nothing_scored(labels)
        for name, labels in named.items()
        if health.scored.isdisjoint(labels)
    }


def _labels(entry: Entry, plan: Plan) -> list[str]:
    """The labels of an entry in the scores; a composite's also name the judge of its parts."""
    by_name = [
        metric.metric
        for metric in plan.metrics
        if metric.name == entry.name
        and metric.definition is not None
        and metric.definition.name == entry.label.name
    ]
    return [*planned_labels(entry, plan.metrics), *by_name]
