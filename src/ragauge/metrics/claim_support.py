"""What an answer states against its contexts and the reference: claims by a judge, anchors such as numbers and dates without a model."""

from collections.abc import Sequence
from typing import Literal

from ragauge.errors import LabelError
from ragauge.features.judged import Supports
from ragauge.judges.session import JudgeSession
from ragauge.language.claims.anchors_spacy import Extractor, spacy_anchors
from ragauge.language.claims.context_index import (
    Anchor,
    Anchors,
    ContextIndex,
    Support,
    embedded_anchors,
    support,
)
from ragauge.language.dates.parts import Date
from ragauge.language.numbers.quantity import Quantity
from ragauge.language.reasons import why_hallucinated
from ragauge.language.words import Words, words_of
from ragauge.metric import feature, metric
from ragauge.score import Score
from ragauge.setting import Count, Share

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


Ngrams = frozenset[str]
"""Distinct n-grams, the words of each joined by a space."""

DRIFTED = 0.2
"""The score of an answer off topic, and the n-gram overlap below which it is off topic."""
SHOWN = 1_000
"""The most anchors and n-grams in the evidence, which also counts the rest."""


@feature
def answer_ngrams(answer: str, *, n: int = 1) -> Ngrams:
    """The answer's distinct n-grams of lower-cased words without punctuation."""
    return ngrams(words_of(answer), n)


@feature
def context_ngrams(passage_words: Sequence[Words], *, n: int = 1) -> Ngrams:
    """The distinct n-grams of all contexts; none spans two contexts."""
    return frozenset[str]().union(*[ngrams(words, n) for words in passage_words])


def ngrams(words: Words, n: int = 1) -> Ngrams:
    """The distinct n-grams of the words. LabelError for an n below 1."""
    if n < 1:
        raise LabelError(f"n must be at least 1, got {n}; n=1 compares words")
    if n == 1:
        return frozenset(words.listed)
    listed = words.listed
    return frozenset(map(" ".join, zip(*(listed[start:] for start in range(n)), strict=False)))


@metric(version=1, high=0.2, lower_is_better=True)
def topic_drift(answer_ngrams: Ngrams, context_ngrams: Ngrams, *, n: Count = 1) -> Score:
    """Whether the answer is off topic: 0.2 if under a fifth of its n-grams occur in the contexts, else 0.0.

    0.0 or 0.2, lower is better. The n-grams are distinct, of lower-cased words without punctuation. An
    answer without n-grams scores 0.0; without contexts, every answer with words scores 0.2. Never
    undefined.

    Source: the suite reference-free.

    >>> topic_drift(frozenset({"rain", "fell"}), frozenset({"snow"})).value
    0.2
    """
    missing = answer_ngrams - context_ngrams
    n_ngrams, n_found = len(answer_ngrams), len(answer_ngrams) - len(missing)
    drift, overlap = _drift(n_found, n_ngrams)
    evidence = {
        "overlap": overlap,
        "n_ngrams": n_ngrams,
        "n_ngrams_found": n_found,
        "ngrams_missing": sorted(missing)[:SHOWN],
    }
    return Score(drift, evidence=evidence)


def _drift(n_found: int, n_ngrams: int) -> tuple[float, float | None]:
    """The topic drift, and the share of n-grams found; None without n-grams."""
    drift = DRIFTED if n_found * 5 < n_ngrams else 0.0
    return drift, n_found / n_ngrams if n_ngrams else None


@feature
def answer_anchors(
    answer: str,
    answer_quantities: Sequence[Quantity],
    answer_dates: Sequence[Date],
    *,
    extractor: Extractor = "auto",
    pipeline: str = "",
) -> Anchors:
    """The answer's anchors, and the extractor that found them; see `hallucination`."""
    if extractor != "embedded":
        found = spacy_anchors(answer, answer_quantities, answer_dates, extractor, pipeline)
        if found:
            return found
    return Anchors(embedded_anchors(answer, answer_quantities, answer_dates), "embedded")


@metric(version=13, lower_is_better=True)
def hallucination(
    answer_anchors: Anchors,
    context_index: ContextIndex,
    answer_ngrams: Ngrams,
    context_ngrams: Ngrams,
    *,
    extractor: Extractor = "auto",
    pipeline: str = "",
    n: Count = 1,
) -> Score:
    """Share of the answer's anchors that no context supports, or the `topic_drift` if that is higher.

    In [0, 1], lower is better. Anchors are checkable statements: numbers with their unit, dates and
    times, and claims of subject, assertive verb and object. Each mention counts equally. If the answer
    has no anchors, the score is its topic drift; without contexts, every anchor is unsupported. Never
    undefined.

    spaCy finds the anchors if an English pipeline with a parser is installed (`pipeline` names one by
    package or path), otherwise the built-in extractor; `extractor="embedded"` or `"spacy"` selects one.
    The evidence names the extractor.

    Source: the suite reference-free.

    >>> import ragauge as rg
    >>> rg.score("hallucination", answer="It cost $5 in 2021.", contexts=["$5 in 2020"]).value
    0.5
    """
    checked = [(anchor, support(anchor, context_index)) for anchor in answer_anchors.found]
    lost = [anchor.text for anchor, supporting in checked if supporting is None]
    share = len(lost) / len(checked) if checked else 0.0
    drift, overlap = _drift(len(answer_ngrams & context_ngrams), len(answer_ngrams))
    evidence = {
        "why": why_hallucinated(lost, len(checked), has_drifted=drift > 0),
        "extractor": answer_anchors.extractor,
        "n_anchors": len(checked),
        "n_unsupported": len(lost),
        "anchors": [_shown(anchor, supporting) for anchor, supporting in checked[:SHOWN]],
        "n_anchors_cut": max(0, len(checked) - SHOWN),
        "topic_drift": drift,
        "overlap": overlap,
    }
    return Score(max(share, drift), evidence=evidence)


def _shown(anchor: Anchor, by: Support | None) -> dict[str, object]:
    shown: dict[str, object]
    if isinstance(anchor, Quantity):
        shown = {"kind": "number", "value": anchor.plain_value, "unit": anchor.unit}
    elif isinstance(anchor, Date):
        shown = {"kind": "date", "parts": anchor.parts}
    else:
        said = {"subject": anchor.subject, "verb": anchor.verb, "object": anchor.object}
        shown = {"kind": "claim", **said}
    shown |= {"text": anchor.text, "start": anchor.start, "end": anchor.end}
    place = by and {"context": by.context, "start": by.start, "end": by.end, "text": by.text}
    return shown | {"supported": by is not None, "by": place}
