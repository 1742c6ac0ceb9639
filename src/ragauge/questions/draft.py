"""Drafts: questions as a writer proposes them, before they are checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ragauge.questions.question import GoldContext

if TYPE_CHECKING:
    from ragauge.documents.passage import Passage

NO_ANSWER = "The documents do not say."
"""The reference of an unanswerable question."""


class Source(NamedTuple):
    """The part of a passage that a question rests on: `start` and `end` in the passage's text."""

    passage: "Passage"
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.passage.text[self.start : self.end]

    @property
    def context(self) -> GoldContext:
        """The row of `gold_contexts`, with offsets in the document's text."""
        start, end = (self.passage.start + each for each in (self.start, self.end))
        document = self.passage.document
        return {"document": document, "start": start, "end": end, "text": self.text}


@dataclass(frozen=True, slots=True)
class Draft:
    """A question with its reference, its type and where its answer stands.

    `pattern`: how it was written, kept in its provenance. `subject`: what it asks about. `worth`: of two
    drafts from one sentence the plan takes the one with more. `answerable`: False where no document has
    the answer; `sources` then says what the question was changed from.
    """

    question: str
    references: tuple[str, ...]
    sources: tuple[Source, ...]
    question_type: str
    pattern: str
    subject: str = ""
    worth: float = 3.0
    answerable: bool = True
    hops: int = 1
    comparing: str = ""
    """How two drafts that share it are compared, by their `value`: `Which has more beds`."""
    value: str = ""
    history: tuple[str, ...] = ()
    """What the user asked before, and what the answer was."""
    origin: str = ""
    """The question that it asks in other words; only one of the two is used."""


PATTERNS: Mapping[str, tuple[str, float]] = {
    "date": ("temporal", 3.5),
    "count": ("number", 3.5),
    "money": ("number", 3.5),
    "measure": ("number", 3.5),
    "time": ("number", 3.0),
    "agent": ("single fact", 3.5),
    "definition": ("single fact", 3.0),
    "identity": ("single fact", 3.0),
    "meaning": ("single fact", 3.0),
    "means": ("single fact", 3.0),
    "place": ("single fact", 3.0),
    "reason": ("single fact", 3.0),
    "which": ("single fact", 2.0),
    "object": ("single fact", 2.0),
    "listed objects": ("list", 2.8),
    "denied": ("yes/no", 1.5),
    "changed number": ("yes/no", 1.4),
    "confirmed": ("yes/no", 1.0),
    "cloze": ("cloze", 1.0),
}
"""The type and the worth of the questions of each pattern."""


class QuestionAnswer(NamedTuple):
    """A question that a sentence answers; `comparing` and `value` as in a draft."""

    pattern: str
    question: str
    answer: str
    comparing: str = ""
    value: str = ""
