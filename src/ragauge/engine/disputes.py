"""Disputes: rows on which several judges of the same metric disagree are marked for review."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ragauge.engine.cells import Scores
from ragauge.errors import LabelError
from ragauge.label import Label
from ragauge.metric import PROMPTS
from ragauge.score import Score

if TYPE_CHECKING:
    from ragauge.engine.graph import Plan

DISPUTE = 0.5
"""Judges whose values differ by at least this much disagree on the row."""


def with_disputes(plan: "Plan", scores: Sequence[Scores]) -> list[Scores]:
    """The scores; where judges disagree on a row, their scores are marked for review."""
    by_metric: dict[str, list[int]] = {}
    for place, metric in enumerate(plan.metrics):
        if "judge=" in metric.metric:
            by_metric.setdefault(without_judge(metric.metric), []).append(place)
    out = list(scores)
    for places in (places for places in by_metric.values() if len(places) > 1):
        names = [
            str(Label.parse(plan.metrics[place].metric).settings.get("judge")) for place in places
        ]
        rows = [
            _with_dispute(row, names) for row in zip(*(scores[at] for at in places), strict=True)
        ]
        for place, column in zip(places, zip(*rows, strict=True), strict=True):
            out[place] = list(column)
    return out


def without_judge(metric: str) -> str:
    """A label without its judge and prompts: equal for the same metric scored by several judges."""
    if "judge=" not in metric:
        return metric
    try:
        label = Label.parse(metric)
    except LabelError:  # a judge's name may make the label longer than allowed
        return metric
    kept = {name: value for name, value in label.settings.items() if name not in ("judge", PROMPTS)}
    return str(Label(label.name, kept))


def _with_dispute(row: Sequence[Score | None], names: Sequence[str]) -> Sequence[Score | None]:
    values = [score.value for score in row if score is not None and score.value is not None]
    if len(values) < 2 or max(values) - min(values) < DISPUTE:
        return row
    by_judge = {name: score and score.value for name, score in zip(names, row, strict=True)}
    marks = {"needs_review": True, "judges": by_judge}
    return [
        score
        if score is None or score.value is None
        else replace(score, evidence={**(score.evidence or {}), **marks})
        for score in row
    ]
