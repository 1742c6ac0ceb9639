"""Our measures beside those of ragas 0.4.3: the same verdicts in, the same numbers out.

The two ask in other words and want replies in other forms, so each case has a script for either
side that gives the same verdicts in its own form. ragas runs here as its own users run it, without
our bridge to it.
"""

import asyncio
import json
import os
import random
import re
from dataclasses import dataclass, replace

import pytest
from pytest import approx

import ragauge as rg
from ragauge.encoders.embedded import MiniLM

os.environ["RAGAS_DO_NOT_TRACK"] = "true"
pytest.importorskip("ragas", "0.4.3")

from langchain_core.outputs import Generation, LLMResult
from ragas import SingleTurnSample
from ragas.embeddings.base import BaseRagasEmbeddings
from ragas.llms.base import BaseRagasLLM
from ragas.metrics._answer_relevance import ResponseRelevancy
from ragas.metrics._context_precision import LLMContextPrecisionWithReference
from ragas.metrics._context_recall import LLMContextRecall
from ragas.metrics._factual_correctness import FactualCorrectness
from ragas.metrics._faithfulness import Faithfulness

ENCODER = MiniLM()
SEEDS = range(40)
WORDS = (
    *("fee", "hut", "beds", "boots", "map", "price", "winter", "path", "ridge", "key", "lamp"),
    *("stove", "snow", "bridge"),
)
FORMS = (
    *("StatementGeneratorOutput", "ClaimDecompositionOutput", "NLIStatementOutput"),
    *("Verification", "ContextRecallClassifications", "ResponseRelevanceOutput"),
)
"""In which ragas wants replies, as its prompts name them."""


@dataclass(frozen=True)
class Case:
    """A sample, and what a judge says of it. Claims and contexts are known by their numbers."""

    question: str
    answer: str
    reference: str
    contexts: list[str]
    answer_claims: list[list[str]]
    reference_claims: list[list[str]]
    supported: dict[tuple[str, str], list[bool]]
    """By whose claims they are and what was shown, for each claim."""
    relevant: list[bool]
    questions: list[tuple[str, bool]]


def case(seed: int) -> Case:
    chance = random.Random(seed)

    def flags(n: int) -> list[bool]:
        likely = chance.choice([0.0, 0.3, 0.7, 1.0])
        return [chance.random() < likely for _ in range(n)]

    def claims(whose: str) -> list[list[str]]:
        n_each = enumerate([chance.randint(1, 4) for _ in range(chance.randint(1, 5))])
        return [[f"{whose} claim {at}.{n}" for n in range(n_one)] for at, n_one in n_each]

    def sentences(whose: str, claims: list[list[str]]) -> str:
        return " ".join(f"The {whose} sentence {at} is said." for at in range(len(claims)))

    of_answer, of_reference = claims("answer"), claims("reference")
    n_answer, n_reference = (sum(map(len, one)) for one in (of_answer, of_reference))
    contexts = [f"A passage about number {at}." for at in range(chance.randint(1, 6))]
    evasive = chance.choice([[True] * 3, flags(3), [False] * 3])
    return Case(
        question=f"What of the {chance.choice(WORDS)} {seed}?",
        answer=sentences("answer", of_answer),
        reference=sentences("reference", of_reference),
        contexts=contexts,
        answer_claims=of_answer,
        reference_claims=of_reference,
        supported={
            ("answer", "contexts"): flags(n_answer),
            ("answer", "reference"): flags(n_answer),
            ("reference", "contexts"): flags(n_reference),
            ("reference", "answer"): flags(n_reference),
        },
        relevant=flags(len(contexts)),
        questions=[
            (f"Which {' '.join(chance.sample(WORDS, 4))} is it, {at}?", evasive[at])
            for at in range(3)
        ],
    )


def flat(claims: list[list[str]]) -> list[str]:
    return [claim for one in claims for claim in one]


