"""What `ragauge judge-bias` says: what was measured, whether it is beyond chance, and what to do."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from ragauge.people.calibration_words import shown_estimate
from ragauge.people.judge_effects import (
    AnswerOrder,
    Consistency,
    ContextOrder,
    JudgeBias,
    LengthEffect,
)
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


@dataclass(frozen=True, slots=True)
class Effect:
    """One line: what was measured of which metric or judge, the number, and what it means.

    `advice` is what to do about it; empty if there is nothing to do.
    """

    what: str
    of: str
    value: str
    n: int
    finding: str
    advice: str = ""


@dataclass(frozen=True)
class JudgeBiasScreen:
    """What people read about a judge's biases. Every text is plain; the writers escape it."""

    found: JudgeBias

    @property
    def headline(self) -> str:
        """What was found beyond chance, and what was not measured."""
        problems = [effect for effect in self.effects if effect.advice]
        if not self.effects:
            return "Nothing could be measured."
        if not problems:
            return f"No bias beyond chance was found on these answers.{self._unmeasured}"
        names = dict.fromkeys(effect.what for effect in problems)
        return f"The judge is not neutral here: {', '.join(names)}.{self._unmeasured}"

    @property
    def _unmeasured(self) -> str:
        """The effects without any number; the notes say why."""
        measured = {effect.what for effect in self.effects}
        missing = [what for what in ADVICE if what not in measured]
        return f" Not measured: {', '.join(missing)}." if missing else ""

    @property
    def title(self) -> str:
        questions = counted(self.found.n_questions, "question")
        return f"{counted(self.found.n_answers, 'answer')} to {questions}"

    @property
    def report(self) -> Report:
        """What was measured, and what to do; in JSON every figure with its interval."""
        rows = [
            (effect.what, effect.of, effect.value, f"{effect.n:,}", effect.finding)
            for effect in self.effects
        ]
        return Report(
            self.headline,
            self.title,
            tables=(Table(HEADER, rows, n_names=3, wraps=True),) if rows else (),
            notes=self.notes,
            items=(Items.of_texts("what to do", self.advice),) if self.advice else (),
            data=self._data,
        )

    def _data(self) -> dict[str, object]:
        found = asdict(self.found)
        return {"headline": self.headline, **found, "what_to_do": list(self.advice)}

    @property
    def effects(self) -> Sequence[Effect]:
        return tuple(self._effects())

    def _effects(self) -> Iterator[Effect]:
        yield from filter(None, map(_of_consistency, self.found.consistency))
        yield from filter(None, map(_of_contexts, self.found.contexts))
        yield from filter(None, map(_of_length, self.found.lengths))
        yield from filter(None, map(_of_answers, self.found.answers))

    @property
    def advice(self) -> Sequence[str]:
        """What to do, once for each kind of effect."""
        found = {effect.what: effect.advice for effect in self.effects if effect.advice}
        return tuple(f"{what}: {advice}" for what, advice in found.items())

    @property
    def notes(self) -> Sequence[str]:
        """What could not be measured, and why."""
        held = {effect.held for effect in self.found.lengths if effect.correlation is not None}
        how = [f"answer length: {HELD.get(name, name)}" for name in sorted(held)]
        unmeasured = [
            f"answer length, {_name(effect.metric)}: {effect.why_not}"
            for effect in self.found.lengths
            if effect.why_not
        ]
        return (*how, *unmeasured, *self.found.notes)


def _of_consistency(steady: Consistency) -> Effect | None:
    if steady.flips is None:
        return None
    is_steady = steady.flips.value < UNSTEADY
    return Effect(
        "self-consistency",
        _name(steady.metric),
        f"{shown_estimate(steady.flips)} flips",
        steady.n,
        "steady" if is_steady else "contradicts itself",
        "" if is_steady else ADVICE["self-consistency"],
    )


def _of_contexts(order: ContextOrder) -> Effect | None:
    if order.difference is None:
        return None
    moves = _is_beyond(order.difference)
    flips = order.excess is not None and _is_beyond(order.excess) > 0
    return Effect(
        "order of contexts",
        _name(order.metric),
        f"{shown_estimate(order.difference)} reversed",
        order.n,
        "scores move" if moves else "verdicts move" if flips else "no effect shown",
        ADVICE["order of contexts"] if moves or flips else "",
    )


def _of_length(effect: LengthEffect) -> Effect | None:
    if effect.correlation is None:
        return None
    sign = _is_beyond(effect.correlation)
    finding = {1: "longer scores higher", -1: "shorter scores higher", 0: "no effect shown"}
    return Effect(
        "answer length",
        _name(effect.metric),
        f"{shown_estimate(effect.correlation)} rank corr.",
        effect.n,
        finding[sign],
        ADVICE["answer length"] if sign else "",
    )


def _of_answers(pair: AnswerOrder) -> Effect | None:
    if pair.first is None or pair.changed is None:
        return None
    sign = _is_beyond(pair.first, 0.5)
    finding = {1: "prefers the first", -1: "prefers the second", 0: "no preference shown"}
    return Effect(
        "order of answers",
        _name(pair.judge),
        f"{shown_estimate(pair.first)} first wins",
        pair.n,
        f"{finding[sign]}; {pair.changed.value:.0%} change",
        ADVICE["order of answers"] if sign else "",
    )


def _name(name: str) -> str:
    return shortened(for_terminal(name), NAME_WIDTH)


def _is_beyond(estimate: "Estimate", middle: float = 0.0) -> int:
    """1 if the interval is above the middle, -1 if it is below, 0 if it holds it."""
    if estimate.low is None or estimate.high is None:
        return 0
    return 1 if estimate.low > middle else -1 if estimate.high < middle else 0
