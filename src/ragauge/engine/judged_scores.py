"""Scores that depend on a judge: means over its repeats, and disputes between several judges."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from ragauge.engine.task import Scores
from ragauge.label import Label, without_settings
from ragauge.metric import PROMPTS
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
    judged = plan.judged
    repeats = [scores]
    for number in range(1, n_repeats):
        repeated = batch.for_repeat(judged, number)
        repeated.run_all([node for node in plan.nodes if node.key in judged])
        repeats.append([repeated.scores(metric) for metric in plan.metrics])
    return [
        [_mean_score(row) for row in zip(*(each[place] for each in repeats), strict=True)]
        if metric.node in judged
        else scores[place]
        for place, metric in enumerate(plan.metrics)
    ]


def _mean_score(repeats: Sequence[Score | None]) -> Score | None:
    """The mean score of one row over the repeats, with their values and spread as evidence."""
    given = [score for score in repeats if score is not None]
    scored = [score for score in given if score.value is not None]
    lost = [score for score in given if score.is_lost or LOST_PARTS in (score.evidence or {})]
    if not scored:
        return next((score for score in lost if score.is_lost), repeats[0])
    values = [cast(float, score.value) for score in scored]
    # The mean of equal values is exactly that value, without the rounding error of a sum.
    mean = values[0] if len(set(values)) == 1 else sum(values) / len(values)
    spread = (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5
    by_repeat = [
        score.value if score and score.value is not None else score and score.reason
        for score in repeats
    ]
    evidences = [score.evidence or {} for score in scored]
    evidence = {**evidences[0], "repeats": by_repeat, "spread": spread}
    if any(each.get("needs_review") for each in evidences):
        evidence["needs_review"] = True
    if lost:
        evidence[LOST_PARTS] = evidence.get(LOST_PARTS, [f"{len(lost)} of {len(repeats)} repeats"])
    if "grade" in evidence and len(set(values)) > 1:  # the grade of the first repeat only
        evidence["grades"] = [each.get("grade") for each in evidences]
        del evidence["grade"]
    return Score(mean, evidence=evidence)


DISPUTE = 0.5
"""Judges whose values differ by at least this much disagree on the row."""


def with_disputes(plan: "Plan", scores: Sequence[Scores]) -> list[Scores]:
    """The scores; where judges disagree on a row, their scores are marked for review."""
    by_metric: dict[str, list[int]] = {}
    for place, metric in enumerate(plan.metrics):
        if "judge=" in metric.metric:
            by_metric.setdefault(without_judge(metric.metric), []).append(place)
    out = [list(column) for column in scores]
    for places in (places for places in by_metric.values() if len(places) > 1):
        labels = [Label.parse(plan.metrics[place].metric) for place in places]
        names = [str(label.settings.get("judge")) for label in labels]
        for row, given in enumerate(zip(*(scores[place] for place in places), strict=True)):
            values = [score.value for score in given if score and score.value is not None]
            if len(values) < 2 or max(values) - min(values) < DISPUTE:
                continue
            by_judge = {name: it and it.value for name, it in zip(names, given, strict=True)}
            marks: dict[str, object] = {"needs_review": True, "judges": by_judge}
            for place, score in zip(places, given, strict=True):
                if score and score.value is not None:
                    out[place][row] = replace(score, evidence={**(score.evidence or {}), **marks})
    return out


def without_judge(metric: str) -> str:
    """A label without its judge and prompts: equal for the same metric scored by several judges."""
    return without_settings(metric, ("judge", PROMPTS)) if "judge=" in metric else metric
