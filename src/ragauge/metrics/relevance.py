"""Whether an answer takes up its question and names sources, and by a judge whether answer and contexts are relevant and sufficient."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from ragauge.encoders.cached import CachedEncoder, NoVector, TextVector
from ragauge.features.judged import QuestionsBack, RelevantContexts, Supports
from ragauge.judges.session import JudgeSession
from ragauge.language.stop_words import NLTK_ENGLISH, SKLEARN_ENGLISH
from ragauge.language.words import alphanumeric_words, words_of
from ragauge.metric import NOTHING_EXPECTED, feature, metric
from ragauge.score import Score
from ragauge.setting import Count, Share

TERM = re.compile(r"\w\w+")
IDF_IN_ONE_OF_TWO = math.log(3 / 2) + 1
"""Smooth inverse document frequency of a term that one of two texts has; 1 if both have it."""


@feature
def question_terms(question: str) -> frozenset[str]:
    """The question's alphanumeric words that are not NLTK English stop words."""
    return frozenset(alphanumeric_words(question)) - NLTK_ENGLISH


@feature
def answer_terms(answer: str) -> frozenset[str]:
    """The answer's alphanumeric words that are not NLTK English stop words."""
    return frozenset(alphanumeric_words(answer)) - NLTK_ENGLISH


@metric(version=2)
def question_coverage(question_terms: frozenset[str], answer_terms: frozenset[str]) -> Score:
    """Share of the question's keywords that the answer uses too.

    In [0, 1]. Keywords are the distinct lower-cased alphanumeric words that are not NLTK English stop
    words. Never undefined: a question without keywords scores 1.0 with any answer; an answer without
    keywords scores 0.0 otherwise.

    Source: the suite reference-free, where it is named completeness.

    >>> question_coverage(frozenset({"base", "rate"}), frozenset({"rate", "293"})).value
    0.5
    """
    matched = question_terms & answer_terms
    missing = question_terms - answer_terms
    value = len(matched) / len(question_terms) if question_terms else 1.0
    return Score(value, evidence={"matched": sorted(matched), "missing": sorted(missing)})


@metric
def hybrid_relevance(question: str, answer: str) -> Score:
    """How similar the wording of question and answer is: the mean of TF-IDF cosine and Jaccard similarity.

    In [0, 1]. The cosine is that of scikit-learn's `TfidfVectorizer(stop_words="english")` fitted on the
    two texts, 0 if either has no term. The Jaccard similarity compares the sets of lower-cased words
    split on whitespace, 0 if both are empty. Never undefined.

    Source: the suite reference-free.

    >>> hybrid_relevance("base rate", "the base rate").value
    0.8333333333333333
    """
    left, right = _term_counts(question), _term_counts(answer)
    common = left.keys() & right.keys()
    cosine = 0.0
    if common:
        dot = sum([left[term] * right[term] for term in common])
        lengths = _squared_length(left, common) * _squared_length(right, common)
        cosine = min(dot / math.sqrt(lengths), 1.0)
    left_words, right_words = set(question.lower().split()), set(answer.lower().split())
    n_common = len(left_words & right_words)
    n_all = len(left_words) + len(right_words) - n_common
    jaccard = n_common / n_all if n_all else 0.0
    evidence = {"cosine": cosine, "jaccard": jaccard, "common_terms": sorted(common)}
    return Score((cosine + jaccard) / 2, evidence=evidence)


def _term_counts(text: str) -> Counter[str]:
    if text.isascii():
        words = words_of(text).listed
        return Counter([word for word in words if len(word) > 1 and word not in SKLEARN_ENGLISH])
    return Counter([term for term in TERM.findall(text.lower()) if term not in SKLEARN_ENGLISH])


def _squared_length(counts: Counter[str], common: set[str]) -> float:
    shared = sum([counts[term] ** 2 for term in common])
    alone = sum([count * count for count in counts.values()]) - shared
    return shared + alone * IDF_IN_ONE_OF_TWO**2


