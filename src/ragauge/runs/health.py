"""The health of a run: which scores failed, were not tried or used a truncated text, and why."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, cast

from ragauge.label import Label
from ragauge.runs.run import Run
from ragauge.score import NOT_ASKED, Flag

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Health:
    """What went wrong in a run; all counts are numbers of scores.

    >>> import ragauge as rg
    >>> run = rg.evaluate([{"id": "q1", "answer": "Paris"}], "dont_know")
    >>> Health(run).is_complete, Health(run).nothing_scored
    (True, False)
    """

    run: Run

    @cached_property
    def _scores(self) -> "pl.DataFrame":
        return self.run.collect(self.run.scan().drop("parts"))

    @cached_property
    def n_failed(self) -> int:
        """Scores that failed; running again retries them."""
        return self._scores.filter(self._scores["status"] == "failed").height

    @cached_property
    def n_unreadable(self) -> int:
        """Scores that failed because the judge's stored reply is unreadable."""
        from ragauge.judges.session import NO_USABLE_REPLY

        failed = self._scores.filter(self._scores["status"] == "failed")
        unreadable = failed["reason"].str.contains(NO_USABLE_REPLY, literal=True)
        return int(unreadable.sum())

    @cached_property
    def n_truncated(self) -> int:
        """Scores that used a truncated text."""
        import polars as pl

        is_truncated = pl.col("flags").list.contains(str(Flag.TRUNCATED))
        return self._scores.filter(is_truncated).height

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
        has_value = self._scores["value"].is_not_null()
        return frozenset(self._scores.filter(has_value)["metric"].unique().to_list())

    def why_nothing_scored(self, metrics: Collection[str] | None = None) -> str:
        """The most frequent reason for a score without a value, of these metrics or of all.

        Metrics whose requirements are missing count only if there are no others.
        """
        import polars as pl

        scores = self._scores
        if metrics is not None:
            scores = scores.filter(pl.col("metric").is_in(list(metrics)))
        unavailable = [metric.metric for metric in self.run.metrics if metric.unavailable]
        tried = scores.filter(~pl.col("metric").is_in(unavailable))
        reasons = (tried if tried.height else scores)["reason"].drop_nulls()
        if not len(reasons):
            return "no metric or check applies to any row"
        counts = reasons.value_counts().sort("count", "reason", descending=[True, False])
        return str(counts[0, 0])

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
            scores = self._scores.filter(self._scores["metric"] == metric.metric)
            if scores["value"].is_null().all() and (reason := self._why_not_asked(scores)):
                reasons[metric.name] = reason
        return reasons

    def _why_silent(self, judge: str, usage: Mapping[str, int]) -> str:
        import polars as pl

        label = Label("", {"judge": judge})
        own = self._scores.filter(pl.col("metric").str.contains(str(label)[1:-1], literal=True))
        all_failed = usage["calls"] == usage["failed"] > 0 and not usage["cached"]
        if not all_failed and not ("failed" in own["status"] and own["value"].is_null().all()):
            return ""
        reasons = own.filter(pl.col("status") == "failed")["reason"]
        return str(reasons[0]) if len(reasons) else "every call failed"

    def _why_not_asked(self, scores: "pl.DataFrame") -> str:
        """Why a judge was not called for one of the scores; empty if it was called for all."""
        import polars as pl

        direct = scores.filter(pl.col("reason").str.starts_with(NOT_ASKED))["reason"]
        if len(direct):
            return str(direct[0])
        lost = scores.filter(pl.col("flags").list.contains(str(Flag.LOST_PARTS)))
        return self._why_part_lost(lost) if lost.height else ""

    def _why_part_lost(self, lost: "pl.DataFrame") -> str:
        """Why a judge was not called for a composite's parts, from its reason or its evidence."""
        import polars as pl

        in_reasons = lost["reason"].str.extract(f'({NOT_ASKED}[^";{{\\\\]+)').drop_nulls()
        if len(in_reasons):
            return str(in_reasons[0])
        wanted = pl.col("metric") == lost["metric"][0]
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
