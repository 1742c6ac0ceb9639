"""Fail a build if a run breaks a rule or is worse than a baseline."""

import os
import sys
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Literal, cast

import click

from ragauge.cli.declare import argument, declare, option
from ragauge.cli.options import PLUGINS, Text, import_plugins
from ragauge.cli.output import OutputOptions, inside_runs, write_report
from ragauge.cli.streams import say
from ragauge.errors import PlanError, StoreError
from ragauge.evaluation.config import Config
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.store import RunFolder
from ragauge.storage.atomic_files import misplaced, write_bytes
from ragauge.storage.regular_file import exists

if TYPE_CHECKING:
    from ragauge.gating.gate import DropJudgedOn

GATE_FAILED = 1


def _drop(text: str) -> tuple[str, float]:
    """The largest drop of a metric, or of all metrics."""
    # The last =, since a label may contain others: recall(match="text")@10=0.02
    metric, _, number = text.rpartition("=")
    if not 0 <= float(number) < float("inf"):
        raise ValueError
    return metric, float(number)


@declare("gate")
def command(
    runs: tuple[Path, ...] = argument("[RUN]"),
    *,
    rules: tuple[str, ...] = option(
        "What must hold: 'recall@10 >= 0.35', 'failed <= 0', 'correct[lang = \"de\"] > 0.8'. Repeatable.",
        "--rule",
    ),
    baseline: Path | None = option("Run to compare with; or the name of a system of RUN."),
    max_drop: tuple[tuple[str, float], ...] = option(
        "Most that a metric may be worse than in the baseline. Repeatable.",
        type=Text("[METRIC=]X", "METRIC=0.02 or 0.02", _drop),
    ),
    on: Literal["point", "bound"] | None = option(
        "Judge drops by the difference itself, or by the worse end of its 95 % interval.  [default: point]"
    ),
    allow_lost: int = option(
        "Questions scored in the baseline that may have no score now.", default=0, min=0
    ),
    allow_mismatch: bool = option(
        "Compare with a baseline of other data, versions, settings or models all the same."
    ),
    systems: tuple[str, ...] = option("Check only this system. Repeatable.", "--system"),
    config: Path | None = option(
        "Read RUN's folder and the table [gate] from this configuration; options override it."
    ),
    junit: Path | None = option("Also write the checks as JUnit XML."),
    github: bool = option("Also write GitHub annotations and, to $GITHUB_STEP_SUMMARY, a summary."),
    writing: OutputOptions,
    plugins: tuple[Path, ...] = PLUGINS,
) -> int:
    """Fail a build if a run breaks a rule or is worse than a baseline.

    Each rule must hold for each system. A rule fails if a metric in it has no value. The exit code is 1 if
    a check fails, and for no other reason.
    """
    from ragauge.gating.gate import gate
    from ragauge.gating.words import (
        gate_lines,
        gate_markdown,
        gate_report,
        github_annotations,
        junit_xml,
    )

    read = Config.load(config) if config else Config()
    if len(runs) > 1:
        written = " ".join(f"--rule {quote(str(rule))}" for rule in runs[1:])
        raise click.UsageError(f"give one RUN, and rules with --rule: {written}")
    folder = runs[0] if runs else read.folder
    if folder is None:
        raise click.UsageError("RUN is missing; give the folder that `ragauge run` printed")
    given = read.gate.with_options(rules, baseline, dict(max_drop), on)
    stored_in = [folder, *([given.baseline] if given.baseline is not None else [])]
    targets = writing.targets(stored_in)
    if junit is not None:
        files = [*(path for _, path in targets if path is not None), junit]
        if problems := [*misplaced(files, []), *inside_runs([junit], stored_in)]:
            raise PlanError(problems)
    import_plugins((*read.plugins, *plugins))
    stored = RunFolder.at(folder).read()
    baseline_run: ScoredRun | str | None = given.baseline and str(given.baseline)
    if given.baseline is not None:  # a stored run, or else the name of a system of the run
        if exists(given.baseline) or given.baseline.name != baseline_run:
            baseline_run = RunFolder.at(given.baseline).read()
        elif baseline_run not in (known := stored.samples.systems):
            what = "is no folder of a run, and no system of the run"
            raise StoreError(f"--baseline {baseline_run}: {what} ({', '.join(known)})")
    done = gate(
        stored,
        given.rules,
        baseline=baseline_run,
        max_drop=given.max_drop or None,
        on=cast("DropJudgedOn", given.on),
        allow_lost=allow_lost,
        allow_mismatch=allow_mismatch,
        systems=systems,
    )
    for form, path in targets:
        if form == "table":
            for line in gate_lines(done):
                click.echo(line)
        else:
            write_report(gate_report(done), [(form, path)])
    if junit is not None:
        write_bytes(junit, junit_xml(done))
        say(f"wrote {junit}")
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    for line in github_annotations(done) if github else ():
        click.echo(line)
    if github and not summary:
        say("GITHUB_STEP_SUMMARY is not set, so no summary is written")
    elif github and summary:
        try:
            with Path(summary).open("a", encoding="utf-8") as file:
                file.write(gate_markdown(done))
        except OSError as error:
            sys.stdout.flush()
            raise StoreError(f"{summary}: cannot be written: {error.strerror or error}") from error
    return 0 if done.passed else GATE_FAILED
