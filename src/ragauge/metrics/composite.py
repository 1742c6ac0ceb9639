"""Metrics combined from the scores of other metrics."""

from collections.abc import Mapping
from typing import Annotated

from ragauge.metric import metric
from ragauge.score import LOST_PARTS, Score
from ragauge.setting import Constraint

PARTS = ("faithfulness", "context_precision", "context_recall", "answer_relevance")
RAGAS_WEIGHTS: Mapping[str, float] = dict(zip(PARTS, (0.3, 0.2, 0.2, 0.3), strict=True))


def _are_weights(given: Mapping[str, float]) -> bool:
    return given.keys() <= RAGAS_WEIGHTS.keys() and min(given.values(), default=0) >= 0


Weights = Annotated[
    Mapping[str, float],
    Constraint(f"a table of weights of at least 0 for {', '.join(RAGAS_WEIGHTS)}", _are_weights),
]


@metric(version=2)
def ragas_score(
    faithfulness: Score,
    context_precision: Score,
    context_recall: Score,
    answer_relevance: Score,
    *,
    weights: Weights = RAGAS_WEIGHTS,
    partial: bool = False,
    judge: str | None = None,
) -> Score:
    """Weighted mean of the four RAGAS metrics, over those that have a value.

    In [0, 1]. The parts are faithfulness (weight 0.3), context_precision (0.2), context_recall (0.2) and
    answer_relevance (0.3); `weights` replaces them, and a part that it does not name weighs 0. The
    weight of parts without a value is redistributed. Undefined if no part with a positive weight has a
    value. Skipped if the judge was not asked for a part with a positive weight, because a budget ended
    or only the cache was read; with `partial=true` the mean of the other parts is given then too. Parts
    that failed or were skipped are listed under `lost` in the evidence, and the report counts the
    scores that lack one. In the labels of a run, `judge` names the judge of the parts, and
    `parts` is a digest of the labels of parts with settings of their own.

    Source: the suite graphrag.

    >>> local_search = (Score(1.0), Score.undefined("not calculable"), Score(1.0), Score(0.8327))
    >>> round(ragas_score(*local_search).value * 100, 2)
    93.73
    """
    scores = (faithfulness, context_precision, context_recall, answer_relevance)
    parts: Mapping[str, Score] = dict(zip(PARTS, scores, strict=True))
    values = {name: part.value for name, part in parts.items() if part.value is not None}
    left_out = {name: part.reason for name, part in parts.items() if part.value is None}
    weight_of = {name: weights.get(name, 0.0) for name in values}
    total = sum(weight_of.values())
    not_asked = [part for name, part in parts.items() if weights.get(name) and part.is_not_asked]
    if not_asked and not partial:
        return not_asked[0]
    if not total:
        lost = {"left_out": left_out} | _lost(parts)
        return Score.undefined("none of its parts has a value", lost)
    value = sum(values[name] * weight for name, weight in weight_of.items()) / total
    used = {name: weight / total for name, weight in weight_of.items()}
    evidence: dict[str, object] = {"parts": values, "weights": used, "left_out": left_out}
    # An undefined part does not apply here; a failed one does, with an unknown value.
    return Score(value, evidence=evidence | _lost(parts))


@metric(version=1)
def answer_match(fuzzy_match: Score, gpt_score: Score, *, judge: str | None = None) -> Score:
    """Whether the answer matches the reference by `fuzzy_match` or by the judge's `gpt_score`.

    1.0 if either is 1, else 0.0. If only one of the two has a value, it decides; if neither has one, the
    score is undefined. The evidence says `needs_review` if they disagree or one is unavailable. In the
    labels of a run, `judge` names the judge, and `parts` is a digest of the labels of parts with
    settings of their own.

    Source: the suite factual-qa.

    >>> answer_match(Score(0.0), Score(1.0)).evidence["needs_review"]
    True
    """
    parts = {"fuzzy_match": fuzzy_match, "gpt_score": gpt_score}
    values = {name: part.value for name, part in parts.items()}
    known = [value for value in values.values() if value is not None]
    if not known:
        reasons = f"{fuzzy_match.reason}; {gpt_score.reason}"
        return Score.undefined(f"neither part has a value: {reasons}", _lost(parts) or None)
    evidence: dict[str, object] = {
        **values,
        "needs_review": len(known) == 1 or known[0] != known[1],
        "left_out": {name: part.reason for name, part in parts.items() if part.value is None},
    }
    return Score(max(known), evidence=evidence | _lost(parts))


def _lost(parts: Mapping[str, Score]) -> dict[str, object]:
    names = [name for name, part in parts.items() if part.is_lost]
    return {LOST_PARTS: names} if names else {}
