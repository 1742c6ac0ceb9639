"""The four RAGAS metrics as the package `ragas` computes them, with the run's judge and encoder.

Prompts, reply formats and formulas are the package's. Its judge calls go through ours, so they are
cached, counted and limited like all others. These scores check our own metrics of the same names.
"""

import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from ragauge.errors import MissingExtraError, RagaugeError
from ragauge.judges.protocol import Message, Reply, Request, key_of
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
"""Module and class of each metric. Importing them from `ragas.metrics` itself warns."""
VERSIONS = "0.4."
SAMPLES_PER_REPEAT = 1_000
"""Sample numbers that each repeat reserves for the replies ragas requests to one prompt."""
MAX_REPAIRED = 4_000
"""The longest malformed JSON, in characters, that ragas may repair: it takes quadratic time."""
UNFINISHED = ("length", "content_filter", "refusal")
REASON = "a few words on why it is so"
QUESTION = re.compile(r'"question"\s*:\s*("(?:[^"\\]|\\.)*")')

Forms = Mapping[str, object]
"""Reply formats of ragas by name, in order, each with an example reply."""


def _installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


PROMPTS = (f"ragas {_installed('ragas')}",)
"""The prompts of these metrics: those of the installed version."""


def needs_ragas(settings: Mapping[str, SettingValue]) -> str | None:
    """What must be installed before a metric of ragas can run."""
    ragas, community = _installed("ragas"), _installed("langchain-community")
    if ragas is None or not ragas.startswith(VERSIONS):
        has = "none is installed" if ragas is None else f"{ragas} is installed"
        return str(MissingExtraError(f"needs the package ragas, {VERSIONS}x, and {has}", "ragas"))
    if community is not None and [int(number) for number in community.split(".")[:2]] >= [0, 4]:
        return (
            f"ragas {ragas} cannot be imported with langchain-community {community}; "
            "install an older one with: pip install 'langchain-community<0.4'"
        )
    return None


@metric(name=FAITHFULNESS, version=1, check=needs_ragas, prompts=PROMPTS)
async def ragas_faithfulness(
    question: str, answer: str, contexts: Sequence[str], *, judge: JudgeSession
) -> Score:
    """Faithfulness as ragas computes it: the share of the answer's statements that its contexts support.

    In [0, 1]: supporting verdicts / verdicts returned, which may be fewer than the statements. Two judge
    calls. Undefined if there are no statements; failed if there is no verdict, or ragas cannot read the
    replies.

    Source: ragas 0.4, `Faithfulness`.
    """
    sentences = split_sentences(answer)
    forms = {
        "StatementGeneratorOutput": {"statements": sentences},
        "NLIStatementOutput": {"statements": _verdicts(sentences, "verdict")},
    }
    fields = {"user_input": question, "response": answer, "retrieved_contexts": list(contexts)}
    return await _scored(_RagasJudge(judge, FAITHFULNESS, forms), fields)


@metric(name=CONTEXT_PRECISION, version=1, check=needs_ragas, prompts=PROMPTS)
async def ragas_context_precision(
    question: str, contexts: Sequence[str], reference: str, *, judge: JudgeSession
) -> Score:
    """Context precision as ragas computes it: average precision of the contexts useful for the reference.

    In [0, 1); best over the references: Σ P@k·rel_k / (Σ rel_k + 1e-10), which is 0 without contexts. One
    judge call per context, one after another. Never undefined; failed if ragas cannot read the replies.

    Source: ragas 0.4, `LLMContextPrecisionWithReference`.
    """
    forms = {"Verification": {"reason": REASON, "verdict": 1}}
    texts = {"user_input": question, "reference": reference}
    fields = {**texts, "retrieved_contexts": list(contexts)}
    return await _scored(_RagasJudge(judge, CONTEXT_PRECISION, forms), fields)


