"""Questions that a judge model writes, from one passage or two that share a name.

Three calls for each: the question, its answer without the passages (then it is `known`, and no test of
retrieval), and its answer from them, which must agree with the reference.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ragauge.documents.passage import Passage
from ragauge.documents.reading import Documents
from ragauge.errors import PlanError
from ragauge.judges.config import JudgeConfig
from ragauge.judges.protocol import Schema
from ragauge.judges.question import Question as JudgeQuestion
from ragauge.judges.replies.checking import ReplyError
from ragauge.judges.replies.quotes import find_quote
from ragauge.language.references.match import match_reference
from ragauge.questions.checks import Checked, check, with_also_relevant
from ragauge.questions.draft import Draft, Source
from ragauge.questions.judge_checks import PROMPT as ANSWERING
from ragauge.questions.judge_checks import answering
from ragauge.questions.making import MadeQuestions, numbered, question_of
from ragauge.questions.plan import Place, Spread
from ragauge.score import Score

if TYPE_CHECKING:
    from ragauge.calls.budget import CostEstimate
    from ragauge.judges.session import Answered, JudgeSession

PROMPT = "write_question"
STATED = 0.5
"""The share of a reference's words that an answer states which agrees with it."""
OF_TWO = ("comparison", "multi-hop")
"""Types that need two passages."""
MIN_WORDS = 12
"""Fewest words of a passage of prose that is asked about."""
PERSONA = "a person who needs the answer"
NAME = re.compile(r"\b[A-Z][\w’'-]+(?: [A-Z][\w’'-]+)+")
SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "question": {"type": "string"},
        "answer": {"type": "string"},
        "quotes": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["question", "answer", "quotes"],
    "additionalProperties": False,
}


class Slot(NamedTuple):
    """A question that is planned: its type and the passages that it is about."""

    question_type: str
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """A judge's question, with its answer and the quotes that say so."""

    question: str
    answer: str
    quotes: tuple[str, ...]


class JudgeReplies(NamedTuple):
    """The judge's question, and its answers to it `without` and `from_passages`; None where it gave none."""

    written: "Answered[Written] | Score"
    without: str | None = None
    from_passages: str | None = None


@dataclass(frozen=True, slots=True)
class JudgeWriter:
    """A judge that writes the planned questions about documents, asked as one of the `personas`."""

    documents: Documents
    counts: Mapping[str, int]
    judge: JudgeConfig
    cache: str | Path | None = None
    seed: int = 0
    personas: Sequence[str] = ()

    def places(self) -> dict[str, int]:
        """How many of the planned questions of each type have passages to be about."""
        return dict(Counter(slot.question_type for slot in self._slots()))

    def estimate(self) -> "Mapping[str, CostEstimate]":
        """The calls that the questions would still need, and their cost; makes none."""
        session = _session(self.judge, self.cache).for_estimate()
        self._replies(session)
        return {session.name: session.usage.estimate()}

    def questions(self) -> MadeQuestions:
        """Ask the judge for each planned question and keep those that the checks find sound."""
        session = _session(self.judge, self.cache)
        replies = list(zip(self._slots(), self._replies(session), strict=True))
        digest = session.prompts.digest([PROMPT, ANSWERING])
        origin = {"writer": session.name, "prompt": f"{PROMPT} {digest}", "seed": self.seed}
        read = [checked for slot, reply in replies if (checked := _checked(slot, reply, origin))]
        taken = [each.question for each in read if each.sound]
        checked = with_also_relevant(check(taken, self.documents))
        failures = [
            reply.written.reason or reply.written.status
            for _, reply in replies
            if isinstance(reply.written, Score)
        ]
        return MadeQuestions(
            numbered([each for each in checked if each.sound], self.counts),
            [each for each in (*read, *checked) if not each.sound],
            self.counts,
            self.places(),
            self.documents,
            n_calls=session.usage.calls,
            cost_usd=session.usage.cost_usd,
            failures=failures,
        )

    def _slots(self) -> list[Slot]:
        return slots(self.documents, self.counts, self.seed)

    def _replies(self, session: "JudgeSession") -> list[JudgeReplies]:
        from ragauge.calls import loop

        return loop.run(_written(session, self._slots(), self.personas))


async def _written(
    session: "JudgeSession", planned: Sequence[Slot], personas: Sequence[str]
) -> list[JudgeReplies]:
    """For each slot the question, and the judge's answers to it without and with its passages."""
    import asyncio

    async def write(slot: Slot, asked: JudgeQuestion[Written]) -> JudgeReplies:
        written = await session.ask(asked)
        if isinstance(written, Score) or slot.question_type == "unanswerable":
            return JudgeReplies(written)
        texts = [passage.text for passage in slot.passages]
        question = written.value.question
        answers = [await session.ask(answering(question, each)) for each in (None, texts)]
        without, from_them = (None if isinstance(each, Score) else each.value for each in answers)
        return JudgeReplies(written, without, from_them)

    return await asyncio.gather(*map(write, planned, _asked(planned, personas)))


