"""The questions to judges: each with its prompt, the schema of its reply, and how to read it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ragauge.judges.protocol import Schema
from ragauge.judges.question import (
    NUMBER,
    TEXT,
    TRUTH,
    WHOLE,
    Question,
    array_of,
    object_of,
    of_each,
)
from ragauge.judges.replies.finding import ReplyError
from ragauge.judges.replies.quotes import find_quote

REASON = "a few words"
RUBRIC = (0.0, 0.25, 0.5, 0.75, 1.0)
CORRECT, WRONG = "CORRECT", "WRONG"
FIRST, SECOND, TIE = "FIRST", "SECOND", "TIE"
MET, NOT_MET, NOT_APPLICABLE = "met", "not met", "not applicable"
N_CRITERIA = 5
SUPPORTED = {"reason": REASON, "supported": True, "context": 1, "quote": "a dozen words " * 4}
ACCURACY_WEIGHTS = {"correctness": 0.5, "completeness": 0.3, "consistency": 0.2}


@dataclass(frozen=True, slots=True)
class Support:
    """Whether contexts support a claim, and the quote with its offsets in the context (from 0);
    None where no context has it."""

    claim: str
    supported: bool
    reason: str
    quote: str = ""
    context: int | None = None
    start: int | None = None
    end: int | None = None

    @property
    def is_quoted(self) -> bool:
        """Whether a context contains the quote verbatim."""
        return self.start is not None

    def as_data(self) -> dict[str, object]:
        """For the evidence."""
        data: dict[str, object] = {
            "claim": self.claim,
            "supported": self.supported,
            "reason": self.reason,
        }
        if self.quote:
            data |= {"quote": self.quote, "quote_found": self.is_quoted}
        if self.is_quoted:
            data |= {"context": self.context, "start": self.start, "end": self.end}
        return data


@dataclass(frozen=True, slots=True)
class Relevance:
    """Whether a context is relevant to a question."""

    relevant: bool
    reason: str


@dataclass(frozen=True, slots=True)
class GeneratedQuestion:
    """A question that an answer answers, and whether the answer is noncommittal."""

    question: str
    noncommittal: bool


@dataclass(frozen=True, slots=True)
class Graded:
    """A grade with the judge's reason."""

    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Criterion:
    """The verdict on one criterion: "met", "not met" or "not applicable"."""

    verdict: str
    reason: str


def claims(question: str | None, sentences: Sequence[str]) -> Question[tuple[tuple[str, ...], ...]]:
    """The atomic claims of each sentence; () if a sentence makes none."""
    return of_each(
        "claims",
        {"question": question, "sentences": sentences},
        ("sentences", "sentence"),
        {"claims": array_of(TEXT), "claim_free": TRUTH},
        [{"claims": [sentence], "claim_free": False} for sentence in sentences],
        _claims,
    )


def _claims(entry: Mapping[str, Any], place: int) -> tuple[str, ...]:
    number = place + 1
    found = tuple(claim.strip() for claim in entry["claims"])
    if not all(found):
        raise ReplyError(f"sentence {number} has an empty claim")
    if found and entry["claim_free"]:
        raise ReplyError(f"sentence {number} has claims and is marked claim_free")
    if not found and not entry["claim_free"]:
        raise ReplyError(
            f"sentence {number} has no claim and is not marked claim_free; give its claims, or mark it"
        )
    return tuple(dict.fromkeys(found))


def support(contexts: Sequence[str], claims: Sequence[str]) -> Question[tuple[Support, ...]]:
    """Whether the contexts support each claim."""
    return of_each(
        "support",
        {"contexts": contexts, "claims": claims},
        ("verdicts", "claim"),
        {"reason": TEXT, "supported": TRUTH, "context": WHOLE, "quote": TEXT},
        [SUPPORTED] * len(claims),
        lambda entry, place: _support(entry, claims[place], contexts),
    )


def _support(fields: Mapping[str, Any], claim: str, contexts: Sequence[str]) -> Support:
    """The verdict, with its quote looked up first in the context that the judge names."""
    supported, reason, quote = fields["supported"], fields["reason"], fields["quote"].strip()
    if not (supported and quote):
        return Support(claim, supported, reason)
    named, places = fields["context"] - 1, range(len(contexts))
    for place in (named, *places) if named in places else places:
        if span := find_quote(quote, contexts[place]):
            return Support(claim, supported, reason, quote, place, *span)
    return Support(claim, supported, reason, quote)


