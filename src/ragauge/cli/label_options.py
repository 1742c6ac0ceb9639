"""The options by which commands read people's labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

import click

from ragauge.cli.option_group import option_group
from ragauge.cli.pairs import Pair, pairs_once


class Reading(TypedDict):
    """How `calibrate` reads labels."""

    map: Mapping[str, str | Sequence[str]]
    yes: Sequence[str]
    yes_from: float | None
    skip: Sequence[str]


@dataclass(frozen=True, slots=True)
class LabelOptions:
    """How people's labels are read."""

    mapping: tuple[tuple[str, str], ...]
    yes: tuple[str, ...]
    yes_from: float | None
    skip: tuple[str, ...]

    def reading(self) -> Reading:
        """The arguments of `calibrate`; several columns of labels are separated by commas."""
        columns: dict[str, str | Sequence[str]] = {
            field: names.split(",") if field == "value" and "," in names else names
            for field, names in pairs_once(self.mapping, "field").items()
        }
        return {"map": columns, "yes": self.yes, "yes_from": self.yes_from, "skip": self.skip}

    def typed_again(self) -> list[str]:
        """The options as a user types them."""
        options = [
            part for field, column in self.mapping for part in ("--map", f"{field}={column}")
        ]
        options += [part for word in self.yes for part in ("--yes", word)]
        options += [] if self.yes_from is None else ["--yes-from", f"{self.yes_from:g}"]
        return options + [part for word in self.skip for part in ("--skip", word)]


label_options = option_group(
    "reading",
    LabelOptions,
    (
        click.option(
            "--map",
            "mapping",
            multiple=True,
            type=Pair("FIELD=COLUMN"),
            help="Read COLUMN as id, system, rater, metric or value; value=A,B reads a column per rater.",
        ),
        click.option(
            "--yes",
            multiple=True,
            metavar="WORD",
            help="Label that means yes; all others mean no.",
        ),
        click.option(
            "--yes-from", type=float, metavar="GRADE", help="Grades from this one on mean yes."
        ),
        click.option(
            "--skip", multiple=True, metavar="WORD", help="Label that says nothing: unsure."
        ),
    ),
)
"""Adds `--map`, `--yes`, `--yes-from` and `--skip`; the command takes them as `reading`."""
