"""`ragauge show`."""

from pathlib import Path
from typing import cast

import click

from ragauge.cli.folders import RUNS, stored_runs
from ragauge.cli.groups import check_groups
from ragauge.cli.output import OutputOptions, output_options, write_report
from ragauge.cli.plugin_option import import_plugins, plugin_option
from ragauge.errors import StoreError
from ragauge.report.report import Report, Table
from ragauge.runs.scored_run import ScoredRun, slices_of
from ragauge.runs.store import RunFolder
from ragauge.score import Status

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
@output_options
@click.option(
    "--steady",
    metavar="METRIC[>=X]",
    help="Show how steady systems are that were asked several times: pass@k and pass^k.",
)
@plugin_option
def command(
    run: Path | None,
    id: str | None,
    by: tuple[str, ...],
    worst: str | None,
    status: str | None,
    finding: str | None,
    steady: str | None,
    plugins: tuple[Path, ...],
    n_rows: int,
    full: bool,
    calls: bool,
    writing: OutputOptions,
) -> None:
    """Show a run's summary, or one question with its scores and evidence.

    RUN is the folder or URL that `ragauge run` printed; without RUN, the runs in ragauge-runs are listed.
    With the ID of a question: its texts, and each system's scores with their reasons and evidence.
    With the ID of a conversation: its turns, with the scores of each.
    """
    from ragauge.views.conversation import conversation_report, is_conversation
    from ragauge.views.question import question_report
    from ragauge.views.run_report import (
        answers_report,
        finding_report,
        run_report,
        scores_report,
    )

    if sum(option is not None for option in (id, worst, status, finding, steady)) > 1:
        raise click.UsageError("give only one of ID, --worst, --status, --finding and --steady")
    if calls and id is None:
        raise click.UsageError("--calls needs the ID of a question")
    if run is None:
        if by or worst or status or finding or steady:
            raise click.UsageError("RUN is missing; list the runs with: ragauge show")
        write_report(_runs(), writing.targets())
        return
    targets = writing.targets([run])
    import_plugins(plugins)
    stored = RunFolder.at(run).read()
    fields = slices_of(stored.samples, by)
    check_groups(stored.samples, fields)
    if worst is not None:
        report = answers_report(stored, worst, stored.worst(worst, n_rows))
    elif status is not None:
        report = scores_report(stored, status, n_rows)
    elif steady is not None:
        report = _steadiness(stored, steady)
    elif finding is not None:
        report = finding_report(stored, finding)
    elif id is not None and is_conversation(stored, id):
        report = conversation_report(stored, id)
    elif id is not None:
        stored.check_question(id)
        report = question_report(stored, id, calls=calls)
    else:
        report = run_report(stored, fields)
    write_report(report, targets, full=full)


def _steadiness(run: ScoredRun, steady: str) -> Report:
    from ragauge.runs.steadiness import steadiness
    from ragauge.views.steadiness import steadiness_report

    name, _, threshold = steady.partition(">=")
    try:
        least = float(threshold) if threshold else None
    except ValueError:
        raise click.UsageError(
            f"--steady: {threshold!r} is not a number; as in correct>=0.8"
        ) from None
    found = steadiness(run, run.metric(name.strip()), least)
    if not found:
        raise click.UsageError(
            "no question was asked several times; ask with: ragauge ask … --repeat 5"
        )
    return steadiness_report(found)


def _runs() -> Report:
    """The runs in the default folder, latest first; StoreError if there is none."""
    rows = [
        (
            str(path),
            manifest.suite,
            str(manifest.data.get("n_samples")),
            ", ".join(cast("list[str]", manifest.data.get("systems", []))),
            manifest.finished or "not finished",
        )
        for path, manifest in stored_runs()
    ]
    if not rows:
        raise StoreError(
            f"no runs in {RUNS}; give the folder of a run, or create one with: ragauge run"
        )
    header = ("run", "suite", "answers", "systems", "finished")
    return Report("", tables=[Table(header, rows, sides="llrll", wraps=True, caption="Runs")])