def support_at_once(
    question: str | None, sentences: Sequence[str], contexts: Sequence[str]
) -> Question[tuple[tuple[Support, ...], ...]]:
    """The claims of each sentence and whether the contexts support them; () if a sentence makes none."""

    def read(entry: Mapping[str, Any], place: int) -> tuple[Support, ...]:
        verdicts = {claim["claim"].strip(): claim for claim in entry["claims"]}
        texts = _claims({**entry, "claims": [claim["claim"] for claim in entry["claims"]]}, place)
        if len(texts) < len(entry["claims"]):
            raise ReplyError(f"sentence {place + 1} has the same claim twice")
        return tuple(_support(verdicts[text], text, contexts) for text in texts)

    claim = object_of(claim=TEXT, reason=TEXT, supported=TRUTH, context=WHOLE, quote=TEXT)
    return of_each(
        "support_at_once",
        {"contexts": contexts, "question": question, "sentences": sentences},
        ("sentences", "sentence"),
        {"claims": array_of(claim), "claim_free": TRUTH},
        [{"claims": [{"claim": text, **SUPPORTED}], "claim_free": False} for text in sentences],
        read,
    )


def relevance(
    question: str, contexts: Sequence[str], references: Sequence[str] | None
) -> Question[tuple[Relevance, ...]]:
    """Whether each context is relevant to the question."""
    return of_each(
        "relevance",
        {"contexts": contexts, "question": question, "references": references or None},
        ("verdicts", "context"),
        {"reason": TEXT, "relevant": TRUTH},
        [{"reason": f"{REASON} or more", "relevant": True}] * len(contexts),
        lambda entry, _: Relevance(entry["relevant"], entry["reason"]),
    )


def questions(answer: str, n: int) -> Question[tuple[GeneratedQuestion, ...]]:
    """`n` questions that the answer answers, or none. The judge does not see the original question."""
    entry = object_of(question=TEXT, noncommittal=TRUTH)

    def read(fields: dict[str, Any]) -> tuple[GeneratedQuestion, ...]:
        found = tuple(
            GeneratedQuestion(asked["question"].strip(), asked["noncommittal"])
            for asked in fields["questions"]
        )
        if len(found) not in (0, n):
            raise ReplyError(f"questions must have {n} entries, or none; it has {len(found)}")
        if not all(asked.question for asked in found):
            raise ReplyError("a question is empty")
        return found

    likely = "Which question does this text answer?"
    return Question(
        "questions",
        {"answer": answer},
        object_of(questions=array_of(entry)),
        read,
        {"questions": [{"question": f"{likely} {n}", "noncommittal": False} for n in range(n)]},
        {"n": n},
    )


def rubric(question: str, answer: str) -> Question[Graded]:
    """How well the answer addresses the question: 0, 0.25, 0.5, 0.75 or 1."""

    def read(fields: dict[str, Any]) -> Graded:
        if fields["score"] not in RUBRIC:
            raise ReplyError(f"score must be 0, 0.25, 0.5, 0.75 or 1, got {fields['score']!r:.20}")
        return Graded(float(fields["score"]), fields["reason"])

    return Question(
        "rubric",
        {"question": question, "answer": answer},
        object_of(reason=TEXT, score=NUMBER),
        read,
        {"reason": REASON, "score": 0.75},
    )


def accuracy(question: str | None, reference: str, answer: str) -> Question[Mapping[str, Graded]]:
    """Correctness, completeness and consistency of an answer, each from 0 to 100."""
    graded = object_of(reason=TEXT, score=NUMBER)
    return Question(
        "accuracy",
        {"question": question, "reference": reference, "answer": answer},
        object_of(**dict.fromkeys(ACCURACY_WEIGHTS, graded)),
        lambda fields: {name: _graded(fields[name], name, 0, 100) for name in ACCURACY_WEIGHTS},
        {name: {"reason": REASON * 2, "score": 80} for name in ACCURACY_WEIGHTS},
    )


def _graded(fields: Mapping[str, Any], place: str, low: float, high: float) -> Graded:
    score = fields["score"]
    if not low <= score <= high:
        raise ReplyError(f"{place}: score must be from {low:g} to {high:g}, got {score!r:.20}")
    return Graded(float(score), fields["reason"])


def verdict(question: str | None, references: Sequence[str], answer: str) -> Question[Criterion]:
    """Whether the answer is CORRECT or WRONG, any of the references being enough."""
    return Question(
        "verdict",
        {"question": question, "references": references, "answer": answer},
        object_of(reason=TEXT, verdict={"type": "string", "enum": [CORRECT, WRONG]}),
        lambda fields: Criterion(fields["verdict"], fields.get("reason", "")),
        {"reason": REASON, "verdict": CORRECT},
        word="verdict",
    )


def preference(
    question: str | None, references: Sequence[str] | None, first: str, second: str
) -> Question[Criterion]:
    """Which of two answers is better: FIRST, SECOND or TIE."""
    answers = {"first": first, "second": second}
    return Question(
        "preference",
        {"question": question, "references": references or None, **answers},
        object_of(reason=TEXT, better={"type": "string", "enum": [FIRST, SECOND, TIE]}),
        lambda fields: Criterion(fields["better"], fields.get("reason", "")),
        {"reason": REASON, "better": FIRST},
        word="better",
    )


