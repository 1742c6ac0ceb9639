"""The options by which commands read files as samples."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragauge.cli.option_group import option_group
from ragauge.cli.pairs import Pair, pairs_once

if TYPE_CHECKING:
    from ragauge.loaders.conflicts import Prefer


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """How files are read as samples."""

    gold: Path | None
    prefer: "Prefer | None"
    by_place: bool
    mapping: tuple[tuple[str, str], ...]

    @property
    def map(self) -> dict[str, str]:
        """The column to read as each field; UsageError for a field given twice."""
        return pairs_once(self.mapping, "field")

    @property
    def any_given(self) -> bool:
        return bool(self.gold or self.prefer or self.by_place or self.mapping)


source_options = option_group(
    "reading",
    SourceOptions,
    (
        click.option(
            "--gold",
            type=click.Path(path_type=Path),
            help="File with the expected answers, joined by id, or by question where there is no id.",
        ),
        click.option(
            "--prefer",
            type=click.Choice(("gold", "answers", "first")),
            help="Value to use where sources disagree on a question or its gold.",
        ),
        click.option(
            "--by-place",
            is_flag=True,
            help="Pair the n-th rows of all files, not rows of the same id.",
        ),
        click.option(
            "--map",
            "mapping",
            multiple=True,
            type=Pair("FIELD=COLUMN"),
            help="Read COLUMN as FIELD, e.g. answer=response; answer=a,b for two systems. Repeatable.",
        ),
    ),
)
"""Adds `--gold`, `--prefer`, `--by-place` and `--map`; the command takes them as `reading`."""
