"""Drafts: questions as a writer proposes them, before they are checked."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragauge.documents.passage import Passage


@dataclass(frozen=True, slots=True)
class Source:
    """A part of a passage that a question rests on: start and end in the document's text."""

    passage: "Passage"
    start: int
    end: int
    text: str

    @classmethod
    def within(cls, passage: "Passage", start: int, end: int) -> "Source":
        """The part of a passage from `start` to `end` in its own text."""
        return cls(passage, passage.start + start, passage.start + end, passage.text[start:end])

    @property
    def as_context(self) -> dict[str, object]:
        """The row of `gold_contexts`."""
        return {
            "document": self.passage.document,
            "start": self.start,
            "end": self.end,
            "text": self.text,
        }


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
    worth: float = 1.0
    answerable: bool = True
    hops: int = 1
    comparing: str = ""
    """How two drafts that share it are compared, by their `value`: `Which has more beds`."""
    value: str = ""
    origin: str = ""
    """The question that it asks in other words; only one of the two is used."""
