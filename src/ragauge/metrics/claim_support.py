"""Claims judged against texts: is the answer faithful to its contexts, and does it agree with the reference?"""

from typing import Literal

from ragauge.features.judged import Supports
from ragauge.judges.session import JudgeSession
from ragauge.metric import metric
from ragauge.score import Score
from ragauge.setting import Share

RAGAS_EPSILON = 1e-8
NO_CLAIMS = "the answer makes no claim"


@metric(version=1)
def faithfulness(
    answer_support: Supports,
    *,
    judge: JudgeSession,
    on_no_claims: Share | None = None,
    merged: bool = False,
) -> Score:
    """Share of the answer's claims that its contexts support, according to a judge.

    In [0, 1]: supported claims / all claims. The judge breaks the answer into atomic claims, given the
    question, and judges each against the contexts. Undefined if the answer makes no claims, or the value
    of `on_no_claims`; 0 if there are claims but no contexts. Failed if the judge gives no verdict on a
    claim. The evidence has each claim with its verdict, the reason, and the supporting quote with its
    position; a quote that no context contains is marked for review.

    `merged=True` finds and judges the claims in one call, which costs less, but the judge sees the
    contexts while it finds claims; it falls back to two calls if the texts exceed the judge's window.

    Source: Es et al. 2023 (RAGAS), section 3; the suite graphrag.

    >>> import ragauge as rg
    >>> judge = rg.ScriptedJudge({
    ...     "claims": {"sentences": [{"sentence": 1, "claims": ["It is $5", "Dogs are free"], "claim_free": False}]},
    ...     "support": {"verdicts": [
    ...         {"claim": 1, "reason": "stated", "supported": True, "context": 1, "quote": "fee is $5"},
    ...         {"claim": 2, "reason": "not said", "supported": False, "context": 0, "quote": ""},
    ...     ]},
    ... })
    >>> answer, contexts = "It is $5 and dogs are free.", ["The fee is $5."]
    >>> rg.score("faithfulness", question="What is the fee?", answer=answer, contexts=contexts, judge=judge).value
    0.5
    """
    n = len(answer_support.verdicts)
    if not n and on_no_claims is None:
        return Score.undefined(NO_CLAIMS, answer_support.as_data())
    value = answer_support.n_supported / n if n else on_no_claims
    return Score(value, evidence=answer_support.as_data())


@metric(version=1)
def factual_correctness(
    answer_in_reference: Supports,
    reference_in_answer: Supports,
    *,
    judge: JudgeSession,
    of: Literal["f1", "precision", "recall"] = "f1",
    variant: Literal["ragas-0.4"] | None = None,
) -> Score:
    """How far the claims of answer and reference agree, according to a judge.

    In [0, 1]; best over the references. Precision is the share of the answer's claims that the reference
    supports; recall is the share of the reference's claims that the answer supports; F1 is their
    harmonic mean, 0 if both are 0. `of` selects which is the score. Undefined if the side that a
    measure counts makes no claims: the answer for precision, the reference for recall, either for F1.
    `variant="ragas-0.4"` follows that package: tp / (tp + fp) and tp / (tp + fn) share the answer's true
    positives, and the value is rounded to two decimals; with nothing to count it is undefined here.

    Source: Min et al. 2023 (FActScore) for the claims; `FactualCorrectness` of ragas.

    >>> from ragauge.features.judged import Claims
    >>> from ragauge.judges.questions import Support
    >>> def supports(*verdicts): return Supports(tuple(Support("…", each, "") for each in verdicts), Claims(()))
    >>> answer, reference = supports(True, True), supports(True, False, False)
    >>> round(factual_correctness(answer, reference, judge=None).value, 4)
    0.5
    """
    ours, theirs = answer_in_reference, reference_in_answer
    evidence: dict[str, object] = {"answer": ours.as_data(), "reference": theirs.as_data()}
    if variant == "ragas-0.4":
        return _as_ragas(ours, theirs, of, evidence)
    unavailable = [
        name
        for name, side, other in (("answer", ours, "recall"), ("reference", theirs, "precision"))
        if not side.verdicts and of != other
    ]
    if unavailable:
        return Score.undefined(f"the {' and the '.join(unavailable)} makes no claim", evidence)
    precision = ours.n_supported / len(ours.verdicts) if ours.verdicts else 0.0
    recall = theirs.n_supported / len(theirs.verdicts) if theirs.verdicts else 0.0
    total = precision + recall
    f1 = 2 * precision * recall / total if total else 0.0
    value = {"precision": precision, "recall": recall, "f1": f1}[of]
    return Score(value, evidence={"precision": precision, "recall": recall, **evidence})


def _as_ragas(ours: Supports, theirs: Supports, of: str, evidence: dict[str, object]) -> Score:
    true = ours.n_supported
    false = len(ours.verdicts) - true
    missed = len(theirs.verdicts) - theirs.n_supported
    if not (true + false + missed):
        return Score.undefined("neither answer nor reference makes a claim to count", evidence)
    if of == "f1":
        precision, recall = (true / (true + n) if true else 0.0 for n in (false, missed))
        value = 2 * (precision * recall) / (precision + recall) if true else 0.0
    else:
        value = true / (true + (false if of == "precision" else missed) + RAGAS_EPSILON)
    counts = {"tp": true, "fp": false, "fn": missed}
    # numpy's rounding, which differs from Python's round(value, 2).
    return Score(round(value * 100) / 100, evidence={**counts, **evidence})