@metric(name=CONTEXT_RECALL, version=1, check=needs_ragas, prompts=PROMPTS)
async def ragas_context_recall(
    question: str, contexts: Sequence[str], reference: str, *, judge: JudgeSession
) -> Score:
    """Context recall as ragas computes it: the share of the reference's sentences that the contexts support.

    In [0, 1]; best over the references: sentences that the judge attributes to the contexts / sentences
    that it lists. One judge call. Undefined if it lists none; failed if ragas cannot read the replies.

    Source: ragas 0.4, `LLMContextRecall`.
    """
    verdicts = _verdicts(split_sentences(reference), "attributed")
    forms = {"ContextRecallClassifications": {"classifications": verdicts}}
    texts = {"user_input": question, "reference": reference}
    fields = {**texts, "retrieved_contexts": list(contexts)}
    return await _scored(_RagasJudge(judge, CONTEXT_RECALL, forms), fields)


@metric(name=ANSWER_RELEVANCE, version=1, low=None, check=needs_ragas, prompts=PROMPTS)
async def ragas_answer_relevance(
    question: str, answer: str, *, judge: JudgeSession, encoder: "CachedEncoder"
) -> Score:
    """Answer relevance as ragas computes it: how close the questions that the answer answers are to the question.

    In [-1, 1]: the mean cosine of three generated questions, or 0 if all three replies call the answer
    noncommittal. The three are replies to one prompt and may be equal: the judge keeps its own
    temperature, where ragas would use 0.3. Undefined if there is no question; failed if ragas cannot
    read the replies, or there is no vector.

    Source: ragas 0.4, `ResponseRelevancy`.
    """
    form = {"question": "Which question does this text answer?", "noncommittal": 0}
    forms = {"ResponseRelevanceOutput": form}
    llm = _RagasJudge(judge, ANSWER_RELEVANCE, forms, _Vectors(encoder, question))
    return await _scored(llm, {"user_input": question, "response": answer})


def _verdicts(texts: Iterable[str], verdict: str) -> list[dict[str, object]]:
    return [{"statement": text, "reason": REASON, verdict: 1} for text in texts]


# The package ----------------------------------------------------------------------------------------


@cache
def _package() -> tuple[Mapping[str, Any], Any, Callable[[str], str]]:
    """What we use of ragas: its metrics by our labels, its sample class, its extraction of JSON.

    Its telemetry is switched off. MissingExtraError when ragas cannot be imported.
    """
    os.environ["RAGAS_DO_NOT_TRACK"] = "true"
    try:
        import_module("ragas._analytics").do_not_track.cache_clear()
        measures = {
            label: getattr(import_module(f"ragas.metrics.{module}"), name)
            for label, (module, name) in MEASURES.items()
        }
        sample = import_module("ragas").SingleTurnSample
        return measures, sample, import_module("ragas.prompt.utils").extract_json
    except ImportError as error:
        raise MissingExtraError(f"ragas cannot be imported ({error})", "ragas") from error


async def _scored(llm: "_RagasJudge", fields: Mapping[str, object]) -> Score:
    """The score that ragas gives a sample; `fields` have its names."""
    import asyncio

    measures, sample, _ = await asyncio.to_thread(_package)
    measure = measures[llm.label]()
    measure.llm, measure.embeddings = llm, llm.vectors
    try:
        value = float(await measure.single_turn_ascore(sample(**fields)))
    except _NoValueError as error:
        return error.score
    except RagaugeError:
        raise
    except Exception as error:  # an error of another package fails only this sample
        why = f"{type(error).__name__}: {error!s:.300}"
        return Score.failed(f"ragas cannot score this: {why}", llm.evidence)
    if not math.isnan(value):
        return Score(value, evidence=llm.evidence)
    if "NLIStatementOutput" in llm.asked_for:
        return Score.failed(f"{llm.judge.name} gave no verdict on any statement", llm.evidence)
    return Score.undefined("ragas finds nothing to judge", llm.evidence)


class _NoValueError(Exception):
    """Stops ragas on a sample, because there is no reply or no vector."""

    def __init__(self, score: Score) -> None:
        self.score = score
        super().__init__(score.reason)


