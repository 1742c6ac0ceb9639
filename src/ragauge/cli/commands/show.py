"""`ragauge show`."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from ragauge.cli.folders import RUNS, stored_runs
from ragauge.cli.groups import check_groups
from ragauge.cli.plugin_option import import_plugins, plugin_option
from ragauge.errors import PlanError, StoreError
from ragauge.report.plain import counted
from ragauge.runs.findings import find
from ragauge.runs.scored_run import ScoredRun, slices_of
from ragauge.runs.store import RunFolder
from ragauge.score import Status

if TYPE_CHECKING:
    from rich.console import Console

ANSWER_WIDTH = 80
UNSCORED = [str(status) for status in Status if status is not Status.OK]


@click.command(
    "show", short_help="Show a run's summary, or one question with its scores and evidence."
)
@click.argument("run", type=click.Path(path_type=Path), required=False)
@click.argument("id", required=False)
@click.option("--by", multiple=True, help="Also summarise by this field. Repeatable.")
@click.option("--full", is_flag=True, help="Print all metrics, systems, notes and findings.")
@click.option(
    "--worst", metavar="METRIC", help="List the answers with the worst scores on this metric."
)
@click.option(
    "--status", type=click.Choice(UNSCORED), help="List the scores with this status, and why."
)
@click.option(
    "--finding", metavar="TEXT", help="List all ids of the findings that contain this text."
)
@click.option(
    "-n",
    "n_rows",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Number of rows that --worst and --status print.",
)
@click.option("--calls", is_flag=True, help="With ID: also print the judges' replies, each once.")
@plugin_option
def command(
    run: Path | None,
    id: str | None,
    by: tuple[str, ...],
    worst: str | None,
    status: str | None,
    finding: str | None,
    plugins: tuple[Path, ...],
    n_rows: int,
    full: bool,
    calls: bool,
) -> None:
    """Show a run's summary, or one question with its scores and evidence.

    RUN is the folder or URL that `ragauge run` printed; without RUN, the runs in ragauge-runs are listed.
    With the ID of a question: its texts, and each system's scores with their reasons and evidence.
    """
    from ragauge.report.terminal import console
    from ragauge.views.question import print_question, read_question
    from ragauge.views.terminal import print_run, print_unavailable

    out = console(sys.stdout)
    if sum(option is not None for option in (id, worst, status, finding)) > 1:
        raise click.UsageError("give only one of ID, --worst, --status and --finding")
    if calls and id is None:
        raise click.UsageError("--calls needs the ID of a question")
    if run is None:
        if by or worst or status or finding:
            raise click.UsageError("RUN is missing; list the runs with: ragauge show")
        _print_runs(out)
        return
    import_plugins(plugins)
    stored = RunFolder.at(run).read()
    fields = slices_of(stored.samples, by)
    check_groups(stored.samples, fields)
    if worst is not None:
        _print_worst(out, stored, worst, n_rows)
    elif status is not None:
        _print_status(out, stored, status, n_rows)
    elif finding is not None:
        _print_finding(out, stored, finding)
    elif id is not None:
        stored.check_question(id)
        print_question(out, read_question(stored, id), calls=calls)
        print_unavailable(out, stored)
    else:
        print_run(out, stored, fields, full=full)


def _print_runs(out: "Console") -> None:
    from ragauge.report.terminal import print_table

    rows = list(_runs())
    if not rows:
        raise StoreError(
            f"no runs in {RUNS}; give the folder of a run, or create one with: ragauge run"
        )
    print_table(out, ("run", "suite", "answers", "systems", "finished"), rows)


def _runs() -> Iterator[tuple[str, ...]]:
    """The runs in the default folder, latest first."""
    for path, manifest in stored_runs():
        systems = cast(list[str], manifest.data.get("systems", []))
        n = str(manifest.data.get("n_samples"))
        finished = manifest.finished or "not finished"
        yield str(path), manifest.suite, n, ", ".join(systems), finished


def _print_worst(out: "Console", run: ScoredRun, metric: str, n_rows: int) -> None:
    from ragauge.report.terminal import print_table
    from ragauge.runs.numbers import number
    from ragauge.views.tables import short

    shown = run.metric(metric)
    rows = [
        (
            row["id"],
            row["system"],
            number(shown, row["value"]),
            short(row.get("answer") or "", ANSWER_WIDTH),
        )
        for row in run.worst(metric, n_rows).iter_rows(named=True)
    ]
    print_table(out, ("id", "system", shown.name, "answer"), rows)


def _print_status(out: "Console", run: ScoredRun, status: str, n_rows: int) -> None:
    import polars as pl

    from ragauge.report.terminal import print_table

    names = {metric.metric: metric.name for metric in run.metrics}
    columns = ("id", "system", "metric", "reason")
    wanted = pl.col("status") == status
    scores = run.collect(run.scan().filter(wanted).select(columns))
    rows = [
        (str(id), str(system), names.get(metric, str(metric)), str(reason or ""))
        for id, system, metric, reason in scores.head(n_rows).iter_rows()
    ]
    print_table(out, ("id", "system", "metric", "reason"), rows)
    if scores.height > n_rows:
        click.echo(f"{n_rows} of {counted(scores.height, 'score')}; more with -n")


def _print_finding(out: "Console", run: ScoredRun, text: str) -> None:
    from ragauge.report.terminal import print_table

    findings = find(run)
    matching = [finding for finding in findings if text.casefold() in finding.says.casefold()]
    if not matching:
        known = "; ".join(dict.fromkeys(finding.says for finding in findings)) or "none"
        raise PlanError([f"no finding contains {text!r}; the run's findings are: {known}"])
    rows = [(id, finding.system, finding.says) for finding in matching for id in finding.ids]
    print_table(out, ("id", "system", "finding"), rows)
