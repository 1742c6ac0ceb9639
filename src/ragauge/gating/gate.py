"""The gate: whether a run keeps the rules that a build has to pass. A number without a value fails."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from typing import Literal, cast

from ragauge import catalog
from ragauge.comparing.mismatches import other_precisions, other_versions
from ragauge.errors import LabelError, PlanError, did_you_mean
from ragauge.gating.rules import COUNTS, MEAN, SPREAD, Operand, Rule, out_of_reach
from ragauge.gating.slices import IDS_KEPT, Baseline, Slice, number_of
from ragauge.label import Label
from ragauge.runs.manifest import MetricDisplay, aggregate_problem
from ragauge.runs.scored_run import ScoredRun
from ragauge.score import Status
from ragauge.where import Filter, Relation

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
                raise PlanError(f"rule {rule.text!r:.200} compares {name} with itself")
        slices = [self._slice(each.where) for each in rule.operands if each.names_systems]
        present = {system for each in slices for system in each.samples.systems}
        # If no system is in the slices, the rule fails for each.
        for system in [system for system in systems if system in present] or systems:
            yield self._verdict(rule, system)

    def _verdict(self, rule: Rule, system: str | None) -> Verdict:
        readings = tuple(Reading(each.text, *self._number(each, system)) for each in rule.operands)
        values = {each.operand: each.value for each in readings if each.value is not None}
        absent = [
            f"{each.operand} has no value: {each.reason}" for each in readings if each.value is None
        ]
        if not absent and rule.holds(values):
            return Verdict(rule.text, system, True, readings)
        reason = ", ".join(f"{operand} is {value:.6g}" for operand, value in values.items())
        reason, shortfall = ("; ".join(absent), inf) if absent else (reason, rule.shortfall(values))
        ids: tuple[str, ...] = ()
        if system is not None:
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
        totals = [each.where for each in operands if each.where and not each.statistic]
        slices: dict[str, Filter | None] = {"": None, **{where.text: where for where in totals}}
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
        metrics, name = self.run.metrics, operand.name
        found = [metric for metric in metrics if name in (metric.name, metric.metric)]
        if not found and (wanted := _canonical(name)):
            found = [metric for metric in metrics if _canonical(metric.metric) == wanted]
        if found:
            return found[0]
        names = [metric.name for metric in metrics]
        hint = did_you_mean(name, names) or f"; it has {', '.join(names)}"
        raise PlanError(f"the run has no metric {name!r}{hint}")

    def _number(self, operand: Operand, system: str | None) -> tuple[float | None, str]:
        """The value of an operand, and why it has none."""
        rows, statistic, name = self._slice(operand.where), operand.statistic, operand.name
        if operand.where is not None and not len(rows.samples):
            return None, "no row matches its filter"
        if statistic is None and name in COUNTS:
            return rows.count(name), ""
        if statistic is None:  # what the judges of the run cost
            judging = cast("Mapping[str, Mapping[str, float | None]]", self.run.manifest.judging)
            if not judging and any(metric.metric == name for metric in self.run.metrics):
                return None, f"no judge was asked; of the answers it is {name}.mean or {name}.sum"
            costs = [usage.get(name) if usage.get("calls") else 0.0 for usage in judging.values()]
            if None in costs:
                return None, "the price of a judge is unknown; give it with --price"
            return float(sum(cost or 0.0 for cost in costs)), ""
        metric = self.metric(operand)
        if operand.is_change and self.baseline is not None and system is not None:
            return self.baseline.value(metric, system, operand.where, statistic)
        found = rows.summary.get((metric.metric, system or ""))
        if found is None:
            return None, metric.unavailable or "no row of the system has a score"
        if statistic in SPREAD:
            value = rows.spread(metric.metric, system or "", statistic)
        else:
            value = number_of(found, statistic)
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


def _canonical(label: str) -> str:
    """The label with its settings in the metric's order, without those that a run fills in; "" if it is none."""
    try:
        metric, settings = catalog.find(Label.parse(label))
    except LabelError:
        return ""
    own = {name: value for name, value in settings.items() if name not in FILLED_IN}
    return str(metric.label({**metric.defaults, **own}))


DropJudgedOn = Literal["point", "bound"]


@dataclass(frozen=True)
class Gate:
    """The verdicts of all rules; a gate without a verdict does not pass. `failures` are sorted, the worst first.

    >>> import ragauge as rg
    >>> run = rg.evaluate([{"id": "q1", "answer": "Rome", "reference": "Paris"}], "exact_match")
    >>> gate = run.gate(["exact_match >= 0.5", "failed <= 0"])
    >>> gate.passed, [verdict.passed for verdict in gate.verdicts]
    (False, [False, True])
    """

    verdicts: tuple[Verdict, ...]
    run: str = ""
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return bool(self.verdicts) and not self.failures

    @cached_property
    def failures(self) -> tuple[Verdict, ...]:
        failed = [verdict for verdict in self.verdicts if not verdict.passed]
        return tuple(sorted(failed, key=lambda verdict: -verdict.shortfall))

    def __str__(self) -> str:
        """The checks, as `ragauge gate` prints them."""
        from ragauge.gating.words import gate_lines

        return "\n".join(gate_lines(self))


