"""`ragauge validate`."""

import sys
from pathlib import Path
from typing import cast

import click

from ragauge.cli.declare import argument, declare
from ragauge.cli.options import SourceOptions
from ragauge.cli.streams import complain, say
from ragauge.errors import DataError
from ragauge.loaders import load
from ragauge.report.plain import counted, for_terminal
from ragauge.samples.samples import FIELDS, Samples

SCORED = ("question", "answer", "contexts", "context_ids")
"""Data needs at least one of these columns to be scored."""


@declare("validate")
def command(
    sources: tuple[Path, ...] = argument("FILE...", required=True), *, reading: SourceOptions
) -> int:
    """Check data files: read each as `run` does and list its columns and its errors.

    Prints each column with its meaning and its number of null and empty values. Each error names
    its line; the exit code is then 3.
    """
    code = 0
    for source in sources:
        try:
            samples = load(source, **reading.settings)
        except DataError as error:
            complain(error)
            code = error.exit_code
            continue
        if len(sources) > 1:
            click.echo(for_terminal(str(source)))
        _print(samples)
    return code


def _print(samples: Samples) -> None:
    from ragauge.report.terminal import console, print_table

    for note in samples.notes:
        say(note)
    print_table(
        console(sys.stdout), ("column", "meaning", "rows", "null", "empty"), _columns(samples)
    )
    systems = counted(len(samples.systems), "system")
    can_score = any(name in samples.columns for name in SCORED)
    verdict = "no errors" if can_score else "nothing to score"
    click.echo(f"{counted(len(samples), 'sample')} of {systems}; {verdict}")
    if not can_score:
        say(f"none of the fields {', '.join(SCORED)} found; map a column with --map FIELD=COLUMN")


def _columns(samples: Samples) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for name in samples.columns:
        values = cast(list[object], samples.frame[name].to_list())
        n_null = sum(value is None for value in values)
        n_empty = sum(value in ("", []) for value in values)
        meaning = FIELDS[name].meaning if name in FIELDS else "extra field, for --by and --where"
        rows.append((name, meaning, f"{len(values) - n_null:,}", f"{n_null:,}", f"{n_empty:,}"))
    return rows
