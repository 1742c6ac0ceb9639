"""The gate: whether a run keeps the rules that a build has to pass. A number without a value fails."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from ragauge.comparing.mismatches import other_precisions, other_versions
from ragauge.errors import PlanError, did_you_mean
from ragauge.gating.baseline import Baseline
from ragauge.gating.checking import Checking, Verdict, without_value
from ragauge.gating.rules import Operand, Rule
from ragauge.runs.scored_run import ScoredRun
from ragauge.where import Comparison

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
    drops = (
        {} if max_drop is None else max_drop if isinstance(max_drop, Mapping) else {"": max_drop}
    )
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
    if problems := list(_problems(run, [*parsed, *of_all], systems, on, compared)):
        raise PlanError(problems)
    checking = Checking(run, tuple(systems) or run.samples.systems, compared)
    verdicts = [verdict for rule in parsed for verdict in checking.verdicts(rule)]
    if compared is not None:
        found, skipped = checking.drops_of_all(of_all, compared)
        verdicts, notes = verdicts + found, notes + skipped
    verdicts += checking.unscored(parsed, verdicts)
    if compared is not None:
        runs = [compared.base, run]
        notes += [*compared.notes, *other_precisions(runs), *other_versions(runs)]
        if max_drop is not None:
            has_all_metrics = "" in drops
            verdicts += _vanished(compared, of_some=bool(systems), has_all_metrics=has_all_metrics)
    return Gate(tuple(verdicts), run.place or "", tuple(notes))


def _drop_rule(name: str, statistic: str, drop: float) -> Rule:
    """The rule that limits the drop of a metric."""
    if not 0 <= drop < float("inf"):
        raise PlanError([f"the largest drop of {name} is {drop!r}; give a number of at least 0"])
    operand = Operand(f"{name}.{statistic}", name, statistic)
    condition = Comparison(operand.text, "<=", drop)
    return Rule(f"{operand.text} <= {drop:g}", condition, (operand,))


def _problems(
    run: ScoredRun,
    rules: Sequence[Rule],
    systems: Sequence[str],
    on: str,
    baseline: Baseline | None,
) -> Iterator[str]:
    if not rules:
        yield "a gate needs a rule, such as 'correct >= 0.8'; give it with --rule"
    if on not in ("point", "bound"):
        yield f"on is {on!r}; it takes point or bound"
    known = run.samples.systems
    for system in systems:
        if system not in known:
            hint = did_you_mean(system, known) or f"; it has {', '.join(known)}"
            yield f"the run has no system {system!r}{hint}"
    for rule in rules:
        if rule.needs_baseline and baseline is None:
            yield f"rule {rule.text!r:.200} needs a baseline; give it with --baseline"


def _vanished(baseline: Baseline, *, of_some: bool, has_all_metrics: bool) -> Iterator[Verdict]:
    """A failed verdict for each system and metric that only the baseline has."""
    run, base = baseline.run, baseline.base
    is_renamed = baseline.system is not None or len(base.samples.systems) == 1
    for system in () if of_some or is_renamed else base.samples.systems:
        if system not in run.samples.systems:
            reason = "the baseline has this system, and the run does not"
            yield without_value("systems of the baseline", system, reason)
    known = {metric.name for metric in run.metrics}
    for metric in base.metrics if has_all_metrics else ():
        if metric.is_ranked and metric.name in baseline.scored and metric.name not in known:
            reason = f"the baseline has the metric {metric.name}, and the run does not"
            yield without_value("metrics of the baseline", None, reason)
