"""RAGAS' four measures as the package `ragas` computes them, with the run's judge and encoder behind it.

Words, forms of replies and formulas are the package's; what a judge is asked goes the way of every
question: it is kept, counted and bounded like all others. So these numbers stand beside our own
measures of the same names, as an oracle.
"""

import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, NoReturn

from ragauge.errors import MissingExtraError, RagaugeError
from ragauge.judges.ledger import key_of
from ragauge.judges.protocol import Message, Reply, Request
from ragauge.judges.session import MAX_REPLY_SHOWN, JudgeSession
from ragauge.label import SettingValue
from ragauge.language.sentences import split_sentences
from ragauge.metric import metric
from ragauge.score import Score

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ragauge.encoders.cached import CachedEncoder, NoVector, TextVector

    Floats64 = npt.NDArray[np.float64]

FAITHFULNESS, CONTEXT_PRECISION = "ragas:faithfulness", "ragas:context_precision"
CONTEXT_RECALL, ANSWER_RELEVANCE = "ragas:context_recall", "ragas:answer_relevance"
MEASURES = {
    FAITHFULNESS: ("_faithfulness", "Faithfulness"),
    CONTEXT_PRECISION: ("_context_precision", "LLMContextPrecisionWithReference"),
    CONTEXT_RECALL: ("_context_recall", "LLMContextRecall"),
    ANSWER_RELEVANCE: ("_answer_relevance", "ResponseRelevancy"),
}
"""The modules that have them. From `ragas.metrics` itself they come with a warning."""
VERSIONS = "0.4."
SAMPLES_AN_ASKING = 1_000
"""Each asking of the judge has so many numbers, for the replies that ragas wants to one prompt."""
MENDABLE = 4_000
"""Characters of a reply that is no JSON and that ragas may still try to mend, in quadratic time."""
UNFINISHED = ("length", "content_filter", "refusal")
REASON = "a few words on why it is so"
QUESTION = re.compile(r'"question"\s*:\s*("(?:[^"\\]|\\.)*")')

Forms = Mapping[str, object]
"""The forms in which ragas wants replies, by name and in order, each with a reply as it might come."""


def _installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


PROMPTS = (f"ragas {_installed('ragas')}",)
"""What these measures ask with: the words of the version that is installed."""


def needs_ragas(settings: Mapping[str, SettingValue]) -> str | None:
    """What is to be installed before a measure of ragas can be asked for."""
    found, community = _installed("ragas"), _installed("langchain-community")
    if found is None or not found.startswith(VERSIONS):
        has = "none is installed" if found is None else f"{found} is installed"
        return str(MissingExtraError(f"needs the package ragas, {VERSIONS}x, and {has}", "ragas"))
    if community is not None and [int(one) for one in community.split(".")[:2]] >= [0, 4]:
        return (
            f"ragas {found} cannot be imported beside langchain-community {community}; "
            "install an older one with: pip install 'langchain-community<0.4'"
        )
    return None


@metric(name=FAITHFULNESS, version=1, check=needs_ragas, prompts=PROMPTS)
async def ragas_faithfulness(
    question: str, answer: str, contexts: Sequence[str], *, judge: JudgeSession
) -> Score:
    """Share of the answer's statements that its contexts support, by ragas with the run's judge.

    In [0, 1]: verdicts that support / verdicts that came back, be they fewer than the statements. No
    statement: `undefined`; no verdict, or replies that ragas cannot read: `failed`. Two calls.
    Source: ragas 0.4, `Faithfulness`.
    """
    said = split_sentences(answer)
    forms = {
        "StatementGeneratorOutput": {"statements": said},
        "NLIStatementOutput": {"statements": _verdicts(said, "verdict")},
    }
    fields = {"user_input": question, "response": answer, "retrieved_contexts": list(contexts)}
    return await _scored(_Asking(judge, FAITHFULNESS, forms), fields)


@metric(name=CONTEXT_PRECISION, version=1, check=needs_ragas, prompts=PROMPTS)
async def ragas_context_precision(
    question: str, contexts: Sequence[str], reference: str, *, judge: JudgeSession
) -> Score:
    """Average precision of the contexts that were of use for the reference, by ragas with the run's
    judge.

    In [0, 1); best over the references: Σ P@k·rel_k / (Σ rel_k + 1e-10), so 0 without contexts too.
    A call for each context, one after the other. Replies that ragas cannot read: `failed`. Source:
    ragas 0.4, `LLMContextPrecisionWithReference`.
    """
    forms = {"Verification": {"reason": REASON, "verdict": 1}}
    fields = {
        "user_input": question,
        "retrieved_contexts": list(contexts),
        "reference": reference,
    }
    return await _scored(_Asking(judge, CONTEXT_PRECISION, forms), fields)


