"""What needs a model: questions that a judge writes from one passage or two, and checks by a judge or an encoder."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ragauge.documents.passage import Passage
from ragauge.documents.reading import Documents
from ragauge.errors import PlanError
from ragauge.judges.config import JudgeConfig
from ragauge.judges.question import TEXT, array_of, object_of
from ragauge.judges.question import Question as JudgeQuestion
from ragauge.judges.replies.finding import ReplyError
from ragauge.judges.replies.quotes import find_quote
from ragauge.language.detection import language_of
from ragauge.language.text import sentence_spans
from ragauge.questions.checks import (
    check,
    gold_passages,
    is_stated,
    not_checked,
    with_also_relevant,
)
from ragauge.questions.making import MadeQuestions, Spread, numbered
from ragauge.questions.question import NO_ANSWER, Checked, CheckResult, Draft, Source
from ragauge.score import Score

if TYPE_CHECKING:
    from ragauge.calls.budget import CostEstimate
    from ragauge.encoders.protocol import Encoder
    from ragauge.judges.session import JudgeSession

PROMPT, ANSWERING = "write_question", "answer_question"
OF_TWO = ("comparison", "multi-hop", "ambiguous")
MIN_WORDS = 12
PERSONA = "a person who needs the answer"
NAME = re.compile(r"\b[A-Z][\w’'-]+(?: [A-Z][\w’'-]+)+")


class Slot(NamedTuple):
    """A question that is planned: its type and the passages that it is about."""

    question_type: str
    passages: tuple[Passage, ...]


class Written(NamedTuple):
    """What a judge wrote for a slot: a draft, or why none; `problem`: what is wrong with it.

    `known`, `agrees`: whether its answers without and from the passages state the reference; None where
    it gave none.
    """

    draft: Draft | None
    problem: str
    known: bool | None = None
    agrees: bool | None = None


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
        planned = slots(self.documents, self.counts, self.seed)
        return dict(Counter(slot.question_type for slot in planned))

    def estimate(self) -> "Mapping[str, CostEstimate]":
        """The calls that the questions would still need, and their cost; makes none."""
        session = one_session(self.judge, self.cache, "writes").for_estimate()
        self._written(session)
        return {session.name: session.usage.estimate()}

    def questions(self) -> MadeQuestions:
        """Ask the judge for each planned question and keep those that the checks find sound."""
        session = one_session(self.judge, self.cache, "writes")
        digest = session.prompts.digest([PROMPT, ANSWERING])
        origin = {"writer": session.name, "prompt": f"{PROMPT} {digest}", "seed": self.seed}
        read: list[Checked] = []
        failures: list[str] = []
        for draft, problem, known, agrees in self._written(session):
            if draft is None:
                failures.append(problem)
                continue
            if not problem and agrees is False:
                problem = "the judge answers otherwise from its passages"
            question = draft.as_question(origin if known is None else {**origin, "known": known})
            read.append(Checked(question, not problem, [problem] if problem else []))
        taken = [each.question for each in read if each.sound]
        checked = with_also_relevant(check(taken, self.documents))
        return MadeQuestions(
            numbered([each for each in checked if each.sound], self.counts),
            [each for each in (*read, *checked) if not each.sound],
            planned=self.counts,
            available=self.places(),
            documents=self.documents,
            n_calls=session.usage.calls,
            cost_usd=session.usage.cost_usd,
            failures=failures,
        )

    def _written(self, session: "JudgeSession") -> list[Written]:
        """What the judge writes for each planned question."""
        import asyncio

        from ragauge.calls import loop

        people = list(self.personas) or [PERSONA]

        async def write(number: int, slot: Slot) -> Written:
            reply = await session.ask(_asked(number, slot, people[number % len(people)]))
            if isinstance(reply, Score):
                return Written(None, reply.reason or reply.status)
            text, draft, problem = reply.value
            stated: list[bool | None] = []
            texts = [passage.text for passage in slot.passages]
            for passages in (None, texts) if draft.answerable else ():
                given = await session.ask(answering(text, passages))
                answer = "" if isinstance(given, Score) else given.value
                is_right = is_stated(draft.question, draft.references, answer)
                stated.append(None if isinstance(given, Score) else is_right)
            return Written(draft, problem, *stated)

        async def write_all() -> list[Written]:
            planned = slots(self.documents, self.counts, self.seed)
            return await asyncio.gather(*(write(*each) for each in enumerate(planned)))

        return loop.run(write_all())


def slots(documents: Documents, counts: Mapping[str, int], seed: int) -> list[Slot]:
    """The planned questions, spread evenly over documents, headings and passages.

    Each passage is used at most once for a type, so small documents give fewer than planned.
    """
    by_name: dict[str, list[Passage]] = defaultdict(list)
    for passage in documents.passages:
        for name in dict.fromkeys(NAME.findall(passage.text)):
            by_name[name].append(passage)
    # Passages that share a name, each with the next one that has it; names that most have join nothing.
    most = max(5, len(documents.passages) // 5)
    found = (passages for passages in by_name.values() if len(passages) <= most)
    pairs = list(dict.fromkeys(pair for passages in found for pair in pairwise(passages)))
    single = [(passage,) for passage in documents.passages]
    items: list[tuple[str, Passage, float, Slot]] = []
    for name in counts:
        for passages in pairs if name in OF_TWO else single:
            first, is_table = passages[0], passages[0].kind == "table"
            is_long = is_table or len(first.text.split()) >= MIN_WORDS
            if is_long and is_table == (name == "table look-up"):
                items.append((name, first, 1.0, Slot(name, passages)))
    spread = Spread(items, seed)
    taken = (spread.take(name) for name, n in counts.items() for _ in range(n))
    return [slot for slot in taken if slot is not None]


def _asked(number: int, slot: Slot, persona: str) -> JudgeQuestion[tuple[str, Draft, str]]:
    """Asks for the question of a slot: its text, the draft, and what is wrong with it."""
    texts, kind = [passage.text for passage in slot.passages], slot.question_type
    quotes: list[str] = []
    for text in texts:  # A judge quotes a sentence: the one in the middle is as long as others.
        spans = sentence_spans(text) or [(0, 80)]
        start, end = spans[len(spans) // 2]
        quotes.append(text[start:end][:400])
    likely = f"What does number {number} of a dozen words say of the thing that is asked about?"

    def read(fields: dict[str, Any]) -> tuple[str, Draft, str]:
        text, answer = fields["question"].strip(), fields["answer"].strip()
        if not text:
            raise ReplyError("question is empty")
        is_answerable, question, earlier = kind != "unanswerable", text, ""
        if kind == "follow-up":
            earlier, _, question = (part.strip() for part in text.rpartition("\n"))
        found = [
            Source(passage, *spans[0])
            for passage in slot.passages
            if (spans := [*filter(None, (find_quote(it, passage.text) for it in fields["quotes"]))])
        ]
        problem = ""
        if is_answerable and not answer:
            problem = "no answer was written"
        elif is_answerable and len(found) < len(slot.passages):
            problem = "a quote is not in its passage"
        elif kind == "follow-up" and not earlier:
            problem = "no earlier question was written"
        no_answer = NO_ANSWER.get(language_of(texts[0]) or "en", NO_ANSWER["en"])
        draft = Draft(
            *(question, (answer or no_answer,), tuple(found), kind, PROMPT),
            answerable=is_answerable,
            hops=2 if kind == "multi-hop" else 1,
            history=(earlier,) if earlier else (),
        )
        return text, draft, problem

    return JudgeQuestion(
        PROMPT,
        {"passages": texts},
        object_of(question=TEXT, answer=TEXT, quotes=array_of(TEXT)),
        read,
        {"question": likely, "answer": "some words", "quotes": quotes},
        {"type": kind, "persona": persona},
    )


def with_judge(
    checked: Sequence[Checked],
    documents: Documents,
    judge: "JudgeConfig",
    cache: str | Path | None = None,
) -> list[Checked]:
    """The questions with the checks `known` and `round_trip`; two calls for each sound one with a reference.

    `known`: the judge answers rightly without the documents, so that the question tests no retrieval.
    `round_trip`: the judge answers from the gold passage alone, and its answer is compared with the
    references. A call that failed is `not checked`.
    """
    from ragauge.calls import loop

    asked, found = _answers_wanted(checked, documents), list(checked)
    replies = loop.run(one_session(judge, cache).ask_all([each for _, _, each in asked]))
    for (place, name, _), reply in zip(asked, replies, strict=True):
        before = found[place]
        if isinstance(reply, Score):
            result = not_checked(reply.reason or reply.status)
        else:
            result = _result(name, before, reply.value)
        problems = [*before.problems, *filter(None, [result.problem])]
        checks = {**before.checks, name: result}
        found[place] = replace(before, sound=not problems, problems=problems, checks=checks)
    return found


def _result(name: str, checked: Checked, answer: str) -> CheckResult:
    shown, question = answer[:80], checked.question
    is_right = is_stated(question.question, question.references, answer)
    if is_right is None:
        return not_checked(f"the judge's yes or no was not read: {shown!r}")
    if name == "known" and is_right:
        reason = f"the judge answers it without the documents: {shown!r}"
        return CheckResult("problem", 1.0, reason, "known_without_documents")
    if name == "round_trip" and not is_right:
        found = f"answers {shown!r} from" if answer else "finds no answer in"
        reason = f"the judge {found} its passage"
        return CheckResult("problem", 0.0, reason, "answer_not_in_documents")
    return CheckResult("ok", float(is_right))


def estimate(
    checked: Sequence[Checked],
    documents: Documents,
    judge: "JudgeConfig",
    cache: str | Path | None = None,
) -> "Mapping[str, CostEstimate]":
    """The calls that the checks would still need, and their cost; makes none."""
    from ragauge.calls import loop

    session = one_session(judge, cache).for_estimate()
    loop.run(session.ask_all([each for _, _, each in _answers_wanted(checked, documents)]))
    return {session.name: session.usage.estimate()}


def _answers_wanted(
    checked: Sequence[Checked], documents: Documents
) -> list[tuple[int, str, JudgeQuestion[str]]]:
    asked: list[tuple[int, str, JudgeQuestion[str]]] = []
    for place, each in enumerate(checked):
        question = each.question
        if each.sound and question.answerable and question.references:
            asked.append((place, "known", answering(question.question, None)))
            if texts := [passage.text for passage in gold_passages(question, documents)]:
                asked.append((place, "round_trip", answering(question.question, texts)))
    return asked


def answering(question: str, passages: Sequence[str] | None) -> JudgeQuestion[str]:
    """Asks the judge a question itself: from passages alone, or from what it knows where there are none."""
    return JudgeQuestion(
        ANSWERING,
        {"passages": passages, "question": question},
        object_of(answer=TEXT),
        lambda fields: str(fields["answer"]).strip(),
        {"answer": "some words"},
    )


def one_session(
    judge: "JudgeConfig", cache: str | Path | None, does: str = "checks"
) -> "JudgeSession":
    """The session of the only judge; PlanError for several."""
    if len(judge.judges) != 1:
        raise PlanError([f"one judge {does} the questions, got {len(judge.judges)}"])
    return next(iter(judge.sessions(cache).values()))


def with_encoder(
    checked: Sequence[Checked], documents: Documents, encoder: "Encoder | str"
) -> list[Checked]:
    """The questions with `encoder_rank`: the best rank of a gold passage by cosine among all passages, from 1."""
    if isinstance(encoder, str):
        from ragauge.encoders import open_encoder

        encoder = open_encoder(encoder)
    passages = documents.passages
    vectors = encoder.encode([f"{each.heading}\n{each.text}" for each in passages])
    number = {each.id: place for place, each in enumerate(passages)}
    asked = encoder.encode([each.question.whole for each in checked])
    ranked: list[Checked] = []
    for each, vector in zip(checked, asked, strict=True):
        gold = [number[passage.id] for passage in gold_passages(each.question, documents)]
        result, cosines = not_checked("its passage is not given"), vectors @ vector
        if gold:
            result = CheckResult("ok", int((cosines > cosines[gold].max()).sum()) + 1)
        ranked.append(replace(each, checks={**each.checks, "encoder_rank": result}))
    return ranked