def gate(
    run: ScoredRun,
    rules: Sequence[str | Rule] | str = (),
    *,
    baseline: ScoredRun | str | None = None,
    max_drop: Mapping[str, float] | float | None = None,
    on: DropJudgedOn = "point",
    allow_lost: int = 0,
    allow_mismatch: bool = False,
    systems: Sequence[str] = (),
) -> Gate:
    """Check rules, or a single one, for each system of a run, or for some.

    A rule about totals of the run only, such as `failed <= 0`, is checked once. `baseline` is a run, or a
    system of this run; rules may then use `drop`, `drop_low`, `drop_high` and `p_value` of a metric.
    `max_drop` limits the drop of metrics by name, or of all that rank systems: the drop itself
    (`on="point"`), or the upper end of its 95 % interval (`on="bound"`).

    Where a metric has no value or no row is in a slice, the rule fails; a drop has no value if more than
    `allow_lost` questions that the baseline scored are failed, missing or gone now (undefined and skipped ones
    are only left out). A system of which no row has a score by the metrics that the rules name, or by any if
    they name none, fails too. Raises FilterError or PlanError for a rule that does not parse, that names an
    unknown metric, field or system, or whose limit is outside the metric's range, and as `compare` does for a
    baseline of other data or metrics, unless `allow_mismatch`.

    With `max_drop`, a system or a metric of the baseline that the run no longer has fails too. One number for
    all metrics skips those without a value on both sides; these, and what the baseline does not have, are
    named in `notes`.
    """
    given = [rules] if isinstance(rules, str) else rules
    parsed = [rule if isinstance(rule, Rule) else Rule.parse(rule) for rule in given]
    compared = None
    if baseline is not None:
        compared = Baseline.of(run, baseline, allow_lost, allow_mismatch=allow_mismatch)
    drops = max_drop if isinstance(max_drop, Mapping) else {"": max_drop}
    drops = {name: drop for name, drop in drops.items() if drop is not None}
    statistic = "drop" if on == "point" else "drop_high"
    parsed += [_drop_rule(name, statistic, drop) for name, drop in drops.items() if name]
    of_all: list[Rule] = []
    notes: list[str] = []
    if "" in drops:
        ranked = [metric for metric in run.metrics if metric.is_ranked]
        new: list[str] = []
        if compared is not None:
            scored = compared.scored
            ranked = [each for each in ranked if not each.unavailable or each.name in scored]
            known = {metric.name for metric in compared.base.metrics}
            new = [metric.name for metric in ranked if metric.name not in known]
        old = [metric.name for metric in ranked if metric.name not in (*new, *drops)]
        of_all = [_drop_rule(name, statistic, drops[""]) for name in old]
        if new:
            notes.append(f"not in the baseline, so not checked for a drop: {', '.join(new)}")
    problems: list[str] = []
    if not parsed and not of_all:
        problems.append("a gate needs a rule, such as 'correct >= 0.8'; give it with --rule")
    if on not in ("point", "bound"):
        problems.append(f"on is {on!r}; it takes point or bound")
    known = run.samples.systems
    for system in (system for system in systems if system not in known):
        hint = did_you_mean(system, known) or f"; it has {', '.join(known)}"
        problems.append(f"the run has no system {system!r}{hint}")
    problems += [
        f"rule {rule.text!r:.200} needs a baseline; give it with --baseline"
        for rule in (*parsed, *of_all)
        if rule.needs_baseline and compared is None
    ]
    if problems:
        raise PlanError(problems)
    checking = Checking(run, tuple(systems) or run.samples.systems, compared)
    verdicts = [verdict for rule in parsed for verdict in checking.verdicts(rule)]
    if compared is None:
        verdicts += checking.unscored(parsed, verdicts)
    else:
        found, skipped = checking.drops_of_all(of_all, compared)
        verdicts += found
        verdicts += checking.unscored(parsed, verdicts)
        runs = [compared.base, run]
        notes += [*skipped, *compared.notes, *other_precisions(runs), *other_versions(runs)]
        if max_drop is not None:
            verdicts += _vanished(compared, of_systems=not systems, of_metrics="" in drops)
    return Gate(tuple(verdicts), run.place or "", tuple(notes))


def _drop_rule(name: str, statistic: str, drop: float) -> Rule:
    """The rule that limits the drop of a metric."""
    if not 0 <= drop < inf:
        raise PlanError(f"the largest drop of {name} is {drop!r}; give a number of at least 0")
    text = f"{name}.{statistic}"
    operand = Operand(text, name, statistic)
    return Rule(f"{text} <= {drop:g}", Relation(text, "<=", drop), (operand,))


def _vanished(baseline: Baseline, *, of_systems: bool, of_metrics: bool) -> Iterator[Verdict]:
    """A failed verdict for each system and metric that only the baseline has."""
    run, base, text = baseline.run, baseline.base, "the baseline has {}, and the run does not"
    is_renamed = baseline.system is not None or len(base.samples.systems) == 1
    for system in base.samples.systems if of_systems and not is_renamed else ():
        if system not in run.samples.systems:
            yield without_value("systems of the baseline", system, text.format("this system"))
    known = {metric.name for metric in run.metrics}
    for metric in base.metrics if of_metrics else ():
        if metric.is_ranked and metric.name in baseline.scored and metric.name not in known:
            reason = text.format(f"the metric {metric.name}")
            yield without_value("metrics of the baseline", None, reason)
