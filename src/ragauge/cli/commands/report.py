"""Write one or several runs as a page that opens in a browser."""

import os
from pathlib import Path

from ragauge.cli.declare import argument, declare, option
from ragauge.cli.options import PLUGINS, import_plugins
from ragauge.cli.output import inside_runs
from ragauge.cli.streams import say
from ragauge.errors import PlanError
from ragauge.runs.store import REPORT, RunFolder, put_files


@declare("report")
def command(
    runs: tuple[Path, ...] = argument(required=True),
    *,
    output: Path | None = option(
        "HTML file to write.  [default: report.html in the first run's folder]", "-o", "--output"
    ),
    no_evidence: bool = option(
        "Leave out why each score is what it is: a smaller file for a large run."
    ),
    plugins: tuple[Path, ...] = PLUGINS,
) -> None:
    """Write one or several runs as one HTML file: overview, comparison, and every question.

    RUNS are folders or URLs that `ragauge run` printed. Several runs are compared side by side. The file opens in any browser, without a server or a
    network; it has the answers, contexts and judge replies in it.
    """
    from ragauge.page.page import write_page

    import_plugins(plugins)
    if output is not None:
        own = {os.path.realpath(folder / REPORT) for folder in runs}
        problems = [] if os.path.realpath(output) in own else inside_runs([output], runs)
        if problems:
            raise PlanError(problems)
    each_once: dict[str, Path] = {}
    for folder in runs:
        each_once.setdefault(os.path.realpath(folder), folder)
    folders = [RunFolder.at(folder) for folder in each_once.values()]
    read = [folder.read() for folder in folders]
    path = output or folders[0].path / REPORT
    write_page(read, path, evidence=not no_evidence)
    if output is None:
        put_files(read[0], REPORT)
    size = path.stat().st_size
    shown = f"{size / 1e3:,.0f} kB" if size < 1e6 else f"{size / 1e6:,.1f} MB"
    say(f"wrote {path} ({shown}); open it in a browser")