def whose(told: str) -> str:
    return "answer" if "answer claim" in told else "reference"


def shown(told: str) -> str:
    """What claims are compared with."""
    if "A passage about" in told:
        return "contexts"
    return "answer" if "The answer sentence" in told else "reference"


# Our side -------------------------------------------------------------------------------------------


def ours(case: Case, label: str) -> rg.Score:
    def script(request):
        told = request.messages[-1].content
        if request.prompt == "claims":
            own = case.answer_claims if "The answer sentence" in told else case.reference_claims
            rows = enumerate(own, 1)
            return {
                "sentences": [{"sentence": n, "claims": c, "claim_free": False} for n, c in rows]
            }
        if request.prompt == "support":
            rows = enumerate(case.supported[whose(told), shown(told)], 1)
            entry = {"reason": "…", "context": 0, "quote": ""}
            return {"verdicts": [{"claim": n, "supported": flag, **entry} for n, flag in rows]}
        if request.prompt == "relevance":
            rows = enumerate(case.relevant, 1)
            return {
                "verdicts": [{"context": n, "reason": "…", "relevant": flag} for n, flag in rows]
            }
        assert request.prompt == "questions"
        asked = [{"question": one, "noncommittal": flag} for one, flag in case.questions]
        return {"questions": asked}

    return scored(case, label, script)


def scored(case: Case, label: str, script) -> rg.Score:
    texts = {"question": case.question, "answer": case.answer, "reference": case.reference}
    judge = rg.ScriptedJudge(script)
    return rg.score(label, **texts, contexts=case.contexts, judge=judge, encoder=ENCODER)


# ragas' side ----------------------------------------------------------------------------------------


def verdicts(claims, flags, name: str, verdict: str) -> str:
    rows = zip(flat(claims), flags, strict=True)
    return json.dumps({name: [{"statement": c, "reason": "…", verdict: int(f)} for c, f in rows]})


def said_to_ragas(case: Case, told: str, at: int = 0) -> str:
    """The `at`-th reply to one of ragas' prompts, with the same verdicts."""
    form = next(one for one in FORMS if f'"title": "{one}"' in told)
    given = told.rpartition("Now perform the same with the following input")[2]
    if form in ("StatementGeneratorOutput", "ClaimDecompositionOutput"):
        key = "statements" if form == "StatementGeneratorOutput" else "claims"
        own = case.answer_claims if "The answer sentence" in given else case.reference_claims
        return json.dumps({key: flat(own)})
    if form == "NLIStatementOutput":
        own = case.answer_claims if whose(given) == "answer" else case.reference_claims
        return verdicts(own, case.supported[whose(given), shown(given)], "statements", "verdict")
    if form == "Verification":
        place = int(re.search(r"A passage about number (\d+)", given)[1])
        return json.dumps({"reason": "…", "verdict": int(case.relevant[place])})
    if form == "ContextRecallClassifications":
        flags = case.supported["reference", "contexts"]
        return verdicts(case.reference_claims, flags, "classifications", "attributed")
    assert form == "ResponseRelevanceOutput"
    question, is_evasive = case.questions[at]
    return json.dumps({"question": question, "noncommittal": int(is_evasive)})


class RagasLLM(BaseRagasLLM):
    """A language model as ragas' own users write one."""

    def __init__(self, case: Case):
        super().__init__()
        self.case = case

    def generate_text(self, prompt, n=1, temperature=0.01, stop=None, callbacks=None):
        told = prompt.to_string()
        texts = [said_to_ragas(self.case, told, at) for at in range(n)]
        return LLMResult(generations=[[Generation(text=text) for text in texts]])

    async def agenerate_text(self, prompt, n=1, temperature=0.01, stop=None, callbacks=None):
        return self.generate_text(prompt, n)

    def is_finished(self, response):
        return True


