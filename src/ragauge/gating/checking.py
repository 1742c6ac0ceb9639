"""The verdicts of rules on a run: what each operand reads, and the rule that then holds or not."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import cast

from ragauge import catalog
from ragauge.errors import LabelError, PlanError, did_you_mean
from ragauge.gating.baseline import Baseline
from ragauge.gating.rules import COUNTS, MEAN, SPREAD, Operand, Rule, out_of_reach
from ragauge.gating.slices import IDS_KEPT, Slice, number_of
from ragauge.label import Label
from ragauge.runs.aggregates import aggregate_problem
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.scored_run import ScoredRun
from ragauge.score import Status
from ragauge.where import Filter

OF_SCORED = (MEAN, "low", "high", "lowest", "highest", *SPREAD)
"""The statistics that rows without a score do not enter."""
FILLED_IN = ("model", "judge", "prompts", "parts", "layer")
"""Settings that a run fills into labels."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The value of one operand of a rule; None if it has none, and why."""

    operand: str
    value: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a rule holds for a system; `system` is None if it is about the whole run.

    `reason` says why it fails. `ids` are the questions that lower the number most, the worst first.
    `shortfall` is how far its numbers miss the rule, relative to the limit: 0 if it holds, infinite if a
    number has no value.
    """

    rule: str
    system: str | None
    passed: bool
    readings: tuple[Reading, ...]
    reason: str = ""
    ids: tuple[str, ...] = ()
    shortfall: float = 0.0


def without_value(rule: str, system: str | None, reason: str) -> Verdict:
    """The verdict where there is no number at all."""
    return Verdict(rule, system, False, (), reason, shortfall=inf)


@dataclass(frozen=True)
class Checking:
    """Checks rules for systems of one run."""

    run: ScoredRun
    systems: Sequence[str]
    baseline: Baseline | None
    _slices: dict[str | None, Slice] = field(default_factory=dict["str | None", Slice])

    def verdicts(self, rule: Rule) -> Iterator[Verdict]:
        """A verdict for the run if the rule is about totals only; else for each system in its slices.

        The baseline is not compared with itself.
        """
        metrics = {each.text: self.metric(each) for each in rule.operands if each.statistic}
        problems = [
            f"rule {rule.text!r:.200}: {problem}"
            for operand, limit in rule.limits
            if operand.text in metrics
            if (problem := out_of_reach(operand, limit, metrics[operand.text]))
        ]
        if problems:
            raise PlanError(problems)
        systems: list[str | None] = [*self.systems] if metrics else [None]
        if rule.needs_baseline and self.baseline is not None:
            systems = [system for system in systems if system != self.baseline.system]
            if not systems:
                name = self.baseline.system
                raise PlanError([f"rule {rule.text!r:.200} compares {name} with itself"])
        slices = [self._slice(each.where) for each in rule.operands if each.names_systems]
        present = {system for each in slices for system in each.samples.systems}
        # If no system is in the slices, the rule fails for each.
        for system in [system for system in systems if system in present] or systems:
            yield self._verdict(rule, system)

    def _verdict(self, rule: Rule, system: str | None) -> Verdict:
        readings = tuple(
            Reading(operand.text, *self._number(operand, system)) for operand in rule.operands
        )
        values = {each.operand: each.value for each in readings if each.value is not None}
        if len(values) < len(readings):
            absent = [each for each in readings if each.value is None]
            reason = "; ".join(f"{each.operand} has no value: {each.reason}" for each in absent)
            shortfall = inf
        elif rule.holds(values):
            return Verdict(rule.text, system, True, readings)
        else:
            reason = ", ".join(f"{operand} is {value:.6g}" for operand, value in values.items())
            shortfall = rule.shortfall(values)
        if system is None:
            return Verdict(rule.text, system, False, readings, reason, (), shortfall)
        first = next(operand for operand in rule.operands if operand.statistic is not None)
        metric, where = self.metric(first), first.where
        if first.is_change and self.baseline is not None:
            ids = self.baseline.broken(metric, system, where)[:IDS_KEPT]
        else:
            # Rows without a score do not lower a mean that there is.
            only_scored = first.text in values and first.statistic in OF_SCORED
            ids = self._slice(where).worst_ids(metric, system, only_scored=only_scored)
        return Verdict(rule.text, system, False, readings, reason, ids, shortfall)

    def drops_of_all(
        self, rules: Sequence[Rule], baseline: Baseline
    ) -> tuple[list[Verdict], list[str]]:
        """The verdicts on the metrics that have a value on both sides, and notes that name the others."""
        kept: list[Verdict] = []
        skipped: dict[str, list[str]] = {}
        for rule in rules:
            metric = self.metric(rule.operands[0])
            for verdict in self.verdicts(rule):
                assert verdict.system is not None
                row = baseline.row(metric, verdict.system, None)
                if not isinstance(row, str) and (row.n or row.counts.lost > baseline.allow_lost):
                    kept.append(verdict)
                else:
                    skipped.setdefault(verdict.system, []).append(metric.name)
        reason = "no metric has a value in the run and in the baseline"
        known = {verdict.system for verdict in kept}
        kept += [without_value("drops", name, reason) for name in skipped if name not in known]
        return kept, [
            f"without a value on both sides, so not checked for a drop: {', '.join(names)} ({system})"
            for system, names in skipped.items()
        ]

    def unscored(self, rules: Sequence[Rule], verdicts: Sequence[Verdict]) -> Iterator[Verdict]:
        """A failed verdict for each system of which no row has a score, if none says so already.

        By the metrics that rules name, or by any; for a total of a slice, in that slice.
        """
        operands = [operand for rule in rules for operand in rule.operands]
        named = {self.metric(operand).metric for operand in operands if operand.statistic}
        slices: dict[str, Filter | None] = {"": None}
        slices |= {each.where.text: each.where for each in operands if each.where and not each.statistic}  # fmt: skip
        known = {verdict.system for verdict in verdicts if verdict.shortfall == inf}
        for text, where in slices.items():
            rows = self._slice(where)
            scored = {
                system
                for (metric, system), row in rows.summary.items()
                if row["ok"] and (where or not named or metric in named)
            }
            for system in rows.samples.systems:
                if system in self.systems and system not in known | scored:
                    known.add(system)
                    rule = f"scores[{text}]" if where else "scores"
                    yield without_value(rule, system, "no row has a score")

    def _slice(self, where: Filter | None) -> Slice:
        key = where.text if where else None
        if key not in self._slices:
            self._slices[key] = Slice.of(self.run, where)
        return self._slices[key]

    def metric(self, operand: Operand) -> MetricDisplay:
        """The metric that an operand names: by its shown name, or by its label without the run's model."""
        metrics = self.run.metrics
        for metric in metrics:
            if operand.name in (metric.name, metric.metric):
                return metric
        if wanted := _canonical(operand.name):
            for metric in metrics:
                if _canonical(metric.metric) == wanted:
                    return metric
        names = [metric.name for metric in metrics]
        hint = did_you_mean(operand.name, names) or f"; it has {', '.join(names)}"
        raise PlanError([f"the run has no metric {operand.name!r}{hint}"])

    def _number(self, operand: Operand, system: str | None) -> tuple[float | None, str]:
        """The value of an operand, and why it has none."""
        rows, statistic = self._slice(operand.where), operand.statistic
        if operand.where is not None and not len(rows.samples):
            return None, "no row matches its filter"
        if statistic is None:
            return self._total(operand.name, rows)
        metric = self.metric(operand)
        if operand.is_change and self.baseline is not None and system is not None:
            return self.baseline.value(metric, system, operand.where, statistic)
        found = rows.summary.get((metric.metric, system or ""))
        if found is None:
            return None, metric.unavailable or "no row of the system has a score"
        is_spread = statistic in SPREAD
        value = (
            rows.spread(metric.metric, system or "", statistic)
            if is_spread
            else number_of(found, statistic)
        )
        if value is not None:
            return value, ""
        if problem := metric.unavailable or aggregate_problem(metric):
            return None, problem
        if found["mean"] is None:
            counts = [f"{found[str(status)]} {status}" for status in Status if found[str(status)]]
            return None, f"no row has a score ({', '.join(counts)})"
        if statistic in ("low", "high"):
            return None, "an interval needs two questions"
        return None, f"{metric.name} has no bounds" if statistic != MEAN else "it is not a number"

    def _total(self, name: str, rows: Slice) -> tuple[float | None, str]:
        """A count of the rows, or what the judges of the run cost."""
        if name in COUNTS:
            return rows.count(name), ""
        judging = cast("Mapping[str, Mapping[str, float | None]]", self.run.manifest.judging)
        values = [usage.get(name) if usage.get("calls") else 0.0 for usage in judging.values()]
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            return None, "the price of a judge is unknown; give it with --price"
        return float(sum(known)), ""


def _canonical(label: str) -> str:
    """The label with its settings in the metric's order, without those that a run fills in; "" if it is none."""
    try:
        metric, settings = catalog.find(Label.parse(label))
    except LabelError:
        return ""
    own = {name: value for name, value in settings.items() if name not in FILLED_IN}
    return str(metric.label({**metric.defaults, **own}))
