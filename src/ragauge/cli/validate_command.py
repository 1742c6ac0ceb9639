"""`ragauge validate`."""

import sys
from pathlib import Path
from typing import cast

import click

from ragauge.cli import say
from ragauge.cli.run_command import Pair, pairs_once
from ragauge.loaders import load
from ragauge.sample import FIELDS, Samples

SCORED = ("question", "answer", "contexts", "context_ids")
"""Without any of these there is nothing to score."""


@click.command("validate", short_help="Read a file as `run` would; say what is in it.")
@click.argument("source", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--gold", type=click.Path(path_type=Path), help="Questions with what is expected, joined by id."
)
@click.option(
    "--map",
    "mapping",
    multiple=True,
    type=Pair("FIELD=COLUMN"),
    help="Read this column as this field.",
)
def command(source: Path, gold: Path | None, mapping: tuple[tuple[str, str], ...]) -> None:
    """Read a file as `run` would; say what is in it and what is wrong.

    Prints each column with what it is read as and how many rows have it empty or null. Everything
    wrong is listed with its line, and the exit code is 3.
    """
    from ragauge.report.tables import counted
    from ragauge.report.terminal import console, print_table

    samples = load(source, map=pairs_once(mapping, "field"), gold=gold)
    for note in samples.notes:
        say(note)
    print_table(console(sys.stdout), ("column", "is", "rows", "null", "empty"), _columns(samples))
    systems = counted(len(samples.systems), "system")
    can_score = any(name in samples.columns for name in SCORED)
    found = "nothing wrong" if can_score else "nothing to score"
    click.echo(f"{counted(len(samples), 'sample')} of {systems}; {found}")
    if not can_score:
        say(f"no column is read as {', '.join(SCORED)}; name them with --map FIELD=COLUMN")


def _columns(samples: Samples) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for name in samples.columns:
        values = cast(list[object], samples.frame[name].to_list())
        n_null = sum(value is None for value in values)
        n_empty = sum(value in ("", []) for value in values)
        meaning = FIELDS[name].meaning if name in FIELDS else "a field to slice by"
        rows.append((name, meaning, f"{len(values) - n_null:,}", f"{n_null:,}", f"{n_empty:,}"))
    return rows
