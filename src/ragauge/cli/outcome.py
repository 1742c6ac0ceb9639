"""What `ragauge run` says of a plan and of a run, and with which code it ends."""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from ragauge.cli import say
from ragauge.engine.plan import Plan
from ragauge.errors import JudgeError
from ragauge.runs.health import Health
from ragauge.runs.run import Run
from ragauge.sample import Samples

if TYPE_CHECKING:
    from ragauge.judges.budget import CostEstimate

INCOMPLETE = 4


def print_plan(plan: Plan, samples: Samples) -> None:
    from ragauge.report.tables import counted
    from ragauge.report.terminal import console, print_table

    rows = [(one.name, one.metric, one.unavailable or "ready") for one in plan.metrics]
    print_table(console(sys.stdout), ("shown as", "metric", "state"), rows)
    n_answers = counted(len(samples), "answer")
    click.echo(f"{n_answers} of {counted(len(samples.systems), 'system')}")


def print_estimate(estimates: "Mapping[str, CostEstimate]") -> None:
    """What the judges are still to be asked, and what that costs."""
    from ragauge.report.terminal import console, print_table

    rows = [
        (
            judge,
            f"{one.calls:,}",
            _range(one.prompt_tokens),
            _range(one.completion_tokens),
            "no price known; give --price" if one.cost_usd is None else _dollars(one.cost_usd),
        )
        for judge, one in estimates.items()
    ]
    header = ("judge", "calls to make", "tokens of prompts", "tokens of replies", "cost")
    print_table(console(sys.stdout), header, rows)


def _range(numbers: tuple[float, float, float]) -> str:
    low, likely, high = numbers
    return f"{likely:,.0f} ({low:,.0f}–{high:,.0f})"


def _dollars(numbers: tuple[float, float, float]) -> str:
    low, likely, high = numbers
    return f"${likely:,.4f} (${low:,.4f}–${high:,.4f})"


def say_truncated(health: Health) -> None:
    """Tell of texts that a model did not read to their end."""
    from ragauge.report.tables import counted

    if n := health.n_truncated:
        used = "uses" if n == 1 else "use"
        say(
            f"{counted(n, 'score')} {used} a truncated text: it is longer than the model takes "
            '(evidence: cut); long_text="windows" in the label reads it whole'
        )


def exit_code(run: Run) -> int:
    """0, or 4 where scores failed, or 6 where a judge or a metric that asks one gave nothing at all."""
    health = Health(run)
    for judge, reason in health.silent_judges.items():
        say(f"{judge} gave no answer that could be scored: {reason}")
        return JudgeError.exit_code
    if not health.is_complete:
        say(f"{health.n_failed:,} scores failed; {_way_out(health)}")
    if unasked := health.unasked_metrics:
        reasons = "; ".join(dict.fromkeys(unasked.values()))
        say(f"{', '.join(unasked)}: not one value; {reasons}")
        return JudgeError.exit_code
    return 0 if health.is_complete else INCOMPLETE


def _way_out(health: Health) -> str:
    again = "run the same again to try them once more"
    if not health.n_unreadable:
        return again
    return f"{again}, with --retry-unreadable where the reply that was kept cannot be read"