INDICATORS = ("source:", "table:", "page", "document", "pdf", "according to", "based on", "from")


@metric(version=1)
def citation_quality(answer: str, *, enough: Count = 3) -> Score:
    """How many kinds of source references the answer contains, relative to the number that is enough.

    In [0, 1]: distinct indicators / `enough`, at most 1. The indicators are "source:", "table:",
    "page", "document", "pdf", "according to", "based on" and "from", found as substrings ignoring case
    ("from" is found in "fromage"). Never undefined; an empty answer scores 0.0.

    Source: the suite answer-quality.

    >>> citation_quality("According to page 4 of the rules manual").value
    0.6666666666666666
    """
    lowered = answer.lower()
    found = [indicator for indicator in INDICATORS if indicator in lowered]
    return Score(min(len(found) / enough, 1.0), evidence={"found": found, "enough": enough})


@metric(version=1, batch=True)
def answer_relevance(
    question: Sequence[str],
    answer_questions: Sequence[QuestionsBack],
    *,
    judge: JudgeSession,
    encoder: CachedEncoder,
    n_questions: Count = 3,
    noncommittal: Literal["all", "any", "none"] = "all",
    variant: Literal["ragas-0.4"] | None = None,
) -> list[Score]:
    """How relevant the answer is to the question, judged by the questions that the answer would answer.

    In [0, 1]. A judge sees only the answer and writes `n_questions` questions that it answers; the
    score is their mean cosine similarity to the original question, with a negative mean counted as 0.
    If the answer answers no question, the judge grades its relevance by a rubric instead: 0, 0.25,
    0.5, 0.75 or 1. With `noncommittal="all"` (the convention of RAGAS) the score is 0 if the judge
    calls the answer noncommittal for all of the questions, with "any" for at least one; "none"
    ignores it. Undefined if the question is blank; failed if the judge or the encoder fails.
    `variant="ragas-0.4"` follows that package, except that negative means count as 0: it has no rubric,
    so an answer that answers no question is undefined.

    Source: Es et al. 2023 (RAGAS), section 3; the suite graphrag uses `noncommittal="none"`.

    >>> import ragauge as rg
    >>> texts = ("What is the fee?", "What is the fee now?", "What is the fee today?")
    >>> questions = [{"question": text, "noncommittal": False} for text in texts]
    >>> judge = rg.ScriptedJudge({"questions": {"questions": questions}})
    >>> score = rg.score("answer_relevance", question="What is the fee?", answer="It is $5.", judge=judge)
    >>> round(score.value, 2)
    0.9
    """
    rows = list(zip(question, answer_questions, strict=True))
    texts = [original for original, back in rows if back.questions]
    texts += [generated.question for _, back in rows for generated in back.questions]
    vectors = encoder.vectors(texts)
    return [_relevance(original, back, vectors, noncommittal, variant) for original, back in rows]


def _relevance(
    original: str,
    back: QuestionsBack,
    vectors: Mapping[str, TextVector | NoVector],
    noncommittal: str,
    variant: str | None,
) -> Score:
    calls = list(back.calls)
    if not back.questions and variant == "ragas-0.4":
        return Score.undefined("the answer answers no question", {"calls": calls})
    if not back.questions and back.rubric is not None:
        evidence = {"rubric": back.rubric.score, "reason": back.rubric.reason, "calls": calls}
        return Score(back.rubric.score, evidence=evidence)
    found = [vectors[text] for text in (original, *(each.question for each in back.questions))]
    known = [each.vector for each in found if isinstance(each, TextVector)]
    if without := next((each for each in found if isinstance(each, NoVector)), None):
        reason = f"the questions cannot be compared: {without.reason}"
        return Score.failed(reason, {"calls": calls})
    cosines = [float(known[0] @ other) for other in known[1:]]
    flags = [generated.noncommittal for generated in back.questions]
    is_evasive = {"all": all(flags), "any": any(flags), "none": False}[noncommittal]
    asked = [
        {"question": generated.question, "cosine": cosine, "noncommittal": generated.noncommittal}
        for generated, cosine in zip(back.questions, cosines, strict=True)
    ]
    evidence = {"questions": asked, "noncommittal": is_evasive, "calls": calls}
    mean = sum(cosines) / len(cosines)
    return Score(0.0 if is_evasive else min(1.0, max(0.0, mean)), evidence=evidence)


