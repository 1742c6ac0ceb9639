"""What judges find in answers, references and contexts; asked once for all metrics that need it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from ragauge.calls.budget import estimated_tokens
from ragauge.judges import questions
from ragauge.judges.questions import GeneratedQuestion, Graded, Relevance, Support
from ragauge.judges.session import PROMPT_TOKENS, TOKENS_PER_ITEM, Answered, JudgeSession
from ragauge.language.sentences import split_sentences
from ragauge.language.text import is_blank
from ragauge.metric import feature
from ragauge.score import Score
from ragauge.setting import Count

Calls = tuple[Mapping[str, object], ...]
"""For each reply: the name of the prompt, the text, and the cache key of the call."""
OVERLAP = 200
"""Characters that neighbouring pieces of a text share, so that each sentence is whole in one of them."""


@dataclass(frozen=True, slots=True)
class Claims:
    """The atomic claims of a text. `claim_free`: the sentences without a claim, according to the judge."""

    texts: tuple[str, ...]
    claim_free: tuple[str, ...] = ()
    calls: Calls = ()


@dataclass(frozen=True, slots=True)
class Supports:
    """The verdict on each claim: do the contexts support it? `n_pieces`: in how many parts the judge saw
    the contexts; more than 1 if they exceed its window."""

    verdicts: tuple[Support, ...]
    claims: Claims
    calls: Calls = ()
    n_pieces: int = 1

    @property
    def n_supported(self) -> int:
        return sum(verdict.supported for verdict in self.verdicts)

    def as_data(self) -> dict[str, object]:
        """JSON data for the evidence."""
        data: dict[str, object] = {"claims": [verdict.as_data() for verdict in self.verdicts]}
        if self.claims.claim_free:
            data["claim_free"] = list(self.claims.claim_free)
        if self.n_pieces > 1:
            data["contexts_shown_in"] = self.n_pieces
        n_not_found = sum(bool(each.quote) and not each.is_quoted for each in self.verdicts)
        if n_not_found:
            data |= {"quotes_not_found": n_not_found, "needs_review": True}
        return {**data, "calls": [*self.claims.calls, *self.calls]}


@dataclass(frozen=True, slots=True)
class RelevantContexts:
    """The verdict on each context: is it relevant? `n_pieces`: as in Supports."""

    verdicts: tuple[Relevance, ...]
    calls: Calls = ()
    n_pieces: int = 1

    def as_data(self) -> dict[str, object]:
        """JSON data for the evidence."""
        verdicts = [{"relevant": each.relevant, "reason": each.reason} for each in self.verdicts]
        shown = {"contexts_shown_in": self.n_pieces} if self.n_pieces > 1 else {}
        return {"contexts": verdicts, **shown, "calls": list(self.calls)}


@dataclass(frozen=True, slots=True)
class QuestionsBack:
    """The questions that an answer answers; if it answers none, its relevance by a rubric."""

    questions: tuple[GeneratedQuestion, ...]
    rubric: Graded | None = None
    calls: Calls = ()


@feature
def question_in_context(question: str, conversation_before: str | None) -> str:
    """What was asked, for judges: of a turn of a conversation, behind what was said before."""
    if conversation_before is None or is_blank(conversation_before):
        return question
    return (
        f"(said before in this conversation)\n{conversation_before}\n\n(the question)\n{question}"
    )


@feature(prompts=("claims",))
async def answer_claims(
    question_in_context: str | None, answer: str, *, judge: JudgeSession
) -> Claims | Score:
    """The answer's atomic claims. A blank answer has none; the judge is not called."""
    return await claims_of(judge, question_in_context, answer)


@feature(prompts=("claims",))
async def reference_claims(
    question_in_context: str | None, reference: str, *, judge: JudgeSession
) -> Claims | Score:
    """The reference's atomic claims. A blank reference has none; the judge is not called."""
    return await claims_of(judge, question_in_context, reference)


@feature(prompts=("claims", "support", "support_at_once"))
async def answer_support(
    question_in_context: str | None,
    answer: str,
    contexts: Sequence[str],
    *,
    judge: JudgeSession,
    merged: bool = False,
) -> Supports | Score:
    """Which of the answer's claims the contexts support; `merged`: found and judged in one call."""
    return await _supported(judge, question_in_context, answer, contexts, merged=merged)