@metric(name=CONTEXT_RECALL, version=1, check=needs_ragas, prompts=PROMPTS)
async def ragas_context_recall(
    question: str, contexts: Sequence[str], reference: str, *, judge: JudgeSession
) -> Score:
    """Share of the reference's sentences that the contexts have, by ragas with the run's judge.

    In [0, 1]; best over the references: sentences that the judge attributes to the contexts /
    sentences that it names. None named: `undefined`; replies that ragas cannot read: `failed`. One
    call. Source: ragas 0.4, `LLMContextRecall`.
    """
    said = _verdicts(split_sentences(reference), "attributed")
    forms = {"ContextRecallClassifications": {"classifications": said}}
    fields = {
        "user_input": question,
        "retrieved_contexts": list(contexts),
        "reference": reference,
    }
    return await _scored(_Asking(judge, CONTEXT_RECALL, forms), fields)


@metric(name=ANSWER_RELEVANCE, version=1, low=None, check=needs_ragas, prompts=PROMPTS)
async def ragas_answer_relevance(
    question: str, answer: str, *, judge: JudgeSession, encoder: "CachedEncoder"
) -> Score:
    """How near the questions that the answer answers are to the one asked, by ragas with the run's
    judge and encoder.

    In [-1, 1]: the mean cosine of three questions, 0 when all three replies call the answer
    noncommittal. They are three replies to one prompt, and may be one and the same: the judge keeps
    its own temperature, where ragas would ask with 0.3. No question: `undefined`; replies that ragas
    cannot read, or no vector: `failed`. Source: ragas 0.4, `ResponseRelevancy`.
    """
    forms = {
        "ResponseRelevanceOutput": {
            "question": "Which question does this text answer?",
            "noncommittal": 0,
        }
    }
    asking = _Asking(judge, ANSWER_RELEVANCE, forms, _Vectors(encoder, question))
    return await _scored(asking, {"user_input": question, "response": answer})


def _verdicts(texts: Iterable[str], verdict: str) -> list[dict[str, object]]:
    return [{"statement": one, "reason": REASON, verdict: 1} for one in texts]


# The package ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Package:
    """What is used of ragas: its measures by our labels, its samples, how it finds JSON in a text."""

    measures: Mapping[str, Any]
    sample: Any
    json_in: Callable[[str], str]


@cache
def _package() -> _Package:
    """ragas, told to report its use to nobody. MissingExtraError when it cannot be imported."""
    os.environ["RAGAS_DO_NOT_TRACK"] = "true"
    try:
        import_module("ragas._analytics").do_not_track.cache_clear()
        measures = {
            label: getattr(import_module(f"ragas.metrics.{module}"), name)
            for label, (module, name) in MEASURES.items()
        }
        sample = import_module("ragas").SingleTurnSample
        return _Package(measures, sample, import_module("ragas.prompt.utils").extract_json)
    except ImportError as error:
        raise MissingExtraError(f"ragas cannot be imported ({error})", "ragas") from error


async def _scored(asking: "_Asking", fields: Mapping[str, object]) -> Score:
    """What ragas makes of a sample, whose fields have its names."""
    import asyncio

    package = await asyncio.to_thread(_package)
    measure = package.measures[asking.label]()
    measure.llm, measure.embeddings = asking, asking.vectors
    try:
        value = float(await measure.single_turn_ascore(package.sample(**fields)))
    except _NoValueError as error:
        return error.score
    except RagaugeError:
        raise
    except Exception as error:  # what another package cannot do with one sample fails that one only
        why = f"{type(error).__name__}: {error!s:.300}"
        return Score.failed(f"ragas makes nothing of this: {why}", asking.evidence)
    if not math.isnan(value):
        return Score(value, evidence=asking.evidence)
    if "NLIStatementOutput" in asking.asked_for:
        return Score.failed(
            f"{asking.judge.name} gave no verdict on any statement", asking.evidence
        )
    return Score.undefined("ragas finds nothing to judge", asking.evidence)