class RagasEmbeddings(BaseRagasEmbeddings):
    def embed_query(self, text):
        return self.embed_documents([text])[0]

    def embed_documents(self, texts):
        return ENCODER.encode(texts).tolist()

    async def aembed_query(self, text):
        return self.embed_query(text)

    async def aembed_documents(self, texts):
        return self.embed_documents(texts)


def ragas(case: Case, measure) -> float:
    measure.llm = RagasLLM(case)
    if isinstance(measure, ResponseRelevancy):
        measure.embeddings = RagasEmbeddings()
    sample = SingleTurnSample(
        user_input=case.question,
        response=case.answer,
        reference=case.reference,
        retrieved_contexts=case.contexts,
    )
    return float(asyncio.run(measure.single_turn_ascore(sample)))


# Both -----------------------------------------------------------------------------------------------


FOUR = {
    "faithfulness": Faithfulness,
    'context_precision(variant="ragas-0.4")': LLMContextPrecisionWithReference,
    "context_recall": LLMContextRecall,
    'answer_relevance(variant="ragas-0.4")': ResponseRelevancy,
}


@pytest.mark.parametrize("label", FOUR)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_four_measures_are_those_of_ragas(label, seed):
    one = case(seed)
    near = 1e-6 if "relevance" in label else 1e-9
    assert ours(one, label).value == approx(ragas(one, FOUR[label]()), abs=near, rel=0)


@pytest.mark.parametrize("of", ["f1", "precision", "recall"])
@pytest.mark.parametrize("seed", SEEDS)
def test_factual_correctness_is_that_of_ragas(of, seed):
    one = case(seed)
    found = ours(one, f'factual_correctness(of="{of}",variant="ragas-0.4")').value
    assert found == approx(ragas(one, FactualCorrectness(mode=of)), abs=1e-9, rel=0)


def counted(true: int, false: int, missed: int) -> Case:
    """A case with so many of the answer's claims right and wrong, and of the reference's missed."""
    missing = [[f"reference claim {at}" for at in range(missed + 1)]]
    return replace(
        case(0),
        answer="The answer sentence 0 is said.",
        reference="The reference sentence 0 is said.",
        answer_claims=[[f"answer claim {at}" for at in range(true + false)]],
        reference_claims=missing,
        supported={
            ("answer", "reference"): [True] * true + [False] * false,
            ("reference", "answer"): [True] + [False] * missed,
        },
    )


@pytest.mark.parametrize("of", ["f1", "precision", "recall"])
@pytest.mark.parametrize(
    ("true", "false", "missed"),
    [(7, 1, 1), (3, 5, 5), (3, 2, 8), (5, 2, 4), (5, 4, 2), (0, 3, 2), (4, 0, 0), (1, 39, 39)],
)
def test_factual_correctness_rounds_halves_as_ragas_does(true, false, missed, of):
    """7 of 8 is 0.875, which ragas divides by 8.00000001 and so calls 0.87."""
    one = counted(true, false, missed)
    found = ours(one, f'factual_correctness(of="{of}",variant="ragas-0.4")').value
    assert found == approx(ragas(one, FactualCorrectness(mode=of)), abs=1e-9, rel=0)


@pytest.mark.parametrize("label", FOUR)
@pytest.mark.parametrize("seed", SEEDS)
def test_ragas_behind_our_judge_is_ragas(label, seed):
    """The bridge: the replies that ragas gets through it make its numbers to the last bit."""
    one = case(seed)
    name = f"ragas:{label.partition('(')[0]}"

    def script(request):
        return said_to_ragas(one, request.messages[-1].content, request.sample)

    found = scored(one, name, script)
    near = 1e-6 if "relevance" in label else 0
    assert found.value == approx(ragas(one, FOUR[label]()), abs=near, rel=0)


def test_the_cases_tell_right_from_wrong():
    """The values are not all the same, so that a test of equality can fail."""
    for label in FOUR:
        assert len({round(ours(case(seed), label).value, 6) for seed in SEEDS}) > 8