def criteria(question: str | None, reference: str, answer: str) -> Question[tuple[Criterion, ...]]:
    """Which of the five criteria of `gpt_score` the answer meets."""
    menu: Schema = {"type": "string", "enum": [MET, NOT_MET, NOT_APPLICABLE]}
    return of_each(
        "criteria",
        {"question": question, "reference": reference, "answer": answer},
        ("criteria", "criterion"),
        {"reason": TEXT, "verdict": menu},
        [{"reason": REASON, "verdict": MET}] * N_CRITERIA,
        lambda entry, _: Criterion(entry["verdict"], entry["reason"]),
    )


@dataclass(frozen=True, slots=True)
class ShownInTurn:
    """What a judge finds in a conversation: a verdict, or a grade from 0 to 1, and the turn (from
    1) with the quote's offsets in it."""

    verdict: str
    reason: str
    score: float | None = None
    turn: int | None = None
    quote: str = ""
    start: int | None = None
    end: int | None = None


def _shown_in(
    entry: Mapping[str, Any], turns: Sequence[str], verdict: str, score: float | None = None
) -> ShownInTurn:
    number, quote = entry["turn"], entry["quote"].strip()
    if not 0 <= number <= len(turns):
        raise ReplyError(f"turn must be from 0 to {len(turns)}, got {number}")
    named = (number,) if number else ()
    for turn in (*named, *range(1, len(turns) + 1)) if quote else ():
        if span := find_quote(quote, turns[turn - 1]):
            return ShownInTurn(verdict, entry["reason"], score, turn, quote, *span)
    return ShownInTurn(verdict, entry["reason"], score, number or None, quote)


IN_TURN: Mapping[str, Schema] = {"turn": WHOLE, "quote": TEXT}
LIKELY_IN_TURN = {"reason": REASON, "turn": 1, "quote": "a dozen words"}
OF_CONVERSATION = ("goal", "role", "topic", "knowledge")
"""What the questions of the prompt `conversation` are about, in their order."""


def conversation(
    instructions: str | None, goal: str | None, turns: Sequence[str]
) -> Question[tuple[ShownInTurn, ...]]:
    """Whether the user's goal was reached, and the role, the topic and what is known were kept."""
    menu: Schema = {"type": "string", "enum": [MET, NOT_MET, NOT_APPLICABLE]}
    return of_each(
        "conversation",
        {"instructions": instructions, "goal": goal, "turns": turns},
        ("verdicts", "question"),
        {"reason": TEXT, "verdict": menu, **IN_TURN},
        [{"verdict": MET, **LIKELY_IN_TURN}] * len(OF_CONVERSATION),
        lambda entry, _: _shown_in(entry, turns, entry["verdict"]),
    )


def conversation_grades(
    instructions: str | None, turns: Sequence[str], criteria: Sequence[str], low: int, high: int
) -> Question[tuple[ShownInTurn, ...]]:
    """The grade of a conversation by each of some criteria, whole numbers from `low` to `high`."""

    def read(entry: Mapping[str, Any], place: int) -> ShownInTurn:
        grade = _graded(entry, f"criterion {place + 1}", low, high).score
        return _shown_in(entry, turns, f"{grade:g}", (grade - low) / (high - low))

    numbered = "\n".join(f"{place}. {each}" for place, each in enumerate(criteria, 1))
    asked = of_each(
        "conversation_grades",
        {"instructions": instructions, "turns": turns},
        ("grades", "criterion"),
        {"reason": TEXT, "score": WHOLE, **IN_TURN},
        [{"score": high, **LIKELY_IN_TURN}] * len(criteria),
        read,
    )
    words = {"criteria": numbered, "low": low, "high": high, "n": len(criteria)}
    return replace(asked, words=words)


def steps(criterion: str, low: int, high: int) -> Question[tuple[str, ...]]:
    """The steps in which a text is graded by a criterion (G-Eval's chain of thought)."""

    def read(fields: dict[str, Any]) -> tuple[str, ...]:
        found = tuple(step.strip() for step in fields["steps"])
        if not (found and all(found)):
            raise ReplyError("steps must be at least one, none of them empty")
        return found

    return Question(
        "g_eval_steps",
        {},
        object_of(steps=array_of(TEXT)),
        read,
        {"steps": ["Read the text and find what the criterion speaks of."] * 4},
        {"criteria": criterion, "low": low, "high": high},
    )


def grade(
    criterion: str,
    steps: Sequence[str],
    texts: Mapping[str, str | Sequence[str] | None],
    low: int,
    high: int,
) -> Question[Graded]:
    """The grade of texts by a criterion, a whole number from `low` to `high`."""
    numbered = "\n".join(f"{place}. {step}" for place, step in enumerate(steps, 1))
    return Question(
        "g_eval",
        texts,
        object_of(reason=TEXT, score=WHOLE),
        lambda fields: _graded(fields, "the grade", low, high),
        {"reason": REASON, "score": high},
        {"criteria": criterion, "steps": numbered, "low": low, "high": high},
        wants_logprobs=True,
    )
