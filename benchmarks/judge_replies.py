"""The replies of the stub server of `judge.py`, in the form and length that each question requests."""

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

    def to(self, text: str, prompt: str | None) -> dict[str, object]:
        """The reply to a prompt; `prompt`: its name, which ours have."""
        if prompt is not None:
            return self._to_ours(text, prompt)
        if INPUT_OF_RAGAS in text:
            return self._to_ragas(text)
        return self._to_deepeval(text)

    def _holds(self, code: str) -> bool:
        return chance_of("holds", code) >= self.denied

    # Ours -----------------------------------------------------------------------------------------

    def _to_ours(self, text: str, prompt: str) -> dict[str, object]:
        if prompt == "claims":
            lines = [line for line in _block(text, "sentences").splitlines() if CLAUSE.search(line)]
            return {
                "sentences": [
                    {"sentence": at, "claims": CLAUSE.findall(line), "claim_free": False}
                    for at, line in enumerate(lines, 1)
                ]
            }
        if prompt == "support":
            quote = " ".join(_block(text, "contexts").splitlines()[1].split()[1:13])
            found = {"reason": BECAUSE, "supported": True, "context": 1, "quote": quote}
            missed = {"reason": BECAUSE, "supported": False, "context": 0, "quote": ""}
            verdicts = [
                {"claim": at, **(found if self._holds(code) else missed)}
                for at, code in enumerate(CODE.findall(_block(text, "claims")), 1)
            ]
            return {"verdicts": verdicts}
        if prompt == "relevance":
            verdicts = [
                {"context": at, "reason": BECAUSE, "relevant": at < 4 and self._holds(code)}
                for at, code in enumerate(CONTEXT.findall(_block(text, "contexts")), 1)
            ]
            return {"verdicts": verdicts}
        if prompt == "questions":
            words = " ".join(_block(text, "answer").split()[:8])
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

    def _to_ragas(self, text: str) -> dict[str, object]:
        head, _, given = text.partition(INPUT_OF_RAGAS)
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

    def _to_deepeval(self, text: str) -> dict[str, object]:
        if '"truths" key' in text:
            contexts = text.rpartition("\nText:\n")[2]
            return {"truths": [f"{code} says this and that." for code in CONTEXT.findall(contexts)]}
        if '"claims" key' in text:
            return {"claims": CLAUSE.findall(text.rpartition("AI Output:\n")[2])}
        if '"statements" key' in text:
            return {"statements": CLAUSE.findall(text.rpartition("\nText:\n")[2])}
        if "'reason' key providing the reason" in text:
            return {"reason": f"The score is 1.00 because {BECAUSE}."}
        verdicts = {True: "yes", False: "no"}
        codes = dict.fromkeys(_asked_by_deepeval(text))
        return {
            "verdicts": [
                {"reason": BECAUSE, "verdict": verdicts[self._holds(code)]} for code in codes
            ]
        }


def _block(text: str, name: str) -> str:
    """The text between our delimiters."""
    inside = text[text.index(f"<{name} id=") : text.index(f"</{name} id=")]
    return inside.partition("\n")[2]


def _asked_by_deepeval(text: str) -> Iterable[str]:
    """The codes of the items that need verdicts: claims, statements, sentences or contexts."""
    for heading in ("\nClaims:\n", "\nStatements:\n"):
        if heading in text:
            return CODE.findall(text.rpartition(heading)[2])
    if "For EACH sentence" in text:
        expected = text.rpartition("\nExpected Output:\n")[2].partition("\nRetrieval Context:")[0]
        return [code for code in CODE.findall(expected) if code.endswith("x")]
    return CONTEXT.findall(text.rpartition("\nRetrieval Context")[2])