def _checked(slot: Slot, reply: JudgeReplies, origin: Mapping[str, object]) -> Checked | None:
    """The judge's question, rejected where its quotes or its own answer do not support it; None without one."""
    if isinstance(reply.written, Score):
        return None
    draft, problem = _draft(slot, reply.written.value)
    if not problem and _states(draft, reply.from_passages) is False:
        problem = "the judge answers otherwise from its passages"
    known = _states(draft, reply.without)
    question = question_of(draft, {**origin, **({} if known is None else {"known": known})})
    return Checked(question, not problem, [problem] if problem else [])


def _states(draft: Draft, answer: str | None) -> bool | None:
    """Whether an answer states the reference; None where there is no answer."""
    if answer is None or not draft.answerable:
        return None
    match = match_reference(draft.question, draft.references[0], answer)
    if match.is_denied or match.contradiction or match.differences:
        return False
    credits = [word.credit for word in match.wanted]
    return match.is_contained or (bool(credits) and sum(credits) / len(credits) >= STATED)


def _session(judge: JudgeConfig, cache: str | Path | None) -> "JudgeSession":
    if len(judge.judges) != 1:
        raise PlanError([f"one judge writes the questions, got {len(judge.judges)}"])
    return next(iter(judge.sessions(cache).values()))


def slots(documents: Documents, counts: Mapping[str, int], seed: int) -> list[Slot]:
    """The planned questions, spread evenly over documents, headings and passages.

    Each passage is used at most once for a type, so small documents give fewer than planned.
    """
    items: list[tuple[str, Place, float, Slot]] = []
    for name in counts:
        single = ((passage,) for passage in documents.passages)
        for passages in _pairs(documents) if name in OF_TWO else single:
            first = passages[0]
            is_table = first.kind == "table"
            is_long = is_table or len(first.text.split()) >= MIN_WORDS
            if is_long and is_table == (name == "table look-up"):
                items.append((name, Place.of(first), 1.0, Slot(name, passages)))
    spread = Spread(items, seed)
    return [
        slot
        for name, n in counts.items()
        for _ in range(n)
        if (slot := spread.take(name)) is not None
    ]


def _pairs(documents: Documents) -> Iterator[tuple[Passage, Passage]]:
    """Passages that share a name, each with the next one that has it; names that most have join nothing."""
    by_name: dict[str, list[Passage]] = defaultdict(list)
    for passage in documents.passages:
        for name in dict.fromkeys(NAME.findall(passage.text)):
            by_name[name].append(passage)
    seen: set[tuple[str, str]] = set()
    for found in by_name.values():
        if len(found) > max(5, len(documents.passages) // 5):
            continue
        for one, other in pairwise(found):
            if (one.id, other.id) not in seen:
                seen.add((one.id, other.id))
                yield one, other


def _asked(planned: Sequence[Slot], personas: Sequence[str]) -> list[JudgeQuestion[Written]]:
    people = list(personas) or [PERSONA]
    return [
        JudgeQuestion(
            PROMPT,
            {"passages": [passage.text for passage in slot.passages]},
            SCHEMA,
            _read,
            {
                "question": f"a dozen words {number} " * 4,
                "answer": "some words",
                "quotes": ["a dozen words " * 4] * len(slot.passages),
            },
            words={"type": slot.question_type, "persona": people[number % len(people)]},
        )
        for number, slot in enumerate(planned)
    ]


def _read(fields: dict[str, Any]) -> Written:
    question, answer = fields["question"].strip(), fields["answer"].strip()
    if not question:
        raise ReplyError("question is empty")
    return Written(question, answer, tuple(cast("list[str]", fields["quotes"])))


def _draft(slot: Slot, written: Written) -> tuple[Draft, str]:
    """The reply as a draft, and what is wrong with it: its quotes must be in its passages."""
    is_answerable = slot.question_type != "unanswerable"
    sources = [
        Source.within(passage, *spans[0])
        for passage in slot.passages
        if (spans := [span for each in written.quotes if (span := find_quote(each, passage.text))])
    ]
    problem = ""
    if is_answerable and not written.answer:
        problem = "no answer was written"
    elif is_answerable and len(sources) < len(slot.passages):
        problem = "a quote is not in its passage"
    draft = Draft(
        written.question,
        (written.answer or "The documents do not say.",),
        tuple(sources),
        slot.question_type,
        PROMPT,
        answerable=is_answerable,
        hops=2 if slot.question_type == "multi-hop" else 1,
    )
    return draft, problem