@feature(prompts=("claims", "support", "support_at_once"))
async def reference_support(
    question_in_context: str | None,
    reference: str,
    contexts: Sequence[str],
    *,
    judge: JudgeSession,
    merged: bool = False,
) -> Supports | Score:
    """Which of the reference's claims the contexts support; `merged`: found and judged in one call."""
    return await _supported(judge, question_in_context, reference, contexts, merged=merged)


@feature(prompts=("support",))
async def answer_in_reference(
    answer_claims: Claims, reference: str, *, judge: JudgeSession
) -> Supports | Score:
    """Which of the answer's claims the reference supports."""
    return await support_of(judge, answer_claims, [] if is_blank(reference) else [reference])


@feature(prompts=("support",))
async def reference_in_answer(
    reference_claims: Claims, answer: str, *, judge: JudgeSession
) -> Supports | Score:
    """Which of the reference's claims the answer supports."""
    return await support_of(judge, reference_claims, [] if is_blank(answer) else [answer])


@feature(prompts=("relevance",))
async def context_relevance(
    question_in_context: str,
    contexts: Sequence[str],
    references: Sequence[str] | None,
    *,
    judge: JudgeSession,
) -> RelevantContexts | Score:
    """Which contexts are relevant to the question. The judge also sees the references, if any."""
    if not contexts:
        return RelevantContexts(())
    asked = question_in_context
    parts = _parts(judge, contexts, asked, *(references or ()))
    answers = await judge.ask_all(
        questions.relevance(asked, [piece.text for piece in part], references) for part in parts
    )
    found: list[list[Relevance]] = [[] for _ in contexts]
    for part, answered in zip(parts, answers, strict=True):
        if isinstance(answered, Score):
            return answered
        for piece, verdict in zip(part, answered.value, strict=True):
            found[piece.place].append(verdict)
    combined = [max(each, key=lambda verdict: verdict.relevant) for each in found]
    return RelevantContexts(tuple(combined), _calls(answers), len(parts))


@feature(prompts=("questions", "rubric"))
async def answer_questions(
    question: str,
    question_in_context: str,
    answer: str,
    *,
    judge: JudgeSession,
    n_questions: Count = 3,
    variant: Literal["ragas-0.4"] | None = None,
) -> QuestionsBack | Score:
    """Questions that the answer answers, generated by a judge that does not see the question.

    If the answer is blank or answers no question, the judge grades by a rubric how well it addresses
    the question. Undefined, without a call, if the question is blank.
    """
    if is_blank(question):
        return Score.undefined("the question is blank, so nothing can be near it")
    back: tuple[GeneratedQuestion, ...] = ()
    calls: Calls = ()
    if not is_blank(answer):
        asked = await judge.ask(questions.questions(answer, n_questions))
        if isinstance(asked, Score):
            return asked
        back, calls = asked.value, _calls([asked])
    if back or variant is not None:
        return QuestionsBack(back, None, calls)
    graded = await judge.ask(questions.rubric(question_in_context, answer))
    if isinstance(graded, Score):
        return graded
    return QuestionsBack((), graded.value, (*calls, *_calls([graded])))


async def claims_of(judge: JudgeSession, question: str | None, text: str) -> Claims | Score:
    """The atomic claims of a text that answers a question, sentence by sentence."""
    sentences = _sentences(text)
    if not sentences:
        return Claims(())
    groups = judge.pieces(sentences, question or "")
    asked = [questions.claims(question, [sentences[at] for at in group]) for group in groups]
    answers = await judge.ask_all(asked)
    found: list[str] = []
    free: list[str] = []
    for group, answered in zip(groups, answers, strict=True):
        if isinstance(answered, Score):
            return answered
        for at, claims in zip(group, answered.value, strict=True):
            found += claims
            free += [] if claims else [sentences[at]]
    return Claims(tuple(found), tuple(free), _calls(answers))


