"""What `ragauge judge-bias` says: what was measured, whether it is beyond chance, and what to do."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import NamedTuple

from ragauge.people.calibration_words import shown_estimate
from ragauge.people.judge_effects import JudgeBias
from ragauge.report.plain import counted, for_terminal, shortened
from ragauge.report.report import Items, Report, Table
from ragauge.stats.intervals import Estimate

UNSTEADY = 0.05
"""Chance of contradicting itself from which asking several times is advised."""
NAME_WIDTH = 28
HELD = {
    "label": "among answers with the same label",
    "correct": "with the offline metric `correct` held constant, since there are no labels",
}
ADVICE = {
    "self-consistency": "run with --repeat 3 or more: scores are then means, and the interval holds the rest",
    "order of contexts": "keep the retriever's order the same for all systems, show the judge fewer contexts, "
    "or average runs with both orders",
    "answer length": "compare systems whose answers are of similar length, or correct their rates with "
    "labels (ragauge calibrate)",
    "order of answers": "compare each pair in both orders and count a change as a tie",
}
"""What is measured, and what to do about it."""
HEADER = ("what", "of", "measured", "n", "finding")


class Effect(NamedTuple):
    """What was measured of which metric or judge, and what it means; `is_problem` if it is beyond chance."""

    what: str
    of: str
    value: str
    n: int
    finding: str
    is_problem: bool


def judge_bias_report(found: JudgeBias) -> Report:
    """What was measured and what to do; in JSON every figure with its interval."""
    effects = list(_effects(found))
    measured = {effect.what for effect in effects}
    missing = [what for what in ADVICE if what not in measured]
    unmeasured = f" Not measured: {', '.join(missing)}." if missing else ""
    problems = list(dict.fromkeys(effect.what for effect in effects if effect.is_problem))
    headline = f"The judge is not neutral here: {', '.join(problems)}.{unmeasured}"
    if not problems:
        headline = f"No bias beyond chance was found on these answers.{unmeasured}"
    if not effects:
        headline = "Nothing could be measured."
    advice = [f"{what}: {ADVICE[what]}" for what in problems]
    rows = [
        (each.what, _short(each.of), each.value, f"{each.n:,}", each.finding) for each in effects
    ]
    held = {effect.held for effect in found.lengths if effect.correlation is not None}
    how = [f"answer length: {HELD.get(name, name)}" for name in sorted(held)]
    why_not = [
        f"answer length, {_short(effect.metric)}: {effect.why_not}"
        for effect in found.lengths
        if effect.why_not
    ]
    n_answers, n_questions = (
        counted(found.n_answers, "answer"),
        counted(found.n_questions, "question"),
    )
    return Report(
        headline,
        f"{n_answers} to {n_questions}",
        tables=(Table(HEADER, rows, n_names=3, wraps=True),) if rows else (),
        notes=(*how, *why_not, *found.notes),
        items=(Items.of_texts("what to do", advice),) if advice else (),
        data=lambda: {"headline": headline, **asdict(found), "what_to_do": advice},
    )


def _effects(found: JudgeBias) -> Iterator[Effect]:
    for each in found.consistency:
        if each.flips is not None:
            is_steady = each.flips.value < UNSTEADY
            value, finding = f"{shown_estimate(each.flips)} flips", "contradicts itself"
            finding = "steady" if is_steady else finding
            yield Effect("self-consistency", each.metric, value, each.n, finding, not is_steady)
    for each in found.contexts:
        if each.difference is not None:
            value = f"{shown_estimate(each.difference)} reversed"
            moves = _sign(each.difference) != 0
            flips = each.excess is not None and _sign(each.excess) > 0
            finding = "scores move" if moves else "verdicts move" if flips else "no effect shown"
            yield Effect("order of contexts", each.metric, value, each.n, finding, moves or flips)
    for each in found.lengths:
        if each.correlation is not None:
            value, sign = f"{shown_estimate(each.correlation)} rank corr.", _sign(each.correlation)
            finding = {1: "longer scores higher", -1: "shorter scores higher", 0: "no effect shown"}
            yield Effect("answer length", each.metric, value, each.n, finding[sign], sign != 0)
    for each in found.answers:
        if each.first is not None and each.changed is not None:
            value, sign = f"{shown_estimate(each.first)} first wins", _sign(each.first, 0.5)
            finding = {1: "prefers the first", -1: "prefers the second", 0: "no preference shown"}
            text = f"{finding[sign]}; {each.changed.value:.0%} change"
            yield Effect("order of answers", each.judge, value, each.n, text, sign != 0)


def _short(name: str) -> str:
    return shortened(for_terminal(name), NAME_WIDTH)


def _sign(estimate: Estimate, middle: float = 0.0) -> int:
    """1 if the interval is above the middle, -1 if it is below, 0 if it holds it."""
    if estimate.low is None or estimate.high is None:
        return 0
    return 1 if estimate.low > middle else -1 if estimate.high < middle else 0