class _NoValueError(Exception):
    """Ends what ragas does with a sample: there is no reply, or no vector."""

    def __init__(self, score: Score) -> None:
        self.score = score
        super().__init__(score.reason)


@dataclass(frozen=True, slots=True)
class _Said:
    """A reply as ragas takes it."""

    text: str


@dataclass(frozen=True, slots=True)
class _Result:
    """Replies to one prompt, in the only row."""

    generations: tuple[tuple[_Said, ...]]


class _Asking:
    """A judge as ragas asks a language model of one sample; it keeps what was said."""

    def __init__(
        self, judge: JudgeSession, label: str, forms: Forms, vectors: "_Vectors | None" = None
    ) -> None:
        self.judge, self.label, self.forms, self.vectors = judge, label, forms, vectors
        self.asked_for: set[str] = set()
        """The forms in which a reply was wanted."""
        self._calls: list[dict[str, object]] = []

    @property
    def evidence(self) -> dict[str, object]:
        return {"package": PROMPTS[0], "calls": self._calls}

    async def generate(self, prompt: Any, n: int = 1, **_: object) -> _Result:
        """`n` replies to a prompt; _NoValueError when one cannot be had."""
        import asyncio

        text = str(prompt.to_string())
        form = next((one for one in self.forms if f'"title": "{one}"' in text), "")
        self.asked_for.add(form)
        first = self.judge.sample * SAMPLES_AN_ASKING
        stand_in = json.dumps(self.forms.get(form, {}), ensure_ascii=False)
        requests = [
            Request(self.label, (Message("user", text),), None, first + at, stand_in=stand_in)
            for at in range(n)
        ]
        found = await asyncio.gather(*map(self.judge.reply, requests))
        replies = [self._said(*one) for one in zip(requests, found, strict=True)]
        if self.vectors is not None:
            await self.vectors.expect(_questions(replies))
        return _Result((tuple(_Said(one) for one in replies),))

    def _said(self, request: Request, reply: Reply | Score) -> str:
        """The reply's text, noted down."""
        if isinstance(reply, Score):
            raise _NoValueError(reply)
        key = key_of(self.judge.identity, request).hex()[:16]
        call: dict[str, object] = {"prompt": self.label, "reply": reply.text[:MAX_REPLY_SHOWN]}
        self._calls.append({**call, "key": key, "sample": request.sample})
        if reply.finish_reason in UNFINISHED:
            self._fail(f"did not finish its reply ({reply.finish_reason})")
        if len(reply.text) > MENDABLE and not _holds_json(reply.text):
            self._fail(f"replied with {len(reply.text):,} characters that are no JSON")
        return reply.text

    def _fail(self, why: str) -> NoReturn:
        raise _NoValueError(Score.failed(f"{self.judge.name} {why}", self.evidence))


def _holds_json(text: str) -> bool:
    """Whether what ragas takes for the JSON in a text is whole."""
    try:
        json.loads(_package().json_in(text), strict=False)
    except (ValueError, RecursionError):
        return False
    return True


def _questions(replies: Iterable[str]) -> Iterator[str]:
    """The questions of the replies, where they are written as they should be."""
    for written in (one for reply in replies for one in QUESTION.findall(reply)):
        try:
            yield json.loads(written)
        except ValueError:
            continue


class _Vectors:
    """An encoder as ragas asks for embeddings.

    ragas wants them at once, while all others wait; so those of the texts that it will ask for are
    made before, in a thread.
    """

    def __init__(self, encoder: "CachedEncoder", question: str) -> None:
        self.encoder, self.question = encoder, question
        self._made: dict[str, TextVector | NoVector] = {}

    async def expect(self, questions: Iterable[str]) -> None:
        """Make the vectors of these questions and of the one asked."""
        import asyncio

        texts = [self.question, *questions]
        self._made |= await asyncio.to_thread(self.encoder.vectors, texts)

    def embed_query(self, text: str) -> "Floats64":
        """The text's vector, in the precision in which ragas computes."""
        from ragauge.encoders.cached import NoVector

        if text not in self._made:
            self._made |= self.encoder.vectors([text])
        made = self._made[text]
        if isinstance(made, NoVector):
            raise _NoValueError(Score.failed(f"the questions cannot be compared: {made.reason}"))
        return made.vector.astype("float64")

    def embed_documents(self, texts: Sequence[str]) -> "list[Floats64]":
        return [self.embed_query(one) for one in texts]