async def _supported(
    judge: JudgeSession, question: str | None, text: str, contexts: Sequence[str], *, merged: bool
) -> Supports | Score:
    """Which of a text's claims the contexts support. The request for the claims is the same for all
    metrics, so the cache answers the others."""
    sentences = _sentences(text)
    room = judge.window - PROMPT_TOKENS - len(sentences) * TOKENS_PER_ITEM
    texts = (*contexts, *sentences, *sentences)
    if merged and contexts and sentences and sum(map(estimated_tokens, texts)) < room:
        asked = await judge.ask(questions.support_at_once(question, sentences, contexts))
        if isinstance(asked, Score):
            return asked
        pairs = zip(sentences, asked.value, strict=True)
        free = tuple(sentence for sentence, found in pairs if not found)
        verdicts = tuple(verdict for found in asked.value for verdict in found)
        claims = Claims(tuple(verdict.claim for verdict in verdicts), free)
        return Supports(verdicts, claims, _calls([asked]))
    claims = await claims_of(judge, question, text)
    return claims if isinstance(claims, Score) else await support_of(judge, claims, contexts)


def _sentences(text: str) -> tuple[str, ...]:
    return () if is_blank(text) else split_sentences(text) or (text.strip(),)


async def support_of(
    judge: JudgeSession, claims: Claims, contexts: Sequence[str]
) -> Supports | Score:
    """Which claims the contexts support. Without contexts, none; the judge is not called."""
    if not claims.texts:
        return Supports((), claims)
    if not contexts:
        return Supports(tuple(Support(text, False, "no contexts") for text in claims.texts), claims)
    asked = [
        (places, part)
        for places in judge.pieces(claims.texts, share=2)  # half of the window is for the contexts
        for part in _parts(judge, contexts, *(claims.texts[at] for at in places))
    ]
    answers = await judge.ask_all(
        questions.support([piece.text for piece in part], [claims.texts[at] for at in places])
        for places, part in asked
    )
    found: list[list[Support]] = [[] for _ in claims.texts]
    for (places, part), answered in zip(asked, answers, strict=True):
        if isinstance(answered, Score):
            return answered
        for at, verdict in zip(places, answered.value, strict=True):
            context, start, end = verdict.context, verdict.start, verdict.end
            if context is not None and start is not None and end is not None:
                piece = part[context]
                start, end = start + piece.start, end + piece.start
                verdict = replace(verdict, context=piece.place, start=start, end=end)
            found[at].append(verdict)
    n_pieces = max(map(len, found))
    # Of the parts a supporting verdict, preferably with a quote.
    combined = [
        max(each, key=lambda verdict: (verdict.supported, verdict.is_quoted)) for each in found
    ]
    return Supports(tuple(combined), claims, _calls(answers), n_pieces)


class _ContextPart(NamedTuple):
    """A context, or a part of one that is too long: its text, which context it is of, and its offset."""

    text: str
    place: int
    start: int = 0


def _parts(judge: JudgeSession, contexts: Sequence[str], *others: str) -> list[list[_ContextPart]]:
    """The contexts in parts, each of which fits the judge's window together with the other texts.

    A single context that does not fit is cut into overlapping pieces.
    """
    if judge.fits_window((*contexts, *others), len(contexts)):
        return [[_ContextPart(context, place) for place, context in enumerate(contexts)]]
    room = judge.window - PROMPT_TOKENS - TOKENS_PER_ITEM - sum(map(estimated_tokens, others))
    wholes = (_ContextPart(context, place) for place, context in enumerate(contexts))
    pieces = [piece for whole in wholes for piece in _cut(whole, room)]
    groups = judge.pieces([piece.text for piece in pieces], others)
    return [[pieces[at] for at in group] for group in groups]


def _cut(piece: _ContextPart, room: int) -> list[_ContextPart]:
    """The piece, halved repeatedly until each part has at most `room` tokens."""
    text, place, start = piece
    if len(text) <= 2 * OVERLAP or estimated_tokens(text) <= room:
        return [piece]
    middle, beyond = len(text) // 2, OVERLAP // 2
    left = _ContextPart(text[: middle + beyond], place, start)
    right = _ContextPart(text[middle - beyond :], place, start + middle - beyond)
    return [*_cut(left, room), *_cut(right, room)]


def _calls(answers: Sequence[Answered[object] | Score]) -> Calls:
    return tuple(answered.call for answered in answers if isinstance(answered, Answered))
