"""What the stub server of `judge.py` says: replies of the form and length that each question asks for."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass

from judge_samples import CLAUSE, CODE, CONTEXT

BECAUSE = "the texts say so in these words"
INPUT_OF_RAGAS = "Now perform the same with the following input\ninput: "


def chance_of(*parts: object) -> float:
    """A number in [0, 1) that depends on what it is asked for and on nothing else."""
    digest = hashlib.sha256("\n".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:7]) / 2**56


@dataclass(frozen=True, slots=True)
class Replies:
    """`denied`: the share of facts and contexts that are found wanting, the same for every tool."""

    denied: float = 0.0

    def to(self, told: str, prompt: str | None) -> dict[str, object]:
        """The reply to a prompt; `prompt`: its name, which ours have."""
        if prompt is not None:
            return self._to_ours(told, prompt)
        if INPUT_OF_RAGAS in told:
            return self._to_ragas(told)
        return self._to_deepeval(told)

    def _holds(self, code: str) -> bool:
        return chance_of("holds", code) >= self.denied

    # Ours -----------------------------------------------------------------------------------------

    def _to_ours(self, told: str, prompt: str) -> dict[str, object]:
        if prompt == "claims":
            lines = [line for line in _block(told, "sentences").splitlines() if CLAUSE.search(line)]
            return {
                "sentences": [
                    {"sentence": at, "claims": CLAUSE.findall(line), "claim_free": False}
                    for at, line in enumerate(lines, 1)
                ]
            }
        if prompt == "support":
            quote = " ".join(_block(told, "contexts").splitlines()[1].split()[1:13])
            found = {"reason": BECAUSE, "supported": True, "context": 1, "quote": quote}
            missed = {"reason": BECAUSE, "supported": False, "context": 0, "quote": ""}
            verdicts = [
                {"claim": at, **(found if self._holds(code) else missed)}
                for at, code in enumerate(CODE.findall(_block(told, "claims")), 1)
            ]
            return {"verdicts": verdicts}
        if prompt == "relevance":
            verdicts = [
                {"context": at, "reason": BECAUSE, "relevant": at < 4 and self._holds(code)}
                for at, code in enumerate(CONTEXT.findall(_block(told, "contexts")), 1)
            ]
            return {"verdicts": verdicts}
        if prompt == "questions":
            words = " ".join(_block(told, "answer").split()[:8])
            return {
                "questions": [
                    {"question": f"What {at} of {words}?", "noncommittal": False} for at in range(3)
                ]
            }
        if prompt == "accuracy":
            graded = {"reason": BECAUSE, "score": 80}
            return dict.fromkeys(("correctness", "completeness", "consistency"), graded)
        return {"reason": BECAUSE, "verdict": "CORRECT"}

    # ragas ----------------------------------------------------------------------------------------

    def _to_ragas(self, told: str) -> dict[str, object]:
        head, _, given = told.partition(INPUT_OF_RAGAS)
        fields = json.loads(given.rpartition("\nOutput: ")[0])
        if "Fix the output string" in head:
            return {"text": json.dumps(self._to_ragas(fields["prompt_value"]))}
        if '"title": "StatementGeneratorOutput"' in head:
            return {"statements": CLAUSE.findall(fields["answer"])}
        if '"title": "NLIStatementOutput"' in head:
            return {
                "statements": [
                    {"statement": one, "reason": BECAUSE, "verdict": self._n_holding(one)}
                    for one in fields["statements"]
                ]
            }
        if '"title": "ContextRecallClassifications"' in head:
            return {
                "classifications": [
                    {"statement": one, "reason": BECAUSE, "attributed": self._n_holding(one)}
                    for one in fields["answer"].removesuffix(".").split(". ")
                ]
            }
        if '"title": "ResponseRelevanceOutput"' in head:
            words = " ".join(fields["response"].split()[:8])
            return {"question": f"What of {words}?", "noncommittal": 0}
        verdict = int(self._holds(CONTEXT.findall(fields["context"])[0]))
        return {"reason": BECAUSE, "verdict": verdict}

    def _n_holding(self, statement: str) -> int:
        """1 where the first fact of a statement holds, else 0."""
        return int(self._holds(CODE.findall(statement)[0]))

    # deepeval -------------------------------------------------------------------------------------

    def _to_deepeval(self, told: str) -> dict[str, object]:
        if '"truths" key' in told:
            contexts = told.rpartition("\nText:\n")[2]
            return {"truths": [f"{code} says this and that." for code in CONTEXT.findall(contexts)]}
        if '"claims" key' in told:
            return {"claims": CLAUSE.findall(told.rpartition("AI Output:\n")[2])}
        if '"statements" key' in told:
            return {"statements": CLAUSE.findall(told.rpartition("\nText:\n")[2])}
        if "'reason' key providing the reason" in told:
            return {"reason": f"The score is 1.00 because {BECAUSE}."}
        said = {True: "yes", False: "no"}
        codes = dict.fromkeys(_asked_by_deepeval(told))
        return {
            "verdicts": [{"reason": BECAUSE, "verdict": said[self._holds(code)]} for code in codes]
        }


def _block(told: str, name: str) -> str:
    """What stands between our delimiters, without them."""
    inside = told[told.index(f"<{name} id=") : told.index(f"</{name} id=")]
    return inside.partition("\n")[2]


def _asked_by_deepeval(told: str) -> Iterable[str]:
    """The codes of what it wants verdicts on: claims, statements, sentences or contexts."""
    for heading in ("\nClaims:\n", "\nStatements:\n"):
        if heading in told:
            return CODE.findall(told.rpartition(heading)[2])
    if "For EACH sentence" in told:
        expected = told.rpartition("\nExpected Output:\n")[2].partition("\nRetrieval Context:")[0]
        return [code for code in CODE.findall(expected) if code.endswith("x")]
    return CONTEXT.findall(told.rpartition("\nRetrieval Context")[2])
