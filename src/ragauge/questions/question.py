"""A question of a test set, the row of a file in which `run` and `ask` read it, and the draft that it was made from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, NotRequired, TypedDict

if TYPE_CHECKING:
    from ragauge.documents.passage import Passage


class GoldContext(TypedDict):
    """Where an answer is: a span of a document's text, in characters; a public set may give the text alone."""

    text: str
    document: NotRequired[str]
    start: NotRequired[int]
    end: NotRequired[int]


@dataclass(frozen=True, slots=True)
class Question:
    """A question with what is known of its answer.

    `relevant`: passages that answer it, each with its grade. `history`: what the user and the system said
    before it in a conversation, in turns. `answerable` is False where the documents hold no answer. `provenance` says how it was made (writer, model, seed), or keeps the other fields of its row.
    """

    id: str
    question: str
    references: list[str] = field(default_factory=list[str])
    gold_contexts: list[GoldContext] = field(default_factory=list[GoldContext])
    relevant: dict[str, float] = field(default_factory=dict[str, float])
    question_type: str = ""
    hops: int = 1
    answerable: bool = True
    history: list[str] = field(default_factory=list[str])
    provenance: dict[str, object] = field(default_factory=dict[str, object])

    @property
    def whole(self) -> str:
        """The question after what its user asked before."""
        return " ".join((*self.history[::2], self.question))

    def to_row(self) -> dict[str, object]:
        """The row of a file; `provenance` is spread over its own columns.

        >>> Question("q1", "How long is leave?", ["30 days"]).to_row()["references"]
        ['30 days']
        """
        names = ("id", "question", "references", "gold_contexts", "relevant", "question_type")
        row = {name: getattr(self, name) for name in (*names, "hops", "answerable")}
        return {**row, **({"history": self.history} if self.history else {}), **self.provenance}


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

    def as_question(self, provenance: Mapping[str, object]) -> Question:
        """The question of a test set; its id is its text for now."""
        sources, references = self.sources if self.answerable else (), list(self.references)
        gold = [source.context for source in sources]
        relevant = {source.passage.id: 1.0 for source in sources}
        kind = self.question_type, self.hops, self.answerable
        made = list(self.history), dict(provenance)
        return Question(self.question, self.question, references, gold, relevant, *kind, *made)
