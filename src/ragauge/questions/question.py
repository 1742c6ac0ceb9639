"""A question of a test set, and the row of a file in which `run` and `ask` read it."""

from dataclasses import dataclass, field
from typing import NotRequired, TypedDict


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
        return {
            "id": self.id,
            "question": self.question,
            "references": self.references,
            "gold_contexts": self.gold_contexts,
            "relevant": self.relevant,
            "question_type": self.question_type,
            "hops": self.hops,
            "answerable": self.answerable,
            **({"history": self.history} if self.history else {}),
            **self.provenance,
        }
