"""Whether the retrieved contexts are relevant and sufficient, according to a judge."""

from typing import Literal

from ragauge.features.judged import RelevantContexts, Supports
from ragauge.judges.session import JudgeSession
from ragauge.metric import NOTHING_EXPECTED, metric
from ragauge.score import Score
from ragauge.setting import Share

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
