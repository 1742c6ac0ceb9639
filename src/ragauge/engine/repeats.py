"""Repeats: the scores that depend on a judge are means over all repeats."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from ragauge.engine.cells import Scores
from ragauge.score import LOST_PARTS, Score

if TYPE_CHECKING:
    from ragauge.engine.batch import Batch
    from ragauge.engine.graph import Plan


def with_repeats(plan: "Plan", batch: "Batch") -> list[Scores]:
    """The scores; those that depend on a judge are means over all repeats."""
    scores = [batch.scores(metric) for metric in plan.metrics]
    n_repeats = batch.resources.judging.repeat
    if n_repeats == 1:
        return scores
    judged = _judged_nodes(plan)
    repeats = [scores]
    for number in range(1, n_repeats):
        repeated = batch.for_repeat(judged, number)
        repeated.run_all([node for node in plan.nodes if node.key in judged])
        repeats.append([repeated.scores(metric) for metric in plan.metrics])
    return [
        scores[place] if metric.node not in judged else _over_repeats(repeats, place)
        for place, metric in enumerate(plan.metrics)
    ]


def _judged_nodes(plan: "Plan") -> frozenset[str]:
    """The keys of the nodes whose values depend on a judge."""
    judged: set[str] = set()
    for node in plan.nodes:
        if "judge" in node.definition.resources or any(
            source.node in judged for source in node.inputs
        ):
            judged.add(node.key)
    return frozenset(judged)


def _over_repeats(repeats: Sequence[Sequence[Scores]], place: int) -> Scores:
    """Each row's mean over the repeats in which it has a value."""
    columns = [scores[place] for scores in repeats]
    return [_mean_score(row) for row in zip(*columns, strict=True)]


def _mean_score(repeats: Sequence[Score | None]) -> Score | None:
    """The mean score of one row over the repeats, with their values and spread as evidence."""
    scored = [score for score in repeats if score is not None and score.value is not None]
    lost = [
        score
        for score in repeats
        if score is not None and (score.is_lost or LOST_PARTS in (score.evidence or {}))
    ]
    if not scored:
        return next((score for score in lost if score.is_lost), repeats[0])
    values = [cast(float, score.value) for score in scored]
    mean = sum(values) / len(values)
    # The mean of equal values is exactly that value, without the rounding error of a sum.
    mean = values[0] if len(set(values)) == 1 else mean
    spread = (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5
    by_repeat = [
        score.value if score and score.value is not None else score and score.reason
        for score in repeats
    ]
    evidence = {**(scored[0].evidence or {}), "repeats": by_repeat, "spread": spread}
    if any((score.evidence or {}).get("needs_review") for score in scored):
        evidence["needs_review"] = True
    if lost:
        evidence[LOST_PARTS] = evidence.get(LOST_PARTS, [f"{len(lost)} of {len(repeats)} repeats"])
    if "grade" in evidence and len(set(values)) > 1:  # the grade of the first repeat only
        evidence["grades"] = [(score.evidence or {}).get("grade") for score in scored]
        del evidence["grade"]
    return Score(mean, evidence=evidence)
