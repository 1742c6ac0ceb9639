"""What `ragauge run` prints about a plan and a run, and its exit code."""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

import click

from ragauge.cli import say
from ragauge.engine.plan import Plan
from ragauge.errors import JudgeError
from ragauge.label import Label
from ragauge.report.plain import counted
from ragauge.runs.run import Run
from ragauge.sample import Samples
from ragauge.score import LOST_PARTS, NOT_ASKED

if TYPE_CHECKING:
    import polars as pl

    from ragauge.judges.budget import CostEstimate

INCOMPLETE = 4


def print_plan(plan: Plan, samples: Samples) -> None:
    from ragauge.report.terminal import console, print_table

    rows = [(metric.name, metric.metric, metric.unavailable or "ready") for metric in plan.metrics]
    print_table(console(sys.stdout), ("name", "metric", "status"), rows)
    n_answers = counted(len(samples), "answer")
    click.echo(f"{n_answers} of {counted(len(samples.systems), 'system')}")


def print_estimate(estimates: "Mapping[str, CostEstimate]") -> None:
    """Print the calls that each judge still has to answer, and their cost."""
    from ragauge.report.terminal import console, print_table

    rows = [
        (
            judge,
            f"{cost.calls:,}",
            _range(cost.prompt_tokens),
            _range(cost.completion_tokens),
            "unknown price; give --price" if cost.cost_usd is None else _dollars(cost.cost_usd),
        )
        for judge, cost in estimates.items()
    ]
    header = ("judge", "calls", "prompt tokens", "reply tokens", "cost")
    print_table(console(sys.stdout), header, rows)


def _range(numbers: tuple[float, float, float]) -> str:
    low, likely, high = numbers
    return f"{likely:,.0f} ({low:,.0f}–{high:,.0f})"


def _dollars(numbers: tuple[float, float, float]) -> str:
    low, likely, high = numbers
    return f"${likely:,.4f} (${low:,.4f}–${high:,.4f})"


def why_not(run: Run) -> str:
    """The most frequent reason why there is no score; unavailable metrics count only if nothing else was tried."""
    import polars as pl

    unavailable = [metric.metric for metric in run.metrics if metric.unavailable]
    tried = run.scores.filter(~pl.col("metric").is_in(unavailable))
    reasons = (tried if tried.height else run.scores)["reason"].drop_nulls()
    if not len(reasons):
        return "no metric or check applies to any row"
    return str(reasons.value_counts().sort("count", "reason", descending=[True, False])[0, 0])


def say_cut(run: Run) -> None:
    """Say how many scores used a truncated text."""
    import polars as pl

    marked = pl.col("evidence").str.contains('"cut":', literal=True)
    n = run.scores.filter(marked).height
    if n:
        say(
            f"{counted(n, 'score')} used a truncated text: the model reads only its "
            'beginning (evidence: cut); long_text="windows" in the label reads it in full'
        )


def exit_code(run: Run) -> int:
    """0, 4 if scores failed, 6 if a judge, or a metric that uses one, gave no score at all."""
    failed = run.scores.filter(run.scores["status"] == "failed")
    for judge, usage in run.manifest.judging.items():
        if reason := _unreachable(run, judge, cast("Mapping[str, int]", usage)):
            say(f"{judge} gave no usable reply: {reason}")
            return JudgeError.exit_code
    if failed.height:
        say(f"{counted(failed.height, 'score')} failed; {_remedy(failed)}")
    if not_asked := _without_value(run):
        reasons = "; ".join(dict.fromkeys(not_asked.values()))
        say(f"{', '.join(not_asked)}: no scores; {reasons}")
        return JudgeError.exit_code
    return INCOMPLETE if failed.height else 0


def _remedy(failed: "pl.DataFrame") -> str:
    from ragauge.judges.session import NO_USABLE_REPLY

    unread = failed.filter(failed["reason"].str.contains(NO_USABLE_REPLY, literal=True))
    retry = "run the same command again to retry"
    if not unread.height:
        return retry
    return f"{retry}, with --retry-unreadable if the stored reply cannot be read"


def _unreachable(run: Run, judge: str, usage: "Mapping[str, int]") -> str:
    """Why the judge gave no usable reply at all; empty if it gave one."""
    import polars as pl

    label = Label("", {"judge": judge})
    judged = run.scores.filter(pl.col("metric").str.contains(str(label)[1:-1], literal=True))
    all_failed = usage["calls"] == usage["failed"] > 0 and not usage["cached"]
    if not all_failed and not ("failed" in judged["status"] and judged["value"].is_null().all()):
        return ""
    reasons = judged.filter(pl.col("status") == "failed")["reason"]
    return str(reasons[0]) if len(reasons) else "every call failed"


def _without_value(run: Run) -> dict[str, str]:
    """The metrics without any score because their judge was not asked, with the reason."""
    reasons: dict[str, str] = {}
    for shown in run.metrics:
        scores = run.scores.filter(run.scores["metric"] == shown.metric)
        if scores["value"].is_null().all() and (reason := _not_asked(scores)):
            reasons[shown.name] = reason
    return reasons


def _not_asked(scores: "pl.DataFrame") -> str:
    """Why a judge was not asked for some of the scores; empty if it was asked for all."""
    import polars as pl

    reasons = scores.filter(pl.col("reason").str.starts_with(NOT_ASKED))["reason"]
    if len(reasons):
        return str(reasons[0])
    # The reasons of a composite's parts are in its reason or its evidence.
    lost = scores.filter(pl.col("evidence").str.contains(f'"{LOST_PARTS}":', literal=True))
    texts = lost.select(pl.concat_str("reason", "evidence", ignore_nulls=True))
    of_parts = texts.to_series().str.extract(f'({NOT_ASKED}[^";{{\\\\]+)').drop_nulls()
    return str(of_parts[0]) if len(of_parts) else ""
