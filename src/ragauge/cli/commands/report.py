"""`ragauge report`."""

import os
from pathlib import Path

import click

from ragauge.cli.plugin_option import import_plugins, plugin_option
from ragauge.cli.streams import say
from ragauge.runs.store import REPORT, RunFolder, put_files


@click.command("report", short_help="Write one or several runs as a page that opens in a browser.")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="HTML file to write.  [default: report.html in the first run's folder]",
)
@click.option(
    "--no-evidence",
    is_flag=True,
    help="Leave out why each score is what it is: a smaller file for a large run.",
)
@plugin_option
def command(
    runs: tuple[Path, ...], output: Path | None, no_evidence: bool, plugins: tuple[Path, ...]
) -> None:
    """Write one or several runs as one HTML file: overview, comparison, and every question.

    RUNS are folders or URLs that `ragauge run` printed. Several runs are compared side by side. The file opens in any browser, without a server or a
    network; it has the answers, contexts and judge replies in it.
    """
    from ragauge.page.page import write_page

    import_plugins(plugins)
    each_once: dict[str, Path] = {}
    for folder in runs:
        each_once.setdefault(os.path.realpath(folder), folder)
    folders = [RunFolder.at(folder) for folder in each_once.values()]
    read = [folder.read() for folder in folders]
    path = output or folders[0].path / REPORT
    write_page(read, path, evidence=not no_evidence)
    if output is None:
        put_files(read[0], REPORT)
    say(f"wrote {path} ({_size(path.stat().st_size)}); open it in a browser")


def _size(n_bytes: int) -> str:
    """
    >>> _size(123_456), _size(12_345_678)
    ('123 kB', '12.3 MB')
    """
    return f"{n_bytes / 1e3:,.0f} kB" if n_bytes < 1e6 else f"{n_bytes / 1e6:,.1f} MB"
