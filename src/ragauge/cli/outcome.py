"""What `ragauge run` says of a plan and of a run, and with which code it ends."""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

import click

from ragauge.cli import say
from ragauge.engine.plan import Plan
from ragauge.errors import JudgeError
from ragauge.label import Label
from ragauge.runs.run import Run
from ragauge.sample import Samples
from ragauge.score import LOST_PARTS, NOT_ASKED

if TYPE_CHECKING:
    import polars as pl

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


def why_not(run: Run) -> str:
    """The most frequent reason why there is no value; of what was lacking only where that is all."""
    import polars as pl

    unavailable = [one.metric for one in run.metrics if one.unavailable]
    tried = run.scores.filter(~pl.col("metric").is_in(unavailable))
    reasons = (tried if tried.height else run.scores)["reason"].drop_nulls()
    if not len(reasons):
        return "no row is one that a metric or check is asked of"
    return str(reasons.value_counts().sort("count", "reason", descending=[True, False])[0, 0])


def say_cut(run: Run) -> None:
    """Tell of texts that a model did not read to their end."""
    import polars as pl

    marked = pl.col("evidence").str.contains('"cut":', literal=True)
    n = run.scores.filter(marked).height
    if n:
        say(
            f"{n:,} scores rest on the beginning of a text that is longer than the model takes "
            '(evidence: cut); long_text="windows" in the label reads it whole'
        )


def exit_code(run: Run) -> int:
    """0, or 4 where scores failed, or 6 where a judge or a metric that asks one gave nothing at all."""
    failed = run.scores.filter(run.scores["status"] == "failed")
    for judge, told in run.manifest.judging.items():
        if reason := _unreachable(run, judge, cast("Mapping[str, int]", told)):
            say(f"{judge} gave no answer that could be scored: {reason}")
            return JudgeError.exit_code
    if failed.height:
        say(f"{failed.height:,} scores failed; {_way_out(failed)}")
    if unasked := _without_value(run):
        reasons = "; ".join(dict.fromkeys(unasked.values()))
        say(f"{', '.join(unasked)}: not one value; {reasons}")
        return JudgeError.exit_code
    return INCOMPLETE if failed.height else 0


def _way_out(failed: "pl.DataFrame") -> str:
    from ragauge.judges.session import NO_USABLE_REPLY

    unread = failed.filter(failed["reason"].str.contains(NO_USABLE_REPLY, literal=True))
    again = "run the same again to try them once more"
    if not unread.height:
        return again
    return f"{again}, with --retry-unreadable where the reply that was kept cannot be read"


def _unreachable(run: Run, judge: str, told: "Mapping[str, int]") -> str:
    """Why the judge gave nothing at all; nothing where it gave something."""
    import polars as pl

    label = Label("", {"judge": judge})
    mine = run.scores.filter(pl.col("metric").str.contains(str(label)[1:-1], literal=True))
    all_failed = told["calls"] == told["failed"] > 0 and not told["cached"]
    if not all_failed and not ("failed" in mine["status"] and mine["value"].is_null().all()):
        return ""
    reasons = mine.filter(pl.col("status") == "failed")["reason"]
    return str(reasons[0]) if len(reasons) else "every call failed"


def _without_value(run: Run) -> dict[str, str]:
    """The metrics without any value whose judge was not asked, and why it was not."""
    found: dict[str, str] = {}
    for shown in run.metrics:
        scores = run.scores.filter(run.scores["metric"] == shown.metric)
        if scores["value"].is_null().all() and (reason := _not_asked(scores)):
            found[shown.name] = reason
    return found


def _not_asked(scores: "pl.DataFrame") -> str:
    """Why a judge was not asked for one of the scores; nothing where it was for all of them."""
    import polars as pl

    said = scores.filter(pl.col("reason").str.starts_with(NOT_ASKED))["reason"]
    if len(said):
        return str(said[0])
    # A composite tells what its parts lacked, in its reason or its evidence.
    lost = scores.filter(pl.col("evidence").str.contains(f'"{LOST_PARTS}":', literal=True))
    told = lost.select(pl.concat_str("reason", "evidence", ignore_nulls=True))
    of_parts = told.to_series().str.extract(f'({NOT_ASKED}[^";{{\\\\]+)').drop_nulls()
    return str(of_parts[0]) if len(of_parts) else ""
