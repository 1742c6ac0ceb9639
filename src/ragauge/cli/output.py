"""Where results go: the formats and files of a report (`-f` and `-o`), the folder of runs, and the cache."""

import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, product
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragauge.cli.declare import option
from ragauge.cli.streams import say
from ragauge.errors import PlanError, StoreError
from ragauge.plugins import offered
from ragauge.report.plain import data_for_pipe, data_for_terminal
from ragauge.report.report import Report
from ragauge.report.writing import ENDINGS, FORMATS, one_of, write
from ragauge.storage.regular_file import exists

if TYPE_CHECKING:
    from ragauge.runs.manifest import Manifest
    from ragauge.samples.samples import Samples

ALSO_CALLED = {ending[1:]: name for ending, name in ENDINGS.items()} | {
    "text": "table",
    "markdown": "md",
}
FILES = one_of(ENDINGS)
Target = tuple[str, Path | None]
"""A format, and the file it goes to; None for standard output."""
RUNS = Path("ragauge-runs")
CACHE = "cache.sqlite"
MAX_GROUPS = 100
"""Most values that a field may have to break a summary down by it."""


class FormatChoice(click.Choice[str]):
    """A format, also by another name that people use, or that of an entry point `ragauge.writers`."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        name = ALSO_CALLED.get(value, value)
        return name if _is_offered(name) else super().convert(name, param, ctx)


def _is_offered(name: str) -> bool:
    return name not in FORMATS and name in offered("writers")


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """In which formats a report is written, and where to."""

    form: str | None = option(
        "Format of the output.  [default: table, or that of the file's ending]",
        "-f",
        "--format",
        type=FormatChoice(FORMATS),
    )
    output: tuple[str, ...] = option(
        f"Write to this {FILES} file. Repeatable.",
        "-o",
        "--output",
        metavar="FILE",
    )

    def targets(
        self, inputs: Iterable[Path | str] = (), also: Sequence[str] = (), *, prints: bool = False
    ) -> Sequence[Target]:
        """The formats and their places; PlanError, before any work, for one that cannot be written.

        `also` has the formats of `-o` that only this command writes. With `prints` there is a table in the
        terminal too where all others go to files.
        """
        targets: list[Target] = []
        problems: list[str] = []
        for text in self.output:
            path = Path(text)
            suffix = path.suffix.lower().removeprefix(".")
            named = suffix or text
            form = ALSO_CALLED.get(named, named)
            if suffix and self.form is not None:
                form = self.form
            if form not in (*FORMATS, *also) and not _is_offered(form):
                endings = one_of([*ENDINGS, *(f".{each}" for each in also)])
                takes = f"a file that ends in {endings}, or one of {', '.join((*FORMATS, *also))}"
                problems.append(f"{text!r}: unknown format; -o takes {takes}")
            elif suffix and form == "table":
                problems.append(
                    f"{text}: a table is for the terminal; write {one_of(name for name in FORMATS if name != form)}"
                )
            targets.append((form, path if suffix else None))
        targets += [] if self.output else [(self.form or "table", None)]
        files = [path for _, path in targets if path is not None]
        if len(targets) - len(files) > 1:
            problems.append("only one format can go to standard output; give the others a file")
        if files:
            from ragauge.storage.atomic_files import misplaced

            read = [Path(each) for each in inputs]
            problems += [*misplaced(files, read), *inside_runs(files, read)]
        if problems:
            raise PlanError(problems)
        return [*targets, ("table", None)] if prints and len(files) == len(targets) else targets


def inside_runs(files: Sequence[Path], inputs: Iterable[Path]) -> list[str]:
    """The problems of output files that would replace a file of a run that is read; another file may be written beside these."""
    from ragauge.runs.manifest import MANIFEST
    from ragauge.runs.working_copy import is_file_of_run

    runs = [place for place in inputs if exists(place / MANIFEST)]
    return [
        f"{path}: is a file of the run {run} itself; choose another name"
        for path, run in product(files, runs)
        if is_file_of_run(path, run)
    ]


def write_report(report: Report, targets: Sequence[Target], *, full: bool = False) -> None:
    """Print the report or write it to its files."""
    for form, path in targets:
        if path is not None:
            from ragauge.storage.atomic_files import write_text

            write_text(path, write(report, form))
            say(f"wrote {path}")
        elif form == "table":
            from ragauge.report.terminal import console, print_report

            print_report(console(sys.stdout), report, full=full)
        else:
            print_data(write(report, form))


def print_data(text: str) -> None:
    """Print the text; escape sequences by their numbers, and on a terminal all invisible characters."""
    shown = data_for_terminal if sys.stdout.isatty() else data_for_pipe
    # Not by click, which leaves out escape sequences where no terminal reads them.
    sys.stdout.write(shown(text))


def cache_path(given: str | None) -> Path | None:
    """The file that `--cache` names, by default the one beside the runs; None for none."""
    from ragauge.evaluation.config import NO_CACHE

    if given == NO_CACHE:
        return None
    return Path(given) if given else RUNS / CACHE


def stored_runs(*others: Path) -> "list[tuple[Path, Manifest]]":
    """The runs in the default folder and in others, the last begun first; what is no run is skipped."""
    from ragauge.runs.store import RunFolder

    runs: dict[Path, tuple[Path, Manifest]] = {}
    folders = [sorted(root.iterdir()) for root in (RUNS, *others) if root.is_dir()]
    for path in chain(*folders):
        with suppress(StoreError):
            runs.setdefault(path.resolve(), (path, RunFolder(path).manifest()))
    return sorted(runs.values(), key=lambda run: run[1].started, reverse=True)


def check_groups(samples: "Samples", by: Sequence[str]) -> None:
    """PlanError for each field with too many values to break a summary down by."""
    import polars as pl

    problems: list[str] = []
    for name in by:
        n = int(samples.scan().select(name).unique().select(pl.len()).collect().item())
        if n > MAX_GROUPS:
            many = f"it has {n:,} values, more than {MAX_GROUPS}"
            how = "select rows with --where, or use a coarser field"
            problems.append(f"cannot group by {name!r}: {many}; {how}")
    if problems:
        raise PlanError(problems)
