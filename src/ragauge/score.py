"""The score of one sample by one metric: a value, or the reason why there is none."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

KeptEvidence = Literal["all", "failed", "none"]
"""Whose evidence a run keeps: that of all scores, of those without a value or with a flag (that of the
language does not count), or of none.

Evidence of repeated calls to a judge is always kept, because comparisons compute with it.
"""
Aggregation = Literal["mean", "sum", "geometric_mean"]
"""How the scores of many rows are aggregated; see `ragauge.stats.intervals`."""
LARGEST = 1e100
"""No number of a sample, a label or a metric is larger, so that sums of squares are finite."""


class Status(StrEnum):
    """Whether a score has a value, and if not, why not."""

    OK = "ok"
    """A finite value."""
    UNDEFINED = "undefined"
    """The formula has no value for this sample: no gold, no claims."""
    MISSING = "missing"
    """The sample lacks a field that the metric needs."""
    FAILED = "failed"
    """A judge or encoder failed; the reason says how."""
    SKIPPED = "skipped"
    """Not computed: a resource is missing, the budget is spent, or the run was cancelled."""


LOST_PARTS = "lost"
"""Evidence key of a composite score: the names of its parts that were lost."""


class Flag(StrEnum):
    """What a reader must know of a score beside its value; kept in a column of its own."""

    NEEDS_REVIEW = "needs_review"
    """A person should look at it: judges disagree, or a quote was not found."""
    LOST_PARTS = "lost_parts"
    """It is made of several parts, and some of them failed or were not asked for."""
    TRUNCATED = "truncated"
    """The model did not read a text to its end."""
    REPEATED = "repeated"
    """It is the mean of several repeats."""


GRADE = "grade:"
"""How the flag of a graded score begins: `grade:A`."""
LANGUAGE = "language:"
"""How the flag of a score begins whose sample is in a language that its metric was not compared with people in."""
LANGUAGE_EVIDENCE = "unmeasured_language"
"""Evidence key of a single score in such a language."""
FLAGS = {LOST_PARTS: Flag.LOST_PARTS, "cut": Flag.TRUNCATED, "repeats": Flag.REPEATED}
FLAGGING = frozenset(("needs_review", *FLAGS, "grade"))

_OK = Status.OK  # attribute access on an enum class is slow on Python 3.11

NOT_LAST = "scored at the last turn of each conversation"
"""Why a turn has no score of its whole conversation: of a metric's several reasons the one that says least."""
NOT_ASKED = "not asked: "
"""Prefix of the reason of scores skipped because a judge was not called; the same run retries them."""

Evidence = Mapping[str, object]
"""JSON data, sufficient to recompute the value without a new model call."""


@dataclass(frozen=True, slots=True)
class Score:
    """One score: a finite value with status `ok`, or no value and the reason.

    True and False are stored as 1.0 and 0.0. NaN and infinity are errors: a score that does not exist
    has a status, not a value.

    >>> Score(True).value
    1.0
    >>> Score.undefined("no gold passage").status
    <Status.UNDEFINED: 'undefined'>
    """

    value: float | None
    status: Status = Status.OK
    reason: str | None = None
    evidence: Evidence | None = None

    def __post_init__(self) -> None:
        if type(self.value) is float and self.status is _OK and math.isfinite(self.value):
            return  # the common case, without the checks below
        if self.value is None:
            if self.status is Status.OK:
                raise ValueError("a score without a value needs a status other than ok")
            return
        if self.status is not Status.OK:
            raise ValueError(f"a score with status {self.status} has no value, got {self.value!r}")
        if isinstance(self.value, str | bytes):
            raise TypeError(f"a score must be a number, got {self.value!r:.80}")
        if not math.isfinite(self.value):
            raise ValueError(f"a score must be a finite number, got {self.value!r}")
        if type(self.value) is not float:
            object.__setattr__(self, "value", float(self.value))

    @classmethod
    def undefined(cls, reason: str, evidence: Evidence | None = None) -> "Score":
        """No value, because the formula has none for this sample."""
        return cls(None, Status.UNDEFINED, reason, evidence)

    @classmethod
    def missing(cls, reason: str) -> "Score":
        """No value, because the sample lacks something."""
        return cls(None, Status.MISSING, reason)

    @classmethod
    def failed(cls, reason: str, evidence: Evidence | None = None) -> "Score":
        """No value, because a judge or encoder failed."""
        return cls(None, Status.FAILED, reason, evidence)

    @classmethod
    def skipped(cls, reason: str) -> "Score":
        """No value, because it was not computed."""
        return cls(None, Status.SKIPPED, reason)

    @property
    def is_lost(self) -> bool:
        """Whether a value may exist that was not obtained: the judge or encoder failed or was not called."""
        return self.is_not_asked or self.status is Status.FAILED

    @property
    def is_not_asked(self) -> bool:
        """Whether it was skipped because its judge was not called: the budget, or only the cache is read."""
        return self.status is Status.SKIPPED and (self.reason or "").startswith(NOT_ASKED)

    @property
    def flags(self) -> list[str]:
        """The score's flags, as its evidence gives them.

        >>> print(*Score(0.5, evidence={"cut": ["answer"], "needs_review": True}).flags)
        needs_review truncated
        """
        evidence = self.evidence
        if not evidence:
            return []
        flags: list[str] = []
        if evidence.get("needs_review") is True:
            flags.append(Flag.NEEDS_REVIEW)
        flags += (flag for key, flag in FLAGS.items() if key in evidence)
        for key, start in (("grade", GRADE), (LANGUAGE_EVIDENCE, LANGUAGE)):
            if key in evidence:
                flags.append(f"{start}{evidence[key]}")
        return flags

    def _repr_html_(self) -> str:
        from html import escape

        shown = f"{self.value:.4f}" if self.value is not None else str(self.status)
        rows = {"score": shown} | ({"reason": self.reason} if self.reason else {})
        cells = [*rows.items(), *((str(k), repr(v)) for k, v in (self.evidence or {}).items())]
        lines = (f"<tr><th>{escape(key)}</th><td>{escape(text)}</td></tr>" for key, text in cells)
        return f"<table>{''.join(lines)}</table>"