class _RagasJudge:
    """The judge in the shape of a ragas language model for one sample; it records the calls."""

    def __init__(
        self, judge: JudgeSession, label: str, forms: Forms, vectors: "_Vectors | None" = None
    ) -> None:
        self.judge, self.label, self.forms, self.vectors = judge, label, forms, vectors
        self.asked_for: set[str] = set()
        """The formats of the replies requested so far."""
        self._calls: list[dict[str, object]] = []

    @property
    def evidence(self) -> dict[str, object]:
        return {"package": PROMPTS[0], "calls": self._calls}

    async def generate(self, prompt: Any, n: int = 1, **_: object) -> SimpleNamespace:
        """`n` replies to a prompt; _NoValueError if the judge gives none."""
        import asyncio

        text = str(prompt.to_string())
        form = next((name for name in self.forms if f'"title": "{name}"' in text), "")
        self.asked_for.add(form)
        first = self.judge.sample * SAMPLES_PER_REPEAT
        stand_in = json.dumps(self.forms.get(form, {}), ensure_ascii=False)
        requests = [
            Request(self.label, (Message("user", text),), None, first + at, stand_in=stand_in)
            for at in range(n)
        ]
        given = await asyncio.gather(*map(self.judge.reply, requests))
        replies = [self._recorded(*pair) for pair in zip(requests, given, strict=True)]
        if self.vectors is not None:
            await self.vectors.expect(_questions(replies))
        return SimpleNamespace(generations=[[SimpleNamespace(text=reply) for reply in replies]])

    def _recorded(self, request: Request, reply: Reply | Score) -> str:
        """The reply's text, after recording the call."""
        if isinstance(reply, Score):
            raise _NoValueError(reply)
        key = key_of(self.judge.identity, request).hex()[:16]
        call: dict[str, object] = {"prompt": self.label, "reply": reply.text[:MAX_REPLY_SHOWN]}
        self._calls.append({**call, "key": key, "sample": request.sample})
        why = ""
        if reply.finish_reason in UNFINISHED:
            why = f"did not finish its reply ({reply.finish_reason})"
        elif len(reply.text) > MAX_REPAIRED:
            try:
                json.loads(_package()[2](reply.text), strict=False)
            except (ValueError, RecursionError):
                why = f"replied with {len(reply.text):,} characters that are not JSON"
        if why:
            raise _NoValueError(Score.failed(f"{self.judge.name} {why}", self.evidence))
        return reply.text


def _questions(replies: Iterable[str]) -> Iterator[str]:
    """The questions in the replies that are well-formed."""
    for written in QUESTION.findall("\n".join(replies)):
        with suppress(ValueError):
            yield json.loads(written)


class _Vectors:
    """The encoder in the shape of ragas embeddings.

    ragas requests embeddings synchronously, which blocks all other samples; so those of the texts
    it will request are computed before, in a thread.
    """

    def __init__(self, encoder: "CachedEncoder", question: str) -> None:
        self.encoder, self.question = encoder, question
        self._vectors: dict[str, TextVector | NoVector] = {}

    async def expect(self, questions: Iterable[str]) -> None:
        """Compute the vectors of these questions and of the original question."""
        import asyncio

        texts = [self.question, *questions]
        self._vectors |= await asyncio.to_thread(self.encoder.vectors, texts)

    def embed_query(self, text: str) -> "Floats64":
        """The text's vector, in the precision in which ragas computes."""
        from ragauge.encoders.cached import NoVector

        if text not in self._vectors:
            self._vectors |= self.encoder.vectors([text])
        found = self._vectors[text]
        if isinstance(found, NoVector):
            raise _NoValueError(Score.failed(f"the questions cannot be compared: {found.reason}"))
        return found.vector.astype("float64")

    def embed_documents(self, texts: Sequence[str]) -> "list[Floats64]":
        return [self.embed_query(text) for text in texts]
