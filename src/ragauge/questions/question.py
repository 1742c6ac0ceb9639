"""A question of a test set: the draft that it was made from, what checks found, and the row of a file that `run` and `ask` read."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, NotRequired, TypedDict

from ragauge.storage.atomic_files import write_text

if TYPE_CHECKING:
    from ragauge.documents.passage import Passage


MEASURES = ("bm25_rank", "encoder_rank", "overlap", "n_words")
"""Checks that measure a question and find no problem."""
_RANKS = ((1, "first"), (10, "first 10"), (float("inf"), "beyond 10"))
SLICES = {
    "difficulty": ("bm25_rank", _RANKS),
    "encoder_difficulty": ("encoder_rank", _RANKS),
    "word_overlap": ("overlap", ((0.5, "up to half"), (0.999, "most"), (1, "all"))),
    "length": ("n_words", ((6, "short"), (12, "medium"), (float("inf"), "long"))),
}
"""Columns of a file by which its questions can be sliced: what they class, and the upper limit of each class."""


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


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What a check found: `value` is what it measured, None where it measured nothing; `reason` says why."""

    status: Literal["ok", "problem", "not checked"]
    value: float | None = None
    reason: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Checked:
    """A question with its checks; it is sound where no check found a problem.

    Passages that answer it too are in the `relevant` of its `question`.
    """

    question: Question
    sound: bool
    problems: list[str] = field(default_factory=list[str])
    checks: dict[str, CheckResult] = field(default_factory=dict[str, CheckResult])

    @property
    def reasons(self) -> list[str]:
        """Why it is not sound, a sentence for each problem."""
        return [each.reason for each in self.checks.values() if each.status == "problem"]

    def cell(self, name: str) -> float | str | None:
        """The status of a check; of one that only measures, its value."""
        result = self.checks.get(name)
        return None if result is None else result.value if name in MEASURES else result.status

    def to_row(self) -> dict[str, object]:
        """The row of a file: the question, whether it is sound, its problems with their reasons, and each check."""
        checks = {name: self.cell(name) for name in self.checks}
        slices: dict[str, str] = {}
        for column, (name, classes) in SLICES.items():
            if name in checks and self.checks[name].status == "ok":
                value = self.checks[name].value
                found = (each for limit, each in classes if value is not None and value <= limit)
                slices[column] = next(found, "beyond 10")
        found = {"problems": self.problems, "reasons": self.reasons} if self.problems else {}
        return {**self.question.to_row(), **slices, "sound": self.sound, **found, "checks": checks}


def write_rows(path: str | Path, checked: Sequence[Checked]) -> None:
    """Write questions to a JSONL file, completely or not at all."""
    lines = [json.dumps(each.to_row(), ensure_ascii=False) for each in checked]
    write_text(Path(path), "".join(f"{line}\n" for line in lines))


NO_ANSWER = {
    "en": "The documents do not say.",
    "de": "Die Dokumente sagen dazu nichts.",
    "fr": "Les documents ne le disent pas.",
    "es": "Los documentos no lo dicen.",
    "zh": "文档中没有提到。",
}
"""The reference of an unanswerable question, by its language."""


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

    `pattern`: how it was written, kept in its provenance. `subject`: what it asks about. `worth`: how
    sure it is; the plan takes the surest first. `answerable`: False where no document has
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
    origin: str = ""
    """The question that it asks in other words; only one of the two is used."""

    def variant(self, question: str, question_type: str, pattern: str) -> "Draft":
        """The draft asked in other words; it is compared with no other one."""
        kind = {"question_type": question_type, "pattern": pattern, "comparing": ""}
        return replace(self, question=question, origin=self.question, **kind)

    def as_question(self, provenance: Mapping[str, object]) -> Question:
        """The question of a test set; its id is its text for now."""
        sources, references = self.sources if self.answerable else (), list(self.references)
        gold = [source.context for source in sources]
        relevant = {source.passage.id: 1.0 for source in sources}
        return Question(
            self.question,
            self.question,
            references,
            gold,
            relevant,
            question_type=self.question_type,
            hops=self.hops,
            answerable=self.answerable,
            history=list(self.history),
            provenance=dict(provenance),
        )
