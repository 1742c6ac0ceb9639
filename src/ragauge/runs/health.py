"""The health of a run: which scores failed, were not tried or used a truncated text, and why."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from ragauge.engine.graph import Plan
from ragauge.label import Label
from ragauge.runs.manifest import planned_labels
from ragauge.runs.outcomes import Absence
from ragauge.runs.scored_run import ScoredRun
from ragauge.score import NOT_ASKED, NOT_LAST, Flag
from ragauge.suite import names_of

NOT_ASKED_BECAUSE = re.compile(rf'{NOT_ASKED}[^";{{\\]+')
"""A reason of a score that was not asked for, within a text such as the evidence of a composite."""


@dataclass(frozen=True)
class Health:
    """What went wrong in a run; all counts are numbers of scores."""

    run: ScoredRun

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
