"""What `ragauge run` prints about a plan and a run, and its exit code."""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from ragauge.cli.streams import say
from ragauge.engine.graph import Plan
from ragauge.errors import EncoderError, JudgeError
from ragauge.judges.config import JudgeConfig
from ragauge.report.plain import counted
from ragauge.runs.outcomes import Health, named_without_scores
from ragauge.runs.scored_run import ScoredRun
from ragauge.samples.samples import Samples

if TYPE_CHECKING:
    from ragauge.calls.budget import CostEstimate

INCOMPLETE = 4


def print_plan(plan: Plan, samples: Samples, missing: Mapping[str, str]) -> None:
    """Print the metrics of a plan; `missing` says of what the samples have no columns, by label."""
    from ragauge.report.terminal import console, print_table

    rows = [
        (metric.name, metric.metric, metric.unavailable or missing.get(metric.metric, "ready"))
        for metric in plan.metrics
    ]
    print_table(console(sys.stdout), ("name", "metric", "status"), rows)
    n_answers = counted(len(samples), "answer")
    click.echo(f"{n_answers} of {counted(len(samples.systems), 'system')}")


def print_estimate(estimates: "Mapping[str, CostEstimate]", judging: JudgeConfig) -> None:
    """Print the calls that each judge still has to answer, their cost, and whether a limit ends them."""
    from ragauge.report.terminal import console, print_table

    rows: list[tuple[str, ...]] = []
    for judge, cost in estimates.items():
        tokens, replies = (
            "{1:,.0f} ({0:,.0f}–{2:,.0f})".format(*n)
            for n in (cost.prompt_tokens, cost.completion_tokens)
        )
        dollars = "unknown price; give --price"
        if cost.cost_usd is not None:
            dollars = "${1:,.4f} (${0:,.4f}–${2:,.4f})".format(*cost.cost_usd)
        rows.append((judge, f"{cost.calls:,}", tokens, replies, dollars))
    header = ("judge", "calls", "prompt tokens", "reply tokens", "cost")
    print_table(console(sys.stdout), header, rows)
    for judge, cost in estimates.items():
        most, most_usd = judging.max_calls, judging.max_cost_usd
        if most is not None and cost.calls > most:
            say(f"{judge}: more calls than --max-calls {most:,}; the run would stop early")
        low, _, high = cost.cost_usd or (0.0, 0.0, 0.0)
        if most_usd is not None and high > most_usd:
            may = "would" if low > most_usd else "may"
            say(f"{judge}: --max-cost is {most_usd:g}; the run {may} stop early")


def say_truncated(health: Health) -> None:
    """Say how many scores used a truncated text."""
    if n := health.n_truncated:
        say(
            f"{counted(n, 'score')} used a truncated text: the model reads only its "
            'beginning (evidence: cut); long_text="windows" in the label reads it in full'
        )


def exit_code(run: ScoredRun, plan: Plan) -> int:
    """0, 4 if scores failed or what was named has none, 6 if a judge or an encoder gave nothing usable.

    6 also if a metric has no score because its judge was not called.
    """
    health = Health(run)
    for judge, reason in health.silent_judges.items():
        say(f"{judge} gave no usable reply: {reason}")
        return JudgeError.exit_code
    if not health.is_complete:
        retry = "run the same command again to retry"
        if health.n_unreadable:
            retry += ", with --retry-unreadable if the stored reply cannot be read"
        say(f"{counted(health.n_failed, 'score')} failed; {retry}")
    if unasked := health.unasked_metrics:
        reasons = "; ".join(dict.fromkeys(unasked.values()))
        say(f"{', '.join(unasked)}: no scores; {reasons}")
        return JudgeError.exit_code
    needs = {each.metric: each.definition.resources for each in plan.metrics if each.definition}
    encoded = {name for name, own in needs.items() if "encoder" in own and "judge" not in own}
    failed = encoded & {each.metric for each in run.outcomes.absent if each.status == "failed"}
    nothing_encoded = failed and not health.scored & encoded
    if nothing_encoded and (reason := health.why_nothing_scored(failed)):
        say(f"the encoder gave no vectors: {reason}")
        return EncoderError.exit_code
    unscored = named_without_scores(plan, health)
    for reason in dict.fromkeys(unscored.values()):
        names = [name for name, why in unscored.items() if why == reason]
        say(f"{', '.join(names)}: no scores; {reason}")
    return 0 if health.is_complete and not unscored else INCOMPLETE
