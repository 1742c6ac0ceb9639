"""Carry out `ragauge ask`: ask, show how far it is, and print what came of it."""

import re
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import click

from ragauge.asking.ask import ANSWERS, Answers, AskPlan, as_questions, check_output, question_rows
from ragauge.asking.asking import Limits, Tally
from ragauge.cli.options import AskOptions
from ragauge.cli.progress import INCOMPLETE, saying, spoken
from ragauge.cli.streams import HELD_S, ended_if_held, one_line, say
from ragauge.evaluation.config import Config
from ragauge.report.plain import counted, shortened
from ragauge.samples.samples import Samples, select
from ragauge.views.run_notes import took

ANSWERS_FOLDER = Path("ragauge-answers")
TRIED = 3
"""Questions of a dry run."""
REASONS_SHOWN = 3
REASON_WIDTH = 200
NO_ANSWER = 6
"""The exit code where no system answered anything."""

LIMITS = ("max_calls", "max_cost_usd", "price")
"""Settings of a judge that limit the systems that are asked too."""


@dataclass(frozen=True)
class Inquiry:
    """What a command asks, and where the answers are kept."""

    plan: AskPlan
    folder: Path

    @classmethod
    def of(
        cls,
        questions: Path,
        asking: AskOptions,
        reading: Mapping[str, Any],
        *,
        where: str | None = None,
        limit: int | None = None,
        folder: Path | None = None,
        output: Sequence[Path] = (),
        **planned: Any,
    ) -> "Inquiry":
        """Read and check everything, `reading` as `load` does and `planned` as `AskPlan.prepare`.

        PlanError or DataError before anything is asked.
        """
        from ragauge.loaders.loading import load

        if not (targets := asking.by_name):
            raise click.UsageError(
                "no system to ask; name one with --target app.py:function, --url, --chat or --shell"
            )
        options = asking.endpoint()
        for file in output:
            check_output(file)
        samples = as_questions(select(load(questions, **reading), where=where, limit=limit))
        say(*samples.notes)
        # The same name for the same command, which so resumes.
        words = "-".join([questions.name.partition(".")[0], *targets])
        name = shortened(re.sub(r"[^\w.+-]+", "_", words), 80).replace("…", "")
        place = folder or ANSWERS_FOLDER / name
        limits = Limits(asking.concurrency, asking.timeout, asking.retries, asking.again)
        planned |= {"vary": dict(asking.vary), "limits": limits, "options": options}
        with redirect_stdout(sys.stderr):  # what the target prints when it is imported
            return cls(AskPlan.prepare(samples, targets, folder=place, **planned), place)

    def run(self, *, quiet: bool) -> Answers:
        """Ask what is not answered yet, and show how far it is."""
        started = begun = time.monotonic()
        last: list[Tally] = []

        def tell(tally: Tally) -> None:
            nonlocal begun
            now = time.monotonic()
            begun = begun if last else now
            last[:] = [tally]
            say_if_due(now - started)

        def words() -> str:
            return _words(last[0], time.monotonic() - begun) if last else "starting"

        held_s = max(HELD_S, 2 * self.plan.limits.timeout_s)
        try:
            with (
                saying(words, quiet=quiet) as say_if_due,
                redirect_stdout(sys.stderr),
                ended_if_held(held_s),
            ):
                return self.plan.run(tell)
        except KeyboardInterrupt:
            n = sum(tally.answered + tally.kept for tally in last)
            say(f"{counted(n, 'answer')} of {self.plan.n_answers:,} are kept in {self.folder}")
            raise

    def scored(self, config: Config) -> Config:
        """The configuration that scores the answers in place of the questions; the limits without a judge were of asking."""
        judge = {**config.judge}
        if "model" not in judge:
            judge = {name: value for name, value in judge.items() if name not in LIMITS}
        of_questions = dict.fromkeys(("gold", "prefer", "where", "limit"))
        config = replace(config, judge=judge, map={}, by_place=False, **of_questions)
        return replace(config, data=self.folder / ANSWERS)

    def forecast(self, *, quiet: bool) -> int:
        """Ask the first questions, and say how long all take and what they cost; the exit code."""
        questions, at_once = self.plan.questions, self.plan.limits.concurrency
        ids = [str(row["id"]) for row in question_rows(questions)[:TRIED]]
        few = Samples(questions.frame.filter(questions.frame["id"].is_in(ids)), questions.source)
        start = time.monotonic()
        answers = replace(self, plan=replace(self.plan, questions=few, repeat=1)).run(quiet=quiet)
        took_s = time.monotonic() - start
        print_answers(answers)
        code = say_faults(answers)
        rows = answers.samples.frame.filter(answers.samples.frame["status"] == "ok")
        n_left = self.plan.n_unanswered()
        if rows.is_empty() or not n_left:
            return code
        left_s = n_left * cast(float, rows["latency_s"].mean()) / at_once
        text = (
            f"asked {counted(len(ids), 'question')} in {took_s:.1f} s; {counted(n_left, 'more answer')} "
            f"at {at_once} at once take {spoken(left_s)}"
        )
        costs = rows["cost_usd"].cast(float)
        if costs.count():
            text += f" and cost about ${costs.sum() / rows.height * n_left:,.2f}"
        say(f"{text}, if all are like the first ones")
        return code


def _words(tally: Tally, taken_s: float) -> str:
    """`asked 120 of 1,000 questions · 52 a second · about 17 s left · $0.12 so far`"""
    text = f"asked {tally.done:,} of {counted(tally.n, 'question')}"
    n_new = tally.answered + tally.n_failed
    if n_new and taken_s > 1:
        rate = n_new / taken_s
        text += f" · {rate:,.0f} a second" if rate >= 2 else f" · {rate * 60:,.0f} a minute"
        text += f" · {spoken((tally.n - tally.done) / rate)} left" if tally.done < tally.n else ""
    text += f" · ${tally.cost_usd:,.2f} so far" if tally.cost_usd else ""
    return text + (f" · {tally.n_failed:,} failed" if tally.n_failed else "")


def print_answers(answers: Answers) -> None:
    """Print a line for each system: its answers, faults, time, tokens and cost."""
    frame = answers.samples.frame
    for system, n in answers.samples.n_by_system.items():
        own = frame.filter((frame["system"] == system) & (frame["status"] == "ok"))
        parts = [counted(n, "answer"), f"{n - own.height:,} failed", took(own)]
        click.echo(one_line(f"{system}: {' · '.join(filter(None, parts))}"))


def say_faults(answers: Answers) -> int:
    """Say what failed and why, and what was not asked; the exit code."""
    frame, tally = answers.samples.frame, answers.tally
    counts = frame.filter(frame["status"] != "ok")["reason"].value_counts(sort=True).rows()
    for reason, n in counts[:REASONS_SHOWN]:
        say(f"{counted(n, 'answer')} failed: {shortened(str(reason), REASON_WIDTH)}")
    if len(counts) > REASONS_SHOWN:
        say(f"… and {counted(len(counts) - REASONS_SHOWN, 'other reason')}")
    if counts:
        say("run the same command again to ask for them once more")
    if "left_out" in frame.columns:
        say(*frame["left_out"].drop_nulls().unique().sort()[:REASONS_SHOWN])
    if tally.kept:
        say(f"{counted(tally.kept, 'answer')} kept from before, {tally.answered:,} new")
    if answers.stopped:
        say(f"{counted(tally.not_asked, 'question')} not asked: {answers.stopped}")
    if not tally.answered + tally.kept:
        return NO_ANSWER
    return INCOMPLETE if tally.n_failed or tally.not_asked else 0
