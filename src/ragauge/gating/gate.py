"""The gate: whether a run keeps the rules that a build has to pass. A number without a value fails."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Literal, cast

from ragauge import catalog
from ragauge.comparing.mismatches import other_precisions, other_versions
from ragauge.errors import LabelError, PlanError, did_you_mean
from ragauge.gating.baseline import Baseline
from ragauge.gating.limits import out_of_reach
from ragauge.gating.rules import COUNTS, MEAN, SPREAD, Operand, Rule, number_of
from ragauge.gating.slices import IDS_KEPT, Slice
from ragauge.label import Label
from ragauge.runs.aggregates import aggregate_problem
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.scored_run import ScoredRun
from ragauge.score import Status
from ragauge.where import Comparison, Filter

DropJudgedOn = Literal["point", "bound"]
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
        compared = Baseline(run, baseline, allow_lost, allow_mismatch=allow_mismatch)
    drops, of_all, notes = _drop_rules(run, compared, max_drop, on)
    parsed += drops
    _check_arguments(run, [*parsed, *of_all], baseline, systems, on)
    checking = _Checking(run, tuple(systems) or run.samples.systems, compared)
    verdicts = [verdict for rule in parsed for verdict in checking.verdicts(rule)]
    if of_all and compared is not None:
        found, skipped = checking.drops_of_all(of_all, compared)
        verdicts, notes = verdicts + found, (*notes, *skipped)
    verdicts += checking.unscored(parsed, verdicts)
    if compared is not None:
        runs = [compared.base, run]
        notes = (*notes, *compared.notes, *other_precisions(runs), *other_versions(runs))
    if compared is not None and max_drop is not None:
        verdicts += _vanished(compared, max_drop, systems)
    return Gate(tuple(verdicts), run.place or "", notes)


def _vanished(
    baseline: Baseline, max_drop: Mapping[str, float] | float, systems: Sequence[str]
) -> Iterator[Verdict]:
    """A failed verdict for each system and metric that only the baseline has."""
    absent = () if systems else baseline.absent_systems()
    for system in absent:
        reason = "the baseline has this system, and the run does not"
        yield Verdict("systems of the baseline", system, False, (), reason, shortfall=inf)
    if not isinstance(max_drop, Mapping) or "" in max_drop:
        for metric in baseline.absent_metrics():
            reason = f"the baseline has the metric {metric}, and the run does not"
            yield Verdict("metrics of the baseline", None, False, (), reason, shortfall=inf)


def _check_arguments(
    run: ScoredRun,
    rules: Sequence[Rule],
    baseline: ScoredRun | str | None,
    systems: Sequence[str],
    on: str,
) -> None:
    problems: list[str] = []
    if not rules:
        problems.append("a gate needs a rule, such as 'correct >= 0.8'; give it with --rule")
    if on not in ("point", "bound"):
        problems.append(f"on is {on!r}; it takes point or bound")
    known = run.samples.systems
    has = f"; it has {', '.join(known)}"
    problems += [
        f"the run has no system {system!r}{did_you_mean(system, known) or has}"
        for system in systems
        if system not in known
    ]
    problems += [
        f"rule {rule.text!r:.200} needs a baseline; give it with --baseline"
        for rule in rules
        if rule.needs_baseline and baseline is None
    ]
    if problems:
        raise PlanError(problems)


def _drop_rules(
    run: ScoredRun,
    baseline: Baseline | None,
    max_drop: Mapping[str, float] | float | None,
    on: DropJudgedOn,
) -> tuple[list[Rule], list[Rule], tuple[str, ...]]:
    """The rules that `max_drop` means, of metrics that it names and of all others; notes on metrics that the
    baseline does not have."""
    if max_drop is None:
        return [], [], ()
    by_metric = max_drop if isinstance(max_drop, Mapping) else {"": max_drop}
    statistic = "drop" if on == "point" else "drop_high"
    named = {name: drop for name, drop in by_metric.items() if name}
    new: list[str] = []
    others: dict[str, float] = {}
    if "" in by_metric:
        ranked = [metric for metric in run.metrics if metric.is_ranked]
        if baseline is not None:
            scored = baseline.scored
            ranked = [
                metric for metric in ranked if not metric.unavailable or metric.name in scored
            ]
            new = [metric.name for metric in ranked if not baseline.has(metric)]
        old = [metric.name for metric in ranked if metric.name not in (*new, *named)]
        others = dict.fromkeys(old, by_metric[""])
    notes = (f"not in the baseline, so not checked for a drop: {', '.join(new)}",) if new else ()
    return _drop_limits(named, statistic), _drop_limits(others, statistic), notes


def _drop_limits(drops: Mapping[str, float], statistic: str) -> list[Rule]:
    """A rule for the largest drop of each metric."""
    rules: list[Rule] = []
    for name, drop in drops.items():
        if not 0 <= drop < float("inf"):
            raise PlanError(
                [f"the largest drop of {name} is {drop!r}; give a number of at least 0"]
            )
        operand = Operand(f"{name}.{statistic}", name, statistic)
        condition = Comparison(operand.text, "<=", drop)
        rules.append(Rule(f"{operand.text} <= {drop:g}", condition, (operand,)))
    return rules


class _Checking:
    """Reads the operands of rules from one run."""

    def __init__(self, run: ScoredRun, systems: Sequence[str], baseline: Baseline | None) -> None:
        self.run = run
        self.systems = systems
        self.baseline = baseline
        self._slices: dict[str | None, Slice] = {}

    def verdicts(self, rule: Rule) -> Iterator[Verdict]:
        for operand in rule.operands:
            if operand.statistic is not None:
                self.metric(operand)
        problems = [
            f"rule {rule.text!r:.200}: {problem}"
            for operand, limit in rule.limits
            if operand.statistic is not None
            if (problem := out_of_reach(operand, limit, self.metric(operand)))
        ]
        if problems:
            raise PlanError(problems)
        if all(operand.statistic is None for operand in rule.operands):
            yield self._verdict(rule, None)
            return
        for system in self._systems(rule):
            yield self._verdict(rule, system)

    def drops_of_all(
        self, rules: Sequence[Rule], baseline: Baseline
    ) -> tuple[list[Verdict], tuple[str, ...]]:
        """The verdicts on the metrics that have a value on both sides, and a note that names the others."""
        kept: list[Verdict] = []
        skipped: dict[str, list[str]] = {}
        for rule in rules:
            metric = self.metric(rule.operands[0])
            for verdict in self.verdicts(rule):
                if verdict.system is None or baseline.compares(metric, verdict.system):
                    kept.append(verdict)
                else:
                    skipped.setdefault(verdict.system, []).append(metric.name)
        for system in skipped:
            if all(verdict.system != system for verdict in kept):
                reason = "no metric has a value in the run and in the baseline"
                kept.append(Verdict("drops", system, False, (), reason, shortfall=inf))
        notes = [
            f"without a value on both sides, so not checked for a drop: {', '.join(names)} ({system})"
            for system, names in skipped.items()
        ]
        return kept, tuple(notes)

    def unscored(self, rules: Sequence[Rule], verdicts: Sequence[Verdict]) -> Iterator[Verdict]:
        """A failed verdict for each system of which no row has a score, if none says so already.

        By the metrics that rules name, or by any; for a total of a slice, in that slice.
        """
        named = {
            self.metric(operand).metric
            for rule in rules
            for operand in rule.operands
            if operand.statistic
        }
        totals = [
            operand.where
            for rule in rules
            for operand in rule.operands
            if operand.statistic is None
        ]
        said = {verdict.system for verdict in verdicts if verdict.shortfall == inf}
        for where in {where.text if where else "": where for where in (None, *totals)}.values():
            rows = self._slice(where)
            for system in rows.samples.systems:
                scores = [
                    row["ok"]
                    for (metric, of), row in rows.summary.items()
                    if of == system and (where or not named or metric in named)
                ]
                if system in self.systems and system not in said and not any(scores):
                    said.add(system)
                    rule = f"scores[{where.text}]" if where else "scores"
                    reason = "no row has a score"
                    yield Verdict(rule, system, False, (), reason, shortfall=inf)

    def _systems(self, rule: Rule) -> Sequence[str]:
        """The systems that the rule is about: those that its slices choose, or all.

        The baseline is not compared with itself.
        """
        systems = list(self.systems)
        if rule.needs_baseline and self.baseline is not None:
            systems = [system for system in systems if system != self.baseline.system]
            if not systems:
                raise PlanError(
                    [f"rule {rule.text!r:.200} compares {self.baseline.system} with itself"]
                )
        named = [operand for operand in rule.operands if operand.names_systems]
        present = {
            system for operand in named for system in self._slice(operand.where).samples.systems
        }
        chosen = [system for system in systems if system in present]
        # If none is chosen, the rule fails for each.
        return chosen if named and chosen else systems

    def _verdict(self, rule: Rule, system: str | None) -> Verdict:
        readings = tuple(self._read(operand, system) for operand in rule.operands)
        absent = [reading for reading in readings if reading.value is None]
        if absent:
            reason = "; ".join(
                f"{reading.operand} has no value: {reading.reason}" for reading in absent
            )
            return Verdict(rule.text, system, False, readings, reason, self._ids(rule, system), inf)
        values = {
            reading.operand: reading.value for reading in readings if reading.value is not None
        }
        if rule.holds(values):
            return Verdict(rule.text, system, True, readings)
        reason = ", ".join(f"{operand} is {value:.6g}" for operand, value in values.items())
        ids, shortfall = self._ids(rule, system), rule.shortfall(values)
        return Verdict(rule.text, system, False, readings, reason, ids, shortfall)

    def _ids(self, rule: Rule, system: str | None) -> tuple[str, ...]:
        if system is None:
            return ()
        first = next(operand for operand in rule.operands if operand.statistic is not None)
        metric = self.metric(first)
        if first.is_change and self.baseline is not None:
            return self.baseline.broken(metric, system, first.where)[:IDS_KEPT]
        rows = self._slice(first.where)
        # Rows without a score do not lower a mean that there is.
        has_value = self._read(first, system).value is not None
        only_scored = has_value and first.statistic in OF_SCORED
        return rows.worst_ids(metric, system, only_scored=only_scored)

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

    def _read(self, operand: Operand, system: str | None) -> Reading:
        rows = self._slice(operand.where)
        if operand.where is not None and not len(rows.samples):
            return Reading(operand.text, None, "no row matches its filter")
        if operand.statistic is None:
            return self._total(operand, rows)
        metric = self.metric(operand)
        if operand.is_change and self.baseline is not None and system is not None:
            changed = self.baseline.value(metric, system, operand.where, operand.statistic)
            return Reading(operand.text, *changed)
        found = rows.summary.get((metric.metric, system or ""))
        if found is None:
            return Reading(
                operand.text, None, metric.unavailable or "no row of the system has a score"
            )
        if operand.statistic in SPREAD:
            value = rows.spread(metric.metric, system or "", operand.statistic)
        else:
            value = number_of(found, operand.statistic)
        reason = "" if value is not None else self._why(metric, operand, found)
        return Reading(operand.text, value, reason)

    def _total(self, operand: Operand, rows: Slice) -> Reading:
        if operand.name in COUNTS:
            return Reading(operand.text, rows.count(operand.name))
        usages = cast(
            "Mapping[str, Mapping[str, float | None]]", self.run.manifest.judging
        ).values()
        values = [usage.get(operand.name) if usage.get("calls") else 0.0 for usage in usages]
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            return Reading(
                operand.text, None, "the price of a judge is unknown; give it with --price"
            )
        return Reading(operand.text, float(sum(known)))

    def _why(self, metric: MetricDisplay, operand: Operand, row: Mapping[str, object]) -> str:
        """Why a statistic of the summary is null."""
        if problem := metric.unavailable or aggregate_problem(metric):
            return problem
        if row["mean"] is None:
            counts = [f"{row[str(status)]} {status}" for status in Status if row[str(status)]]
            return f"no row has a score ({', '.join(counts)})"
        if operand.statistic in ("low", "high"):
            return "an interval needs two questions"
        return f"{metric.name} has no bounds" if operand.statistic != MEAN else "it is not a number"


def _canonical(label: str) -> str:
    """The label with its settings in the metric's order, without those that a run fills in; "" if it is none."""
    try:
        metric, settings = catalog.find(Label.parse(label))
    except LabelError:
        return ""
    own = {name: value for name, value in settings.items() if name not in FILLED_IN}
    return str(metric.label({**metric.defaults, **own}))
