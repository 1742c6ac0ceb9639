"""The best of a metric's scores over the references of a sample."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import repeat
from typing import cast

from ragauge.engine.cells import Scores
from ragauge.metric import NOTHING_EXPECTED, Metric
from ragauge.score import Score


def best_by_row(
    metric: Metric,
    scores: Scores,
    n_references: Sequence[int | None],
    selected: Iterable[bool] | None,
) -> Scores:
    """Each row's best score over its references, from one score per pair of row and reference.

    `n_references`: each row's number of references; None where the sample does not say. `selected`: the
    rows that the metric applies to; None for all.
    """
    best: Scores = []
    start = 0
    for is_selected, n in zip(selected or repeat(True), n_references):  # noqa: B905
        stop = start + (n or 0)
        if not is_selected:
            best.append(None)
        elif n is None:
            best.append(Score.missing("the sample has no references"))
        elif n == 0:
            best.append(Score.undefined("the sample's list of references is empty"))
        elif n == 1:
            best.append(scores[start])
        else:
            best.append(_best_of(scores[start:stop], metric))
        start = stop
    return best


def _best_of(scores: Scores, metric: Metric) -> Score | None:
    """The best score over a sample's references, with the reference in the evidence.

    The first score if none has a value. A lost score (failed, or its judge was not called) might have
    been the best, so the sample is lost too, unless the best is already at the bound.
    """
    valued = [
        (score.value, at) for at, score in enumerate(scores) if score and score.value is not None
    ]
    expecting = [(value, at) for value, at in valued if not _expects_nothing(scores[at])]
    lost = next((score for score in scores if score and score.is_lost), None)
    if not expecting and lost:  # the lost reference might have expected something
        return lost
    valued = expecting or valued
    if not valued:
        return scores[0]
    sign = 1 if metric.lower_is_better else -1
    _, at = min((sign * value, at) for value, at in valued)
    best = cast(Score, scores[at])
    if lost and best.value != (metric.low if metric.lower_is_better else metric.high):
        return lost
    return replace(best, evidence={**(best.evidence or {}), "best_reference": at})


def _expects_nothing(score: Score | None) -> bool:
    return bool(score and score.evidence and score.evidence.get(NOTHING_EXPECTED))
