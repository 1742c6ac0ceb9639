"""`ragauge gate`."""

import os
import sys
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, cast

import click

from ragauge.cli.output import OutputOptions, output_options, write_report
from ragauge.cli.plugin_option import import_plugins, plugin_option
from ragauge.cli.streams import say
from ragauge.errors import StoreError
from ragauge.evaluation.config import Config
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.store import RunFolder
from ragauge.storage.atomic_files import write_atomically
from ragauge.storage.regular_file import exists

if TYPE_CHECKING:
    from ragauge.gating.gate import DropJudgedOn, Gate

GATE_FAILED = 1


class Drop(click.ParamType[tuple[str, float]]):
    """The largest drop of a metric: METRIC=X, or X for all metrics."""

    name = "[METRIC=]X"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, float]:
        # The last =, since a label may contain others: recall(match="text")@10=0.02
        metric, _, text = str(value).rpartition("=")
        try:
            drop = float(text)
        except ValueError:
            drop = -1.0
        if not 0 <= drop < float("inf"):
            self.fail(f"expected METRIC=0.02 or 0.02, got {value!r}", param, ctx)
        return metric, drop


@click.command(
    "gate", short_help="Fail a build if a run breaks a rule or is worse than a baseline."
)
@click.argument("runs", metavar="[RUN]", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--rule",
    "rules",
    multiple=True,
    help="What must hold: 'recall@10 >= 0.35', 'failed <= 0', 'correct[lang = \"de\"] > 0.8'. Repeatable.",
)
@click.option(
    "--baseline",
    type=click.Path(path_type=Path),
    help="Run to compare with; or the name of a system of RUN.",
)
@click.option(
    "--max-drop",
    "max_drop",
    multiple=True,
    type=Drop(),
    help="Most that a metric may be worse than in the baseline. Repeatable.",
)
@click.option(
    "--on",
    type=click.Choice(("point", "bound")),
    help="Judge drops by the difference itself, or by the worse end of its 95 % interval.  [default: point]",
)
@click.option(
    "--allow-lost",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Questions scored in the baseline that may have no score now.",
)
@click.option(
    "--allow-mismatch",
    is_flag=True,
    help="Compare with a baseline of other data, versions, settings or models all the same.",
)
@click.option("--system", "systems", multiple=True, help="Check only this system. Repeatable.")
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    help="Read RUN's folder and the table [gate] from this configuration; options override it.",
)
@click.option(
    "--junit", type=click.Path(path_type=Path), help="Also write the checks as JUnit XML."
)
@click.option(
    "--github",
    is_flag=True,
    help="Also write GitHub annotations and, to $GITHUB_STEP_SUMMARY, a summary.",
)
@output_options
@plugin_option
def command(
    runs: tuple[Path, ...],
    rules: tuple[str, ...],
    baseline: Path | None,
    max_drop: tuple[tuple[str, float], ...],
    on: str | None,
    allow_lost: int,
    allow_mismatch: bool,
    systems: tuple[str, ...],
    config: Path | None,
    junit: Path | None,
    github: bool,
    writing: OutputOptions,
    plugins: tuple[Path, ...],
) -> int:
    """Fail a build if a run breaks a rule or is worse than a baseline.

    Each rule must hold for each system. A rule fails if a metric in it has no value. The exit code is 1 if
    a check fails, and for no other reason.
    """
    from ragauge.gating.gate import gate
    from ragauge.gating.words import gate_lines, gate_report, junit_xml

    read = Config.load(config) if config else Config()
    if len(runs) > 1:
        written = " ".join(f"--rule {quote(str(rule))}" for rule in runs[1:])
        raise click.UsageError(f"give one RUN, and rules with --rule: {written}")
    folder = runs[0] if runs else read.folder
    if folder is None:
        raise click.UsageError("RUN is missing; give the folder that `ragauge run` printed")
    targets = writing.targets([folder])
    import_plugins((*read.plugins, *plugins))
    given = read.gate.with_options(rules, baseline, dict(max_drop), on)
    stored = RunFolder.at(folder).read()
    done = gate(
        stored,
        given.rules,
        baseline=_baseline(stored, given.baseline),
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
        content = junit_xml(done)
        write_atomically(junit, lambda file: file.write(content))
        say(f"wrote {junit}")
    if github:
        _write_github(done)
    return 0 if done.passed else GATE_FAILED


def _baseline(run: ScoredRun, given: Path | None) -> ScoredRun | str | None:
    """The stored run, or the name of a system of the run, if no such folder exists."""
    if given is None:
        return None
    name, systems = str(given), run.samples.systems
    if exists(given) or given.name != name:
        return RunFolder.at(given).read()
    if name not in systems:
        known = ", ".join(systems)
        raise StoreError(
            f"--baseline {name}: is no folder of a run, and no system of the run ({known})"
        )
    return name


def _write_github(done: "Gate") -> None:
    """Print annotations, and append the summary to the file that GitHub names."""
    from ragauge.gating.words import gate_markdown, github_annotations

    for line in github_annotations(done):
        click.echo(line)
    if not (path := os.environ.get("GITHUB_STEP_SUMMARY")):
        say("GITHUB_STEP_SUMMARY is not set, so no summary is written")
        return
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(gate_markdown(done))
    except OSError as error:
        sys.stdout.flush()
        raise StoreError(f"{path}: cannot be written: {error.strerror or error}") from error
