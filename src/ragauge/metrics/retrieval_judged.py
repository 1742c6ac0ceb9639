"""Whether what was retrieved is relevant, and whether it is enough, by a judge."""

from typing import Literal

from ragauge.features.judged import RelevantContexts, Supports
from ragauge.judges.session import JudgeSession
from ragauge.metric import NOTHING_EXPECTED, Share, metric
from ragauge.score import Score

RAGAS_EPSILON = 1e-10


@metric(version=1)
def context_precision(
    context_relevance: RelevantContexts,
    *,
    judge: JudgeSession,
    average: Literal["mean", "ap"] = "mean",
    on_no_contexts: Share | None = None,
    variant: Literal["ragas-0.4"] | None = None,
) -> Score:
    """Share of the contexts that are relevant to the question, by a judge.

    In [0, 1]. `average="ap"` heeds the order: the mean over the relevant contexts of the precision at
    their rank, Σ P@k·rel_k / Σ rel_k, exact; none relevant: 0. No contexts: `undefined`, or the value
    of `on_no_contexts`. All contexts are judged in one call; the references are shown where there are
    some. `variant="ragas-0.4"` is that package's average precision, with 1e-10 added to the count (it
    gives 0 where nothing was retrieved, and takes one reference).
    Source: seed 002, section 2; Es et al. 2023 (RAGAS).

    >>> from ragauge.judges.questions import Relevance
    >>> found = RelevantContexts(tuple(Relevance(one, "") for one in (True, False, True)))
    >>> round(context_precision(found, judge=None).value, 4)
    0.6667
    >>> round(context_precision(found, judge=None, average="ap").value, 4)
    0.8333
    """
    flags = [one.relevant for one in context_relevance.verdicts]
    if not flags:
        if on_no_contexts is None:
            return Score.undefined("nothing was retrieved")
        return Score(on_no_contexts, evidence={"contexts": []})
    if variant == "ragas-0.4":
        value = _average_precision(flags, RAGAS_EPSILON)
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
    """Share of the reference's statements that the contexts support, by a judge.

    In [0, 1]; best over the references. The reference is broken into atomic statements, given the
    question. A reference without statements: `undefined`, or the value of `on_no_statements`, also
    when there are no contexts, unless another reference has some; else no contexts: 0. `failed` when the judge gives no verdict on one
    of the statements. `merged`: as of `faithfulness`. Source: seed 002, section 3; Es et al. 2023 (RAGAS).

    >>> from ragauge.features.judged import Claims
    >>> from ragauge.judges.questions import Support
    >>> found = (Support("It is $5", True, ""), Support("Dogs are free", False, ""))
    >>> context_recall(Supports(found, Claims(())), judge=None).value
    0.5
    """
    n, evidence = len(reference_support.verdicts), reference_support.as_data()
    if n:
        return Score(reference_support.n_supported / n, evidence=evidence)
    if on_no_statements is None:
        return Score.undefined("the reference makes no statement", evidence)
    return Score(on_no_statements, evidence={**evidence, NOTHING_EXPECTED: True})
