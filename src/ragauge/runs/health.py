"""The health of a run: what failed, what was not tried, what rests on less than it should, and why."""

import json
from collections.abc import Mapping
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
    """What went wrong in a run; each count is of scores.

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
        """Scores that failed: running again tries them once more."""
        return self._scores.filter(self._scores["status"] == "failed").height

    @cached_property
    def n_unreadable(self) -> int:
        """Scores that failed since the judge's kept reply cannot be read."""
        from ragauge.judges.session import NO_USABLE_REPLY

        failed = self._scores.filter(self._scores["status"] == "failed")
        unreadable = failed["reason"].str.contains(NO_USABLE_REPLY, literal=True)
        return int(unreadable.sum())

    @cached_property
    def n_truncated(self) -> int:
        """Scores of texts that the model did not read to their end."""
        import polars as pl

        is_truncated = pl.col("flags").list.contains(str(Flag.TRUNCATED))
        return self._scores.filter(is_truncated).height

    @property
    def is_complete(self) -> bool:
        """Whether no score failed."""
        return self.n_failed == 0

    @property
    def nothing_scored(self) -> bool:
        """Whether not one score has a value."""
        return bool(self._scores["value"].is_null().all())

    @cached_property
    def why_nothing_scored(self) -> str:
        """The most frequent reason for a score without a value.

        Metrics whose requirements are missing count only where there are no others.
        """
        import polars as pl

        unavailable = [metric.metric for metric in self.run.metrics if metric.unavailable]
        tried = self._scores.filter(~pl.col("metric").is_in(unavailable))
        reasons = (tried if tried.height else self._scores)["reason"].drop_nulls()
        if not len(reasons):
            return "no metric or check applies to any row"
        counts = reasons.value_counts().sort("count", "reason", descending=[True, False])
        return str(counts[0, 0])

    @cached_property
    def silent_judges(self) -> Mapping[str, str]:
        """The judges that gave nothing that could be scored, and why, by name."""
        found: dict[str, str] = {}
        for judge, usage in self.run.manifest.judging.items():
            if reason := self._why_silent(judge, cast("Mapping[str, int]", usage)):
                found[judge] = reason
        return found

    @cached_property
    def unasked_metrics(self) -> Mapping[str, str]:
        """The metrics without any value whose judge was not asked, and why it was not, by name."""
        found: dict[str, str] = {}
        for metric in self.run.metrics:
            scores = self._scores.filter(self._scores["metric"] == metric.metric)
            if scores["value"].is_null().all() and (reason := self._why_not_asked(scores)):
                found[metric.name] = reason
        return found

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
        """Why a judge was not asked for one of the scores; nothing where it was for all of them."""
        import polars as pl

        direct = scores.filter(pl.col("reason").str.starts_with(NOT_ASKED))["reason"]
        if len(direct):
            return str(direct[0])
        lost = scores.filter(pl.col("flags").list.contains(str(Flag.LOST_PARTS)))
        return self._why_part_lost(lost) if lost.height else ""

    def _why_part_lost(self, lost: "pl.DataFrame") -> str:
        """Why the parts of a composite were not asked for: its reason or its evidence says."""
        import polars as pl

        of_reason = lost["reason"].str.extract(f'({NOT_ASKED}[^";{{\\\\]+)').drop_nulls()
        if len(of_reason):
            return str(of_reason[0])
        wanted = pl.col("metric") == lost["metric"][0]
        kept = self.run.collect(self.run.source.scan_evidence().filter(wanted))
        for text in kept["evidence"].drop_nulls().to_list():
            for reason in _texts(json.loads(text)):
                if NOT_ASKED in reason:
                    return reason[reason.index(NOT_ASKED) :]
        return ""


def _texts(value: object) -> list[str]:
    """All texts in a piece of evidence."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [
            text for item in cast("Mapping[str, object]", value).values() for text in _texts(item)
        ]
    if isinstance(value, list):
        return [text for item in cast("list[object]", value) for text in _texts(item)]
    return []
