"""Show a run's summary, or one question with its scores and evidence."""

from pathlib import Path
from typing import cast

import click

from ragauge.cli.declare import declare, option
from ragauge.cli.options import PLUGINS, import_plugins
from ragauge.cli.output import RUNS, OutputOptions, check_groups, stored_runs, write_report
from ragauge.errors import StoreError
from ragauge.report.report import Cell, Report, Table, figure, several
from ragauge.runs.scored_run import slices_of
from ragauge.runs.store import RunFolder
from ragauge.score import Status

UNSCORED = [str(status) for status in Status if status is not Status.OK]


@declare("show")
def command(
    run: Path | None = None,
    id: str | None = None,
    *,
    by: tuple[str, ...] = option("Also summarise by this field. Repeatable."),
    full: bool = option("Print all metrics, systems, notes and findings."),
    worst: str | None = option(
        "List the answers with the worst scores on this metric.", metavar="METRIC"
    ),
    status: str | None = option(
        "List the scores with this status, and why.", type=click.Choice(UNSCORED)
    ),
    finding: str | None = option(
        "List all ids of the findings that contain this text.", metavar="TEXT"
    ),
    n_rows: int = option(
        "Number of rows that --worst and --status print.", "-n", default=10, min=1
    ),
    calls: bool = option("With ID: also print the judges' replies, each once."),
    writing: OutputOptions,
    steady: str | None = option(
        "Show how steady systems are that were asked several times: pass@k and pass^k.",
        metavar="METRIC[>=X]",
    ),
    plugins: tuple[Path, ...] = PLUGINS,
) -> None:
    """Show a run's summary, or one question with its scores and evidence.

    RUN is the folder or URL that `ragauge run` printed; without RUN, the runs in ragauge-runs are listed.
    With the ID of a question: its texts, and each system's scores with their reasons and evidence.
    With the ID of a conversation: its turns, with the scores of each.
    """
    from ragauge.runs.steadiness import steadiness
    from ragauge.views.first_screen import run_report
    from ragauge.views.question import (
        answers_report,
        conversation_report,
        finding_report,
        is_conversation,
        question_report,
        scores_report,
    )
    from ragauge.views.run_notes import steadiness_report

    if sum(option is not None for option in (id, worst, status, finding, steady)) > 1:
        raise click.UsageError("give only one of ID, --worst, --status, --finding and --steady")
    if calls and id is None:
        raise click.UsageError("--calls needs the ID of a question")
    if run is None:
        if by or worst or status or finding or steady:
            raise click.UsageError("RUN is missing; list the runs with: ragauge show")
        rows: list[tuple[str | Cell, ...]] = []
        for path, manifest in stored_runs():  # the latest first
            systems = several(cast("list[str]", manifest.data.get("systems", [])))
            n = figure(cast("int | None", manifest.data.get("n_samples")))
            finished = Cell(manifest.finished or "not finished", value=manifest.finished)
            rows.append((str(path), manifest.suite, n, systems, finished))
        if not rows:
            how = "give the folder of a run, or create one with: ragauge run"
            raise StoreError(f"no runs in {RUNS}; {how}")
        header = ("run", "suite", "answers", "systems", "finished")
        table = Table(header, rows, sides="llrll", wraps=True, caption="Runs")
        write_report(Report("", tables=[table]), writing.targets())
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
        name, _, threshold = steady.partition(">=")
        try:
            least = float(threshold) if threshold else None
        except ValueError:
            problem = f"--steady: {threshold!r} is not a number; as in correct>=0.8"
            raise click.UsageError(problem) from None
        if not (found := steadiness(stored, stored.metric(name.strip()), least)):
            how = "ask with: ragauge ask … --repeat 5"
            raise click.UsageError(f"no question was asked several times; {how}")
        report = steadiness_report(found)
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