@metric(version=1)
def context_precision(
    context_relevance: RelevantContexts,
    *,
    judge: JudgeSession,
    average: Literal["mean", "ap"] = "mean",
    on_no_contexts: Share | None = None,
    variant: Literal["ragas-0.4"] | None = None,
) -> Score:
    """Share of the contexts that are relevant to the question, according to a judge.

    In [0, 1]. One call judges all contexts, and shows the references if there are any.
    `average="ap"` takes the order into account: the mean of the precision at the rank of each relevant
    context, Σ P@k·rel_k / Σ rel_k; 0 if none is relevant. Undefined if nothing was retrieved, or the
    value of `on_no_contexts`. Failed if the judge fails. `variant="ragas-0.4"` is that package's average
    precision, which adds 1e-10 to the denominator (the package itself gives 0 if nothing was retrieved,
    and takes a single reference).

    Source: Es et al. 2023 (RAGAS); the suite graphrag.

    >>> from ragauge.judges.questions import Relevance
    >>> contexts = RelevantContexts(tuple(Relevance(each, "") for each in (True, False, True)))
    >>> round(context_precision(contexts, judge=None).value, 4)
    0.6667
    >>> round(context_precision(contexts, judge=None, average="ap").value, 4)
    0.8333
    """
    flags = [verdict.relevant for verdict in context_relevance.verdicts]
    if not flags:
        if on_no_contexts is None:
            return Score.undefined("nothing was retrieved")
        return Score(on_no_contexts, evidence={"contexts": []})
    if variant == "ragas-0.4":
        value = _average_precision(flags, epsilon=1e-10)
    elif average == "ap":
        value = _average_precision(flags) if any(flags) else 0.0
    else:
        value = sum(flags) / len(flags)
    return Score(value, evidence=context_relevance.as_data())


def _average_precision(flags: list[bool], epsilon: float = 0.0) -> float:
    gained, n_relevant = 0.0, 0
    for rank, is_relevant in enumerate(flags, 1):
        n_relevant += is_relevant
        gained += is_relevant * n_relevant / rank
    return gained / (n_relevant + epsilon)


@metric(version=1)
def context_recall(
    reference_support: Supports,
    *,
    judge: JudgeSession,
    on_no_statements: Share | None = None,
    merged: bool = False,
) -> Score:
    """Share of the reference's statements that the contexts support, according to a judge.

    In [0, 1]; best over the references. The judge breaks the reference into atomic statements, given the
    question, and judges each against the contexts; without contexts none is supported: 0. Undefined if
    the reference makes no statements; `on_no_statements` is then the value, unless another reference
    makes some. Failed if the judge gives no verdict on a statement. `merged`: as in `faithfulness`.

    Source: Es et al. 2023 (RAGAS), section 3; the suite graphrag.

    >>> from ragauge.features.judged import Claims
    >>> from ragauge.judges.questions import Support
    >>> verdicts = (Support("It is $5", True, ""), Support("Dogs are free", False, ""))
    >>> context_recall(Supports(verdicts, Claims(())), judge=None).value
    0.5
    """
    n, evidence = len(reference_support.verdicts), reference_support.as_data()
    if n:
        return Score(reference_support.n_supported / n, evidence=evidence)
    if on_no_statements is None:
        return Score.undefined("the reference makes no statement", evidence)
    return Score(on_no_statements, evidence={**evidence, NOTHING_EXPECTED: True})
